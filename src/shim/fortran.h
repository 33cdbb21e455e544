/* The engine of the Fortran module admpi: expressions that become one statement where they are assigned.
 *
 * An operator of Fortran's cannot see the expression that it stands in. It returns an admpi_expr: the value, and where the
 * active operands and the partial derivatives so far (its leaves) lie on a stack of the thread's. a * b pushes two leaves, e * x
 * scales those of e in place and pushes one, e1 + e2 joins neighbours without copying, and the assignment writes one
 * statement and pops.
 *
 * Each expression is consumed exactly once. Consuming the one on top pops it; elsewhere it leaves a hole, and the stack is
 * empty again when all that is left are holes. No result depends on the order: what is not where an operator needs it is
 * moved there. */
#ifndef ADMPI_SHIM_FORTRAN_H
#define ADMPI_SHIM_FORTRAN_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "admpi/ops.h"

/* What Fortran sees of an expression. */
typedef struct admpi_expr {
  double value;
  uint64_t where; /* at + 2^32 count: gcc makes a detour of a word in two parts */
} admpi_expr;

/* An expression whose leaves are the `count` from `at` on. With ADMPI_CHECK=1 the upper bits of the count that Fortran has
 * are a stamp. */
typedef struct region {
  double value;
  uint32_t at;
  uint32_t count;
} region;

typedef struct leaf {
  double partial;
  uint32_t id;
  uint32_t tag;
} leaf;

#define MAX_LEAVES 254

/* `end` is 0 before the first leaf, `stamps` not NULL where expressions are checked. `stamps[i]` is the stamp of the live
 * expression whose leaves begin at i, else 0. */
typedef struct stack {
  leaf *leaves;
  uint32_t *stamps;
  uint32_t top;
  uint32_t end;
  uint32_t holes;
  uint32_t capacity;
  uint32_t last_stamp;
} stack;

static __thread stack s __attribute__((tls_model("initial-exec")));

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* One function for each operation, without calls on its fast path. */
#define INLINE static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, cold))

/* Sets the thread's error message, and returns the code. */
int32_t admpi_shim_fail(int32_t code, const char *message);

/* Id and tag move as one word, as in admpi_detail_write. */
INLINE void put(leaf *to, const admpi_var *x, double partial) {
  to->partial = partial;
  memcpy(&to->id, &x->id, 8);
}

/* Statements. */

/* Of at least one leaf. Repeated leaves are merged as in C++ (admpi/var.hpp). */
INLINE admpi_var write_leaves(admpi_tape *tape, double value, const leaf *x, uint32_t count) {
  double *jacobian = tape->jacobian;
  uint32_t *argument = tape->argument;
  uint8_t *statement = tape->statement;
  uint64_t n = 0, word, next;
  admpi_var y;
  if (count <= 3) {
    for (uint32_t i = 0; i < count; i++) {
      jacobian[i] = x[i].partial;
      argument[i] = x[i].id;
    }
    n = count;
  } else {
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t id = x[i].id;
      const uint32_t slot = (id * 2654435769u) >> 24;
      const uint64_t at = tape->merge[slot];
      if (at < n && argument[at] == id) {
        jacobian[at] += x[i].partial;
        continue;
      }
      jacobian[n] = x[i].partial;
      argument[n] = id;
      tape->merge[slot] = (uint8_t)n;
      n++;
    }
  }
  tape->jacobian = jacobian + n;
  tape->argument = argument + n;
  memcpy(&word, &tape->next_id, sizeof word);
  next = word + ((uint64_t)1 << ADMPI_ID_SHIFT);
  tape->statement = statement + 1;
  memcpy(&tape->next_id, &next, sizeof next);
  *statement = (uint8_t)n; /* last: a byte store may alias the cursors */
  y.value = value;
  memcpy(&y.id, &word, sizeof word);
  return y;
}

/* As admpi_detail_record_slow. */
COLD admpi_var record_leaves_slow(double value, const leaf *x, uint32_t count) {
  admpi_tape *tape = admpi_tls_tape;
  int status = 0;
  if (tape->checking) {
    for (uint32_t i = 0; i < count && status == 0; i++) {
      admpi_var operand = {value, x[i].id, x[i].tag};
      status = admpi_detail_check_operand(tape, operand);
    }
  }
  if (status == 0 && !tape->recording) return admpi_passive(value);
  if (status == 0 && tape->checked_end - tape->argument < (ptrdiff_t)count) status = admpi_detail_tape_grow(tape, count);
  if (status > 0) admpi_detail_tape_fail(tape, status);
  return status == 0 ? write_leaves(tape, value, x, count) : admpi_passive(value);
}

