! Derivatives of a procedure, for Fortran: docs/fortran.md explains. What the procedure records is swept and forgotten, on the thread's
! tape or on one for the time of the call. Without ierr an error ends the program.
!
! ADMPI_WITHOUT_TANGENTS: without Hessians, for tests that save the time to compile admpi_tangents.
module admpi_derivatives
  use, intrinsic :: iso_c_binding
  use admpi, only: admpi_var, admpi_detail_refusal, admpi_detail_report
#ifndef ADMPI_WITHOUT_TANGENTS
  use admpi_tangents, only: admpi_tangent_var
#endif
  implicit none
  private

  integer, parameter :: dp = c_double

  ! Sets y from x. Active variables from elsewhere are constants.
  abstract interface
    subroutine admpi_objective(x, y)
      import :: admpi_var
      type(admpi_var), intent(in) :: x(:)
      type(admpi_var), intent(inout) :: y
    end subroutine
    subroutine admpi_function(x, y)
      import :: admpi_var
      type(admpi_var), intent(in) :: x(:)
      type(admpi_var), intent(inout) :: y(:)
    end subroutine
#ifndef ADMPI_WITHOUT_TANGENTS
    subroutine admpi_objective_along(x, y)
      import :: admpi_tangent_var
      type(admpi_tangent_var), intent(in) :: x(:)
      type(admpi_tangent_var), intent(inout) :: y
    end subroutine
#endif
  end interface
  public :: admpi_objective, admpi_function

  ! What admpi_check_gradient found of an input: the derivative by a sweep, and by the differences that changed least from step to
  ! step.
  type, public :: admpi_input_check
    real(dp) :: reverse = 0, difference = 0
    logical :: is_right = .false.
  end type

  public :: admpi_gradient, admpi_jacobian, admpi_sparse_jacobian, admpi_transposed_jacobian_product, admpi_check_gradient
#ifndef ADMPI_WITHOUT_TANGENTS
  public :: admpi_objective_along, admpi_hessian_product, admpi_hessian
#endif

  type, bind(C) :: found
    real(c_double) :: reverse, difference
    integer(c_int64_t) :: is_right
  end type

  ! What C hands back to call_objective and so on: its context is the address of one.
  type :: context
    procedure(admpi_objective), pointer, nopass :: objective => null()
    procedure(admpi_function), pointer, nopass :: function => null()
#ifndef ADMPI_WITHOUT_TANGENTS
    procedure(admpi_objective_along), pointer, nopass :: along => null()
    real(dp), allocatable :: v(:)
#endif
  end type

  interface
    integer(c_int32_t) function c_gradient(f, ctx, x, n, value, gradient) bind(C, name='admpi_gradient')
      import :: c_ptr, c_funptr, c_int32_t, c_int64_t, c_double
      type(c_funptr), value :: f
      type(c_ptr), value :: ctx
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: n
      real(c_double), intent(inout) :: value, gradient(*)
    end function
    integer(c_int32_t) function c_jacobian(f, ctx, x, n, m, value, jacobian) bind(C, name='admpi_jacobian')
      import :: c_ptr, c_funptr, c_int32_t, c_int64_t, c_double
      type(c_funptr), value :: f
      type(c_ptr), value :: ctx
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: n, m
      real(c_double), intent(inout) :: value(*), jacobian(*)
    end function
    integer(c_int32_t) function c_transposed(f, ctx, x, n, w, m, value, product) bind(C, name='admpi_transposed_jacobian_product')
      import :: c_ptr, c_funptr, c_int32_t, c_int64_t, c_double
      type(c_funptr), value :: f
      type(c_ptr), value :: ctx
      real(c_double), intent(in) :: x(*), w(*)
      integer(c_int64_t), value :: n, m
      real(c_double), intent(inout) :: value(*), product(*)
    end function
    integer(c_int32_t) function c_sparsity(f, ctx, x, n, m, s) bind(C, name='admpi_jacobian_sparsity')
      import :: c_ptr, c_funptr, c_int32_t, c_int64_t, c_double
      type(c_funptr), value :: f
      type(c_ptr), value :: ctx
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: n, m
      type(c_ptr), intent(out) :: s
    end function
    integer(c_int32_t) function c_sparse_jacobian(f, ctx, x, n, s, value, element) bind(C, name='admpi_sparse_jacobian')
      import :: c_ptr, c_funptr, c_int32_t, c_int64_t, c_double
      type(c_funptr), value :: f
      type(c_ptr), value :: ctx, s
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: n
      real(c_double), intent(inout) :: value(*), element(*)
    end function
    integer(c_int32_t) function c_sparse_new(rows, cols, start, column, n, s) bind(C, name='admpi_sparse_new')
      import :: c_ptr, c_int32_t, c_int64_t
      integer(c_int64_t), value :: rows, cols, n
      integer(c_int64_t), intent(in) :: start(*), column(*)
      type(c_ptr), intent(out) :: s
    end function
    integer(c_int32_t) function c_sparse_size(s, rows, cols, n) bind(C, name='admpi_sparse_size')
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: s
      integer(c_int64_t), intent(out) :: rows, cols, n
    end function
    integer(c_int32_t) function c_sparse_rows(s, start, column) bind(C, name='admpi_sparse_rows')
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: s
      integer(c_int64_t), intent(inout) :: start(*), column(*)
    end function
    subroutine c_sparse_free(s) bind(C, name='admpi_sparse_free')
      import :: c_ptr
      type(c_ptr), value :: s
    end subroutine
    integer(c_int32_t) function c_check(f, ctx, x, n, tolerance, checks, wrong) bind(C, name='admpi_check_gradient')
      import :: c_ptr, c_funptr, c_int32_t, c_int64_t, c_double, found
      type(c_funptr), value :: f
      type(c_ptr), value :: ctx
      real(c_double), intent(in) :: x(*)
      integer(c_int64_t), value :: n
      real(c_double), value :: tolerance
      type(found), intent(inout) :: checks(*)
      integer(c_int64_t), intent(inout) :: wrong
    end function
  end interface

