//! The arithmetic of a sweep: runs of statements, in one direction or several.

use super::cursors::Cursors;
use super::fence::{Asked, Fence};
use super::position::Position;
use super::{Tape, WIDEST, wrong_width};
use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};

/// Statements of which it is found out together whether the fence must be asked: few enough to stay in cache.
const LOOKED_AT: u32 = 1024;

impl Tape {
    /// Reverses `n` statements below `top` and moves it.
    ///
    /// # Safety
    /// `top` is a position of this tape with at least `n` statements right below it, and the adjoints
    /// of all its ids are committed.
    pub(super) unsafe fn run_statements(
        &mut self,
        top: &mut Position,
        n: u32,
        fence: &mut Fence,
    ) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        if fence.free() == 0 {
            // SAFETY: the caller's promise.
            return unsafe { self.run_some(top, n, None) };
        }
        let mut left = n;
        while left > 0 {
            let some = left.min(LOOKED_AT);
            // SAFETY: as above.
            unsafe {
                let asks = self.asks(top, some, fence.asked());
                self.run_some(top, some, asks.then_some(&mut *fence))?;
            }
            left -= some;
        }
        Ok(())
    }

    /// Whether one of the `n` statements below `top` has an operand that is `asked` of. It is not looked for where the statements
    /// pass nothing on.
    ///
    /// # Safety
    /// As for `run_statements`.
    unsafe fn asks(&self, top: &Position, n: u32, asked: Asked) -> bool {
        let (adjoints, width) = (self.adjoint.base().cast::<f64>(), self.width);
        let statements = self.statement.base().cast::<u8>();
        let arguments = self.argument.base().cast::<u32>();
        // SAFETY: the caller's promise: they have been written.
        unsafe {
            let first = adjoints.add(wide32(top.id - n) * width);
            let ws = std::slice::from_raw_parts(first, wide32(n) * width);
            if ws.chunks(16).all(|ws| ws.iter().fold(0, |bits, w| bits | w.to_bits()) == 0) {
                return true;
            }
            let first = statements.add(wide32(top.statement - n));
            let counts = std::slice::from_raw_parts(first, wide32(n));
            let operands = wide32(counts.iter().map(|&count| u32::from(count)).sum());
            let first = arguments.add(wide(top.argument) - operands);
            asked.has_any(std::slice::from_raw_parts(first, operands))
        }
    }

    /// As `run_statements`, by a fence, or without one.
    ///
    /// # Safety
    /// As for `run_statements`.
    unsafe fn run_some(
        &mut self,
        top: &mut Position,
        n: u32,
        fence: Option<&mut Fence>,
    ) -> Result<()> {
        // SAFETY: the caller's promise: all pointers stay within what has been written.
        unsafe {
            let streams = Streams {
                adjoint: self.adjoint.base().cast(),
                statement: self.statement.base().add(wide32(top.statement)),
                argument: self.argument.base().cast::<u32>().add(wide(top.argument)),
                jacobian: self.jacobian.base().cast::<f64>().add(wide(top.argument)),
                id: wide32(top.id),
                n: wide32(n),
            };
            let arguments = match fence {
                None => streams.reverse(self.width, |_, _| true),
                Some(fence) => {
                    let asked = fence.asked();
                    let lets = move |id, partial| !asked.has(id) || fence.lets(id, &[partial]);
                    streams.reverse(self.width, lets)
                }
            };
            let arguments = arguments.ok_or_else(|| wrong_width(self.width))?;
            top.argument -= arguments.map_err(|id| self.foreign_operand(id))? as u64;
        }
        top.statement -= n;
        top.id -= n;
        Ok(())
    }

    /// Reverses all statements above `bottom`, the first one's place, in one direction; nothing else stands there.
    ///
    /// # Safety
    /// The width is 1, and the adjoints of all ids are committed.
    #[inline(always)]
    pub(super) unsafe fn run_all_statements(&mut self, bottom: *const u8) -> Result<()> {
        let Cursors { statement, argument, jacobian, next_id, .. } = self.cursors;
        let n = statement.addr() - bottom.addr();
        let adjoint = self.adjoint.base().cast();
        let id = wide32(next_id);
        let streams = Streams { adjoint, statement, argument, jacobian, id, n };
        // SAFETY: the caller's promise: all pointers stay within what has been written.
        unsafe { streams.reverse_here(|_, _| true) }
            .map(drop)
            .map_err(|id| self.foreign_operand(id))
    }

    #[cold]
    fn foreign_operand(&self, id: u32) -> Error {
        Error::new(
            Code::Stale,
            format!(
                "an operand has id {id}, made after its statement: it outlived a reset, belongs to another tape, or was put \
                 here by a rank with which this one has not synchronised since (ADMPI_CHECK=1 tells where); clear the adjoints"
            ),
        )
    }
}

