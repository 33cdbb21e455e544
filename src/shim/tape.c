/* What Rust cannot define on the stable toolchain: initial-exec thread-local variables, which the
 * inline code of every language reads, and the tape that a thread has while it has none. */
#define ADMPI_TAPE_INLINE
#include "admpi/region.h"
#include "admpi/var.h"

#include <stdlib.h>
#include <string.h>

/* Its epoch is one that no block has. */
admpi_tape admpi_no_tape = {.abi = ADMPI_TAPE_ABI, .epoch = 1};

__thread admpi_tape *admpi_tls_tape __attribute__((tls_model("initial-exec"))) = &admpi_no_tape;

__thread admpi_detail_cxx_thread admpi_tls_cxx __attribute__((tls_model("initial-exec")));

int admpi_detail_regions = 0;

admpi_tape *admpi_shim_current(void) { return admpi_tls_tape; }

void admpi_shim_set_current(admpi_tape *tape) { admpi_tls_tape = tape; }

/* What a trace has noted is written when the process ends. */
void admpi_shim_end(void);

__attribute__((destructor)) static void end(void) { admpi_shim_end(); }

/* Checking is asked for by the environment before the first value is made, or later by a call. */
__attribute__((constructor)) static void read_environment(void) {
  const char *check = getenv("ADMPI_CHECK");
  admpi_no_tape.checking = check != NULL && (strcmp(check, "1") == 0 || strcmp(check, "nan") == 0);
}
