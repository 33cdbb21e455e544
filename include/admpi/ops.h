/* admpi: arithmetic and mathematical functions on active values, by value, for C (and, as exported
 * symbols, for Fortran).
 *
 * One operator records one statement of at most three arguments; passive operands cost nothing on the
 * tape, and a call whose operands are all passive records nothing. Pass an operand that does not depend on anything as a double: the _d forms (admpi_mul_d(a, 2.0), admpi_d_div(1.0, a)).
 *
 * An operator cannot return a status. If the tape is full, or an operand is stale under ADMPI_CHECK=1, the
 * result is passive, the tape keeps the error, and the next admpi_tape_reverse returns it.
 *
 * Conventions at ties, jumps and singular points: admpi/partials.h. */
#ifndef ADMPI_OPS_H
#define ADMPI_OPS_H

#include <math.h>
#include <string.h>

#include "admpi/function_lists.h"
#include "admpi/normal.h"
#include "admpi/special.h"
#include "admpi/tape.h"

/* The shim defines this as empty, to compile the exported twins from the same source. */
#ifndef ADMPI_INLINE
#define ADMPI_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ADMPI_UNUSED __attribute__((unused))

#define ADMPI_SPECIAL(name) admpi_value_##name
#define ADMPI_REAL double
#define ADMPI_PARTIAL(name) \
  static inline double admpi_partial_##name(double x ADMPI_UNUSED, double y ADMPI_UNUSED)
#define ADMPI_PARTIAL_1(name, a, b) \
  static inline double admpi_partial_1_##name(double a ADMPI_UNUSED, double b ADMPI_UNUSED, double y ADMPI_UNUSED)
#define ADMPI_PARTIAL_2(name, a, b) \
  static inline double admpi_partial_2_##name(double a ADMPI_UNUSED, double b ADMPI_UNUSED, double y ADMPI_UNUSED)
#include "admpi/partials.h"

static inline admpi_var admpi_passive(double value) {
  admpi_var y = {value, 0, 0};
  return y;
}

static inline double admpi_value(admpi_var x) { return x.value; }

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ADMPI_ID_SHIFT 0
#else
#define ADMPI_ID_SHIFT 32
#endif

/* Writes the statement, for which there is room. A passive operand's slot is written and then overwritten:
 * no branch on activity. Id and tag stand side by side, in values and in the tape, and move as one word: a load
 * of both after a store of one would wait until the store has left the core. */
static inline admpi_var admpi_detail_write(admpi_tape *tape, double value, uint32_t n_max, admpi_var a, double da,
                                           admpi_var b, double db, admpi_var c, double dc) {
  double *jacobian = tape->jacobian;
  uint32_t *argument = tape->argument;
  uint8_t *statement = tape->statement;
  uint64_t n = a.id != 0;
  uint64_t some, word, next;
  admpi_var y;
  jacobian[0] = da;
  argument[0] = a.id;
  if (n_max > 1) {
    jacobian[n] = db;
    argument[n] = b.id;
    n += b.id != 0;
  }
  if (n_max > 2) {
    jacobian[n] = dc;
    argument[n] = c.id;
    n += c.id != 0;
  }
  tape->jacobian = jacobian + n;
  tape->argument = argument + n;
  some = n != 0;
  memcpy(&word, &tape->next_id, sizeof word);
  next = word + (some << ADMPI_ID_SHIFT);
  tape->statement = statement + some;
  memcpy(&tape->next_id, &next, sizeof next);
  *statement = (uint8_t)n; /* last: a byte store may alias the cursors */
  word &= -some;
  y.value = value;
  memcpy(&y.id, &word, sizeof word);
  return y;
}

/* Values made since the last reset or nest need no search. */
static inline int admpi_detail_check_operand(const admpi_tape *tape, admpi_var x) {
  if (x.id == 0 || (x.tag == tape->tag && x.id < tape->next_id)) return 0;
  return admpi_detail_tape_check(tape, &x);
}

/* If the inline comparison found no room: the tape does not record, checks its operands, or must grow. */
static __attribute__((noinline, cold, unused)) admpi_var admpi_detail_record_slow(double value, uint32_t n_max,
                                                                                  admpi_var a, double da, admpi_var b,
                                                                                  double db, admpi_var c, double dc) {
  admpi_tape *tape = admpi_tls_tape;
  int status = 0;
  if (tape->checking) {
    status = admpi_detail_check_operand(tape, a);
    if (status == 0) status = admpi_detail_check_operand(tape, b);
    if (status == 0) status = admpi_detail_check_operand(tape, c);
  }
  if (status == 0 && !tape->recording) return admpi_passive(value);
  if (status == 0 && tape->checked_end - tape->argument < (ptrdiff_t)n_max) {
    status = admpi_detail_tape_grow(tape, n_max);
  }
  if (status > 0) admpi_detail_tape_fail(tape, status);
  return status == 0 ? admpi_detail_write(tape, value, n_max, a, da, b, db, c, dc) : admpi_passive(value);
}

