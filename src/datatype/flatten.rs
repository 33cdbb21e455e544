//! Walking a datatype's envelope and contents down to runs of active doubles.
#![forbid(unsafe_code)]

use super::layout::{Element, Piece, Run, wide_bytes};
use super::magic::{
    ACTIVE_EXTENT, BUNDLE_MAGIC, COMPLEX_MAGIC, FLOAT_MAGIC, MAGIC, MATRIX_MAGIC, tool_of,
};
use crate::foreign::Tool;
use crate::mpi::dimension::{self, Distribution, Range};
use crate::mpi::raw::constants;
use crate::mpi::{Contents, Datatype, MpiResult, wide_int};
use std::ffi::c_int;

/// Whether passive parts are described too, or only noticed: of passive types, which may be large, nothing else is
/// asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Active,
    All,
    /// Which predefined types a passive type is built from.
    Named,
}

/// Items of a predefined type, one behind the other.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    pub datatype: Datatype,
    pub offset: i64,
    pub n: i64,
    /// Bytes from one to the next.
    pub extent: i64,
}

/// The parts of a bundle, which may be bundles themselves: how many there are, the outermost ones in the lowest byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Nest(u64);

impl Nest {
    /// Of bundles that differ, or that are too large to be told.
    pub const UNTOLD: Self = Self(u64::MAX);
    /// A number by itself.
    pub const NUMBER: Self = Self(1);

    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    pub fn is_told(self) -> bool {
        self != Self::UNTOLD
    }

    /// From the outermost parts on.
    pub fn levels(self) -> impl Iterator<Item = usize> {
        self.0.to_le_bytes().into_iter().map(usize::from).take_while(|&parts| parts > 0)
    }

    /// Numbers of one item.
    pub fn numbers(self) -> usize {
        self.levels().product()
    }

    fn around(self, numbers: i64) -> Self {
        let inner = i64::try_from(self.numbers()).unwrap_or(i64::MAX);
        match u8::try_from(numbers / inner) {
            Ok(parts) if self.0 >> 56 == 0 => Self(self.0 << 8 | u64::from(parts)),
            _ => Self::UNTOLD,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self.is_none(), other.is_none()) {
            (true, _) => other,
            (false, false) if self != other => Self::UNTOLD,
            _ => self,
        }
    }

    pub const fn word(self) -> u64 {
        self.0
    }

    pub const fn of_word(word: u64) -> Self {
        Self(word)
    }
}

/// A type's active doubles, in the order of its type map.
#[derive(Debug, Clone, Default)]
pub struct Flat {
    pub runs: Vec<Run>,
    /// Active and passive parts, if all are described.
    pub pieces: Vec<Piece>,
    /// Predefined types, if they are told.
    pub named: Vec<Named>,
    pub n: usize,
    pub extent: i64,
    /// It is built from an active type, even one of no items.
    pub active: bool,
    /// It is built from a predefined type or an active one, even one of no items.
    pub told: bool,
    /// The bundle that it is built from, even one of no items.
    pub nest: Nest,
    /// Numbers that are in bundles.
    pub bundled: i64,
    /// It is built from `AMPI_ADOUBLE_COMPLEX`, even one of no items.
    pub complex: bool,
    /// It is built from `AMPI_AFLOAT`, even one of no items.
    pub floats: bool,
    /// The other AD tool whose variables it is built from, even none of them.
    pub tool: Option<&'static Tool>,
    /// Something in it is not active.
    pub passive: bool,
    /// Why the library cannot describe it, although something in it is active.
    pub refused: Option<&'static str>,
}

impl Flat {
    /// A predefined type.
    fn passive(datatype: Datatype, detail: Detail) -> MpiResult<Self> {
        let extent = datatype.extent()?.1;
        let pieces = match detail {
            Detail::Active | Detail::Named => Vec::new(),
            Detail::All => predefined(datatype)?,
        };
        let named =
            (detail == Detail::Named).then_some(Named { datatype, offset: 0, n: 1, extent });
        let named = named.into_iter().collect();
        Ok(Self { told: true, passive: true, pieces, named, extent, ..Self::default() })
    }

