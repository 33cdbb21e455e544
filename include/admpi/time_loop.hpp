// admpi: a long time loop on a short tape. States are kept at some steps; a sweep runs and records the others again.
//
//   admpi::time_loop loop(tape);      // chooses by what a step takes, and the memory there is
//   loop.state(u, v);                 // what steps read and write
//   loop.parameters(k);               // what they only read
//   loop.run(1000, [&](std::int64_t step) { model.step(u, v, k); });
//   tape.seed(cost(u)); tape.reverse();
#ifndef ADMPI_TIME_LOOP_HPP
#define ADMPI_TIME_LOOP_HPP

#include <algorithm>
#include <array>
#include <memory>
#include <string>
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

/// std::complex, which only programs that use it include.
template <class T>
using if_complex = std::void_t<typename T::value_type, decltype(std::declval<const T &>().real()), decltype(std::declval<const T &>().imag())>;

/// What a number is made of, and nothing else.
template <class T, class = void>
struct part_of {
  using type = T;
};
template <class T, int N>
struct part_of<tangent<T, N>> : part_of<T> {};
template <class T>
struct part_of<T, if_complex<T>> : part_of<typename T::value_type> {};
template <class T, std::size_t N>
struct part_of<std::array<T, N>> : part_of<T> {};

/// Whether that is an active value, such as var and float_var, or a plain one.
template <class T, class P = typename part_of<T>::type>
inline constexpr bool is_active_number = std::is_base_of<admpi_var, P>::value && sizeof(P) == sizeof(admpi_var);
template <class T>
inline constexpr bool is_passive_number = std::is_arithmetic<typename part_of<T>::type>::value;

/// The elements of a container, or of an array.
template <class T, class = void>
struct number_in {
  using type = std::remove_all_extents_t<T>;
};
template <class C>
struct number_in<C, std::void_t<decltype(std::declval<C &>().data())>> {
  using type = std::remove_pointer_t<decltype(std::declval<C &>().data())>;
};

/// Tells where the elements of a container are.
template <class C>
admpi_var *locate(void *object, std::int64_t *n_out) {
  C &all = *static_cast<C *>(object);
  *n_out = static_cast<std::int64_t>(all.size() * sizeof(typename number_in<C>::type) / sizeof(admpi_var));
  return reinterpret_cast<admpi_var *>(all.data());
}

template <class F>
int run_step(std::int64_t step, void *f) {
  return guarded([&] { static_cast<F *>(f)->step(step); });
}

/// A condition may ask for the number of the step.
template <class C>
auto ask(C &condition, std::int64_t step, int) -> decltype(static_cast<bool>(condition(step))) {
  return static_cast<bool>(condition(step));
}
template <class C>
bool ask(C &condition, std::int64_t, long) {
  return static_cast<bool>(condition());
}

template <class F>
int ask_condition(std::int64_t step, void *f, std::int32_t *go_on_out) {
  return guarded([&] { *go_on_out = ask(static_cast<F *>(f)->condition, step, 0); });
}

struct unconditional {
  bool operator()(std::int64_t) const { return true; }
};

/// What a run needs. A sweep may need the hooks longer than the loop's object lives.
template <class Condition, class Step>
struct loop_run {
  Condition condition;
  Step step;
  std::vector<std::shared_ptr<void>> held;
};

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

  /// The first steps decide: everything is on the tape if that fits into the budget; else the fewest steps are run again. The
  /// default. On ranks it needs over().
  void automatic() { detail::check(admpi_time_loop_set_schedule(handle_, ADMPI_LOOP_AUTO, 0, 0)); }
  /// The bytes that a run and its sweep may take, for automatic(); 0: what the tape's limit leaves, or the machine has free.
  void budget(std::uint64_t bytes) { detail::check(admpi_time_loop_set_budget(handle_, bytes)); }
  /// Everything is on the tape.
  void all() { detail::check(admpi_time_loop_set_schedule(handle_, ADMPI_LOOP_ALL, 0, 0)); }
  /// The state is kept before every `steps` steps. Each step is run twice.
  void blocks(std::int64_t steps) { detail::check(admpi_time_loop_set_schedule(handle_, ADMPI_LOOP_BLOCKS, 0, steps)); }
  /// At most `snapshots` states are kept, beside the one before the last block, and `block` steps recorded at a time, so that
  /// the fewest steps are run again.
  void binomial(std::int64_t snapshots, std::int64_t block = 1) {
    detail::check(admpi_time_loop_set_schedule(handle_, ADMPI_LOOP_BINOMIAL, snapshots, block));
  }
  /// At most `units` states and recorded blocks are kept, beside the state before the loop. Best where a recorded block is about as
  /// large as a state.
  void mixed(std::int64_t units, std::int64_t block = 1) {
    detail::check(admpi_time_loop_set_schedule(handle_, ADMPI_LOOP_MIXED, units, block));
  }
  /// States may be kept on disk too, at most so many at a time, in a file of each rank without a name. To write and to read one
  /// costs as much as so many runs of a step.
  void disk(const std::string &directory, std::int64_t snapshots, double write = 1.0, double read = 1.0) {
    detail::check(admpi_time_loop_set_disk(handle_, directory.c_str(), snapshots, write, read));
  }
