/* The ocean model of ocean.hpp in array form: a time step is two array statements and the exchange of the halo, which leaves
 * from the field's own memory. Coasts are coefficients of 0 and 1 on the four sides of each cell. */
#ifndef ARRAY_OCEAN_HPP
#define ARRAY_OCEAN_HPP

#include <admpi.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "basin.hpp"

namespace arrays {

using admpi::var;
using admpi::varmat;
using admpi::view;

class Ocean {
 public:
  /** Lays the grid out over the ranks as ocean.hpp does. Collective; every rank passes the same global data. */
  Ocean(MPI_Comm world, const Basin &basin, const Observations &observations, const Settings &settings)
      : settings_(settings) {
    int ranks = 0, rank = 0, dimensions[2] = {0, 0}, at[2];
    const int periodic[2] = {0, 1};
    MPI_Comm_size(world, &ranks);
    MPI_Dims_create(ranks, 2, dimensions);
    AMPI_Cart_create(world, 2, dimensions, periodic, 0, &cart_);
    MPI_Comm_rank(cart_, &rank);
    MPI_Cart_coords(cart_, rank, 2, at);
    MPI_Cart_shift(cart_, 0, 1, &north_, &south_);
    MPI_Cart_shift(cart_, 1, 1, &west_, &east_);
    const int top = basin.rows * at[0] / dimensions[0], left = basin.columns * at[1] / dimensions[1];
    height_ = basin.rows * (at[0] + 1) / dimensions[0] - top;
    width_ = basin.columns * (at[1] + 1) / dimensions[1] - left;

    std::vector<std::int64_t> number;
    std::int64_t cells = 0;
    for (int cell = 0; cell < basin.cells(); ++cell) number.push_back(basin.wet[cell] ? cells++ : -1);
    start_ = varmat(width_ + 2, height_ + 2);
    for (varmat *field : {&north_side_, &south_side_, &west_side_, &east_side_, &target_, &weight_})
      *field = varmat(width_, height_);
    const auto global = [&](int i, int j) { return (top + i) * basin.columns + (left + j + basin.columns) % basin.columns; };
    const auto wet = [&](int i, int j) { return top + i >= 0 && top + i < basin.rows && basin.wet[global(i, j)] != 0; };
    for (int i = 0; i < height_; ++i)
      for (int j = 0; j < width_; ++j) {
        const int cell = global(i, j);
        // One behind the last number is a zero.
        flux_number_.push_back(wet(i, j) ? number[cell] : cells);
        if (!wet(i, j)) continue;
        start_(j + 1, i + 1) = observations.start[cell];
        target_(j, i) = observations.target[cell];
        weight_(j, i) = observations.shown[cell] ? 1.0 : 0.0;
        north_side_(j, i) = wet(i - 1, j) ? 1.0 : 0.0;
        south_side_(j, i) = wet(i + 1, j) ? 1.0 : 0.0;
        west_side_(j, i) = wet(i, j - 1) ? 1.0 : 0.0;
        east_side_(j, i) = wet(i, j + 1) ? 1.0 : 0.0;
      }
    flux_size_ = cells + 1;
  }

  ~Ocean() { AMPI_Comm_free(&cart_); }
  Ocean(const Ocean &) = delete;
  Ocean &operator=(const Ocean &) = delete;

  /** Goes back to the start of the first month, with this flux and diffusivity. Only rank 0's arguments count.
   *  @param[in] flux degrees a month, one value a wet cell, row by row from the north; then a zero
   *  @param[in] log_diffusivity logarithm of D, grid cells squared a month */
  void begin(varmat flux, var log_diffusivity) {
    if (flux.size() != flux_size_) flux = varmat(flux_size_, 1);
    AMPI_Bcast(flux.handle(), static_cast<int>(flux_size_), AMPI_VARMAT, 0, cart_);
    AMPI_Bcast(&log_diffusivity, 1, AMPI_ADOUBLE, 0, cart_);
    varmat own = flux.gather(flux_number_);
    own.reshape(width_, height_);
    flux_ = varmat(width_ + 2, height_ + 2);
    inner(flux_) = own;
    flux_.compact();
    exchange_halo(flux_);
    rate_ = exp(log_diffusivity) / (settings_.steps * settings_.nonlinearity);
    temperature_ = start_;
  }

