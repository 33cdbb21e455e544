//! Checking across ranks: before a sweep the members of a communicator compare what each of them has on
//! record, so that a mistake which would hang the sweep, or lose a derivative, is an error that names it.
//!
//! The usual answer, that all agree, costs a number a peer and direction. Only where they do not agree do the
//! records themselves travel. Nothing here runs unless checking is on.

use super::collective::failed;
use super::traffic::{Traffic, leave_to_mpi};
use super::wire::{self, Shares, doubles};
use super::{Private, lock};
use crate::error::{Code, Error, Result};
use crate::mpi::message::Envelope;
use crate::mpi::{How, Operation, Reach, Staging};
use crate::tape;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_int};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Where a call stands in the user's program.
#[derive(Debug, Clone, Copy)]
struct Site {
    file: &'static CStr,
    line: usize,
}

thread_local! {
    static NEXT: Cell<Option<Site>> = const { Cell::new(None) };
    static CALL: Cell<(&'static str, Option<Site>)> = const { Cell::new(("a call", None)) };
}

/// The next call stands in this line.
pub fn at(file: &'static CStr, line: usize) {
    NEXT.set(Some(Site { file, line }));
}

/// A call begins.
pub fn enter(call: &str) {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = lock(&NAMES);
    // There are as many as calls of MPI.
    let known = names.get(call).copied().unwrap_or_else(|| {
        let name: &'static str = Box::leak(call.into());
        names.insert(name);
        name
    });
    CALL.set((known, NEXT.take()));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Send,
    Receive,
    Collective,
}

/// A call on record, or one that was not recorded though its data was active.
#[derive(Debug, Clone)]
struct Entry {
    kind: Kind,
    recorded: bool,
    /// Posted, but not complete.
    open: bool,
    /// Nothing came of it.
    void: bool,
    /// A sweep has compared it.
    compared: bool,
    private: &'static Private,
    call: &'static str,
    site: Option<Site>,
    peer: c_int,
    tag: c_int,
    n: usize,
    /// What all members of a collective must have alike: root, operation, count (-1 where it may differ), and whether
    /// the adjoints travel over the edges.
    detail: [i64; 4],
    /// The order in which the calls of a kind were started.
    post: u64,
    event: u32,
}

/// What a tape's calls were, in the order in which they were made.
#[derive(Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
    posts: u64,
}

/// The tape of the calling thread, if checking is on and `private` has other members. Messages on a mirror are the
/// library's own.
fn with_log<R>(private: &Private, f: impl FnOnce(&mut Log, u32) -> R) -> Option<R> {
    if !tape::checking() || private.size < 2 || private.is_mirror() {
        return None;
    }
    tape::current(|tape| {
        let event = tape.event_count();
        f(&mut tape.companion::<Traffic>().log, event)
    })
}

impl Log {
    fn add(&mut self, kind: Kind, private: &'static Private, event: u32) -> &mut Entry {
        let (call, site) = CALL.get();
        let post = self.posts;
        self.posts += 1;
        self.entries.push(Entry {
            kind,
            recorded: false,
            open: false,
            void: false,
            compared: false,
            private,
            call,
            site,
            peer: -1,
            tag: 0,
            n: 0,
            detail: [-1; 4],
            post,
            event,
        });
        self.entries.last_mut().expect("just pushed")
    }

    /// Events from `event` on are forgotten.
    pub fn cut(&mut self, event: u32) {
        while self.entries.last().is_some_and(|entry| entry.event >= event) {
            self.entries.pop();
        }
    }
}

/// An active message leaves.
pub fn sent(private: &'static Private, peer: c_int, tag: c_int, n: usize, recorded: bool) {
    with_log(private, |log, event| {
        let entry = log.add(Kind::Send, private, event);
        (entry.peer, entry.tag, entry.n, entry.recorded) = (peer, tag, n, recorded);
    });
}

/// A receive or collective that is under way: one more than its number in the log, or 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Posted(u64);

/// An active receive is posted.
pub fn posted(private: &'static Private, recorded: bool) -> Posted {
    let post = with_log(private, |log, event| {
        let entry = log.add(Kind::Receive, private, event);
        (entry.open, entry.recorded) = (true, recorded);
        entry.post + 1
    });
    Posted(post.unwrap_or(0))
}

