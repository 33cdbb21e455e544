// admpi: matrices of active doubles. One object with contiguous values and contiguous adjoints, whose elements are
// scalars: A(i, j) is a var, and reading or assigning it records nothing.
//
//   admpi::varmat a(3, 3), b = a;     // b has the same elements until one of the two is written to
//   tape.input(a);
//   a(0, 1) = sin(a(1, 0));           // one statement
//   a.col(2) = b.col(0);              // no statement
//   admpi::view first = a.row(0);     // sees later assignments to a
#ifndef ADMPI_VARMAT_HPP
#define ADMPI_VARMAT_HPP

#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/tape.hpp"
#include "admpi/varmat.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

class varmat;
class view;

/// Base of matrices, views and of every array expression over them; see admpi/arrays.hpp.
template <class E>
struct array_expression {
  const E &self() const noexcept { return static_cast<const E &>(*this); }

  /// The free functions of these names.
  var sum() const;
  var mean() const;
  var variance() const;
  var norm2() const;
  var max_element(std::int64_t *place_out = nullptr) const;
  var min_element(std::int64_t *place_out = nullptr) const;
  template <class B>
  var dot(const B &b) const;
};

namespace detail {

/// Overwrites an element that may not be written in place.
[[gnu::noinline, gnu::cold]] inline void assign_slow(admpi_varmat *of, std::int64_t k, const admpi_var &x) {
  const admpi_view one{of, k, 1, 1, 1, 1};
  check(admpi_varmat_set(&one, 0, 0, x));
}

/// Id and tag of an element as one word.
ADMPI_ALWAYS_INLINE std::uint64_t element_word(const admpi_block &block, std::int64_t k) noexcept {
  if (block.ids != nullptr) {
    if (__builtin_expect((reinterpret_cast<std::uintptr_t>(block.ids) & 1) == 0, 1)) return load_word(&block.ids[k].id);
    const admpi_id id = admpi_detail_run_id(&block, k);
    return load_word(&id.id);
  }
  const std::uint32_t word[2] = {block.id0 + static_cast<std::uint32_t>(k) * block.step, block.tag};
  return load_word(word);
}

ADMPI_ALWAYS_INLINE var element_at(const admpi_varmat *of, std::int64_t k) noexcept {
  var x = of->block->value[k];
  store_word(&x.id, element_word(*of->block, k));
  return x;
}

}  // namespace detail

/// An element of a matrix that is not const: a scalar that can be assigned to directly, a(i, j) = x. Under a name, as in
/// `auto y = a(i, j);` or in a function templated on its scalar, it cannot: it would write into the matrix unintentionally.
struct element : expression<element>, admpi_var {
  static constexpr unsigned leaves = 1;

  ADMPI_ALWAYS_INLINE element(admpi_varmat *of, std::int64_t k) noexcept
      : admpi_var(detail::element_at(of, k)), of_(of), k_(k) {}
  element(const element &) = default;
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double partial) const noexcept {
    writer.add(partial, detail::leaf(*this));
  }

  ADMPI_ALWAYS_INLINE element &&operator=(const var &x) && {
    admpi_block &block = *of_->block;
    static_cast<admpi_var &>(*this) = x;
    if (__builtin_expect(block.ids != nullptr && block.epoch == admpi_tls_tape->epoch, 1)) {
      block.value[k_] = x.value;
      detail::store_word(&block.ids[k_].id, detail::load_word(&x.id));
    } else {
      detail::assign_slow(of_, k_, x);
    }
    return std::move(*this);
  }
  ADMPI_ALWAYS_INLINE element &&operator=(const element &x) && { return std::move(*this) = var(x); }
  template <class E>
  ADMPI_ALWAYS_INLINE element &&operator=(const expression<E> &e) && {
    return std::move(*this) = var(e);
  }
  template <class N, detail::if_arithmetic<N> = 0>
  ADMPI_ALWAYS_INLINE element &&operator=(N x) && {
    return std::move(*this) = var(x);
  }
  template <class T>
  ADMPI_ALWAYS_INLINE element &&operator+=(const T &x) && {
    return std::move(*this) = var(*this + x);
  }
  template <class T>
  ADMPI_ALWAYS_INLINE element &&operator-=(const T &x) && {
    return std::move(*this) = var(*this - x);
  }
  template <class T>
  ADMPI_ALWAYS_INLINE element &&operator*=(const T &x) && {
    return std::move(*this) = var(*this * x);
  }
  template <class T>
  ADMPI_ALWAYS_INLINE element &&operator/=(const T &x) && {
    return std::move(*this) = var(*this / x);
  }

 private:
  admpi_varmat *of_;
  std::int64_t k_;
};