contains
  ! The gradient of an objective at x, by a sweep.
  subroutine admpi_gradient(f, x, gradient, value, ierr)
    procedure(admpi_objective) :: f
    real(dp), intent(in), contiguous :: x(:)
    real(dp), intent(inout), contiguous :: gradient(:)
    real(dp), intent(out), optional :: value
    integer, intent(out), optional :: ierr
    type(context), target :: of
    integer(c_int32_t) :: status
    real(dp) :: y
    y = 0
    of%objective => f
    status = alike('admpi_gradient', 'gradient', size(gradient), 'x', size(x))
    if (status == 0) status = c_gradient(c_funloc(call_objective), c_loc(of), x, size(x, kind=c_int64_t), y, gradient)
    if (present(value)) value = y
    call admpi_detail_report(status, 'admpi_gradient', ierr)
  end subroutine

  ! The Jacobian at x of a procedure with size(jacobian, 1) results, by a recording and a sweep for each 16 of them, or for each on a
  ! tape that the thread has: jacobian(i, j) is the derivative of result i by input j.
  subroutine admpi_jacobian(f, x, jacobian, values, ierr)
    procedure(admpi_function) :: f
    real(dp), intent(in), contiguous :: x(:)
    real(dp), intent(inout), contiguous :: jacobian(:, :)
    real(dp), intent(out), optional :: values(:)
    integer, intent(out), optional :: ierr
    type(context), target :: of
    integer(c_int32_t) :: status
    real(dp) :: y(size(jacobian, 1))
    y = 0
    of%function => f
    status = alike('admpi_jacobian', 'a row of jacobian', size(jacobian, 2), 'x', size(x))
    if (status == 0 .and. present(values)) status = alike('admpi_jacobian', 'values', size(values), 'a column of jacobian', size(y))
    if (status == 0) status = c_jacobian(c_funloc(call_function), c_loc(of), x, size(x, kind=c_int64_t), size(y, kind=c_int64_t), &
      y, jacobian)
    if (present(values)) values = y
    call admpi_detail_report(status, 'admpi_jacobian', ierr)
  end subroutine

  ! The Jacobian at x of a procedure with `rows` results, in compressed rows: those of row i are the elements from row_start(i) up to
  ! row_start(i + 1) - 1, in ascending columns. If row_start and column are allocated they are the pattern, of which an error
  ! tells that it lacks an element; else one recording finds it.
  subroutine admpi_sparse_jacobian(f, x, rows, row_start, column, value, results, ierr)
    procedure(admpi_function) :: f
    real(dp), intent(in), contiguous :: x(:)
    integer, intent(in) :: rows
    integer, allocatable, intent(inout) :: row_start(:), column(:)
    real(dp), allocatable, intent(inout) :: value(:)
    real(dp), intent(out), optional :: results(:)
    integer, intent(out), optional :: ierr
    type(context), target :: of
    type(c_ptr) :: s
    integer(c_int64_t) :: m, n, elements
    integer(c_int64_t), allocatable :: starts(:), columns(:)
    real(dp) :: y(rows)
    integer(c_int32_t) :: status
    y = 0
    of%function => f
    s = c_null_ptr
    status = 0
    if (present(results)) status = alike('admpi_sparse_jacobian', 'results', size(results), 'a column', rows)
    if (status == 0) then
      if (allocated(row_start) .and. allocated(column)) then
        status = alike('admpi_sparse_jacobian', 'row_start without its end', size(row_start) - 1, 'a column', rows)
        if (status == 0) status = c_sparse_new(int(rows, c_int64_t), size(x, kind=c_int64_t), row_start - 1_c_int64_t, &
          column - 1_c_int64_t, size(column, kind=c_int64_t), s)
      else
        status = c_sparsity(c_funloc(call_function), c_loc(of), x, size(x, kind=c_int64_t), int(rows, c_int64_t), s)
      end if
    end if
    if (status == 0) status = c_sparse_size(s, m, n, elements)
    if (status == 0) then
      if (allocated(value)) deallocate (value)
      allocate (starts(m + 1), columns(elements), value(elements))
      status = c_sparse_rows(s, starts, columns)
      row_start = int(starts) + 1
      column = int(columns) + 1
    end if
    if (status == 0) status = c_sparse_jacobian(c_funloc(call_function), c_loc(of), x, size(x, kind=c_int64_t), s, y, value)
    call c_sparse_free(s)
    if (present(results)) results = y
    call admpi_detail_report(status, 'admpi_sparse_jacobian', ierr)
  end subroutine

  ! w times the Jacobian at x of a procedure with size(w) results, by a sweep.
  subroutine admpi_transposed_jacobian_product(f, x, w, product, values, ierr)
    procedure(admpi_function) :: f
    real(dp), intent(in), contiguous :: x(:), w(:)
    real(dp), intent(inout), contiguous :: product(:)
    real(dp), intent(out), optional :: values(:)
    integer, intent(out), optional :: ierr
    type(context), target :: of
    integer(c_int32_t) :: status
    real(dp) :: y(size(w))
    y = 0
    of%function => f
    status = alike('admpi_transposed_jacobian_product', 'product', size(product), 'x', size(x))
    if (status == 0 .and. present(values)) status = alike('admpi_transposed_jacobian_product', 'values', size(values), 'w', size(w))
    if (status == 0) status = c_transposed(c_funloc(call_function), c_loc(of), x, size(x, kind=c_int64_t), w, &
      size(w, kind=c_int64_t), y, product)
    if (present(values)) values = y
    call admpi_detail_report(status, 'admpi_transposed_jacobian_product', ierr)
  end subroutine

  ! Compares the gradient by a sweep with central differences for steps from 1e-2 to 1e-9 times max(1, |x|), of which one must agree
  ! to `tolerance`, 1e-6 unless given. `wrong` tells how many do not. Calls f 16 times for each input.
  subroutine admpi_check_gradient(f, x, wrong, checks, tolerance, ierr)
    procedure(admpi_objective) :: f
    real(dp), intent(in), contiguous :: x(:)
    integer, intent(out) :: wrong
    type(admpi_input_check), intent(out), optional :: checks(:)
    real(dp), intent(in), optional :: tolerance
    integer, intent(out), optional :: ierr
    type(context), target :: of
    type(found) :: all(size(x))
    integer(c_int64_t) :: n
    integer(c_int32_t) :: status
    real(dp) :: within
    integer :: i
    within = 1e-6_dp
    if (present(tolerance)) within = tolerance
    n = 0
    of%objective => f
    status = 0
    if (present(checks)) status = alike('admpi_check_gradient', 'checks', size(checks), 'x', size(x))
    if (status == 0) status = c_check(c_funloc(call_objective), c_loc(of), x, size(x, kind=c_int64_t), within, all, n)
    wrong = int(n)
    if (status == 0 .and. present(checks)) then
      do i = 1, size(x)
        checks(i) = admpi_input_check(all(i)%reverse, all(i)%difference, all(i)%is_right /= 0)
      end do
    end if
    call admpi_detail_report(status, 'admpi_check_gradient', ierr)
  end subroutine

