// admpi: nested pmap on ranks. A value is a matrix on one device, or one on each device of a node of the device map; on other
// ranks it is a placeholder, so that all ranks run the same code. Not part of admpi.hpp.
//
//   #include <admpi/pmap_ranks.hpp>
//
//   admpi::pmap_ranks p(MPI_COMM_WORLD, admpi::device_map("{1: [1, 3], 2: [2, 4]}"));
//   const auto xs = p.scatter(x, 0, "[]"), ws = p.broadcast(w, "[]");
//   const auto ys = p.run("d", {xs, ws}, [&](const auto &v) { return p.local(multiply, v[0], v[1]); });
//   const admpi::placed y = p.gather(ys, 0);
#ifndef ADMPI_PMAP_RANKS_HPP
#define ADMPI_PMAP_RANKS_HPP

#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/linalg.hpp"
#include "admpi/pmap.hpp"
#include "admpi/pmap_ranks.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// A matrix on a device, or one on each device of a node. Copies are the same matrix.
class placed {
 public:
  placed() = default;
  /// Takes over a value that a C function has made.
  explicit placed(admpi_pmap_value *made) : of_(made, &admpi_pmap_value_free) {}

  /// On how many devices it is.
  std::int64_t count() const {
    std::int64_t n = 0;
    detail::check(admpi_pmap_value_count(get(), &n, nullptr));
    return n;
  }
  /// The device of piece k.
  admpi::device device(std::int64_t k = 0) const { return piece(k).device; }
  /// Rows and columns of piece k; -1 where this rank does not know them.
  std::int64_t rows(std::int64_t k = 0) const { return piece(k).rows; }
  std::int64_t cols(std::int64_t k = 0) const { return piece(k).cols; }
  /// Whether this rank has piece k.
  bool here(std::int64_t k = 0) const { return piece(k).here; }
  /// Piece k, which this rank has.
  varmat matrix(std::int64_t k = 0) const {
    part p = piece(k);
    if (!p.here) detail::raise(ADMPI_ERR_PLACEMENT, "matrix: this rank has a placeholder");
    return std::move(p.matrix);
  }

  /// For the C interface.
  const admpi_pmap_value *get() const noexcept { return of_.get(); }

 private:
  struct part {
    admpi::device device = -1;
    std::int64_t rows = -1, cols = -1;
    bool here = false;
    varmat matrix;
  };
  part piece(std::int64_t k) const {
    part p;
    admpi_varmat *matrix = nullptr;
    detail::check(admpi_pmap_value_piece(get(), k, &p.device, &p.rows, &p.cols, &matrix));
    p.here = matrix != nullptr;
    if (p.here) p.matrix = varmat(matrix);
    return p;
  }

  std::shared_ptr<admpi_pmap_value> of_;
};

/// The ranks of a communicator as the devices of a map. Constructed, destroyed and used by all of them alike.
class pmap_ranks {
 public:
  /// Rank r is device r, or ranks[r].
  pmap_ranks(MPI_Comm comm, const device_map &map, device root = 0, const devices &ranks = {}) {
    detail::check(admpi_pmap_new(comm, map.get(), ranks.empty() ? nullptr : ranks.data(), root, &of_));
  }
  pmap_ranks(const pmap_ranks &) = delete;
  pmap_ranks &operator=(const pmap_ranks &) = delete;
  ~pmap_ranks() { admpi_pmap_free(of_); }

  /// The device of this rank.
  device here() const {
    device own = -1;
    detail::check(admpi_pmap_device(of_, &own, nullptr));
    return own;
  }
  /// The device whose body this rank runs; outside of bodies the root.
  device home() const {
    device own = -1, home = -1;
    detail::check(admpi_pmap_device(of_, &own, &home));
    return home;
  }

  /// The matrix that `make` returns on a device; it is called on that rank only.
  template <class F>
  placed place(device d, F make) const {
    const varmat own = here() == d ? varmat(make()) : varmat();
    return made([&](admpi_pmap_value **out) {
      return admpi_pmap_place(of_, d, here() == d ? own.handle() : nullptr, -1, -1, out);
    });
  }

  placed scatter(const placed &x, int dim, const std::string &keys) const {
    return made([&](admpi_pmap_value **out) { return admpi_pmap_scatter(of_, x.get(), dim, keys.c_str(), out); });
  }
  placed broadcast(const placed &x, const std::string &keys) const {
    return made([&](admpi_pmap_value **out) { return admpi_pmap_broadcast(of_, x.get(), keys.c_str(), out); });
  }
  placed gather(const placed &xs, int dim) const {
    return made([&](admpi_pmap_value **out) { return admpi_pmap_gather(of_, xs.get(), dim, out); });
  }
  placed reduce(const placed &xs) const {
    return made([&](admpi_pmap_value **out) { return admpi_pmap_reduce(of_, xs.get(), out); });
  }
  placed allreduce(const placed &xs) const {
    return made([&](admpi_pmap_value **out) { return admpi_pmap_allreduce(of_, xs.get(), out); });
  }
  /// The piece on a device, by default on that of the body. Nothing moves.
  placed select(const placed &xs, device d = -1) const {
    return made([&](admpi_pmap_value **out) { return admpi_pmap_select(of_, xs.get(), d, out); });
  }

