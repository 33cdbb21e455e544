//! Pack and Unpack: copies of active values, which keep their ids. Nothing is recorded, as nothing is by `memcpy`.
//!
//! What is packed travels as bytes (`packed_format`), under MPI_PACKED. A message of them is a message of the active
//! doubles among them: where it arrives they get new ids, in the bytes.

use super::argument;
use super::wire::items;
use crate::datatype::packed_format::{self, Unit, begins};
use crate::datatype::{BufferTriple, Layout, Mark, RecvBuffer, SendBuffer, require_installed};
use crate::error::{Code, Error};
use crate::mpi::{Doubles, Failure, MpiResult, Serial, Staging};

fn wrong(why: String) -> Failure {
    Error::new(Code::Argument, why).into()
}

/// The bytes that items have on the wire.
fn wire_bytes(source: &SendBuffer) -> usize {
    source.mixed_bytes().unwrap_or(8 * source.len())
}

/// The bytes that so many items of an active type need.
pub fn room(data: &BufferTriple) -> MpiResult<i64> {
    require_installed()?;
    let items = data.items();
    let (n, bytes) = match argument::layout("datatype", data)? {
        Layout::Plain => (1, 8),
        Layout::Other(other) => other.of_one_item(),
    };
    let size = items.checked_mul(n).zip(items.checked_mul(bytes));
    let size = size.and_then(|(n, bytes)| packed_format::size(n, bytes));
    size.and_then(|size| i64::try_from(size).ok())
        .ok_or_else(|| wrong(format!("incount = {items}: the packed size is past 2^63")))
}

/// Writes the items to `out` from `position` on, and tells where they end.
pub fn pack(data: &BufferTriple, out: &mut [u8], position: i64) -> MpiResult<i64> {
    require_installed()?;
    let source = argument::source("inbuf", data)?;
    let bytes = wire_bytes(&source);
    if bytes == 0 {
        return Ok(position);
    }
    let outsize = out.len();
    let begin = usize::try_from(position).ok().filter(|&at| at <= outsize);
    let Some(begin) = begin else {
        return Err(wrong(format!("position = {position} is not in a buffer of {outsize} bytes")));
    };
    let needed = packed_format::size(source.len(), bytes).unwrap_or(usize::MAX);
    if needed > outsize - begin {
        let why = format!(
            "outsize = {outsize}: from position {begin} on {needed} bytes are needed, as AMPI_Pack_size tells; MPI_Pack_size counts no ids"
        );
        return Err(wrong(why));
    }
    let mut words = Staging::take(source.words());
    source.pack(words.as_mut_slice());
    let wire: Vec<u8> =
        words.as_slice().iter().flat_map(|word| word.to_ne_bytes()).take(bytes).collect();
    Unit::write(out, begin, data.items(), &source.vars(), &wire);
    Ok(position + i64::try_from(needed).unwrap_or(i64::MAX))
}

/// An error where a unit begins, for data that are passive.
pub fn none_at(packed: &[u8], position: i64) -> MpiResult<()> {
    let Ok(at) = usize::try_from(position) else { return Ok(()) };
    if begins(packed, at) {
        let why = format!(
            "position = {position}: active data are packed there, and the datatype is passive; unpack them under AMPI_ADOUBLE"
        );
        return Err(Error::new(Code::Unsupported, why).into());
    }
    Ok(())
}

/// The unit that was read last and not to its end: its address and place.
static LAST: Serial<Option<(usize, Unit)>> = Serial::new(None);

/// The unit that `at` lies in, and how many of its bytes on the wire lie before. None where there are only bytes.
fn unit_at(packed: &[u8], at: usize) -> MpiResult<Option<(Unit, usize)>> {
    if begins(packed, at) {
        let whole = Unit::at(packed, at).filter(|unit| unit.is_whole(packed));
        let Some(unit) = whole else {
            let why = format!(
                "position = {at}: what AMPI_Pack put there was later overwritten or cut off"
            );
            return Err(wrong(why));
        };
        return Ok(Some((unit, 0)));
    }
    let address = packed.as_ptr().addr();
    let covers = |unit: &Unit| unit.values() < at && at < unit.end();
    let last = LAST.with(|last| *last).filter(|(base, unit)| {
        *base == address && Unit::at(packed, unit.begin()) == Some(*unit) && covers(unit)
    });
    let found = match last {
        Some((_, unit)) => Some(unit),
        None => packed_format::units_before(packed, at).into_iter().find(covers),
    };
    Ok(found.map(|unit| (unit, at - unit.values())))
}

