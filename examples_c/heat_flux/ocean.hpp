/* The ocean's mixed layer in two dimensions, on all ranks of a communicator: temperature T diffuses and takes up heat,
 *
 *     dT/dt = div(k(T) grad T) + q(x, y),     k(T) = D exp(b (T - T0)),
 *
 * without flux through the coasts, periodic east-west, walls north and south. Lengths are in grid cells, times in months. With
 * the potential p = exp(b (T - T0)) the diffusion is (D / b) times the Laplacian of p, which is how it is discretised.
 *
 * An ordinary MPI program: blocks of a Cartesian grid of ranks, a halo exchange a step, an objective summed over the ranks. */
#ifndef OCEAN_HPP
#define OCEAN_HPP

#include <mpi.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "basin.hpp"

namespace plain {

template <class Real>
class Ocean {
 public:
  /** Lays the grid out over the ranks. Collective; every rank passes the same global data. */
  Ocean(MPI_Comm world, const Basin &basin, const Observations &observations, const Settings &settings)
      : settings_(settings), columns_(basin.columns), rows_(basin.rows) {
    int dimensions[2] = {0, 0};
    const int periodic[2] = {0, 1};
    MPI_Comm_size(world, &ranks_);
    MPI_Dims_create(ranks_, 2, dimensions);
    if (dimensions[0] > rows_ || dimensions[1] > columns_) throw std::runtime_error("ocean: more ranks than rows or columns");
    MPI_Cart_create(world, 2, dimensions, periodic, 0, &cart_);
    MPI_Comm_rank(cart_, &rank_);
    MPI_Cart_shift(cart_, 0, 1, &north_, &south_);
    MPI_Cart_shift(cart_, 1, 1, &west_, &east_);
    for (int r = 0; r < ranks_; ++r) blocks_.push_back(block_of(r, dimensions));
    block_size_ = ((rows_ + dimensions[0] - 1) / dimensions[0]) * ((columns_ + dimensions[1] - 1) / dimensions[1]);
    height_ = blocks_[rank_].height;
    width_ = blocks_[rank_].width;

    for (int cell = 0, number = 0; cell < basin.cells(); ++cell) flux_number_.push_back(basin.wet[cell] ? number++ : -1);
    find_wet_cells(basin, observations);
    temperature_.resize((height_ + 2) * (width_ + 2));
    next_ = potential_ = flux_ = temperature_;
    for (std::vector<Real> *column : {&west_out_, &west_in_, &east_out_, &east_in_}) column->resize(height_);
  }

  ~Ocean() { MPI_Comm_free(&cart_); }
  Ocean(const Ocean &) = delete;
  Ocean &operator=(const Ocean &) = delete;

  /** Goes back to the start of the first month, with this flux and diffusivity. Only rank 0's arguments count.
   *  @param[in] flux degrees a month, one value a wet cell, row by row from the north; may be null on the others
   *  @param[in] log_diffusivity logarithm of D, grid cells squared a month */
  void begin(const Real *flux, Real log_diffusivity) {
    MPI_Bcast(&log_diffusivity, 1, MPI_DOUBLE, 0, cart_);
    log_diffusivity_ = log_diffusivity;
    scatter_flux(flux);
    exchange_halo(flux_);
    for (const Cell &cell : cells_) temperature_[cell.here] = cell.start;
  }

  void run_month() {
    for (int step = 0; step < settings_.steps; ++step) advance();
  }

  /** The same, where a loop of the caller's runs the steps. It is told what they read and write, and what they only read. */
  template <class Loop>
  void run_month(Loop &loop) {
    loop.state(temperature_, next_);  // a step leaves the old halo in the one that it exchanges for the other
    loop.parameters(flux_, log_diffusivity_);
    loop.run(settings_.steps, [this](auto) { advance(); });
  }

