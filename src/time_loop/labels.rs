//! What the elements of a state are on the tape, apart from their values: passive, values from outside the loop, or results
//! of its steps, some of which may be one and the same. A sweep of one block after the other then adds up the same numbers in
//! the same order as a sweep of the whole loop.
#![forbid(unsafe_code)]

use crate::count::wide32;
use crate::tape::Var;
use std::ops::Range;

/// One element: the id 0 if it is passive; id and tag of a value from outside; else the first id of the loop plus the number
/// of its class, without a tag. Elements with one id are of one class; classes are numbered as they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Label {
    id: u32,
    tag: u32,
}

impl Label {
    /// That of an element which is passive, or comes from outside a loop whose ids begin at `base`.
    fn outside(x: &Var, base: u32) -> Option<Self> {
        match x.id {
            0 => Some(Self { id: 0, tag: 0 }),
            id if id < base => Some(Self { id, tag: x.tag }),
            _ => None,
        }
    }
}

/// Those of a whole state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// The first id of the loop.
    base: u32,
    labels: Vec<Label>,
    classes: usize,
    /// Where elements of the loop stand side by side, if each is a class of its own.
    runs: Option<Vec<Range<usize>>>,
}

impl Labels {
    /// How many different values of the loop the state has.
    pub const fn classes(&self) -> usize {
        self.classes
    }

    /// Gives `state` the ids that follow from its labels, where `first` is that of the first class.
    pub fn apply(&self, state: &mut [Var], first: u32, tag: u32) {
        for (x, label) in state.iter_mut().zip(&self.labels) {
            (x.id, x.tag) = if label.id >= self.base {
                (first + (label.id - self.base), tag)
            } else {
                (label.id, label.tag)
            };
        }
    }
}

/// The runs of `Labels`.
fn runs(labels: &[Label], base: u32) -> Option<Vec<Range<usize>>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let own = labels.iter().enumerate().filter(|(_, label)| label.id >= base);
    for (id, (k, label)) in (base..).zip(own) {
        if label.id != id {
            return None;
        }
        match runs.last_mut().filter(|run| run.end == k) {
            Some(run) => run.end += 1,
            None => runs.push(k..k + 1),
        }
    }
    Some(runs)
}

/// Finds labels; keeps its memory from one state to the next.
#[derive(Debug, Default)]
pub struct Labeller {
    /// For each id above the base: the number of the search that met it, and its class.
    met: Vec<(u32, u32)>,
    search: u32,
    found: Vec<Label>,
    /// The first element of each class.
    first: Vec<Var>,
}

impl Labeller {
    /// Whether the labels are `known`, and the loop's ids rise from element to element: then it takes one look.
    fn finds_in_order(&mut self, state: &[Var], here: u32, known: &Labels) -> bool {
        let Some(runs) = known.runs.as_ref().filter(|_| state.len() == known.labels.len()) else {
            return false;
        };
        let outside = |range: Range<usize>| {
            let mut pairs = state[range.clone()].iter().zip(&known.labels[range]);
            pairs.all(|(x, label)| Label::outside(x, here) == Some(*label))
        };
        let (mut below, mut end) = (here.saturating_sub(1), 0);
        self.first.clear();
        for run in runs {
            let own = &state[run.clone()];
            let rises = own.iter().all(|x| std::mem::replace(&mut below, x.id) < x.id);
            if !rises || !outside(end..run.start) {
                return false;
            }
            self.first.extend_from_slice(own);
            end = run.end;
        }
        outside(end..state.len())
    }

    /// As `look`, if the loop's ids rise from element to element, as they do where a step computes a state in its order.
    fn look_in_order(&mut self, state: &[Var], base: u32, from: u32) -> bool {
        let (mut below, mut next) = (0, from);
        self.found.clear();
        self.first.clear();
        for run in state.chunk_by(|a, b| a.is_followed_by(b) && b.id != base) {
            if Label::outside(&run[0], base).is_some() {
                self.found.extend(run.iter().filter_map(|x| Label::outside(x, base)));
                continue;
            }
            if run[0].id <= below {
                return false;
            }
            below = run[run.len() - 1].id;
            let after = next + (below - run[0].id) + 1;
            self.found.extend((next..after).map(|id| Label { id, tag: 0 }));
            self.first.extend_from_slice(run);
            next = after;
        }
        true
    }

    /// Looks at `state`, whose elements from id `base` on are the loop's; where classes get the number `from` and up.
    fn look(&mut self, state: &[Var], base: u32, from: u32) {
        if self.look_in_order(state, base, from) {
            return;
        }
        self.search = self.search.checked_add(1).unwrap_or_else(|| {
            self.met.clear();
            1
        });
        self.found.clear();
        self.first.clear();
        for x in state {
            if let Some(label) = Label::outside(x, base) {
                self.found.push(label);
                continue;
            }
            let place = wide32(x.id - base);
            if place >= self.met.len() {
                self.met.resize(place + 1, (0, 0));
            }
            let (search, class) = &mut self.met[place];
            if *search != self.search {
                (*search, *class) = (self.search, u32::try_from(self.first.len()).unwrap_or(0));
                self.first.push(*x);
            }
            self.found.push(Label { id: from + *class, tag: 0 });
        }
    }

