//! Bundles: scalars of several parts that travel as one item, as the value and the derivatives of a tangent do; and
//! datatypes made from `AMPI_ADOUBLE`, with such a scalar in its place.
//!
//! A datatype made anew is kept with the one it was made from. A program that builds its types from
//! `AMPI_ADOUBLE` thus sends tangents by them, with the extents that it would have had it built them for tangents.
#![forbid(unsafe_code)]

use super::activity::{Content, content, require_installed};
use super::lock;
use super::magic::{BUNDLE_MAGIC, COMPLEX_MAGIC, MAGIC};
use crate::error::{Code, Error};
use crate::mpi::raw::constants;
use crate::mpi::types::{Block, Bounds, Made};
use crate::mpi::{Comm, Contents, Datatype, Failure, MpiResult, TypeAttribute, wide_int};
use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::{Mutex, OnceLock};

/// What a type made here consists of.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// So many parts.
    Bundle(c_int),
    /// A part and an `int`, with this extent.
    Pair(i64),
}

/// The types made so far, each with its part.
static MADE: Mutex<Vec<(Kind, Datatype, Made)>> = Mutex::new(Vec::new());

/// What stands in for a type where a scalar does for `AMPI_ADOUBLE`: the type itself if it is made of that scalar.
struct Substitute {
    scalar: Datatype,
    made: Option<Made>,
}

static ATTRIBUTE: OnceLock<TypeAttribute> = OnceLock::new();

struct Table {
    /// The substitutes of each type that has some, by the attribute's number.
    known: Vec<Vec<Substitute>>,
    /// Numbers that no type bears.
    free: Vec<usize>,
    /// Substitutes of types that went. They are freed later: MPI reports a type's end from within its own books.
    gone: Vec<Substitute>,
}

static TABLE: Mutex<Table> =
    Mutex::new(Table { known: Vec::new(), free: Vec::new(), gone: Vec::new() });
/// Two threads that meet a type for the first time must not both mark it.
static LOOKING: Mutex<()> = Mutex::new(());

/// Lists of types by the numbers behind the handles.
type Lists = HashMap<Vec<usize>, Box<[Datatype]>>;

/// MPI may read them as long as it runs.
static LISTS: Mutex<Option<Lists>> = Mutex::new(None);

/// The type of `kind` and `part`, made once. It lives as long as the library.
fn once(
    kind: Kind,
    part: Datatype,
    make: impl FnOnce(i64) -> MpiResult<Made>,
) -> MpiResult<Datatype> {
    require_installed()?;
    if part == Datatype::null() {
        return Err(Error::new(Code::Argument, "part is MPI_DATATYPE_NULL").into());
    }
    let mut all = lock(&MADE);
    if let Some((.., made)) = all.iter().find(|(k, p, _)| (*k, *p) == (kind, part)) {
        return Ok(made.datatype());
    }
    let made = make(part.extent()?.1)?.commit()?;
    let datatype = made.datatype();
    all.push((kind, part, made));
    Ok(datatype)
}

/// The type of a scalar of `n` parts, one behind the other. `part` is predefined, `AMPI_ADOUBLE` or a bundle.
pub fn bundle(n: c_int, part: Datatype) -> MpiResult<Datatype> {
    if n < 1 {
        return Err(Error::new(Code::Argument, format!("parts = {n}, below 1")).into());
    }
    once(Kind::Bundle(n), part, |extent| {
        let all = Made::contiguous(n, part)?;
        Made::marked(all.datatype(), i64::from(n) * extent, BUNDLE_MAGIC)
    })
}

/// The type of a `part`, as above, and an `int` behind it, `extent` bytes in all.
pub fn pair(part: Datatype, extent: i64) -> MpiResult<Datatype> {
    once(Kind::Pair(extent), part, |displacement| {
        let least = displacement + Datatype::int().extent()?.1;
        if extent < least {
            let why = format!("extent = {extent}, but a part and an int take {least} bytes");
            return Err(Error::new(Code::Argument, why).into());
        }
        let both = Made::structure(&[
            Block { length: 1, displacement: 0, datatype: part },
            Block { length: 1, displacement, datatype: Datatype::int() },
        ])?;
        // MPI pads as the compiler does. Explicit bounds would be those of the structures that it is put in.
        if both.datatype().bounds()?.extent() == extent {
            return Ok(both);
        }
        Made::resized(both.datatype(), Bounds { lower: 0, upper: extent })
    })
}

/// Frees all. What was made from a bundle goes too: its handle may come to mean another type.
pub fn remove() {
    let mut table = lock(&TABLE);
    let known: Vec<_> = table.known.iter_mut().flat_map(std::mem::take).collect();
    table.gone.extend(known);
    drop(table);
    free_gone();
    drop(std::mem::take(&mut *lock(&MADE)));
}

