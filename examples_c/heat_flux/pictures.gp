# gnuplot -c pictures.gp DIRECTORY: maps of the fields that heat_flux wrote there, each by itself and all in overview.png.
if (ARGC < 1) exit error "usage: gnuplot -c pictures.gp DIRECTORY"
set encoding utf8
set object rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillcolor rgb "#969696" fillstyle solid noborder  # land
set yrange [] reverse  # the first row is the northernmost
set size ratio -1
unset tics
unset key
set colorbox user origin graph 1.02, graph 0 size graph 0.03, graph 1
set cbtics
set lmargin 1
set rmargin 9
set bmargin 1

sequential = 'set palette defined (0 "#081d58", 1 "#225ea8", 2 "#1d91c0", 3 "#41b6c4", 4 "#a0dab4", 5 "#fde76e", 6 "#f46d43")'
diverging = 'set palette defined (0 "#053061", 1 "#4393c3", 2 "#bedaea", 3 "#fafafa", 4 "#fbcdb4", 5 "#d6604d", 6 "#67001f")'
temperature = sequential."; set cbrange [-2:32]"
misfit = diverging."; set cbrange [-2:2]"
flux = diverging."; set cbrange [-250:250]"

array names[6] = ["january", "february", "february_fitted", "misfit_before", "misfit_after", "heat_flux"]
array titles[6] = ["January 2015, °C", "February 2015, °C", "February fitted by the model, °C", \
  "Misfit before: January − February, °C", "Misfit after: fitted − February, °C", "Recovered heat flux into the ocean, W/m²"]
array styles[6] = [temperature, temperature, temperature, misfit, misfit, flux]

# Land is -999.
draw = 'eval styles[k]; set title titles[k]; plot ARG1."/".names[k].".txt" matrix using 1:2:($3 == -999 ? NaN : $3) with image'

set terminal pngcairo size 900, 740
do for [k = 1:6] {
  set output ARG1."/".names[k].".png"
  eval draw
}
set terminal pngcairo size 1500, 840
set output ARG1."/overview.png"
set multiplot layout 2, 3
do for [k = 1:6] { eval draw }
unset multiplot
