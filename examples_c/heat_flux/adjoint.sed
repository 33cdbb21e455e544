# Turns the MPI program into its adjoint twin.
# the prefix
s/MPI_/AMPI_/g
# the type: what the program sends as MPI_DOUBLE is its scalar
s/AMPI_DOUBLE/AMPI_ADOUBLE/g
# the header
s/<mpi\.h>/<admpi.hpp>/
# a name of its own, so that both can stand in one file
s/OCEAN_HPP/ADJOINT_OCEAN_HPP/
s/namespace plain/namespace adjoint/