/// A collective on active data starts; `detail` is what is recorded of it.
pub fn started(private: Option<&'static Private>, detail: Option<[i64; 4]>) -> Posted {
    let add = |private| {
        with_log(private, |log, event| {
            let entry = log.add(Kind::Collective, private, event);
            entry.open = true;
            entry.recorded = detail.is_some();
            entry.detail = detail.unwrap_or([-1; 4]);
            entry.post + 1
        })
    };
    Posted(private.and_then(add).unwrap_or(0))
}

/// A communicator is freed by a call of the library's: all members must do so.
pub fn freed(private: &'static Private) {
    with_log(private, |log, event| {
        log.add(Kind::Collective, private, event).recorded = true;
    });
}

impl Posted {
    #[inline]
    fn entry(self, f: impl FnOnce(&mut Entry)) {
        if let Some(post) = self.0.checked_sub(1) {
            Self::look_up(post, f);
        }
    }

    #[cold]
    #[inline(never)]
    fn look_up(post: u64, f: impl FnOnce(&mut Entry)) {
        tape::current(|tape| {
            let entries = &mut tape.companion::<Traffic>().log.entries;
            // A reset may have taken it away.
            if let Ok(at) = entries.binary_search_by_key(&post, |entry| entry.post) {
                f(&mut entries[at]);
            }
        });
    }

    /// A message that a probe has matched is received.
    pub fn is_recorded(self, recorded: bool) {
        self.entry(|entry| entry.recorded = recorded);
    }

    /// The message has arrived.
    pub fn received(self, peer: c_int, tag: c_int, n: usize) {
        self.entry(|entry| {
            (entry.peer, entry.tag, entry.n, entry.open) = (peer, tag, n, false);
        });
    }

    /// The collective is complete.
    pub fn completed(self) {
        self.entry(|entry| entry.open = false);
    }

    /// Nothing came of it.
    pub fn withdrawn(self) {
        self.entry(|entry| entry.void = true);
    }
}

/// Compares what the tape has on record from event `base` on, and has not compared yet, with those it
/// communicated with: by pairs what they sent each other, then among all members of a communicator the
/// collectives and what was found. Called where a sweep begins at the end of the tape: its first part compares
/// for those that follow.
pub fn compare(log: &mut Log, base: u32) -> Result<()> {
    let mut by_name: BTreeMap<i64, Vec<&Entry>> = BTreeMap::new();
    for entry in &log.entries {
        if entry.event >= base && !entry.void && !entry.compared {
            by_name.entry(entry.private.name()).or_default().push(entry);
        }
    }
    by_name.retain(|_, entries| entries.iter().any(|entry| !entry.open));
    // All members know a communicator by one name, so they come to its comparison in one order.
    let groups: Vec<Vec<&Entry>> = by_name.into_values().collect();
    let mut finding = String::new();
    for entries in &groups {
        keep_first(&mut finding, compare_messages(entries[0].private, entries)?);
    }
    for entries in &groups {
        let told = tell_peers(entries[0].private, entries, &finding)?;
        keep_first(&mut finding, told);
    }
    // Twice, so that what was found on one communicator is known on those before it.
    for _ in 0..2 {
        for entries in &groups {
            let collectives = sequence(entries, Kind::Collective, -1);
            if !collectives.is_empty() {
                let private = entries[0].private;
                let found = compare_collectives(private, &collectives, &finding)?;
                keep_first(&mut finding, found);
            }
        }
    }
    if !finding.is_empty() {
        return Err(Error::new(Code::Mismatch, format!("ADMPI_CHECK: {finding}")));
    }
    for entry in &mut log.entries {
        entry.compared |= entry.event >= base && !entry.open;
    }
    Ok(())
}

fn keep_first(finding: &mut String, other: String) {
    if finding.is_empty() {
        *finding = other;
    }
}

