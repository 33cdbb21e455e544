/* Programs that compute y from x, and their sweeps that compute xb from yb, against differences: <yb, J v> and <xb, v>. */
#ifndef ADMPI_TESTS_TOOLS_DIFFERENCES_H
#define ADMPI_TESTS_TOOLS_DIFFERENCES_H

#include "admpi/steps.h"
#include "ampi/ampi.h"
#include "harness/check.h"

enum { N = 6, MOST = 64 };

static int rank, ranks;
static MPI_Comm comm;

/* A call and its form that is recorded have the same arguments. */
#define CALL(name, ...) CHECK((forward ? FW_AMPI_##name : AMPI_##name)(__VA_ARGS__) == MPI_SUCCESS)
#define BACK(name, ...) CHECK(BW_AMPI_##name(__VA_ARGS__) == MPI_SUCCESS)

static inline int right(void) { return (rank + 1) % ranks; }
static inline int left(void) { return (rank + ranks - 1) % ranks; }

typedef void program(int forward, double *x, double *y);
typedef void forward_sweep(double *x, double *y);
typedef void backward_sweep(double *xb, double *yb);

static inline double number(int i, int salt) { return 0.3 + 0.9 * sin(1 + 7 * rank + 3 * i + 11 * salt); }

static inline double weighted(program *f, const double *x0, const double *v, double h, const double *w) {
  double x[N], y[MOST] = {0}, sum = 0;
  for (int i = 0; i < N; i++) x[i] = x0[i] + h * v[i];
  f(0, x, y);
  for (int i = 0; i < MOST; i++) sum += w[i] * y[i];
  return sum;
}

/* `fw` is f as it is recorded; NULL: f itself is. */
static inline void check_sweeps(const char *name, program *f, forward_sweep *fw, backward_sweep *bw) {
  const double h = 1e-5;
  double x0[N], x[N], v[N], xb[N] = {0}, yb[MOST], w[MOST], y[MOST] = {0}, sums[3], totals[3];
  int64_t left_over;
  admpi_statistics statistics;
  for (int i = 0; i < N; i++) x[i] = x0[i] = number(i, 1), v[i] = number(i, 2);
  for (int i = 0; i < MOST; i++) w[i] = yb[i] = number(i, 3);
  sums[0] = (weighted(f, x0, v, h, w) - weighted(f, x0, v, -h, w)) / (2 * h);
  if (fw == NULL)
    f(1, x, y);
  else
    fw(x, y);
  sums[1] = -weighted(f, x0, v, 0, w);
  for (int i = 0; i < MOST; i++) sums[1] += w[i] * y[i];
  bw(xb, yb);
  sums[2] = 0;
  for (int i = 0; i < N; i++) sums[2] += xb[i] * v[i];
  MPI_Allreduce(sums, totals, 3, MPI_DOUBLE, MPI_SUM, comm);
  if (!(fabs(totals[0] - totals[2]) <= 1e-8 * (1 + fabs(totals[0]))) || !(fabs(totals[1]) <= 1e-12 * (1 + fabs(totals[0])))) {
    ++failures;
    fprintf(stderr, "%s, %d ranks: %.12g by differences, %.12g by the sweep; values differ by %g\n", name, ranks, totals[0],
            totals[2], totals[1]);
  }
  CHECK(admpi_step_statistics(&statistics, &left_over) == ADMPI_SUCCESS && left_over == 0 && statistics.ids == 0);
}

static inline void check_differences(const char *name, program *f, backward_sweep *bw) { check_sweeps(name, f, NULL, bw); }

static inline void says(int code, const char *call, const char *what) {
  char text[MPI_MAX_ERROR_STRING];
  int n;
  CHECK(code != MPI_SUCCESS);
  MPI_Error_string(code, text, &n);
  if (strstr(text, call) == NULL || strstr(text, what) == NULL) {
    ++failures;
    fprintf(stderr, "'%s' does not say '%s' and '%s'\n", text, call, what);
  }
}

#endif