#ifndef ADMPI_WITHOUT_TANGENTS
  ! The Hessian of an objective at x times v: the gradient of its derivative along v.
  subroutine admpi_hessian_product(f, x, v, product, ierr)
    procedure(admpi_objective_along) :: f
    real(dp), intent(in), contiguous :: x(:), v(:)
    real(dp), intent(inout), contiguous :: product(:)
    integer, intent(out), optional :: ierr
    type(context), target :: of
    integer(c_int32_t) :: status
    real(dp) :: y
    y = 0
    of%along => f
    of%v = v
    status = alike('admpi_hessian_product', 'v', size(v), 'x', size(x))
    if (status == 0) status = alike('admpi_hessian_product', 'product', size(product), 'x', size(x))
    if (status == 0) status = c_gradient(c_funloc(call_along), c_loc(of), x, size(x, kind=c_int64_t), y, product)
    call admpi_detail_report(status, 'admpi_hessian_product', ierr)
  end subroutine

  ! The Hessian of an objective at x, by a product for each input.
  subroutine admpi_hessian(f, x, hessian, ierr)
    procedure(admpi_objective_along) :: f
    real(dp), intent(in), contiguous :: x(:)
    real(dp), intent(inout), contiguous :: hessian(:, :)
    integer, intent(out), optional :: ierr
    real(dp) :: v(size(x))
    integer :: j, status
    status = alike('admpi_hessian', 'a column of hessian', size(hessian, 1), 'x', size(x))
    if (status == 0) status = alike('admpi_hessian', 'a row of hessian', size(hessian, 2), 'x', size(x))
    do j = 1, size(x)
      if (status /= 0) exit
      v = 0
      v(j) = 1
      call admpi_hessian_product(f, x, v, hessian(:, j), status)
    end do
    call admpi_detail_report(int(status, c_int32_t), 'admpi_hessian', ierr)
  end subroutine
  recursive function call_along(x, n, y, one, ctx) bind(C) result(status)
    type(c_ptr), value :: x, y, ctx
    integer(c_int64_t), value :: n, one
    integer(c_int32_t) :: status
    type(context), pointer :: of
    type(admpi_var), pointer :: inputs(:), result
    type(admpi_tangent_var) :: moved(n), along
    call c_f_pointer(ctx, of)
    call c_f_pointer(x, inputs, [n])
    call c_f_pointer(y, result)
    moved = admpi_tangent_var(inputs, of%v)
    along%derivative = result ! not set yet
    call of%along(moved, along)
    result = along%derivative
    status = merge(0_c_int32_t, 1_c_int32_t, one == 1)
  end function
