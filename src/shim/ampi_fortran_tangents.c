/* Reductions of Fortran's tangents, AMPI_TANGENT and AMPI_TANGENT_VAR: MPI's operations on numbers become operations on values
 * with their derivatives, as ampi_reductions.hpp has them for C++. */
#include <pthread.h>

#include "admpi/ops.h"
#include "ampi_fortran.h"
#include "ampi_fortran_support.h"
#include "fortran_tangents.h"

/* Zero wins over infinity, as in the adjoint. */
static double times(double x, double y) {
  const double product = x * y;
  return product != product && x == x && y == y ? 0.0 : product;
}

/* `low` stands on lower ranks than `high`. */
static plain_tangent plain_sum(plain_tangent low, plain_tangent high) {
  return (plain_tangent){low.value + high.value, low.derivative + high.derivative};
}
static plain_tangent plain_product(plain_tangent low, plain_tangent high) {
  return (plain_tangent){low.value * high.value, times(low.derivative, high.value) + times(low.value, high.derivative)};
}
static plain_tangent plain_min(plain_tangent low, plain_tangent high) { return high.value < low.value ? high : low; }
static plain_tangent plain_max(plain_tangent low, plain_tangent high) { return high.value > low.value ? high : low; }

static active_tangent active_product(active_tangent low, active_tangent high) {
  return (active_tangent){admpi_mul(low.value, high.value),
                          admpi_add(admpi_mul(low.derivative, high.value), admpi_mul(low.value, high.derivative))};
}
static active_tangent active_min(active_tangent low, active_tangent high) {
  return high.value.value < low.value.value ? high : low;
}
static active_tangent active_max(active_tangent low, active_tangent high) {
  return high.value.value > low.value.value ? high : low;
}

#define REDUCE(kind, operation)                                                                        \
  static void reduce_##kind##_##operation(void *low, void *high, int *n, MPI_Datatype *datatype) {     \
    const kind##_tangent *in = low;                                                                    \
    kind##_tangent *inout = high;                                                                      \
    (void)datatype;                                                                                    \
    for (int i = 0; i < *n; i++) inout[i] = kind##_##operation(in[i], inout[i]);                       \
  }
REDUCE(plain, sum)
REDUCE(plain, product)
REDUCE(plain, min)
REDUCE(plain, max)
REDUCE(active, product)
REDUCE(active, min)
REDUCE(active, max)

enum { SUM, PRODUCT, MIN, MAX, OPERATIONS };

/* What is linear the library reduces itself, element by element, where it is active. */
static MPI_User_function *const functions[2][OPERATIONS] = {
    {reduce_plain_sum, reduce_plain_product, reduce_plain_min, reduce_plain_max},
    {NULL, reduce_active_product, reduce_active_min, reduce_active_max},
};
static MPI_Op made[2][OPERATIONS];
static int is_made[2][OPERATIONS];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

MPI_Op admpi_shim_fortran_tangent_op(MPI_Op op, int is_active) {
  const MPI_Op all[OPERATIONS] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  int which = 0;
  while (which < OPERATIONS && op != all[which]) which++;
  if (which == OPERATIONS || functions[is_active][which] == NULL) return op;
  pthread_mutex_lock(&making);
  /* It lives as long as MPI, and never commutes: of equal values the lowest rank's is to be taken, and MPICH 4.0 crashes in a
   * Reduce in place by a user's operation that commutes, beyond 2 KiB. */
  if (!is_made[is_active][which])
    is_made[is_active][which] = AMPI_Op_create(functions[is_active][which], 0, &made[is_active][which]) == MPI_SUCCESS;
  const MPI_Op result = is_made[is_active][which] ? made[is_active][which] : op;
  pthread_mutex_unlock(&making);
  return result;
}
