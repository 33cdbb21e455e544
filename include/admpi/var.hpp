// admpi: the active scalar and how an expression of active scalars becomes one statement on the tape.
//
// Arithmetic on `var` builds an expression object: values are computed at once, operands are held by value
// (so that `auto e = a * b;` outlives a and b), partial derivatives only when the expression is assigned.
// The assignment writes one statement straight into the tape's streams through the cursors of admpi_tape.
#ifndef ADMPI_VAR_HPP
#define ADMPI_VAR_HPP

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "admpi/error.hpp"

#define ADMPI_ALWAYS_INLINE [[gnu::always_inline]] inline

namespace admpi {
inline namespace ADMPI_NAMESPACE {

struct var;
struct float_var;
struct element;

/// Base of `var` and of every expression over it. An expression E has
///   value            the primal value
///   leaves           how many active operands it may have
///   push(w, p)       calls w.add(p times its partial, leaf) for every leaf
template <class E>
struct expression {
  ADMPI_ALWAYS_INLINE constexpr const E &self() const noexcept { return static_cast<const E &>(*this); }

  /// Explicit, and to integers only: an integer has no derivative to lose. For the double see admpi::value.
  template <class Integer, std::enable_if_t<std::is_integral<Integer>::value, int> = 0>
  constexpr explicit operator Integer() const noexcept {
    return static_cast<Integer>(self().value);
  }
  template <class F, std::enable_if_t<std::is_floating_point<F>::value, int> = 0>
  explicit operator F() const = delete;  // it would lose the derivative: for the value alone write admpi::value(x)
};

/// The base of `float_var` and of expressions whose value is a float: admpi/float.hpp.
template <class E>
struct float_expression : expression<E> {};

namespace detail {

/// What is computed in double precision, or in single.
template <class Real, class E>
using expression_in = std::conditional_t<std::is_same<Real, float>::value, float_expression<E>, expression<E>>;

/// An expression of more leaves is cut into several statements where it grows beyond this. The statement byte would
/// allow 254; but an expression is an object that is copied as it grows, and compile time goes with the square.
inline constexpr unsigned max_leaves = 64;

/// A leaf is compared with so many before it: compile time goes with the number of pairs.
inline constexpr unsigned merging_distance = 16;

/// Ids and tags stand side by side, in values and in the tape, and always move as one word: a load of both after a
/// store of one would wait until the store has left the core.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
inline constexpr unsigned id_shift = 0;
#else
inline constexpr unsigned id_shift = 32;
#endif
inline constexpr unsigned tag_shift = 32 - id_shift;
ADMPI_ALWAYS_INLINE std::uint64_t load_word(const std::uint32_t *id) noexcept {
  std::uint64_t word;
  std::memcpy(&word, reinterpret_cast<const char *>(id), sizeof word);
  return word;
}
ADMPI_ALWAYS_INLINE void store_word(std::uint32_t *id, std::uint64_t word) noexcept {
  std::memcpy(reinterpret_cast<char *>(id), &word, sizeof word);
}
ADMPI_ALWAYS_INLINE std::uint32_t id_of(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word >> id_shift);
}
ADMPI_ALWAYS_INLINE std::uint32_t tag_of(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word >> tag_shift);
}

/// Nodes of expressions are copied member by member, for merge_arguments: gcc looks through some thirty copies of whole structures, and then
/// it does not know any more what came from where.
#ifdef __OPTIMIZE__
#define ADMPI_COPIED_BY_MEMBER(node, ...) \
  ADMPI_ALWAYS_INLINE node(const node &other) noexcept : __VA_ARGS__ {}
#else
#define ADMPI_COPIED_BY_MEMBER(node, ...)
#endif

/// A var inside an expression. In one word, since the fast path uses the id alone and should not load the tag.
struct leaf {
  static constexpr unsigned leaves = 1;
  double value;
  std::uint64_t word;

  ADMPI_COPIED_BY_MEMBER(leaf, value(other.value), word(other.word))
  ADMPI_ALWAYS_INLINE explicit leaf(const admpi_var &x) noexcept : value(x.value), word(load_word(&x.id)) {}
  /// Of a value that is not at hand.
  ADMPI_ALWAYS_INLINE explicit leaf(std::uint64_t of) noexcept : value(0.0), word(of) {}
  ADMPI_ALWAYS_INLINE std::uint32_t id() const noexcept { return id_of(word); }
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double partial) const noexcept {
    writer.add(partial, *this);
  }
};

/// A passive argument is written too and then overwritten: no branch on activity. One that the compiler knows to be passive is not
/// written.
struct argument_writer {
  double *jacobian;
  std::uint32_t *argument;
  std::uint64_t n;

  ADMPI_ALWAYS_INLINE explicit argument_writer(admpi_tape *tape) noexcept
      : jacobian(tape->jacobian), argument(tape->argument), n(0) {}

  ADMPI_ALWAYS_INLINE void add(double partial, std::uint64_t word) noexcept {
    if (__builtin_constant_p(word) && word == 0) return;
    jacobian[n] = partial;
    argument[n] = id_of(word);
    n += id_of(word) != 0;
  }
};

