//! What was noted, in Chrome's trace format: spans are complete events ("X"), and the way of a message is a flow: from the send
//! ("s") to the receive, on to the adjoint of the receive, and to the adjoint of the send ("t", the last one "f").
//!
//! Events are many, so what Perfetto does without is left out: the category of a flow, and the thread of the first thread,
//! which is then taken to have the number of its process.

use super::store::{Hop, Kind, Message, Noted, Span, Way};
use super::text::Text;
use crate::count::wide32;
use std::collections::HashMap;
use std::io::{self, Write};

/// The beginning of the file.
pub fn open(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")
}

/// Its end. The last event has no comma behind it: it is one that says nothing.
pub fn close(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"ph\":\"M\",\"pid\":0,\"name\":\"end\",\"args\":{}}\n]}\n")
}

/// The events of one process, each on a line. The file's times begin at `zero` of this process's clock.
pub fn write_events(out: &mut impl Write, rank: i32, zero: i64, noted: &Noted) -> io::Result<()> {
    let mut writer = Writer { rank, zero, text: Text::default(), labels: labels(noted) };
    writer.heading(noted.dropped);
    for span in &noted.spans {
        writer.span(span);
        writer.flush(out, FULL)?;
    }
    let (ids, ends) = (ids(&noted.messages), ends(noted));
    for (at, hop) in noted.hops.iter().enumerate() {
        let message = wide32(hop.message);
        let (Some(span), Some(Message { way, .. })) =
            (noted.spans.get(wide32(hop.span)), noted.messages.get(message))
        else {
            continue;
        };
        writer.hop(span, hop, *way, ids[message], ends[message] == at);
        writer.flush(out, FULL)?;
    }
    writer.flush(out, 0)
}

/// Text of so many bytes is handed on.
const FULL: usize = 1 << 16;

struct Writer {
    rank: i32,
    zero: i64,
    text: Text,
    /// Of each name, by kinds of spans: category and name.
    labels: Vec<[String; Kind::N]>,
}

impl Writer {
    fn flush(&mut self, out: &mut impl Write, full: usize) -> io::Result<()> {
        let text = self.text.as_bytes();
        if text.len() > full {
            out.write_all(text)?;
            self.text.clear();
        }
        Ok(())
    }

    fn heading(&mut self, dropped: u64) {
        let rank = self.rank;
        self.text.add(&format!(
            "{{\"ph\":\"M\",\"pid\":{rank},\"name\":\"process_name\",\"args\":{{\"name\":\"rank {rank}\"}}}},\n"
        ));
        if dropped > 0 {
            self.text.add(&format!(
                "{{\"ph\":\"M\",\"pid\":{rank},\"name\":\"dropped\",\"args\":{{\"events\":{dropped}}}}},\n"
            ));
        }
    }

    /// What an event begins with.
    fn begin(&mut self, phase: &str, thread: u16, nanos: u64) {
        let Self { rank, zero, text, .. } = self;
        text.add("{\"ph\":\"");
        text.add(phase);
        text.add("\",\"pid\":");
        text.number(i64::from(*rank));
        if thread > 0 {
            // No thread of a process has the number of another process.
            text.add(",\"tid\":");
            text.number(i64::from(*rank) + (i64::from(thread) << 16));
        }
        text.add(",\"ts\":");
        text.micros(signed(nanos).saturating_sub(*zero));
    }

    fn span(&mut self, span: &Span) {
        self.begin("X", span.thread, span.begin);
        let text = &mut self.text;
        text.add(",\"dur\":");
        text.micros(signed(span.end.saturating_sub(span.begin)));
        text.add(&self.labels[wide32(span.name)][span.kind.number()]);
        let link = span.link;
        if link.bytes > 0 || link.peer >= 0 {
            text.add(",\"args\":{");
            if link.peer >= 0 {
                text.add("\"peer\":");
                text.number(i64::from(link.peer));
                text.add(",\"tag\":");
                text.number(i64::from(link.tag));
                text.add(",");
            }
            text.add("\"bytes\":");
            text.number(signed(link.bytes));
            text.add("}");
        }
        text.add("},\n");
    }

    /// A hop lies in its span: where something leaves at its beginning, and where something arrives at its end.
    fn hop(&mut self, span: &Span, hop: &Hop, way: Way, id: u64, last: bool) {
        let leaves = (way == Way::Out) != hop.adjoint;
        let at = if leaves { span.begin } else { span.end.saturating_sub(1).max(span.begin) };
        let (phase, rest) = match (way, hop.adjoint) {
            (Way::Out, false) => ("s", ",\"name\":\"m\"},\n"),
            (Way::In, true) => ("t", ",\"name\":\"m\"},\n"),
            _ if last => ("f", ",\"name\":\"m\",\"bp\":\"e\"},\n"),
            _ => ("t", ",\"name\":\"m\"},\n"),
        };
        self.begin(phase, span.thread, at);
        self.text.add(",\"id\":");
        self.text.number(signed(id));
        self.text.add(rest);
    }
}

