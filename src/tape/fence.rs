//! What a sweep finds below its own values: adjoints that it drops, since an isolated nest leaves them alone, and
//! adjoints that come too late, since the sweep in whose callback it runs has passed them.

#![forbid(unsafe_code)]

use super::nest::{Nest, Outside, Running};
use crate::error::{Code, Error, Result};
use std::io::Write as _;
use std::ops::Range;
use std::sync::Once;

/// What would be added to an id, in a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Named {
    pub id: u32,
    pub direction: usize,
    pub value: f64,
}

/// Consecutive ids of which the fence is asked before a sweep adds to one. All others are the sweep's own, or the sweeps around it
/// have yet to come to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    from: u32,
    n: u32,
}

impl Asked {
    const ALL: Self = Self { from: 0, n: u32::MAX };

    #[inline(always)]
    pub const fn has(self, id: u32) -> bool {
        id.wrapping_sub(self.from) < self.n
    }

    /// Whether it has one of `ids`. Many are looked at together, as signed numbers, which every machine compares so.
    pub fn has_any(self, ids: &[u32]) -> bool {
        let Some(last) = self.n.checked_sub(1) else { return false };
        let (from, last) = (self.from ^ 1 << 31, (last ^ 1 << 31).cast_signed());
        let spares = |all, &id: &u32| all & (id.wrapping_sub(from).cast_signed() > last);
        let (many, few) = ids.as_chunks::<64>();
        !(many.iter().all(|ids| ids.iter().fold(true, spares)) && few.iter().fold(true, spares))
    }

    #[inline(always)]
    const fn end(self) -> u32 {
        self.from + self.n
    }
}

/// Which ids a sweep may add to.
#[derive(Debug, Default)]
pub struct Fence {
    asked: Asked,
    /// The base of the innermost nest that is isolated, or 0.
    floor: u32,
    outside: Outside,
    /// Whether what is dropped is to be told of.
    watches: bool,
    /// What the sweeps around this one have passed.
    passed: Vec<Range<u32>>,
    /// The first id that was dropped, and the first that came too late.
    dropped: Option<u32>,
    late: Option<u32>,
    /// Where nothing is added, and it is noted instead to which ids it would be.
    noted: Option<Vec<u32>>,
    /// Where nothing is added either, and it is noted what would be, and in which direction.
    named: Option<Vec<Named>>,
    /// Where all that is added is looked at: what is asked of otherwise, and the first that was not finite.
    watched: Option<(Asked, Option<(u32, f64)>)>,
}

impl Fence {
    /// For a sweep that begins now, on a tape with these open nests and sweeps under way.
    pub fn of(nests: &[Nest], sweeps: &[Running], checking: bool) -> Self {
        let isolated = nests.iter().rfind(|nest| nest.outside != Outside::Added);
        let (floor, outside) =
            isolated.map_or((0, Outside::Added), |nest| (nest.base.id, nest.outside));
        let passed: Vec<_> = sweeps.iter().map(|sweep| sweep.reached..sweep.top.id).collect();
        let free = passed.last().map_or(floor, |passed| passed.end.max(floor));
        let reached = passed.iter().map(|passed| passed.start).min();
        let from = reached.filter(|_| floor == 0).unwrap_or(0);
        let asked = Asked { from, n: free - from };
        let watches = outside == Outside::Refused || checking;
        Self { asked, floor, outside, watches, passed, ..Self::default() }
    }

    /// Lets nothing be added, and notes to what it would be.
    pub fn that_notes() -> Self {
        Self { asked: Asked::ALL, noted: Some(Vec::new()), ..Self::default() }
    }

    /// Lets nothing be added, and notes what would be, but zeros.
    pub fn that_names() -> Self {
        Self { asked: Asked::ALL, named: Some(Vec::new()), ..Self::default() }
    }

    /// All that was noted so.
    pub fn into_named(self) -> Vec<Named> {
        self.named.unwrap_or_default()
    }

    /// Looks at all that is added from now on.
    pub fn watch(&mut self) {
        self.watched = Some((self.asked, None));
        self.asked = Asked::ALL;
    }

    /// No longer. The first value that was not finite, and the id that it was for.
    pub fn unwatch(&mut self) -> Option<(u32, f64)> {
        let (asked, found) = self.watched.take()?;
        self.asked = asked;
        found
    }

