//! Address ranges that are reserved whole and committed in steps, so that what lies in them never moves.
//!
//! Committed memory is accounted for the whole process against one limit, because Linux kills an
//! overcommitted process instead of failing its allocations.

use crate::count::wide;
use crate::error::{Code, Error, Result};
use crate::options;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Committing in steps below this costs more than the first touch of the pages.
const STEP: usize = 2 << 20;
/// The smallest reservation worth having when the address space is limited (`ulimit -v`, valgrind).
const SMALLEST: usize = 64 << 20;

static COMMITTED: AtomicU64 = AtomicU64::new(0);

/// What an owner of streams may commit: up to its own limit, or else up to the process's.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub committed: u64,
    pub limit: Option<u64>,
}

/// What lies in a stream that is committed anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fresh {
    Zeros,
    /// Nobody reads what he has not written.
    Anything,
}

/// One contiguous stream of bytes: `used` is kept by its owner.
#[derive(Debug)]
pub struct Stream {
    base: *mut u8,
    reserved: usize,
    committed: usize,
    wanted: usize,
    fresh: Fresh,
}

/// How many streams of one step a thread keeps for the next owners: those of a tape.
const SPARE: usize = 6;

thread_local! {
    static LEFT: RefCell<Vec<Stream>> = const { RefCell::new(Vec::new()) };
}

impl Stream {
    /// An empty stream that will reserve up to `wanted` bytes when it is first committed.
    pub const fn new(wanted: usize, fresh: Fresh) -> Self {
        Self { base: std::ptr::null_mut(), reserved: 0, committed: 0, wanted, fresh }
    }

    /// Leaves a short stream to the next owner on this thread: a mapping costs system calls, and its pages a first touch.
    /// It has zeros again if it had at first. Others go.
    pub fn leave(&mut self) {
        if !self.is_short() {
            return;
        }
        let left = std::mem::replace(self, Self::new(self.wanted, self.fresh));
        // The thread may be ending.
        let _ = LEFT.try_with(|all| {
            let mut all = all.borrow_mut();
            if all.len() < SPARE {
                all.push(left);
            }
        });
    }

    /// Whether it is worth leaving: it has memory, and no more than its first step.
    pub const fn is_short(&self) -> bool {
        self.committed > 0 && self.committed <= STEP
    }

    /// Takes over one that was left, if its owner may commit so much.
    fn adopt(&mut self, budget: Budget) {
        let fits = |left: &Self| {
            let is_allowed = |limit| budget.committed + left.committed as u64 <= limit;
            (left.wanted, left.fresh) == (self.wanted, self.fresh)
                && budget.limit.is_none_or(is_allowed)
        };
        let found = LEFT.try_with(|left| {
            let mut left = left.borrow_mut();
            left.iter().position(fits).map(|at| left.swap_remove(at))
        });
        if let Ok(Some(found)) = found {
            *self = found;
        }
    }

    pub const fn base(&self) -> *mut u8 {
        self.base
    }

    pub const fn committed(&self) -> usize {
        self.committed
    }