#endif

  recursive function call_objective(x, n, y, one, ctx) bind(C) result(status)
    type(c_ptr), value :: x, y, ctx
    integer(c_int64_t), value :: n, one
    integer(c_int32_t) :: status
    type(context), pointer :: of
    type(admpi_var), pointer :: inputs(:), result
    call c_f_pointer(ctx, of)
    call c_f_pointer(x, inputs, [n])
    call c_f_pointer(y, result)
    call of%objective(inputs, result)
    status = merge(0_c_int32_t, 1_c_int32_t, one == 1)
  end function
  recursive function call_function(x, n, y, m, ctx) bind(C) result(status)
    type(c_ptr), value :: x, y, ctx
    integer(c_int64_t), value :: n, m
    integer(c_int32_t) :: status
    type(context), pointer :: of
    type(admpi_var), pointer :: inputs(:), results(:)
    call c_f_pointer(ctx, of)
    call c_f_pointer(x, inputs, [n])
    call c_f_pointer(y, results, [m])
    call of%function(inputs, results)
    status = 0
  end function

  ! An error unless both have as many elements.
  function alike(call, name, n, other, wanted) result(status)
    character(*), intent(in) :: call, name, other
    integer, intent(in) :: n, wanted
    integer(c_int32_t) :: status
    character(120) :: text
    status = 0
    if (n == wanted) return
    write (text, '(4a, i0, 3a, i0)') call, ': ', name, ' has ', n, ' elements, but ', other, ' has ', wanted
    status = admpi_detail_refusal(trim(text))
  end function
end module