fn is_zero<const K: usize>(w: &[f64; K]) -> bool {
    w.iter().all(|&w| w == 0.0)
}

/// Statements whose adjoints are all zero. They pass nothing on, so a sweep goes past them many at a time.
struct Idle {
    statements: usize,
    arguments: usize,
}

impl Idle {
    /// Statements looked at together.
    const BLOCK: usize = 16;

    /// Those right below `statement` and `adjoint`, among `n` statements. Nothing is written but zeros without a sign: what
    /// the sweep does not touch costs it no memory.
    ///
    /// # Safety
    /// `n` statements and their adjoints lie right below the pointers.
    #[inline(never)]
    unsafe fn below<const K: usize>(
        mut adjoint: *mut [f64; K],
        mut statement: *const u8,
        n: usize,
    ) -> Self {
        let (mut statements, mut arguments) = (0, 0);
        // SAFETY: the caller's promise: a block is looked at only if `n` statements hold it.
        unsafe {
            while n - statements >= Self::BLOCK {
                let block = &*adjoint.sub(Self::BLOCK).cast::<[[f64; K]; Self::BLOCK]>();
                if block.as_flattened().iter().fold(0, |bits, w| bits | w.to_bits()) != 0 {
                    break;
                }
                adjoint = adjoint.sub(Self::BLOCK);
                statement = statement.sub(Self::BLOCK);
                statements += Self::BLOCK;
                let counts = &*statement.cast::<[u8; Self::BLOCK]>();
                arguments += counts.iter().map(|&count| usize::from(count)).sum::<usize>();
            }
            while statements < n && is_zero(&*adjoint.sub(1)) {
                adjoint = adjoint.sub(1);
                *adjoint = [0.0; K];
                statement = statement.sub(1);
                statements += 1;
                arguments += usize::from(*statement);
            }
        }
        Self { statements, arguments }
    }
}

/// How many arguments the statements had, or an operand that is younger than its statement.
type Swept = std::result::Result<usize, u32>;

/// A run of statements to reverse: pointers just above it, and how many there are.
struct Streams {
    adjoint: *mut f64,
    statement: *const u8,
    argument: *const u32,
    jacobian: *const f64,
    id: usize,
    n: usize,
}

impl Streams {
    /// In `width` directions, if there are kernels for as many.
    ///
    /// # Safety
    /// As for `run_statements`.
    #[inline(always)]
    unsafe fn reverse(self, width: usize, lets: impl FnMut(u32, f64) -> bool) -> Option<Swept> {
        // SAFETY: the caller's promise.
        Some(unsafe {
            match width {
                1 => self.reverse_one(lets),
                2 => self.reverse_wide::<2>(lets),
                4 => self.reverse_wide::<4>(lets),
                8 => self.reverse_wide::<8>(lets),
                WIDEST => self.reverse_wide::<WIDEST>(lets),
                _ => return None,
            }
        })
    }

    /// One direction. `lets` says whether something may be added to the adjoint of an id, for this partial.
    ///
    /// # Safety
    /// As for `run_statements`.
    #[inline(never)]
    unsafe fn reverse_one(self, lets: impl FnMut(u32, f64) -> bool) -> Swept {
        // SAFETY: the caller's promise.
        unsafe { self.reverse_here(lets) }
    }

