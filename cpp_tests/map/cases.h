/* What every map must do, whoever does the jobs: the same cases for this thread, for threads and for ranks. */
#ifndef ADMPI_TESTS_MAP_CASES_H
#define ADMPI_TESTS_MAP_CASES_H

#include <admpi.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "map/jobs.h"

/* A call with data of its own, ragged or not. */
typedef struct problem {
  int64_t jobs, n_shared, n_job, n_y, n_r, n_i;
  admpi_var shared[8], *job, *y, *reference;
  double *x_r, shared_r[3];
  int32_t *x_i, shared_i[2];
  int64_t *job_end, *y_end, *r_end, *i_end;
  int ragged;
} problem;

static double wave(int64_t i) { return sin(1.0 + 0.7 * (double)i); }

static void *room(int64_t n, size_t size) { return calloc((size_t)(n + 1), size); }

static void make(problem *p, int64_t jobs, int64_t n_shared, int64_t per_job, int64_t per_y, int ragged) {
  int64_t i, longest_job = per_job + 2, longest_y = per_y + 2;
  memset(p, 0, sizeof *p);
  p->jobs = jobs, p->n_shared = n_shared, p->ragged = ragged;
  p->job = room(jobs * longest_job, sizeof *p->job);
  p->y = room(jobs * longest_y, sizeof *p->y);
  p->reference = room(jobs * longest_y, sizeof *p->y);
  p->x_r = room(jobs * 3, sizeof *p->x_r);
  p->x_i = room(jobs * 3, sizeof *p->x_i);
  p->job_end = room(jobs, sizeof *p->job_end), p->y_end = room(jobs, sizeof *p->y_end);
  p->r_end = room(jobs, sizeof *p->r_end), p->i_end = room(jobs, sizeof *p->i_end);
  for (i = 0; i < jobs; ++i) {
    p->n_job += ragged ? (per_job + i) % (longest_job + 1) : per_job;
    p->n_y += ragged ? (per_y + 2 * i) % (longest_y + 1) : per_y;
    p->n_r += ragged ? i % 3 : 2;
    p->n_i += ragged ? (i + 1) % 3 : 1;
    p->job_end[i] = p->n_job, p->y_end[i] = p->n_y, p->r_end[i] = p->n_r, p->i_end[i] = p->n_i;
  }
  for (i = 0; i < p->n_r; ++i) p->x_r[i] = wave(3 * i);
  for (i = 0; i < p->n_i; ++i) p->x_i[i] = (int32_t)(i % 5);
  for (i = 0; i < 3; ++i) p->shared_r[i] = wave(i + 100);
  for (i = 0; i < 2; ++i) p->shared_i[i] = (int32_t)i + 1;
  for (i = 0; i < n_shared; ++i) p->shared[i] = admpi_passive(wave(i));
  for (i = 0; i < p->n_job; ++i) p->job[i] = admpi_passive(wave(i + 10));
}

static void destroy(problem *p) {
  free(p->job), free(p->y), free(p->reference), free(p->x_r), free(p->x_i);
  free(p->job_end), free(p->y_end), free(p->r_end), free(p->i_end);
}

static void activate(admpi_var *x, int64_t n) {
  int64_t i;
  for (i = 0; i < n; ++i) CHECK(admpi_tape_input(tape, &x[i].value, 1, &x[i]) == ADMPI_SUCCESS);
}

static admpi_map_values values_of(const problem *p) {
  admpi_map_values values = {.jobs = p->jobs, .x_r = p->x_r, .n_r = p->n_r, .x_i = p->x_i, .n_i = p->n_i,
                             .shared_r = p->shared_r, .n_shared_r = 3, .shared_i = p->shared_i, .n_shared_i = 2};
  if (p->ragged) values.r_end = p->r_end, values.i_end = p->i_end;
  return values;
}

static admpi_map_call call_of(const problem *p, int32_t function) {
  admpi_map_call call = {.function = function, .jobs = p->jobs, .shared = p->shared, .n_shared = p->n_shared,
                         .job = p->job, .n_job = p->n_job, .n_y = p->n_y};
  if (p->ragged) call.job_end = p->job_end, call.y_end = p->y_end;
  return call;
}

/* The data of a reference run, which has no map around it. */
static double reference_data;