namespace detail {

ADMPI_ALWAYS_INLINE leaf kept(const element &x) noexcept { return leaf(x); }

[[noreturn, gnu::noinline, gnu::cold]] inline void raise_part(std::int64_t i, std::int64_t j, std::int64_t rows,
                                                              std::int64_t cols, const admpi_view &of) {
  char message[240];
  __builtin_snprintf(message, sizeof message, "a part of %lld x %lld elements from (%lld, %lld) on is not within %lld x %lld",
                     static_cast<long long>(rows), static_cast<long long>(cols), static_cast<long long>(i),
                     static_cast<long long>(j), static_cast<long long>(of.rows), static_cast<long long>(of.cols));
  raise(ADMPI_ERR_RANGE, message);
}

/// Iterates over the elements of a matrix in column-major order. Each is a copy, which cannot be assigned to, since the
/// assignment would be lost.
template <class A>
class element_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::decay_t<decltype(std::declval<const A &>()(0))>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = const value_type;

  element_iterator(const A &of, std::int64_t k) noexcept : of_(&of), k_(k) {}
  reference operator*() const { return (*of_)(k_); }
  element_iterator &operator++() noexcept {
    ++k_;
    return *this;
  }
  element_iterator operator++(int) noexcept { return element_iterator(*of_, k_++); }
  bool operator==(const element_iterator &other) const noexcept { return k_ == other.k_; }
  bool operator!=(const element_iterator &other) const noexcept { return k_ != other.k_; }

 private:
  const A *of_;
  std::int64_t k_;
};

/// What matrices and views share: parts of them, and their elements. D has parts(), an admpi_view.
template <class D>
class partial : public array_expression<D> {
 public:
  std::int64_t rows() const noexcept { return parts().rows; }
  std::int64_t cols() const noexcept { return parts().cols; }
  std::int64_t size() const noexcept { return rows() * cols(); }

  /// Element (i, j), and element k in column-major order. Elements of a constant are constant. Indices are not checked.
  ADMPI_ALWAYS_INLINE element operator()(std::int64_t i, std::int64_t j) noexcept {
    const admpi_view v = elements();
    return element(v.of, v.offset + i * v.row_step + j * v.col_step);
  }
  ADMPI_ALWAYS_INLINE const var operator()(std::int64_t i, std::int64_t j) const noexcept {
    const admpi_view v = elements();
    return element_at(v.of, v.offset + i * v.row_step + j * v.col_step);
  }
  ADMPI_ALWAYS_INLINE element operator()(std::int64_t k) noexcept {
    const admpi_view v = elements();
    return element(v.of, v.offset + (k % v.rows) * v.row_step + (k / v.rows) * v.col_step);
  }
  ADMPI_ALWAYS_INLINE const var operator()(std::int64_t k) const noexcept {
    const admpi_view v = elements();
    return element_at(v.of, v.offset + (k % v.rows) * v.row_step + (k / v.rows) * v.col_step);
  }

  ADMPI_ALWAYS_INLINE element operator[](std::int64_t k) noexcept { return (*this)(k); }
  ADMPI_ALWAYS_INLINE const var operator[](std::int64_t k) const noexcept { return (*this)(k); }

  /// Reads the elements in column-major order: for (const var &x : a).
  element_iterator<D> begin() const noexcept { return {static_cast<const D &>(*this), 0}; }
  element_iterator<D> end() const noexcept { return {static_cast<const D &>(*this), size()}; }

  /// Parts, which must be inside this one. They record nothing, and see later assignments, also to the whole matrix.
  view all() const;
  view block(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) const;
  view row(std::int64_t i) const;
  view col(std::int64_t j) const;
  /// The n elements of a vector (one row or one column) that begin at k.
  view segment(std::int64_t k, std::int64_t n) const;
  view head(std::int64_t n) const;
  view tail(std::int64_t n) const;
  view transpose() const;
  view diagonal() const;
  /// Every step-th element of a vector; step is positive.
  view every(std::int64_t step) const;
  /// Every row_step-th row and every col_step-th column; the steps are positive.
  view every(std::int64_t row_step, std::int64_t col_step) const;
  /// The same elements in column-major order, in another shape. For a vector, or contiguous columns.
  view reshaped(std::int64_t rows, std::int64_t cols) const;

