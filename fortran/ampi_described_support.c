/* What few calls need of ampi_described.h: errors, copies, and datatypes of sections. */
#include "ampi_described.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Whether all elements of the datatype are active doubles, however it is built. */
int admpif_is_only_active(MPI_Datatype datatype);

int admpif_is_double(MPI_Fint datatype) {
  const MPI_Datatype type = MPI_Type_f2c(datatype);
  return type == MPI_DOUBLE_PRECISION || type == MPI_REAL8 || type == MPI_DOUBLE;
}

int admpif_is_double_complex(MPI_Fint datatype) {
  const MPI_Datatype type = MPI_Type_f2c(datatype);
  return type == MPI_DOUBLE_COMPLEX || type == MPI_COMPLEX16 || type == MPI_C_DOUBLE_COMPLEX;
}

static int is_significant(enum place place, int root, MPI_Comm comm) {
  int inter = 0, rank = 0;
  if (place == ALWAYS || comm == MPI_COMM_NULL) return place == ALWAYS;
  MPI_Comm_test_inter(comm, &inter);
  if (inter) return place == AT_ROOT ? root == MPI_ROOT : root != MPI_PROC_NULL && (place == AT_EITHER || root != MPI_ROOT);
  MPI_Comm_rank(comm, &rank);
  return place != AT_ROOT || rank == root;
}

static MPI_Comm of(const MPI_Fint *comm) { return comm == NULL ? MPI_COMM_WORLD : MPI_Comm_f2c(*comm); }

static int refuse(const char *call, const char *why, const MPI_Fint *comm, MPI_Fint *ierror) {
  const int code = admpi_detail_refuse(call, why, of(comm));
  if (ierror != NULL) *ierror = code;
  return 1;
}

int admpif_refuse_buffer(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Fint datatype, enum place place,
                         const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror) {
  char why[300];
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (!begun || ended) return 0; /* MPI says so under the name of its own call */
  if (admpif_is_sentinel(d->base_addr) || !is_significant(place, root == NULL ? 0 : *root, of(comm))) return 0;
  const int is_known = datatype == admpif_types_[OF_ADOUBLE] || datatype == admpif_types_[OF_TANGENT] ||
                       datatype == admpif_types_[OF_TANGENT_VAR] || datatype == admpif_types_[OF_ADOUBLE_COMPLEX];
  if (is_array_of_numbers(d) && !is_known && !admpif_is_only_active(MPI_Type_f2c(datatype))) return 0;
  const char *told = "the elements are admpi_var and the datatype is MPI_DOUBLE_PRECISION: derivatives would be lost; use "
                     "AMPI_ADOUBLE, or for tangents AMPI_TANGENT or AMPI_TANGENT_VAR (a type of yours with reals: make a datatype "
                     "of it)";
  if (datatype == admpif_types_[OF_ADOUBLE])
    told = "the datatype is AMPI_ADOUBLE and the elements are no admpi_var; declare the buffer active, or use a passive datatype "
           "(an admpi_tangent_var: AMPI_TANGENT_VAR; an admpi_var_complex: AMPI_ADOUBLE_COMPLEX)";
  else if (is_array_of_numbers(d))
    told = "the datatype is built from AMPI_ADOUBLE and the elements are no admpi_var; declare the buffer active, or build the "
           "datatype from a passive one";
  if (admpif_is_double_complex(datatype))
    told = "the elements are active and the datatype is MPI_DOUBLE_COMPLEX: derivatives would be lost; use AMPI_ADOUBLE_COMPLEX";
  if (datatype == admpif_types_[OF_ADOUBLE_COMPLEX])
    told = "the datatype is AMPI_ADOUBLE_COMPLEX and the elements are no admpi_var_complex; declare the buffer active, or use a "
           "passive datatype";
  if (datatype == admpif_types_[OF_TANGENT]) told = "the datatype is AMPI_TANGENT and the elements are no admpi_tangent";
  if (datatype == admpif_types_[OF_TANGENT_VAR])
    told = "the datatype is AMPI_TANGENT_VAR and the elements are no admpi_tangent_var";
  snprintf(why, sizeof why, "%s: %s", buffer, told);
  return refuse(call, why, comm, ierror);
}

/* The first of `count` elements that is no admpi_var, or -1. */
static MPI_Count first_foreign(const CFI_cdesc_t *d, MPI_Count count) {
  if (is_whole(d)) return admpif_first_foreign(d->base_addr, count);
  for (MPI_Count n = 0; n < count && n < elements(d); n++) {
    const char *element = d->base_addr;
    MPI_Count left = n;
    for (int i = 0; i < d->rank; i++) {
      element += left % d->dim[i].extent * d->dim[i].sm;
      left /= d->dim[i].extent;
    }
    if (admpif_first_foreign((const void *)element, 1) == 0) return n;
  }
  return -1;
}

int admpif_refuse_foreign(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Count count, enum place place,
                          const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror) {
  char why[300];
  if (d->base_addr == NULL || !is_significant(place, root == NULL ? 0 : *root, of(comm))) return 0;
  const MPI_Count at = first_foreign(d, count);
  if (at < 0) return 0;
  snprintf(why, sizeof why,
           "%s: the datatype is AMPI_ADOUBLE and element %lld is no admpi_var of this process; for an admpi_tangent use "
           "AMPI_TANGENT, for another type of two numbers make a datatype",
           buffer, (long long)at + 1);
  return refuse(call, why, comm, ierror);
}