static int32_t reference_model(const problem *p, int64_t i, admpi_var *y, int64_t n_y) {
  int64_t job = i == 0 ? 0 : p->job_end[i - 1], r = i == 0 ? 0 : p->r_end[i - 1], x = i == 0 ? 0 : p->i_end[i - 1];
  int64_t j, k, n_job = p->job_end[i] - job;
  double data = 0.5;
  for (j = 0; r + j < p->r_end[i]; ++j) data += (double)(j + 1) * p->x_r[r + j];
  for (j = 0; x + j < p->i_end[i]; ++j) data += 0.25 * p->x_i[x + j];
  for (j = 0; j < 3; ++j) data += 0.125 * p->shared_r[j];
  for (j = 0; j < 2; ++j) data += 0.0625 * p->shared_i[j];
  reference_data = data;
  for (k = 0; k < n_y; ++k) {
    admpi_var angle = admpi_passive(0.1 * (double)k), squares = admpi_passive(data);
    for (j = 0; j < p->n_shared; ++j) angle = admpi_add(angle, admpi_mul_d(p->shared[j], 0.3 + 0.1 * (double)j));
    for (j = 0; j < n_job; ++j)
      squares = admpi_fma(p->job[job + j], admpi_mul_d(p->job[job + j], 1.0 + (double)(j + k)), squares);
    y[k] = k % 4 == 3 ? admpi_passive(data + (double)k) : admpi_mul(admpi_sin(angle), squares);
  }
  return 0;
}

static void check_near(double got, double expected, double scale, int line) {
  if (!(fabs(got - expected) <= 1e-12 * (1.0 + scale))) {
    ++failures;
    fprintf(stderr, "line %d: got %.17g, expected %.17g\n", line, got, expected);
  }
}

/* The adjoints of all parameters, for weights that differ from result to result. */
static void gradient(const problem *p, const admpi_var *y, int64_t n_y, int width, double *out) {
  int64_t i;
  int k;
  CHECK(admpi_tape_set_width(tape, width) == ADMPI_SUCCESS);
  CHECK(admpi_tape_clear_adjoints(tape) == ADMPI_SUCCESS);
  for (k = 0; k < width; ++k)
    for (i = 0; i < n_y; ++i) CHECK(admpi_tape_seed(tape, y[i], k == 1 ? 0.0 : wave(i + 31 * k), k) == ADMPI_SUCCESS);
  CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
  for (k = 0; k < width; ++k) {
    CHECK(admpi_tape_adjoints(tape, p->shared, p->n_shared, k, out) == ADMPI_SUCCESS);
    CHECK(admpi_tape_adjoints(tape, p->job, p->n_job, k, out + p->n_shared) == ADMPI_SUCCESS);
    out += p->n_shared + p->n_job;
  }
}

static void compare(const double *got, const double *expected, int64_t n, int line) {
  double scale = 0.0;
  int64_t i;
  for (i = 0; i < n; ++i) scale = fmax(scale, fabs(expected[i]));
  for (i = 0; i < n; ++i) check_near(got[i], expected[i], scale, line);
}

