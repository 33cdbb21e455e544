// Tapes of their own with the behaviours of other tools': ids that count up, ids that are used again, and values that are kept by
// id and restored by the sweep. Hooked in as docs/tools.md tells.
#ifndef ADMPI_TESTS_TOOLS_STAND_IN_HPP
#define ADMPI_TESTS_TOOLS_STAND_IN_HPP

#include <admpi.hpp>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace stand_in {

enum class behaviour {
  counting,  // each result has an id of its own
  reusing,   // ids of variables that are gone are given out again, and copies share one
  restoring  // as reusing; a value is kept by id, and what it overwrites is on the tape
};

enum class operation { handle, add, multiply, sine };

/// What a tape records: a statement, or the handle of a step.
struct entry {
  operation op;
  int result;
  int id[2];
  double value[2];  // of a passive operand, or where the tape keeps no values
  double before;    // at the id of the result
  std::int64_t handle;
};

template <behaviour B>
struct tape {
  static constexpr bool reuses = B != behaviour::counting, restores = B == behaviour::restoring;
  static inline thread_local tape *current = nullptr;

  bool recording = false;
  int directions = 1, next = 1;
  std::vector<entry> entries;
  std::vector<int> uses{0}, free;
  std::vector<double> values{0}, adjoints;
  int evaluated = 0;

  tape() { current = this; }
  tape(const tape &) = delete;
  tape &operator=(const tape &) = delete;
  ~tape() {
    reset();
    current = nullptr;
  }

  int fresh() {
    int id = next;
    if (reuses && !free.empty()) {
      id = free.back();
      free.pop_back();
    } else {
      ++next;
      uses.push_back(0);
      values.push_back(0);
    }
    uses[id] = 1;
    return id;
  }
  void hold(int id) {
    if (reuses && id != 0) ++uses[id];
  }
  void release(int id) {
    if (reuses && id != 0 && --uses[id] == 0) free.push_back(id);
  }
  /// A value takes the place of another at an id.
  double put(int id, double value) {
    const double before = values[id];
    values[id] = value;
    return before;
  }
  double *adjoint(int id) {
    adjoints.resize(static_cast<std::size_t>(next) * directions);
    return &adjoints[static_cast<std::size_t>(id) * directions];
  }
  double operand(const entry &e, int k) const { return restores && e.id[k] != 0 ? values[e.id[k]] : e.value[k]; }

  void statement(const entry &e) {
    if (restores) values[e.result] = e.before;
    double partial[2] = {1, 1};
    if (e.op == operation::multiply) {
      partial[0] = operand(e, 1);
      partial[1] = operand(e, 0);
    } else if (e.op == operation::sine) {
      partial[0] = std::cos(operand(e, 0));
    }
    for (int d = 0; d < directions; ++d) {
      const double bar = adjoint(e.result)[d];
      adjoint(e.result)[d] = 0;
      for (int k = 0; k < 2; ++k)
        if (e.id[k] != 0) adjoint(e.id[k])[d] += partial[k] * bar;
    }
  }
  /// Sweeps all of it. A tape that restores ends with the values of the beginning, and redoes nothing.
  void evaluate() {
    for (auto e = entries.rbegin(); e != entries.rend(); ++e) {
      if (e->op != operation::handle) {
        statement(*e);
        continue;
      }
      ++evaluated;
      if (admpi_tool_evaluate(e->handle, this) != ADMPI_SUCCESS) throw std::runtime_error(admpi_last_error());
    }
  }
  void reset() {
    for (const entry &e : entries)
      if (e.op == operation::handle) admpi_tool_delete(e.handle);
    entries.clear();
    adjoints.clear();
  }
};

template <behaviour B>
class real {
  using tape_type = tape<B>;
  double value_ = 0;
  int id_ = 0;