    /// Commits at least `bytes` from the base, within the budget.
    #[cold]
    pub fn commit(&mut self, bytes: usize, budget: Budget) -> Result<()> {
        if bytes <= self.committed {
            return Ok(());
        }
        if self.base.is_null() {
            self.adopt(budget);
        }
        if bytes <= self.committed {
            return Ok(());
        }
        if self.base.is_null() {
            self.reserve(bytes)?;
        }
        if bytes > self.reserved {
            return Err(Error::new(
                Code::Memory,
                format!("{bytes} bytes wanted in a stream of {} reserved bytes", self.reserved),
            ));
        }
        // Growing by an eighth keeps the number of system calls logarithmic.
        let generous = (self.committed / 8).max(STEP);
        let exact = (bytes - self.committed).next_multiple_of(STEP);
        let room = self.reserved - self.committed;
        let mut failure = None;
        for step in [generous.next_multiple_of(STEP).max(exact), exact] {
            let step = step.min(room);
            match self.commit_step(step, budget) {
                Ok(()) => return Ok(()),
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.expect("two steps were tried"))
    }

    fn commit_step(&mut self, step: usize, budget: Budget) -> Result<()> {
        let before = COMMITTED.fetch_add(step as u64, Ordering::Relaxed);
        let (owner, has, limit) = match budget.limit {
            Some(limit) => ("this tape", budget.committed, limit),
            None => ("this process", before, default_limit()),
        };
        if has + step as u64 > limit {
            COMMITTED.fetch_sub(step as u64, Ordering::Relaxed);
            return Err(Error::new(
                Code::Limit,
                format!(
                    "{step} bytes more than the {has} that {owner} has committed exceed its limit of {limit} bytes"
                ),
            ));
        }
        // SAFETY: the range lies inside our own reservation, behind what is committed already.
        let status = unsafe {
            libc::mprotect(
                self.base.add(self.committed).cast(),
                step,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        };
        if status != 0 {
            COMMITTED.fetch_sub(step as u64, Ordering::Relaxed);
            return Err(Error::new(
                Code::Memory,
                format!("cannot commit {step} bytes: {}", std::io::Error::last_os_error()),
            ));
        }
        if huge_pages() {
            // SAFETY: advice on our own range; a refusal changes nothing.
            unsafe {
                libc::madvise(self.base.add(self.committed).cast(), step, libc::MADV_HUGEPAGE)
            };
        }
        self.committed += step;
        Ok(())
    }

    /// Reserves `wanted` bytes, or less where the address space is limited.
    fn reserve(&mut self, at_least: usize) -> Result<()> {
        let least = at_least.max(SMALLEST).next_multiple_of(STEP);
        let wanted = self.wanted.max(least).next_multiple_of(STEP);
        let all = if addresses_are_limited() { None } else { map_addresses(wanted).ok() };
        (self.base, self.reserved) = match all {
            Some(base) => (base, wanted),
            None => map_a_part(wanted, least)?,
        };
        Ok(())
    }

    /// Gives committed memory behind the first `keep` bytes back to the system. Mapping over it also
    /// returns the commit charge, which `MADV_DONTNEED` would keep.
    pub fn trim(&mut self, keep: usize) {
        let keep = keep.next_multiple_of(STEP);
        if self.base.is_null() || keep >= self.committed {
            return;
        }
        let bytes = self.committed - keep;
        // SAFETY: replaces a part of our own mapping; the owner uses nothing behind `keep`.
        let address = unsafe {
            libc::mmap(
                self.base.add(keep).cast(),
                bytes,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if address != libc::MAP_FAILED {
            self.committed = keep;
            COMMITTED.fetch_sub(bytes as u64, Ordering::Relaxed);
        }
    }
}

/// How long the stack of a thread should be on which functions of the program's run: as that of its main thread, which is
/// limited to 8 MiB mostly; addresses, of which a thread takes as much memory as it uses.
pub fn stack_size() -> usize {
    const LEAST: usize = 8 << 20;
    /// Where there is no limit, too.
    const MOST: usize = 64 << 20;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a structure to write to.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) } == 0;
    let soft = usize::try_from(limit.rlim_cur).unwrap_or(MOST);
    if known { soft.clamp(LEAST, MOST) } else { LEAST }
}

/// Whether the process may have only so many addresses (`ulimit -v`).
fn addresses_are_limited() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a structure to write to.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    known && limit.rlim_cur != libc::RLIM_INFINITY
}

/// Takes an eighth of what there is, since there are others: `least` bytes or more, and not more than are `wanted`.
#[cold]
fn map_a_part(wanted: usize, least: usize) -> Result<(*mut u8, usize)> {
    // One thread at a time: while one tries, there may be nothing left for the others.
    static TRYING: Mutex<()> = Mutex::new(());
    let _alone = TRYING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut there = wanted.saturating_mul(8);
    while there > least {
        if let Ok(base) = map_addresses(there) {
            // SAFETY: the mapping just made, which nobody uses.
            unsafe { libc::munmap(base.cast(), there) };
            break;
        }
        there = (there / 2).max(least);
    }
    let bytes = (there / 8).clamp(least, wanted).next_multiple_of(STEP);
    match map_addresses(bytes) {
        Ok(base) => Ok((base, bytes)),
        Err(error) => {
            let why = format!("cannot reserve {bytes} bytes of addresses: {error}");
            Err(Error::new(Code::Memory, why))
        }
    }
}

/// A fresh mapping without access rights or commit charge.
fn map_addresses(bytes: usize) -> std::io::Result<*mut u8> {
    // SAFETY: an anonymous mapping where the system likes it.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(address.cast())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !self.base.is_null() {
            // SAFETY: unmaps our own reservation; the owner is being dropped.
            unsafe { libc::munmap(self.base.cast(), self.reserved) };
            COMMITTED.fetch_sub(self.committed as u64, Ordering::Relaxed);
        }
    }
}

