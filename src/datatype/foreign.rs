//! Variables of other AD tools: the type of each tool, known by a mark of its own inside any type that is built from it.
#![forbid(unsafe_code)]

use super::activity::{self, activity};
use super::argument::BufferTriple;
use super::layout::{Foreign, Layout, Other};
use super::lock;
use super::magic::mark_of_tool;
use crate::count::from_c;
use crate::error::{Code, Error};
use crate::foreign::Tool;
use crate::mpi::types::Made;
use crate::mpi::{Datatype, MpiResult};
use crate::tape::Var;
use std::ffi::CString;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The types of the tools, by their numbers.
static TYPES: Mutex<Vec<(usize, Datatype)>> = Mutex::new(Vec::new());
/// Whether there are any: programs without other tools ask no more.
static SOME: AtomicBool = AtomicBool::new(false);

/// The datatype of a tool's variable.
pub fn tool_type(tool: &'static Tool) -> MpiResult<Datatype> {
    activity::require_installed()?;
    let mut types = lock(&TYPES);
    if let Some((_, known)) = types.iter().find(|(index, _)| *index == tool.index) {
        return Ok(*known);
    }
    let extent = i64::try_from(tool.bytes).unwrap_or(i64::MAX);
    let made = Made::marked(Datatype::double(), extent, mark_of_tool(tool.index))?.commit()?;
    let name = CString::new(tool.name.replace('\0', "")).unwrap_or_default();
    made.datatype().set_name(&name)?;
    let made = made.into_datatype();
    types.push((tool.index, made));
    SOME.store(true, Ordering::Relaxed);
    Ok(made)
}

/// Frees the types; MPI is about to end.
pub(super) fn remove() -> MpiResult<()> {
    SOME.store(false, Ordering::Relaxed);
    lock(&TYPES).drain(..).try_for_each(|(_, made)| made.free())
}

/// The tool whose variables `datatype` is made of, if it is not the library's own.
#[inline]
pub fn foreign_tool(datatype: Datatype) -> Option<&'static Tool> {
    if datatype == Datatype::active_double() || datatype == Datatype::double() || !has_tools() {
        return None;
    }
    look_up(datatype)
}

/// Whether a tool has a type, so that datatypes need a look.
#[inline]
pub fn has_tools() -> bool {
    SOME.load(Ordering::Relaxed)
}

#[inline(never)]
fn look_up(datatype: Datatype) -> Option<&'static Tool> {
    match activity(datatype) {
        Ok(Some(Layout::Other(layout))) => match &*layout {
            Other::Foreign(foreign) => Some(foreign.tool),
            _ => None,
        },
        _ => None,
    }
}

/// So many variables at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    pub address: usize,
    pub n: usize,
}

impl BufferTriple {
    /// `n` active values, in the place of variables: they are there as long as the call is under way.
    pub fn of_values(values: *mut Var, n: i64) -> Self {
        Self { pointer: values.cast(), count: n, datatype: Datatype::active_double(), first: 0 }
    }

    /// A buffer that is not looked at, or in place, in a call on active values.
    #[must_use]
    pub fn under_active(self) -> Self {
        Self { datatype: Datatype::active_double(), ..self }
    }

    /// So many items instead.
    #[must_use]
    pub const fn counted(self, count: i64) -> Self {
        Self { count, ..self }
    }

    /// Appends where the variables of the items lie, in order, and tells how many there are.
    pub fn variables(&self, name: &str, tool: &Tool, out: &mut Vec<Stretch>) -> MpiResult<usize> {
        let fail = |code, why: String| Err(Error::new(code, format!("{name}: {why}")).into());
        let count = from_c("count", self.count)
            .map_err(|error| Error::new(error.code, format!("{name}: {}", error.message)))?;
        if count == 0 {
            return Ok(0);
        }
        let layout = activity(self.datatype)?;
        let foreign = match layout.as_ref().and_then(Layout::other) {
            Some(Other::Foreign(foreign)) if std::ptr::eq(foreign.tool, tool) => foreign,
            Some(Other::Refused(why)) => return fail(Code::Unsupported, (*why).to_owned()),
            _ => {
                let why = format!(
                    "the datatype is not of variables of {}, but that of the call's other buffer is: both must be",
                    tool.name
                );
                return fail(Code::Unsupported, why);
            }
        };
        if self.is_in_place() {
            return fail(
                Code::Argument,
                "MPI_IN_PLACE is not allowed for this buffer in this call".into(),
            );
        }
        let n = count.checked_mul(foreign.n).filter(|&n| u32::try_from(n).is_ok());
        let Some(n) = n else {
            return fail(
                Code::Argument,
                format!("{count} items of {} variables are past 2^32", foreign.n),
            );
        };
        if self.pointer.is_null() && foreign.runs.iter().any(|run| run.offset == 0) {
            return fail(Code::Null, format!("the buffer is NULL and count = {count}"));
        }
        foreign.stretches(self.pointer.expose_provenance(), count, out);
        Ok(n)
    }
}

impl Foreign {
    /// Where the variables of `count` items lie, joined where they touch.
    fn stretches(&self, base: usize, count: usize, out: &mut Vec<Stretch>) {
        let bytes = |n: usize| i64::try_from(n * self.tool.bytes).ok();
        if let [run] = self.runs[..]
            && bytes(run.n) == Some(self.extent)
        {
            let address = base.wrapping_add_signed(super::layout::offset(run.offset));
            return out.push(Stretch { address, n: run.n * count });
        }
        let from = out.len();
        let mut item = base;
        for _ in 0..count {
            for run in &self.runs {
                let address = item.wrapping_add_signed(super::layout::offset(run.offset));
                match out[from..].last_mut() {
                    Some(last) if last.address + last.n * self.tool.bytes == address => {
                        last.n += run.n;
                    }
                    _ => out.push(Stretch { address, n: run.n }),
                }
            }
            item = item.wrapping_add_signed(super::layout::offset(self.extent));
        }
    }
}