/* Values and derivatives of one problem against the same recorded here. */
static void check_problem(admpi_map *map, int64_t jobs, int ragged, int by_shared, int by_job, int width) {
  problem p;
  admpi_map_data data;
  admpi_map_values values;
  admpi_map_call call;
  double *got, *expected;
  admpi_var sum[5], sum_reference[5];
  int64_t i, k, n;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  make(&p, jobs, 3, 2, 5, ragged);
  if (by_shared) activate(p.shared, p.n_shared);
  if (by_job) activate(p.job, p.n_job);
  values = values_of(&p);
  CHECK(admpi_map_data_new(map, &values, &data) == ADMPI_SUCCESS);
  call = call_of(&p, f_model);
  call.data = data;
  n = (p.n_shared + p.n_job) * width;
  got = room(n, sizeof *got), expected = room(n, sizeof *expected);
  for (i = 0; i < jobs; ++i) {
    int64_t begin = i == 0 ? 0 : p.y_end[i - 1];
    reference_model(&p, i, p.reference + begin, p.y_end[i] - begin);
  }
  CHECK(admpi_map_run(map, &call, p.y) == ADMPI_SUCCESS);
  for (i = 0; i < p.n_y; ++i) {
    CHECK_CLOSE(p.y[i].value, p.reference[i].value);
    CHECK((p.y[i].id != 0) == (by_shared || by_job));
  }
  gradient(&p, p.y, p.n_y, width, got);
  gradient(&p, p.reference, p.n_y, width, expected);
  compare(got, expected, n, __LINE__);
  gradient(&p, p.y, p.n_y, width, got); /* once more, after another sweep */
  compare(got, expected, n, __LINE__);

  /* Sums, of jobs that have as many results each. */
  call.n_y = 5, call.y_end = NULL;
  CHECK(admpi_map_run_sum(map, &call, sum) == ADMPI_SUCCESS);
  for (k = 0; k < 5; ++k) sum_reference[k] = admpi_passive(0.0);
  for (i = 0; i < jobs; ++i) {
    admpi_var y[5];
    reference_model(&p, i, y, 5);
    for (k = 0; k < 5; ++k) sum_reference[k] = admpi_add(sum_reference[k], y[k]);
  }
  for (k = 0; k < 5; ++k) check_near(sum[k].value, sum_reference[k].value, fabs(sum[k].value), __LINE__);
  gradient(&p, sum, 5, width, got);
  gradient(&p, sum_reference, 5, width, expected);
  compare(got, expected, n, __LINE__);
  CHECK(admpi_tape_set_width(tape, 1) == ADMPI_SUCCESS);
  CHECK(admpi_map_data_free(map, data) == ADMPI_SUCCESS);
  free(got), free(expected);
  destroy(&p);
}

static void check_problems(admpi_map *map, int workers) {
  int64_t jobs[] = {0, 1, 2, workers - 1, workers, workers + 1, 2 * workers + 1, 100};
  size_t i;
  for (i = 0; i < sizeof jobs / sizeof *jobs; ++i) {
    check_problem(map, jobs[i], 0, 1, 1, 1);
    check_problem(map, jobs[i], 1, 1, 1, 4);
    check_problem(map, jobs[i], 0, 1, 0, 1);
    check_problem(map, jobs[i], 1, 0, 1, 16);
    check_problem(map, jobs[i], 1, 0, 0, 2);
  }
}

/* More results than a sweep has directions, many parameters, and many zeros among the derivatives. */
static void check_long(admpi_map *map) {
  problem p;
  admpi_map_call call;
  admpi_map_data none = {0, 0};
  double got[64 * 6 + 8];
  int64_t i, k;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  make(&p, 20, 2, 3, MAX_RESULTS, 0);
  activate(p.shared, p.n_shared), activate(p.job, p.n_job);
  call = call_of(&p, f_model);
  call.data = none;
  CHECK(admpi_map_run(map, &call, p.y) == ADMPI_SUCCESS);
  for (i = 0; i < p.n_y; i += 7) { /* each result depends on the parameters of its own job alone */
    int64_t of = i / MAX_RESULTS;
    CHECK(admpi_tape_clear_adjoints(tape) == ADMPI_SUCCESS);
    CHECK(admpi_tape_seed(tape, p.y[i], 1.0, 0) == ADMPI_SUCCESS);
    CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
    CHECK(admpi_tape_adjoints(tape, p.job, p.n_job, 0, got) == ADMPI_SUCCESS);
    for (k = 0; k < p.n_job; ++k)
      CHECK((got[k] != 0.0) == (k / 3 == of && i % MAX_RESULTS % 4 != 3));
  }
  destroy(&p);
}

/* Two jobs run at once on every rank, where none has waited for another before. */
static void check_threads(admpi_map *map) {
  admpi_var y[MAX_JOBS];
  admpi_map_call call = {.function = f_meet, .jobs = MAX_JOBS, .n_y = MAX_JOBS};
  int i;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  for (i = 0; i < MAX_JOBS; ++i) CHECK(y[i].value == 1.0);
}

