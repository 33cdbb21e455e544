// admpi: the active scalar and how an expression of active scalars becomes one statement on the tape.
//
// Arithmetic on `var` builds an expression object: values are computed at once, operands are held by value
// (so that `auto e = a * b;` outlives a and b), partial derivatives only when the expression is assigned.
// The assignment writes one statement straight into the tape's streams through the cursors of admpi_tape.
#ifndef ADMPI_VAR_HPP
#define ADMPI_VAR_HPP

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "admpi/error.hpp"

#define ADMPI_ALWAYS_INLINE [[gnu::always_inline]] inline

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// Base of `var` and of every expression over it. An expression E has
///   value            the primal value
///   leaves           how many active operands it may have
///   push(w, p)       gives w.leaf(partial, id) for every leaf, p times its partial
///   collect(out)     stores the leaves from out on, returns the end
template <class E>
struct expression {
  ADMPI_ALWAYS_INLINE const E &self() const noexcept { return static_cast<const E &>(*this); }
};

namespace detail {

/// The statement byte holds 254 arguments at most, and a position in the merge cache is a byte; a larger
/// expression is cut into several statements where it grows beyond this. The bound is lower than it must be
/// because an expression is an object on the stack, copied as it grows.
inline constexpr unsigned max_leaves = 250;

/// Statements of so few leaves are written as they come; in larger ones repeated leaves are merged.
inline constexpr unsigned max_unmerged = 3;

/// A passive leaf is written too and then overwritten: no branch on activity.
struct plain_writer {
  double *jacobian;
  std::uint32_t *argument;
  std::uint64_t n;

  ADMPI_ALWAYS_INLINE explicit plain_writer(admpi_tape *tape) noexcept
      : jacobian(tape->jacobian), argument(tape->argument), n(0) {}

  ADMPI_ALWAYS_INLINE void leaf(double partial, std::uint32_t id) noexcept {
    jacobian[n] = partial;
    argument[n] = id;
    n += id != 0;
  }
};

/// Finds a repeated leaf through the tape's cache of positions. An entry may be left over from any earlier
/// statement: it counts only if the position lies in this statement and holds this very id.
struct merging_writer {
  double *jacobian;
  std::uint32_t *argument;
  std::uint8_t *offset;
  std::uint64_t n;

  ADMPI_ALWAYS_INLINE explicit merging_writer(admpi_tape *tape) noexcept
      : jacobian(tape->jacobian), argument(tape->argument), offset(tape->merge), n(0) {}

  ADMPI_ALWAYS_INLINE void leaf(double partial, std::uint32_t id) noexcept {
    const std::uint64_t slot = id & 255u;
    const std::uint64_t at = offset[slot];
    if (at < n && argument[at] == id) {
      jacobian[at] += partial;
      return;
    }
    jacobian[n] = partial;
    argument[n] = id;
    offset[slot] = static_cast<std::uint8_t>(n);
    n += id != 0;
  }
};

/// Writes the statement, for which there is room. The next id and its tag move as one word from the tape
/// into the value; a statement without active arguments leaves the cursors where they are.
template <class E>
ADMPI_ALWAYS_INLINE admpi_var write(admpi_tape *tape, const E &e) noexcept {
  using writer = std::conditional_t<(E::leaves > max_unmerged), merging_writer, plain_writer>;
  writer w(tape);
  e.push(w, 1.0);
  std::uint8_t *statement = tape->statement;
  std::uint64_t made;
  std::memcpy(&made, reinterpret_cast<const char *>(tape) + offsetof(admpi_tape, next_id), sizeof made);
  tape->jacobian = w.jacobian + w.n;
  tape->argument = w.argument + w.n;
  tape->statement = statement + (w.n != 0);
  tape->next_id = static_cast<std::uint32_t>(made) + (w.n != 0);
  made = w.n != 0 ? made : 0;
  *statement = static_cast<std::uint8_t>(w.n);  // last: a byte store may alias the cursors
  admpi_var y;
  y.value = e.value;
  std::memcpy(reinterpret_cast<char *>(&y) + offsetof(admpi_var, id), &made, sizeof made);
  return y;
}

/// Makes room for a statement of n arguments, operand[0..n], where the inline compare found none.
/// @return whether the statement may be written; if not, the tape is not recording
[[gnu::noinline, gnu::cold]] inline bool make_room(admpi_tape *tape, const admpi_var *operand, unsigned n) {
  if (tape->checking) {
    for (unsigned i = 0; i < n; ++i) {
      if (operand[i].id != 0) check(admpi_tape_check(tape, &operand[i]));
    }
  }
  if (!tape->recording) return false;
  const int status = admpi_tape_grow(tape, n);
  if (status > 0) raise(status);
  return status == 0;
}

/// The slow path comes back to the fast one, and sees the leaves as an array of its own: a reference or a copy of
/// the expression would make every expression of the fast path live in memory.
template <class E>
ADMPI_ALWAYS_INLINE admpi_var record(const E &e) {
  admpi_tape *tape = admpi_tls_tape;
  if (__builtin_expect(tape->argument_end - tape->argument < static_cast<std::ptrdiff_t>(E::leaves), 0)) {
    if (!(tape->recording | tape->checking)) return admpi_var{e.value, 0, 0};
    admpi_var operand[E::leaves];
    e.collect(operand);
    if (!make_room(tape, operand, E::leaves)) return admpi_var{e.value, 0, 0};
  }
  return write(tape, e);
}

template <class N>
using if_arithmetic = std::enable_if_t<std::is_arithmetic<N>::value, int>;

}  // namespace detail

