//! The comparison: who has something on record with whom, what they tell each other, and what comes of it.

use super::comparison::{Found, collective_difference, message_difference};
use super::encoding::{
    Record, WORDS, bits, decode, encode, encode_about, hash, hash_of_collectives, hash_of_messages,
    name_of, staged, text_words, with_tag, words_of, words_text,
};
use super::log::{Entry, Kind, Log, calls_with, collectives};
use super::travelled::{TOGETHER, travelled};
use crate::ampi::AdjointComm;
use crate::ampi::counts::Counts;
use crate::ampi::late::leave_to_mpi;
use crate::ampi::wire::{self, doubles, failed};
use crate::count::wide;
use crate::error::{Code, Error, Result};
use crate::mpi::message::{self, Envelope};
use crate::mpi::raw::constants;
use crate::mpi::{CallForm, Comm, Operation, Payload, Reach, Staging, wide_int};
use crate::options;
use crate::tape::{self, Companion, Position};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The log of a tape is compared before a sweep from its end.
impl Companion for Log {
    fn begin(
        &mut self,
        _: &Position,
        to: &Position,
        base: &Position,
        whole: bool,
        seeded: bool,
    ) -> Result<()> {
        if whole && tape::checking() { compare(self, base.event, to.event, seeded) } else { Ok(()) }
    }

    /// What has been compared stays so.
    fn withdraw(&mut self) {}

    fn end(&mut self, _bottom: bool) -> Result<()> {
        Ok(())
    }

    fn nearest(&self, event: u32) -> Option<String> {
        let entry = self.entries.iter().rev().find(|entry| entry.event <= event)?;
        let place = entry.site.map_or_else(String::new, |site| format!(" ({site})"));
        Some(format!("{}{place}", entry.call))
    }

    fn forget(&mut self, &Position { event, .. }: &Position) {
        self.cut(event);
    }
}

/// What is compared on one communicator.
struct Group<'a> {
    private: &'static AdjointComm,
    entries: Vec<&'a Entry>,
    /// Calls from this event on are swept now, those below later.
    bottom: u32,
    /// The ranks that messages are compared with.
    peers: BTreeSet<c_int>,
    /// Whether all members are here, for their collectives.
    together: bool,
}

/// What is said of a finding: of several that which comes first, so that all ranks say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kin {
    /// Records do not fit.
    Difference,
    /// A rank was waited for in vain, which a difference may explain.
    Absence,
}

/// What comes of a comparison.
#[derive(Debug, Default)]
struct Conclusion {
    /// Says what does not fit.
    finding: Option<(Kin, String)>,
    /// What has to be compared again, since it was not complete: communicators' names and ranks, -1 for all members.
    again: BTreeSet<(i64, c_int)>,
    /// Whether a rank that has been heard of has seeded a value.
    seeded: bool,
    /// How many have been heard of, if any.
    ranks: usize,
}

impl Conclusion {
    fn keep(&mut self, kin: Kin, text: String) {
        let new = (kin, text);
        if self.finding.as_ref().is_none_or(|old| new < *old) {
            self.finding = Some(new);
        }
    }

    /// Having waited in vain is no reason to keep what was found from the others.
    fn note(&mut self, outcome: Result<()>) -> Result<()> {
        match outcome {
            Err(Error { code: Code::Mismatch, message }) => {
                self.keep(Kin::Absence, message);
                Ok(())
            }
            other => other,
        }
    }
}

