! 17: matrices in Fortran: a linear system with an active matrix.
!
! Five springs in a row hold four masses, and the last mass is pulled. How does its displacement depend on each spring? The stiffness
! matrix is one object, the solution one event of the tape, and its derivative costs one more solution.
program springs
  use admpi
  use admpi_matrices
  implicit none
  integer, parameter :: n = 4
  type(admpi_tape) :: tape
  type(admpi_varmat) :: stiffness, k, displacement
  type(admpi_var) :: last
  real(8) :: force(n), derivative(n + 1, 1), difference(n, n + 1)
  integer :: i

  ! Spring i lies between mass i - 1 and mass i; the ends are fixed.
  difference = 0
  do i = 1, n
    difference(i, i) = 1
    difference(i, i + 1) = -1
  end do
  force = 0
  force(n) = 1

  call tape%new()
  call tape%activate()
  call tape%start()
  stiffness = [2d0, 3d0, 4d0, 5d0, 6d0]
  call stiffness%input(tape)
  k = matmul(admpi_diag_post_multiply(admpi_varmat(difference), stiffness), admpi_varmat(transpose(difference)))
  displacement = admpi_solve_spd(k, admpi_varmat(force))
  last = displacement%at(n, 1)
  call tape%stop()

  call tape%seed(last, 1d0)
  call tape%reverse()
  derivative = stiffness%adjoint(tape)
  print '("displacement of the last mass ", f8.6)', admpi_value(last)
  print '("derivative by the springs     ", 5f10.6)', derivative
  call tape%free()
end program
