//! Scan and Exscan.
//!
//! What the results of the ranks above pass down to a rank's own result is an affine map of what comes from
//! above them: of U, which a rank passes to the one below, and y, its own result's adjoint,
//! - Scan:   U below = m (y + U)
//! - Exscan: U below = y + m U
//!
//! with m = 1 for SUM, the rank's value for PROD, and for extrema 0 or 1: whether a lower rank's item stands. An
//! Exscan of these maps over the ranks in reverse order gives every rank its U. The operand's adjoint is d (y + U)
//! for Scan and d U for Exscan, with d = 1 for SUM, the product of the ranks below for PROD, and 1 - m for
//! extrema. Nothing of it grows with the number of ranks.

use super::buffers::packed;
use super::builtin_op::{Extent, Kind, Operator};
use super::check::Portions;
use super::collective::{
    AdjointRule, Members, Outputs, Recording, Unfinished, arrived_stamped, carry_out, collect,
};
use super::dispatched::{Dispatched, Operands, moving, passive};
use super::peer_exchange::{Edges, Way};
use super::recording::ids;
use super::stamp::{Call, Stamp};
use super::target::Target;
use super::traffic::PendingAdjoint;
use super::wire::{self, failed};
use super::{AdjointComm, user_op};
use crate::datatype::BufferTriple;
use crate::error::Result;
use crate::mpi::{CallForm, Comm, Item, MpiResult, Op, Staging, times};
use crate::tape::{Ids, Stored, Sweep, Tape};

/// What is kept for the way back.
#[derive(Debug, Clone, Copy)]
enum Kept {
    Nothing,
    /// This rank's values, and the products of those of the ranks below.
    Factors {
        own: Stored<f64>,
        below: Stored<f64>,
    },
    /// A bit an element: this rank's item is the extremum so far.
    Won(Stored<u64>),
}

impl Kept {
    /// d and m of the `i`th element.
    fn factors(&self, i: usize, sweep: &Sweep<'_>) -> (f64, f64) {
        match self {
            Self::Nothing => (1.0, 1.0),
            Self::Factors { own, below } => (sweep.stored(below)[i], sweep.stored(own)[i]),
            Self::Won(bits) if sweep.stored(bits)[i / 64] >> (i % 64) & 1 != 0 => (1.0, 0.0),
            Self::Won(_) => (0.0, 1.0),
        }
    }
}

/// Beyond so many values it costs that each rank sends to all below.
const LONG: usize = 1024;

#[derive(Clone, Copy)]
struct Scanned {
    private: &'static AdjointComm,
    operator: Operator,
    /// Exscan: a rank's own operand is not in its result, and rank 0 has none.
    exclusive: bool,
    ids: Ids,
    kept: Kept,
}

impl Scanned {
    const fn is_lowest(&self) -> bool {
        self.private.rank == 0
    }

    fn is_sum(&self) -> bool {
        self.operator.kind == Kind::Sum
    }

    /// This rank's map of each element: the factor, then what is added in each direction; behind that of the stamp, if
    /// `taken` has one: 1 and its word.
    fn maps(&self, taken: &[f64], lead: usize, sweep: &Sweep<'_>) -> Staging {
        let width = sweep.width();
        let mut maps = Staging::take((lead + self.ids.len()) * (1 + width));
        let (stamped, each) = maps.as_mut_slice().split_at_mut(lead * (1 + width));
        let (word, taken) = taken.split_at(lead * width);
        if let [m, b @ ..] = stamped {
            *m = 1.0;
            b.copy_from_slice(word);
        }
        let each = each.chunks_exact_mut(1 + width);
        for (i, (map, y)) in each.zip(taken.chunks_exact(width)).enumerate() {
            let (_, m) = self.kept.factors(i, sweep);
            map[0] = m;
            for (b, &y) in map[1..].iter_mut().zip(y) {
                *b = if self.exclusive { y } else { times(m, y) };
            }
        }
        maps
    }

    /// Adds, given the maps of the ranks above as one, which stands at zero.
    fn add_below(&self, maps: &[f64], kept: &mut [f64], sweep: &mut Sweep<'_>) {
        let width = sweep.width();
        let each = maps.chunks_exact(1 + width);
        for (i, (t, map)) in kept.chunks_exact_mut(width).zip(each).enumerate() {
            let (d, _) = self.kept.factors(i, sweep);
            for (t, u) in t.iter_mut().zip(&map[1..]) {
                *t = times(d, *t + u);
            }
        }
        sweep.add(&self.ids, kept);
    }