    /// The same in place, for a few statements. Where a statement's operand is the value made just before it, that
    /// adjoint goes on in a register: a chain of statements would else wait for its own stores.
    ///
    /// # Safety
    /// As for `run_statements`.
    #[inline(always)]
    unsafe fn reverse_here(self, mut lets: impl FnMut(u32, f64) -> bool) -> Swept {
        let Self { adjoint, mut statement, mut argument, mut jacobian, mut id, n } = self;
        // SAFETY: the caller's promise; an operand is older than its statement, or refused.
        unsafe {
            let top = argument;
            let end = statement.sub(n);
            let (mut made, mut passed_on) = (0, 0.0);
            while statement != end {
                statement = statement.sub(1);
                id -= 1;
                let w = if made == id { passed_on } else { *adjoint.add(id) };
                *adjoint.add(id) = 0.0;
                let count = usize::from(*statement);
                made = 0;
                if w == 0.0 {
                    argument = argument.sub(count);
                    jacobian = jacobian.sub(count);
                    if statement != end && *adjoint.add(id - 1) == 0.0 {
                        let left = statement.offset_from_unsigned(end);
                        let idle = Idle::below(adjoint.cast::<[f64; 1]>().add(id), statement, left);
                        statement = statement.sub(idle.statements);
                        id -= idle.statements;
                        argument = argument.sub(idle.arguments);
                        jacobian = jacobian.sub(idle.arguments);
                    }
                    continue;
                }
                // All but the first, by a negative index that ends at zero.
                let mut i = 1 - count.cast_signed();
                while i != 0 {
                    let operand = *argument.offset(i);
                    if wide32(operand) >= id {
                        return Err(operand);
                    }
                    let partial = *jacobian.offset(i);
                    if lets(operand, partial) {
                        *adjoint.add(wide32(operand)) += partial * w;
                    }
                    i += 1;
                }
                argument = argument.sub(count);
                jacobian = jacobian.sub(count);
                let (operand, partial) = (*argument, *jacobian);
                if wide32(operand) >= id {
                    return Err(operand);
                }
                if lets(operand, partial) {
                    made = wide32(operand);
                    passed_on = *adjoint.add(made) + partial * w;
                    *adjoint.add(made) = passed_on;
                }
            }
            Ok(top.offset_from_unsigned(argument))
        }
    }

    /// `K` directions side by side.
    ///
    /// # Safety
    /// As for `run_statements`.
    unsafe fn reverse_wide<const K: usize>(self, mut lets: impl FnMut(u32, f64) -> bool) -> Swept {
        let Self { adjoint, mut statement, mut argument, mut jacobian, mut id, n } = self;
        // SAFETY: the caller's promise; an operand is older than its statement, or refused.
        unsafe {
            let adjoint = adjoint.cast::<[f64; K]>();
            let top = argument;
            let end = statement.sub(n);
            while statement != end {
                statement = statement.sub(1);
                id -= 1;
                let count = usize::from(*statement);
                argument = argument.sub(count);
                jacobian = jacobian.sub(count);
                let w = adjoint.add(id).replace([0.0; K]);
                if is_zero(&w) {
                    if statement != end && is_zero(&*adjoint.add(id - 1)) {
                        let left = statement.offset_from_unsigned(end);
                        let idle = Idle::below(adjoint.add(id), statement, left);
                        statement = statement.sub(idle.statements);
                        id -= idle.statements;
                        argument = argument.sub(idle.arguments);
                        jacobian = jacobian.sub(idle.arguments);
                    }
                    continue;
                }
                for i in 0..count {
                    let operand = *argument.add(i);
                    if wide32(operand) >= id {
                        return Err(operand);
                    }
                    let partial = *jacobian.add(i);
                    if !lets(operand, partial) {
                        continue;
                    }
                    let into = &mut *adjoint.add(wide32(operand));
                    if partial.is_finite() {
                        for k in 0..K {
                            into[k] += partial * w[k];
                        }
                    } else {
                        // An infinite partial is none of the business of directions that are zero.
                        for k in (0..K).filter(|&k| w[k] != 0.0) {
                            into[k] += partial * w[k];
                        }
                    }
                }
            }
            Ok(top.offset_from_unsigned(argument))
        }
    }
}