/// Compares what the tape has on record from event `base` on, and has not compared yet, with those it
/// communicated with: by pairs what they sent each other, then among all members of a communicator the
/// collectives. What anybody has found everybody is told. Called where a sweep begins at the end of the tape: its
/// first part, down to event `bottom`, compares for those that follow.
fn compare(log: &mut Log, base: u32, bottom: u32, seeded: bool) -> Result<()> {
    let mut by_name: BTreeMap<i64, Vec<&Entry>> = BTreeMap::new();
    for entry in &log.entries {
        if entry.event >= base && !entry.void && !entry.compared {
            by_name.entry(entry.private.name()).or_default().push(entry);
        }
    }
    // All members know a communicator by one name, so they come to its comparison in one order.
    let mut groups: Vec<Group<'_>> = by_name
        .into_values()
        .map(|entries| {
            let (private, together) = (entries[0].private, false);
            Group { private, entries, bottom, peers: BTreeSet::new(), together }
        })
        .collect();
    let mut conclusion = Conclusion { seeded, ..Conclusion::default() };
    for group in &mut groups {
        let told = meet(group, &mut conclusion)?;
        let compared = compare_messages(group, &told, &mut conclusion);
        conclusion.note(compared)?;
    }
    for group in groups.iter().filter(|group| group.together) {
        let compared = compare_collectives(group, &mut conclusion);
        conclusion.note(compared)?;
    }
    let spread = spread(&groups, &mut conclusion);
    conclusion.note(spread)?;
    let Conclusion { finding, again, seeded, ranks } = conclusion;
    if let Some((_, text)) = finding {
        return Err(Error::new(Code::Mismatch, format!("ADMPI_CHECK: {text}")));
    }
    // Ranks without a seed may have had no part in the objective of others, but not all ranks there are.
    if !seeded && ranks > 1 && ranks == wide_int(Comm::world().size().map_err(failed)?) {
        let text = format!(
            "ADMPI_CHECK: reverse: none of the {ranks} ranks has seeded an active value (ADMPI_CHECK_ZEROS=0 allows it)"
        );
        return Err(Error::new(Code::Argument, text));
    }
    for entry in &mut log.entries {
        let later = entry.open || again.contains(&(entry.private.name(), entry.peer));
        entry.compared |= entry.event >= base && !later;
    }
    Ok(())
}

/// How long a rank waits for the others to come to the comparison.
fn patience() -> Duration {
    Duration::from_secs(options::check_seconds())
}

/// How long one that has nothing on record waits for questions.
fn grace() -> Duration {
    patience() / 60
}

/// Waits until `look` finds something, from a rank that has come: it may itself be waiting for one that has not.
/// `whom` says for which one, and why.
fn await_some<T>(
    mut look: impl FnMut() -> Result<Option<T>>,
    whom: impl FnOnce() -> String,
) -> Result<T> {
    let begun = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if begun.elapsed() > 2 * patience() {
            return Err(Error::new(Code::Mismatch, in_vain(&whom())));
        }
        std::thread::yield_now();
    }
}

/// As `await_some` for an operation. One that does not end stays unfinished.
fn wait(operation: &mut Operation, whom: impl FnOnce() -> String) -> Result<()> {
    await_some(|| Ok(operation.test().map_err(failed)?.then_some(())), whom)
}

fn in_vain(whom: &str) -> String {
    format!(
        "{whom} within {} s (ADMPI_CHECK_SECONDS): all ranks that communicated must record and sweep; if one end of a message uses MPI_DOUBLE and the other AMPI_ADOUBLE, the first records nothing",
        patience().as_secs()
    )
}

/// The result of a collective of the comparison.
fn agreed(private: &AdjointComm, mut operation: Operation) -> Result<Staging> {
    match wait(&mut operation, || all_of(private)) {
        Ok(()) => Ok(operation.into_received()),
        Err(error) => {
            leave_to_mpi([operation].into_iter());
            Err(error)
        }
    }
}

/// What a rank waits for in vain in a comparison of collectives.
fn all_of(private: &AdjointComm) -> String {
    format!("a rank of a communicator of {} has not come to this sweep", private.size)
}

/// Messages of the comparison: the highest tag that every MPI has.
const TAG: c_int = 32767;
/// From a rank that has no question.
const NO_QUESTION: c_int = TAG - 1;

/// Words that begin a comparison of two ranks.
const SUMMARY: usize = 6;

