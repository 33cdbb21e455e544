//! The trace of all ranks in one file, which rank 0 writes when the library ends.

use super::lock;
use crate::clock;
use crate::error::{Code, Error, Result};
use crate::mpi::{Comm, MpiResult, parcel, transfer};
use crate::options;
use crate::trace::{self, Noted, signed};
use std::ffi::c_int;
use std::io::{self, BufWriter, Write};
use std::sync::Mutex;

/// The ranks that write one file, on a communicator of their own.
static GROUP: Mutex<Option<Comm>> = Mutex::new(None);
/// Why the file could not be written.
static FAILED: Mutex<Option<Error>> = Mutex::new(None);

/// How often the clocks of two ranks are compared.
const ROUNDS: u32 = 8;
/// Words of a piece of text.
const PIECE: usize = 1 << 15;

/// Begins, if the environment of rank 0 asks for it. Collective over `comm`.
pub fn init(comm: Comm) -> MpiResult<()> {
    let rank = comm.rank()?;
    let (mut wanted, mut refusal) = (i64::from(options::trace().is_some()), None);
    if rank == 0 && wanted == 1 && lock(&GROUP).is_none() {
        refusal = trace::create().err();
        wanted = if refusal.is_some() { -1 } else { 1 };
    }
    transfer::bcast_number(comm, &mut wanted, 0)?;
    if wanted < 0 {
        trace::take();
        let elsewhere = || Error::new(Code::Disk, "ADMPI_TRACE: rank 0 cannot write the file");
        return Err(refusal.unwrap_or_else(elsewhere).into());
    }
    if lock(&GROUP).is_some() {
        return Ok(());
    }
    if wanted == 0 {
        trace::take();
    } else {
        trace::start();
        trace::set_rank(rank);
        *lock(&GROUP) = Some(comm.split(rank)?);
    }
    Ok(())
}

/// Writes the file. Collective over the ranks that began together.
pub fn finish() {
    let Some(comm) = lock(&GROUP).take() else { return };
    if let Some(noted) = trace::take() {
        let written = write(comm, &noted).unwrap_or_else(|failure| {
            Err(failure.into_error("ADMPI_TRACE: gathering what other ranks did"))
        });
        if let Err(error) = written {
            eprintln!("admpi: {}", error.message);
            *lock(&FAILED) = Some(error);
        }
    }
    // MPI is ending: a communicator that cannot be freed goes with it.
    let _ = comm.free();
}

/// The error of `finish`, once.
pub fn failure() -> Option<Error> {
    lock(&FAILED).take()
}

/// The outer error is MPI's, the inner one the file's.
fn write(comm: Comm, noted: &Noted) -> MpiResult<Result<()>> {
    let (rank, size) = (comm.rank()?, comm.size()?);
    if rank != 0 {
        let zero = follow(comm)?;
        let mut out =
            ToRoot { comm, words: Vec::with_capacity(PIECE + 1), bytes: 0, failure: None };
        // A failure of MPI is told below.
        let _ = trace::write_events(&mut out, rank, zero, noted).and_then(|()| out.flush());
        return match out.failure {
            Some(failure) => Err(failure),
            None => parcel::send(comm, &[0], 0).map(Ok),
        };
    }
    let mut out = BufWriter::new(Kept { file: trace::file(), error: None });
    let _ = trace::open(&mut out);
    let _ = trace::write_events(&mut out, rank, signed(noted.began), noted);
    for other in 1..size {
        lead(comm, other, noted)?;
        receive(comm, other, &mut out)?;
    }
    let _ = trace::close(&mut out).and_then(|()| out.flush());
    Ok(out.get_mut().error.take().map_or(Ok(()), |error| Err(trace::unwritable(&error))))
}

/// A file that takes what comes after an error, so that other ranks get rid of theirs.
struct Kept<W> {
    file: Option<W>,
    error: Option<io::Error>,
}

impl<W: Write> Write for Kept<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_none() {
            let written = self.file.as_mut().map_or(Ok(()), |file| file.write_all(bytes));
            self.error = written.err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.error.is_none() {
            self.error = self.file.as_mut().and_then(|file| file.flush().err());
        }
        Ok(())
    }
}

/// Text on its way to rank 0, in pieces: the number of bytes, then the bytes in words.
struct ToRoot {
    comm: Comm,
    words: Vec<u64>,
    bytes: u64,
    failure: Option<crate::mpi::Failure>,
}

impl Write for ToRoot {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(8 * PIECE);
        self.words.extend(bytes[..n].chunks(8).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_ne_bytes(word)
        }));
        self.bytes = n as u64;
        self.flush()?;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        let sent = parcel::send(self.comm, &[self.bytes], 0)
            .and_then(|()| parcel::send(self.comm, &self.words, 0));
        self.words.clear();
        self.bytes = 0;
        sent.map_err(|failure| {
            self.failure = Some(failure);
            io::Error::other("MPI")
        })
    }
}

/// Takes the text of another rank.
fn receive(comm: Comm, from: c_int, out: &mut impl Write) -> MpiResult<()> {
    let (mut words, mut text) = (Vec::new(), Vec::new());
    loop {
        let mut bytes = [0u64];
        parcel::receive(comm, &mut bytes, from)?;
        if bytes[0] == 0 {
            return Ok(());
        }
        let n = crate::count::wide(bytes[0]);
        words.resize(n.div_ceil(8), 0u64);
        parcel::receive(comm, &mut words, from)?;
        text.clear();
        words.iter().for_each(|word| text.extend_from_slice(&word.to_ne_bytes()));
        let _ = out.write_all(&text[..n]);
    }
}

/// Rank 0 asks another one for its clock, and tells it when the trace began by that clock. Clocks that differ by less than the time
/// of a message are taken to be one.
fn lead(comm: Comm, other: c_int, noted: &Noted) -> MpiResult<()> {
    let (mut fastest, mut ahead) = (i64::MAX, 0);
    for _ in 0..ROUNDS {
        let asked = clock::now();
        parcel::send(comm, &[0u64], other)?;
        let mut answer = [0u64];
        parcel::receive(comm, &mut answer, other)?;
        let took = signed(clock::now()) - signed(asked);
        if took < fastest {
            fastest = took;
            ahead = signed(answer[0]) - signed(asked) - took / 2;
        }
    }
    if ahead.abs() <= fastest {
        ahead = 0;
    }
    parcel::send(comm, &[(signed(noted.began) + ahead).cast_unsigned()], other)
}

/// As `lead`, at the other end: when the trace began, by this rank's clock.
fn follow(comm: Comm) -> MpiResult<i64> {
    for _ in 0..ROUNDS {
        parcel::receive(comm, &mut [0u64], 0)?;
        parcel::send(comm, &[clock::now()], 0)?;
    }
    let mut zero = [0u64];
    parcel::receive(comm, &mut zero, 0)?;
    Ok(zero[0].cast_signed())
}
