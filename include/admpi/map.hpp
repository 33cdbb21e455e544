// admpi: a function mapped over many jobs, serially, on threads or on MPI ranks, and differentiated as if the caller's tape
// had recorded every job.
//
//   const admpi::map_function f("decay", [](const auto &job) {
//     job.y[0] = exp(-job.shared[0] * job.x_r[0]) * job.params[0];
//   });
//   admpi::map_workers workers(ADMPI_MAP_THREADS);
//   admpi::map_data data(workers, values);                                      // sent once
//   std::vector<admpi::var> y = admpi::map_rect(f, shared, params, data);       // one block on the tape
#ifndef ADMPI_MAP_HPP
#define ADMPI_MAP_HPP

#include <array>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "admpi/map.h"
#include "admpi/tangent.hpp"
#include "admpi/varmat.hpp"
#if ADMPI_HAVE_MPI
#include "admpi/map_service.h"
#endif

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// Some elements of an array, which it does not own.
template <class T>
class span {
 public:
  span() noexcept = default;
  span(T *data, std::int64_t size) noexcept : data_(data), size_(size) {}
  /// Of constants, from one of variables.
  template <class U, std::enable_if_t<std::is_same<const U, T>::value, int> = 0>
  span(const span<U> &of) noexcept : data_(of.data()), size_(static_cast<std::int64_t>(of.size())) {}

  T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(size_); }
  bool empty() const noexcept { return size_ == 0; }
  T &operator[](std::size_t k) const noexcept { return data_[k]; }
  T *begin() const noexcept { return data_; }
  T *end() const noexcept { return data_ + size_; }

 private:
  T *data_ = nullptr;
  std::int64_t size_ = 0;
};

/// The argument of a map's function for one job, with the scalar T. The function runs on a tape of the library. Its results
/// may depend on no active values except `shared` and `params`.
template <class T>
struct map_job {
  using scalar = T;

  span<const T> shared;           ///< the parameters of all jobs
  span<const T> params;           ///< the parameters of this job
  span<const double> x_r;         ///< this job's data
  span<const std::int32_t> x_i;
  span<T> y;                      ///< the results, which the function sets; zeros on entry

  /// The data that all jobs share.
  span<const double> shared_r() const noexcept {
    std::int64_t n = 0;
    const double *data = admpi_map_shared_r(&n);
    return {data, n};
  }
  span<const std::int32_t> shared_i() const noexcept {
    std::int64_t n = 0;
    const std::int32_t *data = admpi_map_shared_i(&n);
    return {data, n};
  }
  /// The number of the job in the call.
  std::int64_t index() const noexcept { return admpi_map_job(); }
};

/// A job failed. The call of the map throws it on the root, with the text of what the job threw. The next call works.
class ADMPI_CAUGHT map_error : public callback_error {
 public:
  map_error(const char *message, const admpi_map_failure &failure)
      : callback_error(message), job_(failure.job), rank_(failure.rank), cause_(failure.code), text_(failure.text) {}

  /// The number of the job; if several failed, the lowest.
  std::int64_t job() const noexcept { return job_; }
  /// The rank that ran it, 0 without a communicator.
  int rank() const noexcept { return rank_; }
  /// The code of the admpi::error that the job's function threw; -1 if it threw something else; 0 if it threw nothing, but a
  /// call in it failed or a callback threw in its sweep.
  int cause() const noexcept { return cause_; }
  /// Type and text of what it threw, such as "std::domain_error: the dose is negative".
  const std::string &text() const noexcept { return text_; }

 private:
  std::int64_t job_;
  int rank_, cause_;
  std::string text_;
};

/// Scalars, as a tag.
template <class... Scalars>
struct map_scalars {};