/// Argument At with one of as many before it.
template <unsigned At, class A, unsigned... K>
ADMPI_ALWAYS_INLINE void merge_argument([[maybe_unused]] A &arguments, std::integer_sequence<unsigned, K...>) noexcept {
  (void)(arguments.merge(At, At - unsigned{sizeof...(K)} + K) || ...);
}
/// The last one first, so that all are compared as they came.
template <class A, unsigned... At>
ADMPI_ALWAYS_INLINE void merge_arguments(A &arguments, std::integer_sequence<unsigned, At...>) noexcept {
  constexpr unsigned last = sizeof...(At) - 1;
  (merge_argument<last - At>(arguments,
                            std::make_integer_sequence<unsigned, (last - At < merging_distance ? last - At : merging_distance)>()),
   ...);
}
/// Merges arguments of the same operand, as far as the compiler knows them to be: of a variable, or of an element of an array that it
/// loads once. That costs no instruction, where a search would cost more than the arguments that it saves. Without
/// optimisation the compiler knows nothing. A::merge(i, j) adds argument i to argument j if it is known to be of the same operand.
template <unsigned Leaves, class A>
ADMPI_ALWAYS_INLINE void merge_arguments([[maybe_unused]] A &arguments) noexcept {
#ifdef __OPTIMIZE__
  if constexpr (Leaves != 0) merge_arguments(arguments, std::make_integer_sequence<unsigned, Leaves>());
#endif
}
/// Whether the compiler knows two numbers to be the same.
#define ADMPI_KNOWN_SAME(a, b) (__builtin_constant_p((a) == (b)) && (a) == (b))

/// Where the arguments of an operand's leaves stand among those of its expression, the first of them at At. Places are known when the code
/// is compiled: of one that it computes, clang 22 does not know what stands there.
template <unsigned At, class Arguments>
struct place {
  static constexpr unsigned each = 1;  // arguments of a leaf
  Arguments &arguments;
  template <class... A>
  ADMPI_ALWAYS_INLINE void add(const A &...argument) const {
    arguments.template add<At>(argument...);
  }
};
/// That of an operand behind others, which have so many leaves.
template <unsigned Leaves, template <unsigned, class> class Place, unsigned At, class Arguments>
ADMPI_ALWAYS_INLINE Place<At + Leaves * Place<At, Arguments>::each, Arguments> behind(Place<At, Arguments> to) noexcept {
  return {to.arguments};
}
/// A writer that has no places.
template <unsigned, class W>
ADMPI_ALWAYS_INLINE W &behind(W &writer) noexcept {
  return writer;
}

/// Writes the leaves of an expression as arguments.
template <unsigned Leaves>
struct merging_writer {
  double partial[Leaves];
  std::uint64_t word[Leaves];

  /// All are passive, since an expression may have fewer leaves than it counts. Not by initialisers: gcc would write the whole object at
  /// once, and keep it in memory.
  ADMPI_ALWAYS_INLINE merging_writer() noexcept { clear(std::make_integer_sequence<unsigned, Leaves>()); }

  template <unsigned At>
  ADMPI_ALWAYS_INLINE void add(double p, const leaf &x) noexcept {
    partial[At] = p;
    word[At] = x.word;
  }

  ADMPI_ALWAYS_INLINE bool merge(unsigned i, unsigned j) noexcept {
    if (!ADMPI_KNOWN_SAME(word[i], word[j])) return false;
    partial[j] += partial[i];
    word[i] = 0;
    return true;
  }
  ADMPI_ALWAYS_INLINE argument_writer write(admpi_tape *tape) const noexcept {
    argument_writer arguments(tape);
    write_all(arguments, std::make_integer_sequence<unsigned, Leaves>());
    return arguments;
  }

 private:
  template <unsigned... At>
  ADMPI_ALWAYS_INLINE void clear(std::integer_sequence<unsigned, At...>) noexcept {
    ((partial[At] = 0.0), ...);
    ((word[At] = 0), ...);
  }
  template <unsigned... At>
  ADMPI_ALWAYS_INLINE void write_all(argument_writer &arguments, std::integer_sequence<unsigned, At...>) const noexcept {
    (arguments.add(partial[At], word[At]), ...);
  }
};

/// The arguments of a statement, for the slow path; passive ones too.
struct leaf_list {
  const double *partial;
  const std::uint64_t *word;
  unsigned n;
};

/// What an expression keeps of an operand.
template <class E>
ADMPI_ALWAYS_INLINE const E &kept(const E &e) noexcept {
  return e;
}
ADMPI_ALWAYS_INLINE leaf kept(const var &x) noexcept;
ADMPI_ALWAYS_INLINE leaf kept(const element &x) noexcept;
ADMPI_ALWAYS_INLINE leaf kept(const float_var &x) noexcept;
// Of expressions of tangent<var>.
template <class Node>
struct value_part;
template <class Node>
struct derivative_part;
template <class Node>
ADMPI_ALWAYS_INLINE leaf kept(const value_part<Node> &x);
template <class Node>
ADMPI_ALWAYS_INLINE leaf kept(const derivative_part<Node> &x);

