//! Messages of the library's own in 64-bit words, waited for without burning a core.

use super::raw::{self, MPI_Request, null_request};
use super::{Comm, Datatype, MpiResult, check, wide_int};
use crate::error::{Code, Error};
use std::ffi::c_int;
use std::time::{Duration, Instant};

/// The one tag: the communicators are private, and messages between two ranks keep their order.
const TAG: c_int = 0;
/// Words of one message of `send` and `receive` at most: who has no room for all of them can let them pass.
pub const PIECE: usize = 1 << 16;

mod sealed {
    pub trait Sealed {
        fn datatype() -> super::Datatype;
    }
    impl Sealed for u64 {
        fn datatype() -> super::Datatype {
            super::Datatype::word()
        }
    }
    impl Sealed for f64 {
        fn datatype() -> super::Datatype {
            super::Datatype::double()
        }
    }
}

/// What messages are made of: plain 64-bit numbers.
pub trait Word: Copy + sealed::Sealed {}
impl Word for u64 {}
impl Word for f64 {}

/// How long to wait before looking again: not at all at first, then as long as others want to run, then by sleeps that are
/// short beside all the wait before. A sleep takes tens of microseconds more than it is asked for: it pays only after a wait
/// beside which that is little, too.
#[derive(Debug, Default)]
pub struct Patience {
    looks: u32,
    /// When the looks without a pause were over.
    began: Option<Instant>,
}

impl Patience {
    const SPINS: u32 = 100;
    const AWAKE: Duration = Duration::from_millis(5);
    /// Of the wait before.
    const PART: u32 = 64;
    const LONGEST: Duration = Duration::from_micros(500);

    #[inline]
    pub fn pause(&mut self) {
        if self.looks < Self::SPINS {
            self.looks += 1;
            return std::hint::spin_loop();
        }
        let waited = self.began.get_or_insert_with(Instant::now).elapsed();
        match Self::sleep_after(waited) {
            None => std::thread::yield_now(),
            Some(sleep) => std::thread::sleep(sleep),
        }
    }

    fn sleep_after(waited: Duration) -> Option<Duration> {
        (waited >= Self::AWAKE).then(|| (waited / Self::PART).min(Self::LONGEST))
    }
}

/// A message that is sent from, or received into, memory of its own.
pub struct Parcel {
    words: Vec<u64>,
    request: MPI_Request,
    /// How many words have arrived.
    arrived: usize,
}

impl Default for Parcel {
    fn default() -> Self {
        Self { words: Vec::new(), request: null_request(), arrived: 0 }
    }
}

// SAFETY: a request may be completed on another thread, as for `Operation`.
unsafe impl Send for Parcel {}

impl Drop for Parcel {
    fn drop(&mut self) {
        if self.request != null_request() {
            // MPI may still read or write there.
            std::mem::forget(std::mem::take(&mut self.words));
        }
    }
}

impl Parcel {
    fn check_idle(&self) {
        assert!(self.request == null_request(), "the parcel is under way");
    }

    /// The words to be sent.
    pub fn words(&mut self) -> &mut Vec<u64> {
        self.check_idle();
        &mut self.words
    }

    /// The words that have arrived.
    pub fn arrived(&self) -> &[u64] {
        self.check_idle();
        &self.words[..self.arrived]
    }

    /// Sends the words.
    pub fn send(&mut self, comm: Comm, to: c_int) -> MpiResult<()> {
        self.check_idle();
        // SAFETY: the words stay where they are until the request is null again.
        unsafe { isend(comm, &self.words, to, &mut self.request) }
    }

    /// Receives at most `n` words.
    pub fn receive(&mut self, comm: Comm, n: usize, from: c_int) -> MpiResult<()> {
        self.check_idle();
        self.words.resize(n, 0);
        // SAFETY: as above.
        unsafe { irecv(comm, &mut self.words, from, &mut self.request) }
    }

    /// Whether it has left, or arrived.
    #[inline]
    pub fn is_done(&mut self) -> MpiResult<bool> {
        let (done, words) = test(&mut self.request, Datatype::word())?;
        self.arrived = words.unwrap_or(self.arrived);
        Ok(done)
    }

    /// Waits until then.
    pub fn wait(&mut self) -> MpiResult<()> {
        self.wait_while(|| Ok(()))
    }

    /// Waits until then, or until `go_on` fails.
    pub fn wait_while(&mut self, mut go_on: impl FnMut() -> MpiResult<()>) -> MpiResult<()> {
        let mut patience = Patience::default();
        while !self.is_done()? {
            go_on()?;
            patience.pause();
        }
        Ok(())
    }
}

fn count(n: usize) -> c_int {
    c_int::try_from(n).expect("a parcel is a short message")
}

/// Whether a request has ended, and how many items it had if it has just done so.
fn test(request: &mut MPI_Request, datatype: Datatype) -> MpiResult<(bool, Option<usize>)> {
    if *request == null_request() {
        return Ok((true, None));
    }
    let mut flag = 0;
    let mut status = std::mem::MaybeUninit::zeroed();
    // SAFETY: a live request and places for the answers.
    check(unsafe { raw::MPI_Test(request, &mut flag, status.as_mut_ptr()) })?;
    if flag == 0 {
        return Ok((false, None));
    }
    let mut items = 0;
    // SAFETY: the request has ended: its status is written.
    check(unsafe { raw::MPI_Get_count(status.as_ptr(), datatype.raw(), &mut items) })?;
    Ok((true, Some(wide_int(items))))
}