namespace detail {

[[noreturn]] inline void raise_argument(const std::string &message) { raise(ADMPI_ERR_ARGUMENT, message.c_str()); }

inline void check_map(int code) {
  if (code == ADMPI_SUCCESS) return;
  forget_thrown();
  if (code == ADMPI_ERR_CALLBACK) {
    const std::string message = admpi_last_error();
    admpi_map_failure failure;
    if (admpi_map_last_failure(&failure) == ADMPI_SUCCESS) throw map_error(message.c_str(), failure);
  }
  raise(code);
}

/// How a scalar is made of active doubles, side by side, and its name among a function's instantiations.
template <class T>
struct map_scalar;
template <>
struct map_scalar<var> {
  static constexpr std::int64_t width = 1;
  static constexpr bool direct = true;
  static std::string name() { return "var"; }
};
template <>
struct map_scalar<double> {
  static constexpr std::int64_t width = 1;
  static constexpr bool direct = false;
  static std::string name() { return "double"; }
  static void store(double x, admpi_var *to) { to[0] = {x, 0, 0}; }
  static double load(const admpi_var *from) { return from[0].value; }
};
template <class T, int N>
struct map_scalar<tangent<T, N>> {
  using part = map_scalar<T>;
  static constexpr std::int64_t width = (1 + N) * part::width;
  static constexpr bool direct = part::direct;
  static std::string name() { return "tangent<" + part::name() + (N > 1 ? ", " + std::to_string(N) : "") + ">"; }
  static void store(const tangent<T, N> &x, admpi_var *to) {
    part::store(x.value, to);
    const auto store_next = [&](const T &one) {
      part::store(one, to += part::width);
      return one;
    };
    one_by_one(store_next, x.derivative);
  }
  static tangent<T, N> load(const admpi_var *from) {
    tangent<T, N> x(part::load(from));
    x.derivative = one_by_one([&](const T &) { return part::load(from += part::width); }, x.derivative);
    return x;
  }
};

/// `n` active doubles as scalars: where they lie or, of plain numbers, a copy that `store` writes back.
template <class T>
class map_scalars_in {
 public:
  map_scalars_in(admpi_var *from, std::int64_t n) : from_(from), all_(reinterpret_cast<T *>(from), n / width) {
    static_assert(!map_scalar<T>::direct || sizeof(T) == sizeof(admpi_var) * width);
    if constexpr (!map_scalar<T>::direct) {
      copy_.resize(all_.size());
      all_ = {copy_.data(), n / width};
      for (T &x : all_) {
        x = map_scalar<T>::load(from);
        from += width;
      }
    }
  }
  span<T> all() const noexcept { return all_; }
  void store() const {
    if constexpr (!map_scalar<T>::direct) {
      admpi_var *to = from_;
      for (const T &x : all_) {
        map_scalar<T>::store(x, to);
        to += width;
      }
    }
  }

 private:
  static constexpr std::int64_t width = map_scalar<T>::width;
  admpi_var *from_;
  std::vector<T> copy_;
  span<T> all_;
};

/// The reverse: scalars, maybe of another type, as active doubles.
template <class T>
class map_scalars_out {
 public:
  template <class U>
  explicit map_scalars_out(span<const U> from) : size_(static_cast<std::int64_t>(from.size()) * map_scalar<T>::width) {
    if constexpr (std::is_same<T, U>::value && map_scalar<T>::direct) {
      data_ = reinterpret_cast<const admpi_var *>(from.data());
    } else {
      copy_.resize(static_cast<std::size_t>(size_));
      admpi_var *to = copy_.data();
      for (const U &x : from) {
        if constexpr (map_scalar<T>::direct) {
          const T scalar(x);
          std::memcpy(to, &scalar, sizeof scalar);
        } else {
          map_scalar<T>::store(T(x), to);
        }
        to += map_scalar<T>::width;
      }
      data_ = copy_.data();
    }
  }
  const admpi_var *data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return size_; }

 private:
  std::vector<admpi_var> copy_;
  const admpi_var *data_;
  std::int64_t size_;
};

/// Runs fn; what it throws becomes a status and a text.
template <class Fn>
std::int32_t guarded_job(Fn &&fn) noexcept {
  try {
    fn();
    return 0;
  } catch (...) {
    return explain_thrown();
  }
}

template <class F, class T>
std::int32_t run_job(const admpi_var *shared, std::int64_t n_shared, const admpi_var *params, std::int64_t n_params,
                     const double *x_r, std::int64_t n_r, const std::int32_t *x_i, std::int64_t n_i, admpi_var *y,
                     std::int64_t n_y, void *f) {
  return guarded_job([&] {
    const map_scalars_in<T> of_all(const_cast<admpi_var *>(shared), n_shared);
    const map_scalars_in<T> own(const_cast<admpi_var *>(params), n_params), results(y, n_y);
    (*static_cast<const F *>(f))(map_job<T>{of_all.all(), own.all(), {x_r, n_r}, {x_i, n_i}, results.all()});
    results.store();
  });
}

