! A tape and a stack of expressions for each thread.
program test_threads
  use admpi
  implicit none
  integer :: i, failures
  failures = 0
  !$omp parallel do reduction(+: failures) num_threads(4)
  do i = 1, 200
    call job(i, failures)
  end do
  if (failures > 0) error stop 'wrong gradients'
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
    call tape%free()
  end subroutine
end program