/// Finishes the statement that w has written; one without active arguments leaves the cursors where they are.
ADMPI_ALWAYS_INLINE admpi_var finish(admpi_tape *tape, const argument_writer &w, double value) noexcept {
  const std::uint64_t some = w.n != 0;
  std::uint8_t *statement = tape->statement;
  const std::uint64_t word = load_word(&tape->next_id);
  tape->jacobian += w.n;
  tape->argument += w.n;
  tape->statement = statement + some;
  store_word(&tape->next_id, word + (some << id_shift));
  *statement = static_cast<std::uint8_t>(w.n);  // last: a byte store may alias the cursors
  admpi_var y;
  y.value = value;
  store_word(&y.id, word & -some);
  return y;
}

/// Whether all operands were made since the last reset, nest and the like: then they may be used, without a search.
inline bool are_recent(const admpi_tape *tape, const leaf_list &leaves) noexcept {
  const std::uint32_t tag = tape->tag, next = tape->next_id;
  bool recent = true;
  for (unsigned i = 0; i < leaves.n; ++i) {
    const std::uint64_t word = leaves.word[i];
    recent &= word == 0 || (tag_of(word) == tag && id_of(word) < next);
  }
  return recent;
}

/// Throws unless all operands of a statement may be used.
[[gnu::noinline, gnu::cold]] inline void check_operands(admpi_tape *tape, double value, const leaf_list &leaves) {
  for (unsigned i = 0; i < leaves.n; ++i) {
    admpi_var operand{std::numeric_limits<double>::quiet_NaN(), 0, 0};
    store_word(&operand.id, leaves.word[i]);
    const int status = operand.id != 0 ? admpi_detail_tape_check(tape, &operand) : 0;
    if (status == 0) continue;
    char message[512];
    __builtin_snprintf(message, sizeof message, "expression of value %.17g: %s", value, admpi_last_error());
    raise(status, message);
  }
}

/// Records a statement where the inline compare found no room: the tape must grow, or the operands must be checked,
/// which is to be quick too.
[[gnu::noinline]] inline admpi_var record_slow(double value, const leaf_list &leaves) {
  admpi_tape *tape = admpi_tls_tape;
  if (tape->checking && !are_recent(tape, leaves)) check_operands(tape, value, leaves);
  if (!tape->recording) return admpi_var{value, 0, 0};
  const unsigned n = leaves.n != 0 ? leaves.n : 1;
  if (tape->checked_end - tape->argument < static_cast<std::ptrdiff_t>(n)) check(admpi_detail_tape_grow(tape, n));
  argument_writer w(tape);
  for (unsigned i = 0; i < leaves.n; ++i) w.add(leaves.partial[i], leaves.word[i]);
  return finish(tape, w, value);
}

/// The slow path gets a copy of the arguments and makes the same statement of them. It takes their addresses: without the copy, the
/// compiler would keep the arguments in memory on the fast path as well.
template <class E>
ADMPI_ALWAYS_INLINE admpi_var record(const E &e) {
  // An element of a matrix is a value already, and so is a float_var.
  if constexpr (std::is_base_of<admpi_var, E>::value) return e;
  admpi_tape *tape = admpi_tls_tape;
  const bool has_room = tape->argument_end - tape->argument >= static_cast<std::ptrdiff_t>(E::leaves);
  if (__builtin_expect(!has_room, 0) && !(tape->recording | tape->checking)) return admpi_var{e.value, 0, 0};
  merging_writer<E::leaves> w;
  e.push(place<0, merging_writer<E::leaves>>{w}, 1.0);
  merge_arguments<E::leaves>(w);
  if (__builtin_expect(!has_room, 0)) {
    merging_writer<E::leaves> copy = w;
    return record_slow(e.value, leaf_list{copy.partial, copy.word, E::leaves});
  }
  return finish(tape, w.write(tape), e.value);
}

template <class N>
using if_arithmetic = std::enable_if_t<std::is_arithmetic<N>::value, int>;

}  // namespace detail

/// An active double: same layout as admpi_var, trivially copyable. A copy is the same value with the same
/// id and records nothing. A value made from plain numbers is passive.
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
};

static_assert(sizeof(var) == sizeof(admpi_var) && alignof(var) == alignof(admpi_var), "var is an admpi_var");
static_assert(std::is_trivially_copyable<var>::value, "a var may be copied by memcpy and sent");
static_assert(std::is_standard_layout<var>::value, "a var* may be cast to admpi_var*");

namespace detail {

ADMPI_ALWAYS_INLINE leaf kept(const var &x) noexcept { return leaf(x); }

}  // namespace detail

/// The directional derivative of a plain number, which is 0, for code that is templated on its scalar.
template <class N, detail::if_arithmetic<N> = 0>
constexpr double derivative(N) noexcept {
  return 0.0;
}
template <class N, detail::if_arithmetic<N> = 0>
constexpr void set_derivative(N &, double) noexcept {}

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