/// An active double: binary identical to admpi_var, trivially copyable. A copy is the same value with the same
/// id and records nothing. One that was made from plain numbers is passive.
struct var : expression<var>, admpi_var {
  static constexpr unsigned leaves = 1;

  constexpr var() noexcept : admpi_var{0.0, 0, 0} {}
  template <class N, detail::if_arithmetic<N> = 0>
  constexpr var(N x) noexcept : admpi_var{static_cast<double>(x), 0, 0} {}
  constexpr var(const admpi_var &x) noexcept : admpi_var(x) {}
  template <class E>
  ADMPI_ALWAYS_INLINE var(const expression<E> &e) : admpi_var(detail::record(e.self())) {}

  template <class N, detail::if_arithmetic<N> = 0>
  ADMPI_ALWAYS_INLINE var &operator=(N x) noexcept {
    value = static_cast<double>(x);
    id = 0;
    tag = 0;
    return *this;
  }
  template <class E>
  ADMPI_ALWAYS_INLINE var &operator=(const expression<E> &e) {
    static_cast<admpi_var &>(*this) = detail::record(e.self());
    return *this;
  }

  template <class E>
  ADMPI_ALWAYS_INLINE var &operator+=(const expression<E> &e);
  template <class E>
  ADMPI_ALWAYS_INLINE var &operator-=(const expression<E> &e);
  template <class E>
  ADMPI_ALWAYS_INLINE var &operator*=(const expression<E> &e);
  template <class E>
  ADMPI_ALWAYS_INLINE var &operator/=(const expression<E> &e);
  ADMPI_ALWAYS_INLINE var &operator+=(double x);
  ADMPI_ALWAYS_INLINE var &operator-=(double x);
  ADMPI_ALWAYS_INLINE var &operator*=(double x);
  ADMPI_ALWAYS_INLINE var &operator/=(double x);
  ADMPI_ALWAYS_INLINE var &operator++() { return *this += 1.0; }
  ADMPI_ALWAYS_INLINE var &operator--() { return *this -= 1.0; }
  ADMPI_ALWAYS_INLINE var operator++(int) {
    var before = *this;
    *this += 1.0;
    return before;
  }
  ADMPI_ALWAYS_INLINE var operator--(int) {
    var before = *this;
    *this -= 1.0;
    return before;
  }

  /// Explicit, and to integers only: an integer has no derivative to lose. For the double see admpi::value.
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0>
  constexpr explicit operator I() const noexcept {
    return static_cast<I>(value);
  }

  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &writer, double partial) const noexcept {
    writer.leaf(partial, id);
  }
  ADMPI_ALWAYS_INLINE admpi_var *collect(admpi_var *out) const noexcept {
    out->value = value;
    out->id = id;
    out->tag = tag;
    return out + 1;
  }
};

static_assert(sizeof(var) == sizeof(admpi_var) && alignof(var) == alignof(admpi_var), "var is an admpi_var");
static_assert(std::is_trivially_copyable<var>::value, "a var may be copied by memcpy and sent");
static_assert(std::is_standard_layout<var>::value, "a var* may be cast to admpi_var*");

/// The primal value of an active or plain scalar.
template <class E>
ADMPI_ALWAYS_INLINE double value(const expression<E> &e) noexcept {
  return e.self().value;
}
template <class N, detail::if_arithmetic<N> = 0>
constexpr double value(N x) noexcept {
  return static_cast<double>(x);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

// Compound assignment is defined with the operators it stands on.
#include "admpi/functions.hpp"

#endif
