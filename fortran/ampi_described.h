/* For ampi_described.c: what a descriptor of Fortran says of a buffer. The layout of descriptors is the compiler's, so this is
 * compiled beside the modules.
 *
 * A section that is not contiguous is copied for a call that is done with it on return. A call that goes on gets one item of a
 * datatype that describes it. */
#ifndef ADMPI_AMPI_DESCRIBED_H
#define ADMPI_AMPI_DESCRIBED_H

#include <ISO_Fortran_binding.h>
#include <admpi.h>
#include <stdint.h>

/* COMMON /ADMPIF_TYPES/, and the places in it. */
extern MPI_Fint admpif_types_[];
enum { OF_ADOUBLE, OF_ADOUBLE_INT, OF_VIEW, OF_TANGENT, OF_TANGENT_VAR, OF_ADOUBLE_COMPLEX };

/** The first of n elements that is no admpi_var of this process, or -1. */
int64_t admpif_first_foreign(const admpi_var *x, int64_t n);

/** Whether an address is one of Fortran's that stand for something, such as MPI_IN_PLACE. */
int admpif_is_sentinel(const void *address);

/* The ranks whose buffer counts. */
enum place { ALWAYS, AT_ROOT, AT_OTHERS, AT_EITHER };

/* No count of the buffer's elements. Where a call has no communicator `comm` is NULL, and errors are MPI_COMM_WORLD's. */
enum { UNTOLD = -1 };

/* No address that a buffer can have. */
#define NO_MEMORY ((void *)-1)

/** A section as one item. */
typedef struct section {
  MPI_Fint datatype;
  int is_made; /* and must be freed */
} section;

int admpif_refuse_buffer(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Fint datatype, enum place place,
                         const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror);
int admpif_refuse_foreign(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Count count, enum place place,
                          const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror);
int admpif_refuse_section(const char *call, const char *buffer, const MPI_Fint *comm, MPI_Fint *ierror);
void *admpif_copy_in(const char *call, const char *buffer, const CFI_cdesc_t *d, const MPI_Fint *comm, MPI_Fint *ierror);
void admpif_copy_out(const CFI_cdesc_t *d, void *copy, int is_written);
int admpif_make_item(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Count count, const MPI_Fint *comm,
                     MPI_Fint *ierror, section *made);
void admpif_free_item(section *made);
int admpif_is_double(MPI_Fint datatype);
int admpif_is_double_complex(MPI_Fint datatype);

static inline int is_contiguous(const CFI_cdesc_t *d) {
  CFI_index_t bytes = (CFI_index_t)d->elem_len;
  for (int i = 0; i < d->rank; i++) {
    if (d->dim[i].sm != bytes && d->dim[i].extent != 1) return 0;
    bytes *= d->dim[i].extent;
  }
  return 1;
}

/* The last extent of an assumed-size array is -1: such an array is contiguous, and so is one with no elements. Of polymorphic
 * elements gfortran tells no length that could be relied on. */
static inline int is_whole(const CFI_cdesc_t *d) {
  if (d->rank == 0 || d->type == CFI_type_other || is_contiguous(d)) return 1;
  for (int i = 0; i < d->rank; i++)
    if (d->dim[i].extent <= 0) return 1;
  return 0;
}

static inline CFI_index_t elements(const CFI_cdesc_t *d) {
  CFI_index_t n = 1;
  for (int i = 0; i < d->rank; i++) n *= d->dim[i].extent;
  return n;
}

/* Whether an element is a number, a logical, a character or an address. */
static inline int is_plain(const CFI_cdesc_t *d) {
  const int kind = d->type & CFI_type_mask;
  if (d->type == CFI_type_cptr || d->type == CFI_type_cfunptr) return 1;
  return kind >= CFI_type_Integer && kind <= CFI_type_Character;
}

/* A single one may be the first of a structure, which the datatype describes. */
static inline int is_array_of_numbers(const CFI_cdesc_t *d) {
  const int kind = d->type & CFI_type_mask;
  return d->rank > 0 && (kind == CFI_type_Real || kind == CFI_type_Complex);
}

/* An admpi_var and an admpi_tangent are structures of 16 bytes, an admpi_tangent_var and an admpi_var_complex are of 32, and the
 * user's may be as large. Of the latter more items are sent than there are elements. */
static inline int is_structure(const CFI_cdesc_t *d, size_t size) { return d->type == CFI_type_struct && d->elem_len == size; }
static inline int are_all(const CFI_cdesc_t *d, MPI_Count count) { return count > 0 && count <= elements(d); }

/** Whether the elements are surely none of the datatype: reals under AMPI_ADOUBLE, active variables under
 * MPI_DOUBLE_PRECISION or MPI_DOUBLE_COMPLEX, tangents under the type of others. */
static inline int is_wrong(const CFI_cdesc_t *d, MPI_Fint datatype, MPI_Count count) {
  const int is_one = is_structure(d, sizeof(admpi_var)), is_two = is_structure(d, 2 * sizeof(admpi_var));
  if (datatype == admpif_types_[OF_ADOUBLE]) return is_plain(d) || (is_two && are_all(d, count));
  if (is_plain(d))
    return datatype == admpif_types_[OF_TANGENT] || datatype == admpif_types_[OF_TANGENT_VAR] ||
           datatype == admpif_types_[OF_ADOUBLE_COMPLEX];
  if (!is_one && !is_two) return 0;
  if (datatype == admpif_types_[OF_TANGENT]) return is_two && are_all(d, count);
  if (datatype == admpif_types_[OF_TANGENT_VAR]) return is_one;
  return are_all(d, count) && (admpif_is_double(datatype) || (is_two && admpif_is_double_complex(datatype)));
}

static inline int is_refused(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Fint datatype,
                             MPI_Count count, enum place place, const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror) {
  const int may_be = is_wrong(d, datatype, count) || (is_array_of_numbers(d) && !admpif_is_double(datatype));
  return may_be && admpif_refuse_buffer(call, buffer, d, datatype, place, root, comm, ierror);
}

/** Refuses structures of 16 bytes that are sent under AMPI_ADOUBLE and are something else, such as an admpi_tangent. */
static inline int is_foreign(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Fint datatype,
                             MPI_Count count, enum place place, const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror) {
  return datatype == admpif_types_[OF_ADOUBLE] && is_structure(d, sizeof(admpi_var)) &&
         admpif_refuse_foreign(call, buffer, d, count, place, root, comm, ierror);
}

/** The address of the elements one behind the other, which may be those of a copy. */
static inline void *contiguous(const char *call, const char *buffer, const CFI_cdesc_t *d, const MPI_Fint *comm, MPI_Fint *ierror) {
  return is_whole(d) ? d->base_addr : admpif_copy_in(call, buffer, d, comm, ierror);
}

static inline void put_back(const CFI_cdesc_t *d, void *address, int is_written) {
  if (address != d->base_addr) admpif_copy_out(d, address, is_written);
}

/** A section becomes one item; 0 if that is an error. */
static inline int one_item(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Count count, MPI_Fint datatype,
                           const MPI_Fint *comm, MPI_Fint *ierror, section *made) {
  made->datatype = datatype;
  made->is_made = 0;
  return is_whole(d) || admpif_make_item(call, buffer, d, count, comm, ierror, made);
}

static inline void end_section(section *made) {
  if (made->is_made) admpif_free_item(made);
}

static inline int is_section(const char *call, const char *buffer, const CFI_cdesc_t *d, const MPI_Fint *comm, MPI_Fint *ierror) {
  return !is_whole(d) && admpif_refuse_section(call, buffer, comm, ierror);
}

#endif