static void check_sparse(admpi_map *map) {
  enum { JOBS = 30, OWN = 24 };
  static double s = 0.75, p[JOBS * OWN], adjoints[JOBS * OWN];
  static admpi_var shared, job[JOBS * OWN], y[JOBS * OWN];
  admpi_map_call call = {.function = f_sparse, .jobs = JOBS, .shared = &shared, .n_shared = 1, .job = job,
                         .n_job = JOBS * OWN, .n_y = JOBS * OWN};
  double adjoint, expected = 0.0;
  int i;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  for (i = 0; i < JOBS * OWN; ++i) p[i] = wave(i);
  CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, p, JOBS * OWN, job) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  for (i = 0; i < JOBS * OWN; ++i) {
    CHECK(y[i].value == s * p[i]);
    CHECK(admpi_tape_seed(tape, y[i], (double)(i + 1), 0) == ADMPI_SUCCESS);
    expected += (i + 1) * p[i];
  }
  CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_adjoints(tape, job, JOBS * OWN, 0, adjoints) == ADMPI_SUCCESS);
  for (i = 0; i < JOBS * OWN; ++i) CHECK(adjoints[i] == (i + 1) * s);
  CHECK(admpi_tape_adjoint(tape, shared, 0, &adjoint) == ADMPI_SUCCESS);
  check_near(adjoint, expected, fabs(expected), __LINE__);
}

/* More jobs than are timed one by one, and few derivatives. */
static void check_many(admpi_map *map) {
  enum { JOBS = 401 };
  static double p[JOBS], adjoints[JOBS];
  static admpi_var job[JOBS], y[JOBS];
  double s = 0.75, sum = 0.0, adjoint;
  admpi_var shared;
  admpi_map_call call = {.function = f_product, .jobs = JOBS, .shared = &shared, .n_shared = 1, .job = job,
                         .n_job = JOBS, .n_y = JOBS};
  int by_shared, i;
  for (i = 0; i < JOBS; ++i) p[i] = wave(i), sum += p[i];
  for (by_shared = 0; by_shared < 2; ++by_shared) {
    CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
    shared = admpi_passive(s);
    for (i = 0; i < JOBS; ++i) job[i] = admpi_passive(p[i]);
    CHECK(admpi_tape_input(tape, by_shared ? &s : p, by_shared ? 1 : JOBS, by_shared ? &shared : job) == ADMPI_SUCCESS);
    CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
    for (i = 0; i < JOBS; ++i) {
      CHECK(y[i].value == s * p[i]);
      CHECK(admpi_tape_seed(tape, y[i], 1.0, 0) == ADMPI_SUCCESS);
    }
    CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
    if (by_shared) {
      CHECK(admpi_tape_adjoint(tape, shared, 0, &adjoint) == ADMPI_SUCCESS);
      check_near(adjoint, sum, fabs(sum), __LINE__);
    } else {
      CHECK(admpi_tape_adjoints(tape, job, JOBS, 0, adjoints) == ADMPI_SUCCESS);
      for (i = 0; i < JOBS; ++i) CHECK(adjoints[i] == s);
    }
  }
}

static void check_hessian(admpi_map *map) {
  enum { JOBS = 5, RESULTS = 2, D = 3 };
  admpi_var shared[2] = {{0.4, 0, 0}, {-1.3, 0, 0}}, job[JOBS];
  double value[JOBS * RESULTS], gradients[JOBS * RESULTS * D], hessian[JOBS * RESULTS * D * D];
  admpi_map_call call = {.function = f_pairs, .jobs = JOBS, .shared = shared, .n_shared = 2, .job = job, .n_job = JOBS,
                         .n_y = JOBS * RESULTS};
  int i, k, a, b;
  for (i = 0; i < JOBS; ++i) job[i] = admpi_passive(wave(i));
  CHECK(admpi_map_hessian(map, &call, value, gradients, hessian) == ADMPI_SUCCESS);
  for (i = 0; i < JOBS; ++i) {
    double s = shared[0].value, t = shared[1].value, q = job[i].value, e = exp(s * q);
    for (k = 0; k < RESULTS; ++k) {
      int at = i * RESULTS + k;
      double c = k + 1.0;
      double g[D] = {q * e, c * q * q, s * e + 2.0 * c * q * t};
      double h[D][D] = {{q * q * e, 0.0, (1.0 + s * q) * e},
                        {0.0, 0.0, 2.0 * c * q},
                        {(1.0 + s * q) * e, 2.0 * c * q, s * s * e + 2.0 * c * t}};
      check_near(value[at], e + c * q * q * t, 1.0, __LINE__);
      for (a = 0; a < D; ++a) {
        check_near(gradients[at * D + a], g[a], 1.0, __LINE__);
        for (b = 0; b < D; ++b) check_near(hessian[(at * D + a) * D + b], h[a][b], 1.0, __LINE__);
      }
    }
  }
  memset(hessian, 0, sizeof hessian);
  CHECK(admpi_map_hessian(map, &call, NULL, NULL, hessian) == ADMPI_SUCCESS);
  CHECK(hessian[0] != 0.0);
}