// SAFETY: a stream owns its mapping; nothing in it is bound to a thread.
unsafe impl Send for Stream {}

/// The process's byte limit: 90 % of the smaller of cgroup and physical memory, shared by the local ranks.
pub fn default_limit() -> u64 {
    memory() / 10 * 9 / local_ranks().max(1)
}

/// What the machine has free now: this process's part of 90 % of it, at most the default limit.
pub fn available() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    let most = default_limit();
    kib.map_or(most, |kib| (kib * 1024 / 10 * 9 / local_ranks().max(1)).min(most))
}

/// How many processes share this machine's memory, by what the launcher says.
fn local_ranks() -> u64 {
    static FROM_LAUNCHER: OnceLock<u64> = OnceLock::new();
    *FROM_LAUNCHER.get_or_init(|| options::local_ranks().unwrap_or(1))
}

/// The smaller of the machine's physical memory and the control group's limit.
pub fn memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let physical = physical_memory();
        cgroup_limits().fold(physical, u64::min)
    })
}

fn physical_memory() -> u64 {
    // SAFETY: plain queries.
    let (pages, size) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(size).unwrap_or(0)).max(1 << 30)
}

/// Limits of the process's control group and of those above it (versions 2 and 1; "max" is none).
fn cgroup_limits() -> impl Iterator<Item = u64> {
    let membership = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut files = vec!["/sys/fs/cgroup/memory/memory.limit_in_bytes".to_owned()];
    for line in membership.lines() {
        let Some(path) = line.strip_prefix("0::") else { continue };
        for group in std::path::Path::new(path).ancestors() {
            files.push(format!("/sys/fs/cgroup{}/memory.max", group.display()));
        }
    }
    files.into_iter().filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok())
}

fn huge_pages() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(options::huge_pages)
}

/// What a stream may reasonably reserve: the machine's memory, or less if ids run out first.
pub fn reservation(bytes_an_id: usize) -> usize {
    let by_ids = (1usize << 32).saturating_mul(bytes_an_id);
    wide(memory()).min(by_ids)
}

/// What all loans of an owner share: where a stream goes that has to outlive it.
pub type Estate = Arc<Mutex<Option<Stream>>>;

/// Numbers of a stream that are lent: they stay where they are, and become zero when the loan is dropped.
#[derive(Debug)]
pub struct Loan {
    first: *mut f64,
    n: usize,
    /// The last one unmaps what the owner has left there.
    _estate: Estate,
}

// SAFETY: the promise of `new`.
unsafe impl Send for Loan {}

impl Loan {
    /// # Safety
    /// The `n` numbers are committed, and stay so while `estate` has more than one holder; nobody else uses them while the
    /// value lives.
    pub unsafe fn new(first: *mut f64, n: usize, estate: Estate) -> Self {
        Self { first, n, _estate: estate }
    }