/// How long a rank waits for the others to come to the comparison.
fn patience() -> Duration {
    let seconds = std::env::var("ADMPI_CHECK_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(60))
}

/// Waits for another rank; `whom` says for which one, and why. One that does not come leaves the operation
/// unfinished.
fn wait(operation: &mut Operation, whom: impl FnOnce() -> String) -> Result<()> {
    let begun = Instant::now();
    let patience = patience();
    while !operation.test().map_err(failed)? {
        if begun.elapsed() > patience {
            let why = format!(
                "ADMPI_CHECK: {} within {} s (ADMPI_CHECK_SECONDS): all ranks that communicated must sweep, and have recorded",
                whom(),
                patience.as_secs()
            );
            return Err(Error::new(Code::Mismatch, why));
        }
        std::thread::yield_now();
    }
    Ok(())
}

/// The result of a collective of the comparison.
fn agreed(private: &Private, mut operation: Operation) -> Result<Staging> {
    match wait(&mut operation, || all_of(private)) {
        Ok(()) => Ok(operation.into_received()),
        Err(error) => {
            leave_to_mpi([operation].into_iter());
            Err(error)
        }
    }
}

/// What a rank waits for in vain in a comparison of collectives.
fn all_of(private: &Private) -> String {
    format!("a rank of a communicator of {} has not come to this sweep", private.size)
}

/// FNV-1a over 64-bit words.
fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        word.to_le_bytes()
            .iter()
            .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    })
}

const fn bits(n: i64) -> u64 {
    n.cast_unsigned()
}

/// The calls of one kind with one peer, in the order in which messages match.
fn sequence<'a>(entries: &[&'a Entry], kind: Kind, peer: c_int) -> Vec<&'a Entry> {
    let mut found: Vec<&Entry> = entries
        .iter()
        .copied()
        .filter(|entry| entry.kind == kind && entry.peer == peer && !entry.open)
        .collect();
    found.sort_by_key(|entry| (entry.tag, entry.post));
    found
}

fn hash_of(entries: &[&Entry]) -> u64 {
    hash(entries.iter().flat_map(|entry| {
        let text = if entry.kind == Kind::Collective {
            hash(entry.call.bytes().map(u64::from))
        } else {
            0
        };
        let [a, b, c, d] = entry.detail.map(bits);
        [u64::from(entry.recorded), bits(entry.tag.into()), entry.n as u64, text, a, b, c, d]
    }))
}

/// The ranks to compare messages with: all of them where a collective says that all come here, else those that
/// messages went to or came from.
fn peers(private: &Private, entries: &[&Entry]) -> BTreeSet<c_int> {
    if entries.iter().any(|entry| entry.kind == Kind::Collective && !entry.open) {
        return (0..private.size).collect();
    }
    let messages = entries.iter().filter(|entry| entry.kind != Kind::Collective && !entry.open);
    messages.map(|entry| entry.peer).collect()
}

/// Messages of the comparison: the highest tag that every MPI has.
const TAG: c_int = 32767;

/// Sends each peer some words and receives as many from each.
fn swap(
    private: &'static Private,
    entries: &[&Entry],
    peers: &BTreeSet<c_int>,
    n: usize,
    words_for: impl Fn(c_int) -> Vec<u64>,
) -> Result<Vec<Vec<u64>>> {
    let comm = private.mirror().comm(tape::depth())?;
    let items = doubles(n).map_err(failed)?;
    let mut sends = Vec::new();
    let mut receives = Vec::new();
    for &peer in peers {
        let at = Envelope { peer: private.mirrored(peer), tag: TAG };
        let data = staged(&words_for(peer));
        sends.push(Operation::send(comm, data, &items, at).map_err(failed)?);
        receives.push(Operation::receive(comm, Staging::take(n), &items, at).map_err(failed)?);
    }
    let mut swapped = Ok(());
    for (operation, &peer) in receives.iter_mut().chain(&mut sends).zip(peers.iter().chain(peers)) {
        swapped = swapped.and_then(|()| wait(operation, || missing(entries, peer)));
    }
    if let Err(error) = swapped {
        // A receive that stayed would take what a later comparison is told.
        receives.into_iter().try_for_each(Operation::cancel).map_err(failed)?;
        leave_to_mpi(sends.into_iter());
        return Err(error);
    }
    let arrived = receives.into_iter().map(Operation::into_received);
    Ok(arrived.map(|data| words_of(data.as_slice())).collect())
}

