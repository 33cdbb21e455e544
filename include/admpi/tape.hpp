// admpi: the tape, nests, passive sections, callbacks and gradients.
#ifndef ADMPI_TAPE_HPP
#define ADMPI_TAPE_HPP

#include <cmath>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "admpi/functions.hpp"
#include "admpi/profile.hpp"
#include "admpi/thrown.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

class varmat;
class view;

using position = admpi_position;
using tape_statistics = admpi_statistics;

/// The argument of a callback's reverse function: the adjoints of its outputs, already taken from the tape, and memory, zero
/// on entry, for what it adds to the adjoints of its inputs. The `width` directions of a value are adjacent.
struct callback_adjoints {
  std::int64_t n_out;
  std::int64_t n_in;
  int width;
  const double *out_adjoint;  ///< n_out * width doubles
  double *in_adjoint;         ///< n_in * width doubles

  double out(std::int64_t i, int direction = 0) const { return out_adjoint[i * width + direction]; }
  double &in(std::int64_t j, int direction = 0) const { return in_adjoint[j * width + direction]; }
};

namespace detail {

/// Forgets the exception that a callback threw on this thread.
inline void forget_thrown() noexcept { delete static_cast<std::exception_ptr *>(std::exchange(admpi_tls_cxx.thrown, nullptr)); }

/// Keeps the exception that is being handled for check_sweep, or until the thread ends.
inline void keep_thrown() noexcept {
  struct owner {
    ~owner() { forget_thrown(); }
  };
  static thread_local owner at_end;
  static_cast<void>(at_end);
  forget_thrown();
  admpi_tls_cxx.thrown = new (std::nothrow) std::exception_ptr(std::current_exception());
}

/// Calls fn and, since no exception may cross the library, turns one into a status and keeps it.
template <class Fn>
int guarded(Fn &&fn) noexcept {
  try {
    fn();
    return 0;
  } catch (...) {
    keep_thrown();
    // In the sweep of a job nobody can throw it again.
    if (admpi_map_job() >= 0) explain_thrown();
    return 1;
  }
}

/// Checks the status of a sweep: an exception kept by a callback goes on from here.
inline void check_sweep(int code) {
  if (code == ADMPI_SUCCESS) return;
  if (admpi_tls_cxx.thrown == nullptr) raise(code);
  const std::exception_ptr thrown = *static_cast<std::exception_ptr *>(admpi_tls_cxx.thrown);
  forget_thrown();
  std::rethrow_exception(thrown);
}

template <class F>
int reverse_callback(std::int64_t n_out, std::int64_t n_in, int width, const double *out_adjoint,
                     double *in_adjoint, void *payload) {
  return guarded([&] {
    (*static_cast<F *>(payload))(callback_adjoints{n_out, n_in, width, out_adjoint, in_adjoint});
  });
}

template <class F>
void destroy(void *payload) {
  delete static_cast<F *>(payload);
}

template <class F>
void call_and_destroy(void *payload) {
  F *fn = static_cast<F *>(payload);
  // The tape recovers in destructors too, where nothing may be thrown.
  guarded([&] { (*fn)(); });
  forget_thrown();
  delete fn;
}

/// How many active values lie side by side in a T: 1 in a scalar, 2 in a complex number (admpi/complex.hpp).
template <class T>
inline constexpr std::size_t actives_in = std::is_base_of<admpi_var, T>::value ? 1 : 0;
template <class T>
using if_of_several = std::enable_if_t<(actives_in<T> > 1), int>;

}  // namespace detail

/// A reference to a tape, as cheap to copy as a pointer. Methods throw the exception of the status that
/// the C function of the same name returns. A tape belongs to one thread at a time.
class tape_ref {
 public:
  explicit tape_ref(admpi_tape *handle) noexcept : handle_(handle) {}

  /// For the C interface.
  admpi_tape *handle() const noexcept { return handle_; }
  bool recording() const noexcept { return handle_->recording != 0; }

  void start() { detail::check(admpi_tape_start(handle_)); }
  void stop() { detail::check(admpi_tape_stop(handle_)); }

