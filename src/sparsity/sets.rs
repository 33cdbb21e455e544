//! Sets of numbers that values depend on. Values with the same set share it.

use super::pattern::number;
use crate::count::wide32;

/// A set; `EMPTY` is the set of what depends on nothing.
pub type Set = u32;
pub const EMPTY: Set = 0;

/// Sets of numbers below a bound.
pub struct Sets {
    /// Set `s` is `element[start[s]..start[s + 1]]`.
    start: Vec<usize>,
    element: Vec<u32>,
    /// Of each number, the last union that it was put into.
    seen: Vec<u32>,
    unions: u32,
    /// How many elements were looked at.
    pub work: usize,
    /// Room for the sets of one union.
    differing: Vec<Set>,
}

impl Sets {
    pub fn below(bound: usize) -> Self {
        Self {
            start: vec![0, 0],
            element: Vec::new(),
            seen: vec![0; bound],
            unions: 0,
            work: 0,
            differing: Vec::new(),
        }
    }

    pub fn get(&self, set: Set) -> &[u32] {
        &self.element[self.start[wide32(set)]..self.start[wide32(set) + 1]]
    }

    fn len(&self, set: Set) -> usize {
        self.start[wide32(set) + 1] - self.start[wide32(set)]
    }

    pub fn singleton(&mut self, element: u32) -> Set {
        self.element.push(element);
        self.end()
    }

    /// A set of elements that differ.
    pub fn of(&mut self, elements: &[u32]) -> Set {
        if elements.is_empty() {
            return EMPTY;
        }
        self.element.extend_from_slice(elements);
        self.end()
    }

    fn end(&mut self) -> Set {
        self.start.push(self.element.len());
        number(self.start.len() - 2)
    }

    /// The union of `sets`: one of them, if that has all.
    #[inline(always)]
    pub fn union(&mut self, sets: impl Iterator<Item = Set> + Clone) -> Set {
        let mut one = EMPTY;
        for set in sets.clone() {
            if set != EMPTY && set != one {
                if one != EMPTY {
                    return self.join(sets);
                }
                one = set;
            }
        }
        one
    }

    fn join(&mut self, sets: impl Iterator<Item = Set>) -> Set {
        let mut differing = std::mem::take(&mut self.differing);
        differing.extend(sets.filter(|&set| set != EMPTY));
        differing.sort_unstable();
        differing.dedup();
        let joined = self.join_differing(&differing);
        differing.clear();
        self.differing = differing;
        joined
    }

    fn join_differing(&mut self, sets: &[Set]) -> Set {
        if self.unions == u32::MAX {
            self.seen.fill(0);
            self.unions = 0;
        }
        self.unions += 1;
        let before = self.element.len();
        let largest = sets.iter().copied().max_by_key(|&set| self.len(set)).unwrap_or(EMPTY);
        let others = sets.iter().copied().filter(|&set| set != largest);
        let mut new = 0;
        for set in std::iter::once(largest).chain(others) {
            let range = self.start[wide32(set)]..self.start[wide32(set) + 1];
            self.work += range.len();
            for k in range {
                let element = self.element[k];
                let seen = &mut self.seen[wide32(element)];
                if *seen != self.unions {
                    *seen = self.unions;
                    self.element.push(element);
                    new += usize::from(set != largest);
                }
            }
        }
        if new == 0 {
            self.element.truncate(before);
            return largest;
        }
        self.end()
    }
}