/// What is read of units, one behind the other.
struct Gathered {
    wire: Vec<u8>,
    marks: Vec<(u32, u32)>,
    /// Where they end.
    end: usize,
}

fn gather(packed: &[u8], position: usize, bytes: usize) -> MpiResult<Option<Gathered>> {
    let mut read = Gathered { wire: Vec::with_capacity(bytes), marks: Vec::new(), end: position };
    while read.wire.len() < bytes {
        let Some((unit, before)) = unit_at(packed, read.end)? else {
            if read.wire.is_empty() {
                return Ok(None);
            }
            let why = format!(
                "outcount: the items reach beyond position {}, where no active data were packed; unpack those before it in a call of their own",
                read.end
            );
            return Err(wrong(why));
        };
        if !unit.is_ours() {
            let why = "inbuf: the packed data came from another process by a call that does not carry ids: send and receive them by AMPI_ point-to-point calls under MPI_PACKED";
            return Err(Error::new(Code::Unsupported, why).into());
        }
        let now = (bytes - read.wire.len()).min(unit.bytes - before);
        let from = unit.values() + before;
        read.wire.extend_from_slice(&packed[from..from + now]);
        let (first, n) = unit.doubles(before, now).ok_or_else(|| {
            wrong(format!(
                "outcount: from position {} on, the count ends within an item that was packed",
                read.end
            ))
        })?;
        read.marks.extend((first..first + n).map(|i| unit.mark(packed, i)));
        read.end = from + now;
        let partly = (read.end < unit.end()).then_some((packed.as_ptr().addr(), unit));
        LAST.with(|last| *last = partly);
    }
    Ok(Some(read))
}

/// Items that are to be unpacked: MPI does it where nobody has packed them as active.
pub struct Unpacking {
    sink: RecvBuffer,
    bytes: usize,
}

impl Unpacking {
    pub fn new(data: &BufferTriple) -> MpiResult<Self> {
        require_installed()?;
        let sink = argument::sink("outbuf", data)?;
        let bytes = wire_bytes(sink.source());
        Ok(Self { sink, bytes })
    }

    /// Reads them from `position` on, and tells where they end; None where MPI is to do it.
    pub fn unpack(&mut self, packed: &[u8], position: i64) -> MpiResult<Option<i64>> {
        let Ok(begin) = usize::try_from(position) else {
            return Err(wrong(format!("position = {position} is negative")));
        };
        let Some(read) = gather(packed, begin, self.bytes)? else { return Ok(None) };
        let (found, n) = (read.marks.len(), self.sink.len());
        if found != n {
            let why = format!(
                "datatype: the items have {n} active doubles, and {found} are packed from position {begin} on"
            );
            return Err(wrong(why));
        }
        let mut words = Staging::take(self.bytes.div_ceil(8));
        for (word, bytes) in words.as_mut_slice().iter_mut().zip(read.wire.chunks(8)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            *word = f64::from_ne_bytes(all);
        }
        self.sink.unpack_bytes(words.as_slice(), self.bytes, Mark::PASSIVE)?;
        let mut vars = self.sink.source().vars();
        for (var, (id, tag)) in vars.iter_mut().zip(read.marks) {
            (var.id, var.tag) = (id, tag);
        }
        self.sink.set_vars(&vars)?;
        Ok(Some(i64::try_from(read.end).unwrap_or(i64::MAX)))
    }

    /// Lets `by_mpi` unpack the values, which are passive.
    pub fn unpack_passive(
        &mut self,
        external: bool,
        by_mpi: impl FnOnce(&mut [f64], &Doubles) -> MpiResult<()>,
    ) -> MpiResult<()> {
        let source = self.sink.source();
        if external && source.mixed_bytes().is_some() {
            let why = "datatype: active and passive parts were not packed by AMPI_Pack_external; unpack them one by one";
            return Err(Error::new(Code::Unsupported, why).into());
        }
        let mut words = Staging::take(source.words());
        by_mpi(words.as_mut_slice(), &items(source, source.words())?)?;
        self.sink.unpack_bytes(words.as_slice(), self.bytes, Mark::PASSIVE)
    }
}