  void run_month() {
    for (int step = 0; step < settings_.steps; ++step) advance();
  }

  /** Misfit to the target at the cells shown, plus the roughness of the flux. The same on every rank. */
  var objective() {
    const view q = inner(flux_), south = side(flux_, 0, 1), east = side(flux_, 1, 0);
    const var roughness = dot(south_side_, square(south - q)) + dot(east_side_, square(east - q));
    const var local = 0.5 * (dot(weight_, square(inner(temperature_) - target_)) + settings_.smoothness * roughness);
    var global;
    AMPI_Allreduce(&local, &global, 1, AMPI_ADOUBLE, MPI_SUM, cart_);
    return global;
  }

 private:
  /** The cells of this rank in a field with a halo, and the same shifted: by columns, then rows. */
  view side(const varmat &field, int dj, int di) const { return field.block(1 + dj, 1 + di, width_, height_); }
  view inner(const varmat &field) const { return side(field, 0, 0); }

  /** Fills the halo with the neighbours' rows and columns. Beyond the walls it stays as it is. */
  void exchange_halo(varmat &field) {
    enum { northward, southward, westward, eastward };
    const auto row = [&](int i) { return field.block(1, i, width_, 1); };
    const auto column = [&](int j) { return field.block(j, 1, 1, height_); };
    AMPI_Request request[8];
    AMPI_Irecv(row(0).handle(), width_, AMPI_VIEW, north_, southward, cart_, &request[0]);
    AMPI_Irecv(row(height_ + 1).handle(), width_, AMPI_VIEW, south_, northward, cart_, &request[1]);
    AMPI_Irecv(column(0).handle(), height_, AMPI_VIEW, west_, eastward, cart_, &request[2]);
    AMPI_Irecv(column(width_ + 1).handle(), height_, AMPI_VIEW, east_, westward, cart_, &request[3]);
    AMPI_Isend(row(1).handle(), width_, AMPI_VIEW, north_, northward, cart_, &request[4]);
    AMPI_Isend(row(height_).handle(), width_, AMPI_VIEW, south_, southward, cart_, &request[5]);
    AMPI_Isend(column(1).handle(), height_, AMPI_VIEW, west_, westward, cart_, &request[6]);
    AMPI_Isend(column(width_).handle(), height_, AMPI_VIEW, east_, eastward, cart_, &request[7]);
    AMPI_Waitall(8, request, MPI_STATUSES_IGNORE);
  }

  void advance() {
    exchange_halo(temperature_);
    const varmat p = exp(settings_.nonlinearity * (temperature_ - settings_.reference));
    const view here = inner(p);
    const auto flow = elt_multiply(north_side_, side(p, 0, -1) - here) + elt_multiply(south_side_, side(p, 0, 1) - here) +
                      elt_multiply(west_side_, side(p, -1, 0) - here) + elt_multiply(east_side_, side(p, 1, 0) - here);
    inner(temperature_) = inner(temperature_) + rate_ * flow + inner(flux_) / settings_.steps;
  }

  Settings settings_;
  MPI_Comm cart_;
  int north_, south_, west_, east_; /**< ranks */
  int height_, width_;
  std::int64_t flux_size_;
  std::vector<std::int64_t> flux_number_; /**< of this rank's cells, row by row */
  varmat start_;                          /**< with a halo */
  varmat north_side_, south_side_, west_side_, east_side_, target_, weight_;
  varmat temperature_, flux_; /**< with a halo */
  var rate_;
};

}  // namespace arrays

#endif