static void check_nested(admpi_map *map) {
  double s = 1.5, p[8], shared_r = 3.0, adjoint;
  admpi_var shared, job[8], y[4];
  admpi_map_values values = {.jobs = 4, .shared_r = &shared_r, .n_shared_r = 1};
  admpi_map_call call = {.function = f_nested, .jobs = 4, .shared = &shared, .n_shared = 1, .job = job, .n_job = 8,
                         .n_y = 4};
  int i;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  for (i = 0; i < 8; ++i) p[i] = wave(i);
  CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, p, 8, job) == ADMPI_SUCCESS);
  CHECK(admpi_map_data_new(map, &values, &call.data) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  CHECK(admpi_map_data_free(map, call.data) == ADMPI_SUCCESS);
  for (i = 0; i < 4; ++i) {
    check_near(y[i].value, s * s * p[2 * i] * p[2 * i + 1], 1.0, __LINE__);
    CHECK(admpi_tape_clear_adjoints(tape) == ADMPI_SUCCESS);
    CHECK(admpi_tape_seed(tape, y[i], 1.0, 0) == ADMPI_SUCCESS);
    CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
    CHECK(admpi_tape_adjoint(tape, shared, 0, &adjoint) == ADMPI_SUCCESS);
    check_near(adjoint, 2.0 * s * p[2 * i] * p[2 * i + 1], 1.0, __LINE__);
    CHECK(admpi_tape_adjoint(tape, job[2 * i], 0, &adjoint) == ADMPI_SUCCESS);
    check_near(adjoint, s * s * p[2 * i + 1], 1.0, __LINE__);
  }
}

static int32_t expected_code(int how) {
  switch (how) {
    case RETURN_7: case RETURN_SILENTLY: case NEST_AND_7: return ADMPI_ERR_CALLBACK;
    case PAST_ITS_LIMIT: return ADMPI_ERR_LIMIT;
    case NO_MEMORY: return ADMPI_ERR_MEMORY;
    case LEFT_NEST: return ADMPI_ERR_NEST;
    case FOREIGN: case TAPE_RESET: return ADMPI_ERR_STALE;
    case TAPE_TAKEN: return ADMPI_ERR_ARGUMENT;
    default: return ADMPI_SUCCESS;
  }
}

