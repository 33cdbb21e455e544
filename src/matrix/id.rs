//! The ids of elements.

/// Id and tag of an element, side by side as in a `Var`; (0, 0) is passive.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Id {
    pub id: u32,
    pub tag: u32,
}

laid_out!(admpi_id, Id);

/// The id of a value that outlived its tape: no sweep accepts it.
pub const STALE: u32 = u32::MAX;

/// How many of the elements, from the first on, have consecutive ids, or are passive as it is.
pub fn run(ids: &[Id]) -> usize {
    const SOME: usize = 16;
    let Some(&Id { id: first, .. }) = ids.first() else { return 0 };
    let step = u32::from(first != 0);
    let mut expected = first;
    let mut n = 0;
    for some in ids.chunks(SOME) {
        // All of them at once, and one by one where that does not end well.
        let others = (0..).zip(some).fold(0, |others, (i, id): (u32, _)| {
            others | (id.id ^ expected.wrapping_add(i * step))
        });
        if others != 0 {
            let same = (0..).zip(some);
            let same =
                same.take_while(|&(i, id): &(u32, _)| id.id == expected.wrapping_add(i * step));
            return n + same.count();
        }
        n += some.len();
        expected = expected.wrapping_add(step * u32::try_from(some.len()).unwrap_or(0));
    }
    n
}

/// The ids that elements are to get.
#[derive(Clone, Copy)]
pub enum New<'a> {
    /// Consecutive ones, or none if it is passive.
    From(Id),
    /// Those that it gives for 0, 1, 2 and so on, column by column. The caller writes them to an array if there is one.
    Each(&'a dyn Fn(usize) -> Id),
    /// Written by the caller, to an array.
    Listed,
}

impl Id {
    /// That of the element `i` further on.
    pub fn behind(self, i: usize) -> Self {
        let ahead = if self.id == 0 { 0 } else { u32::try_from(i).unwrap_or(0) };
        Self { id: self.id.wrapping_add(ahead), ..self }
    }

    /// Writes `n` ids, from this one on, `step` apart.
    ///
    /// # Safety
    /// `to` has room for as many.
    pub unsafe fn number(self, n: usize, step: u32, to: *mut Self) {
        let Self { mut id, tag } = self;
        for k in 0..n {
            // SAFETY: the caller's promise.
            unsafe { to.add(k).write(Self { id, tag }) };
            id = id.wrapping_add(step);
        }
    }
}

const _: () = assert!(size_of::<Id>() == 8 && STALE != 0);