  /// The elements at some places, counted in column-major order, as a new column. They keep their ids.
  varmat gather(const std::vector<std::int64_t> &index) const;

  /// Copies, column-major.
  std::vector<double> values() const {
    std::vector<double> x(static_cast<std::size_t>(size()));
    const admpi_view v = parts();
    check(admpi_varmat_values(&v, size(), x.data()));
    return x;
  }
  std::vector<var> vars() const {
    std::vector<var> x(static_cast<std::size_t>(size()));
    const admpi_view v = parts();
    check(admpi_varmat_vars(&v, size(), x.data()));
    return x;
  }

  /// Assigns to the elements at some places, counted in column-major order; of repeated places the last counts.
  void scatter(const std::vector<std::int64_t> &index, const std::vector<var> &x);
  void scatter(const std::vector<std::int64_t> &index, const view &from);

  /// For the C interface.
  admpi_view parts() const noexcept { return static_cast<const D &>(*this).view_of(); }

 protected:
  void assign(const admpi_view &from) {
    const admpi_view to = parts();
    check(admpi_varmat_assign(&to, &from));
  }
  void assign(const std::vector<var> &x) {
    const admpi_view to = parts();
    check(admpi_varmat_assign_vars(&to, x.data(), static_cast<std::int64_t>(x.size())));
  }
  void assign(const std::vector<double> &x) {
    const admpi_view to = parts();
    check(admpi_varmat_assign_values(&to, x.data(), static_cast<std::int64_t>(x.size())));
  }
  void assign(double x) { assign(std::vector<double>(static_cast<std::size_t>(size()), x)); }
  void assign(const var &x) { assign(std::vector<var>(static_cast<std::size_t>(size()), x)); }

 private:
  /// As parts(), for who knows that there are some.
  admpi_view elements() const noexcept { return static_cast<const D &>(*this).elements_of(); }
};

/// Whether other threads may count references to a matrix meanwhile: they may read those that no tape knows.
inline bool is_anyones(const admpi_varmat *of) noexcept { return of->block->id0 == 0 && of->block->ids == nullptr; }

/// Counts one more reference to a matrix.
inline void retain(admpi_varmat *of) noexcept {
  if (is_anyones(of)) {
    __atomic_fetch_add(&of->references, 1, __ATOMIC_RELAXED);
  } else {
    ++of->references;
  }
}

/// Gives one back.
inline void release(admpi_varmat *of) noexcept {
  if (is_anyones(of)) {
    if (__atomic_load_n(&of->references, __ATOMIC_ACQUIRE) != 1 && __atomic_fetch_sub(&of->references, 1, __ATOMIC_ACQ_REL) != 1) return;
    // The last, which the library takes back.
    of->references = 1;
  } else if (of->references != 1) {
    --of->references;
    return;
  }
  admpi_varmat_free(of);
}

/// A counted reference to a matrix.
class shared {
 public:
  explicit shared(admpi_varmat *of) noexcept : of_(of) {}
  shared(const shared &other) noexcept : of_(other.of_) {
    if (of_ != nullptr) retain(of_);
  }
  shared(shared &&other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  shared &operator=(shared other) noexcept {
    std::swap(of_, other.of_);
    return *this;
  }
  ~shared() {
    if (of_ != nullptr) release(of_);
  }
  admpi_varmat *get() const noexcept { return of_; }

 private:
  admpi_varmat *of_;
};

}  // namespace detail

/// A part of a matrix, which it keeps alive. A copy is the same part; an assignment changes the elements.
class view : public detail::partial<view> {
 public:
  view(const admpi_view &of) noexcept : view_(of), of_(of.of) { detail::retain(of.of); }
  view(const view &other) = default;
  /// A view of a new matrix with the elements of an expression, so that functions of matrices accept expressions.
  template <class E, std::enable_if_t<!std::is_base_of<detail::partial<E>, E>::value, int> = 0>
  view(const array_expression<E> &e);