/// A function under a name, as long as this lives.
template <class T>
class map_registration {
 public:
  map_registration(const std::string &name, admpi_map_fn fn, void *f) {
    const std::string full = std::is_same<T, var>::value ? name : name + "<" + map_scalar<T>::name() + ">";
    check(admpi_map_register(full.c_str(), fn, f, &number_));
  }
  map_registration(const map_registration &) = delete;
  map_registration &operator=(const map_registration &) = delete;
  ~map_registration() { admpi_map_unregister(number_); }

  std::int32_t number_of() const noexcept { return number_; }

 private:
  std::int32_t number_ = -1;
};

}  // namespace detail

/// A function object for maps, f(const map_job<T> &). Its call operator is const, since several threads may call it at once,
/// and each process has its own captures. The name identifies it on all ranks, which construct it before workers serve.
/// T is var, also for plain numbers, and the types listed as in `map_function f("name", [](const auto &job) { ... },
/// map_scalars<tangent<var>, tangent<double>>{})`.
template <class F, class... Scalars>
class map_function : detail::map_registration<var>, detail::map_registration<Scalars>... {
 public:
  explicit map_function(const std::string &name, F f, map_scalars<Scalars...> = {})
      : detail::map_registration<var>(name, &detail::run_job<F, var>, &f_),
        detail::map_registration<Scalars>(name, &detail::run_job<F, Scalars>, &f_)...,
        f_(std::move(f)) {}

  /// For the C interface: the instantiation for a scalar.
  template <class T>
  std::int32_t number() const noexcept {
    using scalar = std::conditional_t<std::is_same<T, double>::value, var, T>;
    static_assert((std::is_same<scalar, var>::value || ... || std::is_same<scalar, Scalars>::value),
                  "list this scalar among the function's map_scalars");
    return detail::map_registration<scalar>::number_of();
  }

 private:
  F f_;
};

/// Parts of different lengths in succession, one part per job.
template <class T>
class ragged {
 public:
  ragged() = default;
  ragged(std::initializer_list<std::vector<T>> parts) {
    for (const std::vector<T> &part : parts) push_back(part);
  }
  /// Parts of equal length.
  ragged(std::vector<T> values, std::int64_t parts) : values_(std::move(values)) {
    const auto n = static_cast<std::int64_t>(values_.size());
    if (parts < 0 || (parts == 0 ? n != 0 : n % parts != 0)) {
      detail::raise_argument("parts = " + std::to_string(parts) + " does not divide the " + std::to_string(n) + " elements of values");
    }
    for (std::int64_t k = 1; k <= parts; ++k) end_.push_back(n / parts * k);
  }

  /// Where each part ends: ascending; the last is the number of values.
  ragged(std::vector<T> values, std::vector<std::int64_t> ends) : values_(std::move(values)), end_(std::move(ends)) {}

  template <class Part>
  void push_back(const Part &part) {
    values_.insert(values_.end(), std::begin(part), std::end(part));
    end_.push_back(static_cast<std::int64_t>(values_.size()));
  }

  std::int64_t parts() const noexcept { return static_cast<std::int64_t>(end_.size()); }
  const std::vector<T> &values() const noexcept { return values_; }
  /// Where each part ends.
  const std::vector<std::int64_t> &ends() const noexcept { return end_; }
  span<const T> operator[](std::size_t k) const noexcept {
    const std::int64_t begin = k == 0 ? 0 : end_[k - 1];
    return {values_.data() + begin, end_[k] - begin};
  }

 private:
  std::vector<T> values_;
  std::vector<std::int64_t> end_;
};

