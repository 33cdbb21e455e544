//! The doubles of a message that the library sends.
#![forbid(unsafe_code)]

use super::Staging;

/// Doubles that somebody lends until they are sent: they stay where they are as long as the loan lives.
pub trait Loan: Send + std::fmt::Debug {
    fn as_slice(&self) -> &[f64];
}

/// The doubles of a message that the library sends: its own, or others where they lie.
#[derive(Debug)]
pub enum Payload {
    Own(Staging),
    Lent(Box<dyn Loan>),
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