/* The slow paths are tail calls, so that the fast ones need no stack frame. */
static __attribute__((noinline, cold, unused)) admpi_var admpi_detail_record_slow_1(double value, admpi_var a,
                                                                                    double da) {
  admpi_var none = {0.0, 0, 0};
  return admpi_detail_record_slow(value, 1, a, da, none, 0.0, none, 0.0);
}
static __attribute__((noinline, cold, unused)) admpi_var admpi_detail_record_slow_2(double value, admpi_var a,
                                                                                    double da, admpi_var b, double db) {
  admpi_var none = {0.0, 0, 0};
  return admpi_detail_record_slow(value, 2, a, da, b, db, none, 0.0);
}
static __attribute__((noinline, cold, unused)) admpi_var admpi_detail_record_slow_3(double value, admpi_var a,
                                                                                    double da, admpi_var b, double db,
                                                                                    admpi_var c, double dc) {
  return admpi_detail_record_slow(value, 3, a, da, b, db, c, dc);
}

static inline admpi_var admpi_detail_record_1(double value, admpi_var a, double da) {
  admpi_tape *tape = admpi_tls_tape;
  if (__builtin_expect(tape->argument_end - tape->argument < 1, 0)) return admpi_detail_record_slow_1(value, a, da);
  return admpi_detail_write(tape, value, 1, a, da, a, 0.0, a, 0.0);
}

static inline admpi_var admpi_detail_record_2(double value, admpi_var a, double da, admpi_var b, double db) {
  admpi_tape *tape = admpi_tls_tape;
  if (__builtin_expect(tape->argument_end - tape->argument < 2, 0)) {
    return admpi_detail_record_slow_2(value, a, da, b, db);
  }
  return admpi_detail_write(tape, value, 2, a, da, b, db, b, 0.0);
}

static inline admpi_var admpi_detail_record_3(double value, admpi_var a, double da, admpi_var b, double db, admpi_var c,
                                              double dc) {
  admpi_tape *tape = admpi_tls_tape;
  if (__builtin_expect(tape->argument_end - tape->argument < 3, 0)) {
    return admpi_detail_record_slow_3(value, a, da, b, db, c, dc);
  }
  return admpi_detail_write(tape, value, 3, a, da, b, db, c, dc);
}

/* Arithmetic. */

ADMPI_INLINE admpi_var admpi_add(admpi_var a, admpi_var b) {
  return admpi_detail_record_2(a.value + b.value, a, 1.0, b, 1.0);
}
ADMPI_INLINE admpi_var admpi_add_d(admpi_var a, double b) { return admpi_detail_record_1(a.value + b, a, 1.0); }
ADMPI_INLINE admpi_var admpi_sub(admpi_var a, admpi_var b) {
  return admpi_detail_record_2(a.value - b.value, a, 1.0, b, -1.0);
}
ADMPI_INLINE admpi_var admpi_sub_d(admpi_var a, double b) { return admpi_detail_record_1(a.value - b, a, 1.0); }
ADMPI_INLINE admpi_var admpi_d_sub(double a, admpi_var b) { return admpi_detail_record_1(a - b.value, b, -1.0); }
ADMPI_INLINE admpi_var admpi_mul(admpi_var a, admpi_var b) {
  return admpi_detail_record_2(a.value * b.value, a, b.value, b, a.value);
}
ADMPI_INLINE admpi_var admpi_mul_d(admpi_var a, double b) { return admpi_detail_record_1(a.value * b, a, b); }
ADMPI_INLINE admpi_var admpi_div(admpi_var a, admpi_var b) {
  double y = a.value / b.value;
  return admpi_detail_record_2(y, a, admpi_partial_1_div(a.value, b.value, y), b,
                               admpi_partial_2_div(a.value, b.value, y));
}
ADMPI_INLINE admpi_var admpi_div_d(admpi_var a, double b) { return admpi_detail_record_1(a.value / b, a, 1.0 / b); }
ADMPI_INLINE admpi_var admpi_d_div(double a, admpi_var b) {
  double y = a / b.value;
  return admpi_detail_record_1(y, b, admpi_partial_2_div(a, b.value, y));
}
ADMPI_INLINE admpi_var admpi_neg(admpi_var a) { return admpi_detail_record_1(-a.value, a, -1.0); }

