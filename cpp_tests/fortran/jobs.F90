! Jobs of the tests of maps, serially, by threads and over ranks, and the same without a map.
module jobs
  use admpi
  use admpi_maps
  use check
  implicit none
  integer, parameter :: n = 13, n_shared = 3, n_own = 4, n_r = 2, n_i = 1, n_y = 2
  type(admpi_map_function) :: model_function, failing_function, printing_function, lengths_function, pairs_function
  real(8), parameter :: of_all(2) = [0.25d0, -1.5d0]
  type(admpi_var) :: shared(n_shared), own(n_own, n)
  real(8) :: x_r(n_r, n)
  integer :: x_i(n_i, n)
contains
  ! A local array that gfortran makes static in a procedure that is not recursive.
  recursive subroutine model(shared, own, x_r, x_i, y, status)
    type(admpi_var), intent(in) :: shared(:), own(:)
    real(8), intent(in) :: x_r(:)
    integer, intent(in) :: x_i(:)
    type(admpi_var), intent(inout) :: y(:)
    integer, intent(inout) :: status
    type(admpi_var) :: room(6000)
    real(8), pointer :: common_r(:)
    common_r => admpi_map_shared_r()
    call compute(shared, own, x_r, x_i, common_r, y, room)
    if (status /= 0) return
  end subroutine
  recursive subroutine compute(shared, own, x_r, x_i, common_r, y, room)
    type(admpi_var), intent(in) :: shared(:), own(:)
    real(8), intent(in) :: x_r(:), common_r(:)
    integer, intent(in) :: x_i(:)
    type(admpi_var), intent(inout) :: y(:), room(:)
    integer :: k
    do k = 1, size(room), 97
      room(k) = real(k, 8)
    end do
    room(1:size(own)) = own*own + sin(own)
    do k = 1, size(y)
      y(k) = exp(shared(1)*k/10)*sum(room(:size(own))*shared(2)) + shared(size(shared))
      if (size(x_r) > 0) y(k) = y(k) + x_r(1)*shared(1)
      if (size(x_i) > 0) y(k) = y(k)*x_i(1)
      if (size(common_r) > 0) y(k) = y(k) + common_r(1)*own(1)
    end do
  end subroutine

  recursive subroutine failing(shared, own, x_r, x_i, y, status)
    type(admpi_var), intent(in) :: shared(:), own(:)
    real(8), intent(in) :: x_r(:)
    integer, intent(in) :: x_i(:)
    type(admpi_var), intent(inout) :: y(:)
    integer, intent(inout) :: status
    y(1) = shared(1)*own(1) + x_r(1)
    if (x_i(1) == 5) then
      call admpi_map_fail('the tank is empty')
      status = 42
    end if
  end subroutine

  recursive subroutine printing(shared, own, x_r, x_i, y, status)
    type(admpi_var), intent(in) :: shared(:), own(:)
    real(8), intent(in) :: x_r(:)
    integer, intent(in) :: x_i(:)
    type(admpi_var), intent(inout) :: y(:)
    integer, intent(inout) :: status
    character(40) :: line
    write (line, '(a, i0, 3i3)') 'job ', admpi_map_number(), size(x_r), size(x_i), status
    print '(a)', trim(line)
    y(1) = shared(1)*own(1)
  end subroutine

  ! Parts of unequal size, some of them empty.
  recursive subroutine lengths(shared, own, x_r, x_i, y, status)
    type(admpi_var), intent(in) :: shared(:), own(:)
    real(8), intent(in) :: x_r(:)
    integer, intent(in) :: x_i(:)
    type(admpi_var), intent(inout) :: y(:)
    integer, intent(inout) :: status
    integer :: k
    do k = 1, size(y)
      y(k) = shared(1)*k + sum(own)*sum(own) + sum(x_r) + sum(x_i)
    end do
    if (size(own) /= mod(admpi_map_number(), 3)) status = 1
  end subroutine

  ! Pairs of a value and its tangent: y = s x**2 and its derivative, and s x.
  recursive subroutine pairs(shared, own, x_r, x_i, y, status)
    type(admpi_var), intent(in) :: shared(:), own(:)
    real(8), intent(in) :: x_r(:)
    integer, intent(in) :: x_i(:)
    type(admpi_var), intent(inout) :: y(:)
    integer, intent(inout) :: status
    y(1) = shared(1)*own(1)**2
    y(2) = shared(2)*own(1)**2 + 2*shared(1)*own(1)*own(2)
    y(3) = shared(1)*own(1)
    y(4) = shared(2)*own(1) + shared(1)*own(2)
    if (size(x_r) + size(x_i) > 0) status = 1
  end subroutine
  subroutine try_hessian(map, who)
    type(admpi_map), intent(in) :: map
    character(*), intent(in) :: who
    type(admpi_var) :: s(1), x(1, 3)
    real(8) :: value(2, 3), gradients(2, 2, 3), hessians(2, 2, 2, 3)
    integer :: ierr
    s = 3d0
    x = reshape([1d0, 2d0, 4d0], [1, 3])
    call map%hessian(pairs_function, s, x, value, gradients, hessians)
    call near(maxval(abs(value(:, 3) - [48d0, 12d0])), 0d0, who//': values of hessian')
    call near(maxval(abs(gradients(:, :, 2) - reshape([4d0, 12d0, 2d0, 3d0], [2, 2]))), 0d0, who//': gradients')
    call near(maxval(abs(hessians(:, :, 1, 3) - reshape([0d0, 8d0, 8d0, 6d0], [2, 2]))), 0d0, who//': hessian')
    call near(maxval(abs(hessians(:, :, 2, 1) - reshape([0d0, 1d0, 1d0, 0d0], [2, 2]))), 0d0, who//': hessian of the second')
    call map%hessian(pairs_function, s, x, value, gradients(:, :1, :), hessians, ierr=ierr)
    call equal(ierr, 2, who//': shapes of hessian')
  end subroutine

  subroutine register_jobs()
    integer :: ierr
    call model_function%register('model', model)
    call failing_function%register('failing', failing)
    call printing_function%register('printing', printing)
    call pairs_function%register('pairs', pairs)
    call lengths_function%register('lengths', lengths, ierr)
    call equal(ierr, 0, 'register')
  end subroutine

  subroutine make_inputs()
    integer :: i, k
    call tape%reset()
    call tape%start()
    shared = [0.5d0, 1.25d0, -0.75d0]
    do i = 1, n
      own(:, i) = [(sin(real(i, 8) + k), k=1, n_own)]
      x_r(:, i) = [i/2d0, -1d0*i]
      x_i(:, i) = 1 + mod(i, 3)
    end do
    call tape%input(shared)
    call tape%input(own)
  end subroutine

  subroutine gradient(y, g)
    type(admpi_var), intent(in) :: y(:, :)
    real(8), intent(out) :: g(n_shared + n*n_own)
    real(8) :: weight(size(y, 1), size(y, 2))
    integer :: i
    weight = reshape([(1 + 0.1d0*i, i=1, size(y))], shape(y))
    call tape%clear_adjoints()
    call tape%seed(y, weight)
    call tape%reverse()
    g(:n_shared) = tape%adjoint(shared)
    g(n_shared + 1:) = reshape(tape%adjoint(own), [n*n_own])
  end subroutine

  ! Everything that a map does, by whatever it does it.
  subroutine try_map(map, who)
    type(admpi_map), intent(in) :: map
    character(*), intent(in) :: who
    type(admpi_map_data) :: data, old
    type(admpi_map_failure) :: failure
    type(admpi_var) :: y(n_y, n), sums(n_y), expected(n_y, n), room(6000), line(4), before
    real(8) :: g(n_shared + n*n_own), reference(n_shared + n*n_own)
    type(admpi_statistics) :: filled
    integer :: i, k, ierr, own_end(n), y_end(n), r_end(n)
    integer(8) :: events
    type(admpi_var), allocatable :: ragged(:), of_ragged(:)

    call make_inputs()
    call map%data_new(data, x_r=x_r, x_i=x_i, shared_r=of_all)
    do i = 1, n
      call compute(shared, own(:, i), x_r(:, i), x_i(:, i), of_all, expected(:, i), room)
    end do
    call gradient(expected, reference)
    do k = 1, 3
      call make_inputs()
      call tape%statistics(filled)
      events = filled%events
      call map%run(model_function, shared, own, y, data=data)
      call tape%statistics(filled)
      call equal(int(filled%statements), 0, who//': statements of the caller')
      call equal(int(filled%events - events), 1, who//': events of the caller')
      call gradient(y, g)
      do i = 1, size(g)
        call near(g(i), reference(i), who//': gradient', 1d-14)
      end do
      call near(maxval(abs(admpi_value(y) - admpi_value(expected))), 0d0, who//': values', 1d-14)
    end do
    ! Nothing recorded, and the same values.
    call tape%stop()
    call map%run(model_function, shared, own, y, data=data)
    call near(maxval(abs(admpi_value(y) - admpi_value(expected))), 0d0, who//': values without a tape', 1d-14)
    ! Sums, on an array with gaps.
    call make_inputs()
    call map%run_sum(model_function, shared, own, sums, data=data)
    do k = 1, n_y
      call near(admpi_value(sums(k)), sum(admpi_value(expected(k, :))), who//': sums', 1d-13)
    end do
    call tape%clear_adjoints()
    call tape%seed(sums, [1d0, 0d0])
    call tape%reverse()
    call near(tape%adjoint(shared(3)), real(sum(x_i), 8), who//': derivative of a sum', 1d-13)

    ! An update, and the old handle.
    old = data
    call map%data_update(data, x_r=x_r, x_i=2*x_i, shared_r=of_all)
    call map%run(model_function, shared, own, y, data=data)
    call near(admpi_value(y(1, 1)) - of_all(1)*admpi_value(own(1, 1)), &
      2*(admpi_value(expected(1, 1)) - of_all(1)*admpi_value(own(1, 1))), who//': new data', 1d-13)
    call map%run(model_function, shared, own, y, data=old, ierr=ierr)
    call equal(ierr, 6, who//': old data')

    ! A job that fails.
    x_i(1, :) = 0
    x_i(1, 4) = 5
    call map%data_update(data, x_r=x_r, x_i=x_i)
    y(1, 1) = 77d0
    call map%run(failing_function, shared, own, y(1:1, :), data=data, ierr=ierr)
    call equal(ierr, 11, who//': code of a failure')
    call admpi_map_last_failure(failure)
    call equal(failure%job, 4, who//': the job that failed')
    call equal(failure%code, 42, who//': what it returned')
    if (index(failure%text, 'the tank is empty') == 0) call fail(who//': the text of a failure is '//failure%text)
    if (index(admpi_last_error(), 'the tank is empty') == 0) call fail(who//': '//admpi_last_error())
    call near(admpi_value(y(1, 1)), 77d0, who//': result of a failure')
    x_i(1, 4) = 0
    call map%data_update(data, x_r=x_r, x_i=x_i)
    call map%run(failing_function, shared, own, y(1:1, :), data=data)
    call near(admpi_value(y(1, 2)), admpi_value(shared(1))*admpi_value(own(1, 2)) + x_r(1, 2), who//': after a failure')

    ! One that prints, with expressions of the caller around.
    before = shared(1)*shared(2)
    call map%run(printing_function, shared, own, y(1:1, :))
    call near(admpi_value(y(1, 3)), admpi_value(shared(1))*admpi_value(own(1, 3)), who//': printing')

    ! Parts of unequal size.
    k = 0
    do i = 1, n
      own_end(i) = sum([(mod(k, 3), k=1, i)])
      y_end(i) = sum([(mod(k + 1, 3), k=1, i)])
      r_end(i) = sum([(mod(k, 2), k=1, i)])
    end do
    allocate (ragged(own_end(n)), of_ragged(y_end(n)))
    ragged = [(real(k, 8), k=1, own_end(n))]
    call tape%input(ragged)
    call map%data_update(data, x_r=[(k*1d0, k=1, r_end(n))], r_end=r_end, x_i=[(k, k=1, 2*n)])
    call map%run(lengths_function, shared, ragged, of_ragged, data=data, own_end=own_end, y_end=y_end)
    ! Job 4: one parameter, two results, no data of its own except two integers.
    call near(admpi_value(of_ragged(y_end(4))), &
      2*0.5d0 + admpi_value(ragged(own_end(4)))**2 + 15, who//': unequal sizes')
    call tape%clear_adjoints()
    call tape%seed(of_ragged, [(1d0, k=1, y_end(n))])
    call tape%reverse()
    line(1) = ragged(own_end(4))
    call near(tape%adjoint(line(1)), 2*2*admpi_value(line(1)), who//': derivative of unequal sizes')

    call try_hessian(map, who)
    ! Arguments that contradict each other.
    call map%run(model_function, shared, own(:, 2:), y, ierr=ierr)
    call equal(ierr, 2, who//': numbers of jobs')
    if (index(admpi_last_error(), 'for 12 jobs, another one for 13') == 0) call fail(who//': '//admpi_last_error())
    call map%run(model_function, shared, ragged, of_ragged, ierr=ierr)
    call equal(ierr, 2, who//': no number of jobs')
    call map%data_free(data)
    call equal(admpi_live_expressions(), 0, who//': live expressions')
  end subroutine
end module
