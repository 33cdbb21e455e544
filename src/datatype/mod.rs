//! Active data: which doubles of a datatype are active, found by the type's structure, and the buffers of users that hold
//! them.
//!
//! `AMPI_ADOUBLE` is an `MPI_DOUBLE` of extent 16 (`Made::marked` tells how it is made): to MPI it describes the value
//! of an active double, and an extent of `MAGIC` in its structure makes it recognisable inside any type that is built
//! from it.
//! `AMPI_ADOUBLE_INT` is a structure of one and an int, as `MPI_DOUBLE_INT` is, and moved as any structure with passive
//! parts; reductions know it by its handle. So is `AMPI_AFLOAT_INT`.
//! The variables of another AD tool have a type that is made in the same way, with a mark for each tool.
//! `AMPI_ADOUBLE_COMPLEX` is two of them with a mark of its own, so that no type with one in it is multiplied part by part.
//! `AMPI_AFLOAT` is an `MPI_FLOAT` made in the same way. In memory its items are active doubles, which MPI cannot read as
//! floats: they are converted on their way, as items with passive parts are put together.

mod activity;
mod argument;
pub mod bundle;
mod elements;
mod exposed;
mod flatten;
mod foreign;
mod in_file;
mod install;
mod kept;
mod layout;
mod lent;
mod lists;
mod magic;
mod marks;
mod packed;
pub mod packed_format;
mod recv_buffer;
mod send_buffer;

pub use activity::{
    Content, Lasting, active_layout, active_tangents, activity, content, is_installed,
    is_of_bundles, is_of_complex, is_passive, is_passive_message, not_initialised, passive_layout,
    precision, require_installed, tangents,
};
pub use argument::{BufferTriple, Twin};
pub use exposed::{Exposed, Items, set_bytes};
pub use flatten::{Detail, Named, Nest, describe};
pub use foreign::{Stretch, foreign_tool, has_tools, tool_type};
pub use in_file::{in_file, layout_for_file, packed_item};
pub use install::{install, remove};
pub use kept::{KeptType, KeptTypes};
pub use layout::{Layout, Precision};
pub use lent::{Whole, lent_matrix, lent_parts, lent_shares};
pub use lists::{Arguments, Counts, Lists, Pieces, Types, Wide};
pub use magic::{ACTIVE_EXTENT, MAGIC, MATRIX_MAGIC};
pub use marks::{Mark, Shape};
pub use recv_buffer::RecvBuffer;
pub use send_buffer::{Segment, SendBuffer, Sources};

use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