  /// Makes x an input: the same value with a new id. The tape must be recording.
  void input(admpi_var &x) { input(&x, 1); }
  /// Makes x[0..n] inputs with consecutive ids: all, or none if that fails.
  void input(admpi_var *x, std::int64_t n) {
    std::uint32_t first = 0;
    detail::check(admpi_tape_input_ids(handle_, n, &first));
    for (std::int64_t i = 0; i < n; ++i) {
      x[i].id = first + static_cast<std::uint32_t>(i);
      x[i].tag = handle_->tag;
    }
  }
  /// Makes complex numbers inputs: the real and the imaginary part of each.
  template <class T, detail::if_of_several<T> = 0>
  void input(T *x, std::int64_t n) {
    input(reinterpret_cast<admpi_var *>(x), n * static_cast<std::int64_t>(detail::actives_in<T>));
  }
  template <class T, detail::if_of_several<T> = 0>
  void input(T &x) {
    input(&x, 1);
  }
  /// Makes all elements of a contiguous container inputs, or of an array.
  template <class C>
  auto input(C &x) -> decltype(input(x.data(), static_cast<std::int64_t>(x.size()))) {
    input(x.data(), static_cast<std::int64_t>(x.size()));
  }
  template <class T, std::size_t n, class Scalar = std::remove_all_extents_t<T>>
  auto input(T (&x)[n]) -> decltype(input(static_cast<Scalar *>(nullptr), 0)) {
    input(reinterpret_cast<Scalar *>(&x), static_cast<std::int64_t>(sizeof x / sizeof(Scalar)));
  }

  /// Makes all elements of a matrix inputs, with consecutive ids.
  void input(varmat &x);

  /// Sets the number of directions of a sweep: 1, 2, 4, 8 or 16. A change clears all adjoints.
  void set_width(int directions) { detail::check(admpi_tape_set_width(handle_, directions)); }
  [[deprecated("call set_width")]] void width(int directions) { set_width(directions); }
  /// Adds weight to the adjoint of y in a direction.
  void seed(const var &y, double weight = 1.0, int direction = 0) {
    detail::check(admpi_tape_seed(handle_, y, weight, direction));
  }
  /// Adds to the adjoints of all elements of a matrix or a part of one: one weight for all, or one per element, column-major.
  void seed(const view &y, double weight = 1.0, int direction = 0);
  void seed(const view &y, const std::vector<double> &weight, int direction = 0);
#if ADMPI_HAVE_MPI
  /// Seeds once a value that all ranks of comm hold, such as the result of an Allreduce, since the objective is the
  /// sum of what the ranks seed. All ranks of comm call it.
  void seed_replicated(const var &y, MPI_Comm comm, double weight = 1.0, int direction = 0) {
    detail::check(admpi_tape_seed_replicated(handle_, comm, y, weight, direction));
  }
#endif
  /// Marks a value that is not an input: its adjoint too survives the sweeps.
  void keep(const var &y) { detail::check(admpi_tape_keep(handle_, y)); }

  /// Sweeps from the end of the recording to its beginning, or to the beginning of the innermost nest.
  void reverse() {
    detail::forget_thrown();
    detail::check_sweep(admpi_tape_reverse(handle_));
  }
  /// Sweeps from a later position down to an earlier one.
  void reverse(const position &from, const position &to) {
    detail::forget_thrown();
    detail::check_sweep(admpi_tape_reverse_range(handle_, &from, &to));
  }

  double adjoint(const var &x, int direction = 0) const {
    double adjoint = 0.0;
    detail::check(admpi_tape_adjoint(handle_, x, direction, &adjoint));
    return adjoint;
  }
  /// The adjoints of x[0..n] in one direction.
  void adjoints(const admpi_var *x, std::int64_t n, double *adjoint_out, int direction = 0) const {
    detail::check(admpi_tape_adjoints(handle_, x, n, direction, adjoint_out));
  }
  /// Of complex numbers: those of the real and of the imaginary part of each.
  template <class T, detail::if_of_several<T> = 0>
  void adjoints(const T *x, std::int64_t n, double *adjoint_out, int direction = 0) const {
    adjoints(reinterpret_cast<const admpi_var *>(x), n * static_cast<std::int64_t>(detail::actives_in<T>), adjoint_out, direction);
  }
  /// The adjoints of the elements of a contiguous container, or of an array.
  template <class C, class T = std::remove_const_t<std::remove_pointer_t<decltype(std::declval<const C &>().data())>>,
            std::enable_if_t<detail::actives_in<T> != 0, int> = 0>
  std::vector<double> adjoints(const C &x, int direction = 0) const {
    return adjoints_of(x.data(), x.size(), direction);
  }
  template <class T, std::size_t n, class Scalar = std::remove_all_extents_t<T>,
            std::enable_if_t<detail::actives_in<Scalar> != 0, int> = 0>
  std::vector<double> adjoints(const T (&x)[n], int direction = 0) const {
    return adjoints_of(reinterpret_cast<const Scalar *>(&x), sizeof x / sizeof(Scalar), direction);
  }
  /// The adjoints of the elements of a matrix or a part of one, column-major.
  std::vector<double> adjoints(const view &x, int direction = 0) const;
  void clear_adjoints() { detail::check(admpi_tape_clear_adjoints(handle_)); }