/// What a rank waits for in vain in a comparison of messages.
fn missing(entries: &[&Entry], peer: c_int) -> String {
    let first = entries.iter().find(|entry| entry.kind != Kind::Collective && entry.peer == peer);
    let about = first.map_or_else(String::new, |entry| {
        let way = if entry.kind == Kind::Send { "to" } else { "from" };
        format!(
            ", which has on record {} {way} it with tag {}",
            decode(&encode(entry)).name(),
            entry.tag
        )
    });
    format!("rank {peer} has not come to the comparison with this rank{about},")
}

fn staged(words: &[u64]) -> Staging {
    let mut data = Staging::take(words.len());
    for (slot, &word) in data.as_mut_slice().iter_mut().zip(words) {
        *slot = f64::from_bits(word);
    }
    data
}

fn words_of(data: &[f64]) -> Vec<u64> {
    data.iter().map(|word| word.to_bits()).collect()
}

fn compare_messages(private: &'static Private, entries: &[&Entry]) -> Result<String> {
    let peers = peers(private, entries);
    let summary = |peer| {
        let calls = entries.iter().filter(|entry| entry.open || entry.peer == peer).count();
        [
            hash_of(&sequence(entries, Kind::Send, peer)),
            hash_of(&sequence(entries, Kind::Receive, peer)),
            calls as u64,
        ]
    };
    let told = swap(private, entries, &peers, 3, |peer| summary(peer).to_vec())?;
    let mut finding = String::new();
    for (&peer, theirs) in peers.iter().zip(told) {
        let [sent, received, n] = summary(peer);
        if theirs[0] == received && theirs[1] == sent {
            continue;
        }
        // Both ends come here.
        let relevant = entries.iter().filter(|entry| entry.open || entry.peer == peer);
        let words: Vec<u64> = relevant.flat_map(|entry| encode(entry)).collect();
        let (n, m) = (crate::count::wide(n) * WORDS, crate::count::wide(theirs[2]) * WORDS);
        let comm = private.mirror().comm(tape::depth())?;
        let at = Envelope { peer: private.mirrored(peer), tag: TAG };
        let (out, back) = (doubles(n).map_err(failed)?, doubles(m).map_err(failed)?);
        let mut send = Operation::send(comm, staged(&words), &out, at).map_err(failed)?;
        let room = Staging::take(m);
        let mut receive = Operation::receive(comm, room, &back, at).map_err(failed)?;
        // The peer has come here, so that nothing is waited for in vain.
        wait(&mut receive, || missing(entries, peer))?;
        wait(&mut send, || missing(entries, peer))?;
        let theirs = receive.into_received();
        let decoded =
            |words: &[u64]| -> Vec<Record> { words.chunks_exact(WORDS).map(decode).collect() };
        let (mine, theirs) = (decoded(&words), decoded(&words_of(theirs.as_slice())));
        let (low, high) = if private.rank < peer {
            ((private.rank, &mine), (peer, &theirs))
        } else {
            ((peer, &theirs), (private.rank, &mine))
        };
        let found = message_difference(low, high).or_else(|| message_difference(high, low));
        keep_first(&mut finding, found.unwrap_or_else(|| "the records of two ranks differ".into()));
    }
    Ok(finding)
}

/// Words of a finding.
const FINDING: usize = 128;

/// Lets the peers know what this rank has found, and learns what they have.
fn tell_peers(private: &'static Private, entries: &[&Entry], finding: &str) -> Result<String> {
    let told = swap(private, entries, &peers(private, entries), FINDING, |_| {
        text_words(finding, FINDING)
    })?;
    Ok(told.iter().map(|words| words_text(words)).find(|text| !text.is_empty()).unwrap_or_default())
}

