/* What mpi-sys leaves out because it is a macro in mpi.h: sentinels and handles of the MPI in use. Rust
 * asks for them here, so no value of either MPI is written down anywhere. */
#include "admpi/abi.h"
#include "admpi/codes.h"

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Pointers that no buffer may be confused with: compare them before forming a slice. */
void *admpi_shim_in_place(void) { return MPI_IN_PLACE; }
int *admpi_shim_unweighted(void) { return MPI_UNWEIGHTED; }

const char *admpi_last_error(void);

/* Writes the thread's message to standard error if `handler`, which is freed, aborts: what an MPI prints itself may get
 * lost, since Open MPI shows one of several messages alike and cuts them. Also if a file's errors are returned: they are unless the
 * program asks for more, so that few programs look. */
static void tell(MPI_Errhandler handler, int is_file) {
  int rank = 0;
#ifdef MPI_ERRORS_ABORT
  const int aborts = handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
#else
  const int aborts = handler == MPI_ERRORS_ARE_FATAL;
#endif
  const int is_silent = handler == MPI_ERRORS_RETURN && is_file;
  MPI_Errhandler_free(&handler);
  if (!aborts && !is_silent) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "admpi: rank %d: %s\n", rank, admpi_last_error());
  fflush(stderr);
}

/* The handler of a communicator, window or file runs with an error of ours. It may abort, or throw. */
#define RAISE(kind, Kind, type, is_file)                                                                   \
  int admpi_shim_raise_##kind(type object, int code) {                                                     \
    MPI_Errhandler handler;                                                                                \
    if (MPI_##Kind##_get_errhandler(object, &handler) == MPI_SUCCESS) tell(handler, is_file);              \
    MPI_##Kind##_call_errhandler(object, code);                                                            \
    return code;                                                                                           \
  }
RAISE(comm, Comm, MPI_Comm, 0)
RAISE(win, Win, MPI_Win, 0)
RAISE(file, File, MPI_File, 1)

#define DATATYPE(name) \
  MPI_Datatype admpi_shim_type_##name(void) { return MPI_##name; }
DATATYPE(BYTE)
DATATYPE(PACKED)
DATATYPE(CHAR)
DATATYPE(SHORT)
DATATYPE(INT)
DATATYPE(LONG)
DATATYPE(LONG_LONG)
DATATYPE(UNSIGNED)
DATATYPE(UNSIGNED_LONG)
DATATYPE(FLOAT)
DATATYPE(DOUBLE)
DATATYPE(AINT)
DATATYPE(OFFSET)
DATATYPE(COUNT)
DATATYPE(FLOAT_INT)
DATATYPE(DOUBLE_INT)
DATATYPE(LONG_INT)
DATATYPE(2INT)

/* The largest tag of this MPI; the least that the standard allows if it does not say. */
int admpi_shim_largest_tag(void) {
  int *value = NULL, flag = 0;
  int code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  return code == MPI_SUCCESS && flag ? *value : 32767;
}

#define OPERATION(name) \
  MPI_Op admpi_shim_op_##name(void) { return MPI_##name; }
OPERATION(SUM)
OPERATION(PROD)
OPERATION(MIN)
OPERATION(MAX)
OPERATION(MINLOC)
OPERATION(MAXLOC)
OPERATION(LAND)
OPERATION(LOR)
OPERATION(LXOR)
OPERATION(BAND)
OPERATION(BOR)
OPERATION(BXOR)
OPERATION(REPLACE)
OPERATION(NO_OP)
OPERATION(OP_NULL)

/* Rust's: keeps the message for admpi_last_error and returns the code. */
int admpi_shim_fail(int code, const char *message);

static int differs(const char *what, size_t program, size_t library) {
  char message[200];
  snprintf(message, sizeof message,
           "%s has %zu bytes in the program but %zu in the library: they were built for different MPIs", what,
           program, library);
  return admpi_shim_fail(ADMPI_ERR_ABI, message);
}

#if ADMPI_MPI_OPENMPI
static const char *const family = "Open MPI";
static const char *const names[] = {"Open MPI", NULL};
#else
static const char *const family = "the MPICH family";
static const char *const names[] = {"MPICH", "MVAPICH", "Intel", "CRAY", NULL};
#endif

int admpi_shim_fortran_check(void);

/* A program may have loaded another MPI beside this library's; the first one loaded then answers. */
static int check_loaded(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  char message[MPI_MAX_LIBRARY_VERSION_STRING + 100];
  int length = 0;
  const char *const *name;
  if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) return ADMPI_SUCCESS;
  for (name = names; *name != NULL; name++)
    if (strstr(version, *name) != NULL) return ADMPI_SUCCESS;
  version[strcspn(version, "\n,")] = '\0';
  snprintf(message, sizeof message, "this admpi was built for %s, but the MPI loaded is %s", family, version);
  return admpi_shim_fail(ADMPI_ERR_ABI, message);
}

int ADMPI_ABI_CHECK(const admpi_mpi_sizes *sizes) {
  if (sizes == NULL) return admpi_shim_fail(ADMPI_ERR_NULL, "sizes is NULL");
  if (sizes->comm != sizeof(MPI_Comm)) return differs("MPI_Comm", sizes->comm, sizeof(MPI_Comm));
  if (sizes->datatype != sizeof(MPI_Datatype))
    return differs("MPI_Datatype", sizes->datatype, sizeof(MPI_Datatype));
  if (sizes->op != sizeof(MPI_Op)) return differs("MPI_Op", sizes->op, sizeof(MPI_Op));
  if (sizes->request != sizeof(MPI_Request))
    return differs("MPI_Request", sizes->request, sizeof(MPI_Request));
  if (sizes->status != sizeof(MPI_Status)) return differs("MPI_Status", sizes->status, sizeof(MPI_Status));
  if (sizes->aint != sizeof(MPI_Aint)) return differs("MPI_Aint", sizes->aint, sizeof(MPI_Aint));
  int code = admpi_shim_fortran_check();
  return code == ADMPI_SUCCESS ? check_loaded() : code;
}