  /// f of matrices on one device, there. On other ranks the result is a placeholder and f is not called.
  template <class F, class... Rest>
  placed local(F f, const placed &x, const Rest &...rest) const {
    const device d = x.device();
    for (const device other : {d, rest.device()...}) {
      if (other == d) continue;
      const std::string why = "local: a value is on device " + std::to_string(other) + ", the first on " + std::to_string(d);
      detail::raise(ADMPI_ERR_PLACEMENT, why.c_str());
    }
    return place(d, [&] { return f(x.matrix(), rest.matrix()...); });
  }

  /// Runs body(values) for each device of the node on which xs are, with the values of that device. It returns one value on it,
  /// or a vector of `results`.
  template <class Body>
  std::vector<placed> run(const std::string &variable, const std::vector<placed> &xs, std::int64_t results, Body body) const {
    std::vector<const admpi_pmap_value *> given;
    for (const placed &x : xs) given.push_back(x.get());
    std::vector<admpi_pmap_value *> out(static_cast<std::size_t>(results));
    detail::check(admpi_pmap_run(of_, variable.c_str(), &call<Body>, &body, given.data(),
                                 static_cast<std::int64_t>(given.size()), results, out.data()));
    return taken(out);
  }
  template <class Body>
  placed run(const std::string &variable, const std::vector<placed> &xs, Body body) const {
    return run(variable, xs, 1, std::move(body)).at(0);
  }

  /// Runs a program that is a text on the ranks, with its inputs on the root. Its values are there, too; the tape records all of
  /// it. If a rank fails, it throws on all.
  std::vector<placed> execute(const pmap_program &program, const std::vector<placed> &xs) const {
    std::vector<const admpi_pmap_value *> given;
    for (const placed &x : xs) given.push_back(x.get());
    std::vector<admpi_pmap_value *> out(static_cast<std::size_t>(program.values()));
    detail::check(admpi_pmap_execute(of_, program.get(), given.data(), static_cast<std::int64_t>(given.size()),
                                     static_cast<std::int64_t>(out.size()), out.data()));
    return taken(out);
  }
  /// The same with the matrices that the root has. Those of other ranks are not looked at.
  std::vector<placed> execute(const pmap_program &program, const std::vector<varmat> &xs) const {
    std::vector<placed> all;
    for (const varmat &x : xs) all.push_back(place(home(), [&] { return x; }));
    return execute(program, all);
  }

  /// Runs a program and lets all ranks learn whether it failed on one of them: then it throws on all.
  template <class F>
  auto program(F f) const {
    if constexpr (std::is_void<decltype(f())>::value) {
      agreed([&] { f(); });
    } else {
      std::unique_ptr<decltype(f())> result;
      agreed([&] { result.reset(new auto(f())); });
      return std::move(*result);
    }
  }

  /// For the C interface.
  admpi_pmap *get() const noexcept { return of_; }

 private:
  template <class Call>
  static placed made(Call f) {
    admpi_pmap_value *value = nullptr;
    detail::check(f(&value));
    return placed(value);
  }
  static std::vector<placed> taken(const std::vector<admpi_pmap_value *> &from) {
    std::vector<placed> all;
    for (admpi_pmap_value *value : from) all.emplace_back(value);
    return all;
  }

  /// Runs f; what it throws becomes a status, whose message is that of admpi_last_error.
  template <class F>
  static std::int32_t status_of(F f) noexcept {
    try {
      f();
      return ADMPI_SUCCESS;
    } catch (const error &e) {
      // Another call may have failed since.
      return std::string(admpi_last_error()) == e.what() ? e.code() : admpi_pmap_fail(e.what());
    } catch (const std::exception &e) {
      return admpi_pmap_fail(e.what());
    } catch (...) {
      return admpi_pmap_fail("an exception that is no std::exception");
    }
  }

  template <class Body>
  static std::int32_t call(admpi_pmap *, std::int64_t, const admpi_pmap_value *const *inputs, std::int64_t n_inputs,
                           admpi_pmap_value **outputs, std::int64_t n_outputs, void *body) {
    return status_of([&] {
      std::vector<placed> values;
      for (std::int64_t k = 0; k < n_inputs; ++k) {
        admpi_pmap_value *copy = nullptr;
        detail::check(admpi_pmap_value_copy(inputs[k], &copy));
        values.emplace_back(copy);
      }
      const std::vector<placed> results = as_vector((*static_cast<Body *>(body))(values));
      for (std::int64_t k = 0; k < n_outputs && k < static_cast<std::int64_t>(results.size()); ++k) {
        detail::check(admpi_pmap_value_copy(results[static_cast<std::size_t>(k)].get(), &outputs[k]));
      }
    });
  }
  static std::vector<placed> as_vector(placed one) { return {std::move(one)}; }
  static std::vector<placed> as_vector(std::vector<placed> all) { return all; }

  template <class F>
  void agreed(F f) const {
    const std::int32_t code = status_of(f);
    detail::check(admpi_pmap_agree(of_, code, nullptr));
  }

  admpi_pmap *of_ = nullptr;
};

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
