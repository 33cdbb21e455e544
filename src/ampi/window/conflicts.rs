//! Checking mode: two operations of an epoch that meet in a target's memory where MPI leaves undefined what comes of it.

use super::operation::{Combine, Incoming, Request};
use crate::ampi::builtin_op::Kind;
use crate::datatype::Exposed;
use crate::error::{Code, Error, Result};
use std::ffi::c_int;
use std::fmt;

/// What an operation does to memory.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Get,
    Put,
    /// Item by item, beside others that do the same.
    Update(Combine),
}

impl Access {
    const fn of(request: &Request<'_>) -> Self {
        match request.combine {
            Combine::Read => Self::Get,
            combine if request.is_atomic => Self::Update(combine),
            Combine::Nothing => Self::Get,
            _ => Self::Put,
        }
    }

    const fn is_read(self) -> bool {
        matches!(self, Self::Get | Self::Update(Combine::Nothing))
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "an AMPI_Get",
            Self::Put => "an AMPI_Put",
            Self::Update(combine) => match combine {
                Combine::Nothing | Combine::Read => "an accumulate by MPI_NO_OP",
                Combine::Replace => "an accumulate by MPI_REPLACE",
                Combine::Reduce(kind)
                | Combine::Floats(kind)
                | Combine::Tangents(kind, _)
                | Combine::ActiveTangents(kind, _) => match kind {
                    Kind::Sum => "an accumulate by MPI_SUM",
                    Kind::Product => "an accumulate by MPI_PROD",
                    Kind::Min => "an accumulate by MPI_MIN",
                    Kind::Max => "an accumulate by MPI_MAX",
                },
                Combine::Locate(Kind::Min) | Combine::LocateFloats(Kind::Min) => {
                    "an accumulate by MPI_MINLOC"
                }
                Combine::Locate(_) | Combine::LocateFloats(_) => "an accumulate by MPI_MAXLOC",
            },
        })
    }
}

/// Bytes of the window that an operation looks at.
struct Span {
    begin: i64,
    end: i64,
    access: Access,
    origin: c_int,
}

impl Span {
    /// Whether both may meet. Updates of one origin keep their order, and one that leaves the value may meet every other.
    fn may_meet(&self, other: &Self) -> bool {
        match (self.access, other.access) {
            (Access::Update(one), Access::Update(two)) => {
                one == two || self.origin == other.origin || [one, two].contains(&Combine::Nothing)
            }
            (one, two) => one.is_read() && two.is_read(),
        }
    }
}

/// An error if two operations of `messages` conflict. The target has to look, since only it knows where displacements are.
pub fn check(messages: &[Incoming], exposed: &Exposed) -> Result<()> {
    let mut spans: Vec<Span> = Vec::new();
    for message in messages {
        for request in message.operations() {
            let (at, access) = (exposed.place(request.displacement), Access::of(&request));
            let origin = message.origin;
            request.items.each_span(|begin, end| {
                let (begin, end) = (at.saturating_add(begin), at.saturating_add(end));
                spans.push(Span { begin, end, access, origin });
            });
        }
    }
    // The order of messages and of their operations stays where spans begin together.
    spans.sort_by_key(|span| span.begin);
    // Those that have begun and not ended: of each kind and origin the one that ends last.
    let mut open: Vec<&Span> = Vec::new();
    for span in &spans {
        open.retain(|before| before.end > span.begin);
        if let Some(before) = open.iter().find(|before| !span.may_meet(before)) {
            return Err(conflict(before, span));
        }
        let is_alike =
            |before: &&mut &Span| (before.access, before.origin) == (span.access, span.origin);
        match open.iter_mut().find(is_alike) {
            Some(before) if before.end >= span.end => {}
            Some(before) => *before = span,
            None => open.push(span),
        }
    }
    Ok(())
}

#[cold]
fn conflict(one: &Span, other: &Span) -> Error {
    let (begin, end) = (other.begin, one.end.min(other.end));
    let why = format!(
        "ADMPI_CHECK: {} of rank {} and {} of rank {} meet in one epoch, in bytes {begin} to {} of this rank's part: MPI leaves undefined what comes of that",
        one.access,
        one.origin,
        other.access,
        other.origin,
        end - 1
    );
    Error::new(Code::Mpi, why)
}