INLINE admpi_var record_leaves(double value, const leaf *x, uint32_t count) {
  admpi_tape *tape = admpi_tls_tape;
  if (count == 0) return admpi_passive(value);
  if (UNLIKELY(tape->argument_end - tape->argument < (ptrdiff_t)count)) return record_leaves_slow(value, x, count);
  return write_leaves(tape, value, x, count);
}

/* The stack. */

/* Frees a thread's stack at its end. */
static void free_stack(void *of) {
  stack *mine = of;
  free(mine->leaves);
  free(mine->stamps);
}

static pthread_key_t end_of_thread;
static void make_key(void) {
  if (pthread_key_create(&end_of_thread, free_stack) != 0) abort();
}

/* Room for `more` leaves. A thread that finds no memory has no use for an error at its next sweep. */
COLD void grow(uint32_t more) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  uint64_t capacity = s.capacity ? 2 * (uint64_t)s.capacity : 1024;
  while (capacity < (uint64_t)s.top + more) capacity *= 2;
  leaf *leaves = capacity > UINT32_MAX ? NULL : realloc(s.leaves, capacity * sizeof *leaves);
  if (leaves == NULL) abort();
  if (s.capacity == 0) {
    pthread_once(&once, make_key);
    if (pthread_setspecific(end_of_thread, &s) != 0) abort();
  }
  s.leaves = leaves;
  if (s.stamps != NULL || (s.capacity == 0 && (admpi_tls_tape->checking & 1))) {
    s.stamps = realloc(s.stamps, capacity * sizeof *s.stamps);
    if (s.stamps == NULL) abort();
    memset(s.stamps + s.capacity, 0, (capacity - s.capacity) * sizeof *s.stamps);
  }
  s.capacity = s.end = (uint32_t)capacity;
}

/* Whether expressions are checked from now on. Not while there are live ones. */
static inline void set_checked(int on) {
  if (s.capacity == 0 || s.top != 0 || on == (s.stamps != NULL)) return;
  free(s.stamps);
  s.stamps = NULL;
  if (on && (s.stamps = calloc(s.capacity, sizeof *s.stamps)) == NULL) abort();
}

/* The count of an expression that was stamped; one that was consumed already is an error, and has no leaves. */
COLD uint32_t checked_count(region e) {
  const uint32_t stamp = e.count >> 8;
  if (stamp == 0) return e.count;
  if (s.stamps == NULL || e.at >= s.capacity || s.stamps[e.at] != stamp) {
    char message[160];
    snprintf(message, sizeof message,
             "the expression of value %.17g is used twice: store it in a variable, or write admpi_var(...)", e.value);
    admpi_detail_tape_fail(admpi_tls_tape, admpi_shim_fail(ADMPI_ERR_STALE, message));
    return 0;
  }
  s.stamps[e.at] = 0;
  return e.count & 255;
}

/* What is about to be consumed, without its stamp. */
INLINE region taken(const admpi_expr *e) {
  region y = {e->value, (uint32_t)e->where, (uint32_t)(e->where >> 32)};
  if (UNLIKELY(y.count > MAX_LEAVES)) y.count = checked_count(y);
  return y;
}

COLD admpi_expr stamped(double value, uint32_t at, uint32_t count) {
  if (count != 0) {
    s.last_stamp = s.last_stamp % 0xffffff + 1;
    s.stamps[at] = s.last_stamp;
    count |= s.last_stamp << 8;
  }
  return (admpi_expr){value, (uint64_t)count << 32 | at};
}

INLINE admpi_expr made(double value, uint32_t at, uint32_t count) {
  if (UNLIKELY(s.stamps != NULL)) return stamped(value, at, count);
  return (admpi_expr){value, (uint64_t)count << 32 | at};
}

/* Pops an expression, or leaves a hole. */
INLINE void release(uint32_t at, uint32_t count) {
  if (LIKELY(at + count == s.top)) {
    s.top = at;
  } else {
    s.holes += count;
  }
  if (UNLIKELY(s.holes != 0) && s.top == s.holes) s.top = s.holes = 0;
}

INLINE admpi_var close_taken(region e) {
  admpi_var y = record_leaves(e.value, s.leaves + e.at, e.count);
  release(e.at, e.count);
  return y;
}

/* Moves the leaves of `e` to the top. */
COLD void lift(region *e, uint32_t more) {
  if (s.end - s.top < e->count + more) grow(e->count + more);
  if (e->count == 0) {
    e->at = s.top;
  } else if (e->at + e->count != s.top) {
    memcpy(s.leaves + s.top, s.leaves + e->at, e->count * sizeof *s.leaves);
    s.holes += e->count;
    e->at = s.top;
    s.top += e->count;
  }
}