  void reset() { detail::check(admpi_tape_reset(handle_)); }
  admpi::position position() const {
    admpi::position position;
    detail::check(admpi_tape_position(handle_, &position));
    return position;
  }
  void reset_to(const admpi::position &position) { detail::check(admpi_tape_reset_to(handle_, &position)); }

  /// Calls fn() once, when the tape is reset or recovered below this point, or freed. fn cannot use the tape.
  template <class F>
  void on_recover(F fn) {
    F *held = new F(std::move(fn));
    const int status = admpi_tape_on_recover(handle_, &detail::call_and_destroy<F>, held);
    if (status != ADMPI_SUCCESS) {
      delete held;
      detail::raise(status);
    }
  }

  /// Records a user's operation: y_out[0..n_out] become active values value[0..n_out] that depend on in[0..n_in]. Every
  /// sweep that passes calls reverse(const callback_adjoints &). reverse may throw: the exception leaves tape.reverse().
  /// The function object lives until the tape is reset below this point. reverse may record and sweep a nest on the same
  /// tape. y_out may be in.
  template <class F>
  void callback(const var *in, std::int64_t n_in, const double *value, std::int64_t n_out, var *y_out, F reverse) {
    if constexpr (std::is_trivially_copyable<F>::value && alignof(F) <= alignof(double)) {
      detail::check(admpi_tape_callback(handle_, in, n_in, value, n_out, &detail::reverse_callback<F>, &reverse,
                                        sizeof(F), y_out));
    } else if (!recording()) {
      // Nothing keeps the function: the results are passive.
      detail::check(admpi_tape_callback(handle_, in, n_in, value, n_out, &detail::reverse_callback<F>, nullptr, 0, y_out));
    } else {
      F *held = new F(std::move(reverse));
      const int status = admpi_tape_on_recover(handle_, &detail::destroy<F>, held);
      if (status != ADMPI_SUCCESS) {
        delete held;
        detail::raise(status);
      }
      detail::check(admpi_tape_callback(handle_, in, n_in, value, n_out, &detail::reverse_callback<F>, held, 0, y_out));
    }
  }
  template <class F>
  std::vector<var> callback(const std::vector<var> &in, const std::vector<double> &value, F reverse) {
    std::vector<var> out(value.size());
    callback(in.data(), static_cast<std::int64_t>(in.size()), value.data(), static_cast<std::int64_t>(value.size()),
             out.data(), std::move(reverse));
    return out;
  }

  /// Records a value whose partial derivatives with respect to operand[0..n] are known.
  var precomputed(double value, const var *operand, const double *partial, std::int64_t n) {
    var y;
    detail::check(admpi_tape_precomputed(handle_, value, operand, partial, n, &y));
    return y;
  }

  tape_statistics statistics() const {
    tape_statistics statistics;
    detail::check(admpi_tape_statistics(handle_, &statistics));
    return statistics;
  }
  /// Turns the profile on or off: what each admpi::region costs, forward and in sweeps. Turning it on forgets what was counted
  /// before.
  void set_profile(bool on) { detail::check(admpi_tape_set_profile(handle_, on ? 1 : 0)); }
  /// The profile as it is now. Printed, it is a table of the ten dearest regions.
  admpi::profile profile() const { return admpi::profile(handle_); }
#if ADMPI_HAVE_MPI
  /// The profile of all ranks, on rank 0 of comm; on the others it is empty. All ranks of comm call it.
  admpi::profile profile(MPI_Comm comm) const {
    admpi::profile profile(handle_);
    profile.gather(comm);
    return profile;
  }
#endif
  /// Sets the bytes that the tape may use; 0 is the default. A recording that exceeds them throws limit_error.
  void set_limit(std::uint64_t bytes) { detail::check(admpi_tape_set_limit(handle_, bytes)); }
  /// Returns committed but unused memory to the system.
  void trim() { detail::check(admpi_tape_trim(handle_)); }