    /// What a result's adjoint adds to that of this rank's own operand, in the place of `taken`: that of an Exscan nothing.
    fn kept(&self, mut taken: Staging) -> Staging {
        if self.exclusive {
            taken.as_mut_slice().fill(0.0);
        }
        taken
    }

    /// How many ranks' adjoints come home to this one.
    fn above(&self) -> usize {
        self.private.ranks() - self.private.place() - usize::from(self.exclusive)
    }
}

impl AdjointRule for Scanned {
    const NAME: &'static str = "Scan";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(if self.exclusive { Call::Exscan } else { Call::Scan })
    }

    fn signature(&self) -> Option<[i64; 3]> {
        Some([-1, self.operator.number(), i64::try_from(self.ids.len()).unwrap_or(-1)])
    }

    fn save_for_reverse(&self, tape: &mut Tape, sent: &[f64], received: &[f64]) {
        match &self.kept {
            Kept::Nothing => {}
            Kept::Factors { own, below } => {
                tape.stored_mut(own).copy_from_slice(sent);
                let below = tape.stored_mut(below);
                if self.is_lowest() {
                    below.fill(1.0);
                } else {
                    below.copy_from_slice(received);
                }
            }
            Kept::Won(bits) => {
                for (word, bits) in tape.stored_mut(bits).iter_mut().enumerate() {
                    let elements = 64 * word..(64 * word + 64).min(self.ids.len());
                    *bits = elements.fold(0, |bits, i| {
                        let won = self.is_lowest() || self.operator.prevails(i, sent, received);
                        bits | u64::from(won) << (i % 64)
                    });
                }
            }
        }
    }

    /// All members have the same counts.
    fn portions(&self, _: &Tape, _: &mut Portions) {}

    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        if self.exclusive && self.is_lowest() {
            return Staging::zeros((lead + self.ids.len()) * sweep.width());
        }
        outputs.take(lead, sweep)
    }

    fn start_reverse(
        &self,
        mut taken: Staging,
        stamp: Stamp,
        call_form: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        let (width, n) = (sweep.width(), self.ids.len());
        stamp.put(taken.as_mut_slice(), [n], width);
        let comm = self.private.mirror().comm(sweep.depth())?;
        if self.is_sum() {
            let (item, op) = (Item::double(), Op::sum());
            let from_above = if self.exclusive {
                let room = Staging::zeros(taken.len());
                wire::exscan(comm, taken, room, item, op, call_form)
            } else {
                let room = Staging::take(taken.len());
                wire::scan(comm, taken, room, item, op, call_form)
            };
            return from_above.map(PendingAdjoint::of).map_err(failed);
        }
        let words = 1 + width;
        let maps = self.maps(taken.as_slice(), 1, sweep);
        let composed = || {
            let (item, op) = (Item::doubles(words)?, Op::composed(width)?);
            wire::exscan(comm, maps, Staging::zeros((1 + n) * words), item, op, call_form)
        };
        let pending = PendingAdjoint::of(composed().map_err(failed)?);
        Ok(PendingAdjoint { kept: self.kept(taken), ..pending })
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        if self.is_sum() {
            return collect(pending, self.above(), &self.ids, sweep);
        }
        let PendingAdjoint { main, mut kept, stamp, .. } = pending;
        let above = self.private.ranks() - self.private.place() - 1;
        let maps = arrived_stamped(main, |data, _| stamp.check(data[1], above), sweep)?;
        let width = sweep.width();
        self.add_below(&maps.as_slice()[1 + width..], &mut kept.as_mut_slice()[width..], sweep);
        Ok(())
    }

    fn has_factors(&self) -> bool {
        self.operator.kind == Kind::Product
    }

    fn operands(&self) -> Option<&Ids> {
        Some(&self.ids)
    }

    /// A rank's own part of a sum is among the others.
    fn sources(&self, _: &Sweep<'_>) -> Edges {
        let own = usize::from(self.is_sum() && !self.exclusive);
        Edges::alike(self.private, 0..self.private.place() + own, self.ids.len())
    }

    fn destinations(&self, _: &Sweep<'_>) -> Edges {
        let own = usize::from(self.is_sum() && !self.exclusive);
        let from = self.private.place() + 1 - own;
        Edges::alike(self.private, from..self.private.ranks(), self.ids.len())
    }

    /// Every rank sends its map to all below, each of whom composes those of all above.
    fn send(&self, taken: Staging, way: Way, sweep: &mut Sweep<'_>) -> Result<Staging> {
        let (sources, width) = (self.sources(sweep).keeping_own(), sweep.width());
        if self.is_sum() {
            return sources.send(way, &taken, width, sweep);
        }
        let maps = self.maps(taken.as_slice(), 0, sweep);
        sources.send(way, &maps, 1 + width, sweep)?;
        Ok(self.kept(taken))
    }

    fn receive(&self, mut kept: Staging, way: Way, sweep: &mut Sweep<'_>) -> Result<()> {
        let destinations = self.destinations(sweep).keeping_own();
        if self.is_sum() {
            return destinations.collect(way, &kept, &self.ids, sweep);
        }
        let words = 1 + sweep.width();
        let mut all = Staging::zeros(self.ids.len() * words);
        let from_the_top = destinations.reversed();
        from_the_top.receive(way, &Staging::default(), words, sweep, |at, maps, _| {
            let all = &mut all.as_mut_slice()[at * words..];
            let each = all.chunks_exact_mut(words).zip(maps.chunks_exact(words));
            for (all, map) in each {
                for (u, b) in all[1..].iter_mut().zip(&map[1..]) {
                    *u = b + times(map[0], *u);
                }
            }
        })?;
        self.add_below(all.as_slice(), kept.as_mut_slice(), sweep);
        Ok(())
    }
}