    /// An active double or float.
    fn active(element: Element, detail: Detail) -> Self {
        let piece = (detail == Detail::All).then_some(Piece { offset: 0, n: 1, element });
        Self {
            runs: vec![Run { offset: 0, n: 1 }],
            pieces: piece.into_iter().collect(),
            n: 1,
            extent: ACTIVE_EXTENT,
            active: true,
            told: true,
            floats: element == Element::Float,
            ..Self::default()
        }
    }

    /// A variable of another AD tool.
    fn variable(tool: &'static Tool) -> Self {
        Self {
            runs: vec![Run { offset: 0, n: 1 }],
            n: 1,
            extent: wide_bytes(tool.bytes),
            active: true,
            told: true,
            tool: Some(tool),
            ..Self::default()
        }
    }

    /// Bytes from one of its active values to the next.
    fn step(&self) -> i64 {
        self.tool.map_or(ACTIVE_EXTENT, |tool| wide_bytes(tool.bytes))
    }

    /// Takes over what the types that `part` is built from say of it, whether or not it has items of it.
    fn name(&mut self, part: &Self) {
        let tool = self.tool.or(part.tool);
        let of = |one: &Self| one.tool.map(|tool| tool.index);
        if self.refused.is_none()
            && tool.is_some()
            && (self.active && part.active && of(self) != of(part))
        {
            self.refused = Some(MIXED_TOOLS);
        }
        self.tool = tool;
        self.active |= part.active;
        self.told |= part.told;
        self.nest = self.nest.and(part.nest);
        self.complex |= part.complex;
        self.floats |= part.floats;
    }

    /// Appends `part` at `offset`, joining runs that touch.
    fn append(&mut self, part: &Self, offset: i64) {
        let step = part.step();
        for run in &part.runs {
            let at = run.offset + offset;
            let end = |run: &Run| run.offset + step * wide_bytes(run.n);
            match self.runs.last_mut() {
                Some(last) if end(last) == at => last.n += run.n,
                _ => self.runs.push(Run { offset: at, n: run.n }),
            }
        }
        for piece in &part.pieces {
            let offset = piece.offset + offset;
            match self.pieces.last_mut() {
                Some(last) if last.element == piece.element && last.end() == offset => {
                    last.n += piece.n;
                }
                _ => self.pieces.push(Piece { offset, ..*piece }),
            }
        }
        for named in &part.named {
            let offset = named.offset + offset;
            match self.named.last_mut() {
                Some(last)
                    if last.datatype == named.datatype
                        && last.offset + last.n * last.extent == offset =>
                {
                    last.n += named.n;
                }
                _ => self.named.push(Named { offset, ..*named }),
            }
        }
        self.n += part.n;
        self.bundled += part.bundled;
        self.name(part);
        self.passive |= part.passive;
        self.refused = self.refused.or(part.refused);
        if self.tool.is_some() && self.passive {
            self.refused = self.refused.or(Some(BESIDE_VARIABLES));
        }
    }

    /// Appends `count` items of `part`, one extent apart.
    fn repeat(&mut self, part: &Self, offset: i64, count: c_int) {
        for i in 0..i64::from(count.max(0)) {
            self.append(part, offset + i * part.extent);
            // Nothing that a second one could change.
            if part.adds_nothing() {
                break;
            }
        }
    }

    const fn adds_nothing(&self) -> bool {
        self.n == 0 && self.pieces.is_empty() && self.named.is_empty()
    }

    /// Bytes of the parts described.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(Piece::bytes).sum()
    }
}

const MIXED_TOOLS: &str =
    "the datatype is of variables of more than one AD tool: send those of each separately";
