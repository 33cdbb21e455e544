#include "picture.hpp"

#include <png.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

namespace {

/** Glyphs of 5 x 7 pixels, a character a row of the glyph's bits from the left. */
const std::map<char, std::array<const char *, 7>> &glyphs() {
  static const std::map<char, std::array<const char *, 7>> table = {
      {'0', {" ### ", "#   #", "#  ##", "# # #", "##  #", "#   #", " ### "}},
      {'1', {"  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "}},
      {'2', {" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"}},
      {'3', {"#####", "   # ", "  #  ", "   # ", "    #", "#   #", " ### "}},
      {'4', {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "}},
      {'5', {"#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "}},
      {'6', {"  ## ", " #   ", "#    ", "#### ", "#   #", "#   #", " ### "}},
      {'7', {"#####", "    #", "   # ", "  #  ", "  #  ", "  #  ", "  #  "}},
      {'8', {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "}},
      {'9', {" ### ", "#   #", "#   #", " ####", "    #", "   # ", " ##  "}},
      {'A', {" ### ", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"}},
      {'B', {"#### ", "#   #", "#   #", "#### ", "#   #", "#   #", "#### "}},
      {'C', {" ### ", "#   #", "#    ", "#    ", "#    ", "#   #", " ### "}},
      {'D', {"###  ", "#  # ", "#   #", "#   #", "#   #", "#  # ", "###  "}},
      {'E', {"#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#####"}},
      {'F', {"#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#    "}},
      {'G', {" ### ", "#   #", "#    ", "# ###", "#   #", "#   #", " ####"}},
      {'H', {"#   #", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"}},
      {'I', {" ### ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "}},
      {'J', {"  ###", "   # ", "   # ", "   # ", "   # ", "#  # ", " ##  "}},
      {'K', {"#   #", "#  # ", "# #  ", "##   ", "# #  ", "#  # ", "#   #"}},
      {'L', {"#    ", "#    ", "#    ", "#    ", "#    ", "#    ", "#####"}},
      {'M', {"#   #", "## ##", "# # #", "# # #", "#   #", "#   #", "#   #"}},
      {'N', {"#   #", "#   #", "##  #", "# # #", "#  ##", "#   #", "#   #"}},
      {'O', {" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "}},
      {'P', {"#### ", "#   #", "#   #", "#### ", "#    ", "#    ", "#    "}},
      {'Q', {" ### ", "#   #", "#   #", "#   #", "# # #", "#  # ", " ## #"}},
      {'R', {"#### ", "#   #", "#   #", "#### ", "# #  ", "#  # ", "#   #"}},
      {'S', {" ####", "#    ", "#    ", " ### ", "    #", "    #", "#### "}},
      {'T', {"#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  "}},
      {'U', {"#   #", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "}},
      {'V', {"#   #", "#   #", "#   #", "#   #", "#   #", " # # ", "  #  "}},
      {'W', {"#   #", "#   #", "#   #", "# # #", "# # #", "# # #", " # # "}},
      {'X', {"#   #", "#   #", " # # ", "  #  ", " # # ", "#   #", "#   #"}},
      {'Y', {"#   #", "#   #", "#   #", " # # ", "  #  ", "  #  ", "  #  "}},
      {'Z', {"#####", "    #", "   # ", "  #  ", " #   ", "#    ", "#####"}},
      {'.', {"     ", "     ", "     ", "     ", "     ", " ##  ", " ##  "}},
      {',', {"     ", "     ", "     ", "     ", " ##  ", "  #  ", " #   "}},
      {'-', {"     ", "     ", "     ", "#####", "     ", "     ", "     "}},
      {'+', {"     ", "  #  ", "  #  ", "#####", "  #  ", "  #  ", "     "}},
      {'/', {"     ", "    #", "   # ", "  #  ", " #   ", "#    ", "     "}},
      {':', {"     ", " ##  ", " ##  ", "     ", " ##  ", " ##  ", "     "}},
      {'(', {"   # ", "  #  ", " #   ", " #   ", " #   ", "  #  ", "   # "}},
      {')', {" #   ", "  #  ", "   # ", "   # ", "   # ", "  #  ", " #   "}},
      {'%', {"##   ", "##  #", "   # ", "  #  ", " #   ", "#  ##", "   ##"}},
      // The two signs that units need and ASCII lacks, under spare ASCII names.
      {'^', {" ##  ", "#  # ", "  #  ", " #   ", "#### ", "     ", "     "}},  // squared
      {'*', {" ##  ", "#  # ", "#  # ", " ##  ", "     ", "     ", "     "}},  // degree
      {'m', {"     ", "     ", "## # ", "# # #", "# # #", "#   #", "#   #"}},
  };
  return table;
}

constexpr Colour white = {255, 255, 255}, black = {20, 20, 20}, land = {150, 150, 150};

class Canvas {
 public:
  Canvas(int width, int height) : width_(width), height_(height), pixel_(std::size_t(width) * height, white) {}

  void fill(int x, int y, int width, int height, Colour colour) {
    for (int j = std::max(y, 0); j < std::min(y + height, height_); ++j)
      for (int i = std::max(x, 0); i < std::min(x + width, width_); ++i) pixel_[std::size_t(j) * width_ + i] = colour;
  }

  void text(int x, int y, const std::string &line, int zoom) {
    for (const char c : line) {
      const auto glyph = glyphs().find(c);
      if (glyph != glyphs().end())
        for (int j = 0; j < 7; ++j)
          for (int i = 0; i < 5; ++i)
            if (glyph->second[j][i] == '#') fill(x + i * zoom, y + j * zoom, zoom, zoom, black);
      x += 6 * zoom;
    }
  }

  void line(double x, double y, double to_x, double to_y, int width, Colour colour) {
    const int steps = 1 + int(std::max(std::fabs(to_x - x), std::fabs(to_y - y)));
    for (int k = 0; k <= steps; ++k) dot(x + (to_x - x) * k / steps, y + (to_y - y) * k / steps, width, colour);
  }

  /** A square around a point. */
  void dot(double x, double y, int width, Colour colour) {
    fill(int(std::lround(x - width / 2.0)), int(std::lround(y - width / 2.0)), width, width, colour);
  }

  void write(const std::string &path) const {
    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = png_uint_32(width_);
    image.height = png_uint_32(height_);
    image.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&image, path.c_str(), 0, pixel_.data(), 0, nullptr))
      throw std::runtime_error("cannot write picture " + path + ": " + image.message);
  }

 private:
  int width_, height_;
  std::vector<Colour> pixel_;
};

template <std::size_t N>
Colour interpolate(const std::array<Colour, N> &anchor, double fraction) {
  const double place = std::clamp(fraction, 0.0, 1.0) * (N - 1);
  const std::size_t k = std::min(std::size_t(place), N - 2);
  Colour colour;
  for (int i = 0; i < 3; ++i)
    colour[i] = std::uint8_t(std::lround(anchor[k][i] + (place - double(k)) * (anchor[k + 1][i] - anchor[k][i])));
  return colour;
}

/** A round step (1, 2 or 5 times a power of ten) that cuts a range into at most `parts`. */
double round_step(double range, int parts) {
  const double power = std::pow(10.0, std::floor(std::log10(range / parts)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (factor * power) <= parts) return factor * power;
  return 10 * power;
}

std::string number(double value, double step) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", std::max(0, int(-std::floor(std::log10(step)))), std::fabs(value) < step / 2 ? 0.0 : value);
  return text;
}

std::string upper_case(std::string text) {
  for (char &c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/** Sizes in pixels of what surrounds a map. */
struct Layout {
  int letter, margin, title, bar, label;
  explicit Layout(int zoom)
      : letter(zoom), margin(6 * zoom), title(15 * zoom), bar(8 * zoom), label(36 * zoom) {}
  int width(int map) const { return margin + map + margin + bar + label; }
  int height(int map) const { return title + map + margin; }
};

void draw_map(Canvas &canvas, const Panel &panel, int x, int y, int zoom) {
  const Field &field = *panel.field;
  const Legend &legend = panel.legend;
  for (int i = 0; i < field.rows; ++i)
    for (int j = 0; j < field.columns; ++j) {
      const double value = field.value[std::size_t(i) * field.columns + j];
      const Colour colour = std::isnan(value) ? land : legend.palette((value - legend.low) / (legend.high - legend.low));
      canvas.fill(x + j * zoom, y + i * zoom, zoom, zoom, colour);
    }
}

void draw_bar(Canvas &canvas, const Legend &legend, const Layout &layout, int x, int y, int height) {
  canvas.fill(x - 1, y - 1, layout.bar + 2, height + 2, black);
  for (int j = 0; j < height; ++j) canvas.fill(x, y + j, layout.bar, 1, legend.palette(1 - (j + 0.5) / height));
  const double step = round_step(legend.high - legend.low, 10);
  for (double tick = std::ceil(legend.low / step - 1e-9) * step; tick <= legend.high + 1e-9 * step; tick += step) {
    const int at = y + int(std::lround((legend.high - tick) / (legend.high - legend.low) * height));
    canvas.fill(x + layout.bar, at - layout.letter / 2, 2 * layout.letter, layout.letter, black);
    canvas.text(x + layout.bar + 4 * layout.letter, at - 3 * layout.letter, number(tick, step), layout.letter);
  }
  const int unit_width = int(legend.unit.size()) * 6 * layout.letter;
  canvas.text(x + layout.bar + layout.label - std::max(unit_width, layout.label - 3 * layout.letter), y - 13 * layout.letter,
              legend.unit, layout.letter);
}

/** Axes with their numbers, then what is drawn over them; x and y are the left upper corner of the plane. */
void draw_chart(Canvas &canvas, const Chart &chart, int x, int y, int width, int height, int zoom) {
  const auto across = [&](double value) { return x + value / chart.width * width; };
  const auto up = [&](double value) { return y + height - value / chart.height * height; };
  canvas.text(x, y - 11 * zoom, upper_case(chart.title), zoom);
  canvas.fill(x, y + height, width, zoom, black);
  canvas.fill(x - zoom, y, zoom, height + zoom, black);
  const double step_x = round_step(chart.width, std::max(1, width / (30 * zoom)));
  for (double tick = 0; tick <= chart.width * (1 + 1e-9); tick += step_x) {
    const std::string text = number(tick, step_x);
    canvas.fill(int(across(tick)), y + height, zoom, 3 * zoom, black);
    canvas.text(int(across(tick)) - 3 * zoom * int(text.size()), y + height + 5 * zoom, text, zoom);
  }
  const double step_y = round_step(chart.height, std::max(1, height / (14 * zoom)));
  for (double tick = 0; tick <= chart.height * (1 + 1e-9); tick += step_y) {
    const std::string text = number(tick, step_y);
    canvas.fill(x - 3 * zoom, int(up(tick)), 3 * zoom, zoom, black);
    canvas.text(x - (4 + 6 * int(text.size())) * zoom, int(up(tick)) - 3 * zoom, text, zoom);
  }
  for (const Curve &curve : chart.curves)
    for (std::size_t k = 1; k < curve.x.size(); ++k)
      canvas.line(across(curve.x[k - 1]), up(curve.y[k - 1]), across(curve.x[k]), up(curve.y[k]), zoom, curve.colour);
  for (const Curve &dots : chart.dots)
    for (std::size_t k = 0; k < dots.x.size(); ++k) canvas.dot(across(dots.x[k]), up(dots.y[k]), 4 * zoom, dots.colour);
}

}  // namespace

Field read_temperature(const std::string &path) {
  // libpng's simplified interface would apply a gamma to 16-bit samples. These are data: they are read as they are.
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw std::runtime_error("cannot open " + path);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, nullptr);
    throw std::runtime_error("not a readable PNG file: " + path);
  }
  png_init_io(png, file.get());
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  if (png_get_bit_depth(png, info) != 16 || png_get_color_type(png, info) != PNG_COLOR_TYPE_GRAY) {
    png_destroy_read_struct(&png, &info, nullptr);
    throw std::runtime_error("not a 16-bit grey PNG file: " + path);
  }
  Field field;
  field.columns = int(png_get_image_width(png, info));
  field.rows = int(png_get_image_height(png, info));
  png_bytepp rows = png_get_rows(png, info);
  for (int i = 0; i < field.rows; ++i)
    for (int j = 0; j < field.columns; ++j) {
      const int sample = rows[i][2 * j] * 256 + rows[i][2 * j + 1];
      field.value.push_back(sample == 0 ? std::nan("") : sample / 1000.0 - 5);
    }
  png_destroy_read_struct(&png, &info, nullptr);
  return field;
}

Colour sequential(double fraction) {
  static constexpr std::array<Colour, 7> anchor = {
      {{8, 29, 88}, {34, 94, 168}, {29, 145, 192}, {65, 182, 196}, {160, 218, 180}, {253, 231, 110}, {244, 109, 67}}};
  return interpolate(anchor, fraction);
}

Colour diverging(double fraction) {
  static constexpr std::array<Colour, 7> anchor = {
      {{5, 48, 97}, {67, 147, 195}, {190, 218, 234}, {250, 250, 250}, {251, 205, 180}, {214, 96, 77}, {103, 0, 31}}};
  return interpolate(anchor, fraction);
}

void write_picture(const std::string &path, const std::vector<Panel> &panels, int across, int zoom) {
  const Layout layout(zoom);
  const int map_width = panels[0].field->columns * zoom, map_height = panels[0].field->rows * zoom;
  const int down = (int(panels.size()) + across - 1) / across;
  Canvas canvas(layout.width(map_width) * across, layout.height(map_height) * down);
  for (int k = 0; k < int(panels.size()); ++k) {
    const int x = layout.margin + k % across * layout.width(map_width);
    const int y = layout.title + k / across * layout.height(map_height);
    canvas.text(x, y - 11 * layout.letter, upper_case(panels[k].legend.title), layout.letter);
    draw_map(canvas, panels[k], x, y, zoom);
    draw_bar(canvas, panels[k].legend, layout, x + map_width + layout.margin, y, map_height);
  }
  canvas.write(path);
}

void write_charts(const std::string &path, const std::vector<Chart> &charts, int across, int width, int height, int zoom) {
  const int left = 28 * zoom, top = 16 * zoom, right = 12 * zoom, bottom = 18 * zoom;
  const int cell_width = left + width * zoom + right, cell_height = top + height * zoom + bottom;
  const int down = (int(charts.size()) + across - 1) / across;
  Canvas canvas(cell_width * across, cell_height * down);
  for (int k = 0; k < int(charts.size()); ++k)
    draw_chart(canvas, charts[k], left + k % across * cell_width, top + k / across * cell_height, width * zoom, height * zoom, zoom);
  canvas.write(path);
}