int admpif_refuse_section(const char *call, const char *buffer, const MPI_Fint *comm, MPI_Fint *ierror) {
  char why[200];
  snprintf(why, sizeof why,
           "%s: it is a section that is not contiguous, and the call needs it after its return; pass a contiguous array",
           buffer);
  return refuse(call, why, comm, ierror);
}

/* Calls `move` for each element in their order in the array: its address, and its place among all. */
static void each_element(const CFI_cdesc_t *d, void (*move)(char *element, char *packed, size_t size), char *packed) {
  CFI_index_t index[CFI_MAX_RANK] = {0};
  char *element = d->base_addr;
  for (int i = 0; i < d->rank;) {
    move(element, packed, d->elem_len);
    packed += d->elem_len;
    for (i = 0; i < d->rank; i++) {
      element += d->dim[i].sm;
      if (++index[i] < d->dim[i].extent) break;
      element -= d->dim[i].sm * d->dim[i].extent;
      index[i] = 0;
    }
  }
}

static void pack(char *element, char *packed, size_t size) { memcpy(packed, element, size); }
static void unpack(char *element, char *packed, size_t size) { memcpy(element, packed, size); }

void *admpif_copy_in(const char *call, const char *buffer, const CFI_cdesc_t *d, const MPI_Fint *comm, MPI_Fint *ierror) {
  char *copy = malloc((size_t)elements(d) * d->elem_len);
  if (copy == NULL) {
    char why[100];
    snprintf(why, sizeof why, "%s: no memory for a copy of the section", buffer);
    refuse(call, why, comm, ierror);
    return NO_MEMORY;
  }
  each_element(d, pack, copy);
  return copy;
}

void admpif_copy_out(const CFI_cdesc_t *d, void *copy, int is_written) {
  if (is_written) each_element(d, unpack, copy);
  free(copy);
}

/* `n` elements at a distance. */
static int repeat(MPI_Count n, MPI_Aint distance, MPI_Datatype element, MPI_Datatype *type) {
  return MPIX_Type_create_hvector_x(n, 1, distance, element, type);
}

/* The first `count` elements of the section: whole planes of the last dimension, whole lines of the one before, and so on. */
static int describe(const CFI_cdesc_t *d, MPI_Count count, MPI_Datatype element, MPI_Datatype *type) {
  MPI_Datatype slabs[CFI_MAX_RANK], parts[CFI_MAX_RANK];
  MPI_Aint places[CFI_MAX_RANK], at = 0;
  int ones[CFI_MAX_RANK], code = MPI_SUCCESS, made = 1, n = 0;
  MPI_Count in_slab = elements(d);
  slabs[0] = element;
  for (; made < d->rank && code == MPI_SUCCESS; made += code == MPI_SUCCESS)
    code = repeat(d->dim[made - 1].extent, d->dim[made - 1].sm, slabs[made - 1], &slabs[made]);
  for (int i = d->rank - 1; i >= 0 && code == MPI_SUCCESS; i--) {
    in_slab /= d->dim[i].extent;
    const MPI_Count whole = count / in_slab;
    count -= whole * in_slab;
    if (whole == 0) continue;
    ones[n] = 1;
    places[n] = at;
    code = repeat(whole, d->dim[i].sm, slabs[i], &parts[n]);
    at += whole * d->dim[i].sm;
    n += code == MPI_SUCCESS;
  }
  if (code == MPI_SUCCESS) code = MPI_Type_create_struct(n, ones, places, parts, type);
  if (code == MPI_SUCCESS) code = MPI_Type_commit(type);
  while (n > 0) MPI_Type_free(&parts[--n]);
  while (made > 1) MPI_Type_free(&slabs[--made]);
  return code;
}

int admpif_make_item(const char *call, const char *buffer, const CFI_cdesc_t *d, MPI_Count count, const MPI_Fint *comm,
                     MPI_Fint *ierror, section *made) {
  char why[300];
  MPI_Aint lower = 0, extent = 0;
  MPI_Datatype type, element = MPI_Type_f2c(made->datatype);
  if (count == 0 || element == MPI_DATATYPE_NULL) return 1; /* nothing, or MPI's error */
  int code = MPI_Type_get_extent(element, &lower, &extent);
  if (code == MPI_SUCCESS && (count < 0 || count > elements(d) || lower != 0 || extent != (MPI_Aint)d->elem_len)) {
    snprintf(why, sizeof why,
             "%s: it is a section that is not contiguous, with %lld elements of %zu bytes, and there are %lld items of %lld "
             "bytes; pass a contiguous array, or items as large as its elements",
             buffer, (long long)elements(d), d->elem_len, (long long)count, (long long)extent);
    return !refuse(call, why, comm, ierror);
  }
  if (code == MPI_SUCCESS) code = describe(d, count, element, &type);
  if (code != MPI_SUCCESS) {
    if (ierror != NULL) *ierror = code;
    return 0;
  }
  made->datatype = MPI_Type_c2f(type);
  made->is_made = 1;
  return 1;
}

void admpif_free_item(section *made) {
  MPI_Datatype type = MPI_Type_f2c(made->datatype);
  MPI_Type_free(&type);
}
