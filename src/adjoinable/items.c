/* Datatypes with numbers: their items, found once for each type. */
#include "items.h"

#include <stdlib.h>
#include <string.h>

#include "runtime.h"

OURS_IS(MPI_Datatype, AMPI_ADOUBLE, )

typedef void part_function(void *to, int64_t offset, int64_t n, int64_t extent, MPI_Datatype datatype);
int admpi_detail_parts(MPI_Datatype datatype, part_function *found, void *to, int64_t *extent_out);

enum { PLACE = 16 }; /* bytes of an active value, and of a pair */

static int is_one_of(MPI_Datatype datatype, const MPI_Datatype list[], size_t n) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == datatype && datatype != MPI_DATATYPE_NULL) return 1;
  return 0;
}
#define IS_ONE_OF(datatype, ...) \
  is_one_of(datatype, (const MPI_Datatype[]){__VA_ARGS__}, sizeof((const MPI_Datatype[]){__VA_ARGS__}) / sizeof(MPI_Datatype))

/* How many doubles, or floats, a predefined type begins with; the rest of it is no numbers. -1: of another kind. */
static int numbers_of(MPI_Datatype datatype, int *floats) {
  *floats = IS_ONE_OF(datatype, MPI_FLOAT, MPI_REAL, MPI_REAL4, MPI_FLOAT_INT);
  if (*floats || IS_ONE_OF(datatype, MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8, MPI_DOUBLE_INT)) return 1;
  *floats = IS_ONE_OF(datatype, MPI_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_2REAL);
  if (*floats || IS_ONE_OF(datatype, MPI_DOUBLE_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_2DOUBLE_PRECISION)) return 2;
  return IS_ONE_OF(datatype, MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT, MPI_C_LONG_DOUBLE_COMPLEX) ? -1 : 0;
}

/* Parts as they are found. */
typedef struct parts {
  int64_t n, room;
  int64_t *offsets, *lengths;
  int32_t *kinds;
  int refused, failed;
} parts;

static void add_part(parts *all, int64_t offset, int64_t n, int32_t kind) {
  if (n == 0 || all->failed) return;
  if (all->n == all->room) {
    all->room = 2 * all->room + 8;
    int64_t *const offsets = realloc(all->offsets, (size_t)all->room * sizeof *offsets);
    if (offsets != NULL) all->offsets = offsets;
    int64_t *const lengths = realloc(all->lengths, (size_t)all->room * sizeof *lengths);
    if (lengths != NULL) all->lengths = lengths;
    int32_t *const kinds = realloc(all->kinds, (size_t)all->room * sizeof *kinds);
    if (kinds != NULL) all->kinds = kinds;
    all->failed = offsets == NULL || lengths == NULL || kinds == NULL;
    if (all->failed) return;
  }
  all->offsets[all->n] = offset;
  all->lengths[all->n] = n;
  all->kinds[all->n++] = kind;
}

static void found(void *to, int64_t offset, int64_t n, int64_t extent, MPI_Datatype datatype) {
  parts *const all = to;
  int floats, bytes;
  const int numbers = numbers_of(datatype, &floats);
  const int each = floats ? (int)sizeof(float) : (int)sizeof(double);
  if (numbers < 0) all->refused = 1;
  if (numbers < 0 || n == 0) return;
  MPI_Type_size(datatype, &bytes);
  if (numbers > 0 && numbers * each == extent) {
    add_part(all, offset, n * numbers, floats ? ADMPI_STEP_PART_FLOAT : ADMPI_STEP_PART_DOUBLE);
  } else if (numbers == 0 && bytes == extent) {
    add_part(all, offset, n * extent, ADMPI_STEP_PART_BYTES);
  } else {
    for (int64_t i = 0; i < n; i++) {
      add_part(all, offset + i * extent, numbers, floats ? ADMPI_STEP_PART_FLOAT : ADMPI_STEP_PART_DOUBLE);
      add_part(all, offset + i * extent + numbers * each, bytes - numbers * each, ADMPI_STEP_PART_BYTES);
    }
  }
}

static int64_t count(const parts *all, int bytes, int64_t *total) {
  int64_t n = 0;
  *total = 0;
  for (int64_t i = 0; i < all->n; i++) {
    if ((all->kinds[i] == ADMPI_STEP_PART_BYTES) != bytes) continue;
    n++;
    *total += all->lengths[i];
  }
  return n;
}

static int64_t lower(int64_t a, int64_t b) { return a < b ? a : b; }