 protected:
  admpi_tape *handle_;

 private:
  template <class T>
  std::vector<double> adjoints_of(const T *x, std::size_t n, int direction) const {
    std::vector<double> out(n * detail::actives_in<T>);
    adjoints(x, static_cast<std::int64_t>(n), out.data(), direction);
    return out;
  }
};

/// The thread's current tape; without one its methods throw no_tape_error.
inline tape_ref current_tape() noexcept { return tape_ref(admpi_tls_tape); }

/// The derivative of a var is its adjoint on the thread's current tape. Before the sweep, setting it seeds a result; after
/// the sweep, derivative(x) reads that of an input. For a tangent it is the derivative in the direction, for a plain number 0.
inline void set_derivative(const var &y, double weight) { current_tape().seed(y, weight); }
inline double derivative(const var &x) { return current_tape().adjoint(x); }

/// A tape. It is the thread's current one from construction to destruction, which restores the previous one.
class tape : public tape_ref {
 public:
  tape() : tape_ref(nullptr) {
    detail::check(admpi_tape_new(&handle_));
    const int status = admpi_tape_activate(handle_, &previous_);
    if (status != ADMPI_SUCCESS) {
      admpi_tape_free(handle_);
      detail::raise(status);
    }
    below_ = newest();
    admpi_tls_cxx.tape = this;
  }
  tape(const tape &) = delete;
  tape &operator=(const tape &) = delete;

  /// Tapes may be destroyed in any order: a tape above this one takes over which tape to restore.
  ~tape() {
    if (newest() == this) {
      admpi_tls_cxx.tape = below_;
    } else {
      for (tape *above = newest(); above != nullptr; above = above->below_) {
        if (above->below_ == this) {
          above->below_ = below_;
          above->previous_ = previous_;
          break;
        }
      }
    }
    if (admpi_tls_tape == handle_) admpi_tape_activate(previous_, nullptr);
    admpi_tape_free(handle_);
  }

 private:
  static tape *newest() noexcept { return static_cast<tape *>(admpi_tls_cxx.tape); }

  admpi_tape *previous_ = nullptr;
  tape *below_ = nullptr;
};

/// A nest on the current tape: what is recorded inside is swept alone and forgotten at the end of the scope. Its sweeps add
/// to the adjoints of the values from outside that it uses, and a later sweep outside propagates them further. If flags is
/// ADMPI_NEST_ISOLATED, these values are constants, and their adjoints do not change.
class nested {
 public:
  explicit nested(int flags = 0) : nested(current_tape(), flags) {}
  explicit nested(tape_ref tape, int flags = 0) : handle_(tape.handle()) {
    detail::check(admpi_tape_start_nested(handle_, flags, &nest_));
  }
  nested(const nested &) = delete;
  nested &operator=(const nested &) = delete;

  /// If a nest cannot be closed, because another one inside is open, the next sweep fails.
  ~nested() {
    if (!open_) return;
    const int status = admpi_tape_recover_nested(handle_, nest_);
    if (status != ADMPI_SUCCESS) admpi_detail_tape_fail(handle_, status);
  }

  /// Closes the nest before the end of the scope. Unlike the destructor, it can throw.
  void recover() {
    detail::check(admpi_tape_recover_nested(handle_, nest_));
    open_ = false;
  }

 private:
  admpi_tape *handle_;
  admpi_nest nest_;
  bool open_ = true;
};

/// A section that the tape that is current at its beginning does not record.
class passive {
 public:
  passive() : handle_(admpi_tls_tape), was_recording_(handle_->recording != 0) {
    if (was_recording_) detail::check(admpi_tape_stop(handle_));
  }
  passive(const passive &) = delete;
  passive &operator=(const passive &) = delete;
  ~passive() {
    if (was_recording_) admpi_tape_start(handle_);
  }

 private:
  admpi_tape *handle_;
  bool was_recording_;
};

