//! What does not fit in the records of several ranks, in words.

use super::encoding::{Record, with_tag};
use super::log::{Kind, SHARE};
use crate::ampi::builtin_op;
use crate::mpi::raw::constants;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;
use std::fmt::Write as _;

/// What a comparison of records says.
pub enum Found {
    Nothing,
    /// What is missing may still come: it is not needed in this part of the sweep.
    Open,
    Wrong(String),
}

/// Tries both ways of counting: ranks that turned checking on at different places, or of which one was handed
/// passive data by a call that nobody recorded, agree in the number of calls that came after.
fn either_way(compare: impl Fn(usize) -> Found) -> Found {
    match compare(0) {
        Found::Wrong(text) => match compare(1) {
            Found::Wrong(_) => Found::Wrong(text),
            found => found,
        },
        found => found,
    }
}

/// Says where the ranks first disagree; the same text on every rank.
pub fn collective_difference(all: &[Vec<Record>]) -> Found {
    either_way(|way| {
        let numbers: BTreeSet<u64> =
            all.iter().flatten().map(|record| record.number[way]).collect();
        let mut open = false;
        // In the order of the run.
        let ascending: Vec<u64> = if way == 0 {
            numbers.into_iter().collect()
        } else {
            numbers.into_iter().rev().collect()
        };
        for (i, &number) in ascending.iter().enumerate() {
            let at = |records: &'_ Vec<Record>| -> Option<Record> {
                records.iter().find(|record| record.number[way] == number).cloned()
            };
            let row: Vec<Option<Record>> = all.iter().map(at).collect();
            match row_difference(&row) {
                Found::Nothing => {}
                Found::Open => open = true,
                Found::Wrong(text) => {
                    return Found::Wrong(format!("collective number {}: {text}", i + 1));
                }
            }
        }
        if open { Found::Open } else { Found::Nothing }
    })
}

/// Compares one collective of all members.
fn row_difference(row: &[Option<Record>]) -> Found {
    let find = |f: fn(&Record) -> bool| {
        row.iter().enumerate().find_map(|(rank, record)| {
            record.as_ref().filter(|record| f(record)).map(|record| (rank, record))
        })
    };
    let Some((first, one)) = find(|record| record.recorded && !record.open) else {
        let Some((first, one)) = find(|record| record.kind == Kind::Free) else {
            return Found::Nothing;
        };
        let others =
            row.iter().enumerate().filter_map(|(rank, other)| Some((rank, other.as_ref()?)));
        for (rank, other) in others {
            if other.call != one.call {
                return Found::Wrong(different_calls("call", (first, one), (rank, other)));
            }
        }
        return Found::Nothing;
    };
    let needed =
        row.iter().flatten().any(|record| record.recorded && !record.open && !record.below);
    let mut open = false;
    for (rank, other) in row.iter().enumerate() {
        let Some(other) = other else {
            return Found::Wrong(format!(
                "rank {first} has {} on record and rank {rank} nothing: rank {rank} passed passive data, or called before its tape was made or reset",
                one.name()
            ));
        };
        let what = if other.call != one.call {
            "call"
        } else if !other.recorded {
            return Found::Wrong(format!(
                "rank {first} recorded {}, and the tape of rank {rank} did not record in {}: recording must be on or off on all members",
                one.name(),
                other.name()
            ));
        } else if other.detail[0] != one.detail[0] {
            "root"
        } else if other.detail[1] != one.detail[1] {
            "operation"
        } else if other.detail[2] != one.detail[2] {
            "count"
        } else if other.detail[3] != one.detail[3] {
            let (with, without) = if one.detail[3] > 0 { (first, rank) } else { (rank, first) };
            return Found::Wrong(format!(
                "the adjoint of {} travels point to point on rank {with} and by a collective on rank {without}: set ADMPI_POLLING and ADMPI_EDGE_RANKS to the same values on all ranks",
                one.name()
            ));
        } else if other.open && needed {
            return Found::Wrong(format!(
                "rank {rank} has not completed {}, and that of rank {first} waits for it",
                other.name()
            ));
        } else {
            open |= other.open;
            continue;
        };
        return Found::Wrong(different_calls(what, (first, one), (rank, other)));
    }
    if open { Found::Open } else { Found::Nothing }
}

fn different_calls(
    what: &str,
    (first, one): (usize, &Record),
    (rank, other): (usize, &Record),
) -> String {
    let mut text = format!(
        "the {what} differs: rank {first} calls {}, rank {rank} calls {}",
        one.name(),
        other.name()
    );
    if let Some(at) = ["root", "operation", "count"].iter().position(|&name| name == what) {
        let value = |record: &Record| {
            if what == "operation" {
                operation_name(record.detail[1]).into()
            } else {
                record.detail[at].to_string()
            }
        };
        // Writing to a string does not fail.
        let _ = write!(text, " ({} and {})", value(one), value(other));
    }
    text
}

fn operation_name(number: i64) -> &'static str {
    builtin_op::NAMES
        .get(usize::try_from(number).unwrap_or(usize::MAX))
        .copied()
        .unwrap_or("another one")
}