  view &operator=(const view &from) {
    assign(from.parts());
    return *this;
  }
  template <class D>
  view &operator=(const detail::partial<D> &from) {
    assign(from.parts());
    return *this;
  }
  /// One event for the whole expression.
  template <class E>
  view &operator=(const array_expression<E> &e);
  /// Scalars or plain numbers, column-major.
  view &operator=(const std::vector<var> &x) {
    assign(x);
    return *this;
  }
  view &operator=(const std::vector<double> &x) {
    assign(x);
    return *this;
  }
  /// One number or scalar for all elements.
  view &operator=(double x) {
    assign(x);
    return *this;
  }
  template <class E>
  view &operator=(const expression<E> &x) {
    assign(var(x.self()));
    return *this;
  }

  const admpi_view &view_of() const noexcept { return view_; }
  const admpi_view &elements_of() const noexcept { return view_; }
  /// For the C interface, and as a buffer of MPI calls under AMPI_VIEW, which read it when they start.
  admpi_view *handle() const noexcept { return const_cast<admpi_view *>(&view_); }

 private:
  admpi_view view_;
  detail::shared of_;
};

/// A matrix, column-major. A copy has the same elements and shares memory until one of the two is written to. Assigning a
/// whole matrix records nothing. Like its tape it belongs to one thread at a time; several threads may read a passive one.
class varmat : public detail::partial<varmat> {
 public:
  /// No elements.
  varmat() noexcept : of_(nullptr) {}
  /// Zeros.
  varmat(std::int64_t rows, std::int64_t cols) : varmat(rows, cols, static_cast<const double *>(nullptr)) {}
  /// Plain numbers, column-major.
  varmat(std::int64_t rows, std::int64_t cols, const double *value)
      : of_(made([&](admpi_varmat **out) { return admpi_varmat_new(value, rows, cols, out); })) {}
  /// One number for all elements.
  template <class N, detail::if_arithmetic<N> = 0>
  varmat(std::int64_t rows, std::int64_t cols, N value) : varmat(rows, cols) {
    *this = static_cast<double>(value);
  }
  /// Scalars, column-major. If the tape records, the matrix gets consecutive ids, by one event.
  varmat(std::int64_t rows, std::int64_t cols, const var *x)
      : of_(made([&](admpi_varmat **out) { return admpi_varmat_from_vars(x, rows, cols, out); })) {}
  /// Rows: {{1.0, 2.0}, {x, y}}. One event if a scalar is active, else none.
  varmat(std::initializer_list<std::initializer_list<var>> rows) : varmat(from_rows(rows)) {}
  /// A column.
  explicit varmat(const std::vector<double> &value)
      : varmat(static_cast<std::int64_t>(value.size()), 1, value.data()) {}
  explicit varmat(const std::vector<var> &x) : varmat(static_cast<std::int64_t>(x.size()), 1, x.data()) {}
  /// The current elements of a view.
  varmat(const view &from)
      : of_(made([v = from.parts()](admpi_varmat **out) { return admpi_varmat_from_view(&v, out); })) {}
  /// One event for the whole expression.
  template <class E>
  varmat(const array_expression<E> &e);
  /// Takes over a matrix that a C function has made.
  explicit varmat(admpi_varmat *made) noexcept : of_(made) {}

  varmat(const varmat &other)
      : of_(made([&](admpi_varmat **out) { return admpi_varmat_copy(other.handle(), out); })) {}
  /// The moved-from matrix has no elements; its views belong to this one.
  varmat(varmat &&) noexcept = default;

  /// Assigns the whole matrix; its views see the new elements. The other matrix does not change.
  varmat &operator=(const varmat &other) {
    detail::check(admpi_varmat_rebind(handle(), other.handle()));
    return *this;
  }
  /// The same, unless this one was moved from: then it takes the place of the other, with its views. So std::swap exchanges two
  /// matrices with their views.
  varmat &operator=(varmat &&other) {
    if (of_.get() != nullptr) return *this = static_cast<const varmat &>(other);
    of_ = std::move(other.of_);
    return *this;
  }
  varmat &operator=(const view &from) { return *this = varmat(from); }
  template <class E>
  varmat &operator=(const array_expression<E> &e);
  /// One number or scalar for all elements.
  varmat &operator=(double x) {
    assign(x);
    return *this;
  }
  template <class E>
  varmat &operator=(const expression<E> &x) {
    assign(var(x.self()));
    return *this;
  }

