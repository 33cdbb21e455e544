! A tape and a stack of expressions for each thread, and one table of matrices for all.
program test_threads
  use admpi
  use admpi_matrices
  implicit none
  integer :: i, failures
  failures = 0
  !$omp parallel do reduction(+: failures) num_threads(4)
  do i = 1, 200
    call job(i, failures)
  end do
  if (failures > 0) error stop 'wrong gradients'
  if (admpi_live_matrices() /= 0) error stop 'matrices at the end'
contains
  subroutine job(i, failures)
    integer, intent(in) :: i
    integer, intent(inout) :: failures
    type(admpi_tape) :: tape
    type(admpi_var) :: x(100), y
    integer :: k
    call tape%new()
    call tape%activate()
    call tape%start()
    x = [(real(i, 8)/k, k=1, 100)]
    call tape%input(x)
    y = sum(x*x + sin(x)) + x(1)*x(2)*x(3)
    call tape%seed(y, 1d0)
    call tape%reverse()
    do k = 4, 100
      if (abs(tape%adjoint(x(k)) - (2*real(i, 8)/k + cos(real(i, 8)/k))) > 1d-12*i) failures = failures + 1
    end do
    if (admpi_live_expressions() /= 0) failures = failures + 1
    call matrices(i, tape, failures)
    call tape%free()
  end subroutine
  ! More than the table has at first.
  subroutine matrices(i, tape, failures)
    integer, intent(in) :: i
    type(admpi_tape), intent(in) :: tape
    integer, intent(inout) :: failures
    type(admpi_varmat) :: a(30), b
    integer :: k
    call tape%reset()
    call tape%start()
    do k = 1, size(a)
      a(k) = [real(i, 8), real(k, 8)]
    end do
    call a(3)%input(tape)
    b = a(3)*a(3) + a(4)*a(3)
    call b%seed(tape, 1d0)
    call tape%reverse()
    if (maxval(abs(a(3)%adjoint(tape) - reshape([3d0*i, 10d0], [2, 1]))) > 1d-12) failures = failures + 1
  end subroutine
end program
