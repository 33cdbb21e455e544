// A map's problem and the same problem as a loop on one tape, for tests of maps.
#ifndef ADMPI_TESTS_MAP_PROBLEM_HPP
#define ADMPI_TESTS_MAP_PROBLEM_HPP

#include <admpi.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/recording_tape.hpp"

namespace map_tests {

using admpi::map_job;
using admpi::map_values;
using admpi::ragged;
using admpi::var;
using numbers = std::vector<double>;
using actives = std::vector<var>;
using once = admpi::tangent<double>;
using twice = admpi::tangent<once>;
using pair = admpi::tangent<var>;

inline bool close(double got, double expected, double digits = 1e-14) {
  return std::fabs(got - expected) <= digits * (1.0 + std::fabs(expected));
}

inline void check_close(const numbers &got, const numbers &expected, double digits = 1e-14) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(close(got[k], expected[k], digits));
  }
}

inline numbers some(std::size_t n, double by) {
  numbers x;
  for (std::size_t k = 0; k < n; ++k) x.push_back(std::sin(by * static_cast<double>(k + 1)));
  return x;
}

inline numbers values_of(const actives &x) {
  numbers values;
  for (const var &each : x) values.push_back(each.value);
  return values;
}

template <class Error, class F>
std::string message(F fn) {
  try {
    fn();
  } catch (const Error &error) {
    return error.what();
  }
  FAIL("no error");
  return "";
}

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Any number of shared and own parameters, data and results.
struct model {
  template <class Job>
  void operator()(const Job &job) const {
    using T = typename Job::scalar;
    T own = 1.0;
    for (std::size_t k = 0; k < job.params.size(); ++k) own += job.params[k] * static_cast<double>(k + 1);
    for (std::size_t i = 0; i < job.y.size(); ++i) {
      T sum = sin(own) * static_cast<double>(i + 1);
      for (std::size_t k = 0; k < job.shared.size(); ++k) {
        const double data = job.x_r.empty() ? 0.5 : job.x_r[(i + k) % job.x_r.size()];
        sum += exp(data * job.shared[k]) * own;
      }
      for (const std::int32_t factor : job.x_i) sum *= static_cast<double>(factor);
      job.y[i] = sum;
    }
  }
};

/// A call's arguments, and the same call as a loop.
struct problem {
  numbers shared;
  ragged<double> params;
  map_values data;
  std::vector<std::int64_t> lengths;

  std::size_t jobs() const { return lengths.size(); }

  static problem rectangular(std::size_t jobs, std::int64_t n_y = 2) {
    problem p;
    p.shared = some(3, 0.7);
    for (std::size_t k = 0; k < jobs; ++k) {
      p.params.push_back(some(2, 1.1 + 0.1 * static_cast<double>(k)));
      p.data.x_r.push_back(some(3, 0.3 + 0.1 * static_cast<double>(k)));
      p.data.x_i.push_back(std::vector<std::int32_t>{static_cast<std::int32_t>(k) + 1});
    }
    p.lengths.assign(jobs, n_y);
    return p;
  }
  static problem of_all_lengths(std::size_t jobs) {
    problem p;
    p.shared = some(2, 0.7);
    for (std::size_t k = 0; k < jobs; ++k) {
      p.params.push_back(some(k % 4, 1.1 + 0.1 * static_cast<double>(k)));
      p.data.x_r.push_back(some((k * 3) % 5, 0.3 + 0.1 * static_cast<double>(k)));
      p.data.x_i.push_back(std::vector<std::int32_t>(k % 3, 2));
      p.lengths.push_back(static_cast<std::int64_t>((k + 2) % 4));
    }
    return p;
  }

  template <class T>
  std::vector<T> loop(const std::vector<T> &of_all, const ragged<T> &own) const {
    std::vector<T> all;
    for (std::size_t k = 0; k < jobs(); ++k) {
      std::vector<T> y(static_cast<std::size_t>(lengths[k]), T(0.0));
      const bool r = data.x_r.parts() != 0, i = data.x_i.parts() != 0;
      model{}(map_job<T>{{of_all.data(), static_cast<std::int64_t>(of_all.size())},
                         own[k],
                         r ? data.x_r[k] : admpi::span<const double>{},
                         i ? data.x_i[k] : admpi::span<const std::int32_t>{},
                         {y.data(), lengths[k]}});
      all.insert(all.end(), y.begin(), y.end());
    }
    return all;
  }
};

/// Values, and the gradient of a weighted sum of the results with respect to all parameters; twice.
using recorded = std::function<actives(const actives &shared, const ragged<var> &params)>;
inline numbers derivatives(const problem &p, const recorded &run, bool active_shared = true, bool active_params = true) {
  test::recording_tape tape;
  actives shared(p.shared.begin(), p.shared.end()), params(p.params.values().begin(), p.params.values().end());
  if (active_shared && !shared.empty()) tape.input(shared);
  if (active_params && !params.empty()) tape.input(params);
  const actives y = run(shared, ragged<var>(params, p.params.ends()));
  const numbers weight = some(y.size(), 2.3);
  numbers all = values_of(y);
  for (int sweep = 0; sweep < 2; ++sweep) {
    tape.clear_adjoints();
    for (std::size_t k = 0; k < y.size(); ++k) tape.seed(y[k], y[k].id != 0 ? weight[k] : 0.0);
    if (!y.empty()) tape.reverse();
    for (const actives *of : {&shared, &params})
      for (const var &x : *of) all.push_back(x.id == 0 ? 0.0 : tape.adjoint(x));
  }
  return all;
}