fn compare_collectives(
    private: &'static Private,
    entries: &[&Entry],
    finding: &str,
) -> Result<String> {
    let comm = private.mirror().comm(tape::depth())?;
    let ranks = private.ranks();
    let allgather = |words: &[u64]| -> Result<Vec<u64>> {
        let (n, room) = (words.len(), Staging::take(words.len() * ranks));
        let all =
            wire::allgather(comm, staged(words), room, Shares::Each(n), 1, Reach::All, How::Begin);
        Ok(words_of(agreed(private, all.map_err(failed)?)?.as_slice()))
    };
    let own = [hash_of(entries), entries.len() as u64, u64::from(!finding.is_empty())];
    let told = allgather(&own)?;
    let mut found = String::new();
    if told.chunks_exact(3).any(|theirs| theirs[0] != told[0]) {
        let most = told.chunks_exact(3).map(|theirs| theirs[1]).max().unwrap_or(0);
        let mut words: Vec<u64> = entries.iter().flat_map(|entry| encode(entry)).collect();
        words.resize(crate::count::wide(most) * WORDS, u64::MAX);
        let all = allgather(&words)?;
        let mut records: Vec<Vec<Record>> = all
            .chunks_exact(words.len())
            .map(|words| {
                let used = words.chunks_exact(WORDS).take_while(|words| words[0] != u64::MAX);
                used.map(decode).collect()
            })
            .collect();
        // The mirror's ranks run the other way.
        records.reverse();
        found = collective_difference(&records)
            .unwrap_or_else(|| "the records of a communicator's ranks differ".into());
    } else if told.chunks_exact(3).any(|theirs| theirs[2] != 0) {
        let texts = allgather(&text_words(finding, FINDING))?;
        let mut texts = texts.chunks_exact(FINDING).map(words_text);
        found = texts.rfind(|text| !text.is_empty()).unwrap_or_default();
    }
    Ok(found)
}

/// What travels of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    kind: Kind,
    recorded: bool,
    open: bool,
    peer: i64,
    tag: i64,
    n: u64,
    detail: [i64; 4],
    post: u64,
    call: String,
    place: String,
}

const CALL_WORDS: usize = 5;
const PLACE_WORDS: usize = 8;
const WORDS: usize = TEXTS + CALL_WORDS + PLACE_WORDS;
/// Where the texts begin.
const TEXTS: usize = 9;

fn text_words(text: &str, n: usize) -> Vec<u64> {
    // The end of a path tells more than its beginning.
    let bytes = &text.as_bytes()[text.len().saturating_sub(8 * n)..];
    let mut words = vec![0; n];
    for (i, &byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(byte) << (8 * (i % 8));
    }
    words
}