    pub const fn as_slice(&self) -> &[f64] {
        // SAFETY: the promise of `new`.
        unsafe { std::slice::from_raw_parts(self.first, self.n) }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // SAFETY: as above; nobody reads them any more.
        unsafe { self.first.write_bytes(0, self.n) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Budget = Budget { committed: 0, limit: Some(u64::MAX) };

    #[test]
    fn stream_commits_without_moving_and_is_zero() {
        let mut stream = Stream::new(1 << 30, Fresh::Zeros);
        stream.commit(1, FREE).unwrap();
        let base = stream.base();
        assert!(base.addr().is_multiple_of(64));
        stream.commit(50 << 20, FREE).unwrap();
        assert_eq!(stream.base(), base);
        assert!(stream.committed() >= 50 << 20);
        // SAFETY: the last committed byte.
        assert_eq!(unsafe { *base.add(stream.committed() - 1) }, 0);
    }

    #[test]
    fn stream_left_is_adopted_by_one_like_it_within_its_budget() {
        let wanted = 3 << 30;
        let mut stream = Stream::new(wanted, Fresh::Zeros);
        stream.commit(1, FREE).unwrap();
        let base = stream.base();
        stream.leave();
        let mut other = Stream::new(wanted, Fresh::Anything);
        other.commit(1, FREE).unwrap();
        assert_ne!(other.base(), base);
        let mut poor = Stream::new(wanted, Fresh::Zeros);
        assert!(poor.commit(1, Budget { committed: 0, limit: Some(1) }).is_err());
        let mut next = Stream::new(wanted, Fresh::Zeros);
        next.commit(1, FREE).unwrap();
        assert_eq!(next.base(), base);
        // A long one goes back to the system, and so do more than a tape has.
        next.commit(STEP + 1, FREE).unwrap();
        next.leave();
        LEFT.with(|left| assert!(left.borrow().is_empty()));
        let mut many: Vec<Stream> =
            (0..=SPARE).map(|_| Stream::new(wanted, Fresh::Zeros)).collect();
        many.iter_mut().for_each(|stream| stream.commit(1, FREE).unwrap());
        many.iter_mut().for_each(Stream::leave);
        LEFT.with(|left| assert_eq!(left.borrow().len(), SPARE));
    }

    #[test]
    fn stream_trim_returns_memory_and_zeroes_it() {
        let mut stream = Stream::new(1 << 30, Fresh::Zeros);
        stream.commit(8 << 20, FREE).unwrap();
        // SAFETY: inside the committed range.
        unsafe { *stream.base().add(5 << 20) = 7 };
        stream.trim(1);
        assert_eq!(stream.committed(), STEP);
        stream.commit(8 << 20, FREE).unwrap();
        // SAFETY: committed again.
        assert_eq!(unsafe { *stream.base().add(5 << 20) }, 0);
    }

    #[test]
    fn stream_refuses_beyond_limit_and_reservation() {
        let mut stream = Stream::new(SMALLEST, Fresh::Zeros);
        let over =
            stream.commit(8 << 20, Budget { committed: 0, limit: Some(1 << 20) }).unwrap_err();
        assert_eq!(over.code, Code::Limit);
        assert!(over.message.contains("1048576"), "{over}");
        stream.commit(1, FREE).unwrap();
        assert_eq!(stream.commit(SMALLEST * 4, FREE).unwrap_err().code, Code::Memory);
        stream.commit(SMALLEST, FREE).unwrap();
    }

    #[test]
    fn exact_step_is_taken_where_the_generous_one_passes_the_limit() {
        let mut stream = Stream::new(1 << 30, Fresh::Zeros);
        stream.commit(160 << 20, FREE).unwrap();
        let has = stream.committed();
        stream
            .commit(has + 1, Budget { committed: has as u64, limit: Some((has + STEP) as u64) })
            .unwrap();
        assert_eq!(stream.committed(), has + STEP);
    }
}