/// Freeing a type may report the end of another one, so no lock is held.
fn free_gone() {
    let gone = std::mem::take(&mut lock(&TABLE).gone);
    drop(gone);
}

fn forget(number: usize) {
    let mut table = lock(&TABLE);
    let Some(known) = table.known.get_mut(number).map(std::mem::take) else { return };
    table.gone.extend(known);
    table.free.push(number);
}

/// `datatype` with `scalar`, which is a bundle, in the place of `AMPI_ADOUBLE`.
pub fn with_scalar(datatype: Datatype, scalar: Datatype) -> MpiResult<Datatype> {
    if datatype == scalar || datatype == Datatype::null() {
        return Ok(datatype);
    }
    if datatype == Datatype::active_double() {
        return Ok(scalar);
    }
    let Some(contents) = datatype.contents()? else { return Err(not_of_scalars()) };
    let _alone = lock(&LOOKING);
    free_gone();
    let attribute = attribute()?;
    let number = attribute.get(datatype)?;
    if let Some(known) = number.and_then(|number| known(number, datatype, scalar)) {
        return Ok(known);
    }
    let made = match rebuild(&contents, scalar)? {
        // Nothing in it is lost.
        Rebuilt::Plain if content(datatype) == Content::Untold => return Ok(datatype),
        Rebuilt::Plain => return Err(not_of_scalars()),
        Rebuilt::Scalar => return Ok(scalar),
        Rebuilt::Same => None,
        Rebuilt::New(made) => Some(made.commit()?),
    };
    let number = match number {
        Some(number) => number,
        None => mark(attribute, datatype)?,
    };
    let result = made.as_ref().map_or(datatype, Made::datatype);
    lock(&TABLE).known[number].push(Substitute { scalar, made });
    Ok(result)
}

/// How many peers a call has an argument for: the sources (1) or the destinations (2) of the topology of `comm`,
/// or (0) its ranks.
pub fn number_of_peers(which: c_int, comm: Comm) -> MpiResult<usize> {
    Ok(wide_int(match which {
        1 => comm.degrees()?.0,
        2 => comm.degrees()?.1,
        _ => comm.partners()?,
    }))
}

/// `with_scalar` for the types of peers; where nothing moves the type may be anything and becomes the scalar's. The
/// list lives as long as the program, since a nonblocking call may read it until it completes; equal lists are one.
pub fn list_with_scalar(
    unused: impl Iterator<Item = bool>,
    datatypes: &[Datatype],
    scalar: Datatype,
) -> MpiResult<*const Datatype> {
    let list: MpiResult<Box<[Datatype]>> = unused
        .zip(datatypes)
        .map(|(unused, &datatype)| if unused { Ok(scalar) } else { with_scalar(datatype, scalar) })
        .collect();
    let list = list?;
    let keys = list.iter().map(|datatype| datatype.key()).collect();
    let mut lists = lock(&LISTS);
    Ok(lists.get_or_insert_default().entry(keys).or_insert(list).as_ptr())
}

fn attribute() -> MpiResult<TypeAttribute> {
    if let Some(&attribute) = ATTRIBUTE.get() {
        return Ok(attribute);
    }
    let made = TypeAttribute::new(forget)?;
    Ok(*ATTRIBUTE.get_or_init(|| made))
}

/// Gives a type a number.
fn mark(attribute: TypeAttribute, datatype: Datatype) -> MpiResult<usize> {
    let number = {
        let mut table = lock(&TABLE);
        table.free.pop().unwrap_or_else(|| {
            table.known.push(Vec::new());
            table.known.len() - 1
        })
    };
    attribute.set(datatype, number)?;
    Ok(number)
}

fn known(number: usize, datatype: Datatype, scalar: Datatype) -> Option<Datatype> {
    let table = lock(&TABLE);
    let found = table.known.get(number)?.iter().find(|known| known.scalar == scalar)?;
    Some(found.made.as_ref().map_or(datatype, Made::datatype))
}

enum Rebuilt {
    /// There is neither `AMPI_ADOUBLE` nor the scalar in it.
    Plain,
    /// It is `AMPI_ADOUBLE`.
    Scalar,
    /// It is made of the scalar already.
    Same,
    New(Made),
}

