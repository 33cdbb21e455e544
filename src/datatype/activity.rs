//! Which types are active, and how their doubles lie: found once, and remembered.
#![forbid(unsafe_code)]

use super::flatten::{self, Detail, Nest};
use super::layout::{Foreign, Layout, Map, Other, Precision};
use super::lock;
use crate::error::{Code, Error};
use crate::mpi::types::Made;
use crate::mpi::{Datatype, MpiResult, TypeAttribute};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What is known of a type: the attribute's number, and the cache's. Added to each: `BUNDLED`.
const PASSIVE: usize = 2;
const UNTOLD: usize = 4;
const FIRST_LAYOUT: usize = 6;
/// The type is built from a bundle.
const BUNDLED: usize = 1;

/// What a datatype says of its elements, by what it is built from: whether it has any does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// It names no type, as a structure of no blocks: it has no elements, and could be of any.
    Untold,
    Passive,
    Active,
}

/// The layouts of the active types that live, by half of the attribute number less `FIRST_LAYOUT`.
static LAYOUTS: Mutex<Vec<Option<Layout>>> = Mutex::new(Vec::new());
static ATTRIBUTE: Mutex<Option<TypeAttribute>> = Mutex::new(None);
static LOOKING: Mutex<()> = Mutex::new(());
/// Counts the types that went: a handle may mean another type after that.
static GENERATION: AtomicU64 = AtomicU64::new(1);

/// The attribute number of a type with this layout.
pub(super) fn remember(layout: Layout) -> usize {
    let mut layouts = lock(&LAYOUTS);
    let index = layouts.iter().position(Option::is_none).unwrap_or(layouts.len());
    if index == layouts.len() {
        layouts.push(None);
    }
    layouts[index] = Some(layout);
    2 * index + FIRST_LAYOUT
}

/// From now on active types are known by an attribute, which is told.
pub(super) fn begin() -> MpiResult<TypeAttribute> {
    let attribute = TypeAttribute::new(forget)?;
    *lock(&ATTRIBUTE) = Some(attribute);
    // Types that were looked at before bear no mark, so nothing tells when their handles mean others.
    GENERATION.fetch_add(1, Ordering::Relaxed);
    Ok(attribute)
}

/// No active buffer can be described from now on.
pub(super) fn end() {
    *lock(&ATTRIBUTE) = None;
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// A type with an attribute of ours was freed.
fn forget(number: usize) {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    if let Some(index) = index_of(number)
        && let Some(slot) = lock(&LAYOUTS).get_mut(index)
    {
        *slot = None;
    }
}

/// A few types that this thread used lately: predefined ones in the first place, which carry no attribute.
const REMEMBERED: usize = 8;

#[derive(Clone, Copy)]
struct Remembered {
    generation: u64,
    key: usize,
    number: usize,
}

thread_local! {
    static LATELY: [Cell<Remembered>; REMEMBERED] =
        const { [const { Cell::new(Remembered { generation: 0, key: 0, number: 0 }) }; REMEMBERED] };
}

/// Whether there are active types: from initialisation to the library's end.
#[inline]
pub fn is_installed() -> bool {
    Datatype::active_double() != Datatype::null()
}

/// What active data run into before that, and after it.
#[cold]
pub fn not_initialised() -> Error {
    Error::new(
        Code::Mpi,
        "the library is not initialised, so AMPI_ADOUBLE is MPI_DATATYPE_NULL: call AMPI_Init instead of MPI_Init, or \
         admpi_init(MPI_COMM_WORLD) after it",
    )
}

/// An error before initialisation.
pub fn require_installed() -> MpiResult<()> {
    if is_installed() { Ok(()) } else { Err(not_initialised().into()) }
}

/// How the active doubles of `datatype` lie, or `None` if it has none.
#[inline]
pub fn activity(datatype: Datatype) -> MpiResult<Option<Layout>> {
    if datatype == Datatype::active_double() {
        return require_installed().map(|()| Some(Layout::Plain));
    }
    Ok(layout_of(remembered(datatype)?))
}

/// How the active values of so many `items` lie, or `None` if `datatype` has none. Where it is active by name alone, all that
/// is there is passive.
pub fn active_layout(datatype: Datatype, items: usize) -> MpiResult<Option<Layout>> {
    match activity(datatype)? {
        Some(layout) if layout.is_hollow() => passive_layout(datatype, items).map(Some),
        layout => Ok(layout),
    }
}

/// How so many `items` of a passive type lie, which travel beside active ones. Described anew for each call: a passive
/// type bears no description.
pub fn passive_layout(datatype: Datatype, items: usize) -> MpiResult<Layout> {
    let map = passive_map(datatype)?;
    Ok(map.map_or_else(|why| Other::Refused(why).into(), |map| Other::Passive(map, items).into()))
}

/// The parts of a passive type, or why they cannot be described.
fn passive_map(datatype: Datatype) -> MpiResult<Result<Map, &'static str>> {
    let flat = flatten::describe(datatype, Detail::All)?;
    let whole = i64::try_from(flat.bytes()) == Ok(datatype.size()?);
    let refused = flat.refused.or((!whole).then_some(
        "the library cannot describe this datatype beside active ones; send its items separately",
    ));
    let map = Map { pieces: flat.pieces, extent: flat.extent, ..Map::default() };
    Ok(refused.map_or(Ok(map), Err))
}

