//! Names instead of adjoints: which values of other ranks a message or a collective makes of the values of this one.
//!
//! The adjoint of each output is its id, and only the events that reach other ranks are reversed: what a sweep would add to an
//! operand is then the id of what was made of it. Where the values of several ranks meet in a sum, so do the names: in each
//! direction of such a pass one rank gives names, and all others zeros.

use super::Tape;
use super::dependence::Across;
use super::fence::{Fence, Named};
use super::position::Position;
use super::reverse::depth;
use super::sweep::Sweep;
use crate::error::Result;
use std::marker::PhantomData;

impl Tape {
    /// How many directions a pass has.
    pub fn directions(&self) -> usize {
        self.width
    }

    /// Passes names to other ranks, in `direction` if this rank's are to be told, and returns those that came: to which id, in
    /// which direction. Collective over the ranks that `across` reaches, which `dependences_on_ranks` has told of the recording as
    /// it is. Adjoints are left as they were.
    pub fn pass_names(
        &mut self,
        across: &[Across],
        direction: Option<usize>,
    ) -> Result<Vec<Named>> {
        let (from, to) = (self.position(), self.base());
        self.ensure_adjoints()?;
        self.begin_companions(&from, &to, true)?;
        let seeded = self.put_names(across, direction);
        let passed = self.reverse_across(&from, across);
        let ended = self.end_companions(passed.is_ok());
        self.restore_named(across, &seeded);
        passed.and_then(|named| ended.map(|()| named))
    }

    /// Puts names in the place of the adjoints of outputs, which are returned.
    fn put_names(&mut self, across: &[Across], direction: Option<usize>) -> Vec<f64> {
        let width = self.width;
        let mut seeded = Vec::new();
        for &Across { first, n, .. } in across {
            let adjoints = self.adjoints_mut(first, n * width);
            seeded.extend_from_slice(adjoints);
            adjoints.fill(0.0);
            if let Some(direction) = direction {
                for (id, adjoints) in (first..).zip(adjoints.chunks_exact_mut(width)) {
                    adjoints[direction] = f64::from(id);
                }
            }
        }
        seeded
    }

    fn restore_named(&mut self, across: &[Across], seeded: &[f64]) {
        let width = self.width;
        let mut rest = seeded;
        for &Across { first, n, .. } in across {
            let (own, others) = rest.split_at(n * width);
            self.adjoints_mut(first, n * width).copy_from_slice(own);
            rest = others;
        }
    }

    fn reverse_across(&mut self, from: &Position, across: &[Across]) -> Result<Vec<Named>> {
        let mut sweep = Sweep {
            tape: self,
            fence: Fence::that_names(),
            event: from.event,
            depth: depth(),
            undone: from.event,
            tape_borrow: PhantomData,
        };
        for &Across { event, .. } in across {
            sweep.event = event;
            let header = *sweep.tape().header(event);
            let payload = sweep.tape().payload_at(header.payload);
            // SAFETY: the payload that `record` wrote for these operations.
            unsafe { (header.ops.reverse)(payload, &mut sweep)? };
        }
        Ok(sweep.fence.into_named())
    }
}
