//! All ranks give up a sweep that has stopped or failed.

use super::traffic::Traffic;
use super::wire::doubles;
use super::{check, communicator};
use crate::mpi::message::{self, Envelope};
use crate::mpi::raw::constants;
use crate::mpi::{Comm, Doubles, MpiResult, Operation, Payload, Staging};
use crate::tape::{self, Tape};

/// Gives up a sweep on all ranks of `comm`; in a callback one of the callback's own, whose messages go by handles of
/// their own. Every rank drops what reaches it until each peer has said, by a message of one byte, that nothing more will
/// come: messages of one pair do not overtake each other.
pub fn abandon(tape: &mut Tape, comm: Comm) -> MpiResult<()> {
    let private = communicator::of(comm)?;
    let depth = (tape::depth() > 0).then(tape::depth);
    let handles = [private.handles(depth)?, private.mirror().handles(depth)?].concat();
    let any = constants();
    let mut room = Staging::default();
    let mut farewells = Vec::new();
    let mut quiet = 0;
    while farewells.is_empty() || quiet < private.ranks() {
        let sent_all = tape.companion::<Traffic>().give_up(private)?;
        if sent_all && farewells.is_empty() {
            let depth = depth.unwrap_or(private.base_depth);
            let comm = private.comm(depth)?;
            let tell = |peer| {
                let (byte, to) = (Payload::Own(Staging::zeros(1)), Envelope::new(peer, 0));
                Operation::send(comm, byte, &Doubles::bytes(1), to)
            };
            farewells = (0..private.size).map(tell).collect::<MpiResult<Vec<_>>>()?;
        }
        let mut idle = true;
        for &comm in &handles {
            let anything = Envelope::new(any.any_source, any.any_tag);
            let Some(status) = message::probe(comm, anything)? else { continue };
            idle = false;
            let n = status.bytes()?;
            room.reshape(n.div_ceil(8));
            let from = Envelope::new(status.source(), status.tag());
            let is_farewell = n == 1;
            let items = if is_farewell { Doubles::bytes(1) } else { doubles(n / 8)? };
            message::receive(comm, room.as_mut_slice(), &items, from)?;
            quiet += usize::from(is_farewell);
        }
        if idle {
            std::thread::yield_now();
        }
    }
    for farewell in &mut farewells {
        farewell.wait()?;
    }
    tape.companion::<Traffic>().leave_contributions();
    check::adjoints_dropped(private, depth);
    private.renew(comm, depth)
}