static void lists(adjoinable_item *item, const parts *all) {
  int64_t k = 0, b = 0, low = INT64_MAX, high = -INT64_MAX;
  for (int64_t i = 0; i < all->n; i++) {
    const int floats = all->kinds[i] == ADMPI_STEP_PART_FLOAT, bytes = all->kinds[i] == ADMPI_STEP_PART_BYTES;
    const int64_t each = bytes ? 1 : floats ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
    low = lower(low, all->offsets[i]);
    high = -lower(-high, -(all->offsets[i] + all->lengths[i] * each));
    if (bytes) item->bytes[b++] = (adjoinable_bytes){all->offsets[i], all->lengths[i]};
    for (int64_t j = 0; !bytes && j < all->lengths[i]; j++)
      item->numbers[k++] = (adjoinable_number_at){all->offsets[i] + j * each, floats};
  }
  item->low = low;
  item->high = high;
}

/* A type of the places of an item, of which numbers have the type `number`. */
static MPI_Datatype places(const adjoinable_item *item, int64_t bytes, MPI_Datatype number) {
  const int lengths[] = {(int)item->n, (int)bytes};
  const MPI_Aint offsets[] = {0, (MPI_Aint)(PLACE * item->n)};
  const MPI_Datatype types[] = {number, MPI_BYTE};
  MPI_Datatype parts, made;
  MPI_Type_create_struct(bytes > 0 ? 2 : 1, lengths, offsets, types, &parts);
  MPI_Type_create_resized(parts, 0, (MPI_Aint)(PLACE * item->places), &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&parts);
  return made;
}

static MPI_Datatype pair_type = MPI_DATATYPE_NULL;

static MPI_Datatype pair(void) {
  if (pair_type == MPI_DATATYPE_NULL) {
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair_type);
    MPI_Type_commit(&pair_type);
  }
  return pair_type;
}

/* Items that were met, by the steps' numbers. */
static adjoinable_item *known;

/* Frees the types and what is known of them: MPI is about to end. */
static int forget_items(MPI_Comm self, int key, void *value, void *state) {
  (void)self, (void)key, (void)value, (void)state;
  for (adjoinable_item *one = known, *next; one != NULL; one = next) {
    next = one->next;
    if (!adjoinable_is_plain(one)) {
      MPI_Type_free(&one->active);
      MPI_Type_free(&one->pairs);
    }
    free(one->numbers);
    free(one->bytes);
    free(one);
  }
  known = NULL;
  if (pair_type != MPI_DATATYPE_NULL) MPI_Type_free(&pair_type);
  return MPI_SUCCESS;
}

static void forget_in_the_end(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_items, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_free_keyval(&key);
}

static adjoinable_item *make(const parts *all, int64_t id, int64_t extent) {
  int64_t n, bytes;
  adjoinable_item *item = malloc(sizeof *item);
  if (item == NULL) return NULL;
  if (known == NULL) forget_in_the_end();
  *item = (adjoinable_item){.id = id, .extent = extent};
  count(all, 0, &n);
  item->n = n;
  item->n_bytes = count(all, 1, &bytes);
  item->numbers = malloc((size_t)(n + 1) * sizeof *item->numbers);
  item->bytes = malloc((size_t)(item->n_bytes + 1) * sizeof *item->bytes);
  if (item->numbers == NULL || item->bytes == NULL) return NULL;
  lists(item, all);
  item->places = n + (bytes + PLACE - 1) / PLACE;
  if (adjoinable_is_plain(item)) {
    item->active = OURS(AMPI_ADOUBLE);
    item->pairs = pair();
    item->id = item->numbers[0].floats ? ADMPI_STEP_ITEM_FLOAT : ADMPI_STEP_ITEM_DOUBLE;
  } else {
    item->active = places(item, bytes, OURS(AMPI_ADOUBLE));
    item->pairs = places(item, bytes, pair());
  }
  item->next = known;
  return known = item;
}

static const adjoinable_item *described(const parts *all, int64_t extent) {
  int64_t id = 0, n;
  if (all->failed || count(all, 0, &n) == 0) return NULL;
  if (admpi_step_item(all->offsets, all->lengths, all->kinds, all->n, extent, &id) != ADMPI_SUCCESS) return NULL;
  for (adjoinable_item *one = known; one != NULL; one = one->next)
    if (one->id == id) return one;
  return make(all, id, extent);
}

static const adjoinable_item *look(MPI_Datatype datatype, int *refused) {
  parts all = {0};
  int64_t extent = 0;
  const adjoinable_item *item = NULL;
  if (admpi_detail_parts(datatype, found, &all, &extent) == MPI_SUCCESS) item = described(&all, extent);
  *refused = all.refused;
  free(all.offsets);
  free(all.lengths);
  free(all.kinds);
  return item;
}

