#include "field.hpp"

#include <png.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

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

void write_field(const std::string &path, const Field &field) {
  std::FILE *file = std::fopen(path.c_str(), "w");
  if (!file) throw std::runtime_error("cannot write " + path);
  for (std::size_t k = 0; k < field.value.size(); ++k) {
    const double value = std::isnan(field.value[k]) ? -999 : field.value[k];
    const bool last_in_row = (k + 1) % std::size_t(field.columns) == 0;
    std::fprintf(file, "%.7g%c", value, last_in_row ? '\n' : ' ');
  }
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}