/* Job `bad` of `jobs` fails in some way, and the same map then works. */
static void check_failure(admpi_map *map, int64_t jobs, int64_t bad, int how) {
  int32_t x_i[MAX_JOBS] = {0};
  double s = 0.5, p[MAX_JOBS], adjoint;
  admpi_var shared, job[MAX_JOBS], y[MAX_JOBS];
  admpi_map_values values = {.jobs = jobs, .x_i = x_i, .n_i = jobs};
  admpi_map_data data;
  admpi_map_call call = {.function = f_failing, .jobs = jobs, .shared = &shared, .n_shared = 1, .job = job,
                         .n_job = jobs, .n_y = jobs};
  admpi_statistics before, after;
  admpi_map_failure failure;
  int64_t i;
  int then;
  x_i[bad] = how;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  for (i = 0; i < jobs; ++i) p[i] = wave(i);
  CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, p, jobs, job) == ADMPI_SUCCESS);
  for (i = 0; i < jobs; ++i) y[i] = admpi_passive(-77.0);
  CHECK(admpi_map_data_new(map, &values, &data) == ADMPI_SUCCESS);
  call.data = data;
  CHECK(admpi_tape_statistics(tape, &before) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == expected_code(how));
  CHECK(admpi_tls_tape == tape && tape->recording && admpi_map_job() == -1);
  if (expected_code(how) != ADMPI_SUCCESS) {
    CHECK(admpi_tape_statistics(tape, &after) == ADMPI_SUCCESS);
    CHECK(after.used_bytes == before.used_bytes && after.events == before.events);
    CHECK(admpi_map_last_failure(&failure) == ADMPI_SUCCESS);
    CHECK(failure.job == bad);
    CHECK(failure.code == (how == RETURN_7 || how == NEST_AND_7 ? 7 : how == RETURN_SILENTLY ? -2 : 0));
    if (how == RETURN_7) CHECK(strcmp(failure.text, "std::domain_error: seven") == 0);
    if (how == RETURN_SILENTLY) CHECK(strcmp(failure.text, "the function returned -2") == 0);
    CHECK(strstr(admpi_last_error(), failure.text) != NULL);
    for (i = 0; i < jobs; ++i) CHECK(y[i].value == -77.0 && y[i].id == 0);
  } else if (how == NAN_RESULT) {
    for (i = 0; i < jobs; ++i) CHECK(isnan(y[i].value) == (i == bad));
  }
  for (then = 0; then < 2; ++then) {
    x_i[bad] = FINE;
    CHECK(admpi_map_data_update(map, call.data, &values, &call.data) == ADMPI_SUCCESS);
    CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
    CHECK(admpi_tape_clear_adjoints(tape) == ADMPI_SUCCESS);
    for (i = 0; i < jobs; ++i) {
      CHECK(y[i].value == s + p[i]);
      CHECK(admpi_tape_seed(tape, y[i], (double)(i + 1), 0) == ADMPI_SUCCESS);
    }
    CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
    for (i = 0; i < jobs; ++i) {
      CHECK(admpi_tape_adjoint(tape, job[i], 0, &adjoint) == ADMPI_SUCCESS);
      CHECK(adjoint == (double)(i + 1));
    }
    CHECK(admpi_tape_adjoint(tape, shared, 0, &adjoint) == ADMPI_SUCCESS);
    CHECK(adjoint == 0.5 * (double)(jobs * (jobs + 1)));
  }
  CHECK(admpi_map_data_free(map, call.data) == ADMPI_SUCCESS);
}

static void check_failures_of(admpi_map *map, int64_t jobs, int64_t bad) {
  int how;
  for (how = RETURN_7; how <= CALLERS_TAPE; ++how) check_failure(map, jobs, bad, how);
}

/* Not where other threads do jobs, whose memory it is too. */
static void check_no_memory(admpi_map *map) {
  check_failure(map, 9, 0, NO_MEMORY);
  check_failure(map, 9, 8, NO_MEMORY);
}

/* A reason that a job gives is for its own failure, in the same call. */
static void check_reasons(admpi_map *map) {
  enum { JOBS = 6 };
  static const int32_t kinds[3][JOBS] = {
      {FINE, EXPLAIN, RETURN_SILENTLY}, {FINE, EXPLAIN}, {FINE, RETURN_SILENTLY}};
  admpi_var shared = admpi_passive(1.0), job[JOBS], y[JOBS];
  admpi_map_values values = {.jobs = JOBS, .n_i = JOBS};
  admpi_map_call call = {.function = f_failing, .jobs = JOBS, .shared = &shared, .n_shared = 1, .job = job,
                         .n_job = JOBS, .n_y = JOBS};
  admpi_map_failure failure;
  int i;
  for (i = 0; i < JOBS; ++i) job[i] = admpi_passive(wave(i));
  for (i = 0; i < 3; ++i) {
    values.x_i = kinds[i];
    CHECK(admpi_map_data_new(map, &values, &call.data) == ADMPI_SUCCESS);
    CHECK(admpi_map_run(map, &call, y) == (i == 1 ? ADMPI_SUCCESS : ADMPI_ERR_CALLBACK));
    CHECK(admpi_map_last_failure(&failure) == ADMPI_SUCCESS);
    CHECK(failure.job == (i == 2 ? 1 : 2) && strcmp(failure.text, "the function returned -2") == 0);
    CHECK(admpi_map_data_free(map, call.data) == ADMPI_SUCCESS);
  }
}

static void check_failures(admpi_map *map) {
  check_failures_of(map, 1, 0);
  check_failures_of(map, 9, 0);
  check_failures_of(map, 9, 8);
  check_failures_of(map, 60, 31);
}

