//! Which tags are open, and for which ids: what tells a live value from one that outlived its tape.
#![forbid(unsafe_code)]

use super::position::Position;
use std::ops::Range;

/// Values made from `start` on carry `tag`, up to the start of the next segment.
#[derive(Debug, Clone, Copy)]
struct Segment {
    tag: u32,
    start: Position,
}

/// Ascending. The last one is open; between calls there is one.
#[derive(Debug)]
pub struct Segments(Vec<Segment>);

impl Segments {
    pub fn new(tag: u32) -> Self {
        Self(vec![Segment { tag, start: Position::BOTTOM }])
    }

    pub fn open(&mut self, tag: u32, start: Position) {
        self.0.push(Segment { tag, start });
    }

    /// Closes the segments that lie above `position`, which is made by one of them.
    pub fn cut(&mut self, position: &Position) {
        // Only the bottom of the tape has a tag that no segment carries.
        self.0.truncate(self.find(position.tag).map_or(0, |at| at + 1));
    }

    pub fn tags(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|segment| segment.tag)
    }

    pub fn is_open(&self, tag: u32) -> bool {
        self.find(tag).is_some()
    }

    fn find(&self, tag: u32) -> Option<usize> {
        // The newest are asked for most.
        self.0.iter().rposition(|segment| segment.tag == tag)
    }

    /// Tag and ids of the values among which `id` below `next` would be, which may be none.
    pub fn around(&self, id: u32, next: u32) -> (u32, Range<u32>) {
        let above = self.0.partition_point(|segment| segment.start.id <= id);
        // Empty segments share their start with the one that follows; only the last holds the id,
        // unless a nest was recovered: then the outer tag goes on and is the last itself.
        let end = self.0.get(above).map_or(next, |segment| segment.start.id.min(next));
        above.checked_sub(1).map_or((0, 0..0), |at| (self.0[at].tag, self.0[at].start.id..end))
    }

    /// Whether `id` below `next` was made under `tag`.
    pub fn holds(&self, id: u32, tag: u32, next: u32) -> bool {
        let (of, ids) = self.around(id, next);
        of == tag && ids.contains(&id)
    }

    /// Whether `position` was taken under an open tag and still lies below `end`.
    pub fn holds_position(&self, position: &Position, end: &Position) -> bool {
        if position.tag == 0 {
            return position.same_place(&Position::BOTTOM);
        }
        let Some(at) = self.find(position.tag) else { return false };
        let top = self.0.get(at + 1).map_or(end, |next| &next.start);
        self.0[at].start.within(position) && position.within(top)
    }
}
