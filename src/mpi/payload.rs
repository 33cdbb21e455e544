//! The doubles of a message that the library sends.
#![forbid(unsafe_code)]

use super::Staging;
use crate::arena::Loan;

/// The doubles of a message that the library sends: its own, or others where they lie.
#[derive(Debug)]
pub enum Payload {
    Own(Staging),
    Lent(Loan),
}

impl Default for Payload {
    fn default() -> Self {
        Self::Own(Staging::default())
    }
}

impl Payload {
    #[inline]
    pub(super) fn as_slice(&self) -> &[f64] {
        match self {
            Self::Own(data) => data.as_slice(),
            Self::Lent(data) => data.as_slice(),
        }
    }
}