const BESIDE_VARIABLES: &str =
    "the datatype has passive parts beside variables of another AD tool: send them separately";

/// The bytes of a predefined type. There is a gap only in those of a value and an int behind it.
fn predefined(datatype: Datatype) -> MpiResult<Vec<Piece>> {
    let bytes = datatype.size()?;
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let bounds = datatype.true_bounds()?;
    let piece =
        |offset, n| Piece { offset, n: usize::try_from(n).unwrap_or(0), element: Element::Passive };
    if bounds.extent() == bytes {
        return Ok(vec![piece(bounds.lower, bytes)]);
    }
    let int = Datatype::int().size()?;
    Ok(vec![piece(bounds.lower, bytes - int), piece(bounds.upper - int, int)])
}

/// As `flatten`, of any type.
pub fn describe(datatype: Datatype, detail: Detail) -> MpiResult<Flat> {
    match datatype.contents()? {
        Some(contents) => flatten(datatype, &contents, detail),
        None => Flat::passive(datatype, detail),
    }
}

fn flatten_part(contents: &Contents, i: usize, detail: Detail) -> MpiResult<Flat> {
    describe(contents.datatypes[i].datatype(), detail)
}

/// The active doubles of `datatype`, which was made as `contents` tells, and its passive parts as `detail` says.
pub fn flatten(datatype: Datatype, contents: &Contents, detail: Detail) -> MpiResult<Flat> {
    if contents.is_marked(MAGIC)? {
        return Ok(Flat::active(Element::Double, detail));
    }
    if contents.is_marked(FLOAT_MAGIC)? {
        return Ok(Flat::active(Element::Float, detail));
    }
    if let Some(tool) = contents.mark()?.and_then(tool_of) {
        return Ok(Flat::variable(tool));
    }
    if contents.is_marked(MATRIX_MAGIC)? {
        let why = "the datatype is made from AMPI_VARMAT or AMPI_VIEW, whose elements have no fixed address: describe the part by a view";
        return Ok(Flat { active: true, told: true, refused: Some(why), ..Flat::default() });
    }
    let kinds = constants();
    let (i, a) = (&contents.integers, &contents.addresses);
    let mut flat = Flat::default();
    if contents.combiner == kinds.structure {
        for at in 0..wide_int(i[0]) {
            let part = flatten_part(contents, at, detail)?;
            flat.name(&part);
            flat.repeat(&part, a[at], i[1 + at]);
        }
    } else if contents.datatypes.is_empty() {
        // A parametrised Fortran type: predefined, but for its name.
        flat.append(&Flat::passive(datatype, detail)?, 0);
    } else {
        let part = flatten_part(contents, 0, detail)?;
        flat.name(&part);
        let combiner = contents.combiner;
        if combiner == kinds.dup || combiner == kinds.resized {
            flat.append(&part, 0);
        } else if combiner == kinds.contiguous {
            flat.repeat(&part, 0, i[0]);
        } else if combiner == kinds.vector {
            let stride = i64::from(i[2]) * part.extent;
            blocks(&mut flat, &part, (0..i[0]).map(|k| (i64::from(k) * stride, i[1])));
        } else if combiner == kinds.hvector {
            blocks(&mut flat, &part, (0..i[0]).map(|k| (i64::from(k) * a[0], i[1])));
        } else if combiner == kinds.indexed {
            let (lengths, places) = i[1..].split_at(wide_int(i[0]));
            let places = places.iter().map(|&d| i64::from(d) * part.extent);
            blocks(&mut flat, &part, places.zip(lengths.iter().copied()));
        } else if combiner == kinds.hindexed {
            blocks(&mut flat, &part, a.iter().copied().zip(i[1..].iter().copied()));
        } else if combiner == kinds.indexed_block {
            blocks(&mut flat, &part, i[2..].iter().map(|&d| (i64::from(d) * part.extent, i[1])));
        } else if combiner == kinds.hindexed_block {
            blocks(&mut flat, &part, a.iter().map(|&d| (d, i[1])));
        } else if combiner == kinds.subarray {
            array(&mut flat, &part, subarray(i)?);
        } else if combiner == kinds.darray {
            array(&mut flat, &part, darray(i)?);
        } else {
            flat.append(&part, 0);
            if !part.adds_nothing() {
                flat.refused = Some(
                    "the datatype's constructor is from a later standard, which this version cannot differentiate: use a constructor of MPI-3.1",
                );
            }
        }
    }
    if contents.is_marked(BUNDLE_MAGIC)? {
        flat.bundled = datatype.size()? / 8;
        flat.nest = flat.nest.around(flat.bundled);
    }
    flat.complex |= contents.is_marked(COMPLEX_MAGIC)?;
    flat.extent = datatype.extent()?.1;
    Ok(flat)
}