    /// The labels of `state`, in a loop whose ids begin at `base`, while those of this recording begin at `here`. None if they
    /// are `known`.
    pub fn labels(
        &mut self,
        state: &[Var],
        (base, here): (u32, u32),
        known: Option<&Labels>,
    ) -> Option<Labels> {
        if known.is_some_and(|known| self.finds_in_order(state, here, known)) {
            return None;
        }
        self.look(state, here, base);
        if known.is_some_and(|known| known.labels == self.found) {
            return None;
        }
        let (labels, classes) = (self.found.clone(), self.first.len());
        Some(Labels { base, runs: runs(&labels, base), labels, classes })
    }

    /// The first element of each class of the state that was looked at last.
    pub fn representatives(&self) -> &[Var] {
        &self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(id: u32) -> Var {
        Var { value: 0.0, id, tag: 7 }
    }

    /// The ids and tags that five elements get by labels, from id 100 on with tag 8.
    fn applied(labels: &Labels) -> [(u32, u32); 5] {
        let mut state = [var(1); 5];
        labels.apply(&mut state, 100, 8);
        state.map(|x| (x.id, x.tag))
    }

    #[test]
    fn ids_that_rise_are_classes_of_their_own() {
        let mut labeller = Labeller::default();
        let state = [var(0), var(11), var(3), var(12), var(15)];
        let labels = labeller.labels(&state, (10, 10), None).unwrap();
        assert_eq!(labeller.representatives(), [var(11), var(12), var(15)]);
        assert_eq!(applied(&labels), [(0, 0), (100, 8), (3, 7), (101, 8), (102, 8)]);
        // The same from another place of the tape, by one look.
        let state = [var(0), var(21), var(3), var(22), var(29)];
        assert!(labeller.labels(&state, (10, 20), Some(&labels)).is_none());
        assert_eq!(labeller.representatives(), [var(21), var(22), var(29)]);
        for (at, id) in [(0, 1), (1, 0), (2, 4), (2, 0), (4, 22)] {
            let mut other = state;
            other[at] = var(id);
            assert!(labeller.labels(&other, (10, 20), Some(&labels)).is_some(), "{id} at {at}");
        }
        assert!(labeller.labels(&state[..4], (10, 20), Some(&labels)).is_some());
        // The same labels, found the other way.
        let state = [var(0), var(12), var(3), var(11), var(10)];
        assert!(labeller.labels(&state, (10, 10), Some(&labels)).is_none());
        let state = [var(0), var(11), var(3), var(11), var(12)];
        assert!(labeller.labels(&state, (10, 10), Some(&labels)).is_some());
    }

    #[test]
    fn what_stands_behind_the_last_class_counts() {
        let mut labeller = Labeller::default();
        let labels = labeller.labels(&[var(11), var(3)], (10, 10), None).unwrap();
        assert!(labeller.labels(&[var(21), var(3)], (10, 20), Some(&labels)).is_none());
        for id in [0, 4, 22] {
            let state = [var(21), var(id)];
            assert!(labeller.labels(&state, (10, 20), Some(&labels)).is_some(), "{id}");
        }
    }

    #[test]
    fn a_state_of_classes_alone_is_its_own_representative() {
        let mut labeller = Labeller::default();
        let labels = labeller.labels(&[var(10), var(12), var(13)], (10, 10), None).unwrap();
        let state = [var(50), var(51), var(70)];
        assert!(labeller.labels(&state, (10, 50), Some(&labels)).is_none());
        assert_eq!(labeller.representatives(), state);
    }

    #[test]
    fn ids_from_before_a_loop_are_no_classes_though_they_lead_to_it() {
        let mut labeller = Labeller::default();
        let state = [var(8), var(9), var(10), var(11), var(0)];
        let labels = labeller.labels(&state, (10, 10), None).unwrap();
        assert_eq!(labeller.representatives(), [var(10), var(11)]);
        assert_eq!(applied(&labels), [(8, 7), (9, 7), (100, 8), (101, 8), (0, 0)]);
    }

    #[test]
    fn elements_that_are_one_stay_one() {
        let mut labeller = Labeller::default();
        let state = [var(0), var(3), var(12), var(11), var(12)];
        let labels = labeller.labels(&state, (10, 10), None).unwrap();
        assert_eq!(labels.classes(), 2);
        assert_eq!(labeller.representatives(), [var(12), var(11)]);
        assert_eq!(applied(&labels), [(0, 0), (3, 7), (100, 8), (101, 8), (100, 8)]);
        // The same from another place of the tape.
        let state = [var(0), var(3), var(52), var(50), var(52)];
        assert!(labeller.labels(&state, (10, 50), Some(&labels)).is_none());
        let state = [var(0), var(3), var(52), var(50), var(50)];
        assert!(labeller.labels(&state, (10, 50), Some(&labels)).is_some());
    }
}
