// Random functions, sharded at random, on random trees of the ranks: values, derivatives and bytes are those of the sequential program and
// of the simulation. ADMPI_RANDOM_SEED is the first seed, ADMPI_RANDOM_PROGRAMS how many run at most, and ADMPI_RANDOM_SECONDS for how long.
#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "pmap/problem.hpp"

using admpi::device_map;
using admpi::multiply;
using admpi::pmap_program;
using test::matrices;
using test::problem;
using test::rank;
using test::size;
using test::varmat;

namespace {

/// Numbers that all ranks draw alike.
struct dice {
  std::mt19937 random;
  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return below(n) == 0; }
};

/// One step of a function: an operation on the value so far, perhaps with an input.
struct step {
  std::string name;
  std::size_t input;
};

varmat after(const step &s, const varmat &v, const matrices &in) {
  if (s.name == "MatMul") return multiply(v, in[s.input]);
  if (s.name == "Add") return v + in[s.input];
  if (s.name == "Subtract") return v - in[s.input];
  if (s.name == "Multiply") return elt_multiply(v, in[s.input]);
  if (s.name == "Transpose") return v.transpose();
  if (s.name == "Tanh") return tanh(v);
  if (s.name == "Sin") return sin(v);
  if (s.name == "Cos") return cos(v);
  if (s.name == "ReLU") return 0.5 * (v + abs(v));
  if (s.name == "Negate") return -v;
  varmat total(1, 1);
  total(0, 0) = sum(v);
  return total;
}

/// A chain of operations. Extents are numbers, so that any two may be equal.
problem function(dice &d) {
  const char *plain[] = {"Tanh", "Sin", "Cos", "ReLU", "Negate", "Transpose"};
  const char *with_input[] = {"Add", "Subtract", "Multiply", "MatMul", "MatMul", "MatMul"};
  problem made;
  std::int64_t rows = 1 + d.below(9), cols = 1 + d.below(9);
  made.shapes = {{rows, cols}};
  std::vector<step> steps;
  const int length = 2 + d.below(6);
  std::string body, value = "x0";
  for (int k = 0; k < length; ++k) {
    step s = {plain[d.below(6)], 0};
    if (!d.one_in(3)) s = {with_input[d.below(6)], made.shapes.size()};
    if (k + 1 == length && d.one_in(4)) s = {"Sum", 0};
    std::string operands = value;
    if (s.input > 0) {
      const bool product = s.name == "MatMul";
      made.shapes.push_back(product ? std::make_pair(cols, std::int64_t{1} + d.below(9)) : std::make_pair(rows, cols));
      operands += ", x" + std::to_string(s.input);
      if (product) cols = made.shapes.back().second;
    }
    if (s.name == "Transpose") std::swap(rows, cols);
    value = "v" + std::to_string(k);
    body += "    " + value + " = " + s.name + "(" + operands + ")\n";
    steps.push_back(s);
  }
  std::string head = "def random(";
  for (std::size_t k = 0; k < made.shapes.size(); ++k) {
    const auto &shape = made.shapes[k];
    head += (k == 0 ? "x" : ", x") + std::to_string(k) + ": Tensor[(" + std::to_string(shape.first) + ", " + std::to_string(shape.second) + "), 0]";
  }
  made.text = head + "):\n" + body + "    return " + value + "\n";
  made.same = [steps](const matrices &in) {
    varmat v = in[0];
    for (const step &s : steps) v = after(s, v, in);
    return v;
  };
  return made;
}

/// A map of some of these devices, with lists below `depth` levels of keys.
std::string tree(dice &d, std::vector<int> of, int depth) {
  for (std::size_t k = of.size(); k > 1; --k) std::swap(of[k - 1], of[static_cast<std::size_t>(d.below(static_cast<int>(k)))]);
  if (of.size() > 1 && d.one_in(3)) of.pop_back();
  std::string text;
  if (depth == 0) {
    for (const int device : of) text += (text.empty() ? "" : ", ") + std::to_string(device);
    return "[" + text + "]";
  }
  std::size_t first = 0;
  while (first < of.size()) {
    const std::size_t n = 1 + static_cast<std::size_t>(d.below(static_cast<int>(of.size() - first)));
    const std::vector<int> group(of.begin() + static_cast<std::ptrdiff_t>(first), of.begin() + static_cast<std::ptrdiff_t>(first + n));
    text += (text.empty() ? "" : ", ") + std::to_string(group[0]) + ": " + tree(d, group, depth - 1);
    first += n;
  }
  return "{" + text + "}";
}

/// The function with its body at each level sharded in a way that the rules allow.
pmap_program sharded(dice &d, const problem &of, int levels) {
  pmap_program program(of.text);
  std::string scope, variable;
  for (int level = 0; level < levels; ++level) {
    const std::string keys = "[" + scope + "]";
    for (int attempt = 0;; ++attempt) {
      std::string cuts;
      for (std::size_t k = 0; k < of.shapes.size() && attempt < 30; ++k)
        if (!d.one_in(2)) cuts += (cuts.empty() ? "x" : ", x") + std::to_string(k) + "=" + std::to_string(d.below(2));
      const std::string until = "[v" + std::to_string(d.below(3)) + "]";
      const bool part = d.one_in(3), reduce = d.one_in(2);
      try {
        program = part && level + 1 == levels ? program.shard_until(keys, keys, cuts, until, reduce) : program.shard(keys, keys, cuts, reduce);
        break;
      } catch (const admpi::error &e) {
        const bool expected = e.code() == ADMPI_ERR_SHARDING || e.code() == ADMPI_ERR_SCOPE;
        REQUIRE(expected);
        REQUIRE(attempt < 100);
      }
    }
    variable += "d";
    scope += (scope.empty() ? "" : ", ") + variable;
  }
  return program;
}

long environment(const char *name, long otherwise) {
  const char *text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

/// Runs the program of a seed, unless its map has not the devices that the program selects.
bool run(long seed) {
  CAPTURE(seed);
  dice d{std::mt19937(static_cast<unsigned>(seed))};
  const problem of = function(d);
  const int levels = 1 + d.below(3);
  std::vector<int> all;
  for (int r = 0; r < size(); ++r) all.push_back(r);
  const std::string map = tree(d, all, levels - 1);
  const pmap_program program = sharded(d, of, levels);
  if (const int code = test::code_of([&] { program.simulate("", device_map(map)); })) {
    CHECK(code == ADMPI_ERR_PLACEMENT);
    return false;
  }
  test::check_program(of, program, map);
  return true;
}

}  // namespace

TEST_CASE("test_random_programs_on_random_trees") {
  const long first = environment("ADMPI_RANDOM_SEED", 1), most = environment("ADMPI_RANDOM_PROGRAMS", 60);
  const double end = MPI_Wtime() + static_cast<double>(environment("ADMPI_RANDOM_SECONDS", 20));
  long programs = 0;
  for (long seed = first; programs < most; ++seed) {
    int over = MPI_Wtime() > end;
    MPI_Bcast(&over, 1, MPI_INT, 0, test::world);
    if (over != 0) break;
    programs += run(seed);
  }
  if (rank() == 0) MESSAGE(programs << " programs from seed " << first);
}
