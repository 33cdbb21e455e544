// Random programs with scalar and matrix parts, against the same on plain numbers that carry a derivative along:
// values, <w, J v> == <J^T w, v> in several directions, sweeps repeated and in ranges, matrices afterwards as before.
#include <admpi.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using admpi::var;
using admpi::varmat;
using admpi::view;

namespace {

constexpr int side = 8;
constexpr int matrices = 4;
constexpr int scalars = 3;

/// A number and its derivative in one direction.
using number = admpi::tangent<double>;

/// A matrix of those; every operation makes copies of what it reads.
struct plain {
  std::vector<number> x = std::vector<number>(side * side);
  number &at(int i, int j) { return x[static_cast<std::size_t>(i + side * j)]; }
};

/// A part of a matrix: rows x cols from (i, j) on, every `step`-th row and column, perhaps transposed.
struct part {
  int i, j, rows, cols, step;
  bool turned;
};

template <class F>
void each(const part &p, F f) {
  int k = 0;
  for (int b = 0; b < (p.turned ? p.rows : p.cols); ++b) {
    for (int a = 0; a < (p.turned ? p.cols : p.rows); ++a, ++k) {
      f(k, p.i + (p.turned ? b : a) * p.step, p.j + (p.turned ? a : b) * p.step);
    }
  }
}

std::vector<number> take(plain &m, const part &p) {
  std::vector<number> y;
  each(p, [&](int, int i, int j) { y.push_back(m.at(i, j)); });
  return y;
}

void put(plain &m, const part &p, const std::vector<number> &y) {
  each(p, [&](int k, int i, int j) { m.at(i, j) = y[static_cast<std::size_t>(k)]; });
}

view see(varmat &m, const part &p) {
  const view all = m.block(p.i, p.j, (p.rows - 1) * p.step + 1, (p.cols - 1) * p.step + 1).every(p.step, p.step);
  return p.turned ? all.transpose() : all;
}

/// The program's choices: the same numbers for both worlds.
class choices {
 public:
  explicit choices(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  double real() { return -0.9 + 1.8 * static_cast<double>(engine_() % 10007) / 10007.0; }
  part square(int rows, int cols, bool may_turn = true) {
    part p{0, 0, rows, cols, 1, may_turn && rows == cols && below(3) == 0};
    if (below(3) == 0 && 2 * rows <= side && 2 * cols <= side) p.step = 2;
    p.i = below(side - (rows - 1) * p.step);
    p.j = below(side - (cols - 1) * p.step);
    return p;
  }

 private:
  std::mt19937 engine_;
};

struct arrays {
  std::vector<varmat> m;
  std::vector<var> s;
};
struct numbers {
  std::vector<plain> m;
  std::vector<number> s;
};

template <class T>
auto bounded(const T &x) {
  using std::sin;
  return sin(x);
}

template <class F>
std::vector<number> map(const std::vector<number> &a, const std::vector<number> &b, F f) {
  std::vector<number> y;
  for (std::size_t k = 0; k < a.size(); ++k) y.push_back(f(a[k], b[k]));
  return y;
}

/// One step of a program in both worlds. Values stay below 2 or so.
void step(choices &next, arrays &x, numbers &y) {
  const auto a = static_cast<std::size_t>(next.below(matrices)), b = static_cast<std::size_t>(next.below(matrices)),
             c = static_cast<std::size_t>(next.below(matrices));
  const auto s = static_cast<std::size_t>(next.below(scalars)), t = static_cast<std::size_t>(next.below(scalars));
  const int rows = 1 + next.below(4), cols = 1 + next.below(4), i = next.below(side), j = next.below(side);
  const double r = next.real();
  const int kind = next.below(30);
  CAPTURE(kind);
  const part all{0, 0, side, side, 1, false};
  switch (kind) {
    case 0:
      x.m[c] = sin(elt_multiply(x.m[a], x.m[b]) + r);
      y.m[c].x = map(y.m[a].x, y.m[b].x, [&](const number &p, const number &q) { return sin(p * q + r); });
      break;
    case 1:
      x.m[c] = x.s[s] * x.m[a] - r * exp(-elt_multiply(x.m[b], x.m[b]));
      y.m[c].x = map(y.m[a].x, y.m[b].x,
                     [&, w = y.s[s]](const number &p, const number &q) { return w * p - r * exp(-(q * q)); });
      x.m[c] = bounded(x.m[c]);
      for (number &p : y.m[c].x) p = bounded(p);
      break;
    case 2: {
      x.s[t] = sum(elt_multiply(x.m[a], x.m[b])) / (1.0 * side * side);
      number total = 0.0;
      for (std::size_t k = 0; k < y.m[a].x.size(); ++k) total += y.m[a].x[k] * y.m[b].x[k];
      y.s[t] = total / (1.0 * side * side);
      break;
    }
    case 3:
      x.s[t] = bounded(x.m[a](i, j) * x.s[s] + r);
      y.s[t] = bounded(y.m[a].at(i, j) * y.s[s] + r);
      break;
    case 4:
      x.m[a](i, j) = x.s[s];
      y.m[a].at(i, j) = y.s[s];
      break;
    case 5:
      x.m[a](i, j) = bounded(x.m[b](j, i) * x.m[c](i, i) + x.s[t]);
      y.m[a].at(i, j) = bounded(y.m[b].at(j, i) * y.m[c].at(i, i) + y.s[t]);
      break;
    case 6: {  // a part to a part, which may overlap
      const part p = next.square(rows, cols), q = next.square(rows, cols);
      see(x.m[a], p) = see(x.m[b], q);
      put(y.m[a], p, take(y.m[b], q));
      break;
    }
    case 7: {
      const part p = next.square(rows, cols), q = next.square(rows, cols), o = next.square(rows, cols);
      see(x.m[a], p) = bounded(see(x.m[b], q) * x.s[s] + r * see(x.m[a], o));
      put(y.m[a], p, map(take(y.m[b], q), take(y.m[a], o), [&, w = y.s[s]](const number &u, const number &v) {
            return bounded(u * w + r * v);
          }));
      break;
    }
    case 8: {  // most of a matrix
      const part p = next.square(5, 5), q = next.square(5, 5);
      see(x.m[a], p) = see(x.m[a], q) * 0.5 - r * see(x.m[b], p);
      put(y.m[a], p,
          map(take(y.m[a], q), take(y.m[b], p), [&](const number &u, const number &v) { return u * 0.5 - r * v; }));
      break;
    }
    case 9:
      x.m[a] = x.m[b];
      y.m[a] = y.m[b];
      break;
    case 10: x.m[a].compact(); break;
    case 11:
      x.m[c] = select(x.m[a] < x.m[b] && x.m[a] != r, elt_multiply(x.m[a], x.m[b]), x.m[b] / 2.0);
      y.m[c].x = map(y.m[a].x, y.m[b].x, [&](const number &p, const number &q) {
        return p < q && p.value != r ? number(p * q) : number(q / 2.0);
      });
      break;
    case 12: {
      x.m[c] = cumulative_sum(x.m[a]) / 20.0;
      number total = 0.0;
      std::vector<number> sums;
      for (const number &p : y.m[a].x) sums.push_back((total += p) / 20.0);
      y.m[c].x = sums;
      break;
    }
    case 13: {
      const varmat joined = admpi::hcat({x.m[a].block(0, 0, side, j), x.m[b].block(0, j, side, side - j)});
      x.m[c] = joined;
      plain z;
      each(all, [&](int, int k, int l) { z.at(k, l) = l < j ? y.m[a].at(k, l) : y.m[b].at(k, l); });
      y.m[c] = z;
      break;
    }
    case 14: {
      std::vector<std::int64_t> index;
      std::vector<number> some;
      for (int k = 0; k < 5; ++k) {
        index.push_back(next.below(side * side));
        some.push_back(y.m[b].x[static_cast<std::size_t>(index.back())]);
      }
      const varmat gathered = x.m[b].gather(index);
      for (auto &k : index) k = next.below(side * side);
      if (r < 0.0) {
        x.m[a].scatter(index, gathered);
        for (std::size_t k = 0; k < 5; ++k) y.m[a].x[static_cast<std::size_t>(index[k])] = some[k];
      } else {
        x.m[a] = bounded(scatter_add(x.m[a], index, gathered));
        for (std::size_t k = 0; k < 5; ++k) y.m[a].x[static_cast<std::size_t>(index[k])] += some[k];
        for (number &p : y.m[a].x) p = bounded(p);
      }
      break;
    }
    case 15: {
      const var held = x.m[a](i, j);
      x.m[a](i, j) = x.m[a](j, i);
      x.m[a](j, i) = held;
      std::swap(y.m[a].at(i, j), y.m[a].at(j, i));
      break;
    }
    case 16: {
      x.m[c] = multiply(x.m[a], x.m[b].transpose()) / (1.0 * side);
      plain z;
      each(all, [&](int, int k, int l) {
        number total = 0.0;
        for (int o = 0; o < side; ++o) total += y.m[a].at(k, o) * y.m[b].at(l, o);
        z.at(k, l) = total / (1.0 * side);
      });
      y.m[c] = z;
      break;
    }
    case 17:
      x.m[a].row(i) = x.m[b].col(j).transpose();
      put(y.m[a], {i, 0, 1, side, 1, false}, take(y.m[b], {0, j, side, 1, 1, false}));
      break;
    case 18:
      x.m[a] += r * x.m[b];
      x.m[a] *= 0.5;
      y.m[a].x = map(y.m[a].x, y.m[b].x, [&](const number &p, const number &q) { return (p + r * q) * 0.5; });
      break;
    case 19: {
      std::vector<var> elements = x.m[a].vars();
      std::rotate(elements.begin(), elements.begin() + 7, elements.end());
      x.m[b] = varmat(side, side, elements.data());
      std::vector<number> turned = y.m[a].x;
      std::rotate(turned.begin(), turned.begin() + 7, turned.end());
      y.m[b].x = turned;
      break;
    }
    case 20: {
      const part p = next.square(rows, cols, false);
      see(x.m[a], p) = r;
      put(y.m[a], p, std::vector<number>(static_cast<std::size_t>(rows * cols), number(r)));
      x.s[t] = max_element(x.m[b]);
      number most = y.m[b].x[0];
      for (const number &q : y.m[b].x) {
        if (most < q) most = q;
      }
      y.s[t] = most;
      break;
    }
    case 21: {  // some elements as scalars, which may come from anywhere
      const std::vector<var> elements = x.m[b].col(j).vars();
      x.m[a].col(i) = elements;
      put(y.m[a], {0, i, side, 1, 1, false}, take(y.m[b], {0, j, side, 1, 1, false}));
      break;
    }
    case 22:
      x.m[a].col(i) = bounded(x.m[b].col(j) * x.s[s] + r);
      put(y.m[a], {0, i, side, 1, 1, false},
          map(take(y.m[b], {0, j, side, 1, 1, false}), y.m[b].x,
              [&, w = y.s[s]](const number &u, const number &) { return bounded(u * w + r); }));
      break;
    case 23:
      x.m[a].col(i) = r;
      put(y.m[a], {0, i, side, 1, 1, false}, std::vector<number>(side, number(r)));
      break;
    default: {  // columns to columns, which may overlap
      const int n = 1 + next.below(3), k = next.below(side + 1 - n), l = next.below(side + 1 - n);
      x.m[a].block(0, k, side, n) = x.m[b].block(0, l, side, n);
      put(y.m[a], {0, k, side, n, 1, false}, take(y.m[b], {0, l, side, n, 1, false}));
      break;
    }
  }
}

/// Runs the program of a seed and checks everything about it.
void check_program(unsigned seed, int steps) {
  CAPTURE(seed);
  choices next(seed);
  admpi::tape tape;
  tape.start();
  const admpi::position bottom = tape.position();
  arrays x;
  numbers y;
  std::vector<std::vector<double>> direction;
  double scale = 0.0;
  for (int k = 0; k < matrices; ++k) {
    std::vector<double> value, dot;
    plain m;
    for (number &p : m.x) {
      value.push_back(next.real());
      dot.push_back(next.real());
      p = number(value.back(), dot.back());
    }
    x.m.emplace_back(side, side, value.data());
    tape.input(x.m.back());
    y.m.push_back(m);
    direction.push_back(dot);
  }
  for (int k = 0; k < scalars; ++k) {
    const double value = next.real(), dot = next.real();
    x.s.emplace_back(value);
    tape.input(x.s.back());
    y.s.emplace_back(value, dot);
    direction.push_back({dot});
  }
  const arrays input = x;
  std::vector<admpi::position> places;
  const bool marks = seed % 2 == 0;
  for (int k = 0; k < steps; ++k) {
    step(next, x, y);
    if (marks && k % 7 == 3) places.push_back(tape.position());
  }
  const admpi::position end = tape.position();
  std::vector<double> values, expected;
  for (int k = 0; k < matrices; ++k) {
    for (const double value : x.m[static_cast<std::size_t>(k)].values()) values.push_back(value);
    for (const number &p : y.m[static_cast<std::size_t>(k)].x) expected.push_back(p.value);
  }
  for (int k = 0; k < scalars; ++k) {
    values.push_back(x.s[static_cast<std::size_t>(k)].value);
    expected.push_back(y.s[static_cast<std::size_t>(k)].value);
  }
  int wrong = 0;
  for (std::size_t k = 0; k < values.size(); ++k) wrong += !(std::fabs(values[k] - expected[k]) <= 1e-12);
  REQUIRE(wrong == 0);

  for (const int width : {1, 4}) {
    CAPTURE(width);
    tape.set_width(width);
    std::vector<double> first;
    for (int sweep = 0; sweep < 3; ++sweep) {
      tape.clear_adjoints();
      choices weights(seed + 1000);
      std::vector<double> forward(static_cast<std::size_t>(width), 0.0);
      scale = 0.0;
      for (int d = 0; d < width; ++d) {
        double &sum = forward[static_cast<std::size_t>(d)];
        for (std::size_t k = 0; k < matrices; ++k) {
          std::vector<double> w;
          for (const number &p : y.m[k].x) {
            w.push_back(weights.real());
            sum += w.back() * p.derivative;
            scale += std::fabs(w.back() * p.derivative);
          }
          tape.seed(x.m[k], w, d);
        }
        for (std::size_t k = 0; k < scalars; ++k) {
          const double w = weights.real();
          sum += w * y.s[k].derivative;
          tape.seed(x.s[k], w, d);
        }
      }
      // In one go, and from place to place.
      if (sweep == 1) {
        admpi::position top = end;
        for (auto place = places.rbegin(); place != places.rend(); ++place) {
          tape.reverse(top, *place);
          top = *place;
        }
        tape.reverse(top, bottom);
      } else {
        tape.reverse();
      }
      std::vector<double> adjoints;
      for (int d = 0; d < width; ++d) {
        double back = 0.0;
        for (std::size_t k = 0; k < matrices; ++k) {
          const std::vector<double> g = tape.adjoints(input.m[k], d);
          for (std::size_t l = 0; l < g.size(); ++l) {
            back += g[l] * direction[k][l];
            scale += std::fabs(g[l] * direction[k][l]);
            adjoints.push_back(g[l]);
          }
        }
        for (std::size_t k = 0; k < scalars; ++k) {
          adjoints.push_back(tape.adjoint(input.s[k], d));
          back += adjoints.back() * direction[matrices + k][0];
        }
        INFO("<w, J v> = ", forward[static_cast<std::size_t>(d)], ", <J^T w, v> = ", back);
        CHECK(std::fabs(forward[static_cast<std::size_t>(d)] - back) <= 1e-12 * (scale + 1.0));
      }
      if (sweep == 0) first = adjoints;
      CHECK(std::memcmp(first.data(), adjoints.data(), sizeof(double) * first.size()) == 0);
      std::vector<double> after;
      for (const varmat &m : x.m) {
        for (const double value : m.values()) after.push_back(value);
      }
      CHECK(std::memcmp(after.data(), values.data(), sizeof(double) * after.size()) == 0);
    }
  }

  // Back to a place in the middle, and on from there: matrices of that time are as they were.
  if (!places.empty()) {
    tape.reset_to(places.front());
    for (std::size_t k = 0; k < matrices; ++k) {
      varmat fresh(side, side, input.m[k].values().data());
      tape.input(fresh);
      const var z = dot(fresh, input.m[k]);
      tape.clear_adjoints();
      tape.seed(z);
      tape.reverse();
      CHECK(tape.adjoints(fresh) == input.m[k].values());
    }
  }
}

}  // namespace

TEST_CASE("test_arrays_random") {
  const char *first = std::getenv("ADMPI_RANDOM_SEED");
  const unsigned start = first != nullptr ? static_cast<unsigned>(std::atoi(first)) : 1;
  for (unsigned seed = start; seed < start + 60; ++seed) check_program(seed, 5 + static_cast<int>(seed % 50));
}
