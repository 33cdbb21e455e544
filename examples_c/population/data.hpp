/* The measurements in newborns: a table of one row a dose or measurement, as the jobs of a map want it. */
#ifndef POPULATION_DATA_HPP
#define POPULATION_DATA_HPP

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "model.hpp"

namespace population {

/** The children, each a job with data of its own length. */
struct Data {
  admpi::map_values values;
  std::vector<int> id;

  std::size_t children() const { return id.size(); }
  Child child(std::size_t k) const { return {values.x_r[k], values.x_i[k]}; }
};

/** Reads a table with the columns id, time_h, dose_mg, weight_kg, apgar and conc_mg_per_l, children and times in order. Throws
 *  std::runtime_error naming the file and the line. */
inline Data read_data(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  Data data;
  std::vector<double> real;
  std::vector<std::int32_t> integer;
  const auto add_child = [&] {
    data.values.x_r.push_back(real);
    data.values.x_i.push_back(integer);
  };
  for (int number = 2; std::getline(file, line); ++number) {
    const auto fail = [&] { return std::runtime_error(path + ", line " + std::to_string(number) + ": " + line); };
    std::istringstream cells(line);
    std::string cell;
    std::vector<double> row;
    while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
    if (row.size() < 5 || row.size() > 6) throw fail();
    const bool measured = row.size() == 6;
    if (measured == (row[2] > 0)) throw fail();
    if (data.id.empty() || data.id.back() != int(row[0])) {
      if (!data.id.empty()) add_child();
      data.id.push_back(int(row[0]));
      real = {row[3]};
      integer = {row[4] < 5};
    } else if (row[1] < real[real.size() - 2]) {
      throw fail();
    }
    real.insert(real.end(), {row[1], measured ? row[5] : row[2]});
    integer.push_back(measured ? Child::measurement : Child::dose);
  }
  if (!data.id.empty()) add_child();
  return data;
}

}  // namespace population

#endif
