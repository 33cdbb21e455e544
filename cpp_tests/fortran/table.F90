! Every function of spec/functions.txt at the points of the table, for active operands, expressions, numbers on either side,
! tangents, and second derivatives; whole arrays at once, and scalars.
#define UNARY(name, f) call load('name'); \
  y(:n) = f(x(:n)); call of_a('name v'); \
  call again(); y(:n) = f(x(:n)*one); call of_a('name e'); \
  call again(); first = admpi_value(y(1)); y(1) = f(x(1)); z = f(admpi_var(a(1))); call scalar('name scalar'); \
  t(:n) = f(admpi_tangent(a(:n), one)); call tangents('name t', rows(:n)%of_a); \
  call again(); w(:n) = f(admpi_tangent_var(x(:n), dx(:n))); call second_of_a('name w')
#define BINARY(name, f) call load('name'); \
  y(:n) = f(x(:n), x2(:n)); call of_both('name vv'); \
  call again(); y(:n) = f(x(:n)*one, x2(:n)*one); call of_both('name ee'); \
  call again(); y(:n) = f(x(:n), x2(:n)*one); call of_both('name ve'); \
  call again(); y(:n) = f(x(:n)*one, x2(:n)); call of_both('name ev'); \
  call again(); y(:n) = f(x(:n), b(:n)); call of_a('name vd'); \
  call again(); y(:n) = f(x(:n)*one, b(:n)); call of_a('name ed'); \
  call again(); first = admpi_value(y(1)); y(1) = f(x(1), b(1)); z = f(admpi_var(a(1)), admpi_var(b(1))); call scalar('name scalar'); \
  t(:n) = f(admpi_tangent(a(:n), one), admpi_tangent(b(:n))); call tangents('name tt', rows(:n)%of_a); \
  t(:n) = f(admpi_tangent(a(:n)), admpi_tangent(b(:n), one)); call tangents('name tt', rows(:n)%of_b); \
  t(:n) = f(admpi_tangent(a(:n), one), b(:n)); call tangents('name td', rows(:n)%of_a); \
  call again(); w(:n) = f(admpi_tangent_var(x(:n), dx(:n)), admpi_tangent_var(x2(:n))); call second_of_a('name ww'); \
  call again(); w(:n) = f(admpi_tangent_var(x(:n)), admpi_tangent_var(x2(:n), dx(:n))); call second_of_b('name ww'); \
  call again(); w(:n) = f(admpi_tangent_var(x(:n), dx(:n)), b(:n)); call second_of_a('name wd'); \
  call again(); w(:n) = f(admpi_tangent_var(x(:n), dx(:n)), x2(:n)); call second_of_a('name wv'); \
  call again(); w(:n) = f(x(:n), admpi_tangent_var(x2(:n), dx(:n))); call second_of_b('name vw'); \
  SECOND(name, f)
#define PASSIVE_FIRST(name, f) call load('name'); SECOND(name, f)
#define SECOND(name, f) \
  call again(); y(:n) = f(a(:n), x2(:n)); call of_b('name dv'); \
  call again(); y(:n) = f(a(:n), x2(:n)*one); call of_b('name de'); \
  t(:n) = f(a(:n), admpi_tangent(b(:n), one)); call tangents('name dt', rows(:n)%of_b); \
  call again(); w(:n) = f(a(:n), admpi_tangent_var(x2(:n), dx(:n))); call second_of_b('name dw')
#define power(a, b) ((a)**(b))
module table
  use check
  use admpi_tangents
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: most = 100
  real(8), parameter :: one = 1
  type, bind(C) :: row
    real(c_double) :: a, b, value, of_a, of_b, aa, ab, bb
  end type
  interface
    integer(c_int) function table_rows(name, most, rows) bind(C)
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: most
      type(row), intent(inout) :: rows(most)
    end function
  end interface
  type(row) :: rows(most)
  integer :: n
  real(8) :: a(most), b(most), first, none(most) = 0, weights(most) = 1
  type(admpi_var) :: x(most), x2(most), dx(most), y(most), z
  type(admpi_tangent) :: t(most)
  type(admpi_tangent_var) :: w(most)