/* Records an expression that is too large to grow, and goes on with the result as its one leaf. */
COLD void shorten(region *e) {
  admpi_var y = close_taken(*e);
  if (s.top == s.end) grow(1);
  e->at = s.top;
  e->count = y.id != 0;
  put(s.leaves + s.top, &y, 1.0);
  s.top += e->count;
}

COLD void arrange(region *e, uint32_t more) {
  if (e->count + more > MAX_LEAVES) shorten(e);
  lift(e, more);
}

/* What is about to be consumed, on top of the stack with room for `more` leaves above. */
INLINE region taken_on_top(const admpi_expr *e, uint32_t more) {
  region y = taken(e);
  if (UNLIKELY((y.count + more > MAX_LEAVES) | (y.at + y.count != s.top) | (s.end - s.top < more))) arrange(&y, more);
  return y;
}

/* Makes the leaves of two neighbours; either may be the lower one. */
static __attribute__((noinline)) admpi_expr join_slow(double value, region a, region b) {
  while (a.count + b.count > MAX_LEAVES) shorten(a.count > b.count ? &a : &b);
  if (a.count == 0) return made(value, b.at, b.count);
  if (b.count == 0) return made(value, a.at, a.count);
  if (b.at + b.count == a.at) return made(value, b.at, a.count + b.count);
  if (a.at + a.count != b.at) {
    lift(&a, 0);
    lift(&b, 0);
  }
  return made(value, a.at, a.count + b.count);
}

INLINE void scale(region e, double factor) {
  if (__builtin_constant_p(factor) && factor == 1.0) return;
  leaf *x = s.leaves + e.at;
  for (uint32_t i = 0; i < e.count; i++) x[i].partial *= factor;
}

/* The forms of an operation, by its operands: v active, e an expression, d passive. */

INLINE admpi_expr push(double value, const admpi_var *a, double da, const admpi_var *b, double db) {
  const uint32_t at = s.top;
  uint32_t n = a->id != 0;
  leaf *x = s.leaves + at;
  put(x, a, da);
  if (b != NULL) {
    put(x + n, b, db);
    n += b->id != 0;
  }
  s.top = at + n;
  return made(value, at, n);
}

/* The slow paths are tail calls, so that the fast ones need no stack frame. */
COLD admpi_expr push_slow(double value, const admpi_var *a, double da, const admpi_var *b, double db) {
  grow(2);
  return push(value, a, da, b, db);
}

INLINE admpi_expr form_v(double value, const admpi_var *a, double da) {
  if (UNLIKELY(s.end - s.top < 2)) return push_slow(value, a, da, NULL, 0.0);
  return push(value, a, da, NULL, 0.0);
}

INLINE admpi_expr form_vv(double value, const admpi_var *a, double da, const admpi_var *b, double db) {
  if (UNLIKELY(s.end - s.top < 2)) return push_slow(value, a, da, b, db);
  return push(value, a, da, b, db);
}

INLINE admpi_expr form_e(double value, region a, double da) {
  scale(a, da);
  return made(value, a.at, a.count);
}

INLINE admpi_expr form_ev(double value, region a, double da, const admpi_var *b, double db) {
  const uint32_t n = b->id != 0;
  scale(a, da);
  put(s.leaves + a.at + a.count, b, db);
  s.top += n;
  return made(value, a.at, a.count + n);
}

INLINE admpi_expr form_ee(double value, region a, double da, region b, double db) {
  scale(a, da);
  scale(b, db);
  if (LIKELY((a.at + a.count == b.at) & (a.count + b.count <= MAX_LEAVES))) return made(value, a.at, a.count + b.count);
  return join_slow(value, a, b);
}

/* Sums of many, which grow leaf by leaf on top of the stack. */

INLINE void append(region *e, const admpi_var *x, double partial) {
  if (x->id == 0) return;
  if (UNLIKELY(e->count == MAX_LEAVES)) shorten(e);
  if (UNLIKELY(s.top == s.end)) grow(1);
  put(s.leaves + s.top, x, partial);
  s.top++;
  e->count++;
}

static inline void append_taken(region *e, region x) {
  if (e->count + x.count > MAX_LEAVES) shorten(e);
  if (e->count + x.count > MAX_LEAVES) {
    shorten(&x); /* its one leaf lies behind those of e */
    e->count += x.count;
    return;
  }
  if (s.end - s.top < x.count) grow(x.count);
  memcpy(s.leaves + s.top, s.leaves + x.at, x.count * sizeof *s.leaves);
  s.top += x.count;
  e->count += x.count;
  s.holes += x.count;
}

#endif
