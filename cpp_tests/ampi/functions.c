/* Drivers in C for an objective that ranks compute together: each has another number of inputs, one has none. */
#include <admpi.h>

#include "harness/check.h"

static int rank, size, calls;
enum { MOST = 4 };

struct setting {
  int forgets; /* the Allreduce */
  int loses;   /* a derivative, on rank 0 */
};

/* The square of the sum of cubes over all ranks. */
static int32_t objective(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  const struct setting *setting = ctx;
  admpi_var own = admpi_passive(rank), all;
  CHECK(m == 1);
  ++calls;
  for (int64_t i = 0; i < n; i++) {
    admpi_var one = admpi_mul(admpi_mul(x[i], x[i]), x[i]);
    if (setting->loses && rank == 0 && i == 1) one = admpi_passive(one.value);
    own = admpi_add(own, one);
  }
  all = own;
  if (!setting->forgets && AMPI_Allreduce(&own, &all, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
  *y = admpi_mul(all, all);
  return 0;
}

static void all_of(void) {
  struct setting setting = {0, 0};
  double x[MOST], value = 0.0, gradient[MOST], own = rank, all = 0.0;
  admpi_input_check checks[MOST];
  int64_t wrong = -1;
  long inputs, others;
  const int n = rank == 1 ? 0 : 2 + rank % 3;
  int code;
  for (int i = 0; i < n; i++) {
    x[i] = 0.5 + 0.25 * i + 0.125 * rank;
    own += x[i] * x[i] * x[i];
  }
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(admpi_gradient_ranks(objective, &setting, x, n, MPI_COMM_WORLD, &value, gradient) == ADMPI_SUCCESS);
  CHECK(fabs(value - all * all) <= 1e-14 * all * all);
  for (int i = 0; i < n; i++) CHECK(fabs(gradient[i] - 6.0 * all * x[i] * x[i]) <= 1e-13 * fabs(gradient[i]));

  others = n;
  MPI_Allreduce(&others, &inputs, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  calls = 0;
  CHECK(admpi_check_gradient_ranks(objective, &setting, x, n, MPI_COMM_WORLD, 1e-6, checks, &wrong) == ADMPI_SUCCESS);
  CHECK(wrong == 0 && calls == 1 + 16 * inputs);
  for (int i = 0; i < n; i++) CHECK(checks[i].is_right && checks[i].reverse == gradient[i]);
  setting.loses = 1;
  CHECK(admpi_check_gradient_ranks(objective, &setting, x, n, MPI_COMM_WORLD, 1e-6, checks, &wrong) == ADMPI_SUCCESS);
  CHECK(wrong == 1);
  for (int i = 0; i < n; i++) CHECK(checks[i].is_right == !(rank == 0 && i == 1));

  setting.loses = 0;
  setting.forgets = 1;
  code = admpi_gradient_ranks(objective, &setting, x, n, MPI_COMM_WORLD, &value, gradient);
  CHECK(code == (size == 1 ? ADMPI_SUCCESS : ADMPI_ERR_ARGUMENT));
  if (size > 1) CHECK(strstr(admpi_last_error(), "It must return the same on all, such as the result of an Allreduce") != NULL);
  CHECK(admpi_gradient_ranks(NULL, NULL, x, n, MPI_COMM_WORLD, &value, gradient) == ADMPI_ERR_NULL);
}

int main(int argc, char **argv) {
  admpi_tape *tape;
  AMPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  all_of();
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS && admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  all_of();
  admpi_tape_free(tape);
  AMPI_Finalize();
  return failures != 0;
}