/// Who does the jobs (this thread, threads or ranks), and measured costs of jobs. With ranks, it exists on rank 0.
class map_workers {
 public:
  /// @param backend ADMPI_MAP_SERIAL, ADMPI_MAP_THREADS, or ADMPI_MAP_DEFAULT: the environment variable ADMPI_MAP
  /// @param threads how many; 0: the environment variable ADMPI_MAP_THREADS, or the number of cores
  explicit map_workers(int backend = ADMPI_MAP_DEFAULT, int threads = 0) {
    detail::check(admpi_map_new(backend, threads, &handle_));
  }
#if ADMPI_HAVE_MPI
  /// On rank 0 of comm, while all other ranks are in map_serve, which the destructor ends.
  /// @param backend ADMPI_MAP_MPI, ADMPI_MAP_MPI_THREADS, one of those above, or ADMPI_MAP_DEFAULT: the choice of the
  ///                environment, or else the ranks
  /// @param threads as above, on each rank
  static map_workers of_ranks(MPI_Comm comm, int backend = ADMPI_MAP_DEFAULT, int threads = 0) {
    admpi_map *handle = nullptr;
    detail::check(admpi_map_new_mpi(comm, backend, threads, &handle));
    return map_workers(handle);
  }
#endif
  map_workers(map_workers &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  map_workers &operator=(const map_workers &) = delete;
  ~map_workers() { admpi_map_free(handle_); }

  /// Changes who does the jobs; measured costs are kept.
  void backend(int backend, int threads = 0) { detail::check(admpi_map_set_backend(handle_, backend, threads)); }

  /// Ends the service of the other ranks; the calling process does the jobs from then on.
  void stop() { detail::check(admpi_map_stop(handle_)); }

  /// For the C interface.
  admpi_map *handle() const noexcept { return handle_; }

 private:
  explicit map_workers(admpi_map *handle) noexcept : handle_(handle) {}

  admpi_map *handle_ = nullptr;
};

#if ADMPI_HAVE_MPI
/// On the ranks of comm except rank 0: does jobs for the map_workers on rank 0, until these are stopped or destroyed.
inline void map_serve(MPI_Comm comm) { detail::check(admpi_map_serve(comm)); }
#endif

/// The data of jobs: one part per job, of any length, and shared data. With an empty x_r or x_i, jobs have no such data.
struct map_values {
  ragged<double> x_r;
  ragged<std::int32_t> x_i;
  std::vector<double> shared_r;
  std::vector<std::int32_t> shared_i;
};

/// Data that have been sent to the workers, for use in calls. Destroy them before the workers.
class map_data {
 public:
  map_data(map_workers &workers, const map_values &values) : map_(workers.handle()) {
    const of_values of(values);
    detail::check(admpi_map_data_new(map_, &of.values, &data_));
  }
  map_data(map_data &&other) noexcept : map_(other.map_), data_(std::exchange(other.data_, {0, 0})) {}
  map_data &operator=(const map_data &) = delete;
  ~map_data() { admpi_map_data_free(map_, data_); }

  /// Replaces the data. Numbers and lengths may change.
  void update(const map_values &values) {
    const of_values of(values);
    detail::check(admpi_map_data_update(map_, data_, &of.values, &data_));
  }

  /// For the C interface.
  admpi_map *map() const noexcept { return map_; }
  const admpi_map_data &handle() const noexcept { return data_; }

 private:
  struct of_values {
    explicit of_values(const map_values &of) {
      const std::int64_t jobs = of.x_r.parts() > of.x_i.parts() ? of.x_r.parts() : of.x_i.parts();
      check_parts("x_r", of.x_r.parts(), jobs);
      check_parts("x_i", of.x_i.parts(), jobs);
      values = {jobs,
                of.x_r.values().data(), size(of.x_r.values()), of.x_r.parts() == 0 ? nullptr : of.x_r.ends().data(),
                of.x_i.values().data(), size(of.x_i.values()), of.x_i.parts() == 0 ? nullptr : of.x_i.ends().data(),
                of.shared_r.data(), size(of.shared_r),
                of.shared_i.data(), size(of.shared_i)};
    }
    static void check_parts(const char *name, std::int64_t parts, std::int64_t jobs) {
      if (parts == jobs || parts == 0) return;
      detail::raise_argument(name + (" has " + std::to_string(parts)) + " parts for " + std::to_string(jobs) + " jobs");
    }
    template <class C>
    static std::int64_t size(const C &c) {
      return static_cast<std::int64_t>(c.size());
    }
    admpi_map_values values;
  };

  admpi_map *map_;
  admpi_map_data data_{0, 0};
};

/// Who does the jobs of a call, and their data: the workers that have the data; workers, without data; or, by default, the
/// calling thread. Inside a job every map runs in the thread of the job.
class map_place {
 public:
  map_place() noexcept = default;
  map_place(const map_workers &workers) noexcept : map(workers.handle()) {}
  map_place(const map_data &data_of_jobs) noexcept : map(data_of_jobs.map()), data(data_of_jobs.handle()) {}