fn words_text(words: &[u64]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).filter(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn encode(entry: &Entry) -> Vec<u64> {
    let place = entry
        .site
        .map_or_else(String::new, |site| format!("{}:{}", site.file.to_string_lossy(), site.line));
    let flags = entry.kind as u64 | u64::from(entry.recorded) << 8 | u64::from(entry.open) << 9;
    let mut words =
        vec![flags, bits(entry.peer.into()), bits(entry.tag.into()), entry.n as u64, entry.post];
    words.extend(entry.detail.map(bits));
    words.extend(text_words(entry.call, CALL_WORDS));
    words.extend(text_words(&place, PLACE_WORDS));
    words
}

fn decode(words: &[u64]) -> Record {
    let kind = match words[0] & 0xff {
        0 => Kind::Send,
        1 => Kind::Receive,
        _ => Kind::Collective,
    };
    let signed = |word: u64| word.cast_signed();
    Record {
        kind,
        recorded: words[0] >> 8 & 1 != 0,
        open: words[0] >> 9 & 1 != 0,
        peer: signed(words[1]),
        tag: signed(words[2]),
        n: words[3],
        post: words[4],
        detail: std::array::from_fn(|i| signed(words[5 + i])),
        call: words_text(&words[TEXTS..TEXTS + CALL_WORDS]),
        place: words_text(&words[TEXTS + CALL_WORDS..]),
    }
}

impl Record {
    /// The call and where it stands.
    fn name(&self) -> String {
        if self.place.is_empty() {
            self.call.clone()
        } else {
            format!("{} ({})", self.call, self.place)
        }
    }
}

fn matching(records: &[Record], kind: Kind, peer: i64) -> Vec<&Record> {
    let mut found: Vec<&Record> = records
        .iter()
        .filter(|record| record.kind == kind && record.peer == peer && !record.open)
        .collect();
    found.sort_by_key(|record| (record.tag, record.post));
    found
}

/// Says where the ranks first disagree; the same text on every rank.
fn collective_difference(all: &[Vec<Record>]) -> Option<String> {
    let most = all.iter().map(Vec::len).max().unwrap_or(0);
    for i in 0..most {
        let first = all.iter().position(|records| records.get(i).is_some())?;
        let one = &all[first][i];
        for (rank, records) in all.iter().enumerate() {
            let Some(other) = records.get(i) else {
                return Some(format!(
                    "collective number {} of the communicator: rank {first} has {} on record and rank {rank} nothing: it did not complete the call, or passed passive data",
                    i + 1,
                    one.name()
                ));
            };
            let what = if other.recorded != one.recorded {
                let (with, without, at, of) = if one.recorded {
                    (first, rank, one, other)
                } else {
                    (rank, first, other, one)
                };
                return Some(format!(
                    "collective number {}: rank {with} recorded {}, and the tape of rank {without} did not record in {}: recording must be on or off on all members",
                    i + 1,
                    at.name(),
                    of.name()
                ));
            } else if other.call != one.call {
                "call"
            } else if other.detail[0] != one.detail[0] {
                "root"
            } else if other.detail[1] != one.detail[1] {
                "operation"
            } else if other.detail[2] != one.detail[2] {
                "count"
            } else if other.detail[3] != one.detail[3] {
                let (with, without) = if one.detail[3] > 0 { (first, rank) } else { (rank, first) };
                return Some(format!(
                    "collective number {}: {} was recorded with ADMPI_POLLING on rank {with} and without on rank {without}: all ranks must set it alike",
                    i + 1,
                    one.name()
                ));
            } else {
                continue;
            };
            let mut text = format!(
                "collective number {}: the {what} differs: rank {first} calls {}, rank {rank} calls {}",
                i + 1,
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
            return Some(text);
        }
    }
    None
}

fn operation_name(number: i64) -> &'static str {
    super::operator::NAMES
        .get(usize::try_from(number).unwrap_or(usize::MAX))
        .copied()
        .unwrap_or("another one")
}

/// Compares what `sender` has sent with what `receiver` has received.
fn message_difference(
    (sender, of_sender): (c_int, &Vec<Record>),
    (receiver, of_receiver): (c_int, &Vec<Record>),
) -> Option<String> {
    let sent = &matching(of_sender, Kind::Send, receiver.into());
    let received = &matching(of_receiver, Kind::Receive, sender.into());
    let tags: BTreeSet<i64> = sent.iter().chain(received).map(|record| record.tag).collect();
    for tag in tags {
        let of_tag = |records: &[&Record]| -> Vec<Record> {
            records
                .iter()
                .filter(|record| record.tag == tag)
                .map(|&record| record.clone())
                .collect()
        };
        let (out, back) = (of_tag(sent), of_tag(received));
        for i in 0..out.len().max(back.len()) {
            let which = format!(
                "message number {} from rank {sender} to rank {receiver} with tag {tag}",
                i + 1
            );
            match (out.get(i), back.get(i)) {
                (Some(send), Some(receive)) if send.recorded != receive.recorded => {
                    let state =
                        |record: &Record| if record.recorded { "recorded" } else { "not recorded" };
                    return Some(format!(
                        "{which}: {} was {} by rank {sender}, and {} {} by rank {receiver}: recording must be on or off on both ends",
                        send.name(),
                        state(send),
                        receive.name(),
                        state(receive)
                    ));
                }
                (Some(send), Some(receive)) if send.n != receive.n => {
                    return Some(format!(
                        "{which}: {} sent {} active doubles, and {} received {}",
                        send.name(),
                        send.n,
                        receive.name(),
                        receive.n
                    ));
                }
                (Some(send), None) => {
                    let open = of_receiver
                        .iter()
                        .filter(|record| record.open && record.kind == Kind::Receive);
                    let mut text = format!(
                        "{which}: {} has no active receive on rank {receiver}: its data is passive there, it was received before the recording or by a plain MPI call, or the receive is not complete",
                        send.name()
                    );
                    for record in open.take(3) {
                        let _ = write!(text, "; still open there: {}", record.name());
                    }
                    return Some(text);
                }
                (None, Some(receive)) => {
                    return Some(format!(
                        "{which}: {} has no active send on rank {sender}: its data is passive there, or it was sent before the recording or by a plain MPI call",
                        receive.name()
                    ));
                }
                _ => {}
            }
        }
    }
    None
}
