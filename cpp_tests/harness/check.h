/* What tests in C check with: every failure is reported, and the program's status tells whether there was one. */
#ifndef ADMPI_TESTS_CHECK_H
#define ADMPI_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      ++failures;                                                                 \
      fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
    }                                                                             \
  } while (0)

#define CHECK_CLOSE(got, expected)                                                                       \
  do {                                                                                                   \
    double got_ = (got), expected_ = (expected);                                                         \
    if (!(fabs(got_ - expected_) <= 4e-15 * fabs(expected_))) {                                          \
      ++failures;                                                                                        \
      fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g\n", __FILE__, __LINE__, #got, got_, expected_); \
    }                                                                                                    \
  } while (0)

#endif
