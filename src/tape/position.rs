//! Places in a tape.
#![forbid(unsafe_code)]

/// A place in a tape. Opaque to users; valid while what lies below it is.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    pub argument: u64,
    pub payload: u64,
    pub statement: u32,
    pub id: u32,
    pub event: u32,
    pub tag: u32,
}

laid_out!(admpi_position, Position);

impl Position {
    pub const BOTTOM: Self =
        Self { argument: 0, payload: 0, statement: 0, id: 1, event: 0, tag: 0 };

    /// Below or at `other` in every stream.
    pub fn within(&self, other: &Self) -> bool {
        self.argument <= other.argument
            && self.payload <= other.payload
            && self.statement <= other.statement
            && self.id <= other.id
            && self.event <= other.event
    }

    /// The same place, whatever the tags of the values made from it on.
    pub fn same_place(&self, other: &Self) -> bool {
        self.within(other) && other.within(self)
    }
}
