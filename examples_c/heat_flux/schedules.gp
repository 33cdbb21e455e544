# gnuplot -c schedules.gp DIRECTORY: memory and time of the schedules that long_run wrote there.
if (ARGC < 1) exit error "usage: gnuplot -c schedules.gp DIRECTORY"
set encoding utf8
set terminal pngcairo size 900, 560
set output ARG1."/schedules.png"
set logscale xy
set xlabel "memory a rank, MiB"
set ylabel "time over the plain run"
set grid
unset key
set offsets graph 0.1, graph 0.2, graph 0.1, graph 0.1
plot ARG1."/schedules.txt" using 2:3 with points pointtype 7 pointsize 1.6, \
  "" using 2:3:1 with labels left offset 1, 0.6