  /** Misfit to the target at the cells shown, plus the roughness of the flux. The same on every rank. */
  Real objective() {
    const Real local = misfit() + settings_.smoothness * roughness();
    Real global = 0;
    MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, cart_);
    return global;
  }

  /** The present temperature, rows * columns values on rank 0 (0 on land), nothing elsewhere. */
  std::vector<Real> temperature() {
    std::vector<Real> block(block_size_), packed(rank_ == 0 ? ranks_ * block_size_ : 0);
    for (int i = 0; i < height_; ++i)
      for (int j = 0; j < width_; ++j) block[i * width_ + j] = temperature_[at(i, j)];
    MPI_Gather(block.data(), block_size_, MPI_DOUBLE, packed.data(), block_size_, MPI_DOUBLE, 0, cart_);
    std::vector<Real> field(rank_ == 0 ? rows_ * columns_ : 0);
    if (rank_ == 0)
      for_each_packed([&](int slot, int cell) {
        if (flux_number_[cell] >= 0) field[cell] = packed[slot];
      });
    return field;
  }

 private:
  struct Block {
    int row, height, column, width;
  };

  /** A wet cell and its neighbours in the local arrays. At a coast a cell is its own neighbour: nothing flows. */
  struct Cell {
    int here, north, south, west, east;
    double start, target, weight;
  };

  Block block_of(int rank, const int dimensions[2]) const {
    int at[2];
    MPI_Cart_coords(cart_, rank, 2, at);
    const int top = rows_ * at[0] / dimensions[0], bottom = rows_ * (at[0] + 1) / dimensions[0];
    const int left = columns_ * at[1] / dimensions[1], right = columns_ * (at[1] + 1) / dimensions[1];
    return {top, bottom - top, left, right - left};
  }

  /** Index of local row i and column j; -1 and height or width are the halo. */
  int at(int i, int j) const { return (i + 1) * (width_ + 2) + j + 1; }

  void find_wet_cells(const Basin &basin, const Observations &observations) {
    const Block &mine = blocks_[rank_];
    const auto global = [&](int i, int j) {
      return (mine.row + i) * columns_ + (mine.column + j + columns_) % columns_;
    };
    const auto wet = [&](int i, int j) {
      return mine.row + i >= 0 && mine.row + i < rows_ && basin.wet[global(i, j)];
    };
    for (int i = -1; i <= height_; ++i)
      for (int j = -1; j <= width_; ++j) {
        const bool outside_rows = i < 0 || i == height_, outside_columns = j < 0 || j == width_;
        if ((outside_rows && outside_columns) || !wet(i, j)) continue;
        wet_with_halo_.push_back(at(i, j));
        if (outside_rows || outside_columns) continue;
        const auto neighbour = [&](int di, int dj) { return wet(i + di, j + dj) ? at(i + di, j + dj) : at(i, j); };
        const int cell = global(i, j);
        cells_.push_back({at(i, j), neighbour(-1, 0), neighbour(1, 0), neighbour(0, -1), neighbour(0, 1),
                          observations.start[cell], observations.target[cell], observations.shown[cell] ? 1.0 : 0.0});
      }
  }

  /** Calls visit(slot in the blocks of all ranks one after the other, global cell). */
  template <class Visit>
  void for_each_packed(const Visit &visit) const {
    for (int r = 0; r < ranks_; ++r)
      for (int i = 0; i < blocks_[r].height; ++i)
        for (int j = 0; j < blocks_[r].width; ++j)
          visit(r * block_size_ + i * blocks_[r].width + j,
                (blocks_[r].row + i) * columns_ + blocks_[r].column + j);
  }

  void scatter_flux(const Real *flux) {
    std::vector<Real> block(block_size_), packed(rank_ == 0 ? ranks_ * block_size_ : 0);
    if (rank_ == 0)
      for_each_packed([&](int slot, int cell) {
        if (flux_number_[cell] >= 0) packed[slot] = flux[flux_number_[cell]];
      });
    MPI_Scatter(packed.data(), block_size_, MPI_DOUBLE, block.data(), block_size_, MPI_DOUBLE, 0, cart_);
    for (int i = 0; i < height_; ++i)
      for (int j = 0; j < width_; ++j) flux_[at(i, j)] = block[i * width_ + j];
  }

