//! Activity maps: which doubles of a datatype are active, found by the type's structure.
//!
//! `AMPI_ADOUBLE` is `resized(resized(MPI_DOUBLE, 0, MAGIC), 0, 16)`: to MPI it describes the value of an
//! active double, and the inner extent makes it recognisable inside any type that is built from it.
//! `AMPI_ADOUBLE_INT` is a structure of one and an int, as `MPI_DOUBLE_INT` is, and moved as any structure with passive
//! parts; reductions know it by its handle.
#![forbid(unsafe_code)]

pub mod bundle;
mod flatten;

use crate::mpi::types::Made;
use crate::mpi::{Datatype, Handle, Layout, Map, Other, Outcome, TypeAttribute};
use flatten::Detail;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An extent that no other type has: "admpi" in letters' numbers, and odd.
pub const MAGIC: i64 = 0x61_64_6d_70_69;
/// Bytes of an active double.
pub const ACTIVE_EXTENT: i64 = 16;
/// The same mark of `AMPI_VARMAT` and `AMPI_VIEW`: "matrix".
pub const MATRIX_MAGIC: i64 = 0x6d_61_74_72_69_78 | 1;
/// Bytes of an active double and an index.
const PAIR_EXTENT: i64 = 24;

/// What is known of a type: the attribute's number, and the cache's.
const PASSIVE: usize = 1;
const FIRST_LAYOUT: usize = 2;

/// The layouts of the active types that live, by attribute number less `FIRST_LAYOUT`.
static LAYOUTS: Mutex<Vec<Option<Layout>>> = Mutex::new(Vec::new());
static ATTRIBUTE: Mutex<Option<TypeAttribute>> = Mutex::new(None);
static LOOKING: Mutex<()> = Mutex::new(());
/// Counts the types that went: a handle may mean another type after that.
static GENERATION: AtomicU64 = AtomicU64::new(1);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes `AMPI_ADOUBLE` and its kin. Done once, when the library is initialised.
pub fn install() -> Outcome<()> {
    let attribute = TypeAttribute::new(forget)?;
    let inner = Datatype::double().resized(MAGIC)?;
    let active = inner.resized(ACTIVE_EXTENT)?.commit()?;
    inner.free()?;
    active.set_name(c"AMPI_ADOUBLE")?;
    *lock(&ATTRIBUTE) = Some(attribute);
    // Types that were looked at before bear no mark, so nothing tells when their handles mean others.
    GENERATION.fetch_add(1, Ordering::Relaxed);
    active.set_active_double();
    let pair = bundle::pair(active, PAIR_EXTENT)?;
    pair.set_name(c"AMPI_ADOUBLE_INT")?;
    pair.set_active_pair();
    let elements = |handle, name| {
        let inner = Datatype::double().resized(MATRIX_MAGIC)?;
        let made = inner.resized(8)?.commit()?;
        inner.free()?;
        made.set_name(name)?;
        attribute.set(made, remember(Other::Handle(handle).into()))?;
        Ok::<_, crate::mpi::Failure>(made)
    };
    elements(Handle::Matrix, c"AMPI_VARMAT")?.set_of_matrix();
    elements(Handle::View, c"AMPI_VIEW")?.set_of_view();
    Ok(())
}

/// The attribute number of a type with this layout.
fn remember(layout: Layout) -> usize {
    let mut layouts = lock(&LAYOUTS);
    let index = layouts.iter().position(Option::is_none).unwrap_or(layouts.len());
    if index == layouts.len() {
        layouts.push(None);
    }
    layouts[index] = Some(layout);
    index + FIRST_LAYOUT
}

/// Frees them. No active buffer can be described afterwards.
pub fn remove() -> Outcome<()> {
    bundle::remove();
    *lock(&ATTRIBUTE) = None;
    GENERATION.fetch_add(1, Ordering::Relaxed);
    let made = [Datatype::active_double(), Datatype::of_matrix(), Datatype::of_view()];
    Datatype::null().set_active_pair();
    Datatype::null().set_active_double();
    Datatype::null().set_of_matrix();
    Datatype::null().set_of_view();
    made.into_iter().filter(|&made| made != Datatype::null()).try_for_each(Datatype::free)
}

/// A type with an attribute of ours was freed.
fn forget(number: usize) {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    if let Some(index) = number.checked_sub(FIRST_LAYOUT)
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

/// How the active doubles of `datatype` lie, or `None` if it has none.
#[inline]
pub fn activity(datatype: Datatype) -> Outcome<Option<Layout>> {
    if datatype == Datatype::active_double() {
        // Before initialisation both are null, and MPI is to say what it thinks of that.
        return Ok((datatype != Datatype::null()).then_some(Layout::Plain));
    }
    Ok(layout_of(remembered(datatype)?))
}

/// How so many `items` of a passive type lie, which travel beside active ones. Described anew for each call: a passive
/// type bears no description.
pub fn passive_layout(datatype: Datatype, items: usize) -> Outcome<Layout> {
    let flat = flatten::describe(datatype, Detail::All)?;
    let whole = i64::try_from(flat.bytes()) == Ok(datatype.size()?);
    let refused = flat.refused.or((!whole).then_some(
        "the datatype is one that the library cannot describe beside active ones; send its items apart",
    ));
    Ok(match refused {
        Some(why) => Other::Refused(why).into(),
        None => {
            let map = Map { pieces: flat.pieces, extent: flat.extent, ..Map::default() };
            Other::Passive(map, items).into()
        }
    })
}

/// The number of a type that is not `AMPI_ADOUBLE`.
fn remembered(datatype: Datatype) -> Outcome<usize> {
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
        return datatype == Datatype::null();
    }
    // The usual passive type needs no look.
    datatype == Datatype::double() || is_known_passive(datatype)
}

#[inline(never)]
fn is_known_passive(datatype: Datatype) -> bool {
    !remembered(datatype).is_ok_and(|number| number != PASSIVE)
}

fn layout_of(number: usize) -> Option<Layout> {
    let index = number.checked_sub(FIRST_LAYOUT)?;
    lock(&LAYOUTS).get(index).cloned().flatten()
}

/// The number of a type, from its attribute or, the first time, from its structure.
#[cold]
fn look_up(datatype: Datatype) -> Outcome<usize> {
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
    if flat.n > 0 && flat.passive && flat.refused.is_none() {
        flat = flatten::flatten(datatype, &contents, Detail::All)?;
        if i64::try_from(flat.bytes()) != Ok(datatype.size()?) {
            flat.refused = flat.refused.or(Some(
                "the datatype has passive parts beside active ones that the library cannot describe; send them apart",
            ));
        }
    }
    let number = match flat.into_layout() {
        None => PASSIVE,
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
        // No items of something active: nothing moves, but a collective counts this member in.
        if self.n == 0 && (self.passive || !self.active) {
            return None;
        }
        let Self { runs, pieces, n, extent, .. } = self;
        Some(Other::Map(Map { runs, extent, n, pieces }).into())
    }
}

/// The datatype of a call under way, which the user may free before the call is through.
pub struct Lasting {
    theirs: Datatype,
    /// A duplicate, and what is known of the user's own while it lives.
    own: Option<(Made, Option<Layout>)>,
}

impl Lasting {
    pub fn of(datatype: Datatype) -> Outcome<Self> {
        let ours = [Datatype::active_double(), Datatype::active_pair()].contains(&datatype)
            || datatype.is_of_elements();
        let own = if ours {
            None
        } else {
            let known = activity(datatype)?;
            Some((Made::duplicate(datatype)?.commit()?, known))
        };
        Ok(Self { theirs: datatype, own })
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
