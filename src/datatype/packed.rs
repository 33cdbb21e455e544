//! Packed bytes as the buffer of a message: they travel as they are, and the active doubles among them are recorded.

use super::argument::BufferTriple;
use super::layout::{Layout, Other, Packed};
use super::marks::Mark;
use super::packed_format::{Unit, units};
use super::recv_buffer::RecvBuffer;
use super::send_buffer::{SendBuffer, bad};
use crate::error::Code;
use crate::mpi::{Datatype, MpiResult};
use crate::tape::Var;

impl BufferTriple {
    /// Whether the items are packed bytes.
    pub fn is_packed(&self) -> bool {
        self.datatype == Datatype::packed()
    }

    fn packed_bytes(&self) -> &[u8] {
        if self.pointer.is_null() || self.is_in_place() || self.items() == 0 {
            return &[];
        }
        // SAFETY: the promise of `new`.
        unsafe { std::slice::from_raw_parts(self.pointer.cast(), self.items()) }
    }

    /// Whether there is something active in packed bytes that are to be sent.
    pub fn holds_units(&self) -> bool {
        self.is_packed() && !units(self.packed_bytes()).is_empty()
    }

    /// Packed bytes to send.
    pub fn packed_source(&self, name: &str) -> MpiResult<SendBuffer> {
        let data = self.packed_bytes();
        let mut vars = Vec::new();
        for unit in units(data) {
            if !unit.is_ours() {
                return Err(foreign(name));
            }
            vars.extend((0..unit.n).map(|i| {
                let (id, tag) = unit.mark(data, i);
                Var { value: f64::NAN, id, tag }
            }));
        }
        let layout = Layout::from(Other::Packed(Packed::new(self.items(), vars)));
        self.source(name, layout, 1)
    }

    /// Room for packed bytes.
    pub fn packed_sink(&self, name: &str) -> MpiResult<RecvBuffer> {
        self.sink(name, Layout::from(Other::Packed(Packed::new(self.items(), Vec::new()))), 1)
    }
}

#[cold]
fn foreign(name: &str) -> crate::mpi::Failure {
    let why = "the packed data came from another process by a call that does not carry ids: send and receive them by AMPI_ point-to-point calls under MPI_PACKED";
    bad(name, Code::Unsupported, format_args!("{why}"))
}

impl SendBuffer {
    /// Whether it is packed bytes.
    pub fn is_of_packed(&self) -> bool {
        matches!(self.layout.other(), Some(Other::Packed(_)))
    }

    /// The same bytes, looked at anew: they are not what they were.
    pub fn looked_at_anew(&self) -> MpiResult<Option<Self>> {
        let Some(Other::Packed(packed)) = self.layout.other() else { return Ok(None) };
        let data = BufferTriple {
            pointer: self.base.cast(),
            count: packed.map.extent,
            datatype: Datatype::packed(),
            first: 0,
        };
        data.packed_source("buf").map(Some)
    }
}

impl RecvBuffer {
    /// The units among the first `bytes` of packed bytes.
    fn units_in(&self, bytes: usize) -> Vec<Unit> {
        if bytes == 0 { Vec::new() } else { units(self.received(bytes)) }
    }

    fn received(&self, bytes: usize) -> &[u8] {
        // SAFETY: the promise of `BufferTriple::new`; so many have been received.
        unsafe { std::slice::from_raw_parts(self.0.base, bytes) }
    }

    /// How many active doubles have arrived among the first `bytes`.
    pub fn packed_doubles(&self, bytes: usize) -> usize {
        self.units_in(bytes).iter().map(|unit| unit.n).sum()
    }

    /// Gives them ids from `mark`.
    pub fn adopt_packed(&mut self, bytes: usize, mark: Mark) {
        let (found, mut done) = (self.units_in(bytes), 0);
        for unit in found {
            // SAFETY: as above, in a buffer to be written.
            let data = unsafe { std::slice::from_raw_parts_mut(self.0.base, bytes) };
            unit.adopt(data, |i| (mark.id(super::marks::narrow(done + i)), mark.tag));
            done += unit.n;
        }
    }
}