namespace detail {

/// The weight of the result of a function. The result may be constant.
inline double weight_of(const var &y) noexcept { return y.id != 0 ? 1.0 : 0.0; }

/// Calls fn with a tape that records, from which nothing is left afterwards: a nest of the current tape, or a tape of its
/// own if the thread has none.
template <class F>
void in_nest(F &&fn) {
  // What stands for no tape has no ids to give.
  if (admpi_tls_tape->next_id != 0) {
    nested nest(ADMPI_NEST_ISOLATED);
    current_tape().start();  // until the nest is recovered
    fn(current_tape());
    nest.recover();
  } else {
    tape tape;
    tape.start();
    fn(static_cast<tape_ref &>(tape));
  }
}

/// The gradient at x of what seed(tape, f(x)) seeds.
template <class F, class Seed>
std::vector<double> gradient_of(F &&f, const std::vector<double> &x, double *value_out, Seed &&seed) {
  std::vector<double> result(x.size());
  in_nest([&](tape_ref tape) {
    std::vector<var> active(x.begin(), x.end());
    if (!active.empty()) tape.input(active);
    const var y = f(static_cast<const std::vector<var> &>(active));
    seed(tape, y);
    tape.reverse();
    tape.adjoints(active.data(), static_cast<std::int64_t>(active.size()), result.data());
    if (value_out != nullptr) *value_out = y.value;
  });
  return result;
}

}  // namespace detail

/// The gradient of f at x. f takes a std::vector<var> and returns a var. Uses a nest of the current tape, or a new tape if the
/// thread has none. Values from outside the function are constants. If all ranks call it together, the gradient is that of
/// the sum of what f returns on the ranks, with respect to this rank's x.
template <class F>
std::vector<double> gradient(F &&f, const std::vector<double> &x, double *value_out = nullptr) {
  return detail::gradient_of(std::forward<F>(f), x, value_out, [](tape_ref tape, const var &y) {
    tape.seed(y, detail::weight_of(y));
  });
}

#if ADMPI_HAVE_MPI
/// How the inputs of a function are distributed over the ranks.
enum class inputs {
  distributed,  ///< each rank has its own inputs
  replicated    ///< every rank has the same inputs
};

namespace detail {

inline void check_mpi(int code, const char *function) {
  if (code != MPI_SUCCESS) raise(ADMPI_ERR_MPI, (std::string(function) + ": communication of the ranks failed").c_str());
}

/// What f returns is the same on all ranks, but for rounding. Where it is not, an Allreduce was forgotten.
inline void check_replicated(const char *function, double value, MPI_Comm comm) {
  double ends[2] = {-value, value};
  check_mpi(AMPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, comm), function);
  const double least = -ends[0], greatest = ends[1];
  if (!(greatest - least > 1e-12 * std::fmax(std::fabs(least), std::fabs(greatest)))) return;
  char why[300];
  std::snprintf(why, sizeof why,
                "%s: f returned %.17g on this rank, and from %.17g to %.17g on all ranks. It must return the same on all, such as "
                "the result of an Allreduce",
                function, value, least, greatest);
  raise(ADMPI_ERR_ARGUMENT, why);
}

}  // namespace detail

/// The gradient of an objective that all ranks of comm compute together. All of them call it. f returns the objective, the
/// same on every rank, such as the result of an Allreduce. Distributed inputs: returns the derivatives with respect to this
/// rank's x. Replicated inputs: returns the whole gradient on every rank. Otherwise as above.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT on all ranks if f returned different values
template <class F>
std::vector<double> gradient(F &&f, const std::vector<double> &x, MPI_Comm comm, inputs layout, double *value_out = nullptr) {
  std::vector<double> result = detail::gradient_of(std::forward<F>(f), x, value_out, [comm](tape_ref tape, const var &y) {
    detail::check_replicated("gradient", y.value, comm);
    tape.seed_replicated(y, comm, detail::weight_of(y));
  });
  if (layout == inputs::replicated) {
    const int code = AMPI_Allreduce_c(MPI_IN_PLACE, result.data(), static_cast<MPI_Count>(result.size()), MPI_DOUBLE,
                                      MPI_SUM, comm);
    if (code != MPI_SUCCESS) detail::raise(ADMPI_ERR_MPI, "gradient: the sum of the ranks' derivatives failed");
  }
  return result;
}
#endif

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