contains
  subroutine load(name)
    character(*), intent(in) :: name
    n = table_rows(name//c_null_char, most, rows)
    if (n == 0) call fail(name//' has no rows')
    a = rows%a
    b = rows%b
    call again()
  end subroutine

  ! Inputs on an empty tape.
  subroutine again()
    call tape%reset()
    call tape%start()
    x = a
    x2 = b
    dx = one
    call tape%input(x(:n))
    call tape%input(x2(:n))
    call tape%input(dx(:n))
  end subroutine

  ! What some units in the last place of the arguments change is allowed.
  subroutine close_to(what, got, expected, change, digits)
    character(*), intent(in) :: what
    real(8), intent(in) :: got(:), expected(:), change(:), digits
    integer :: i
    logical :: good
    do i = 1, n
      good = got(i) == expected(i) .or. (got(i) /= got(i) .and. expected(i) /= expected(i))
      if (abs(expected(i)) <= huge(one)) good = good .or. abs(got(i) - expected(i)) <= digits*abs(expected(i)) &
        + 4*epsilon(one)*merge(change(i), 0d0, change(i) <= huge(one))
      if (abs(expected(i)) > 1.79d308) good = good .or. abs(got(i)) > 1.79d308
      if (good) cycle
      failures = failures + 1
      print '(2a, 2es12.4, a, es24.16, a, es24.16)', 'FAILED: ', what, a(i), b(i), ': ', got(i), ', expected ', expected(i)
    end do
  end subroutine

  subroutine values(what, got)
    character(*), intent(in) :: what
    real(8), intent(in) :: got(:)
    call close_to(what//': value', got, rows(:n)%value, max(abs(a(:n)*rows(:n)%of_a), abs(b(:n)*rows(:n)%of_b)), 1d-14)
  end subroutine
  subroutine derivatives(what, got, expected)
    character(*), intent(in) :: what
    real(8), intent(in) :: got(:), expected(:)
    real(8) :: change(n)
    change = abs(a(:n)*rows(:n)%aa) + abs(b(:n)*rows(:n)%bb) + abs(a(:n)*rows(:n)%ab) + abs(b(:n)*rows(:n)%ab)
    call close_to(what, got, expected, change, 1d-14)
  end subroutine
  ! What cannot be tested is passed over. What cancels are terms like f'/x.
  subroutine seconds(what, got, expected, first)
    character(*), intent(in) :: what
    real(8), intent(in) :: got(:), expected(:), first(:)
    real(8) :: wanted(n), terms(n)
    wanted = merge(expected, got, abs(expected) <= huge(one) .and. abs(first) <= huge(one))
    terms = abs(a(:n)*rows(:n)%aa) + abs(b(:n)*rows(:n)%bb) + abs(first)*(1 + 1/max(min(abs(a(:n)), one), 1d-300))
    call close_to(what, got, wanted, terms, 2d-8)
  end subroutine

  subroutine swept(what, of_a, of_b)
    character(*), intent(in) :: what
    real(8), intent(in) :: of_a(:), of_b(:)
    call values(what, admpi_value(y(:n)))
    call equal(admpi_live_expressions(), 0, what//': live expressions')
    call tape%seed(y(:n), weights(:n))
    call tape%reverse()
    call derivatives(what//': by the first', tape%adjoint(x(:n)), of_a)
    call derivatives(what//': by the second', tape%adjoint(x2(:n)), of_b)
  end subroutine
  subroutine of_a(what)
    character(*), intent(in) :: what
    call swept(what, rows(:n)%of_a, none(:n))
  end subroutine
  subroutine of_b(what)
    character(*), intent(in) :: what
    call swept(what, none(:n), rows(:n)%of_b)
  end subroutine
  subroutine of_both(what)
    character(*), intent(in) :: what
    call swept(what, rows(:n)%of_a, rows(:n)%of_b)
  end subroutine

  ! As in an array; passive operands record nothing.
  subroutine scalar(what)
    character(*), intent(in) :: what
    call equal(statements(), 1, what//': statements')
    call equal(z%id, 0, what//': a passive result')
    if (admpi_value(y(1)) /= first .or. admpi_value(z) /= first) call fail(what//': values')
  end subroutine

  subroutine tangents(what, expected)
    character(*), intent(in) :: what
    real(8), intent(in) :: expected(:)
    call values(what, admpi_value(t(:n)))
    call derivatives(what, admpi_derivative(t(:n)), expected)
  end subroutine

  ! The derivative in the direction of one operand, and the sweep from there.
  subroutine second_of_a(what)
    character(*), intent(in) :: what
    call values(what, admpi_value(w(:n)))
    call derivatives(what, admpi_value(admpi_derivative(w(:n))), rows(:n)%of_a)
    call tape%seed(w(:n)%derivative, weights(:n))
    call tape%reverse()
    call derivatives(what//': by the direction', tape%adjoint(dx(:n)), rows(:n)%of_a)
    call seconds(what//': aa', tape%adjoint(x(:n)), rows(:n)%aa, rows(:n)%of_a)
  end subroutine
  subroutine second_of_b(what)
    character(*), intent(in) :: what
    call values(what, admpi_value(w(:n)))
    call derivatives(what, admpi_value(w(:n)%derivative), rows(:n)%of_b)
    call tape%seed(w(:n)%derivative, weights(:n))
    call tape%reverse()
    call derivatives(what//': by the direction', tape%adjoint(dx(:n)), rows(:n)%of_b)
    call seconds(what//': bb', tape%adjoint(x2(:n)), rows(:n)%bb, rows(:n)%of_b)
  end subroutine
end module

program test_table
  use table
  implicit none
  call begin()
  call test_unary()
  call test_binary()
  call finish()
contains
  subroutine test_unary()
#define UNARIES
#include "table_lists.h"
#undef UNARIES
  end subroutine
  subroutine test_binary()
#include "table_lists.h"
  end subroutine
end program
