/* Generated from src/capi/pmap.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_PMAP_H
#define ADMPI_PMAP_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

/**
 * A tree of devices. Inner nodes are maps from keys to nodes, leaves are lists of devices; keys are devices too. Opaque.
 */
typedef struct admpi_device_map admpi_device_map;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a device map of a text: a list of devices such as `[1, 2]`, or a map from keys to lists and maps, such as
 * `{1: [1, 3], 2: [2, 4]}`. Depth is arbitrary, and branches may differ. The devices below a key, with the key itself, are
 * different from those below and at every other key of the same node; below itself a key may stand again.
 * @param text          the text; NULL: a map without devices, to which admpi_device_map_add adds some
 * @param[out] map_out  the map; free it with admpi_device_map_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (not such a text), ADMPI_ERR_EMPTY, ADMPI_ERR_DUP,
 *         ADMPI_ERR_BADDEV, ADMPI_ERR_OVERLAP, ADMPI_ERR_LIMIT (more than 500 levels)
 */
int32_t admpi_device_map_new(const char *text,
                             struct admpi_device_map **map_out);

/**
 * Frees a device map.
 * @param map  NULL is fine
 */
void admpi_device_map_free(struct admpi_device_map *map);

/**
 * Adds a list of devices to a map. Maps on the way to it are made. If that fails, the map is what it was.
 * @param map        a map
 * @param keys       `n_keys` devices: where the list goes; without keys the list is the whole map
 * @param n_keys     how many
 * @param devices    `n_devices` devices
 * @param n_devices  how many
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_EMPTY, ADMPI_ERR_DUP (there are devices already),
 *         ADMPI_ERR_BADDEV, ADMPI_ERR_OVERLAP, ADMPI_ERR_DEPTH (there is a list on the way), ADMPI_ERR_LIMIT
 */
int32_t admpi_device_map_add(struct admpi_device_map *map,
                             const int64_t *keys,
                             int64_t n_keys,
                             const int64_t *devices,
                             int64_t n_devices);

/**
 * Writes a map as a text that admpi_device_map_new reads.
 * @param map            a map
 * @param capacity       room in text_out, in bytes
 * @param[out] text_out  the text and a zero byte, or its beginning, as far as there is room; NULL if capacity is 0
 * @param[out] n_out     bytes of the whole text, with the zero byte
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_device_map_text(const struct admpi_device_map *map,
                              int64_t capacity,
                              char *text_out,
                              int64_t *n_out);

/**
 * Resolves keys: starts at the root of a map, descends one level for each key, and gives the keys of the node it comes to,
 * or the devices of the list, in the order in which they were written.
 * @param map               a map
 * @param keys              a text such as `[0, d]`: devices, and names of device variables. `[]` is the root
 * @param bound             the variables that enclosing pmaps bind, a text such as `d=1, dd=3`; NULL: none
 * @param capacity          room in devices_out
 * @param[out] devices_out  the devices, or the first of them, as far as there is room; NULL if capacity is 0
 * @param[out] n_out        how many devices there are
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_EMPTY (the map has no devices yet),
 *         ADMPI_ERR_BADDEV, ADMPI_ERR_NOKEY, ADMPI_ERR_DEPTH, ADMPI_ERR_UNBOUND
 */
int32_t admpi_device_map_resolve(const struct admpi_device_map *map,
                                 const char *keys,
                                 const char *bound,
                                 int64_t capacity,
                                 int64_t *devices_out,
                                 int64_t *n_out);

/**
 * Says which devices an iteration of a pmap occupies: its device, and all devices below it.
 * @param map               a map
 * @param keys              as for admpi_device_map_resolve
 * @param bound             as for admpi_device_map_resolve
 * @param device            one of the devices that the keys resolve to
 * @param capacity          room in devices_out
 * @param[out] devices_out  the devices, or the first of them, as far as there is room, device itself first; NULL if
 *                          capacity is 0
 * @param[out] n_out        how many devices there are
 * @return as admpi_device_map_resolve; ADMPI_ERR_NOKEY also if the keys do not resolve to device
 */
int32_t admpi_device_map_footprint(const struct admpi_device_map *map,
                                   const char *keys,
                                   const char *bound,
                                   int64_t device,
                                   int64_t capacity,
                                   int64_t *devices_out,
                                   int64_t *n_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_PMAP_H */