inline recorded loop_of(const problem &p) {
  return [&p](const actives &shared, const ragged<var> &params) { return p.loop(shared, params); };
}

using several = admpi::tangent<double, 3>;
using all_modes = admpi::map_function<model, once, twice, pair, several>;

/// Tangents and tangents of tangents, which are what a loop gives to the last bit.
inline void check_tangents(const all_modes &f, admpi::map_workers &workers) {
  const problem p = problem::of_all_lengths(7);
  const numbers ds = some(p.shared.size(), 3.1), dp = some(p.params.values().size(), 1.7);
  std::vector<once> shared, params;
  for (std::size_t k = 0; k < ds.size(); ++k) shared.emplace_back(p.shared[k], ds[k]);
  for (std::size_t k = 0; k < dp.size(); ++k) params.emplace_back(p.params.values()[k], dp[k]);
  std::vector<twice> shared_2, params_2;
  for (std::size_t k = 0; k < ds.size(); ++k) shared_2.emplace_back(shared[k], once(ds[ds.size() - 1 - k], 0.3));
  for (const once &x : params) params_2.emplace_back(x, once(0.2, 0.1));
  const ragged<once> own(params, p.params.ends());
  const ragged<twice> own_2(params_2, p.params.ends());
  const auto expected = p.loop(shared, own);
  const auto expected_2 = p.loop(shared_2, own_2);
  const admpi::map_data data(workers, p.data);
  const auto y = admpi::map(f, shared, own, p.lengths, data);
  REQUIRE(y.size() == expected.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    CHECK(y[k].value == expected[k].value);
    CHECK(y[k].derivative == expected[k].derivative);
  }
  const auto z = admpi::map(f, shared_2, own_2, p.lengths, data);
  REQUIRE(z.size() == expected_2.size());
  for (std::size_t k = 0; k < z.size(); ++k) {
    CHECK(z[k].value.value == expected_2[k].value.value);
    CHECK(z[k].value.derivative == expected_2[k].value.derivative);
    CHECK(z[k].derivative.value == expected_2[k].derivative.value);
    CHECK(z[k].derivative.derivative == expected_2[k].derivative.derivative);
  }
  // Along three directions, of which the second is that above.
  std::vector<several> shared_3, params_3;
  for (const once &x : shared) shared_3.push_back({x.value, {{0.0, x.derivative, 1.0}}});
  for (const once &x : params) params_3.push_back({x.value, {{0.0, x.derivative, -1.0}}});
  const ragged<several> own_3(params_3, p.params.ends());
  const auto expected_3 = p.loop(shared_3, own_3);
  const auto u = admpi::map(f, shared_3, own_3, p.lengths, data);
  REQUIRE(u.size() == expected.size());
  for (std::size_t k = 0; k < u.size(); ++k) {
    CHECK(u[k].derivative[0] == 0.0);
    CHECK(u[k].derivative[1] == expected[k].derivative);
    CHECK(u[k].derivative[2] == expected_3[k].derivative[2]);
  }
}

/// Values and derivatives of tangents on the tape: Hessians times vectors.
inline void check_tangents_on_the_tape(const all_modes &f, admpi::map_workers &workers) {
  const problem p = problem::of_all_lengths(7);
  const numbers ds = some(p.shared.size(), 3.1), dp = some(p.params.values().size(), 1.7);
  const auto hessian_times = [&](const auto &run) {
    test::recording_tape tape;
    actives s(p.shared.begin(), p.shared.end()), q(p.params.values().begin(), p.params.values().end()), d(ds.begin(), ds.end());
    tape.input(s);
    tape.input(q);
    tape.input(d);
    std::vector<pair> shared, params;
    for (std::size_t k = 0; k < s.size(); ++k) shared.emplace_back(s[k], d[k]);
    for (std::size_t k = 0; k < q.size(); ++k) params.emplace_back(q[k], var(dp[k]));
    const std::vector<pair> y = run(shared, ragged<pair>(params, p.params.ends()));
    numbers all;
    for (const pair &each : y) {
      all.push_back(each.value.value);
      all.push_back(each.derivative.value);
    }
    for (const bool of_derivative : {false, true}) {
      tape.clear_adjoints();
      for (std::size_t k = 0; k < y.size(); ++k)
        tape.seed(of_derivative ? y[k].derivative : y[k].value, 1.0 + 0.1 * static_cast<double>(k));
      tape.reverse();
      for (const actives *of : {&s, &q, &d})
        for (const var &x : *of) all.push_back(tape.adjoint(x));
    }
    return all;
  };
  const numbers expected = hessian_times([&](const auto &s, const auto &q) { return p.loop(s, q); });
  const admpi::map_data data(workers, p.data);
  check_close(hessian_times([&](const auto &s, const auto &q) { return admpi::map(f, s, q, p.lengths, data); }), expected, 1e-13);
}

/// Calls fn with workers of every kind.
template <class Fn>
void with_workers(Fn fn) {
  for (const int threads : {0, 1, 2, 5}) {
    CAPTURE(threads);
    admpi::map_workers workers(threads == 0 ? ADMPI_MAP_SERIAL : ADMPI_MAP_THREADS, threads);
    fn(workers);
  }
}

}  // namespace map_tests

#endif