/** a * b + c, rounded once. */
ADMPI_INLINE admpi_var admpi_fma(admpi_var a, admpi_var b, admpi_var c) {
  return admpi_detail_record_3(fma(a.value, b.value, c.value), a, b.value, b, a.value, c, 1.0);
}
/** a * b + c with a passive factor b, rounded once. */
ADMPI_INLINE admpi_var admpi_fma_d(admpi_var a, double b, admpi_var c) {
  return admpi_detail_record_2(fma(a.value, b, c.value), a, b, c, 1.0);
}

/* Functions of one variable, and of two with a double on either side. Their partials cost more than a branch, so those of
 * passive operands are left out. */

#define ADMPI_UNARY(name, expression)                                      \
  ADMPI_INLINE admpi_var admpi_##name(admpi_var a) {                       \
    double x = a.value;                                                    \
    double y = expression;                                                 \
    return admpi_detail_record_1(y, a, a.id ? admpi_partial_##name(x, y) : 0.0);  \
  }

#define ADMPI_BINARY_VV(name, expression)                                           \
  ADMPI_INLINE admpi_var admpi_##name(admpi_var a, admpi_var b) {                   \
    double x1 = a.value;                                                            \
    double x2 = b.value;                                                            \
    double y = expression;                                                          \
    return admpi_detail_record_2(y, a, a.id ? admpi_partial_1_##name(x1, x2, y) : 0.0, b,  \
                          b.id ? admpi_partial_2_##name(x1, x2, y) : 0.0);          \
  }
#define ADMPI_BINARY_VD(name, expression)                                            \
  ADMPI_INLINE admpi_var admpi_##name##_d(admpi_var a, double x2) {                  \
    double x1 = a.value;                                                             \
    double y = expression;                                                           \
    return admpi_detail_record_1(y, a, a.id ? admpi_partial_1_##name(x1, x2, y) : 0.0);     \
  }
#define ADMPI_BINARY_DV(name, expression)                                            \
  ADMPI_INLINE admpi_var admpi_d_##name(double x1, admpi_var b) {                    \
    double x2 = b.value;                                                             \
    double y = expression;                                                           \
    return admpi_detail_record_1(y, b, b.id ? admpi_partial_2_##name(x1, x2, y) : 0.0);     \
  }

ADMPI_FUNCTIONS_OF_MANY(ADMPI_UNARY)
ADMPI_FUNCTIONS_OF_ONE(ADMPI_UNARY)
ADMPI_OPERATORS_VV(ADMPI_BINARY_VV)
ADMPI_OPERATORS_VD(ADMPI_BINARY_VD)
ADMPI_OPERATORS_DV(ADMPI_BINARY_DV)
ADMPI_BINARY_VD(copysign, copysign(x1, x2))
ADMPI_INLINE admpi_var admpi_copysign(admpi_var a, admpi_var b) { return admpi_copysign_d(a, b.value); }

#undef ADMPI_UNARY
#undef ADMPI_BINARY_VV
#undef ADMPI_BINARY_VD
#undef ADMPI_BINARY_DV
#undef ADMPI_UNUSED

/* Minimum and maximum return one of their operands, so nothing is recorded. At a tie it is the first; a number is preferred
 * to a NaN. */

ADMPI_INLINE admpi_var admpi_fmin(admpi_var a, admpi_var b) {
  return a.value <= b.value || b.value != b.value ? a : b;
}
ADMPI_INLINE admpi_var admpi_fmin_d(admpi_var a, double b) { return a.value <= b || b != b ? a : admpi_passive(b); }
ADMPI_INLINE admpi_var admpi_fmax(admpi_var a, admpi_var b) {
  return a.value >= b.value || b.value != b.value ? a : b;
}
ADMPI_INLINE admpi_var admpi_fmax_d(admpi_var a, double b) { return a.value >= b || b != b ? a : admpi_passive(b); }

/* Piecewise constant: passive results. */

ADMPI_INLINE admpi_var admpi_floor(admpi_var a) { return admpi_passive(floor(a.value)); }
ADMPI_INLINE admpi_var admpi_ceil(admpi_var a) { return admpi_passive(ceil(a.value)); }
ADMPI_INLINE admpi_var admpi_round(admpi_var a) { return admpi_passive(round(a.value)); }
ADMPI_INLINE admpi_var admpi_trunc(admpi_var a) { return admpi_passive(trunc(a.value)); }

#ifdef __cplusplus
}
#endif

#endif