  admpi_map *map = nullptr;
  admpi_map_data data{0, 0};
};

namespace detail {

/// The parameters of jobs in any form: their scalar, their number, their values, and where each job's end.
template <class T>
struct map_jobs {
  using scalar = T;
  std::int64_t count;
  std::vector<T> kept;
  span<const T> values;
  const std::vector<std::int64_t> *end = nullptr;  // nullptr: all of the same length

  std::int64_t length(std::int64_t job) const noexcept {
    if (end == nullptr) return static_cast<std::int64_t>(values.size()) / count;
    const auto k = static_cast<std::size_t>(job);
    return (*end)[k] - (k == 0 ? 0 : (*end)[k - 1]);
  }
};

template <class N, if_arithmetic<N> = 0>
map_jobs<double> jobs_of(N count) {
  static_assert(std::is_integral<N>::value && !std::is_same<N, bool>::value, "the number of jobs is an integer");
  if (count < 0) raise_argument("the number of jobs, " + std::to_string(count) + ", is negative");
  return {static_cast<std::int64_t>(count), {}, {}};
}
template <class T, std::size_t N>
map_jobs<T> jobs_of(const std::array<T, N> &each) {
  return {static_cast<std::int64_t>(N), {}, {each.data(), static_cast<std::int64_t>(N)}};
}
template <class T>
map_jobs<T> jobs_of(const std::vector<T> &each) {
  const auto n = static_cast<std::int64_t>(each.size());
  return {n, {}, {each.data(), n}};
}
template <class T>
map_jobs<T> jobs_of(const ragged<T> &parts) {
  return {parts.parts(), {}, {parts.values().data(), static_cast<std::int64_t>(parts.values().size())}, &parts.ends()};
}
inline map_jobs<var> jobs_of(const view &columns) {
  map_jobs<var> jobs{columns.cols(), columns.vars(), {}};
  jobs.values = {jobs.kept.data(), columns.size()};
  return jobs;
}

template <class T>
span<const T> shared_of(const std::vector<T> &x) {
  return {x.data(), static_cast<std::int64_t>(x.size())};
}
template <class T, std::size_t N>
span<const T> shared_of(const std::array<T, N> &x) {
  return {x.data(), static_cast<std::int64_t>(N)};
}
template <class T>
span<const T> shared_of(const span<T> &x) {
  return {x.data(), static_cast<std::int64_t>(x.size())};
}
inline std::vector<var> shared_of(const view &x) { return x.vars(); }

template <class C>
using map_element = std::decay_t<decltype(shared_of(std::declval<const C &>())[0])>;

/// The scalar of a call: that of all parameters, or of those that are more than plain numbers.
template <class A, class B>
struct map_common {
  static_assert(std::is_same<A, B>::value, "the shared parameters and those of the jobs are of different scalars");
  using type = A;
};
template <>
struct map_common<double, double> {
  using type = double;
};
template <class B>
struct map_common<double, B> {
  using type = B;
};
template <class A>
struct map_common<A, double> {
  using type = A;
};

template <class F>
inline constexpr bool is_map_function = false;
template <class F, class... Scalars>
inline constexpr bool is_map_function<map_function<F, Scalars...>> = true;

/// Calls fn with the number of f's instantiation for R: what has no name is registered for the call, where it lies.
template <class R, class F, class Fn>
decltype(auto) with_function(const F &f, Fn &&fn) {
  if constexpr (is_map_function<F>) {
    return fn(f.template number<R>());
  } else {
    using object = std::decay_t<F>;
    const std::conditional_t<std::is_function<F>::value, object, const object &> here = f;
    const void *where = &here;
    // As long as the object on this stack lives, its place is no other's.
#ifdef __cpp_rtti
    const readable type(typeid(F));
    const char *const type_name = type.name();
#else
    const char *const type_name = __PRETTY_FUNCTION__;
#endif
    char name[256];
    std::snprintf(name, sizeof name, "%p, %.200s", static_cast<const void *>(name), type_name);
    const map_registration<R> function(name, &run_job<object, R>, const_cast<void *>(where));
    return fn(function.number_of());
  }
}

inline std::vector<std::int64_t> scaled(std::vector<std::int64_t> ends, std::int64_t width) {
  for (std::int64_t &end : ends) end *= width;
  return ends;
}

/// A call as the C interface wants it. T: the scalar of the function's instantiation.
template <class T, class S, class J>
class map_arguments {
 public:
  static constexpr std::int64_t width = map_scalar<T>::width;

