//! The largest count that goes to MPI as it is: `INT_MAX`, or less for tests.

use crate::options;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

/// Zero until first asked for: then every count but zero takes the way that finds the limit out.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// As `LIMIT`, for reductions in one piece.
static ONE_PIECE: AtomicU64 = AtomicU64::new(0);

/// Pieces of this many bytes reduced fastest on both MPIs: they and MPI's temporary buffers stay in cache.
pub const REDUCTION_BYTES: i64 = 16 << 20;
/// Predefined types have at most 32 bytes; up to this count no reduction is cut.
const ONE_PIECE_COUNT: u64 = (REDUCTION_BYTES as u64) / 32;

#[inline(always)]
fn below(count: i64, limit: &AtomicU64) -> Option<c_int> {
    // Negative counts are past every limit as unsigned ones.
    #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation)]
    let fits = count as u64 <= limit.load(Ordering::Relaxed);
    #[allow(clippy::cast_possible_truncation)]
    fits.then_some(count as c_int)
}

/// The count as MPI takes it, if it is small: a compare and a branch.
#[inline(always)]
pub fn small(count: i64) -> Option<c_int> {
    below(count, &LIMIT)
}

/// The count as MPI takes it, if a reduction of so many items is not worth cutting.
#[inline(always)]
pub fn one_piece(count: i64) -> Option<c_int> {
    below(count, &ONE_PIECE)
}

/// The limit; `ADMPI_INT_MAX` lowers it. May be called at any time, also before MPI is initialised.
pub fn limit() -> c_int {
    let known = LIMIT.load(Ordering::Relaxed);
    if known != 0 {
        return c_int::try_from(known).unwrap_or(c_int::MAX);
    }
    let limit = options::int_max();
    let wide = u64::from(limit.unsigned_abs());
    ONE_PIECE.store(wide.min(ONE_PIECE_COUNT), Ordering::Relaxed);
    LIMIT.store(wide, Ordering::Relaxed);
    limit
}

/// What is left of a large count's checks once the limit is known: small after all, or negative, which MPI
/// itself is to report.
pub fn settled(count: i64) -> Option<c_int> {
    let limit = i64::from(limit());
    if count < 0 {
        return Some(-1);
    }
    (count <= limit).then(|| small(count).unwrap_or(0))
}