/// What a rank tells a peer: all that it sent and received, how many records there are about it, the adjoints that have
/// travelled, and whether all members are to come.
fn summary(group: &Group<'_>, peer: c_int) -> [u64; SUMMARY] {
    let hash = |kind| hash_of_messages(&group.entries, kind, peer);
    let calls = group.entries.iter().filter(|entry| entry.open || entry.is_with(peer)).count();
    let [sent, taken] = travelled(group.private, peer);
    [hash(Kind::Send), hash(Kind::Receive), calls as u64, sent, taken, group.together.into()]
}

const STOPPED: &str = "a sweep was stopped where messages cross, and this sweep would take its adjoints: continue the stopped sweep first, or call admpi_tape_abandon_sweep on all ranks";

/// A comparison with a peer: some words each way.
struct Exchange {
    peer: c_int,
    send: Operation,
    receive: Operation,
    complete: bool,
}

impl Exchange {
    /// Sends `words`, and receives `n`.
    fn begin(private: &AdjointComm, peer: c_int, words: &[u64], n: usize) -> Result<Self> {
        let comm = private.mirror().comm(tape::depth())?;
        let at = Envelope { peer: private.mirrored(peer), tag: TAG };
        let items = doubles(n).map_err(failed)?;
        let send = send(private, peer, TAG, words)?;
        let receive = Operation::receive(comm, Staging::take(n), &items, at).map_err(failed)?;
        Ok(Self { peer, send, receive, complete: false })
    }

    /// Tells whether it is complete.
    fn test(&mut self) -> Result<bool> {
        self.complete = self.complete
            || self.receive.test().map_err(failed)? && self.send.test().map_err(failed)?;
        Ok(self.complete)
    }

    /// Waits for a peer that has come. What it has sent.
    fn end(mut self, whom: impl FnOnce() -> String) -> Result<Vec<u64>> {
        match await_some(|| Ok(self.test()?.then_some(())), whom) {
            Ok(()) => Ok(words_of(self.receive.into_received().as_slice())),
            Err(error) => {
                self.give_up()?;
                Err(error)
            }
        }
    }

    /// A receive that stayed would take what a later comparison is told.
    fn give_up(self) -> Result<()> {
        leave_to_mpi([self.send].into_iter());
        self.receive.cancel().map_err(failed)
    }
}

fn send(private: &AdjointComm, peer: c_int, tag: c_int, words: &[u64]) -> Result<Operation> {
    let comm = private.mirror().comm(tape::depth())?;
    let items = doubles(words.len()).map_err(failed)?;
    let to = Envelope { peer: private.mirrored(peer), tag };
    Operation::send(comm, Payload::Own(staged(words)), &items, to).map_err(failed)
}

/// A message of the comparison from `peer`, if one has come.
fn come(private: &AdjointComm, peer: c_int, tag: c_int) -> Result<Option<Vec<u64>>> {
    let comm = private.mirror().comm(tape::depth())?;
    let from = Envelope { peer: private.mirrored(peer), tag };
    let Some(status) = message::probe(comm, from).map_err(failed)? else { return Ok(None) };
    let n = status.doubles().map_err(failed)?.unwrap_or(0);
    let (mut room, items) = (Staging::take(n), doubles(n).map_err(failed)?);
    message::receive(comm, room.as_mut_slice(), &items, from).map_err(failed)?;
    Ok(Some(words_of(room.as_slice())))
}

/// Whether a message of the comparison has come from `peer`.
fn has_come(private: &AdjointComm, peer: c_int) -> Result<bool> {
    let from = Envelope { peer: private.mirrored(peer), tag: TAG };
    let found = message::probe(private.mirror().comm(tape::depth())?, from).map_err(failed)?;
    Ok(found.is_some())
}

fn tell_no_question(private: &AdjointComm, peer: c_int) -> Result<()> {
    leave_to_mpi([send(private, peer, NO_QUESTION, &calls_with(private, peer))?].into_iter());
    Ok(())
}

