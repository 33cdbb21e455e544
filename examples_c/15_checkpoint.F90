! 15: a long time loop on a short tape, as in example 07, in Fortran.
!
! Only the values at the checkpoints are kept. A callback stands for each part of the loop: when a sweep comes to it, the part is
! recorded anew in a nest, swept with the adjoints of its results, and forgotten.
module lorenz
  use, intrinsic :: iso_c_binding
  use admpi
  implicit none
  integer, parameter :: steps = 400, part = 20
  real(8), parameter :: dt = 1d-3
  type(admpi_tape) :: tape
contains
  ! One step. The last component is the parameter.
  subroutine step(u)
    type(admpi_var), intent(inout) :: u(4)
    type(admpi_var) :: d(3)
    d(1) = 10d0*(u(2) - u(1))
    d(2) = u(1)*(u(4) - u(3)) - u(2)
    d(3) = u(1)*u(2) - 8d0/3d0*u(3)
    u(1:3) = u(1:3) + dt*d
  end subroutine

  subroutine advance(u)
    type(admpi_var), intent(inout) :: u(4)
    integer :: k
    do k = 1, part
      call step(u)
    end do
  end subroutine

  ! The same, with nothing on the tape but the values where it begins.
  subroutine advance_later(u)
    type(admpi_var), intent(inout) :: u(4)
    type(admpi_var) :: after(4)
    real(8), target :: before(4)
    before = admpi_value(u)
    after = before
    call tape%stop()
    call advance(after)
    call tape%start()
    call tape%callback(u, admpi_value(after), advance_back, c_loc(before), u, &
      payload_size=size(before)*c_sizeof(before(1)))
  end subroutine

  function advance_back(n_out, n_in, width, out_adjoint, in_adjoint, payload) bind(C) result(status)
    integer(c_int64_t), value :: n_out, n_in
    integer(c_int32_t), value :: width
    real(c_double), intent(in) :: out_adjoint(width, n_out)
    real(c_double), intent(inout) :: in_adjoint(width, n_in)
    type(c_ptr), value :: payload
    integer(c_int32_t) :: status
    real(8), pointer :: before(:)
    type(admpi_var) :: u(4), v(4)
    type(admpi_nest) :: nest
    call c_f_pointer(payload, before, [4])
    call tape%start_nested(nest, isolated=.true.)
    call tape%start()
    u = before
    call tape%input(u)
    v = u
    call advance(v)
    call tape%seed(v, out_adjoint(1, :))
    call tape%reverse()
    in_adjoint(1, :) = in_adjoint(1, :) + tape%adjoint(u)
    call tape%recover_nested(nest)
    status = 0
  end function
end module

program checkpoint
  use lorenz
  implicit none
  type(admpi_var) :: start(4), u(4)
  type(admpi_statistics) :: statistics
  real(8) :: gradient(4, 2)
  integer :: way, k
  call tape%new()
  call tape%activate()
  do way = 1, 2
    call tape%reset()
    call tape%start()
    start = [1d0, 2d0, 20d0, 28d0]
    call tape%input(start)
    u = start
    do k = 1, steps, part
      if (way == 1) call advance(u)
      if (way == 2) call advance_later(u)
    end do
    call tape%stop()
    call tape%seed(u(1), 1d0)
    call tape%reverse()
    gradient(:, way) = tape%adjoint(start)
    call tape%statistics(statistics)
    print '("x after ", i0, " steps: ", f0.6, ", gradient", 4f10.6)', steps, admpi_value(u(1)), gradient(:, way)
    print '("statements: ", i0)', statistics%statements
  end do
  if (maxval(abs(gradient(:, 1) - gradient(:, 2))) > 1d-13) error stop 'the gradients differ'
  call tape%free()
end program