  /// Changes the shape to one with the same number of elements, in column-major order.
  void reshape(std::int64_t rows, std::int64_t cols) { detail::check(admpi_varmat_reshape(handle(), rows, cols)); }
  /// Gives consecutive ids again, by one event, after assignments to elements.
  void compact() { detail::check(admpi_varmat_compact(handle())); }

  /// For the C interface, and as a buffer of MPI calls under AMPI_VARMAT.
  admpi_varmat *handle() const noexcept {
    if (__builtin_expect(of_.get() == nullptr, 0)) make_empty();
    return of_.get();
  }
  admpi_view view_of() const noexcept { return admpi_view_all(handle()); }
  admpi_view elements_of() const noexcept { return admpi_view_all(of_.get()); }
  operator view() const noexcept { return all(); }

 private:
  template <class F>
  static admpi_varmat *made(F make) {
    admpi_varmat *matrix = nullptr;
    detail::check(make(&matrix));
    return matrix;
  }
  static varmat from_rows(std::initializer_list<std::initializer_list<var>> rows);
  [[gnu::noinline, gnu::cold]] void make_empty() const { of_ = varmat(0, 0).of_; }

  /// Null where there are no elements and nobody has asked for it.
  mutable detail::shared of_;
};

inline varmat varmat::from_rows(std::initializer_list<std::initializer_list<var>> rows) {
  const std::size_t m = rows.size(), n = m == 0 ? 0 : rows.begin()->size();
  std::vector<var> x(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    const std::initializer_list<var> &row = rows.begin()[i];
    if (row.size() != n) {
      char message[120];
      __builtin_snprintf(message, sizeof message, "varmat: row %zu has %zu elements, row 0 has %zu", i, row.size(), n);
      detail::raise(ADMPI_ERR_ARGUMENT, message);
    }
    for (std::size_t j = 0; j < n; ++j) x[i + j * m] = row.begin()[j];
  }
  return varmat(static_cast<std::int64_t>(m), static_cast<std::int64_t>(n), x.data());
}

