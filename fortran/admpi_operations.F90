! A program's own operations on matrices, linear systems and fixed points, for Fortran: docs/fortran.md explains.
!
! What the program gives is an object of a type of its own. The tape keeps a copy of the object as long as it may need it.
module admpi_operations
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32
  use admpi, only: admpi_var, admpi_detail_refusal, admpi_detail_report
  use admpi_matrices, only: admpi_array, admpi_result, admpi_scalar, admpi_varmat, admpi_view, admpi_detail_borrow, &
    admpi_detail_copy, admpi_detail_give, admpi_detail_operand, admpi_detail_operand_of, admpi_detail_return, &
    admpi_detail_used, admpi_detail_view
  implicit none
  private

  integer, parameter :: dp = c_double

  ! The structures of admpi/matrix.h. Operands and results of an operation have the same layout.
  type, bind(C) :: c_array
    integer(c_int64_t) :: rows, cols
    type(c_ptr) :: value, adjoint
  end type
  type, bind(C) :: c_call
    integer(c_int64_t) :: n_operands
    type(c_ptr) :: operand
    integer(c_int64_t) :: n_results
    type(c_ptr) :: result, data
  end type
  type, bind(C) :: c_operation
    integer(c_size_t) :: size
    type(c_funptr) :: forward, reverse, destroy
  end type
  type, bind(C) :: c_solve_call
    integer(c_int64_t) :: n_p
    type(c_ptr) :: p
    integer(c_int64_t) :: rows, cols
    type(c_ptr) :: rhs, x
    integer(c_int32_t) :: transposed
    type(c_ptr) :: data
  end type
  type, bind(C) :: c_linear_system
    integer(c_size_t) :: size
    type(c_funptr) :: solve, product, destroy
  end type
  type, bind(C) :: c_fixed_point_map
    integer(c_size_t) :: size
    type(c_funptr) :: evaluate, norm, destroy
    real(c_double) :: tolerance
    integer(c_int64_t) :: max_iterations
  end type

  ! An operand: an array, or a scalar.
  type, public :: admpi_operand
    private
    type(admpi_view) :: part
    type(admpi_result) :: result ! if it is one, which the call uses up
  end type
  interface admpi_operand
    procedure operand_a, operand_v, operand_d
  end interface

  ! What the procedures of an operation get: arrays of rank 2, valid during the call.
  type, public :: admpi_operation_call
    private
    type(c_array), pointer :: operands(:) => null(), results(:) => null()
  contains
    procedure :: operand          ! values of operand k
    procedure :: result           ! values of result k, which forward sets; 0 on entry
    procedure :: result_adjoint   ! in reverse
    procedure :: operand_adjoint  ! in reverse: 0 on entry; null if the operand is passive
  end type

  ! An operation: values of the results, and adjoints of the operands. `status` is 0 on entry; anything else ends the call or the
  ! sweep. Sweeps call `reverse` once for each direction.
  type, abstract, public :: admpi_operation
  contains
    procedure(admpi_operation_step), deferred :: forward
    procedure(admpi_operation_step), deferred :: reverse
  end type

  ! A linear system A(p) x = rhs: `solve` with numbers, for A or its transpose; `product` is A(p) x of active values.
  type, abstract, public :: admpi_linear_system
  contains
    procedure(admpi_system_solve), deferred :: solve
    procedure(admpi_system_product), deferred :: product
  end type

  ! A fixed point x = f(x, p). An iteration ends when `norm` of the change is at most `tolerance` times the larger of 1 and the
  ! norm of the iterate.
  type, abstract, public :: admpi_fixed_point_map
    real(dp) :: tolerance = 1d-12
    integer :: max_iterations = 1000
  contains
    procedure(admpi_map_evaluate), deferred :: evaluate
    procedure :: norm
  end type

  abstract interface
    recursive subroutine admpi_operation_step(self, call, status)
      import
      class(admpi_operation), intent(inout) :: self
      type(admpi_operation_call), intent(in) :: call
      integer, intent(inout) :: status
    end subroutine
    recursive subroutine admpi_system_solve(self, p, rhs, x, transposed, status)
      import
      class(admpi_linear_system), intent(inout) :: self
      type(admpi_view), intent(in) :: p(:)
      real(dp), intent(in) :: rhs(:, :)
      real(dp), intent(inout) :: x(:, :)
      logical, intent(in) :: transposed
      integer, intent(inout) :: status
    end subroutine
    ! The results y have the shape of x.
    recursive subroutine admpi_system_product(self, p, x, y, status)
      import
      class(admpi_linear_system), intent(inout) :: self
      type(admpi_view), intent(in) :: p(:), x
      type(admpi_varmat), intent(inout) :: y
      integer, intent(inout) :: status
    end subroutine
    recursive subroutine admpi_map_evaluate(self, p, x, y, status)
      import
      class(admpi_fixed_point_map), intent(inout) :: self
      type(admpi_view), intent(in) :: p(:), x
      type(admpi_varmat), intent(inout) :: y
      integer, intent(inout) :: status
    end subroutine
  end interface

  ! Copies of a program's objects: what the library calls data.
  type :: kept_operation
    class(admpi_operation), allocatable :: of
  end type
  type :: kept_system
    class(admpi_linear_system), allocatable :: of
  end type
  type :: kept_map
    class(admpi_fixed_point_map), allocatable :: of
  end type

  interface
    integer(c_int32_t) function c_apply(operation, data, operand, n_operands, shape, n_results, y) &
      bind(C, name='admpi_operation_apply')
      import
      type(c_operation), intent(in) :: operation
      type(c_ptr), value :: data
      type(admpi_detail_operand), intent(in) :: operand(*)
      integer(c_int64_t), value :: n_operands, n_results
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), intent(inout) :: y(*)
    end function
    integer(c_int32_t) function c_linear_solve(system, data, b, p, n_p, x) bind(C, name='admpi_linear_solve')
      import
      type(c_linear_system), intent(in) :: system
      type(c_ptr), value :: data
      type(admpi_detail_operand), intent(in) :: b, p(*)
      integer(c_int64_t), value :: n_p
      type(c_ptr), intent(inout) :: x
    end function
    integer(c_int32_t) function c_fixed_point(map, data, start, p, n_p, x) bind(C, name='admpi_fixed_point')
      import
      type(c_fixed_point_map), intent(in) :: map
      type(c_ptr), value :: data
      type(admpi_detail_operand), intent(in) :: start ! begins with the view that C expects
      type(admpi_detail_operand), intent(in) :: p(*)
      integer(c_int64_t), value :: n_p
      type(c_ptr), intent(inout) :: x
    end function
  end interface

  public :: admpi_apply_operation, admpi_apply_operation_to, admpi_linear_solve, admpi_fixed_point
  public :: admpi_operation_step, admpi_system_solve, admpi_system_product, admpi_map_evaluate

