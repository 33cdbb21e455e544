# From MPI to adjoint MPI, for Fortran in free and fixed form: sed -E -f mpi_to_ampi.sed, with GNU sed.
#
# Every name that begins with MPI_, in any case, gets an A. These keep theirs: the components of MPI's own types, and what
# a line of the preprocessor asks.
/^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|undef)\b/b
s/\b([0-9]+_)?MPI_/\1AMPI_/Ig
s/(%[ \t]*)A(MPI_(SOURCE|TAG|ERROR|VAL)\b)/\1\2/Ig
s/\bmpif\.h\b/ampif.h/Ig
s/\b(use([ \t]*,[ \t]*(non_)?intrinsic)?([ \t]*::[ \t]*|[ \t]+))mpi\b/\1ampi/I
s/\b(use([ \t]*,[ \t]*(non_)?intrinsic)?([ \t]*::[ \t]*|[ \t]+))AMPI_f08\b/\1ampi_f08/I