/// Waits, as long as `go_on` does not fail, and returns the number of items.
fn finish(
    mut request: MPI_Request,
    datatype: Datatype,
    mut go_on: impl FnMut() -> MpiResult<()>,
) -> MpiResult<usize> {
    let mut patience = Patience::default();
    loop {
        if let (true, items) = test(&mut request, datatype)? {
            return Ok(items.unwrap_or(0));
        }
        go_on()?;
        patience.pause();
    }
}

/// Tells another rank that nothing more comes, whatever it waits for: by a message of no words, of which there is no other. Where
/// MPI fails at that too, the other is not told.
pub fn leave(comm: Comm, to: c_int) {
    let mut request = null_request();
    // SAFETY: there is nothing to be kept.
    let sent = unsafe { isend::<u64>(comm, &[], to, &mut request) };
    if sent.is_ok() && request != null_request() {
        // SAFETY: a live request. The caller has a failure of MPI to tell of already.
        let _ = check(unsafe { raw::MPI_Request_free(&mut request) });
    }
}

/// Whether the next message of another rank is one of `leave`.
pub fn has_left(comm: Comm, from: c_int) -> MpiResult<bool> {
    let (mut flag, mut items) = (0, 0);
    let mut status = std::mem::MaybeUninit::zeroed();
    // SAFETY: places for the answers.
    check(unsafe { raw::MPI_Iprobe(from, TAG, comm.raw(), &mut flag, status.as_mut_ptr()) })?;
    if flag != 0 {
        // SAFETY: there is a message: its status is written.
        check(unsafe { raw::MPI_Get_count(status.as_ptr(), Datatype::word().raw(), &mut items) })?;
    }
    Ok(flag != 0 && items == 0)
}

/// Sends words of any number, and waits until they have left, or `go_on` fails: then MPI may still read the words, which stay
/// where they are for ever.
pub fn send_while<W: Word>(
    comm: Comm,
    words: &mut Vec<W>,
    to: c_int,
    mut go_on: impl FnMut() -> MpiResult<()>,
) -> MpiResult<()> {
    for piece in words.chunks(PIECE) {
        let mut request = null_request();
        // SAFETY: the words are not freed before the request has ended.
        unsafe { isend(comm, piece, to, &mut request)? };
        if let Err(failure) = finish(request, W::datatype(), &mut go_on) {
            std::mem::forget(std::mem::take(words));
            return Err(failure);
        }
    }
    Ok(())
}

/// Sends words of any number, and waits until they have left.
pub fn send<W: Word>(comm: Comm, words: &[W], to: c_int) -> MpiResult<()> {
    for piece in words.chunks(PIECE) {
        let mut request = null_request();
        // SAFETY: the piece is borrowed until the request has ended.
        unsafe { isend(comm, piece, to, &mut request)? };
        finish(request, W::datatype(), || Ok(()))?;
    }
    Ok(())
}

/// Receives as many words as there is room for.
pub fn receive<W: Word>(comm: Comm, words: &mut [W], from: c_int) -> MpiResult<()> {
    for piece in words.chunks_mut(PIECE) {
        let mut request = null_request();
        // SAFETY: as above.
        unsafe { irecv(comm, piece, from, &mut request)? };
        let n = finish(request, W::datatype(), || Ok(()))?;
        if n != piece.len() {
            let text = format!("{n} words of rank {from} instead of {}", piece.len());
            return Err(Error::new(Code::Mpi, text).into());
        }
    }
    Ok(())
}

/// # Safety
/// The words stay where they are, and as they are, until the request has ended.
unsafe fn isend<W: Word>(
    comm: Comm,
    words: &[W],
    to: c_int,
    request: &mut MPI_Request,
) -> MpiResult<()> {
    let (n, datatype) = (count(words.len()), W::datatype().raw());
    // SAFETY: as promised.
    check(unsafe {
        raw::MPI_Isend(words.as_ptr().cast(), n, datatype, to, TAG, comm.raw(), request)
    })
}

/// # Safety
/// The words stay where they are, and are left alone, until the request has ended.
unsafe fn irecv<W: Word>(
    comm: Comm,
    words: &mut [W],
    from: c_int,
    request: &mut MPI_Request,
) -> MpiResult<()> {
    let (n, datatype) = (count(words.len()), W::datatype().raw());
    // SAFETY: as promised.
    check(unsafe {
        raw::MPI_Irecv(words.as_mut_ptr().cast(), n, datatype, from, TAG, comm.raw(), request)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An order that comes soon finds its worker awake, and any other one loses little of the wait before it.
    #[test]
    fn sleeps_are_short_beside_the_wait() {
        assert_eq!(Patience::sleep_after(Duration::from_micros(4999)), None);
        for micros in [5000, 10_000, 32_000, 1_000_000] {
            let sleep = Patience::sleep_after(Duration::from_micros(micros)).expect("long enough");
            assert!(sleep >= Duration::from_micros(75) && sleep <= Duration::from_micros(500));
            assert!(sleep <= Duration::from_micros(micros / 64 + 1));
        }
        assert_eq!(Patience::sleep_after(Duration::from_secs(9)), Some(Patience::LONGEST));
    }

    #[test]
    fn who_has_waited_long_sleeps() {
        let mut patience = Patience::default();
        while patience.began.is_none_or(|began| began.elapsed() < Patience::AWAKE * 2) {
            patience.pause();
        }
        let before = Instant::now();
        patience.pause();
        assert!(before.elapsed() >= Patience::AWAKE * 2 / Patience::PART);
    }
}
