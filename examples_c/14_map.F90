! 14: example 10 in Fortran: a map over jobs, by threads.
!
! Five tanks drain at a shared rate, each from its own level, and are measured at different times. Each tank is a job: its
! procedure gets the shared parameter, its own parameter and its own data, and runs on any thread, so it is recursive.
module tanks
  use admpi
  use admpi_maps
  implicit none
contains
  recursive subroutine misfit(shared, own, x_r, x_i, y, status)
    type(admpi_var), intent(in) :: shared(:), own(:)
    real(8), intent(in) :: x_r(:)
    integer, intent(in) :: x_i(:)
    type(admpi_var), intent(inout) :: y(:)
    integer, intent(inout) :: status
    type(admpi_var) :: error
    integer :: k
    do k = 1, size(x_r), 2  ! pairs: when, and what was seen
      error = own(1)*exp(-shared(1)*x_r(k)) - x_r(k + 1)
      y(1) = y(1) + 0.5d0*error**2
    end do
    if (size(x_i) > 0) status = 1  ! there are no integers
  end subroutine
end module

program map
  use tanks
  implicit none
  type(admpi_map) :: workers
  type(admpi_map_function) :: job
  type(admpi_map_data) :: data
  type(admpi_tape) :: tape
  type(admpi_var) :: rate(1), level(1, 5), total(1)
  real(8), parameter :: seen(12) = [1d0, 1.9d0, 0.5d0, 2.5d0, 2d0, 1.2d0, 3d0, 1.1d0, 1d0, 4d0, 2d0, 2.5d0]

  call job%register('misfit of a tank', misfit)
  call workers%new(ADMPI_MAP_THREADS, 2)
  call workers%data_new(data, x_r=seen, r_end=[2, 6, 6, 8, 12])

  call tape%new()
  call tape%activate()
  call tape%start()
  rate = [0.5d0]
  level = reshape([3d0, 3d0, 4d0, 5d0, 6d0], [1, 5])
  call tape%input(rate)
  call tape%input(level)
  call workers%run_sum(job, rate, level, total, data=data)
  call tape%stop()

  call tape%seed(total, [1d0])
  call tape%reverse()
  print '("misfit ", f8.6, ", derivative by the rate ", f8.6, ", by the levels", 5f10.6)', admpi_value(total(1)), &
    tape%adjoint(rate(1)), tape%adjoint(level)
  call workers%free()
  call tape%free()
end program
