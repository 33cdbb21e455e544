# gnuplot -c pictures.gp DIRECTORY: draws what mantle wrote there into mantle.png.
if (ARGC < 1) exit error "usage: gnuplot -c pictures.gp DIRECTORY"
set encoding utf8
set palette defined (0 "#67001f", 1 "#d6604d", 2 "#fbcdb4", 3 "#fafafa", 4 "#bedaea", 5 "#4393c3", 6 "#053061")
set cbrange [-5:5]
set cblabel "shear speed, % of PREM"
stats ARG1."/truth.txt" using 2 nooutput
set yrange [STATS_max:-30]
set autoscale xfix
set xlabel "km"
set ylabel "depth, km"
set size ratio -1
set tics out
unset key
set arrow 1 from graph 0, first 220 to graph 1, first 220 nohead dashtype 3 front
set arrow 2 from graph 0, first 400 to graph 1, first 400 nohead dashtype 3 front
set arrow 3 from graph 0, first 670 to graph 1, first 670 nohead dashtype 3 front
set terminal pngcairo size 1000, 1000
set output ARG1."/mantle.png"
set multiplot layout 2, 1
do for [k = 1:2] {
  set title word("truth found", k) eq "truth" ? "The Earth of the twin experiment" : "Found from what the stations recorded"
  plot ARG1."/".word("truth found", k).".txt" using 1:2:3 with image, \
    ARG1."/stations.txt" using 1:2 with points pointtype 11 linecolor rgb "black", \
    ARG1."/earthquakes.txt" using 1:2 with points pointtype 3 pointsize 2 linecolor rgb "black"
}
unset multiplot
