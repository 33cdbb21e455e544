//! The C interface of device maps. `include/admpi/pmap.h` is generated from this file.

use super::{array, array_mut, entry, free, get, give_handle, null, put};
use crate::count::{as_c, from_c};
use crate::error::{Code, Error, Result};
use crate::pmap::{DeviceMap, Environment, Keys};
use std::ffi::{CStr, c_char};

/// A tree of devices. Inner nodes are maps from keys to nodes, leaves are lists of devices; keys are devices too. Opaque.
#[allow(non_camel_case_types)]
pub struct admpi_device_map(pub(super) DeviceMap);

/// A text that C passed; NULL is `absent`, if that is allowed.
///
/// # Safety
/// `text` is NULL or a string.
pub(super) unsafe fn text<'a>(
    name: &str,
    text: *const c_char,
    absent: Option<&'a str>,
) -> Result<&'a str> {
    if text.is_null() {
        return absent.ok_or_else(|| null(name));
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_err(|_| Error::new(Code::Argument, format!("{name} is not UTF-8")))
}

/// Writes as many elements as there is room for, and how many there are.
///
/// # Safety
/// `out` is NULL or has room for `capacity` elements; `n_out` is NULL or may be written to.
unsafe fn put_some<T: Copy>(
    (name, out): (&str, *mut T),
    capacity: i64,
    n_out: *mut i64,
    make: impl FnOnce() -> Result<Vec<T>>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        let room = array_mut(name, out, from_c("capacity", capacity)?)?;
        put("n_out", n_out, || {
            let all = make()?;
            for (to, from) in room.iter_mut().zip(&all) {
                *to = *from;
            }
            Ok(as_c(all.len()))
        })
    }
}

/// Makes a device map of a text: a list of devices such as `[1, 2]`, or a map from keys to lists and maps, such as
/// `{1: [1, 3], 2: [2, 4]}`. Depth is arbitrary, and branches may differ. The devices below a key, with the key itself, are
/// different from those below and at every other key of the same node; below itself a key may stand again.
/// @param text          the text; NULL: a map without devices, to which admpi_device_map_add adds some
/// @param[out] map_out  the map; free it with admpi_device_map_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (not such a text), ADMPI_ERR_EMPTY, ADMPI_ERR_DUP,
///         ADMPI_ERR_BADDEV, ADMPI_ERR_OVERLAP, ADMPI_ERR_LIMIT (more than 500 levels)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_device_map_new(
    text: *const c_char,
    map_out: *mut *mut admpi_device_map,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("map_out", map_out), || {
            if text.is_null() {
                return Ok(admpi_device_map(DeviceMap::empty()));
            }
            DeviceMap::parse(self::text("text", text, None)?).map(admpi_device_map)
        })
    }
}

/// Frees a device map.
/// @param map  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_device_map_free(map: *mut admpi_device_map) {
    // SAFETY: as the C contract says.
    unsafe { free(map) }
}

/// Adds a list of devices to a map. Maps on the way to it are made. If that fails, the map is what it was.
/// @param map        a map
/// @param keys       `n_keys` devices: where the list goes; without keys the list is the whole map
/// @param n_keys     how many
/// @param devices    `n_devices` devices
/// @param n_devices  how many
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_EMPTY, ADMPI_ERR_DUP (there are devices already),
///         ADMPI_ERR_BADDEV, ADMPI_ERR_OVERLAP, ADMPI_ERR_DEPTH (there is a list on the way), ADMPI_ERR_LIMIT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_device_map_add(
    map: *mut admpi_device_map,
    keys: *const i64,
    n_keys: i64,
    devices: *const i64,
    n_devices: i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let map = map.as_mut().ok_or_else(|| null("map"))?;
        let keys = array("keys", keys, from_c("n_keys", n_keys)?)?;
        map.0.add(keys, array("devices", devices, from_c("n_devices", n_devices)?)?)
    })
}

/// Writes a map as a text that admpi_device_map_new reads.
/// @param map            a map
/// @param capacity       room in text_out, in bytes
/// @param[out] text_out  the text and a zero byte, or its beginning, as far as there is room; NULL if capacity is 0
/// @param[out] n_out     bytes of the whole text, with the zero byte
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_device_map_text(
    map: *const admpi_device_map,
    capacity: i64,
    text_out: *mut c_char,
    n_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let text = get("map", map)?.0.to_string();
        put_text(&text, capacity, text_out, n_out)
    })
}

/// # Safety
/// As for `put_some`.
pub(super) unsafe fn put_text(
    text: &str,
    capacity: i64,
    text_out: *mut c_char,
    n_out: *mut i64,
) -> Result<()> {
    let bytes = || Ok(text.bytes().chain([0]).map(u8::cast_signed).collect());
    // SAFETY: the caller's promise; a character is a byte.
    unsafe { put_some(("text_out", text_out.cast::<i8>()), capacity, n_out, bytes) }
}

/// Resolves keys: starts at the root of a map, descends one level for each key, and gives the keys of the node it comes to,
/// or the devices of the list, in the order in which they were written.
/// @param map               a map
/// @param keys              a text such as `[0, d]`: devices, and names of device variables. `[]` is the root
/// @param bound             the variables that enclosing pmaps bind, a text such as `d=1, dd=3`; NULL: none
/// @param capacity          room in devices_out
/// @param[out] devices_out  the devices, or the first of them, as far as there is room; NULL if capacity is 0
/// @param[out] n_out        how many devices there are
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_EMPTY (the map has no devices yet),
///         ADMPI_ERR_BADDEV, ADMPI_ERR_NOKEY, ADMPI_ERR_DEPTH, ADMPI_ERR_UNBOUND
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_device_map_resolve(
    map: *const admpi_device_map,
    keys: *const c_char,
    bound: *const c_char,
    capacity: i64,
    devices_out: *mut i64,
    n_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let map = get("map", map)?;
        let keys = Keys::parse(text("keys", keys, None)?)?;
        let bound = Environment::parse(text("bound", bound, Some(""))?)?;
        put_some(("devices_out", devices_out), capacity, n_out, || map.0.resolve(&keys, &bound))
    })
}

/// Says which devices an iteration of a pmap occupies: its device, and all devices below it.
/// @param map               a map
/// @param keys              as for admpi_device_map_resolve
/// @param bound             as for admpi_device_map_resolve
/// @param device            one of the devices that the keys resolve to
/// @param capacity          room in devices_out
/// @param[out] devices_out  the devices, or the first of them, as far as there is room, device itself first; NULL if
///                          capacity is 0
/// @param[out] n_out        how many devices there are
/// @return as admpi_device_map_resolve; ADMPI_ERR_NOKEY also if the keys do not resolve to device
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_device_map_footprint(
    map: *const admpi_device_map,
    keys: *const c_char,
    bound: *const c_char,
    device: i64,
    capacity: i64,
    devices_out: *mut i64,
    n_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let map = get("map", map)?;
        let keys = Keys::parse(text("keys", keys, None)?)?;
        let bound = Environment::parse(text("bound", bound, Some(""))?)?;
        put_some(("devices_out", devices_out), capacity, n_out, || {
            map.0.footprint(&keys, &bound, device)
        })
    })
}