  static tape_type *now() { return tape_type::current; }
  void leave() {
    if (now() != nullptr) now()->release(id_);
  }
  static entry of(operation op, const real &a, const real &b) {
    return {op, 0, {a.id_, b.id_}, {a.value_, b.value_}, 0, 0};
  }
  static real made(double value, entry e) {
    real result(value);
    if (now() == nullptr || !now()->recording || (e.id[0] == 0 && e.id[1] == 0)) return result;
    result.id_ = e.result = now()->fresh();
    e.before = now()->put(e.result, value);
    now()->entries.push_back(e);
    return result;
  }

 public:
  real() = default;
  real(double value) : value_(value) {}
  real(const real &other) : value_(other.value_), id_(other.id_) {
    if (now() != nullptr) now()->hold(id_);
  }
  real &operator=(const real &other) {
    if (now() != nullptr) now()->hold(other.id_);
    leave();
    value_ = other.value_;
    id_ = other.id_;
    return *this;
  }
  ~real() { leave(); }

  double value() const { return value_; }
  int id() const { return id_; }
  /// A result of no statement, or passive: tells what stood at its id before.
  double become(double value, bool active) {
    leave();
    value_ = value;
    id_ = active ? now()->fresh() : 0;
    return active ? now()->put(id_, value) : 0;
  }

  friend real operator+(const real &a, const real &b) { return made(a.value_ + b.value_, of(operation::add, a, b)); }
  friend real operator*(const real &a, const real &b) { return made(a.value_ * b.value_, of(operation::multiply, a, b)); }
  friend real sin(const real &a) { return made(std::sin(a.value_), of(operation::sine, a, real())); }
};

/// What admpi asks of the tool.
template <behaviour B>
struct table {
  using type = real<B>;
  static type *items(const void *variables) { return static_cast<type *>(const_cast<void *>(variables)); }
  static tape<B> &of(void *access) { return *static_cast<tape<B> *>(access); }

  static void values(const void *variables, std::int64_t n, double *out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = items(variables)[i].value();
  }
  static void ids(const void *variables, std::int64_t n, std::int64_t *out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = items(variables)[i].id();
  }
  static void set(void *variables, std::int64_t n, const double *value, std::int64_t *ids, double *before) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double old = items(variables)[i].become(value[i], ids != nullptr);
      if (ids != nullptr) ids[i] = items(variables)[i].id();
      if (before != nullptr) before[i] = old;
    }
  }
  static std::int32_t is_recording() { return tape<B>::current != nullptr && tape<B>::current->recording; }
  static std::int32_t record(std::int64_t handle) {
    if (tape<B>::current == nullptr) return 1;
    tape<B>::current->entries.push_back({operation::handle, 0, {0, 0}, {0, 0}, 0, handle});
    return 0;
  }
  static std::int64_t width(void *access) { return of(access).directions; }
  static void take(void *access, std::int64_t n, const std::int64_t *ids, double *out) {
    const int directions = of(access).directions;
    for (std::int64_t i = 0; i < n; ++i)
      for (int d = 0; d < directions; ++d) {
        double &adjoint = of(access).adjoint(static_cast<int>(ids[i]))[d];
        *out++ = adjoint;
        adjoint = 0;
      }
  }
  static void add(void *access, std::int64_t n, const std::int64_t *ids, const double *adjoints) {
    const int directions = of(access).directions;
    for (std::int64_t i = 0; i < n; ++i, adjoints += directions)
      if (ids[i] != 0)
        for (int d = 0; d < directions; ++d) of(access).adjoint(static_cast<int>(ids[i]))[d] += adjoints[d];
  }
  static void restore(void *access, std::int64_t n, const std::int64_t *ids, const double *values) {
    for (std::int64_t i = 0; i < n; ++i) of(access).values[ids[i]] = values[i];
  }

  static const admpi_tool &tool() {
    static const admpi_tool it = {sizeof(admpi_tool),
                                  "a stand-in",
                                  sizeof(type),
                                  is_recording,
                                  values,
                                  ids,
                                  set,
                                  record,
                                  width,
                                  take,
                                  add,
                                  tape<B>::restores ? restore : nullptr};
    return it;
  }
  static MPI_Datatype datatype() {
    admpi_tool_register(&tool());
    return admpi_tool_datatype(&tool());
  }
};

}  // namespace stand_in

#endif