pub fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Whether a call that blocks returns only when another rank has done its part.
fn waits(name: &str) -> bool {
    const WAITING: [&str; 17] = [
        "Wait",
        "Recv",
        "Mrecv",
        "Probe",
        "Mprobe",
        "Sendrecv",
        "Ssend",
        "Barrier",
        "Bcast",
        "Gather",
        "Scatter",
        "All",
        "Reduce",
        "Scan",
        "Exscan",
        "Neighbor_",
        "Win_",
    ];
    let name = name.strip_prefix("AMPI_").unwrap_or(name);
    let at_once = name.contains("_init") || name.starts_with("Reduce_local");
    !at_once && WAITING.iter().any(|start| name.starts_with(start))
}

fn category(kind: Kind) -> &'static str {
    match kind {
        Kind::Region | Kind::RegionSwept => "region",
        Kind::Sweep => "sweep",
        Kind::AdjointSent => "adjoint",
        Kind::Call | Kind::AdjointAwaited => "wait",
        Kind::UserCode => "callback",
        Kind::Loop => "loop",
    }
}

/// Category and name of a span.
fn label(kind: Kind, name: &str) -> String {
    let mark = match kind {
        Kind::AdjointSent | Kind::AdjointAwaited | Kind::RegionSwept => " (adjoint)",
        _ => "",
    };
    let name = escaped(name);
    // Calls are the most: what has no category is one.
    if kind == Kind::Call && !waits(&name) {
        format!(",\"name\":\"{name}{mark}\"")
    } else {
        format!(",\"cat\":\"{}\",\"name\":\"{name}{mark}\"", category(kind))
    }
}

fn labels(noted: &Noted) -> Vec<[String; Kind::N]> {
    noted.names.iter().map(|name| Kind::ALL.map(|kind| label(kind, name))).collect()
}

/// The number of each message that its two ends have in common.
fn ids(messages: &[Message]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..messages.len()).collect();
    order.sort_by_key(|&at| messages[at].order);
    let mut counts = HashMap::new();
    let mut ids = vec![0; messages.len()];
    for at in order {
        let Message { comm, own, peer, tag, way, .. } = messages[at];
        let (from, to) = if way == Way::Out { (own, peer) } else { (peer, own) };
        let count: &mut u64 = counts.entry((comm, from, to, tag, way == Way::Out)).or_default();
        ids[at] = digest(&[comm.cast_unsigned(), word(from), word(to), word(tag), *count]);
        *count += 1;
    }
    ids
}

fn word(n: i32) -> u64 {
    i64::from(n).cast_unsigned()
}

/// 52 bits, which a number of JSON holds.
fn digest(words: &[u64]) -> u64 {
    let mixed = words.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, word| {
        let sum = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^ (sum >> 29)
    });
    mixed >> 12
}

/// The last hop of each message.
fn ends(noted: &Noted) -> Vec<usize> {
    let mut ends = vec![usize::MAX; noted.messages.len()];
    for (at, hop) in noted.hops.iter().enumerate() {
        if let Some(end) = ends.get_mut(wide32(hop.message)) {
            *end = at;
        }
    }
    ends
}

/// As a string of JSON has it.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            '"' | '\\' => {
                text.push('\\');
                text.push(c);
            }
            c if u32::from(c) < 32 => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(way: Way, own: i32, peer: i32, tag: i32, order: u64) -> Message {
        Message { comm: 7, own, peer, tag, way, order }
    }

    #[test]
    fn test_trace_both_ends_of_a_message_have_one_number() {
        let sent = [
            message(Way::Out, 0, 1, 5, 0),
            message(Way::Out, 0, 1, 6, 1),
            message(Way::Out, 0, 1, 5, 2),
        ];
        // Posted in the order of sending, completed in another.
        let received = [
            message(Way::In, 1, 0, 5, 9),
            message(Way::In, 1, 0, 5, 4),
            message(Way::In, 1, 0, 6, 5),
        ];
        let (sent, received) = (ids(&sent), ids(&received));
        assert_eq!([sent[0], sent[1], sent[2]], [received[1], received[2], received[0]]);
        assert!(sent[0] != sent[1] && sent[0] != sent[2]);
        assert!(sent.iter().all(|&id| id < 1 << 52));
    }

    #[test]
    fn test_trace_names_are_escaped() {
        assert_eq!(escaped("a\"b\\c\n"), "a\\\"b\\\\c\\u000a");
    }

    #[test]
    fn test_trace_waiting_is_told_from_working() {
        for name in
            ["AMPI_Wait", "AMPI_Recv", "AMPI_Allreduce", "AMPI_Neighbor_alltoallw", "AMPI_Waitall"]
        {
            assert!(waits(name), "{name}");
        }
        for name in [
            "AMPI_Send",
            "AMPI_Isend",
            "AMPI_Iallreduce",
            "AMPI_Irecv",
            "AMPI_Recv_init",
            "AMPI_Reduce_local",
            "AMPI_Test",
        ] {
            assert!(!waits(name), "{name}");
        }
    }
}
