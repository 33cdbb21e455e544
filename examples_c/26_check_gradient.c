/* 26: a gradient that is checked, and a Jacobian, in C, in one call each.
 *
 * A function gets active inputs and sets active results. In the second one a derivative is lost; the check says where. */
#include <admpi.h>
#include <stdint.h>
#include <stdio.h>

/* The height of a stone after a second, and how far it got: from its speed, its angle and the drag of the air. */
static int32_t fly(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *context) {
  const int loses_drag = *(const int *)context;
  const admpi_var drag = loses_drag ? admpi_passive(x[2].value) : x[2]; /* the mistake */
  admpi_var u = admpi_mul(x[0], admpi_cos(x[1])), v = admpi_mul(x[0], admpi_sin(x[1]));
  admpi_var far = admpi_passive(0.0), high = admpi_passive(0.0);
  (void)n;
  for (int step = 0; step < 100; ++step) {
    const admpi_var k = admpi_mul(drag, admpi_sqrt(admpi_add(admpi_mul(u, u), admpi_mul(v, v))));
    far = admpi_add(far, admpi_mul_d(u, 0.01));
    high = admpi_add(high, admpi_mul_d(v, 0.01));
    u = admpi_sub(u, admpi_mul_d(admpi_mul(k, u), 0.01));
    v = admpi_sub(v, admpi_mul_d(admpi_add_d(admpi_mul(k, v), 9.81), 0.01));
  }
  y[0] = high;
  if (m > 1) y[1] = far;
  return 0;
}

int main(void) {
  const double x[3] = {20.0, 0.8, 0.05};
  int right = 0, mistaken = 1;
  double jacobian[6];
  admpi_input_check checks[3];
  int64_t wrong;
  if (admpi_check_gradient(fly, &right, x, 3, 1e-6, checks, &wrong) != ADMPI_SUCCESS) return 1;
  printf("%d derivatives are wrong\n", (int)wrong);
  if (admpi_check_gradient(fly, &mistaken, x, 3, 1e-6, checks, &wrong) != ADMPI_SUCCESS) return 1;
  for (int i = 0; i < 3; i++)
    if (!checks[i].is_right) printf("that by x[%d] is: %.4f by the sweep, %.4f by differences\n", i, checks[i].reverse, checks[i].difference);
  if (admpi_jacobian(fly, &right, x, 3, 2, NULL, jacobian) != ADMPI_SUCCESS) return 1;
  for (int i = 0; i < 2; i++) {
    printf("%s", i == 0 ? "Jacobian" : "        ");
    for (int j = 0; j < 3; j++) printf(" %12.4f", jacobian[i + 2 * j]);
    printf("\n");
  }
  return 0;
}
