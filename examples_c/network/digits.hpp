// The handwritten digits of data/digits.csv: images of 8 x 8 pixels, and what they show.
#ifndef NETWORK_DIGITS_HPP
#define NETWORK_DIGITS_HPP

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct digits {
  static constexpr std::int64_t pixels = 64, classes = 10;

  std::vector<std::vector<double>> image;  // from 0 to 1
  std::vector<int> digit;

  std::size_t size() const { return digit.size(); }

  /// Pixels of some images, one in a row, column by column.
  std::vector<double> images(const std::vector<std::size_t> &which) const {
    std::vector<double> all;
    for (std::int64_t j = 0; j < pixels; ++j)
      for (const std::size_t k : which) all.push_back(image[k][static_cast<std::size_t>(j)]);
    return all;
  }
  /// 1 where an image shows the digit of the column.
  std::vector<double> targets(const std::vector<std::size_t> &which) const {
    std::vector<double> all;
    for (int c = 0; c < classes; ++c)
      for (const std::size_t k : which) all.push_back(digit[k] == c ? 1.0 : 0.0);
    return all;
  }
};

inline digits read_digits(const std::string &path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  digits all;
  std::string line, item;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream row(line);
    std::getline(row, item, ',');
    all.digit.push_back(std::stoi(item));
    all.image.emplace_back();
    while (std::getline(row, item, ',')) all.image.back().push_back(std::stod(item) / 16.0);
  }
  return all;
}

/// Numbers of images: every fifth is held out, the others are for training, in an order that `shuffle` changes.
struct division {
  std::vector<std::size_t> training, held_out;
  std::mt19937 random{1};

  explicit division(std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) (k % 5 == 4 ? held_out : training).push_back(k);
  }
  void shuffle() {
    // std::shuffle differs between standard libraries.
    for (std::size_t k = training.size(); k > 1; --k) std::swap(training[k - 1], training[random() % k]);
  }
};

#endif
