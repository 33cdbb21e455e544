//! Companions: state that a higher floor keeps with a tape, told of its sweeps.

use super::position::Position;
use crate::error::Result;
use std::any::{Any, TypeId};

pub trait Companion: Any + Send {
    /// So far the tape has been recorded, before a sweep begins or ends, and before a part is forgotten.
    fn recorded(&mut self, _top: &Position) {}
    /// A sweep from `from` down to `to` is about to start, in a tape or nest that begins at `base`; `whole` if it starts
    /// at the end, `seeded` if it has adjoints to propagate. One that fails leaves all as it was.
    fn begin(
        &mut self,
        _from: &Position,
        _to: &Position,
        _base: &Position,
        _whole: bool,
        _seeded: bool,
    ) -> Result<()> {
        Ok(())
    }
    /// The sweep that has just begun does not take place, since another companion failed to begin it: all is to be as
    /// before `begin`.
    fn withdraw(&mut self) {}
    /// Code of the user's is about to run in the middle of a sweep, and may wait for other processes: nothing
    /// may be left that moves only while the sweep goes on.
    fn pause(&mut self) -> Result<()> {
        Ok(())
    }
    /// The sweep has reached its end; `bottom` when that is the base of the tape or of the nest.
    fn end(&mut self, _bottom: bool) -> Result<()> {
        Ok(())
    }
    /// An error where `call`, which ends what was to be done with the events from `event` on, comes in the middle of
    /// a sweep that is to go on below.
    fn may_end(&self, _call: &str, _event: u32) -> Result<()> {
        Ok(())
    }
    /// The call that was recorded last at or before `event`, and where it stands, for messages.
    fn nearest(&self, _event: u32) -> Option<String> {
        None
    }
    /// All that lies above `position` is about to be forgotten, events and what is in the arena.
    fn forget(&mut self, _position: &Position) {}
}

/// Those of one tape, one of a type. Every message asks for its own: types stand beside, to be compared without
/// a call.
#[derive(Default)]
pub struct Companions(Vec<(TypeId, Box<dyn Companion>)>);

impl Companions {
    /// The one of type `C`, made if there is none.
    #[inline]
    pub fn get<C: Companion + Default>(&mut self) -> &mut C {
        let found = self.0.iter_mut().find(|(kind, _)| *kind == TypeId::of::<C>());
        let companion: *mut C = match found {
            Some((_, companion)) => (&raw mut **companion).cast(),
            None => self.make(),
        };
        // SAFETY: borrowed from `self`, and of type `C`, as `put` wrote beside it.
        unsafe { &mut *companion }
    }

    /// The one of type `C`, if there is one.
    pub fn find<C: Companion>(&mut self) -> Option<&mut C> {
        let (_, companion) = self.0.iter_mut().find(|(kind, _)| *kind == TypeId::of::<C>())?;
        let companion: &mut dyn Any = &mut **companion;
        companion.downcast_mut()
    }

    #[cold]
    fn make<C: Companion + Default>(&mut self) -> *mut C {
        let mut companion = Box::<C>::default();
        let made = &raw mut *companion;
        self.put(companion);
        made
    }

    /// Takes the one of type `C` out; makes it if there is none.
    pub fn take<C: Companion + Default>(&mut self) -> Box<C> {
        match self.0.iter().position(|(kind, _)| *kind == TypeId::of::<C>()) {
            Some(at) => {
                let companion: Box<dyn Any> = self.0.swap_remove(at).1;
                companion.downcast().expect("of the type beside it")
            }
            None => Box::default(),
        }
    }

    pub fn put<C: Companion>(&mut self, companion: Box<C>) {
        self.0.push((TypeId::of::<C>(), companion));
    }

    /// Puts back what was taken out of the tape as a whole, before those made since.
    pub fn restore(&mut self, mut taken: Self) {
        taken.0.append(&mut self.0);
        *self = taken;
    }

    /// Begins all of them, or none.
    pub fn begin(&mut self, mut begin: impl FnMut(&mut dyn Companion) -> Result<()>) -> Result<()> {
        for at in 0..self.0.len() {
            if let Err(error) = begin(&mut *self.0[at].1) {
                self.0[..at].iter_mut().rev().for_each(|(_, begun)| begun.withdraw());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends all of them, be there errors; tells the first.
    pub fn end(&mut self, bottom: bool, top: impl Fn() -> Position) -> Result<()> {
        let end = |(_, companion): &mut (TypeId, Box<dyn Companion>)| {
            companion.recorded(&top());
            companion.end(bottom)
        };
        self.0.iter_mut().map(end).fold(Ok(()), Result::and)
    }

    pub fn nearest(&self, event: u32) -> Option<String> {
        self.0.iter().find_map(|(_, companion)| companion.nearest(event))
    }

    /// `top` tells how far the tape has been recorded.
    pub fn forget(&mut self, position: &Position, top: &Position) {
        for (_, companion) in &mut self.0 {
            companion.recorded(top);
            companion.forget(position);
        }
    }

    pub fn each(&mut self, mut f: impl FnMut(&mut dyn Companion) -> Result<()>) -> Result<()> {
        self.0.iter_mut().try_for_each(|(_, companion)| f(&mut **companion))
    }
}
