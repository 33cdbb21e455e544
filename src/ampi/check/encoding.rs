//! What travels of a log: hashes that agree mostly, and records where they do not.

use super::log::{Entry, Kind, collectives, messages};
use crate::mpi::Staging;
use std::ffi::c_int;

/// FNV-1a over 64-bit words.
pub fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        word.to_le_bytes()
            .iter()
            .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    })
}

pub const fn bits(n: i64) -> u64 {
    n.cast_unsigned()
}

/// What must be alike at both ends of all messages.
pub fn hash_of_messages(entries: &[&Entry], kind: Kind, peer: c_int) -> u64 {
    let recorded = messages(entries, kind, peer).into_iter().filter(|(_, entry)| entry.recorded);
    hash(recorded.flat_map(|(number, entry)| [bits(entry.tag.into()), number, entry.n as u64]))
}

/// What all members must have alike.
pub fn hash_of_collectives(entries: &[&Entry]) -> u64 {
    let alike = collectives(entries).filter(|entry| entry.recorded || entry.kind == Kind::Free);
    hash(alike.flat_map(|entry| {
        let text = hash(entry.call.bytes().map(u64::from));
        let [a, b, c, d] = entry.detail.map(bits);
        [entry.number, u64::from(entry.open), text, a, b, c, d]
    }))
}

pub fn staged(words: &[u64]) -> Staging {
    let mut data = Staging::take(words.len());
    for (slot, &word) in data.as_mut_slice().iter_mut().zip(words) {
        *slot = f64::from_bits(word);
    }
    data
}

pub fn words_of(data: &[f64]) -> Vec<u64> {
    data.iter().map(|word| word.to_bits()).collect()
}

/// What travels of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub kind: Kind,
    pub recorded: bool,
    pub open: bool,
    /// Swept by a later part.
    pub below: bool,
    pub peer: i64,
    pub tag: i64,
    pub n: u64,
    pub detail: [i64; 4],
    /// How many calls there were on its channel before it, and after it.
    pub number: [u64; 2],
    pub call: String,
    pub place: String,
}

const CALL_WORDS: usize = 5;
const PLACE_WORDS: usize = 8;
pub const WORDS: usize = TEXTS + CALL_WORDS + PLACE_WORDS;
/// Where the texts begin.
const TEXTS: usize = 10;

pub fn text_words(text: &str, n: usize) -> Vec<u64> {
    // The end of a path tells more than its beginning.
    let bytes = &text.as_bytes()[text.len().saturating_sub(8 * n)..];
    let mut words = vec![0; n];
    for (i, &byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(byte) << (8 * (i % 8));
    }
    words
}

pub fn words_text(words: &[u64]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).filter(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All that concerns messages with a peer.
pub fn encode_about(entries: &[&Entry], peer: c_int, bottom: u32) -> Vec<u64> {
    let complete = [Kind::Send, Kind::Receive]
        .into_iter()
        .flat_map(|kind| messages(entries, kind, peer))
        .flat_map(|(number, entry)| encode(entry, number, bottom));
    let open = entries.iter().filter(|entry| entry.open);
    complete.chain(open.flat_map(|entry| encode(entry, 0, bottom))).collect()
}

pub fn encode(entry: &Entry, number: u64, bottom: u32) -> Vec<u64> {
    let flags = entry.kind as u64
        | u64::from(entry.recorded) << 8
        | u64::from(entry.open) << 9
        | u64::from(entry.event < bottom) << 10;
    let [a, b, c, d] = entry.detail.map(bits);
    let count = entry.count();
    let mut words = vec![
        flags,
        bits(entry.peer.into()),
        bits(entry.tag.into()),
        entry.n as u64,
        number,
        count.saturating_sub(number + 1),
        a,
        b,
        c,
        d,
    ];
    words.extend(text_words(entry.call, CALL_WORDS));
    words.extend(text_words(&place_of(entry), PLACE_WORDS));
    words
}

fn place_of(entry: &Entry) -> String {
    entry.site.map_or_else(String::new, |site| site.to_string())
}

pub fn decode(words: &[u64]) -> Record {
    let kind = match words[0] & 0xff {
        0 => Kind::Send,
        1 => Kind::Receive,
        2 => Kind::Collective,
        _ => Kind::Free,
    };
    let signed = |word: u64| word.cast_signed();
    let flag = |bit: u32| words[0] >> bit & 1 != 0;
    Record {
        kind,
        recorded: flag(8),
        open: flag(9),
        below: flag(10),
        peer: signed(words[1]),
        tag: signed(words[2]),
        n: words[3],
        number: [words[4], words[5]],
        detail: std::array::from_fn(|i| signed(words[6 + i])),
        call: words_text(&words[TEXTS..TEXTS + CALL_WORDS]),
        place: words_text(&words[TEXTS + CALL_WORDS..]),
    }
}

/// The call and where it stands.
fn name(call: &str, place: &str) -> String {
    if place.is_empty() { call.to_owned() } else { format!("{call} ({place})") }
}

pub fn name_of(entry: &Entry) -> String {
    name(entry.call, &place_of(entry))
}

impl Record {
    pub fn name(&self) -> String {
        name(&self.call, &self.place)
    }
}

/// Says which tag; the shares of a collective have none.
pub fn with_tag(tag: i64) -> String {
    if tag < 0 { String::new() } else { format!(" with tag {tag}") }
}
