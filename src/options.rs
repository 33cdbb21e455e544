//! What the environment asks for: every variable that the library reads, with its default and what counts as wrong.
//! `docs/environment.md` says the same to users.
//!
//! These functions read the environment anew. Who asks on a hot path, or must not see a change, keeps the answer: "read
//! once" below says who does. A wrong value counts as none, unless the function says that it is an error.
//!
//! One variable is read twice: `src/shim/tape.c` reads `ADMPI_CHECK` when the library is loaded, before any code of
//! Rust runs.

#![forbid(unsafe_code)]

use crate::error::{Code, Error, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

/// The name of a variable.
struct Variable(&'static str);

impl Variable {
    fn raw(&self) -> Option<OsString> {
        std::env::var_os(self.0)
    }

    /// Its text; empty if it is not set, or not of characters.
    fn text(&self) -> String {
        std::env::var(self.0).unwrap_or_default()
    }

    /// Only the value `1` turns something on.
    fn is_on(&self) -> bool {
        self.raw().is_some_and(|value| value == "1")
    }

    fn number<T: FromStr>(&self) -> Option<T> {
        self.text().parse().ok()
    }

    fn wrong(&self, text: &str, wanted: &str) -> Error {
        Error::new(Code::Argument, format!("{}={text} is not {wanted}", self.0))
    }
}

/// Whether sweeps look for adjoints that are not finite: beside its checks `ADMPI_CHECK` asks for this by the text `nan`.
/// Default: no. Read once, at the first sweep.
pub fn check_finite() -> bool {
    Variable("ADMPI_CHECK").text() == "nan"
}

/// Whether a check refuses derivatives that are zero by nature, from `0` on not. Default: it does. Read once, at the
/// first of those checks.
pub fn check_zeros() -> bool {
    Variable("ADMPI_CHECK_ZEROS").raw().is_none_or(|value| value != "0")
}

/// For how many seconds a rank waits for the others to come to the comparison before a sweep. Default: 60. Read at
/// each.
pub fn check_seconds() -> u64 {
    Variable("ADMPI_CHECK_SECONDS").number().unwrap_or(60)
}

/// Whether collectives that do not make their members wait are reversed over the edges that the values took. Default:
/// no. Read once, at the first question; `admpi_set_polling` replaces it.
pub fn polling() -> bool {
    Variable("ADMPI_POLLING").is_on()
}

/// Up to how many ranks the blocking ones among these are reversed over the edges in any case. Default: 4. Read once, at
/// the first question.
pub fn edge_ranks() -> i32 {
    Variable("ADMPI_EDGE_RANKS").number().unwrap_or(4)
}

/// For how many levels of sweeps inside callbacks each communicator gets private ones. Default: 1. Read when a
/// communicator enters.
pub fn nests() -> u16 {
    Variable("ADMPI_NESTS").number().unwrap_or(1)
}

/// The file for a trace. Default, also by an empty text: none. Read when a tape is made, when a communicator enters, and at the end.
pub fn trace() -> Option<PathBuf> {
    Variable("ADMPI_TRACE").raw().filter(|file| !file.is_empty()).map(PathBuf::from)
}

/// Whether the tape asks for huge pages. Default: no. Read once, when memory is first committed.
pub fn huge_pages() -> bool {
    Variable("ADMPI_HUGEPAGES").is_on()
}

/// Who does a map's jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workers {
    Serial,
    Threads,
    Ranks,
    ThreadsOfRanks,
}

/// Who does the jobs of a map whose program leaves the choice open. Default: ranks. Any other text is an error. Read
/// when such a map is made, and when one is told to ask again.
pub fn map() -> Result<Workers> {
    let variable = Variable("ADMPI_MAP");
    match &variable.text()[..] {
        "" | "mpi" => Ok(Workers::Ranks),
        "serial" => Ok(Workers::Serial),
        "threads" => Ok(Workers::Threads),
        "mpi+threads" => Ok(Workers::ThreadsOfRanks),
        other => Err(variable.wrong(other, "serial, threads, mpi or mpi+threads")),
    }
}

/// The largest number of a map's threads.
pub const MOST_THREADS: usize = 1 << 12;

/// How many threads such a map has. Default, also by 0: none, for as many as there are cores. What is no number up to
/// `MOST_THREADS` is an error. Read where a number of threads is asked for, and the program gives none.
pub fn map_threads() -> Result<Option<usize>> {
    let variable = Variable("ADMPI_MAP_THREADS");
    let text = variable.text();
    match (&text[..], text.parse()) {
        ("" | "0", _) => Ok(None),
        (_, Ok(n @ 1..=MOST_THREADS)) => Ok(Some(n)),
        _ => Err(variable.wrong(&text, &format!("a number of threads from 1 to {MOST_THREADS}"))),
    }
}

/// Wishes for the ways of calls with large counts. Default: none. Read once, at the first such call; those in vain are
/// told on standard error (`large::plan`).
pub fn large_plan() -> String {
    Variable("ADMPI_LARGE_PLAN").text()
}

/// Whether each of those ways is printed. Default: no. Read with them.
pub fn verbose() -> bool {
    Variable("ADMPI_VERBOSE").is_on()
}

/// The largest count that goes to MPI as it is: a lower one for tests, 2 at least, since types are made of rows, which
/// must have more than one item. Default: MPI's. Read once, at the first count.
pub fn int_max() -> i32 {
    let told = Variable("ADMPI_INT_MAX").text().trim().parse().ok();
    told.filter(|&limit| limit > 1).unwrap_or(i32::MAX)
}

/// The largest id: a lower one for tests, 1 at least. Default: that of the type. Read when a tape is made.
pub fn id_max() -> u32 {
    Variable("ADMPI_ID_MAX").number().unwrap_or(u32::MAX).max(1)
}

/// How many ranks share the node's memory, as the launchers of Open MPI and MPICH tell before MPI does. Default: none.
/// Read once.
pub fn local_ranks() -> Option<u64> {
    [Variable("OMPI_COMM_WORLD_LOCAL_SIZE"), Variable("MPI_LOCALNRANKS")]
        .iter()
        .find_map(Variable::number)
}
