/* The engine of the Fortran module admpi: expressions that become one statement where they are assigned.
 *
 * An operator of Fortran's cannot see the expression that it stands in. It returns an admpi_expr: the value, and where the
 * active operands and the partial derivatives so far (its leaves) lie on a stack of the thread's. a * b pushes two leaves, e * x
 * scales those of e in place and pushes one, e1 + e2 joins neighbours without copying, and the assignment writes one
 * statement and pops.
 *
 * An expression is consumed by what uses it. Consuming the one on top pops it; elsewhere it leaves a hole, and the stack is
 * empty again when all that is left are holes. No result depends on the order: what is not where an operator needs it is
 * moved there.
 *
 * An expression may be used again: in u * (a*b) Fortran hands the same one to the operator for each element of u. So its leaves
 * are kept for a while. The second use records them as a statement, whose result stands for the expression from then on. What
 * became of an expression stands in Fortran's own copy of it. */
#ifndef ADMPI_SHIM_FORTRAN_H
#define ADMPI_SHIM_FORTRAN_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "admpi/ops.h"
#include "admpi/region.h"

/* What Fortran sees of an expression. */
typedef struct admpi_expr {
  double value;
  uint64_t where; /* at + 2^32 count: gcc makes a detour of a word in two parts */
} admpi_expr;

/* An expression whose leaves are the `count` from `at` on. With ADMPI_CHECK=1 bits 8 to 30 of the count that Fortran has are a
 * stamp. With KEPT it was consumed: its leaves are at that place in `kept`. With RECORDED `at` is the id of its statement. */
typedef struct region {
  double value;
  uint32_t at;
  uint32_t count;
} region;

/* A leaf moves as one word of 16 bytes, id and tag as bits beside the partial: a load of what was stored in two parts would wait
 * for both. */
typedef double leaf_bits __attribute__((vector_size(16)));
typedef union leaf {
  leaf_bits bits;
  struct {
    double partial;
    uint32_t id;
    uint32_t tag;
  };
} leaf;

#define MAX_LEAVES 254
/* So many are written as they are; of more, repeated ones are added up. */
#define FEW_LEAVES 3
#define KEPT 0x80000000u
#define RECORDED 0xffffffffu
/* How many leaves are kept; a power of 2. */
#define MAX_KEPT 1024

/* `capacity` is 0 before the first leaf. `end` is the same, or 0 where expressions are checked: operators then go the slow way.
 * `stamps` is not NULL where expressions are checked. `stamps[i]` is the stamp of the live expression whose leaves begin at i,
 * else 0. `kept` is a ring, with room behind for those that begin near its end; `kept_next` counts all that it ever had. */