/// Whether `peer` has said that it has no question, and had made all the calls then that this rank knows of: it may
/// have said so in an earlier comparison. Whether an open receive or collective waits for a later one cannot be told.
fn has_no_question(group: &Group<'_>, peer: c_int) -> Result<bool> {
    let any = constants();
    let waits = |entry: &&Entry| {
        entry.open && (!entry.kind.is_message() || [peer, any.any_source].contains(&entry.peer))
    };
    let open = group.entries.iter().any(waits);
    let [sent, received, collectives] = calls_with(group.private, peer);
    while let Some(words) = come(group.private, peer, NO_QUESTION)? {
        let covers = words.iter().zip([received, sent, collectives]).all(|(&n, own)| n >= own);
        if covers && !open {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Exchanges summaries with all that this rank has something on record with, and with those that ask it.
fn meet(group: &mut Group<'_>, conclusion: &mut Conclusion) -> Result<Vec<(c_int, Vec<u64>)>> {
    let private = group.private;
    let entries = group.entries.clone();
    let all = || (0..private.size).collect::<BTreeSet<c_int>>();
    let of_collectives = |f: fn(&Entry) -> bool| {
        entries.iter().any(|entry| entry.kind == Kind::Collective && f(entry))
    };
    group.together = of_collectives(Entry::needs_partner);
    group.peers = if group.together {
        all()
    } else {
        let sure = |entry: &&&Entry| entry.kind.is_message() && entry.needs_partner();
        entries.iter().filter(sure).map(|entry| entry.peer).collect()
    };
    let doubtful = |peer: &c_int| {
        let known = |entry: &&Entry| entry.is_with(*peer);
        of_collectives(|_| true) || entries.iter().any(known)
    };
    let mut in_doubt: BTreeSet<c_int> = all();
    in_doubt.retain(|peer| *peer != private.rank && !group.peers.contains(peer) && doubtful(peer));
    for &peer in &in_doubt {
        tell_no_question(private, peer)?;
    }
    let mut exchanges = Vec::new();
    for &peer in &group.peers {
        exchanges.push(Exchange::begin(private, peer, &summary(group, peer), SUMMARY)?);
    }
    let begun = Instant::now();
    loop {
        for peer in in_doubt.clone() {
            if has_come(private, peer)? {
                in_doubt.remove(&peer);
                group.peers.insert(peer);
                exchanges.push(Exchange::begin(private, peer, &summary(group, peer), SUMMARY)?);
            } else if has_no_question(group, peer)? {
                in_doubt.remove(&peer);
            }
        }
        let (mut open, mut called) = (false, false);
        for exchange in &mut exchanges {
            if exchange.test()? {
                called |= exchange.receive.memory().1[SUMMARY - 1].to_bits() != 0;
            } else {
                open = true;
            }
        }
        if called && !group.together {
            group.together = true;
            in_doubt.clear();
            let others: Vec<c_int> = all().difference(&group.peers).copied().collect();
            for peer in others {
                group.peers.insert(peer);
                exchanges.push(Exchange::begin(private, peer, &summary(group, peer), SUMMARY)?);
            }
            continue;
        }
        let limit = if open { patience() } else { grace() };
        if (!open && in_doubt.is_empty()) || begun.elapsed() > limit {
            break;
        }
        std::thread::yield_now();
    }
    let mut told = Vec::new();
    for exchange in exchanges {
        let peer = exchange.peer;
        if exchange.complete {
            told.push((peer, words_of(exchange.receive.into_received().as_slice())));
        } else {
            conclusion.keep(Kin::Absence, in_vain(&missing(private, &entries, peer)));
            exchange.give_up()?;
            group.peers.remove(&peer);
            group.together = false;
        }
    }
    Ok(told)
}

/// What a rank waits for in vain in a comparison of messages. Others are told, so it names itself.
fn missing(private: &AdjointComm, entries: &[&Entry], peer: c_int) -> String {
    let first = entries.iter().find(|entry| entry.is_with(peer) && entry.needs_partner());
    let about = first.map_or_else(String::new, |entry| {
        let way = if entry.kind == Kind::Send { "to" } else { "from" };
        let call = name_of(entry);
        format!(", which has on record {call} {way} it{}", with_tag(entry.tag.into()))
    });
    format!("rank {peer} has not come to the comparison with rank {}{about},", private.rank)
}

/// Where the summaries differ, the records travel. Both ends come to the same conclusion.
fn compare_messages(
    group: &Group<'_>,
    told: &[(c_int, Vec<u64>)],
    conclusion: &mut Conclusion,
) -> Result<()> {
    let private = group.private;
    let told: BTreeMap<c_int, &Vec<u64>> =
        told.iter().map(|(peer, words)| (*peer, words)).collect();
    for (&peer, theirs) in &told {
        let [sent, received, _, adjoints_sent, adjoints_taken, _] = summary(group, peer);
        let ways = [
            (private.rank, peer, adjoints_sent, theirs[4]),
            (peer, private.rank, theirs[3], adjoints_taken),
        ];
        for (from, to, sent, taken) in ways {
            if sent != taken {
                let text = format!(
                    "rank {from} has sent {sent} messages of adjoints to rank {to}, which has received {taken}: {STOPPED}"
                );
                conclusion.keep(Kin::Difference, text);
            }
        }
        if theirs[0] == received && theirs[1] == sent {
            continue;
        }
        let words = encode_about(&group.entries, peer, group.bottom);
        let m = wide(theirs[2]) * WORDS;
        let theirs = Exchange::begin(private, peer, &words, m)?;
        let theirs = theirs.end(|| missing(group.private, &group.entries, peer))?;
        let decoded =
            |words: &[u64]| -> Vec<Record> { words.chunks_exact(WORDS).map(decode).collect() };
        let (mine, theirs) = (decoded(&words), decoded(&theirs));
        let (low, high) = if private.rank < peer {
            ((private.rank, &mine), (peer, &theirs))
        } else {
            ((peer, &theirs), (private.rank, &mine))
        };
        for (sender, receiver) in [(low, high), (high, low)] {
            match message_difference(sender, receiver) {
                Found::Nothing => {}
                Found::Open => _ = conclusion.again.insert((private.name(), peer)),
                Found::Wrong(text) => conclusion.keep(Kin::Difference, text),
            }
        }
    }
    Ok(())
}

/// Tells this process from all others that may share a communicator with it.
fn identity() -> Result<u64> {
    static MOMENT: LazyLock<u64> = LazyLock::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        since.as_secs() << 30 ^ u64::from(since.subsec_nanos())
    });
    let rank = Comm::world().rank().map_err(failed)?;
    Ok(hash([u64::from(std::process::id()), *MOMENT, bits(rank.into())]))
}

/// What a rank has heard of, as it travels: whether that is all there is, whether anybody has seeded, the finding, and
/// from whom.
fn news(conclusion: &Conclusion, known: &BTreeSet<u64>, all: bool) -> Vec<u64> {
    let (kin, text) = match &conclusion.finding {
        None => (0, ""),
        Some((kin, text)) => (1 + *kin as u64, text.as_str()),
    };
    let n = text.len().div_ceil(8);
    let mut words = vec![all.into(), conclusion.seeded.into(), kin, n as u64];
    words.extend(text_words(text, n));
    words.extend(known);
    words
}

/// Takes up another's `news`; tells whether that one had heard of all.
fn learn(news: &[u64], conclusion: &mut Conclusion, known: &mut BTreeSet<u64>) -> bool {
    let [all, seeded, kin, n, rest @ ..] = news else { return true };
    conclusion.seeded |= *seeded != 0;
    let (text, others) = rest.split_at(wide(*n));
    match kin {
        0 => {}
        1 => conclusion.keep(Kin::Difference, words_text(text)),
        _ => conclusion.keep(Kin::Absence, words_text(text)),
    }
    known.extend(others);
    *all != 0
}

/// Lets everybody know what anybody has found that could wait for another in the sweep: step by step along the
/// pairs that have met, on all communicators, ranks tell each other what they have heard, and of whom. Who hears of
/// nobody new has heard of all, says so, and is done; so is who is told that by another, once it has passed it on.
fn spread(groups: &[Group<'_>], conclusion: &mut Conclusion) -> Result<()> {
    let pairs = |group: &'_ Group<'_>| -> Vec<c_int> {
        let others = group.peers.iter().copied();
        others.filter(|&peer| peer != group.private.rank).collect()
    };
    let mut edges: Vec<(&Group<'_>, c_int)> = groups
        .iter()
        .flat_map(|group| pairs(group).into_iter().map(move |peer| (group, peer)))
        .collect();
    let mut known = BTreeSet::from([identity()?]);
    let mut all = false;
    while !edges.is_empty() {
        let words = news(conclusion, &known, all);
        let tell = |&(group, peer): &(&Group<'_>, c_int)| send(group.private, peer, TAG, &words);
        let mut sends = edges.iter().map(tell).collect::<Result<Vec<_>>>()?;
        let before = known.len();
        let mut told = false;
        let mut hear = |(group, peer): (&Group<'_>, c_int)| -> Result<bool> {
            let whom = || missing(group.private, &group.entries, peer);
            let news = await_some(|| come(group.private, peer, TAG), whom)?;
            Ok(learn(&news, conclusion, &mut known))
        };
        let mut open = Vec::new();
        let mut heard = Ok(());
        for edge in edges {
            match hear(edge) {
                Ok(true) => told = true,
                Ok(false) => open.push(edge),
                Err(error) => {
                    heard = Err(error);
                    break;
                }
            }
        }
        let sent = heard.and_then(|()| {
            sends.iter_mut().try_for_each(|send| wait(send, || "a rank has not come".to_owned()))
        });
        if sent.is_err() || all {
            leave_to_mpi(sends.into_iter());
            conclusion.ranks = known.len();
            return sent;
        }
        all = told || known.len() == before;
        edges = open;
    }
    conclusion.ranks = known.len();
    Ok(())
}

fn compare_collectives(group: &Group<'_>, conclusion: &mut Conclusion) -> Result<()> {
    let private = group.private;
    let comm = private.mirror().comm(tape::depth())?;
    let ranks = private.ranks();
    let allgather = |words: &[u64]| -> Result<Vec<u64>> {
        let (n, room) = (words.len(), Staging::take(words.len() * ranks));
        let all = wire::allgather(
            comm,
            staged(words),
            room,
            Counts::Each(n),
            1,
            Reach::All,
            CallForm::Nonblocking,
        );
        Ok(words_of(agreed(private, all.map_err(failed)?)?.as_slice()))
    };
    let entries: Vec<&Entry> = collectives(&group.entries).collect();
    let [set_off, _] = travelled(private, TOGETHER);
    let told = allgather(&[hash_of_collectives(&entries), entries.len() as u64, set_off])?;
    // The mirror's ranks run the other way.
    let mut at = told.chunks_exact(3).rev().map(|theirs| theirs[2]).zip(0..);
    if let Some((first, _)) = at.next()
        && let Some((other, rank)) = at.find(|&(other, _)| other != first)
    {
        let text = format!(
            "rank 0 has started the adjoints of {first} collectives, and rank {rank} those of {other}: {STOPPED}"
        );
        conclusion.keep(Kin::Difference, text);
    }
    if told.chunks_exact(3).any(|theirs| theirs[0] != told[0]) {
        let most = told.chunks_exact(3).map(|theirs| theirs[1]).max().unwrap_or(0);
        let mut words: Vec<u64> =
            entries.iter().flat_map(|entry| encode(entry, entry.number, group.bottom)).collect();
        words.resize(wide(most) * WORDS, u64::MAX);
        let all = allgather(&words)?;
        let mut records: Vec<Vec<Record>> = all
            .chunks_exact(words.len())
            .map(|words| {
                let used = words.chunks_exact(WORDS).take_while(|words| words[0] != u64::MAX);
                used.map(decode).collect()
            })
            .collect();
        records.reverse();
        match collective_difference(&records) {
            Found::Nothing => {}
            Found::Open => _ = conclusion.again.insert((private.name(), -1)),
            Found::Wrong(text) => conclusion.keep(Kin::Difference, text),
        }
    }
    Ok(())
}