/// Scan and Exscan.
pub fn scan(
    operands: &Operands,
    extent: Extent,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    if operands.are_passive()? {
        return passive(|| operands.none_brought());
    }
    let Operands { send, receive, op } = operands;
    match user_op::find_for(*op, receive.datatype()) {
        None => moving(start(send, receive, *op, comm, extent, call_form)?, comm),
        Some(users) => {
            let now = || users.scan(send, receive, comm, extent);
            let begin = || users.iscan(send, receive, comm, extent);
            moving(user_op::in_form(call_form, now, begin)?, comm)
        }
    }
}

fn start(
    send: &BufferTriple,
    receive: &BufferTriple,
    op: Op,
    comm: Comm,
    extent: Extent,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let exclusive = extent == Extent::Exclusive;
    let operator = Operator::of(op, receive.datatype())?;
    let source = operator.source_or_in_place("sendbuf", send)?;
    let sink = operator.sink("recvbuf", receive)?;
    let source = source.unwrap_or_else(|| sink.source().clone());
    let n = source.len();
    let members = if n > LONG { Members::ApartAndHeavy } else { Members::Apart };
    let recording = Recording::set(comm, call_form, || members)?;
    let lowest = comm.rank()? == 0;
    let (data, shape) = packed(&source, recording.is_some())?;
    // The reduction of the ranks below, which the way back needs, is the larger part of a Scan.
    let recorded = recording.is_some();
    let folded = !exclusive && operator.kind != Kind::Sum && recorded;
    let target = if folded {
        Target::Folded { sink, operator, lowest }
    } else if exclusive && lowest {
        Target::Nothing
    } else {
        Target::All(sink)
    };
    carry_out(
        call_form,
        recording,
        if exclusive && lowest { 0 } else { n },
        target,
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let kept = match operator.kind {
                Kind::Sum => Kept::Nothing,
                Kind::Product => Kept::Factors { own: tape.store(n)?, below: tape.store(n)? },
                Kind::Min | Kind::Max => Kept::Won(tape.store(n.div_ceil(64))?),
            };
            Ok(Scanned { private, operator, exclusive, ids, kept })
        },
        || {
            // The way back follows the results from rank to rank: a NaN must be the same one to all of them.
            let extremum = recorded && operator.is_extremum();
            let (item, op) =
                if extremum { operator.of_the_ranks_below() } else { operator.forward() }?;
            let out = Staging::take(data.len());
            if exclusive || folded {
                wire::exscan(comm, data, out, item, op, call_form)
            } else {
                wire::scan(comm, data, out, item, op, call_form)
            }
        },
    )
}