thread_local! {
    /// The tangents that this thread asked for last, by generation and key.
    static TANGENTS: RefCell<Option<(u64, usize, Layout, Nest)>> = const { RefCell::new(None) };
}

/// How items of passive tangents lie, and what numbers one has, unless tangents differ or numbers lie beside them. A call asks
/// for those of the origin and of the target, which mostly are of one type.
pub fn tangents(datatype: Datatype) -> MpiResult<(Layout, Nest)> {
    let now = (GENERATION.load(Ordering::Relaxed), datatype.key());
    let known = |last: &Option<(u64, usize, Layout, Nest)>| match last {
        Some((generation, key, layout, nest)) if (*generation, *key) == now => {
            Some((layout.clone(), *nest))
        }
        _ => None,
    };
    if let Some(known) = TANGENTS.with_borrow(known) {
        return Ok(known);
    }
    let (layout, nest) = describe_tangents(datatype)?;
    TANGENTS.set(Some((now.0, now.1, layout.clone(), nest)));
    Ok((layout, nest))
}

fn describe_tangents(datatype: Datatype) -> MpiResult<(Layout, Nest)> {
    let flat = flatten::describe(datatype, Detail::Named)?;
    let is_double = |named: &flatten::Named| named.datatype == Datatype::double();
    let nest = if 8 * flat.bundled == datatype.size()? { flat.nest } else { Nest::UNTOLD };
    if !flat.named.iter().all(is_double) {
        let why = "the datatype has more than tangents of doubles and doubles in it";
        return Ok((Other::Refused(why).into(), nest));
    }
    let map = passive_map(datatype)?;
    let layout = map.map_or_else(|why| Other::Refused(why).into(), |map| Other::Map(map).into());
    Ok((layout, nest))
}

/// What numbers an item of active tangents has. None is told of tangents of floats.
pub fn active_tangents(datatype: Datatype) -> MpiResult<Nest> {
    let flat = flatten::describe(datatype, Detail::Active)?;
    let is_whole = usize::try_from(flat.bundled) == Ok(flat.n) && !flat.floats;
    Ok(if is_whole { flat.nest } else { Nest::UNTOLD })
}

/// The number of a type that is not `AMPI_ADOUBLE`.
fn remembered(datatype: Datatype) -> MpiResult<usize> {
    let key = datatype.key();
    // Handles are aligned pointers or small numbers: mix both ends.
    let slot = (key ^ (key >> 4) ^ (key >> 9)) % REMEMBERED;
    let generation = GENERATION.load(Ordering::Relaxed);
    let known = LATELY.with(|lately| lately[slot].get());
    if known.generation == generation && known.key == key {
        return Ok(known.number);
    }
    let number = look_up(datatype)?;
    LATELY.with(|lately| lately[slot].set(Remembered { generation, key, number }));
    Ok(number)
}

/// Whether `datatype` holds no active double. What MPI refuses to describe is left to MPI's own call.
#[inline(always)]
pub fn is_passive(datatype: Datatype) -> bool {
    if datatype == Datatype::active_double() {
        return false;
    }
    // The usual passive type needs no look.
    datatype == Datatype::double() || is_known_passive(datatype)
}

/// As `is_passive`, of the buffer of a message: packed bytes may hold what `AMPI_Pack` has put there.
#[inline(always)]
pub fn is_passive_message(datatype: Datatype) -> bool {
    if datatype == Datatype::active_double() {
        return false;
    }
    datatype == Datatype::double() || is_unpacked_passive(datatype)
}

#[inline(never)]
fn is_unpacked_passive(datatype: Datatype) -> bool {
    datatype != Datatype::packed() && is_known_passive(datatype)
}

#[inline(never)]
fn is_known_passive(datatype: Datatype) -> bool {
    content(datatype) != Content::Active
}

/// What `datatype` says. What MPI refuses to describe is left to MPI's own call.
#[inline]
pub fn content(datatype: Datatype) -> Content {
    // Also before initialisation, when both are null: the call is to say so.
    if datatype == Datatype::active_double() {
        return Content::Active;
    }
    if datatype == Datatype::double() {
        return Content::Passive;
    }
    match remembered(datatype) {
        Ok(UNTOLD) => Content::Untold,
        Ok(number) if number >= FIRST_LAYOUT => Content::Active,
        _ => Content::Passive,
    }
}