contains

  function operand_a(a) result(y)
    class(admpi_array), intent(in) :: a
    type(admpi_operand) :: y
    y%part = admpi_detail_view(a)
    select type (a)
    type is (admpi_result)
      y%result = a
    end select
  end function
  function operand_v(x) result(y)
    type(admpi_var), intent(in) :: x
    type(admpi_operand) :: y
    y%part = admpi_detail_view(admpi_scalar(x))
  end function
  function operand_d(x) result(y)
    real(dp), intent(in) :: x
    type(admpi_operand) :: y
    y%part = admpi_detail_view(admpi_scalar(x))
  end function
  integer(c_int32_t) function operands_of(given, made) result(status)
    type(admpi_operand), intent(in) :: given(:)
    type(admpi_detail_operand), intent(inout) :: made(:)
    integer :: i
    status = 0
    do i = 1, size(given)
      if (status == 0) status = admpi_detail_operand_of(given(i)%part, made(i))
    end do
  end function
  subroutine use_up(given)
    type(admpi_operand), intent(in) :: given(:)
    integer :: i
    do i = 1, size(given)
      call admpi_detail_used(given(i)%result)
    end do
  end subroutine

  function array_of(address, rows, cols) result(x)
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: rows, cols
    real(dp), pointer :: x(:, :)
    x => null()
    if (c_associated(address)) call c_f_pointer(address, x, [rows, cols])
  end function
  subroutine stop_at(k, n, what)
    integer, intent(in) :: k, n
    character(*), intent(in) :: what
    character(80) :: text
    if (k >= 1 .and. k <= n) return
    write (text, '(2a, i0, a, i0)') what, ' ', k, ' of ', n
    call admpi_detail_report(admpi_detail_refusal(trim(text)//' does not exist'), 'an operation')
  end subroutine
  function operand(self, k) result(x)
    class(admpi_operation_call), intent(in) :: self
    integer, intent(in) :: k
    real(dp), pointer :: x(:, :)
    call stop_at(k, size(self%operands), 'operand')
    x => array_of(self%operands(k)%value, self%operands(k)%rows, self%operands(k)%cols)
  end function
  function operand_adjoint(self, k) result(x)
    class(admpi_operation_call), intent(in) :: self
    integer, intent(in) :: k
    real(dp), pointer :: x(:, :)
    call stop_at(k, size(self%operands), 'operand')
    x => array_of(self%operands(k)%adjoint, self%operands(k)%rows, self%operands(k)%cols)
  end function
  function result(self, k) result(x)
    class(admpi_operation_call), intent(in) :: self
    integer, intent(in) :: k
    real(dp), pointer :: x(:, :)
    call stop_at(k, size(self%results), 'result')
    x => array_of(self%results(k)%value, self%results(k)%rows, self%results(k)%cols)
  end function
  function result_adjoint(self, k) result(x)
    class(admpi_operation_call), intent(in) :: self
    integer, intent(in) :: k
    real(dp), pointer :: x(:, :)
    call stop_at(k, size(self%results), 'result')
    x => array_of(self%results(k)%adjoint, self%results(k)%rows, self%results(k)%cols)
  end function

  ! One event for all results. `shape(:, k)`: rows and columns of result k.
  subroutine admpi_apply_operation_to(operation, operands, shape, y, ierr)
    class(admpi_operation), intent(in) :: operation
    type(admpi_operand), intent(in) :: operands(:)
    integer, intent(in) :: shape(:, :)
    type(admpi_varmat), intent(inout) :: y(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: matrix(size(y))
    integer(c_int32_t) :: status
    integer :: i
    status = 0
    if (size(shape, 1) /= 2 .or. size(shape, 2) /= size(y)) then
      status = admpi_detail_refusal('shape must have 2 rows, and a column for each result')
    end if
    if (status == 0) status = applied(operation, operands, int(reshape(shape, [2*size(y)]), c_int64_t), matrix)
    do i = 1, size(y)
      call admpi_detail_give(status, matrix(i), y(i))
    end do
    call use_up(operands)
    call admpi_detail_report(status, 'an operation', ierr)
  end subroutine
  function admpi_apply_operation(operation, operands, rows, cols, ierr) result(y)
    class(admpi_operation), intent(in) :: operation
    type(admpi_operand), intent(in) :: operands(:)
    integer, intent(in) :: rows, cols
    integer, intent(out), optional :: ierr
    type(admpi_result) :: y
    type(c_ptr) :: matrix(1)
    integer(c_int32_t) :: status
    status = applied(operation, operands, int([rows, cols], c_int64_t), matrix)
    call admpi_detail_give(status, matrix(1), y)
    call use_up(operands)
    call admpi_detail_report(status, 'an operation', ierr)
  end function
  integer(c_int32_t) function applied(operation, operands, shape, matrix) result(status)
    class(admpi_operation), intent(in) :: operation
    type(admpi_operand), intent(in) :: operands(:)
    integer(c_int64_t), intent(in) :: shape(:)
    type(c_ptr), intent(inout) :: matrix(:)
    type(kept_operation), pointer :: kept
    type(admpi_detail_operand) :: made(size(operands))
    type(c_operation) :: functions
    status = operands_of(operands, made)
    if (status /= 0) return
    allocate (kept)
    allocate (kept%of, source=operation)
    functions = c_operation(c_sizeof(functions), c_funloc(forward_of), c_funloc(reverse_of), c_funloc(forget_operation))
    status = c_apply(functions, c_loc(kept), made, size(made, kind=c_int64_t), shape, size(matrix, kind=c_int64_t), matrix)
  end function

  recursive subroutine take_call(of, call, kept)
    type(c_call), intent(in) :: of
    type(admpi_operation_call), intent(inout) :: call
    type(kept_operation), pointer, intent(inout) :: kept
    call c_f_pointer(of%operand, call%operands, [of%n_operands])
    call c_f_pointer(of%result, call%results, [of%n_results])
    call c_f_pointer(of%data, kept)
  end subroutine
  recursive integer(c_int32_t) function forward_of(of) result(code) bind(C, name='')
    type(c_call), intent(in) :: of
    type(admpi_operation_call) :: call
    type(kept_operation), pointer :: kept
    integer :: status
    status = 0
    call take_call(of, call, kept)
    call kept%of%forward(call, status)
    code = int(status, c_int32_t)
  end function
  recursive integer(c_int32_t) function reverse_of(of) result(code) bind(C, name='')
    type(c_call), intent(in) :: of
    type(admpi_operation_call) :: call
    type(kept_operation), pointer :: kept
    integer :: status
    status = 0
    call take_call(of, call, kept)
    call kept%of%reverse(call, status)
    code = int(status, c_int32_t)
  end function
  recursive subroutine forget_operation(data) bind(C, name='')
    type(c_ptr), value :: data
    type(kept_operation), pointer :: kept
    call c_f_pointer(data, kept)
    deallocate (kept)
  end subroutine

  ! x with A(p) x = b. All that is active and A depends on must be in p.
  function admpi_linear_solve(system, b, p, ierr) result(y)
    class(admpi_linear_system), intent(in) :: system
    class(admpi_array), intent(in) :: b
    type(admpi_operand), intent(in) :: p(:)
    integer, intent(out), optional :: ierr
    type(admpi_result) :: y
    type(kept_system), pointer :: kept
    type(admpi_detail_operand) :: made(size(p)), of_b
    type(c_linear_system) :: functions
    type(c_ptr) :: matrix
    integer(c_int32_t) :: status
    status = operands_of(p, made)
    if (status == 0) status = admpi_detail_operand_of(b, of_b)
    if (status == 0) then
      allocate (kept)
      allocate (kept%of, source=system)
      functions = c_linear_system(c_sizeof(functions), c_funloc(solve_of), c_funloc(product_of), c_funloc(forget_system))
      status = c_linear_solve(functions, c_loc(kept), of_b, made, size(p, kind=c_int64_t), matrix)
    end if
    call admpi_detail_give(status, matrix, y)
    call admpi_detail_used(b)
    call use_up(p)
    call admpi_detail_report(status, 'a linear system', ierr)
  end function
  recursive integer(c_int32_t) function solve_of(of) result(code) bind(C, name='')
    type(c_solve_call), intent(in) :: of
    type(kept_system), pointer :: kept
    type(admpi_view) :: p(of%n_p)
    real(dp), pointer :: rhs(:, :), x(:, :)
    integer :: status
    call c_f_pointer(of%data, kept)
    code = borrowed(of%p, p)
    if (code /= 0) return
    rhs => array_of(of%rhs, of%rows, of%cols)
    x => array_of(of%x, of%rows, of%cols)
    status = 0
    call kept%of%solve(p, rhs, x, of%transposed /= 0, status)
    code = int(status, c_int32_t)
    call give_back(p)
  end function
  recursive integer(c_int32_t) function product_of(n_p, p, x, y, data) result(code) bind(C, name='')
    integer(c_int64_t), value :: n_p
    type(c_ptr), value :: p, x, data
    type(c_ptr), intent(inout) :: y
    type(kept_system), pointer :: kept
    type(admpi_view) :: parts(n_p + 1)
    type(admpi_varmat) :: made
    integer :: status
    call c_f_pointer(data, kept)
    code = borrowed(p, parts(:n_p), x, parts(n_p + 1))
    if (code /= 0) return
    status = 0
    call kept%of%product(parts(:n_p), parts(n_p + 1), made, status)
    code = int(status, c_int32_t)
    if (code == 0) code = admpi_detail_copy(made, y)
    call give_back(parts)
  end function
  recursive subroutine forget_system(data) bind(C, name='')
    type(c_ptr), value :: data
    type(kept_system), pointer :: kept
    call c_f_pointer(data, kept)
    deallocate (kept)
  end subroutine

  ! x with x = f(x, p), from a start. All that is active and f depends on must be in p.
  function admpi_fixed_point(map, start, p, ierr) result(y)
    class(admpi_fixed_point_map), intent(in) :: map
    class(admpi_array), intent(in) :: start
    type(admpi_operand), intent(in) :: p(:)
    integer, intent(out), optional :: ierr
    type(admpi_result) :: y
    type(kept_map), pointer :: kept
    type(admpi_detail_operand) :: made(size(p)), of_start
    type(c_fixed_point_map) :: functions
    type(c_ptr) :: matrix
    integer(c_int32_t) :: status
    status = operands_of(p, made)
    if (status == 0) status = admpi_detail_operand_of(start, of_start)
    if (status == 0) then
      allocate (kept)
      allocate (kept%of, source=map)
      functions = c_fixed_point_map(c_sizeof(functions), c_funloc(evaluate_of), c_funloc(norm_of), c_funloc(forget_map), &
        map%tolerance, int(map%max_iterations, c_int64_t))
      status = c_fixed_point(functions, c_loc(kept), of_start, made, size(p, kind=c_int64_t), matrix)
    end if
    call admpi_detail_give(status, matrix, y)
    call admpi_detail_used(start)
    call use_up(p)
    call admpi_detail_report(status, 'a fixed point', ierr)
  end function
  recursive integer(c_int32_t) function evaluate_of(n_p, p, x, y, data) result(code) bind(C, name='')
    integer(c_int64_t), value :: n_p
    type(c_ptr), value :: p, x, data
    type(c_ptr), intent(inout) :: y
    type(kept_map), pointer :: kept
    type(admpi_view) :: parts(n_p + 1)
    type(admpi_varmat) :: made
    integer :: status
    call c_f_pointer(data, kept)
    code = borrowed(p, parts(:n_p), x, parts(n_p + 1))
    if (code /= 0) return
    status = 0
    call kept%of%evaluate(parts(:n_p), parts(n_p + 1), made, status)
    code = int(status, c_int32_t)
    if (code == 0) code = admpi_detail_copy(made, y)
    call give_back(parts)
  end function
  recursive real(c_double) function norm_of(n, x, data) result(y) bind(C, name='')
    integer(c_int64_t), value :: n
    type(c_ptr), value :: x, data
    type(kept_map), pointer :: kept
    real(dp), pointer :: values(:)
    call c_f_pointer(data, kept)
    call c_f_pointer(x, values, [n])
    y = kept%of%norm(values)
  end function
  recursive subroutine forget_map(data) bind(C, name='')
    type(c_ptr), value :: data
    type(kept_map), pointer :: kept
    call c_f_pointer(data, kept)
    deallocate (kept)
  end subroutine
  ! The largest magnitude. A program whose x is distributed over ranks reduces over them.
  recursive function norm(self, x) result(y)
    class(admpi_fixed_point_map), intent(inout) :: self
    real(dp), intent(in) :: x(:)
    real(dp) :: y
    y = 0
    if (size(x) > 0) y = maxval(abs(x))
  end function

  ! Matrices of the library's, for a call of a program's procedure.
  recursive integer(c_int32_t) function borrowed(p, parts, x, last) result(status)
    type(c_ptr), intent(in) :: p
    type(admpi_view), intent(inout) :: parts(:)
    type(c_ptr), intent(in), optional :: x
    type(admpi_view), intent(inout), optional :: last
    type(c_ptr), pointer :: handles(:)
    integer :: i
    status = 0
    call c_f_pointer(p, handles, [size(parts)])
    do i = 1, size(parts)
      if (status == 0) status = admpi_detail_borrow(handles(i), parts(i))
    end do
    if (present(x) .and. status == 0) status = admpi_detail_borrow(x, last)
  end function
  subroutine give_back(parts)
    type(admpi_view), intent(in) :: parts(:)
    integer :: i
    do i = 1, size(parts)
      call admpi_detail_return(parts(i))
    end do
  end subroutine

end module