#if ADMPI_HAVE_MPI
  /// The ranks of comm do the loop together: they check that they do the same, and in checking mode fail together.
  void over(MPI_Comm comm) { detail::check(admpi_time_loop_set_comm(handle_, comm)); }
#endif

  /// Declares what steps read and write: numbers of any type, arrays and containers of numbers, matrices. What is not active is kept
  /// as by save().
  template <class... T>
  void state(T &...x) {
    (declare(x, admpi_time_loop_state, admpi_time_loop_state_at, admpi_time_loop_state_matrix_at), ...);
  }
  /// Declares what steps read and none writes. The program may change it after the run. Of what is not active each state has a copy: what
  /// nobody changes need not be declared.
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
    using run = detail::loop_run<detail::unconditional, F>;
    detail::forget_thrown();
    detail::check_sweep(admpi_time_loop_run(handle_, steps, &detail::run_step<run>, new run{{}, std::move(step), held_},
                                            &detail::destroy<run>));
  }
  /// Runs steps while condition(), or condition(step), holds. A sweep does not ask it. The number of steps.
  template <class Condition, class F>
  std::int64_t run_while(Condition condition, F step) {
    using run = detail::loop_run<Condition, F>;
    std::int64_t steps = 0;
    detail::forget_thrown();
    detail::check_sweep(admpi_time_loop_run_while(handle_, &detail::ask_condition<run>, &detail::run_step<run>,
                                                  new run{std::move(condition), std::move(step), held_}, &detail::destroy<run>,
                                                  &steps));
    return steps;
  }

  /// What schedule the last run had.
  struct schedule {
    std::int32_t kind; /* ADMPI_LOOP_ALL and so on */
    std::int64_t snapshots, block;
  };
  schedule chosen() const {
    schedule is{};
    detail::check(admpi_time_loop_schedule(handle_, &is.kind, &is.snapshots, &is.block));
    return is;
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
    } else {
      using number = typename detail::number_in<T>::type;
      constexpr bool is_active = detail::is_active_number<number>;
      static_assert(is_active || detail::is_passive_number<number>,
                    "a time loop's state is a number, an array or a container of numbers, or a varmat: declare the members of other types");
      constexpr bool moves = !std::is_same<number, std::remove_all_extents_t<T>>::value;
      if constexpr (is_active && moves) {
        detail::check(located(handle_, &detail::locate<T>, &x));
      } else if constexpr (is_active) {
        detail::check(array(handle_, reinterpret_cast<admpi_var *>(&x), static_cast<std::int64_t>(sizeof x / sizeof(admpi_var))));
      } else if constexpr (moves) {
        save([&x] { return x; }, [&x](const T &kept) { x = kept; });
      } else {
        number *first = reinterpret_cast<number *>(&x);
        save([first] { return std::vector<number>(first, first + sizeof(T) / sizeof(number)); },
             [first](const std::vector<number> &kept) { std::copy(kept.begin(), kept.end(), first); });
      }
    }
  }

  admpi_time_loop *handle_ = nullptr;
  std::vector<std::shared_ptr<void>> held_;
};

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
