// admpi: a long time loop on a short tape. States are kept at some steps; a sweep runs and records the others again.
//
//   admpi::time_loop loop(tape);
//   loop.binomial(20);                // at most 20 states are kept
//   loop.state(u, v);                 // what steps read and write
//   loop.parameters(k);               // what they only read
//   loop.run(1000, [&](std::int64_t step) { model.step(u, v, k); });
//   tape.seed(cost(u)); tape.reverse();
#ifndef ADMPI_TIME_LOOP_HPP
#define ADMPI_TIME_LOOP_HPP

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/tangent.hpp"
#include "admpi/time_loop.h"
#include "admpi/varmat.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

using time_loop_statistics = admpi_time_loop_statistics;

namespace detail {

/// How many active doubles, side by side, a scalar is.
template <class T>
struct loop_scalar;
template <>
struct loop_scalar<var> {
  static constexpr std::int64_t width = 1;
};
template <class T>
struct loop_scalar<tangent<T>> {
  static constexpr std::int64_t width = 2 * loop_scalar<T>::width;
};

template <class T>
admpi_var *loop_data(T *first) noexcept {
  static_assert(sizeof(T) == sizeof(admpi_var) * loop_scalar<T>::width);
  return reinterpret_cast<admpi_var *>(first);
}

/// Tells where the elements of a container are.
template <class C>
admpi_var *locate(void *object, std::int64_t *n_out) {
  C &all = *static_cast<C *>(object);
  using scalar = std::remove_reference_t<decltype(*all.data())>;
  *n_out = static_cast<std::int64_t>(all.size()) * loop_scalar<scalar>::width;
  return loop_data(all.data());
}

template <class F>
int run_step(std::int64_t step, void *f) {
  return guarded([&] { (*static_cast<F *>(f))(step); });
}

}  // namespace detail

/// A time loop. What is declared lives, at the same address, as long as the tape holds a run; the object itself need not.
class time_loop {
 public:
  explicit time_loop(tape_ref tape = current_tape()) { detail::check(admpi_time_loop_new(tape.handle(), &handle_)); }
  time_loop(const time_loop &) = delete;
  time_loop &operator=(const time_loop &) = delete;
  ~time_loop() { admpi_time_loop_free(handle_); }

  /// For the C interface.
  admpi_time_loop *handle() const noexcept { return handle_; }

  /// Everything is on the tape.
  void all() { detail::check(admpi_time_loop_set_schedule(handle_, ADMPI_LOOP_ALL, 0, 0)); }
  /// The state is kept before every `steps` steps. Each step is run twice.
  void blocks(std::int64_t steps) { detail::check(admpi_time_loop_set_schedule(handle_, ADMPI_LOOP_BLOCKS, 0, steps)); }
  /// At most `snapshots` states are kept, beside the one before the last block, and `block` steps recorded at a time, so that
  /// the fewest steps are run again.
  void binomial(std::int64_t snapshots, std::int64_t block = 1) {
    detail::check(admpi_time_loop_set_schedule(handle_, ADMPI_LOOP_BINOMIAL, snapshots, block));
  }
#if ADMPI_HAVE_MPI
  /// The ranks of comm do the loop together: they check that they do the same, and in checking mode fail together.
  void over(MPI_Comm comm) { detail::check(admpi_time_loop_set_comm(handle_, comm)); }
#endif

  /// Declares what steps read and write: vars, tangents of vars, containers of either, matrices.
  template <class... T>
  void state(T &...x) {
    (declare(x, admpi_time_loop_state, admpi_time_loop_state_at, admpi_time_loop_state_matrix_at), ...);
  }
  /// Declares what steps read and none writes. The program may change it after the run.
  template <class... T>
  void parameters(T &...k) {
    (declare(k, admpi_time_loop_parameters, admpi_time_loop_parameters_at, admpi_time_loop_parameter_matrix_at), ...);
  }
  /// Keeps what is not active, such as a random generator: save() returns a copy, restore(copy) takes the program back to it.
  /// Neither may throw. They live as long as the tape holds a run.
  template <class Save, class Restore>
  void save(Save save, Restore restore) {
    using data = decltype(save());
    using both = std::pair<Save, Restore>;
    auto held = std::make_shared<both>(std::move(save), std::move(restore));
    held_.push_back(held);
    detail::check(admpi_time_loop_save(
        handle_, [](void *ctx) -> void * { return new data(static_cast<both *>(ctx)->first()); },
        [](void *ctx, void *kept) { static_cast<both *>(ctx)->second(*static_cast<const data *>(kept)); },
        [](void *, void *kept) { delete static_cast<data *>(kept); }, held.get()));
  }

  /// Runs step(0), step(1) and so on. If the tape records, it gets one event. What a step throws leaves run(), or the sweep.
  template <class F>
  void run(std::int64_t steps, F step) {
    // A sweep may need the hooks longer than this object lives.
    auto run = [step = std::move(step), held = held_](std::int64_t number) mutable { step(number); };
    using function = decltype(run);
    detail::thrown() = nullptr;
    detail::check_sweep(admpi_time_loop_run(handle_, steps, &detail::run_step<function>, new function(std::move(run)),
                                            &detail::destroy<function>));
  }

  time_loop_statistics statistics() const {
    time_loop_statistics statistics;
    detail::check(admpi_time_loop_statistics_of(handle_, &statistics));
    return statistics;
  }

 private:
  template <class T, class Array, class Located, class Whole>
  void declare(T &x, Array array, Located located, Whole matrix) {
    if constexpr (std::is_same<T, varmat>::value) {
      detail::check(matrix(handle_, [](void *of) { return static_cast<varmat *>(of)->handle(); }, &x));
    } else if constexpr (std::is_array<T>::value) {
      using scalar = std::remove_extent_t<T>;
      detail::check(array(handle_, detail::loop_data(&x[0]), static_cast<std::int64_t>(std::extent<T>::value) * detail::loop_scalar<scalar>::width));
    } else {
      declare_scalars(x, array, located, 0);
    }
  }
  template <class T, class Array, class Located>
  auto declare_scalars(T &x, Array array, Located, int) -> std::void_t<decltype(detail::loop_scalar<T>::width)> {
    detail::check(array(handle_, detail::loop_data(&x), detail::loop_scalar<T>::width));
  }
  template <class C, class Array, class Located>
  void declare_scalars(C &x, Array, Located located, long) {
    detail::check(located(handle_, &detail::locate<C>, &x));
  }

  admpi_time_loop *handle_ = nullptr;
  std::vector<std::shared_ptr<void>> held_;
};

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