typedef struct stack {
  leaf *leaves;
  leaf *kept;
  uint32_t kept_next;
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

INLINE void put(leaf *to, const admpi_var *x, double partial) {
  double word;
  memcpy(&word, &x->id, sizeof word);
  to->bits = (leaf_bits){partial, word};
}

/* Statements. */

/* Of at least one leaf. Repeated ones are added up, found through the tape's cache of positions. An entry may be left over from any
 * earlier statement: it counts only if the position lies in this one and holds this id. */
INLINE admpi_var write_leaves(admpi_tape *tape, double value, const leaf *x, uint32_t count) {
  double *jacobian = tape->jacobian;
  uint32_t *argument = tape->argument;
  uint8_t *statement = tape->statement;
  uint64_t n = 0, word, next;
  admpi_var y;
  _Static_assert(FEW_LEAVES == 3, "as many as are written one by one");
  if (count <= FEW_LEAVES) {
    jacobian[0] = x[0].partial;
    argument[0] = x[0].id;
    if (count > 1) {
      jacobian[1] = x[1].partial;
      argument[1] = x[1].id;
    }
    if (count > 2) {
      jacobian[2] = x[2].partial;
      argument[2] = x[2].id;
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

#define FIRST_LEAVES 1024
/* For a thread that finds no memory at all: what it records is lost anyhow. */
static leaf nowhere[FIRST_LEAVES + MAX_KEPT + MAX_LEAVES];

/* Frees a thread's stack at its end. */
static void free_stack(void *of) {
  stack *mine = of;
  if (mine->leaves != nowhere) {
    free(mine->leaves);
    free(mine->kept);
  }
  free(mine->stamps);
}

static pthread_key_t end_of_thread;
static int has_key;
static void make_key(void) { has_key = pthread_key_create(&end_of_thread, free_stack) == 0; }

static int first_leaves(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_key);
  if (!has_key || pthread_setspecific(end_of_thread, &s) != 0) return 0;
  leaf *leaves = malloc(FIRST_LEAVES * sizeof *leaves), *kept = malloc((MAX_KEPT + MAX_LEAVES) * sizeof *kept);
  if (leaves == NULL || kept == NULL) {
    free(leaves);
    free(kept);
    return 0;
  }
  s.leaves = leaves;
  s.kept = kept;
  return 1;
}

static int more_leaves(uint64_t capacity) {
  leaf *leaves = capacity > UINT32_MAX ? NULL : realloc(s.leaves, capacity * sizeof *leaves);
  if (leaves != NULL) s.leaves = leaves;
  return leaves != NULL;
}

static int more_stamps(uint64_t capacity) {
  uint32_t *stamps = realloc(s.stamps, capacity * sizeof *stamps);
  if (stamps == NULL) return 0;
  memset(stamps + s.capacity, 0, (capacity - s.capacity) * sizeof *stamps);
  s.stamps = stamps;
  return 1;
}

static void set_end(void) { s.end = s.stamps == NULL ? s.capacity : 0; }

/* Room for `more` leaves. Without memory the tape's next sweep fails, and all that is live is given up, which makes room: 0. */
COLD int grow(uint32_t more) {
  uint64_t capacity = s.capacity ? 2 * (uint64_t)s.capacity : FIRST_LEAVES;
  const int checked = s.stamps != NULL || (s.capacity == 0 && (admpi_tls_tape->checking & 1));
  while (capacity < (uint64_t)s.top + more) capacity *= 2;
  if (s.leaves != nowhere && (s.capacity ? more_leaves(capacity) : first_leaves()) && (!checked || more_stamps(capacity))) {
    s.capacity = (uint32_t)capacity;
    set_end();
    return 1;
  }
  if (s.capacity == 0) {
    s.leaves = nowhere;
    s.kept = nowhere + FIRST_LEAVES;
    s.capacity = FIRST_LEAVES;
    set_end();
  }
  s.top = s.holes = 0;
  admpi_detail_tape_fail(admpi_tls_tape, admpi_shim_fail(ADMPI_ERR_MEMORY, "there is no memory for the operands of expressions in Fortran"));
  return 0;
}

/* Forgets the leaves of expressions that nobody has used, and that there was no memory. */
static inline void forget_leaves(void) {
  s.top = s.holes = 0;
  if (s.leaves == nowhere) {
    s.leaves = s.kept = NULL;
    s.capacity = s.end = 0;
  }
}

/* Whether expressions are checked from now on. Not while there are live ones. */
static inline void set_checked(int on) {
  if (s.capacity == 0 || s.top != 0 || on == (s.stamps != NULL)) return;
  free(s.stamps);
  s.stamps = NULL;
  if (on) s.stamps = calloc(s.capacity, sizeof *s.stamps); /* without memory nothing is checked */
  set_end();
}

static region taken_again(admpi_expr *e, region y);

/* The partial multiplied, in x86's way, which leaves id and tag as they are; compilers do not find it. */
INLINE leaf_bits scaled(leaf_bits x, double factor) {
#ifdef __SSE2__
  return _mm_mul_sd(x, _mm_set_sd(factor));
#else
  x[0] *= factor;
  return x;
#endif
}
#define NO_FACTOR(factor) (__builtin_constant_p(factor) && (factor) == 1.0)

/* Keeps the leaves of what is about to be consumed, and scales them. */
INLINE void keep_scaled(const admpi_expr *e, region y, double factor) {
  leaf *x = s.leaves + y.at, *to = s.kept + (s.kept_next & (MAX_KEPT - 1));
  ((admpi_expr *)e)->where = (uint64_t)(KEPT | y.count) << 32 | s.kept_next;
  s.kept_next += y.count;
  for (uint32_t i = 0; i < y.count; i++) {
    to[i].bits = x[i].bits;
    if (!NO_FACTOR(factor)) x[i].bits = scaled(x[i].bits, factor);
  }
}

/* What is about to be consumed. Fortran says that it is only read: see above. */
INLINE region taken(const admpi_expr *e) {
  const region y = {e->value, (uint32_t)e->where, (uint32_t)(e->where >> 32)};
  if (UNLIKELY(y.count > MAX_LEAVES)) return taken_again((admpi_expr *)e, y);
  keep_scaled(e, y, 1.0);
  return y;
}


COLD admpi_expr stamped(double value, uint32_t at, uint32_t count) {
  if (count != 0) {
    s.last_stamp = s.last_stamp % 0x7fffff + 1;
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

/* The leaves of an expression that was stamped. One whose leaves were consumed through a copy is an error, and has none. */
static region unstamped(admpi_expr *e, region y) {
  const uint32_t stamp = y.count >> 8;
  y.count &= 255;
  if (s.stamps == NULL || y.at >= s.capacity || s.stamps[y.at] != stamp) {
    char message[160];
    snprintf(message, sizeof message,
             "two copies of the expression of value %.17g are used: store it in a variable, or write admpi_var(...)", y.value);
    admpi_detail_tape_fail(admpi_tls_tape, admpi_shim_fail(ADMPI_ERR_STALE, message));
    y.count = 0;
  } else {
    s.stamps[y.at] = 0;
  }
  keep_scaled(e, y, 1.0);
  return y;
}

/* The statement of an expression that was consumed. */
static admpi_var recorded(admpi_expr *e, region y) {
  const uint32_t count = y.count & 255;
  admpi_var x = admpi_passive(y.value);
  if (s.kept_next - y.at <= MAX_KEPT) {
    x = record_leaves(y.value, s.kept + (y.at & (MAX_KEPT - 1)), count);
  } else if (count != 0) {
    char message[200];
    snprintf(message, sizeof message,
             "the expression of value %.17g is used again long after its first use: store it in a variable, or write "
             "admpi_var(...)", y.value);
    admpi_detail_tape_fail(admpi_tls_tape, admpi_shim_fail(ADMPI_ERR_STALE, message));
  }
  e->where = (uint64_t)RECORDED << 32 | x.id;
  return x;
}

/* Pushes a variable. */
INLINE region pushed(const admpi_var *x) {
  if (UNLIKELY(s.top == s.capacity)) grow(1);
  const region y = {x->value, s.top, x->id != 0};
  put(s.leaves + s.top, x, 1.0);
  s.top += y.count;
  return y;
}

/* The statement of an expression that was used before; of one that was assigned it is there already. */
static admpi_var closed_again(admpi_expr *e, region y) {
  if (y.count == RECORDED) return (admpi_var){y.value, y.at, admpi_tls_tape->tag};
  return y.count & KEPT ? recorded(e, y) : close_taken(unstamped(e, y));
}

COLD region taken_again(admpi_expr *e, region y) {
  if (y.count < KEPT) return unstamped(e, y);
  const admpi_var x = closed_again(e, y);
  return pushed(&x);
}

/* Assignment. The variable stands for the expression from now on. */
INLINE admpi_var closed(const admpi_expr *e) {
  const region y = {e->value, (uint32_t)e->where, (uint32_t)(e->where >> 32)};
  const admpi_var x = UNLIKELY(y.count > MAX_LEAVES) ? closed_again((admpi_expr *)e, y) : close_taken(y);
  ((admpi_expr *)e)->where = (uint64_t)RECORDED << 32 | x.id;
  return x;
}

/* Moves the leaves of `e` to the top. */
COLD void lift(region *e, uint32_t more) {
  if (s.capacity - s.top < e->count + more && !grow(e->count + more)) e->count = 0;
  if (e->count == 0) {
    e->at = s.top;
  } else if (e->at + e->count != s.top) {
    memmove(s.leaves + s.top, s.leaves + e->at, e->count * sizeof *s.leaves);
    s.holes += e->count;
    e->at = s.top;
    s.top += e->count;
  }
}

/* Records an expression that is too large to grow, and goes on with the result as its one leaf. */
COLD void shorten(region *e) {
  const admpi_var y = close_taken(*e);
  *e = pushed(&y);
}

COLD region arranged(region e, uint32_t more) {
  if (e.count + more > MAX_LEAVES) shorten(&e);
  lift(&e, more);
  return e;
}

/* What is about to be consumed, on top of the stack with room for `more` leaves above. */
INLINE region taken_on_top(const admpi_expr *e, uint32_t more) {
  const region y = taken(e);
  if ((y.count + more > MAX_LEAVES) | (y.at + y.count != s.top) | (s.capacity - s.top < more)) return arranged(y, more);
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

INLINE admpi_expr simple(double value, uint32_t at, uint32_t count) {
  return (admpi_expr){value, (uint64_t)count << 32 | at};
}

/* The fast way of an operator is for expressions that were not used before, are not checked, and lie where the result can grow.
 * All others go the slow way, by a tail call, so that the fast one calls nothing. */

/* Of an expression without leaves no use leaves a trace, so that any of its copies may be used again. */
INLINE int is_passive(region y) { return y.count == 0; }
INLINE admpi_expr passive_as(double value, region y) { return simple(value, y.at, 0); }

INLINE region seen(const admpi_expr *e) { return (region){e->value, (uint32_t)e->where, (uint32_t)(e->where >> 32)}; }
INLINE int is_simple(region y) { return LIKELY(y.count <= MAX_LEAVES) && LIKELY(s.top <= s.end); }
INLINE int is_on_top(region y, uint32_t more) {
  return LIKELY(y.count <= MAX_LEAVES - more) && LIKELY(y.at + y.count == s.top) && LIKELY((uint64_t)s.top + more <= s.end);
}
INLINE int are_neighbours(region a, region b) {
  return LIKELY(a.count <= MAX_LEAVES) && LIKELY(b.count <= MAX_LEAVES) && LIKELY(a.count + b.count <= MAX_LEAVES) &&
         LIKELY(a.at + a.count == b.at) && LIKELY(s.top <= s.end);
}
INLINE admpi_expr fast_e(double value, const admpi_expr *e, region a, double da) {
  keep_scaled(e, a, da);
  return simple(value, a.at, a.count);
}
INLINE admpi_expr fast_ev(double value, const admpi_expr *e, region a, double da, const admpi_var *b, double db) {
  const uint32_t n = b->id != 0;
  keep_scaled(e, a, da);
  put(s.leaves + a.at + a.count, b, db);
  s.top += n;
  return simple(value, a.at, a.count + n);
}
INLINE admpi_expr fast_ee(double value, const admpi_expr *e, region a, double da, const admpi_expr *f, region b, double db) {
  keep_scaled(e, a, da);
  keep_scaled(f, b, db);
  return simple(value, a.at, a.count + b.count);
}

INLINE void scale(region e, double factor) {
  if (NO_FACTOR(factor)) return;
  leaf *x = s.leaves + e.at;
  for (uint32_t i = 0; i < e.count; i++) x[i].bits = scaled(x[i].bits, factor);
}

/* The forms of an operation, by its operands: v active, e an expression, d passive. */

INLINE region push(double value, const admpi_var *a, double da, const admpi_var *b, double db) {
  const uint32_t at = s.top;
  uint32_t n = a->id != 0;
  leaf *x = s.leaves + at;
  put(x, a, da);
  if (b != NULL) {
    put(x + n, b, db);
    n += b->id != 0;
  }
  s.top = at + n;
  return (region){value, at, n};
}

/* Without memory, `grow` has made room by giving all up. */
COLD admpi_expr push_slow(double value, const admpi_var *a, double da, const admpi_var *b, double db) {
  if (s.capacity - s.top < 2) grow(2);
  const region y = push(value, a, da, b, db);
  return made(y.value, y.at, y.count);
}

INLINE admpi_expr form_v(double value, const admpi_var *a, double da) {
  if (a->id == 0) return simple(value, s.top, 0);
  if (UNLIKELY((uint64_t)s.top + 2 > s.end)) return push_slow(value, a, da, NULL, 0.0);
  const region y = push(value, a, da, NULL, 0.0);
  return simple(y.value, y.at, y.count);
}

INLINE admpi_expr form_vv(double value, const admpi_var *a, double da, const admpi_var *b, double db) {
  if ((a->id | b->id) == 0) return simple(value, s.top, 0);
  if (UNLIKELY((uint64_t)s.top + 2 > s.end)) return push_slow(value, a, da, b, db);
  const region y = push(value, a, da, b, db);
  return simple(y.value, y.at, y.count);
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
  if (UNLIKELY(s.top == s.capacity) && !grow(1)) *e = (region){e->value, s.top, 0};
  put(s.leaves + s.top, x, partial);
  s.top++;
  e->count++;
}

static inline void append_taken(region *e, region x) {
  if (e->count + x.count > MAX_LEAVES) shorten(e);
  if (e->count + x.count > MAX_LEAVES) {
    shorten(&x); /* its one leaf lies behind those of e, unless there was no memory */
    if (x.at != e->at + e->count) *e = (region){e->value, x.at, 0};
    e->count += x.count;
    return;
  }
  if (s.capacity - s.top < x.count && !grow(x.count)) {
    *e = (region){e->value, s.top, 0};
    return;
  }
  memcpy(s.leaves + s.top, s.leaves + x.at, x.count * sizeof *s.leaves);
  s.top += x.count;
  e->count += x.count;
  s.holes += x.count;
}

#endif