/// Whether `datatype` is built from a bundle: whether it describes tangents.
#[inline]
pub fn is_of_bundles(datatype: Datatype) -> bool {
    datatype != Datatype::active_double()
        && datatype != Datatype::double()
        && remembered(datatype).is_ok_and(|number| number & BUNDLED != 0)
}

/// Whether `datatype` is built from `AMPI_ADOUBLE_COMPLEX`.
#[inline]
pub fn is_of_complex(datatype: Datatype) -> bool {
    datatype != Datatype::active_double()
        && matches!(activity(datatype), Ok(Some(Layout::Other(layout))) if layout.is_complex())
}

/// What the active values of `datatype` are; none if it has none.
pub fn precision(datatype: Datatype) -> Option<Precision> {
    match activity(datatype) {
        Ok(Some(Layout::Plain)) => Some(Precision::Double),
        Ok(Some(Layout::Other(other))) => match &*other {
            Other::Map(map) => map.precision(),
            _ => None,
        },
        _ => None,
    }
}

fn index_of(number: usize) -> Option<usize> {
    Some(number.checked_sub(FIRST_LAYOUT)? / 2)
}

fn layout_of(number: usize) -> Option<Layout> {
    lock(&LAYOUTS).get(index_of(number)?).cloned().flatten()
}

/// The number of a type, from its attribute or, the first time, from its structure.
#[cold]
fn look_up(datatype: Datatype) -> MpiResult<usize> {
    let attribute = *lock(&ATTRIBUTE);
    let Some(attribute) = attribute else { return Ok(PASSIVE) };
    if datatype == Datatype::null() {
        return Ok(PASSIVE);
    }
    let Some(contents) = datatype.contents()? else { return Ok(PASSIVE) };
    // Two threads that meet the same type for the first time must not both mark it.
    let _alone = lock(&LOOKING);
    if let Some(number) = attribute.get(datatype)? {
        return Ok(number);
    }
    let mut flat = flatten::flatten(datatype, &contents, Detail::Active)?;
    if flat.active && (flat.passive || flat.floats) && flat.tool.is_none() && flat.refused.is_none()
    {
        flat = flatten::flatten(datatype, &contents, Detail::All)?;
        if i64::try_from(flat.bytes()) != Ok(datatype.size()?) {
            flat.refused = flat.refused.or(Some(
                "the datatype has passive parts beside active ones that the library cannot describe; send them separately",
            ));
        }
    }
    let unknown = if flat.told { PASSIVE } else { UNTOLD };
    let bundled = if flat.nest.is_none() { 0 } else { BUNDLED };
    let number = bundled
        + match flat.into_layout() {
            None => unknown,
            Some(layout) => remember(layout),
        };
    attribute.set(datatype, number)?;
    Ok(number)
}

impl flatten::Flat {
    fn into_layout(self) -> Option<Layout> {
        if let Some(why) = self.refused {
            return Some(Other::Refused(why).into());
        }
        if let Some(tool) = self.tool {
            let Self { runs, n, extent, .. } = self;
            return Some(Other::Foreign(Foreign { tool, runs, extent, n }).into());
        }
        // Without items of something active no derivative moves, but a collective counts this member in.
        if !self.active {
            return None;
        }
        let Self { runs, pieces, n, extent, complex, .. } = self;
        Some(Other::Map(Map { runs, extent, n, pieces, complex }).into())
    }
}

/// The datatype of a call under way, which the user may free before the call is through.
pub struct Lasting {
    theirs: Datatype,
    /// A duplicate, and what is known of the user's own while it lives.
    own: Option<(Made, Option<Layout>)>,
}

impl Lasting {
    pub fn of(datatype: Datatype) -> MpiResult<Self> {
        let ours = [
            Datatype::active_double(),
            Datatype::active_pair(),
            Datatype::active_complex(),
            Datatype::active_float(),
            Datatype::active_float_pair(),
            Datatype::active_float_complex(),
        ]
        .contains(&datatype)
            || datatype.is_of_elements();
        let own = if ours {
            None
        } else {
            let known = activity(datatype)?;
            Some((Made::duplicate(datatype)?.commit()?, known))
        };
        Ok(Self { theirs: datatype, own })
    }

    /// One of the library's, or a handle that nobody frees.
    pub fn own(&self) -> Datatype {
        self.own.as_ref().map_or(self.theirs, |(made, _)| made.datatype())
    }

    /// The user's handle while it lives, for functions of the user's that compare it; else one of the library's.
    pub fn now(&self) -> Datatype {
        match &self.own {
            Some((made, Some(Layout::Other(layout)))) if !is_known(layout) => made.datatype(),
            _ => self.theirs,
        }
    }
}

/// Whether the type that `layout` was made for lives.
fn is_known(layout: &Arc<Other>) -> bool {
    let layouts = lock(&LAYOUTS);
    layouts
        .iter()
        .any(|known| matches!(known, Some(Layout::Other(other)) if Arc::ptr_eq(layout, other)))
}