    /// What has been noted since the last call.
    pub fn take_noted(&mut self) -> Vec<u32> {
        self.noted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The ids from which on nothing needs to be asked; 0 for a sweep that may add to all.
    #[inline(always)]
    pub const fn free(&self) -> u32 {
        self.asked.end()
    }

    /// Those of which it is asked. They stay the same while nothing begins or ends to be watched.
    #[inline(always)]
    pub const fn asked(&self) -> Asked {
        self.asked
    }

    /// Whether what is added to `ids` need not be looked at one by one.
    pub fn admits_all(&self, ids: &Range<u32>) -> bool {
        let apart = |passed: &Range<u32>| ids.end <= passed.start || passed.end <= ids.start;
        ids.start >= self.free()
            || (self.noted.is_none()
                && self.named.is_none()
                && self.watched.is_none()
                && ids.start >= self.floor
                && self.passed.iter().all(apart))
    }

    /// Whether `ids` are dropped, and nobody wants to know.
    pub const fn ignores_all(&self, ids: &Range<u32>) -> bool {
        ids.end <= self.floor && !self.watches
    }

    /// Whether `values` are to be added to the adjoint of `id`, of which it is asked. The id 0 has none.
    #[inline(never)]
    pub fn lets(&mut self, id: u32, values: &[f64]) -> bool {
        if let Some(noted) = &mut self.noted {
            if id != 0 {
                noted.push(id);
            }
            return false;
        }
        if id == 0 || values.iter().all(|&value| value == 0.0) {
            return false;
        }
        if let Some(named) = &mut self.named {
            let directions = values.iter().enumerate().filter(|&(_, &value)| value != 0.0);
            named.extend(directions.map(|(direction, &value)| Named { id, direction, value }));
            return false;
        }
        if let Some((_, found @ None)) = &mut self.watched {
            *found = values.iter().find(|value| !value.is_finite()).map(|&value| (id, value));
        }
        if id < self.floor {
            self.dropped.get_or_insert(id);
            return false;
        }
        let late = self.passed.iter().any(|passed| passed.contains(&id));
        if late {
            self.late.get_or_insert(id);
        }
        !late
    }

    /// What became of the derivatives that were not admitted.
    pub fn verdict(&self) -> Result<()> {
        if let Some(id) = self.late {
            return Err(Error::new(
                Code::Nest,
                format!(
                    "reverse in a callback of a sweep reached the value with id {id}, which the outer sweep has passed: its derivative would be lost. A callback may only use values made before the operation it reverses"
                ),
            ));
        }
        match (self.dropped, self.outside) {
            (Some(id), Outside::Refused) => Err(Error::new(
                Code::Argument,
                format!(
                    "the function uses an active value (id {id}) that is not among its parameters: its derivative would \
                     be lost. Make it a parameter, or use its value if it is a constant"
                ),
            )),
            (Some(id), Outside::Dropped) if self.watches => {
                tell(id);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Tells, once a process, that a nest has dropped derivatives. It was asked to, so that it is not an error.
fn tell(id: u32) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let text = format!(
            "admpi: an isolated nest dropped derivatives with respect to values from outside it, first that of id {id}. \
             They are constants there; without ADMPI_NEST_ISOLATED they get their derivatives (ADMPI_CHECK=1 tells this \
             once)\n"
        );
        let _ = std::io::stderr().write_all(text.as_bytes());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::nest::NestToken;
    use crate::tape::position::Position;

    fn at(id: u32) -> Position {
        Position { id, ..Position::default() }
    }

    fn nest(base: u32, outside: Outside) -> Nest {
        Nest { base: at(base), token: NestToken { token: 0 }, outside, recording: false }
    }

    fn sweep(reached: u32, top: u32) -> Running {
        Running { top: at(top), reached, nests: 0, bottom: true }
    }

    /// Which of some ids are asked of, and which of those are let.
    fn answers(fence: &mut Fence) -> [(bool, bool); 4] {
        [10, 25, 35, 45].map(|id| {
            let asked = fence.asked().has(id);
            (asked, !asked || fence.lets(id, &[1.0]))
        })
    }

    const FREE: (bool, bool) = (false, true);
    const REFUSED: (bool, bool) = (true, false);

    /// Of many ids the one is found wherever it stands, and its neighbours are not.
    #[test]
    fn one_of_many_is_found() {
        for asked in
            [Asked { from: 7, n: 3 }, Asked { from: 1 << 31, n: 2 }, Asked { from: 0, n: 5 }]
        {
            let (below, end) = (asked.from.wrapping_sub(1), asked.end());
            for len in [1, 63, 64, 65, 200] {
                let mut ids = vec![if below < end { below } else { end }; len];
                ids[len / 2] = end;
                assert!(!asked.has_any(&ids), "{asked:?}");
                for at in [0, len / 2, len - 1] {
                    for id in [asked.from, end - 1] {
                        let before = std::mem::replace(&mut ids[at], id);
                        assert!(asked.has_any(&ids), "{asked:?}, {id} at {at} of {len}");
                        ids[at] = before;
                    }
                }
            }
        }
        assert!(Asked::ALL.has_any(&[3]) && !Asked::default().has_any(&[0, u32::MAX]));
    }

    #[test]
    fn what_a_sweep_has_passed_is_asked_of() {
        let mut fence = Fence::of(&[], &[], false);
        assert_eq!(answers(&mut fence), [FREE; 4]);
        let mut fence = Fence::of(&[nest(40, Outside::Added)], &[sweep(20, 30)], false);
        assert_eq!(answers(&mut fence), [FREE, REFUSED, FREE, FREE]);
        assert_eq!(fence.verdict().unwrap_err().code, Code::Nest);
        // Two sweeps, with something between them that the inner one has yet to come to.
        let mut fence = Fence::of(&[], &[sweep(20, 30), sweep(40, 50)], false);
        assert_eq!(answers(&mut fence), [FREE, REFUSED, (true, true), REFUSED]);
    }

    #[test]
    fn what_lies_below_an_isolated_nest_is_asked_of() {
        for sweeps in [vec![], vec![sweep(20, 30)]] {
            let mut fence = Fence::of(&[nest(40, Outside::Dropped)], &sweeps, false);
            assert_eq!(answers(&mut fence), [REFUSED, REFUSED, REFUSED, FREE]);
            assert_eq!(fence.dropped, Some(10));
        }
    }

    #[test]
    fn all_is_asked_of_while_it_is_watched() {
        let mut fence = Fence::of(&[], &[], false);
        fence.watch();
        assert_eq!(answers(&mut fence), [(true, true); 4]);
        assert!(fence.lets(35, &[f64::INFINITY]));
        assert_eq!(fence.unwatch(), Some((35, f64::INFINITY)));
        assert_eq!(answers(&mut fence), [FREE; 4]);
    }
}
