/* Fields in and out of PNG files, and charts. */
#ifndef EXAMPLES_PICTURE_HPP
#define EXAMPLES_PICTURE_HPP

#include <array>
#include <cstdint>
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

/** From a fraction in 0..1 to a colour. */
using Colour = std::array<std::uint8_t, 3>;
using Palette = Colour (*)(double fraction);

Colour sequential(double fraction); /**< dark blue to yellow */
Colour diverging(double fraction);  /**< blue, white in the middle, red */

/** How a field is drawn: its title, its unit, the values at both ends of the colour bar. */
struct Legend {
  std::string title;
  std::string unit;
  double low;
  double high;
  Palette palette;
};

struct Panel {
  const Field *field;
  Legend legend;
};

/** Writes panels side by side, `across` in a row, each cell of a field `zoom` pixels wide. Land is grey. */
void write_picture(const std::string &path, const std::vector<Panel> &panels, int across, int zoom);

/** A line through points (x[k], y[k]). */
struct Curve {
  std::vector<double> x, y;
  Colour colour;
};

/** Curves, and dots on top of them, over axes that begin at zero. */
struct Chart {
  std::string title;
  std::vector<Curve> curves;
  std::vector<Curve> dots;
  double width;  /**< where the axis of x ends */
  double height; /**< where the axis of y ends */
};

/** Writes charts side by side, `across` in a row, each with axes of `width` and `height` pixels times `zoom`. */
void write_charts(const std::string &path, const std::vector<Chart> &charts, int across, int width, int height, int zoom);

#endif