/// Compares what `sender` has sent with what `receiver` has received.
pub fn message_difference(
    (sender, of_sender): (c_int, &Vec<Record>),
    (receiver, of_receiver): (c_int, &Vec<Record>),
) -> Found {
    let of = |records: &[Record], kind, peer: c_int| -> Vec<Record> {
        let there = |record: &&Record| {
            record.kind == kind && record.peer == i64::from(peer) && !record.open
        };
        records.iter().filter(there).cloned().collect()
    };
    let sent = of(of_sender, Kind::Send, receiver);
    let received = of(of_receiver, Kind::Receive, sender);
    let tags: BTreeSet<i64> = sent.iter().chain(&received).map(|record| record.tag).collect();
    let mut open = false;
    for tag in tags {
        let with_tag = |records: &[Record]| -> Vec<Record> {
            records.iter().filter(|record| record.tag == tag).cloned().collect()
        };
        let channel = ChannelOf {
            ends: (sender, receiver),
            tag,
            sent: with_tag(&sent),
            received: with_tag(&received),
            open: of_receiver.iter().filter(|record| may_match(record, sender, tag)).collect(),
        };
        match channel.difference() {
            Found::Nothing => {}
            Found::Open => open = true,
            wrong @ Found::Wrong(_) => return wrong,
        }
    }
    if open { Found::Open } else { Found::Nothing }
}

/// Whether an open receive may yet bring a message of `sender` with `tag`.
fn may_match(record: &Record, sender: c_int, tag: i64) -> bool {
    let any = constants();
    record.open
        && record.recorded
        && record.kind == Kind::Receive
        && [sender.into(), i64::from(any.any_source)].contains(&record.peer)
        && [tag, any.any_tag.into()].contains(&record.tag)
}

/// The messages of one tag from one rank to another.
struct ChannelOf<'a> {
    ends: (c_int, c_int),
    tag: i64,
    sent: Vec<Record>,
    received: Vec<Record>,
    open: Vec<&'a Record>,
}

impl ChannelOf<'_> {
    fn difference(&self) -> Found {
        let recorded = |records: &[Record]| records.iter().filter(|record| record.recorded).count();
        let (out, back) = (recorded(&self.sent), recorded(&self.received));
        let later = self.sent.iter().filter(|record| record.recorded && record.below).count();
        // Which ones an open receive stands for cannot be told.
        if !self.open.is_empty() && back < out && out - back <= self.open.len().min(later) {
            return Found::Open;
        }
        either_way(|way| self.compare(way))
    }

    fn compare(&self, way: usize) -> Found {
        let (sender, receiver) = self.ends;
        let numbered = |records: &[Record]| -> BTreeMap<u64, Record> {
            records.iter().map(|record| (record.number[way], record.clone())).collect()
        };
        let (out, back) = (numbered(&self.sent), numbered(&self.received));
        let numbers: BTreeSet<u64> = out.keys().chain(back.keys()).copied().collect();
        let ascending: Vec<u64> = if way == 0 {
            numbers.into_iter().collect()
        } else {
            numbers.into_iter().rev().collect()
        };
        // What is passive on one end has no number there: the messages behind it are taken for one another.
        let odd = if out.len() == back.len() {
            String::new()
        } else {
            format!(
                "; rank {sender} has {} active sends there and rank {receiver} {} active receives: an earlier message may be the one without a partner",
                out.len(),
                back.len()
            )
        };
        for (i, number) in ascending.iter().enumerate() {
            let tag = with_tag(self.tag);
            let which =
                format!("message number {} from rank {sender} to rank {receiver}{tag}", i + 1);
            match (out.get(number), back.get(number)) {
                (Some(send), Some(receive)) if send.recorded != receive.recorded => {
                    let state =
                        |record: &Record| if record.recorded { "recorded" } else { "not recorded" };
                    return Found::Wrong(format!(
                        "{which}: {} was {} by rank {sender}, and {} {} by rank {receiver}: recording must be on or off on both ends",
                        send.name(),
                        state(send),
                        receive.name(),
                        state(receive)
                    ));
                }
                (Some(send), Some(receive)) if send.recorded && send.n != receive.n => {
                    return Found::Wrong(format!(
                        "{which}: {} sent {} active doubles, and {} received {}{odd}",
                        send.name(),
                        send.n,
                        receive.name(),
                        receive.n
                    ));
                }
                // That a member has not recorded a collective shows when these are compared.
                _ if self.tag == i64::from(SHARE) => {}
                (Some(send), None) if send.recorded => {
                    let mut text = format!(
                        "{which}: {} has no active receive on rank {receiver}: its data is passive there, it was received before the recording or by a plain MPI call, or the receive is not complete{odd}",
                        send.name()
                    );
                    for record in self.open.iter().take(3) {
                        let _ = write!(text, "; still open there: {}", record.name());
                    }
                    return Found::Wrong(text);
                }
                (None, Some(receive)) if receive.recorded => {
                    return Found::Wrong(format!(
                        "{which}: {} has no active send on rank {sender}: its data is passive there, or it was sent before the recording or by a plain MPI call{odd}",
                        receive.name()
                    ));
                }
                _ => {}
            }
        }
        Found::Nothing
    }
}
