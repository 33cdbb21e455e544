//! Patterns of Jacobians and Hessians of what ranks compute together: how the ranks find out which values were made of which
//! across messages and collectives, and how they agree.

use crate::error::{Code, Error, Result};
use crate::mpi::{Comm, MpiResult, exchange_words, transfer, wide_int};
use crate::sparsity::{
    Exchange, Links, Pattern, hessian_on_ranks, inputs, jacobian_on_ranks, numbers,
};
use crate::tape::{Across, Dependences, Named, Tape, Var};

/// The ranks of a communicator.
pub struct Ranks {
    comm: Comm,
    rank: usize,
    ranks: usize,
}

fn failed(failure: crate::mpi::Failure) -> Error {
    failure.into_error("communication of the ranks")
}

impl Ranks {
    pub fn of(comm: Comm) -> MpiResult<Self> {
        Ok(Self { comm, rank: wide_int(comm.rank()?), ranks: wide_int(comm.size()?) })
    }
}

impl Exchange for Ranks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn exchange(&mut self, out: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>> {
        exchange_words(self.comm, &out).map_err(failed)
    }

    fn any(&mut self, here: bool) -> Result<bool> {
        let mut all = [i64::from(!here)];
        transfer::allreduce_min(self.comm, &mut all).map_err(failed)?;
        Ok(all == [0])
    }
}

/// What this rank has, if no rank of `comm` has an error. Otherwise all get that of the lowest that has one, which it names.
pub fn agreed<T>(comm: Comm, own: Result<T>) -> MpiResult<T> {
    let (rank, ranks) = (comm.rank()?, comm.size()?);
    let mut lowest = [i64::from(if own.is_err() { rank } else { ranks })];
    transfer::allreduce_min(comm, &mut lowest)?;
    if lowest == [i64::from(ranks)] {
        return own.map_err(Into::into);
    }
    let mut out = vec![Vec::new(); wide_int(ranks)];
    if let (Err(error), true) = (&own, lowest == [i64::from(rank)]) {
        let code = u64::from((error.code as i32).cast_unsigned());
        let text = error.message.bytes().map(u64::from);
        let words: Vec<u64> = std::iter::once(code).chain(text).collect();
        out.fill(words);
    }
    let told: Vec<u64> = exchange_words(comm, &out)?.concat();
    let code = told.first().and_then(|&code| Code::from_c(i32::try_from(code).ok()?));
    let text: Vec<u8> = told.iter().skip(1).filter_map(|&byte| u8::try_from(byte).ok()).collect();
    let text = format!("on rank {}: {}", lowest[0], String::from_utf8_lossy(&text));
    Err(Error::new(code.unwrap_or(Code::Argument), text).into())
}

/// This rank's rows of the pattern of a Jacobian. All ranks of `comm` call; an error of one is an error of all.
pub fn jacobian(comm: Comm, asked: Result<(&mut Tape, &[Var], &[Var])>) -> MpiResult<Pattern> {
    let mut ranks = Ranks::of(comm)?;
    let own = asked.and_then(|(tape, x, y)| {
        let (of, across) = tape.dependences_on_ranks()?;
        let x = numbers("x", x, &of)?;
        let y: Vec<Option<usize>> = y.iter().map(|y| of.node(y.id)).collect();
        Ok((tape, of, across, x, y))
    });
    let (tape, of, across, x, y) = agreed(comm, own)?;
    let links = links(&of, tape, &across, &mut ranks)?;
    Ok(jacobian_on_ranks(&of, &links, &x, &y, &mut ranks)?)
}

/// The same of a Hessian, from a recording of the derivative `y` in direction `v`.
pub fn hessian(comm: Comm, asked: Result<(&mut Tape, &[Var], &[Var], Var)>) -> MpiResult<Pattern> {
    let mut ranks = Ranks::of(comm)?;
    let own = asked.and_then(|(tape, x, v, y)| {
        let (of, across) = tape.dependences_on_ranks()?;
        let (x, v) = inputs(&of, x, v)?;
        let y = of.node(y.id);
        Ok((tape, of, across, x, v, y))
    });
    let (tape, of, across, x, v, y) = agreed(comm, own)?;
    let links = links(&of, tape, &across, &mut ranks)?;
    Ok(hessian_on_ranks(&of, &links, (&x, &v), y, &mut ranks)?)
}

/// What other ranks have made of which values of this one: each rank in turn, several in one pass, tells names.
fn links(
    of: &Dependences,
    tape: &mut Tape,
    across: &[Across],
    ranks: &mut Ranks,
) -> MpiResult<Links> {
    let width = tape.directions();
    agreed(ranks.comm, same_width(width, ranks.comm)?)?;
    let mut made = vec![Vec::new(); ranks.ranks];
    for first in (0..ranks.ranks).step_by(width) {
        let direction = ranks.rank.checked_sub(first).filter(|&direction| direction < width);
        for Named { id, direction, value } in tape.pass_names(across, direction)? {
            made[first + direction].push((id, whole(value)));
        }
    }
    Ok(Links::new(of, &made, ranks)?)
}

/// An error if the tapes of other ranks have other widths.
fn same_width(width: usize, comm: Comm) -> MpiResult<Result<()>> {
    let own = i64::try_from(width).unwrap_or(-1);
    let mut least_and_most = [own, -own];
    transfer::allreduce_min(comm, &mut least_and_most)?;
    let [least, most] = [least_and_most[0], -least_and_most[1]];
    Ok(if least == most {
        Ok(())
    } else {
        let text = format!(
            "sparsity: tapes have {least} directions on one rank and {most} on another; call set_width alike"
        );
        Err(Error::new(Code::Mismatch, text))
    })
}

/// A name, which is an id.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // ids are 32 bits
fn whole(name: f64) -> u32 {
    debug_assert!(name.fract() == 0.0 && name > 0.0);
    name as u32
}
