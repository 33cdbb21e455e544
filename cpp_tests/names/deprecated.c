/* The functions of admpi/deprecated.h do what those of the new names do. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <admpi.h>

#include "../check.h"

static void tape_functions(void) {
  admpi_tape *tape = NULL;
  admpi_statistics statistics;
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_width(tape, 4) == ADMPI_SUCCESS);
  CHECK(admpi_tape_statistics(tape, &statistics) == ADMPI_SUCCESS && statistics.width == 4);
  CHECK(admpi_tape_width(tape, 3) == ADMPI_ERR_ARGUMENT);
  admpi_tape_free(tape);
}

int main(void) {
  tape_functions();
  return failures != 0;
}
