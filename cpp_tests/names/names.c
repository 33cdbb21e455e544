/* Every AMPI_ name compiles, in C and in C++ (names.cpp includes this file), and what the library must
 * export is there. */
#include <admpi.h>
#include <stddef.h>
#include <stdio.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

#include "names_all.h"

int main(void) {
  size_t types = sizeof ampi_types / sizeof *ampi_types;
  size_t calls = sizeof ampi_calls / sizeof *ampi_calls;
  size_t exported = sizeof ampi_exported / sizeof *ampi_exported;
  for (size_t i = 0; i < exported; i++)
    if (ampi_exported[i] == NULL)
      return 1;
  if (0)
    ampi_constants(); /* some are addresses, some need MPI to be initialised: compiling is the test */
  printf("%zu types, %zu calls, %zu of them exported\n", types, calls, exported);
  return 0;
}
