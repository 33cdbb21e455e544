/* Compares the gradients that runs of heat_flux on different numbers of ranks have written.
 *
 *     compare_gradients TOLERANCE FILE FILE...
 *
 * Each must agree with the first to the tolerance, relative to the first one's maximum norm. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<double> read_numbers(const std::string &path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (double x; file >> x;) numbers.push_back(x);
  if (numbers.size() < 2 || !file.eof()) throw std::runtime_error("no gradient in " + path);
  return numbers;
}

/** Largest difference of two gradients over the largest entry of the first. The first number is the objective. */
double apart(const std::vector<double> &a, const std::vector<double> &b) {
  if (a.size() != b.size()) throw std::runtime_error("gradients of different length");
  double largest = 0, difference = 0;
  for (std::size_t i = 1; i < a.size(); ++i) {
    largest = std::max(largest, std::fabs(a[i]));
    // Not std::max, which would drop a NaN.
    if (!(std::fabs(a[i] - b[i]) <= difference)) difference = std::fabs(a[i] - b[i]);
  }
  return difference / largest;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: compare_gradients TOLERANCE FILE FILE...\n");
    return 2;
  }
  try {
    const double tolerance = std::atof(argv[1]);
    const std::vector<double> first = read_numbers(argv[2]);
    bool agree = true;
    std::printf("%s: objective %.15g, %zu derivatives\n", argv[2], first[0], first.size() - 1);
    for (int k = 3; k < argc; ++k) {
      const std::vector<double> other = read_numbers(argv[k]);
      const double difference = apart(first, other);
      std::printf("%s: objective %.15g, gradient apart by %.2e of its largest entry\n", argv[k], other[0], difference);
      agree = agree && difference <= tolerance && std::fabs(other[0] / first[0] - 1) <= tolerance;
    }
    return agree ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "compare_gradients: %s\n", error.what());
    return 1;
  }
}
