/* One operator of C in a loop, for an instruction count: operator (inline | call) (add | mul | div) <iterations>
 * `operator inline none` is the loop alone. */
#include <admpi.h>

#include <stdlib.h>
#include <string.h>

/* The exported twins, which other languages call; the header gives this file inline functions of these names. */
extern admpi_var twin_add(admpi_var a, admpi_var b) __asm__("admpi_add");
extern admpi_var twin_mul(admpi_var a, admpi_var b) __asm__("admpi_mul");
extern admpi_var twin_div(admpi_var a, admpi_var b) __asm__("admpi_div");

/* In functions of their own: main, which runs once, is compiled for size. */
#define LOOP(name, op)                                                                   \
  static __attribute__((noinline)) admpi_var name(admpi_var x, admpi_var y, long n) {    \
    for (; n > 0; --n) y = op(x, y);                                                     \
    return y;                                                                            \
  }
static inline admpi_var none(admpi_var x, admpi_var y) {
  __asm__ volatile("" : "+x"(y.value) : "x"(x.value));
  return y;
}
LOOP(inline_none, none)
LOOP(inline_add, admpi_add)
LOOP(inline_mul, admpi_mul)
LOOP(inline_div, admpi_div)
LOOP(call_add, twin_add)
LOOP(call_mul, twin_mul)
LOOP(call_div, twin_div)

int main(int argc, char **argv) {
  static const struct {
    const char *how, *op;
    admpi_var (*loop)(admpi_var x, admpi_var y, long n);
  } loops[] = {{"inline", "none", inline_none}, {"inline", "add", inline_add}, {"inline", "mul", inline_mul},
               {"inline", "div", inline_div},   {"call", "add", call_add},     {"call", "mul", call_mul},
               {"call", "div", call_div}};
  const double values[] = {1.0, 0.5};
  admpi_tape *tape;
  admpi_var x[2];
  size_t i;
  if (argc != 4) return 2;
  if (admpi_tape_new(&tape) || admpi_tape_activate(tape, NULL) || admpi_tape_start(tape)) return 1;
  if (admpi_tape_input(tape, values, 2, x)) return 1;
  for (i = 0; i < sizeof loops / sizeof *loops; ++i) {
    if (strcmp(loops[i].how, argv[1]) == 0 && strcmp(loops[i].op, argv[2]) == 0) {
      x[1] = loops[i].loop(x[0], x[1], atol(argv[3]));
    }
  }
  admpi_tape_free(tape);
  return x[1].id == 0;
}