  map_arguments(std::int32_t function, span<const S> shared, const map_jobs<J> &jobs, const map_place &on)
      : shared_(shared), jobs_(jobs.values) {
    if (jobs.end != nullptr) end_ = scaled(*jobs.end, width);
    call = {};
    call.function = function;
    call.data = on.data;
    call.jobs = jobs.count;
    call.shared = shared_.data();
    call.n_shared = shared_.size();
    call.job = jobs_.data();
    call.n_job = jobs_.size();
    call.job_end = jobs.end != nullptr ? end_.data() : nullptr;
  }
  map_arguments(const map_arguments &) = delete;
  map_arguments &operator=(const map_arguments &) = delete;

  admpi_map_call call;

 private:
  map_scalars_out<T> shared_, jobs_;
  std::vector<std::int64_t> end_;
};

/// The parameters of jobs that are to have as many each: then it need not be said where they end.
template <class Jobs>
auto equal_jobs_of(const Jobs &jobs) {
  auto own = jobs_of(jobs);
  const auto n = static_cast<std::int64_t>(own.values.size());
  if (own.end != nullptr && !own.end->empty() && own.end->back() != n) {
    raise_argument("the last job ends at " + std::to_string(own.end->back()) + " of " + std::to_string(n) + " parameters");
  }
  for (std::int64_t k = 1; own.end != nullptr && k < own.count; ++k) {
    if (own.length(k) == own.length(0)) continue;
    raise_argument("job " + std::to_string(k) + " has " + std::to_string(own.length(k)) + " parameters and job 0 has " +
                   std::to_string(own.length(0)) + ": map_rect and map_rect_sum need jobs with equal numbers, map and map_sum do not");
  }
  own.end = nullptr;
  return own;
}

/// Whether each job's results are wanted, or their sum.
enum class map_results { each, sum };

/// `lengths` is nullptr where every job has n_y results, or the sum has.
template <class F, class Shared, class Own>
auto run_map(const F &f, const Shared &shared, const Own &own, const map_place &on, std::int64_t n_y, map_results wanted,
             const std::vector<std::int64_t> *lengths = nullptr) {
  const auto &of_all = shared_of(shared);
  const bool sum = wanted == map_results::sum;
  using S = map_element<Shared>;
  using J = typename Own::scalar;
  using T = typename map_common<S, J>::type;
  // A function of plain numbers is that of active ones, on passive values.
  using R = std::conditional_t<std::is_same<T, double>::value, var, T>;
  return with_function<R>(f, [&](std::int32_t number) {
    const span<const S> all_shared(of_all.data(), static_cast<std::int64_t>(of_all.size()));
    map_arguments<R, S, J> arguments(number, all_shared, own, on);
    std::vector<std::int64_t> end;
    if (n_y < 0) raise_argument("n_y = " + std::to_string(n_y) + " is negative");
    std::int64_t all = sum ? n_y : n_y * own.count;
    if (lengths != nullptr) {
      if (static_cast<std::int64_t>(lengths->size()) != own.count) {
        raise_argument("lengths has " + std::to_string(lengths->size()) + " elements, but there are " + std::to_string(own.count) + " jobs");
      }
      all = 0;
      for (const std::int64_t length : *lengths) {
        if (length < 0) raise_argument("lengths[" + std::to_string(end.size()) + "] is " + std::to_string(length));
        end.push_back(all += length);
      }
      arguments.call.y_end = (end = scaled(std::move(end), arguments.width)).data();
    }
    arguments.call.n_y = all * arguments.width;
    std::vector<T> results(static_cast<std::size_t>(all));
    const auto run = [&](admpi_var *y) {
      check_map(sum ? admpi_map_run_sum(on.map, &arguments.call, y) : admpi_map_run(on.map, &arguments.call, y));
    };
    if constexpr (map_scalar<T>::direct) {
      run(reinterpret_cast<admpi_var *>(results.data()));
    } else {
      std::vector<admpi_var> y(static_cast<std::size_t>(arguments.call.n_y));
      run(y.data());
      for (std::size_t k = 0; k < results.size(); ++k) results[k] = map_scalar<T>::load(&y[k * arguments.width]);
    }
    return results;
  });
}

}  // namespace detail

/// Calls f for all jobs. All jobs have the same number of parameters, and `n_y` results each. Returns the results job by job.
///
/// @param f       a map_function, or any function object that one accepts; other ranks do not know the latter
/// @param shared  a std::vector, std::array or span; for var also a matrix
/// @param jobs    the number of jobs, if they have no parameters of their own; a std::vector with one per job; ragged parts; for var also
///                a matrix with one column per job
/// @param on      map_data, map_workers or, by default, the calling thread
///
/// The results are double, var, `tangent<double>`, a tangent of it or `tangent<var>`, like the parameters. If only one of
/// shared and jobs is double, its values are constants. Results of type var and `tangent<var>` are on the caller's tape, as
/// if it had recorded f for every job. Throws map_error if a job fails, argument_error and others if the call is wrong.
template <class F, class Shared, class Jobs>
auto map_rect(const F &f, const Shared &shared, const Jobs &jobs, const map_place &on = {}, std::int64_t n_y = 1) {
  return detail::run_map(f, shared, detail::equal_jobs_of(jobs), on, n_y, detail::map_results::each);
}

/// The same for jobs with different numbers of parameters and results: job k has lengths[k] results.
template <class F, class Shared, class Jobs>
auto map(const F &f, const Shared &shared, const Jobs &jobs, const std::vector<std::int64_t> &lengths, const map_place &on = {}) {
  return detail::run_map(f, shared, detail::jobs_of(jobs), on, 0, detail::map_results::each, &lengths);
}

/// The sum over the jobs of their results, n_y each. The results of a single job do not leave its worker. All jobs have the
/// same number of parameters.
template <class F, class Shared, class Jobs>
auto map_rect_sum(const F &f, const Shared &shared, const Jobs &jobs, const map_place &on = {}, std::int64_t n_y = 1) {
  return detail::run_map(f, shared, detail::equal_jobs_of(jobs), on, n_y, detail::map_results::sum);
}

/// The same for jobs with different numbers of parameters.
template <class F, class Shared, class Jobs>
auto map_sum(const F &f, const Shared &shared, const Jobs &jobs, const map_place &on = {}, std::int64_t n_y = 1) {
  return detail::run_map(f, shared, detail::jobs_of(jobs), on, n_y, detail::map_results::sum);
}

/// Value, gradient and Hessian of each result: gradients have d numbers and Hessians d * d, where d counts the shared
/// parameters, which come first, and the job's own.
struct map_hessians {
  std::vector<double> value;
  ragged<double> gradient;
  ragged<double> hessian;
};

/// Second derivatives of all results, `n_y` per job, at plain numbers. f is a map_function that lists `tangent<var>`, or any
/// function object as in map_rect.
template <class F, class Shared = std::vector<double>, class Jobs>
map_hessians map_hessian(const F &f, const Shared &shared, const Jobs &jobs, const map_place &on = {},
                         std::int64_t n_y = 1) {
  const auto own = detail::jobs_of(jobs);
  static_assert(std::is_same<typename std::decay_t<decltype(own)>::scalar, double>::value, "map_hessian takes plain numbers as parameters, and gives plain numbers");
  // On var: the library makes the pairs.
  return detail::with_function<tangent<var>>(f, [&](std::int32_t number) {
    const auto &of_all = detail::shared_of(shared);
    const span<const double> all_shared(of_all.data(), static_cast<std::int64_t>(of_all.size()));
    detail::map_arguments<var, double, double> arguments(number, all_shared, own, on);
    arguments.call.n_y = n_y * own.count;
    std::vector<std::int64_t> gradient, hessian;
    std::int64_t of_gradient = 0, of_hessian = 0;
    for (std::int64_t k = 0; k < own.count; ++k) {
      const std::int64_t d = arguments.call.n_shared + own.length(k);
      for (std::int64_t i = 0; i < n_y; ++i) {
        gradient.push_back(of_gradient += d);
        hessian.push_back(of_hessian += d * d);
      }
    }
    std::vector<double> value(gradient.size()), g(static_cast<std::size_t>(of_gradient));
    std::vector<double> h(static_cast<std::size_t>(of_hessian));
    detail::check_map(admpi_map_hessian(on.map, &arguments.call, value.data(), g.data(), h.data()));
    return map_hessians{std::move(value), {std::move(g), std::move(gradient)}, {std::move(h), std::move(hessian)}};
  });
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