  /** Fills the halo with the neighbours' rows and columns. Beyond the walls it stays as it is. */
  void exchange_halo(std::vector<Real> &field) {
    enum { northward, southward, westward, eastward };
    for (int i = 0; i < height_; ++i) {
      west_out_[i] = field[at(i, 0)];
      east_out_[i] = field[at(i, width_ - 1)];
    }
    MPI_Request request[8];
    MPI_Irecv(&field[at(-1, 0)], width_, MPI_DOUBLE, north_, southward, cart_, &request[0]);
    MPI_Irecv(&field[at(height_, 0)], width_, MPI_DOUBLE, south_, northward, cart_, &request[1]);
    MPI_Irecv(west_in_.data(), height_, MPI_DOUBLE, west_, eastward, cart_, &request[2]);
    MPI_Irecv(east_in_.data(), height_, MPI_DOUBLE, east_, westward, cart_, &request[3]);
    MPI_Isend(&field[at(0, 0)], width_, MPI_DOUBLE, north_, northward, cart_, &request[4]);
    MPI_Isend(&field[at(height_ - 1, 0)], width_, MPI_DOUBLE, south_, southward, cart_, &request[5]);
    MPI_Isend(west_out_.data(), height_, MPI_DOUBLE, west_, westward, cart_, &request[6]);
    MPI_Isend(east_out_.data(), height_, MPI_DOUBLE, east_, eastward, cart_, &request[7]);
    MPI_Waitall(8, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < height_; ++i) {
      field[at(i, -1)] = west_in_[i];
      field[at(i, width_)] = east_in_[i];
    }
  }

  void advance() {
    using std::exp;
    const double b = settings_.nonlinearity, month_fraction = 1.0 / settings_.steps;
    const Real rate = exp(log_diffusivity_) * (month_fraction / b);
    exchange_halo(temperature_);
    for (const int c : wet_with_halo_) potential_[c] = exp(b * (temperature_[c] - settings_.reference));
    for (const Cell &c : cells_)
      next_[c.here] = temperature_[c.here] +
                      rate * (potential_[c.north] + potential_[c.south] + potential_[c.west] + potential_[c.east] -
                              4.0 * potential_[c.here]) +
                      month_fraction * flux_[c.here];
    temperature_.swap(next_);
  }

  Real misfit() const {
    Real sum = 0;
    for (const Cell &c : cells_)
      if (c.weight > 0) sum += 0.5 * c.weight * (temperature_[c.here] - c.target) * (temperature_[c.here] - c.target);
    return sum;
  }

  /** Every pair of neighbours once: each cell looks south and east. */
  Real roughness() const {
    Real sum = 0;
    for (const Cell &c : cells_)
      for (const int neighbour : {c.south, c.east})
        sum += 0.5 * (flux_[neighbour] - flux_[c.here]) * (flux_[neighbour] - flux_[c.here]);
    return sum;
  }

  Settings settings_;
  int columns_, rows_, ranks_ = 0, rank_ = 0;
  int north_, south_, west_, east_; /**< ranks */
  int height_, width_, block_size_;
  MPI_Comm cart_;
  std::vector<Block> blocks_;
  std::vector<int> flux_number_; /**< of every global cell, -1 on land */
  std::vector<Cell> cells_;
  std::vector<int> wet_with_halo_;
  Real log_diffusivity_ = 0;
  std::vector<Real> temperature_, next_, potential_, flux_; /**< (height + 2) * (width + 2) */
  std::vector<Real> west_out_, west_in_, east_out_, east_in_;
};

}  // namespace plain

#endif