/* What a user's type is: its attribute, which goes with it. */
static int key = MPI_KEYVAL_INVALID;
static const adjoinable_item none, refused_item;

static const adjoinable_item *of_derived(MPI_Datatype datatype) {
  void *told = NULL;
  int is_told = 0, refused = 0;
  if (key == MPI_KEYVAL_INVALID) MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
  MPI_Type_get_attr(datatype, key, &told, &is_told);
  if (is_told) return told;
  const adjoinable_item *item = look(datatype, &refused);
  if (refused) item = &refused_item;
  if (item == NULL) item = &none;
  MPI_Type_set_attr(datatype, key, (void *)item);
  return item;
}

/* Predefined types, whose handles are theirs for ever, and their items. */
enum { MOST = 32 };
static struct {
  MPI_Datatype datatype;
  const adjoinable_item *item;
} told[MOST];
static int n_told;

static const adjoinable_item *of_told(MPI_Datatype datatype) {
  for (int i = 0; i < n_told; i++)
    if (told[i].datatype == datatype) return told[i].item;
  return NULL;
}

static const adjoinable_item *of_named(MPI_Datatype datatype) {
  int refused = 0;
  const adjoinable_item *item = look(datatype, &refused);
  if (refused) item = &refused_item;
  if (item == NULL) item = &none;
  if (n_told < MOST) {
    told[n_told].datatype = datatype;
    told[n_told++].item = item;
  }
  return item;
}

adjoinable_numbers adjoinable_content(MPI_Datatype datatype, const adjoinable_item **item) {
  int n_integers, n_addresses, n_types, combiner;
  if (datatype == MPI_DATATYPE_NULL) return ADJOINABLE_NO_NUMBERS; /* MPI says so */
  *item = of_told(datatype);
  if (*item == NULL) {
    MPI_Type_get_envelope(datatype, &n_integers, &n_addresses, &n_types, &combiner);
    *item = combiner == MPI_COMBINER_NAMED ? of_named(datatype) : of_derived(datatype);
  }
  if (*item == &none) return ADJOINABLE_NO_NUMBERS;
  return *item == &refused_item ? ADJOINABLE_OTHERS : ADJOINABLE_NUMBERS;
}

int adjoinable_is_plain(const adjoinable_item *item) {
  const int64_t bytes = item->numbers[0].floats ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
  return item->n == 1 && item->n_bytes == 0 && item->numbers[0].offset == 0 && item->extent == bytes;
}

static char *place(const adjoinable_item *item, const void *base, int64_t at, int64_t offset) {
  return (char *)base + at * item->extent + offset;
}

double adjoinable_get(const adjoinable_item *item, const void *base, int64_t at, int64_t number) {
  const char *const from = place(item, base, at, item->numbers[number].offset);
  double value;
  float small;
  if (item->numbers[number].floats) {
    memcpy(&small, from, sizeof small);
    return (double)small;
  }
  memcpy(&value, from, sizeof value);
  return value;
}

void adjoinable_put(const adjoinable_item *item, void *base, int64_t at, int64_t number, double value) {
  char *const to = place(item, base, at, item->numbers[number].offset);
  const float small = (float)value;
  if (item->numbers[number].floats)
    memcpy(to, &small, sizeof small);
  else
    memcpy(to, &value, sizeof value);
}

void adjoinable_bytes_out(const adjoinable_item *item, const void *base, int64_t at, void *to) {
  char *end = to;
  for (int64_t i = 0; i < item->n_bytes; end += item->bytes[i++].n)
    memcpy(end, place(item, base, at, item->bytes[i].offset), (size_t)item->bytes[i].n);
}

void adjoinable_bytes_in(const adjoinable_item *item, void *base, int64_t at, const void *from) {
  const char *end = from;
  for (int64_t i = 0; i < item->n_bytes; end += item->bytes[i++].n)
    memcpy(place(item, base, at, item->bytes[i].offset), end, (size_t)item->bytes[i].n);
}

int64_t adjoinable_bytes_of(const adjoinable_item *item, int64_t n) {
  const int64_t others = n > 0 ? (n - 1) * item->extent : 0;
  return item->high - item->low + (others < 0 ? -others : others);
}

void *adjoinable_items(const adjoinable_item *item, int64_t n, void **room) {
  const int64_t back = n > 0 && item->extent < 0 ? (n - 1) * item->extent : 0;
  *room = calloc((size_t)adjoinable_bytes_of(item, n) + 1, 1);
  return *room == NULL ? NULL : (char *)*room - item->low - back;
}
