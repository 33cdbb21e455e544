//! What was noted, in Chrome's trace format: spans are complete events ("X"), and the way of a message is a flow: from the send
//! ("s") to the receive, on to the adjoint of the receive, and to the adjoint of the send ("t", the last one "f").

use super::store::{Kind, Message, Noted, Span, Way};
use crate::count::wide32;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// How this process's times are moved to those of the file: added to each, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    pub shift: i64,
}

/// The beginning of the file.
pub fn open(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")
}

/// Its end. The last event has no comma behind it: it is one that says nothing.
pub fn close(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"ph\":\"M\",\"pid\":0,\"name\":\"end\",\"args\":{}}\n]}\n")
}

/// The events of one process, each on a line.
pub fn write_events(
    out: &mut impl Write,
    rank: i32,
    clock: Clock,
    noted: &Noted,
) -> io::Result<()> {
    let mut line = String::new();
    let _ = writeln!(
        line,
        "{{\"ph\":\"M\",\"pid\":{rank},\"name\":\"process_name\",\"args\":{{\"name\":\"rank {rank}\"}}}},"
    );
    if noted.dropped > 0 {
        let _ = writeln!(
            line,
            "{{\"ph\":\"M\",\"pid\":{rank},\"name\":\"dropped\",\"args\":{{\"events\":{}}}}},",
            noted.dropped
        );
    }
    let names: Vec<String> = noted.names.iter().map(|name| escaped(name)).collect();
    for span in &noted.spans {
        write_span(&mut line, rank, clock, span, &names[wide32(span.name)]);
        flush(out, &mut line)?;
    }
    let (ids, ends) = (ids(&noted.messages), ends(noted));
    for (at, hop) in noted.hops.iter().enumerate() {
        let message = wide32(hop.message);
        let (Some(span), Some(way)) =
            (noted.spans.get(wide32(hop.span)), noted.messages.get(message).map(|m| m.way))
        else {
            continue;
        };
        let phase = match (way, hop.adjoint) {
            (Way::Out, false) => 's',
            (Way::In, true) => 't',
            _ if ends[message] == at => 'f',
            _ => 't',
        };
        write_hop(&mut line, rank, clock, span, (phase, way, hop.adjoint, ids[message]));
        flush(out, &mut line)?;
    }
    out.write_all(line.as_bytes())
}

fn flush(out: &mut impl Write, text: &mut String) -> io::Result<()> {
    if text.len() > 1 << 16 {
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    Ok(())
}

/// Microseconds, as the format has them.
fn micros(text: &mut String, nanos: i64) {
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    let _ = write!(text, "{sign}{}.{:03}", nanos / 1000, nanos % 1000);
}

fn moved(nanos: u64, clock: Clock) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX).saturating_add(clock.shift)
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

fn write_span(text: &mut String, rank: i32, clock: Clock, span: &Span, name: &str) {
    let _ = write!(text, "{{\"ph\":\"X\",\"pid\":{rank},\"tid\":{},\"ts\":", span.thread);
    micros(text, moved(span.begin, clock));
    text.push_str(",\"dur\":");
    micros(text, i64::try_from(span.end.saturating_sub(span.begin)).unwrap_or(i64::MAX));
    let mark = match span.kind {
        Kind::AdjointSent | Kind::AdjointAwaited | Kind::RegionSwept => " (adjoint)",
        _ => "",
    };
    // Calls are the most: what has no category is one.
    if span.kind != Kind::Call || waits(name) {
        let _ = write!(text, ",\"cat\":\"{}\"", category(span.kind));
    }
    let _ = write!(text, ",\"name\":\"{name}{mark}\"");
    let link = span.link;
    if link.bytes > 0 || link.peer >= 0 {
        text.push_str(",\"args\":{");
        if link.peer >= 0 {
            let _ = write!(text, "\"peer\":{},\"tag\":{},", link.peer, link.tag);
        }
        let _ = write!(text, "\"bytes\":{}}}", link.bytes);
    }
    text.push_str("},\n");
}

/// A hop lies in its span: where something leaves at its beginning, and where something arrives at its end.
fn write_hop(
    text: &mut String,
    rank: i32,
    clock: Clock,
    span: &Span,
    (phase, way, adjoint, id): (char, Way, bool, u64),
) {
    let leaves = (way == Way::Out) != adjoint;
    let at = if leaves { span.begin } else { span.end.saturating_sub(1).max(span.begin) };
    let _ = write!(text, "{{\"ph\":\"{phase}\",\"pid\":{rank},\"tid\":{},\"ts\":", span.thread);
    micros(text, moved(at, clock));
    let bound = if phase == 'f' { ",\"bp\":\"e\"" } else { "" };
    let _ = writeln!(text, ",\"id\":{id},\"cat\":\"m\",\"name\":\"m\"{bound}}},");
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
                let _ = write!(text, "\\u{:04x}", u32::from(c));
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
    fn test_trace_names_are_escaped_and_times_are_exact() {
        assert_eq!(escaped("a\"b\\c\n"), "a\\\"b\\\\c\\u000a");
        let mut text = String::new();
        micros(&mut text, 1_234_567);
        text.push(' ');
        micros(&mut text, -5);
        assert_eq!(text, "1234.567 -0.005");
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
