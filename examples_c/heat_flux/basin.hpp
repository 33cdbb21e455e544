/* What the ocean model is told and never differentiates: the coasts, the settings, the observations. */
#ifndef HEAT_FLUX_BASIN_HPP
#define HEAT_FLUX_BASIN_HPP

#include <vector>

/** A global grid, row by row from the north, periodic east-west. */
struct Basin {
  int columns = 0;
  int rows = 0;
  std::vector<char> wet; /**< rows * columns; 0 on land */

  int cells() const { return columns * rows; }
};

/** The temperatures to start from and to be compared with, degrees Celsius; rows * columns each. */
struct Observations {
  std::vector<double> start;
  std::vector<double> target;
  std::vector<char> shown; /**< 1 where the misfit to the target counts */
};

struct Settings {
  int steps = 360;            /**< explicit time steps a month (360: two hours each) */
  double nonlinearity = 0.03; /**< the diffusivity grows by exp(nonlinearity) a degree */
  double reference = 15;      /**< temperature at which the diffusivity is the parameter's, degrees Celsius */
  double smoothness = 0.02;   /**< weight of the squared differences of the flux between neighbours */
};

#endif