namespace detail {

template <class D>
view partial<D>::all() const {
  return parts();
}
template <class D>
view partial<D>::block(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) const {
  const admpi_view v = parts();
  if (i < 0 || j < 0 || rows < 0 || cols < 0 || rows > v.rows - i || cols > v.cols - j) raise_part(i, j, rows, cols, v);
  return admpi_view_block(v, i, j, rows, cols);
}
template <class D>
view partial<D>::row(std::int64_t i) const {
  return block(i, 0, 1, cols());
}
template <class D>
view partial<D>::col(std::int64_t j) const {
  return block(0, j, rows(), 1);
}
[[noreturn, gnu::noinline, gnu::cold]] inline void raise_segment(const admpi_view &of) {
  char message[120];
  __builtin_snprintf(message, sizeof message, "segment: %lld x %lld elements are not a row or a column", static_cast<long long>(of.rows),
                     static_cast<long long>(of.cols));
  raise(ADMPI_ERR_ARGUMENT, message);
}
template <class D>
view partial<D>::segment(std::int64_t k, std::int64_t n) const {
  if (rows() > 1 && cols() > 1) raise_segment(parts());
  return rows() == 1 ? block(0, k, 1, n) : block(k, 0, n, 1);
}
template <class D>
view partial<D>::head(std::int64_t n) const {
  return segment(0, n);
}
template <class D>
view partial<D>::tail(std::int64_t n) const {
  return segment(size() - n, n);
}
template <class D>
view partial<D>::transpose() const {
  return admpi_view_transpose(parts());
}
template <class D>
view partial<D>::diagonal() const {
  return admpi_view_diagonal(parts());
}
[[noreturn, gnu::noinline, gnu::cold]] inline void raise_steps(std::int64_t row_step, std::int64_t col_step) {
  char message[120];
  __builtin_snprintf(message, sizeof message, "every: steps of %lld rows and %lld columns must be positive",
                     static_cast<long long>(row_step), static_cast<long long>(col_step));
  raise(ADMPI_ERR_ARGUMENT, message);
}

[[noreturn, gnu::noinline, gnu::cold]] inline void raise_reshaped(const admpi_view &v, std::int64_t rows,
                                                                  std::int64_t cols) {
  char message[200];
  __builtin_snprintf(message, sizeof message,
                     "reshaped: a part of %lld x %lld elements, steps %lld and %lld, cannot be seen as %lld x %lld",
                     static_cast<long long>(v.rows), static_cast<long long>(v.cols), static_cast<long long>(v.row_step),
                     static_cast<long long>(v.col_step), static_cast<long long>(rows), static_cast<long long>(cols));
  raise(ADMPI_ERR_ARGUMENT, message);
}

template <class D>
view partial<D>::every(std::int64_t row_step, std::int64_t col_step) const {
  if (row_step < 1 || col_step < 1) raise_steps(row_step, col_step);
  return admpi_view_transpose(
      admpi_view_every(admpi_view_transpose(admpi_view_every(parts(), row_step)), col_step));
}
template <class D>
view partial<D>::reshaped(std::int64_t rows, std::int64_t cols) const {
  admpi_view v = parts();
  if (v.rows == 1) v = admpi_view_transpose(v);
  const bool even = v.cols <= 1 || v.col_step == v.rows * v.row_step;
  std::int64_t n = 0;
  if (!even || rows < 0 || cols < 0 || __builtin_mul_overflow(rows, cols, &n) || n != v.rows * v.cols) {
    raise_reshaped(parts(), rows, cols);
  }
  const std::int64_t step = n == 0 ? 1 : v.row_step;
  return admpi_view{v.of, v.offset, rows, cols, step, rows * step};
}
template <class D>
varmat partial<D>::gather(const std::vector<std::int64_t> &index) const {
  const admpi_view v = parts();
  admpi_varmat *some = nullptr;
  check(admpi_varmat_gather(&v, index.data(), static_cast<std::int64_t>(index.size()), &some));
  return varmat(some);
}
template <class D>
void partial<D>::scatter(const std::vector<std::int64_t> &index, const std::vector<var> &x) {
  const admpi_view to = parts();
  if (x.size() != index.size()) {
    char message[120];
    __builtin_snprintf(message, sizeof message, "scatter: %zu values for %zu places", x.size(), index.size());
    raise(ADMPI_ERR_ARGUMENT, message);
  }
  check(admpi_varmat_scatter(&to, index.data(), x.data(), static_cast<std::int64_t>(index.size())));
}
template <class D>
void partial<D>::scatter(const std::vector<std::int64_t> &index, const view &from) {
  scatter(index, from.vars());
}

template <class D>
view partial<D>::every(std::int64_t step) const {
  if (step < 1) raise_steps(step, 1);
  if (rows() != 1) return admpi_view_every(parts(), step);
  return admpi_view_transpose(admpi_view_every(admpi_view_transpose(parts()), step));
}

}  // namespace detail

/// Exchanges the elements of two parts of the same shape, with their ids; nothing is recorded. Parts must not overlap, unless
/// they are the same part.
inline void swap(view a, view b) {
  const varmat kept = a;
  a = b;
  b = kept.all();
}

/// For the elements of a matrix or a part of one: see set_derivative and derivative of a var.
inline void set_derivative(const view &x, double weight) { current_tape().seed(x, weight); }
inline void set_derivative(const view &x, const std::vector<double> &weight) { current_tape().seed(x, weight); }
inline std::vector<double> derivative(const view &x) { return current_tape().adjoints(x); }

inline void tape_ref::input(varmat &x) { detail::check(admpi_varmat_input(handle_, x.handle())); }

inline void tape_ref::seed(const view &y, double weight, int direction) {
  seed(y, std::vector<double>(static_cast<std::size_t>(y.size()), weight), direction);
}

inline void tape_ref::seed(const view &y, const std::vector<double> &weight, int direction) {
  const admpi_view v = y.parts();
  detail::check(admpi_varmat_seed(handle_, &v, weight.data(), static_cast<std::int64_t>(weight.size()), direction));
}

inline std::vector<double> tape_ref::adjoints(const view &x, int direction) const {
  std::vector<double> adjoint(static_cast<std::size_t>(x.size()));
  const admpi_view v = x.parts();
  detail::check(admpi_varmat_adjoints(handle_, &v, direction, x.size(), adjoint.data()));
  return adjoint;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

/// @cond
/// As admpi::swap: the general one would assign the elements of one part to both.
template <>
inline void std::swap(admpi::view &a, admpi::view &b) {
  admpi::swap(a, b);
}
/// @endcond

#endif
