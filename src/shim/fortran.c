/* What the operators and functions of the Fortran module admpi call, for each kind of operands: v active, e an expression,
 * d passive.
 *
 * They are external procedures of Fortran: operands by reference, and an underscore behind the name. Each is there four
 * times. admpif_ returns an expression (fused mode), admpip_ records a statement (plain mode). A result comes as C returns it,
 * which is what gfortran expects, or through a first argument, in the forms that end in _r. */
#include "fortran.h"
#include "fortran_tangents.h"

#define FUSED(name, kinds, parameters, result)                                                               \
  admpi_expr admpif_##name##_##kinds##_ parameters { return result; }                                        \
  void admpif_##name##_##kinds##_r_(admpi_expr *y_out, UNPACK parameters) { *y_out = result; }
#define PLAIN(name, kinds, parameters, result)                                                               \
  admpi_var admpip_##name##_##kinds##_ parameters { return result; }                                         \
  void admpip_##name##_##kinds##_r_(admpi_var *y_out, UNPACK parameters) { *y_out = result; }
#define UNPACK(...) __VA_ARGS__
#define V const admpi_var *
#define E const admpi_expr *
#define D const double *

/* A function of one variable, y from x and its partial dy; `cheap` where a branch would cost more than dy. */
#define UNARY_OF(name, formula, dy, cheap)                                                                   \
  INLINE double name##_y(double x) { return formula; }                                                       \
  INLINE double name##_d(double x, double y) { (void)x, (void)y; return dy; }                                \
  INLINE admpi_expr name##_v(V a) {                                                                          \
    const double y = name##_y(a->value);                                                                     \
    return form_v(y, a, cheap || a->id != 0 ? name##_d(a->value, y) : 0.0);                                  \
  }                                                                                                          \
  COLD admpi_expr name##_e_slow(E e) {                                                                       \
    const region a = taken(e);                                                                               \
    const double y = name##_y(a.value);                                                                      \
    return form_e(y, a, cheap || a.count != 0 ? name##_d(a.value, y) : 0.0);                                 \
  }                                                                                                          \
  INLINE admpi_expr name##_e(E e) {                                                                          \
    const region a = seen(e);                                                                                \
    if (is_passive(a)) return passive_as(name##_y(a.value), a);                                              \
    if (!is_simple(a)) return name##_e_slow(e);                                                              \
    const double y = name##_y(a.value);                                                                      \
    return fast_e(y, e, a, cheap || a.count != 0 ? name##_d(a.value, y) : 0.0);                              \
  }                                                                                                          \
  INLINE admpi_var name##_p(V a) {                                                                           \
    const double y = name##_y(a->value);                                                                     \
    return admpi_detail_record_1(y, *a, cheap || a->id != 0 ? name##_d(a->value, y) : 0.0);                         \
  }                                                                                                          \
  FUSED(name, v, (V a), name##_v(a))                                                                         \
  FUSED(name, e, (E a), name##_e(a))                                                                         \
  PLAIN(name, v, (V a), name##_p(a))

/* A function of two variables. */
#define BINARY_OF(name, formula, d1, d2, cheap)                                                              \
  INLINE double name##_y(double x1, double x2) { return formula; }                                           \
  INLINE double name##_d1(double x1, double x2, double y) { (void)x1, (void)x2, (void)y; return d1; }        \
  INLINE double name##_d2(double x1, double x2, double y) { (void)x1, (void)x2, (void)y; return d2; }        \
  INLINE admpi_expr name##_vv(V a, V b) {                                                                    \
    const double x1 = a->value, x2 = b->value, y = name##_y(x1, x2);                                         \
    return form_vv(y, a, cheap || a->id != 0 ? name##_d1(x1, x2, y) : 0.0,                                   \
                   b, cheap || b->id != 0 ? name##_d2(x1, x2, y) : 0.0);                                     \
  }                                                                                                          \
  COLD admpi_expr name##_ev_slow(E e, V b) {                                                                 \
    const region a = taken_on_top(e, 1);                                                                     \
    const double x1 = a.value, x2 = b->value, y = name##_y(x1, x2);                                          \
    return form_ev(y, a, cheap || a.count != 0 ? name##_d1(x1, x2, y) : 0.0,                                 \
                   b, cheap || b->id != 0 ? name##_d2(x1, x2, y) : 0.0);                                     \
  }                                                                                                          \
  INLINE admpi_expr name##_ev(E e, V b) {                                                                    \
    const region a = seen(e);                                                                                \
    if (is_passive(a) && b->id == 0) return passive_as(name##_y(a.value, b->value), a);                      \
    if (!is_on_top(a, 1)) return name##_ev_slow(e, b);                                                       \
    const double x1 = a.value, x2 = b->value, y = name##_y(x1, x2);                                          \
    return fast_ev(y, e, a, cheap || a.count != 0 ? name##_d1(x1, x2, y) : 0.0,                              \
                   b, cheap || b->id != 0 ? name##_d2(x1, x2, y) : 0.0);                                     \
  }                                                                                                          \
  COLD admpi_expr name##_ve_slow(V a, E e) {                                                                 \
    const region b = taken_on_top(e, 1);                                                                     \
    const double x1 = a->value, x2 = b.value, y = name##_y(x1, x2);                                          \
    return form_ev(y, b, cheap || b.count != 0 ? name##_d2(x1, x2, y) : 0.0,                                 \
                   a, cheap || a->id != 0 ? name##_d1(x1, x2, y) : 0.0);                                     \
  }                                                                                                          \
  INLINE admpi_expr name##_ve(V a, E e) {                                                                    \
    const region b = seen(e);                                                                                \
    if (is_passive(b) && a->id == 0) return passive_as(name##_y(a->value, b.value), b);                      \
    if (!is_on_top(b, 1)) return name##_ve_slow(a, e);                                                       \
    const double x1 = a->value, x2 = b.value, y = name##_y(x1, x2);                                          \
    return fast_ev(y, e, b, cheap || b.count != 0 ? name##_d2(x1, x2, y) : 0.0,                              \
                   a, cheap || a->id != 0 ? name##_d1(x1, x2, y) : 0.0);                                     \
  }                                                                                                          \
  COLD admpi_expr name##_ee_slow(E e, E f) {                                                                 \
    const region a = taken(e), b = taken(f);                                                                 \
    const double x1 = a.value, x2 = b.value, y = name##_y(x1, x2);                                           \
    return form_ee(y, a, cheap || a.count != 0 ? name##_d1(x1, x2, y) : 0.0,                                 \
                   b, cheap || b.count != 0 ? name##_d2(x1, x2, y) : 0.0);                                   \
  }                                                                                                          \
  INLINE admpi_expr name##_ee(E e, E f) {                                                                    \
    const region a = seen(e), b = seen(f);                                                                   \
    if (is_passive(a) && is_passive(b)) return passive_as(name##_y(a.value, b.value), a);                    \
    if (!are_neighbours(a, b)) return name##_ee_slow(e, f);                                                  \
    const double x1 = a.value, x2 = b.value, y = name##_y(x1, x2);                                           \
    return fast_ee(y, e, a, cheap || a.count != 0 ? name##_d1(x1, x2, y) : 0.0,                              \
                   f, b, cheap || b.count != 0 ? name##_d2(x1, x2, y) : 0.0);                                \
  }                                                                                                          \
  INLINE admpi_expr name##_dv(D a, V b) {                                                                    \
    const double x1 = *a, x2 = b->value, y = name##_y(x1, x2);                                               \
    return form_v(y, b, cheap || b->id != 0 ? name##_d2(x1, x2, y) : 0.0);                                   \
  }                                                                                                          \
  COLD admpi_expr name##_de_slow(D a, E e) {                                                                 \
    const region b = taken(e);                                                                               \
    const double x1 = *a, x2 = b.value, y = name##_y(x1, x2);                                                \
    return form_e(y, b, cheap || b.count != 0 ? name##_d2(x1, x2, y) : 0.0);                                 \
  }                                                                                                          \
  INLINE admpi_expr name##_de(D a, E e) {                                                                    \
    const region b = seen(e);                                                                                \
    if (is_passive(b)) return passive_as(name##_y(*a, b.value), b);                                          \
    if (!is_simple(b)) return name##_de_slow(a, e);                                                          \
    const double x1 = *a, x2 = b.value, y = name##_y(x1, x2);                                                \
    return fast_e(y, e, b, cheap || b.count != 0 ? name##_d2(x1, x2, y) : 0.0);                              \
  }                                                                                                          \
  INLINE admpi_var name##_pvv(V a, V b) {                                                                    \
    const double x1 = a->value, x2 = b->value, y = name##_y(x1, x2);                                         \
    return admpi_detail_record_2(y, *a, cheap || a->id != 0 ? name##_d1(x1, x2, y) : 0.0,                           \
                          *b, cheap || b->id != 0 ? name##_d2(x1, x2, y) : 0.0);                             \
  }                                                                                                          \
  INLINE admpi_var name##_pdv(D a, V b) {                                                                    \
    const double x1 = *a, x2 = b->value, y = name##_y(x1, x2);                                               \
    return admpi_detail_record_1(y, *b, cheap || b->id != 0 ? name##_d2(x1, x2, y) : 0.0);                          \
  }                                                                                                          \
  FUSED(name, vv, (V a, V b), name##_vv(a, b))                                                               \
  FUSED(name, ev, (E a, V b), name##_ev(a, b))                                                               \
  FUSED(name, ve, (V a, E b), name##_ve(a, b))                                                               \
  FUSED(name, ee, (E a, E b), name##_ee(a, b))                                                               \
  FUSED(name, dv, (D a, V b), name##_dv(a, b))                                                               \
  FUSED(name, de, (D a, E b), name##_de(a, b))                                                               \
  PLAIN(name, vv, (V a, V b), name##_pvv(a, b))                                                              \
  PLAIN(name, dv, (D a, V b), name##_pdv(a, b))                                                              \
  FIRST_OF(name, double, d, name##_y(x1, x2), name##_d1(x1, x2, y), cheap)

/* Those in their first variable alone. */
#define FIRST_OF(name, type, kind, formula, dy, cheap)                                                       \
  INLINE admpi_expr name##_v##kind(V a, const type *b) {                                                     \
    const double x1 = a->value;                                                                              \
    const type x2 = *b;                                                                                      \
    const double y = formula;                                                                                \
    return form_v(y, a, cheap || a->id != 0 ? dy : 0.0);                                                     \
  }                                                                                                          \
  COLD admpi_expr name##_e##kind##_slow(E e, const type *b) {                                                \
    const region a = taken(e);                                                                               \
    const double x1 = a.value;                                                                               \
    const type x2 = *b;                                                                                      \
    const double y = formula;                                                                                \
    return form_e(y, a, cheap || a.count != 0 ? dy : 0.0);                                                   \
  }                                                                                                          \
  INLINE admpi_expr name##_e##kind(E e, const type *b) {                                                     \
    const region a = seen(e);                                                                                \
    if (!is_passive(a) && !is_simple(a)) return name##_e##kind##_slow(e, b);                                 \
    const double x1 = a.value;                                                                               \
    const type x2 = *b;                                                                                      \
    const double y = formula;                                                                                \
    if (is_passive(a)) return passive_as(y, a);                                                              \
    return fast_e(y, e, a, cheap || a.count != 0 ? dy : 0.0);                                                \
  }                                                                                                          \
  INLINE admpi_var name##_pv##kind(V a, const type *b) {                                                     \
    const double x1 = a->value;                                                                              \
    const type x2 = *b;                                                                                      \
    const double y = formula;                                                                                \
    return admpi_detail_record_1(y, *a, cheap || a->id != 0 ? dy : 0.0);                                            \
  }                                                                                                          \
  FUSED(name, v##kind, (V a, const type *b), name##_v##kind(a, b))                                           \
  FUSED(name, e##kind, (E a, const type *b), name##_e##kind(a, b))                                           \
  PLAIN(name, v##kind, (V a, const type *b), name##_pv##kind(a, b))

#define UNARY(name, formula) UNARY_OF(name, formula, admpi_partial_##name(x, y), 0)
#define BINARY(name, formula) \
  BINARY_OF(name, formula, admpi_partial_1_##name(x1, x2, y), admpi_partial_2_##name(x1, x2, y), 0)

UNARY_OF(neg, -x, -1.0, 1)
BINARY_OF(add, x1 + x2, 1.0, 1.0, 1)
BINARY_OF(sub, x1 - x2, 1.0, -1.0, 1)
BINARY_OF(mul, x1 * x2, x2, x1, 1)
BINARY_OF(div, x1 / x2, admpi_partial_1_div(x1, x2, y), admpi_partial_2_div(x1, x2, y), 1)
/* Names of procedures are in lower case in Fortran. */
#define Phi phi
ADMPI_FUNCTIONS_OF_MANY(UNARY)
ADMPI_FUNCTIONS_OF_ONE(UNARY)
ADMPI_PAIRS_OF_MANY(BINARY)
ADMPI_PAIRS_OF_ONE(BINARY)
#undef Phi

/* x**i, with the values of Fortran's for the exponents that programs have. */
INLINE double power(double x, int32_t i) {
  return i == 2 ? x * x : i == 3 ? x * x * x : i == 1 ? x : i == -1 ? 1.0 / x : pow(x, i);
}
INLINE double power_partial(double x, int32_t i, double y) {
  return i == 2 ? admpi_partial_square(x, y) : i == 1 ? 1.0 : i == -1 ? admpi_partial_inv(x, y) : admpi_partial_1_pow(x, i, y);
}
FIRST_OF(pow, int32_t, i, power(x1, x2), power_partial(x1, x2, y), 0)

/* Fortran's modulo: the result has the sign of the second. Between the jumps it is a sum, as fmod is. */
INLINE double modulo_value(double a, double p) {
  const double r = fmod(a, p);
  return r != 0.0 && (r < 0.0) != (p < 0.0) ? r + p : r;
}
BINARY_OF(modulo, modulo_value(x1, x2), admpi_partial_1_fmod(x1, x2, y), admpi_partial_2_fmod(x1, x2, y), 0)
FIRST_OF(copysign, double, d, copysign(x1, x2), admpi_partial_1_copysign(x1, x2, y), 0)

/* Inline in C. */
double admpif_value_phi(double x) { return admpi_value_Phi(x); }

/* A value that the caller has computed, with its partial derivative. */
typedef struct known {
  double value, partial;
} known;
FIRST_OF(known, known, k, ((void)x1, x2.value), ((void)y, x2.partial), 1)

/* Assignment, and the end of expressions whose derivative nobody wants. */
COLD void assign_slow(admpi_var *y_out, E e) { *y_out = closed(e); }
/* Of an expression that is on top of the stack and fits on the tape. */
INLINE void assign_top(admpi_var *y_out, E e, region x) {
  const admpi_var y = write_leaves(admpi_tls_tape, x.value, s.leaves + x.at, x.count);
  s.top = x.at;
  ((admpi_expr *)e)->where = (uint64_t)RECORDED << 32 | y.id;
  *y_out = y;
}
/* By itself: adding up what is repeated takes registers, which would have to be saved for few leaves, too. */
static __attribute__((noinline)) void assign_many(admpi_var *y_out, E e) { assign_top(y_out, e, seen(e)); }
void admpif_assign_(admpi_var *y_out, E e) {
  const region x = seen(e);
  const admpi_tape *tape = admpi_tls_tape;
  if (is_passive(x)) {
    *y_out = admpi_passive(x.value);
    return;
  }
  if (UNLIKELY((x.count > MAX_LEAVES) | (x.at + x.count != s.top) | (s.holes != 0) |
               (tape->argument_end - tape->argument < (ptrdiff_t)x.count))) {
    assign_slow(y_out, e);
  } else if (x.count > FEW_LEAVES) {
    assign_many(y_out, e);
  } else {
    assign_top(y_out, e, x);
  }
}
void admpif_drop_(E e) {
  if (e->where >> 32 >= KEPT || is_passive(seen(e))) return;
  const region a = taken(e);
  release(a.at, a.count);
}

/* The leaves of all live expressions: 0 between statements. */
int32_t admpif_live(void) { return (int32_t)(s.top - s.holes); }

/* Sums, a statement for each 254 operands. Distances are in elements. */
void admpif_sum(admpi_var *y_out, V x, int64_t n) {
  region y = {0.0, s.top, 0};
  for (int64_t i = 0; i < n; i++) {
    append(&y, x + i, 1.0);
    y.value += x[i].value;
  }
  *y_out = close_taken(y);
}

void admpif_sum_e(admpi_var *y_out, E x, int64_t n) {
  region y = {0.0, s.top, 0};
  for (int64_t i = 0; i < n; i++) {
    append_taken(&y, taken(x + i));
    y.value += x[i].value;
  }
  *y_out = close_taken(y);
}

void admpif_dot(admpi_var *y_out, V a, int64_t a_apart, V b, int64_t b_apart, int64_t n) {
  region y = {0.0, s.top, 0};
  for (int64_t i = 0; i < n; i++, a += a_apart, b += b_apart) {
    append(&y, a, b->value);
    append(&y, b, a->value);
    y.value += a->value * b->value;
  }
  *y_out = close_taken(y);
}

void admpif_dot_d(admpi_var *y_out, V a, int64_t a_apart, D b, int64_t b_apart, int64_t n) {
  region y = {0.0, s.top, 0};
  for (int64_t i = 0; i < n; i++, a += a_apart, b += b_apart) {
    append(&y, a, *b);
    y.value += a->value * *b;
  }
  *y_out = close_taken(y);
}

/* A value whose partial derivatives the caller has computed. */
void admpif_record(admpi_var *y_out, double value, V x, D partial, int64_t n) {
  region y = {value, s.top, 0};
  for (int64_t i = 0; i < n; i++) append(&y, x + i, partial[i]);
  *y_out = close_taken(y);
}

/* Tangents of active values: an operator's result, which is z, by two statements. p and q are its partial derivatives by a and b.
 * Where no operand has a derivative, the result has none. */

INLINE int moves(const active_tangent *a) { return (a->derivative.value != 0.0) | (a->derivative.id != 0); }
INLINE uint32_t put_active(leaf *x, uint32_t n, V of, double partial) {
  put(x + n, of, partial);
  return n + (of->id != 0);
}

void admpif_tangent_1(active_tangent *y_out, const plain_tangent *z, const active_tangent *a, const plain_tangent *p) {
  active_tangent y;
  y.value = admpi_detail_record_1(z->value, a->value, p->value);
  y.derivative = admpi_passive(0.0);
  if (moves(a)) y.derivative = admpi_detail_record_2(z->derivative, a->value, p->derivative, a->derivative, p->value);
  *y_out = y;
}

void admpif_tangent_2(active_tangent *y_out, const plain_tangent *z, const active_tangent *a, const plain_tangent *p,
                      const active_tangent *b, const plain_tangent *q) {
  leaf x[4];
  active_tangent y;
  y.value = admpi_detail_record_2(z->value, a->value, p->value, b->value, q->value);
  y.derivative = admpi_passive(0.0);
  if (moves(a) | moves(b)) {
    uint32_t n = put_active(x, 0, &a->value, p->derivative);
    n = put_active(x, n, &b->value, q->derivative);
    n = put_active(x, n, &a->derivative, p->value);
    n = put_active(x, n, &b->derivative, q->value);
    y.derivative = record_leaves(z->derivative, x, n);
  }
  *y_out = y;
}

/* The same where p and q are constant. */
void admpif_tangent_linear_1(active_tangent *y_out, const plain_tangent *z, const active_tangent *a, double p) {
  active_tangent y;
  y.value = admpi_detail_record_1(z->value, a->value, p);
  y.derivative = admpi_passive(0.0);
  if (moves(a)) y.derivative = admpi_detail_record_1(z->derivative, a->derivative, p);
  *y_out = y;
}

void admpif_tangent_linear_2(active_tangent *y_out, const plain_tangent *z, const active_tangent *a, double p,
                             const active_tangent *b, double q) {
  active_tangent y;
  y.value = admpi_detail_record_2(z->value, a->value, p, b->value, q);
  y.derivative = admpi_passive(0.0);
  if (moves(a) | moves(b)) y.derivative = admpi_detail_record_2(z->derivative, a->derivative, p, b->derivative, q);
  *y_out = y;
}

/* Complex numbers: an operator's result, whose value is z, by a statement for each part. p and q are its complex derivatives by a and
 * b. What a part does not depend on is not recorded. */

typedef struct plain_complex {
  double re, im;
} plain_complex;

INLINE uint32_t put_sloped(leaf *x, uint32_t n, V of, double partial) {
  put(x + n, of, partial);
  return n + ((of->id != 0) & (partial != 0.0));
}
INLINE uint32_t put_complex(leaf *x, uint32_t n, const admpi_var_complex *of, double by_real, double by_imag) {
  return put_sloped(x, put_sloped(x, n, &of->real, by_real), &of->imag, by_imag);
}

void admpif_complex_1(admpi_var_complex *y_out, const plain_complex *z, const admpi_var_complex *a, const plain_complex *p) {
  leaf x[2];
  admpi_var_complex y;
  y.real = record_leaves(z->re, x, put_complex(x, 0, a, p->re, -p->im));
  y.imag = record_leaves(z->im, x, put_complex(x, 0, a, p->im, p->re));
  *y_out = y;
}

void admpif_complex_2(admpi_var_complex *y_out, const plain_complex *z, const admpi_var_complex *a, const plain_complex *p,
                      const admpi_var_complex *b, const plain_complex *q) {
  leaf x[4];
  admpi_var_complex y;
  y.real = record_leaves(z->re, x, put_complex(x, put_complex(x, 0, a, p->re, -p->im), b, q->re, -q->im));
  y.imag = record_leaves(z->im, x, put_complex(x, put_complex(x, 0, a, p->im, p->re), b, q->im, q->re));
  *y_out = y;
}

/* The tape. */

int32_t admpif_activate(admpi_tape *tape) {
  const int32_t status = admpi_tape_activate(tape, NULL);
  set_checked(admpi_tls_tape->checking & 1);
  return status;
}

/* Some compilers evaluate the right side of a WHERE for all elements, and assign those under the mask. The expressions that
 * nobody uses are found here: their leaves are stale from now on. */
int32_t admpif_reset(admpi_tape *tape) {
  const int32_t status = admpi_tape_reset(tape);
  if (status == 0 && tape == admpi_tls_tape) forget_leaves();
  return status;
}

int32_t admpif_region_begin(const char *name) { return admpi_region_begin(name); }
int32_t admpif_region_end(const char *name) { return admpi_region_end(name); }

/* Of arrays, and in place. */
int32_t admpif_seed(admpi_tape *tape, V y, D weight, int64_t n, int32_t direction) {
  int32_t status = 0;
  for (int64_t i = 0; i < n && status == 0; i++) status = admpi_tape_seed(tape, y[i], weight[i], direction);
  return status;
}

int32_t admpif_keep(admpi_tape *tape, V y, int64_t n) {
  int32_t status = 0;
  for (int64_t i = 0; i < n && status == 0; i++) status = admpi_tape_keep(tape, y[i]);
  return status;
}

int32_t admpif_input(admpi_tape *tape, admpi_var *x, int64_t n) {
  uint32_t id = 0;
  const int32_t status = admpi_tape_input_ids(tape, n, &id);
  for (int64_t i = 0; i < n && status == 0; i++) {
    x[i].id = id + (uint32_t)i;
    x[i].tag = tape->tag;
  }
  return status;
}