/// Blocks of items: where each begins, in bytes, and how many items it has.
fn blocks(flat: &mut Flat, part: &Flat, list: impl Iterator<Item = (i64, c_int)>) {
    for (offset, length) in list {
        flat.repeat(part, offset, length);
    }
}

/// A part of an array.
struct Part {
    sizes: Vec<i64>,
    /// What is in the part, of each dimension.
    ranges: Vec<Vec<Range>>,
    order: c_int,
}

/// `integers` = dimensions, sizes, subsizes, starts, order.
fn subarray(integers: &[c_int]) -> MpiResult<Part> {
    let n = wide_int(integers[0]);
    let field = |k: usize| wide(&integers[1 + k * n..][..n]);
    let sizes = field(0);
    let ranges = dimension::inside(&sizes, &field(1), &field(2))?;
    Ok(Part { sizes, ranges, order: integers[1 + 3 * n] })
}

/// `integers` = processes, rank, dimensions, sizes, distributions, their arguments, processes of each dimension, order.
fn darray(integers: &[c_int]) -> MpiResult<Part> {
    let n = wide_int(integers[2]);
    let field = |k: usize| &integers[3 + k * n..][..n];
    let sizes = wide(field(0));
    let distributions = field(1).iter().zip(field(2));
    let distributions: Vec<_> = distributions
        .map(|(&kind, &argument)| Distribution::new(kind, argument.into()))
        .collect::<MpiResult<_>>()?;
    let ranges = dimension::share(&sizes, &distributions, field(3), integers[0], integers[1])?;
    Ok(Part { sizes, ranges, order: integers[3 + 4 * n] })
}

fn wide(integers: &[c_int]) -> Vec<i64> {
    integers.iter().copied().map(i64::from).collect()
}

/// Appends the items in a part of an array of them.
fn array(flat: &mut Flat, item: &Flat, Part { sizes, ranges, order }: Part) {
    let places: Vec<Vec<i64>> = ranges
        .into_iter()
        .map(|ranges| ranges.into_iter().flat_map(Range::places).collect())
        .collect();
    if places.iter().any(Vec::is_empty) {
        return;
    }
    // From the fastest dimension to the slowest.
    let n = sizes.len();
    let ordered: Vec<usize> =
        if order == constants().order_c { (0..n).rev().collect() } else { (0..n).collect() };
    let mut stride = vec![1; n];
    for pair in ordered.windows(2) {
        stride[pair[1]] = stride[pair[0]] * sizes[pair[0]];
    }
    let mut index = vec![0; n];
    loop {
        let items: i64 = (0..n).map(|d| places[d][index[d]] * stride[d]).sum();
        flat.append(item, items * item.extent);
        if item.adds_nothing() {
            return;
        }
        let more = |&&d: &&usize| index[d] + 1 < places[d].len();
        let Some(&d) = ordered.iter().find(more) else { return };
        index[d] += 1;
        for &faster in ordered.iter().take_while(|&&faster| faster != d) {
            index[faster] = 0;
        }
    }
}