/// The type that was made as `contents` tells, with `scalar` in the place of `AMPI_ADOUBLE`.
fn rebuild(contents: &Contents, scalar: Datatype) -> MpiResult<Rebuilt> {
    if contents.is_marked(MAGIC)? {
        return Ok(Rebuilt::Scalar);
    }
    if contents.is_marked(BUNDLE_MAGIC)? {
        let wanted = scalar.contents()?;
        return match wanted {
            Some(wanted) if same(contents, &wanted)? => Ok(Rebuilt::Same),
            _ => Err(unfit("the datatype is of another scalar than the buffer's tangents")),
        };
    }
    if contents.is_marked(COMPLEX_MAGIC)? {
        return Made::contiguous(2, scalar).map(Rebuilt::New);
    }
    let rebuilt: MpiResult<Vec<Rebuilt>> = contents
        .datatypes
        .iter()
        .map(|part| match part.datatype().contents()? {
            Some(inner) => rebuild(&inner, scalar),
            None => Ok(Rebuilt::Plain),
        })
        .collect();
    let rebuilt = rebuilt?;
    if rebuilt.iter().all(|part| matches!(part, Rebuilt::Plain)) {
        return Ok(Rebuilt::Plain);
    }
    if rebuilt.iter().all(|part| matches!(part, Rebuilt::Plain | Rebuilt::Same)) {
        return Ok(Rebuilt::Same);
    }
    let parts: Vec<Datatype> = contents
        .datatypes
        .iter()
        .zip(&rebuilt)
        .map(|(part, rebuilt)| match rebuilt {
            Rebuilt::Plain | Rebuilt::Same => part.datatype(),
            Rebuilt::Scalar => scalar,
            Rebuilt::New(made) => made.datatype(),
        })
        .collect();
    construct(contents, &parts).map(Rebuilt::New)
}

/// What the combiner makes of `parts` in the place of its own.
fn construct(contents: &Contents, parts: &[Datatype]) -> MpiResult<Made> {
    let kinds = constants();
    let (combiner, i, a, of) =
        (contents.combiner, &contents.integers, &contents.addresses, parts[0]);
    let extent = of.extent()?.1;
    let places = |items: &[c_int]| -> Vec<i64> {
        items.iter().map(|&item| i64::from(item) * extent).collect()
    };
    let lengths = |n: usize| vec![i[1]; n];
    if combiner == kinds.dup {
        Made::duplicate(of)
    } else if combiner == kinds.resized {
        Made::resized(of, Bounds { lower: a[0], upper: a[0] + a[1] })
    } else if combiner == kinds.contiguous {
        Made::contiguous(i[0], of)
    } else if combiner == kinds.vector {
        Made::hvector(i[0], i[1], i64::from(i[2]) * extent, of)
    } else if combiner == kinds.hvector {
        Made::hvector(i[0], i[1], a[0], of)
    } else if combiner == kinds.indexed {
        let (lengths, items) = i[1..].split_at(wide_int(i[0]));
        Made::hindexed(lengths, &places(items), of)
    } else if combiner == kinds.hindexed {
        Made::hindexed(&i[1..], a, of)
    } else if combiner == kinds.indexed_block {
        Made::hindexed(&lengths(i.len() - 2), &places(&i[2..]), of)
    } else if combiner == kinds.hindexed_block {
        Made::hindexed(&lengths(a.len()), a, of)
    } else if combiner == kinds.structure {
        let blocks = i[1..].iter().zip(a).zip(parts);
        let blocks: Vec<Block> = blocks
            .map(|((&length, &displacement), &datatype)| Block { length, displacement, datatype })
            .collect();
        Made::structure(&blocks)
    } else if combiner == kinds.subarray {
        Made::subarray(i, of)
    } else if combiner == kinds.darray {
        Made::darray(i, of)
    } else {
        Err(unfit(
            "the datatype's constructor is not one of MPI-3.1's for C: make the datatype from admpi::mpi_type of the tangents",
        ))
    }
}

/// Whether two types were made in the same way.
fn same(one: &Contents, other: &Contents) -> MpiResult<bool> {
    if one.combiner != other.combiner
        || one.integers != other.integers
        || one.addresses != other.addresses
        || one.datatypes.len() != other.datatypes.len()
    {
        return Ok(false);
    }
    for (one, other) in one.datatypes.iter().zip(&other.datatypes) {
        let (one, other) = (one.datatype(), other.datatype());
        let alike = match (one.contents()?, other.contents()?) {
            (None, None) => one == other,
            (Some(one), Some(other)) => same(&one, &other)?,
            _ => false,
        };
        if !alike {
            return Ok(false);
        }
    }
    Ok(true)
}

fn unfit(why: &str) -> Failure {
    Error::new(Code::Unsupported, why).into()
}

#[cold]
fn not_of_scalars() -> Failure {
    unfit(
        "the buffer is of admpi::tangent and the datatype is not: its derivatives would be lost; use AMPI_ADOUBLE or admpi::mpi_type",
    )
}