/* The first of several failures is the one that is told of. */
static void check_first_failure(admpi_map *map) {
  enum { JOBS = 50 };
  int32_t x_i[JOBS] = {0};
  admpi_var shared = admpi_passive(1.0), job[JOBS], y[JOBS];
  admpi_map_values values = {.jobs = JOBS, .x_i = x_i, .n_i = JOBS};
  admpi_map_call call = {.function = f_failing, .jobs = JOBS, .shared = &shared, .n_shared = 1, .job = job,
                         .n_job = JOBS, .n_y = JOBS};
  admpi_map_failure failure;
  int i;
  for (i = 0; i < JOBS; ++i) job[i] = admpi_passive(wave(i));
  x_i[5] = x_i[29] = x_i[49] = RETURN_7;
  CHECK(admpi_map_data_new(map, &values, &call.data) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_CALLBACK);
  CHECK(admpi_map_last_failure(&failure) == ADMPI_SUCCESS);
  CHECK(failure.job == 5);
  CHECK(admpi_map_data_free(map, call.data) == ADMPI_SUCCESS);
}

static void check_data(admpi_map *map) {
  double x_r[4] = {1.0, 2.0, 3.0, 4.0};
  int64_t wrong[2] = {3, 2}, short_of[2] = {1, 3};
  admpi_var shared = admpi_passive(1.0), job[2] = {{1.0, 0, 0}, {2.0, 0, 0}}, y[3];
  admpi_map_values values = {.jobs = 2, .x_r = x_r, .n_r = 4};
  admpi_map_call call = {.function = f_model, .jobs = 2, .shared = &shared, .n_shared = 1, .job = job, .n_job = 2,
                         .n_y = 2};
  admpi_map_data first, second, zero = {0, 0};
  double before;
  CHECK(admpi_map_data_new(map, &values, &first) == ADMPI_SUCCESS);
  call.data = first;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  before = y[1].value;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS && y[1].value == before);
  x_r[3] = 5.0; /* the library has a copy */
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS && y[1].value == before);
  CHECK(admpi_map_data_update(map, first, &values, &second) == ADMPI_SUCCESS);
  CHECK(second.id == first.id && second.generation != first.generation);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_STALE);
  CHECK(strstr(admpi_last_error(), "generation") != NULL);
  CHECK(admpi_map_data_update(map, first, &values, &second) == ADMPI_ERR_STALE);
  CHECK(admpi_map_data_free(map, first) == ADMPI_ERR_STALE);
  call.data = second;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS && y[1].value != before);
  /* Another number of jobs. */
  call.jobs = 1, call.n_job = 1, call.n_y = 1;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_MISMATCH);
  call.jobs = 2, call.n_job = 2, call.n_y = 2;
  CHECK(admpi_map_data_free(map, second) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_map_data_free(map, second) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_map_data_free(map, zero) == ADMPI_SUCCESS);
  call.data = zero;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  /* Ends that descend, or do not end where the array does; lengths that do not divide. */
  values.r_end = wrong;
  CHECK(admpi_map_data_new(map, &values, &first) == ADMPI_ERR_ARGUMENT);
  values.r_end = short_of;
  CHECK(admpi_map_data_new(map, &values, &first) == ADMPI_ERR_ARGUMENT);
  values.r_end = NULL, values.n_r = 3;
  CHECK(admpi_map_data_new(map, &values, &first) == ADMPI_ERR_ARGUMENT);
  call.job_end = wrong;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_ARGUMENT);
  CHECK(strstr(admpi_last_error(), "job_end[1] = 2") != NULL);
  call.job_end = NULL, call.n_y = 3;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_ARGUMENT);
  call.n_y = 2, call.function = 0;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_ARGUMENT);
}

/* Results are ordinary values: the next map goes on with them, and with lengths that change from call to call. */
static void check_chain(admpi_map *map) {
  double s = 1.1, p[6], adjoint, expected = 1.1;
  admpi_var shared, job[6], y[6], z;
  admpi_map_call call = {.function = f_product, .shared = &shared, .n_shared = 1, .job = job};
  int round, i;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  for (i = 0; i < 6; ++i) p[i] = 1.0 + 0.1 * i;
  CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, p, 6, job) == ADMPI_SUCCESS);
  z = shared;
  for (round = 0; round < 4; ++round) {
    call.jobs = call.n_job = call.n_y = 6 - round;
    CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
    z = y[5 - round];
    expected *= p[5 - round];
    shared = z;
  }
  CHECK_CLOSE(z.value, expected);
  CHECK(admpi_tape_seed(tape, z, 1.0, 0) == ADMPI_SUCCESS);
  CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_adjoint(tape, job[5], 0, &adjoint) == ADMPI_SUCCESS);
  CHECK_CLOSE(adjoint, expected / p[5]);
}

