# gnuplot -c pictures.gp DIRECTORY: draws what population wrote there. newborns.png: hours and mg/l of each child; red what was
# measured, blue the child's curve, grey that of a child like it without effects of its own. measured.png: the child's curve over
# what was measured.
if (ARGC < 1) exit error "usage: gnuplot -c pictures.gp DIRECTORY"
curves = ARG1."/curves.txt"
measured = ARG1."/measured.txt"
set xrange [0:*] noextend
set yrange [0:70]
set border 3
set tics nomirror out

set terminal pngcairo size 1600, 1200 font ",8"
set output ARG1."/newborns.png"
stats curves skip 1 nooutput
set xtics 100
set ytics 20
set key left top samplen 0
set multiplot layout 8, 8 margins 0.02, 0.99, 0.02, 0.98 spacing 0.02, 0.03
do for [child = 0 : STATS_blocks - 1] {
  plot curves index child using 1:3 with lines linecolor rgb "#aaaaaa" notitle, \
    curves index child using 1:2 with lines linecolor rgb "#225ea8" title columnheader(2), \
    measured index child using 1:2 with points pointtype 7 pointsize 0.7 linecolor rgb "#c81e28" notitle
}
unset multiplot

set terminal pngcairo size 760, 720
set output ARG1."/measured.png"
set size ratio 1
set xtics autofreq
set ytics autofreq
set xrange [0:70]
set xlabel "measured, mg/l"
set ylabel "predicted, mg/l"
plot x with lines linecolor rgb "#aaaaaa" notitle, \
  measured using 2:3 with points pointtype 7 linecolor rgb "#c81e28" notitle
