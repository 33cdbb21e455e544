/* Fields: read from PNG files, written as text. */
#ifndef HEAT_FLUX_FIELD_HPP
#define HEAT_FLUX_FIELD_HPP

#include <string>
#include <vector>

/** A global field, row by row from the north; NaN on land. */
struct Field {
  int columns = 0;
  int rows = 0;
  std::vector<double> value;
};

/** Reads a month of temperatures, degrees Celsius, from a 16-bit grey PNG (see data/README.md).
 *  Throws std::runtime_error naming the file and what is wrong with it. */
Field read_temperature(const std::string &path);

/** Writes a field as text, a line a row, with -999 on land. Throws std::runtime_error naming the file. */
void write_field(const std::string &path, const Field &field);

#endif
