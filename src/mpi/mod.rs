//! A thin safe layer over MPI: handles that are values, buffers that own what MPI reads or writes, errors.
//!
//! Handles are made by `unsafe` constructors from what a C caller passed; from there on the calls are safe,
//! because every buffer is a slice or is owned by the operation that uses it.

pub mod arrays;
pub mod attribute;
pub mod collectives;
pub mod comm;
pub mod datatype;
pub mod dimension;
pub mod error;
pub mod ffi;
pub mod finalize_hook;
pub mod function;
pub mod gather;
pub mod generalized;
pub mod handle;
pub mod handles;
pub mod items;
pub mod large_type_op;
pub mod list;
pub mod message;
pub mod mode;
pub mod operation;
pub mod parcel;
pub mod payload;
pub mod place;
pub mod quirks;
pub mod raw;
pub mod reduce_ops;
pub mod reductions;
pub mod rma;
pub mod self_copy;
pub mod serial;
pub mod site;
pub mod staging;
pub mod status;
pub mod transfer;
pub mod types;
pub mod units;

pub use attribute::{CommAttribute, TypeAttribute, WinAttribute};
pub use comm::Group;
pub use datatype::{Contents, Part, remove_wide_types};
pub use error::{Failure, MpiResult, check};
pub use function::{Derivative, Function};
pub use gather::{exchange_words, gather_words};
pub use handle::Win;
pub use handles::{Comm, Datatype, Op, SharedComm};
pub use items::Doubles;
pub use list::List;
pub use operation::Operation;
pub use payload::Payload;
pub use place::{Place, Readable, Writable};
pub use raw::{is_in_place, is_live, largest_tag, wide_int};
pub use reduce_ops::{times, to_float};
pub use rma::{Arriving, Counters, Departing};
pub use serial::Serial;
pub use staging::Staging;
pub use status::{Status, StatusSlot, StatusSlots};

/// The call that blocks or, where a request goes, the one that makes it.
macro_rules! twins {
    ($request:expr, $now:expr, $begin:expr, $($argument:expr),* $(,)?) => {
        match $request {
            None => $now($($argument),*),
            Some(request) => $begin($($argument),*, request),
        }
    };
}
pub(crate) use twins;
pub use units::{CallForm, Item, Listed, Reach, Step};
