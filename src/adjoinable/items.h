/* How the numbers of a datatype lie in memory, and how they and the bytes beside them travel. */
#ifndef ADMPI_ADJOINABLE_ITEMS_H
#define ADMPI_ADJOINABLE_ITEMS_H

#include <stddef.h>
#include <stdint.h>

#include "admpi/steps.h"
#include "ampi/ampi.h"

typedef struct adjoinable_number {
  int64_t offset;
  int floats;
} adjoinable_number_at;

typedef struct adjoinable_bytes {
  int64_t offset, n;
} adjoinable_bytes;

/* An item of a datatype with numbers. */
typedef struct adjoinable_item {
  struct adjoinable_item *next;
  int64_t id; /* the steps' number of it */
  int64_t n;  /* numbers */
  adjoinable_number_at *numbers;
  int64_t n_bytes; /* parts that are no numbers */
  adjoinable_bytes *bytes;
  int64_t extent, low, high; /* low to high: what is used of the first item */
  int64_t places;            /* of 16 bytes: those of the numbers, and room for the other bytes */
  MPI_Datatype active;       /* libadmpi's type of so many places */
  MPI_Datatype pairs;        /* the same with pairs of a number and its tangent */
} adjoinable_item;

/* What numbers a datatype is of; others: of kinds that are not differentiated. */
typedef enum adjoinable_numbers { ADJOINABLE_NO_NUMBERS, ADJOINABLE_NUMBERS, ADJOINABLE_OTHERS } adjoinable_numbers;
adjoinable_numbers adjoinable_content(MPI_Datatype datatype, const adjoinable_item **item);

/* Whether an item is one number. */
int adjoinable_is_plain(const adjoinable_item *item);
double adjoinable_get(const adjoinable_item *item, const void *base, int64_t at, int64_t number);
void adjoinable_put(const adjoinable_item *item, void *base, int64_t at, int64_t number, double value);
/* Item `at` of an array of the user's layout, and one as it travels: where its other bytes are. */
void adjoinable_bytes_out(const adjoinable_item *item, const void *base, int64_t at, void *to);
void adjoinable_bytes_in(const adjoinable_item *item, void *base, int64_t at, const void *from);
/* Memory for `n` items, to be freed at `*room`; NULL if there is none. */
void *adjoinable_items(const adjoinable_item *item, int64_t n, void **room);
/* Bytes from the lowest to the highest of `n` items. */
int64_t adjoinable_bytes_of(const adjoinable_item *item, int64_t n);

#endif