/* Parameters whose ids are not in a row, with tags of more than one kind; and those that are stale somewhere. */
static void check_parameters(admpi_map *map) {
  enum { JOBS = 40 };
  double s = 1.1, p[JOBS], adjoint;
  admpi_var shared, job[JOBS], mixed[JOBS], y[JOBS];
  admpi_map_call call = {.function = f_product, .jobs = JOBS, .shared = &shared, .n_shared = 1, .job = mixed,
                         .n_job = JOBS, .n_y = JOBS};
  admpi_position middle;
  int at, i, way;
  for (i = 0; i < JOBS; ++i) p[i] = 1.0 + 0.1 * i;
  for (way = 0; way < 5; ++way) {
    CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
    CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
    CHECK(admpi_tape_input(tape, p, JOBS / 2, job) == ADMPI_SUCCESS);
    CHECK(admpi_tape_position(tape, &middle) == ADMPI_SUCCESS);
    /* From here on with another tag. */
    if (way > 0) CHECK(admpi_tape_reset_to(tape, &middle) == ADMPI_SUCCESS);
    CHECK(admpi_tape_input(tape, p + JOBS / 2, JOBS / 2, job + JOBS / 2) == ADMPI_SUCCESS);
    for (i = 0; i < JOBS; ++i) mixed[i] = job[way == 2 ? JOBS - 1 - i : way == 3 ? i ^ 1 : i];
    if (way == 4) mixed[7] = mixed[29], mixed[11] = admpi_passive(3.0);
    CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
    for (i = 0; i < JOBS; ++i) CHECK(admpi_tape_seed(tape, y[i], i + 1.0, 0) == ADMPI_SUCCESS);
    CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
    for (i = 0; i < JOBS; ++i) {
      double expected = 0.0;
      for (at = 0; at < JOBS; ++at) expected += mixed[at].id == job[i].id ? s * (at + 1.0) : 0.0;
      CHECK(admpi_tape_adjoint(tape, job[i], 0, &adjoint) == ADMPI_SUCCESS);
      check_near(adjoint, expected, 100.0, __LINE__);
      check_near(y[i].value, s * mixed[i].value, 10.0, __LINE__);
    }
  }
  /* The second half, and of that the last one only, and all. */
  memcpy(mixed, job, sizeof mixed);
  CHECK(admpi_tape_reset_to(tape, &middle) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_STALE);
  CHECK(strstr(admpi_last_error(), "job[20]") != NULL);
  CHECK(admpi_tape_input(tape, p + JOBS / 2, JOBS / 2 - 1, job + JOBS / 2) == ADMPI_SUCCESS);
  job[JOBS - 1].id = job[JOBS - 2].id + 1, job[JOBS - 1].tag = job[JOBS - 2].tag;
  memcpy(mixed, job, sizeof mixed);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_STALE);
  CHECK(strstr(admpi_last_error(), "job[39]") != NULL);
  call.job = mixed + JOBS / 2, call.jobs = call.n_job = call.n_y = JOBS / 2;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_STALE);
  CHECK(strstr(admpi_last_error(), "job[19]") != NULL);
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_STALE);
  CHECK(strstr(admpi_last_error(), "shared[0]") != NULL);
  /* Others have their ids now. */
  CHECK(admpi_tape_input(tape, p, JOBS, job) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_STALE);
  CHECK(strstr(admpi_last_error(), "job[0]") != NULL);
}

static void check_map(admpi_map *map, int workers) {
  check_problems(map, workers);
  check_problem(map, 1000, 1, 1, 1, 1);
  check_problem(map, 1000, 0, 1, 1, 1);
  check_long(map);
  check_sparse(map);
  check_many(map);
  check_hessian(map);
  check_nested(map);
  check_failures(map);
  check_first_failure(map);
  check_reasons(map);
  check_data(map);
  check_chain(map);
  check_parameters(map);
}

#endif
