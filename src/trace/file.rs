//! The file of a trace, and what a process that is alone writes to it.

use super::json::{close, open, signed, write_events};
use super::store::{Noted, is_on, start, take};
use crate::error::{Code, Error, Result};
use crate::options;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Opened when the trace begins, so that a file that cannot be written is known then.
static FILE: Mutex<Option<File>> = Mutex::new(None);
/// This process among others; -1 is none.
static RANK: AtomicI32 = AtomicI32::new(-1);

pub fn set_rank(rank: i32) {
    RANK.store(rank, Ordering::Relaxed);
}

/// Begins to note, if the environment asks for it. One of several processes learns later who writes the file.
pub fn start_alone() -> Result<()> {
    if is_on() || options::trace().is_none() {
        return Ok(());
    }
    if options::local_ranks().is_none() {
        create()?;
    }
    start();
    Ok(())
}

/// Makes the file.
pub fn create() -> Result<()> {
    let Some(path) = options::trace() else { return Ok(()) };
    let file = File::create(&path).map_err(|error| unwritable(&error))?;
    *FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    Ok(())
}

/// The file that was made.
pub fn file() -> Option<File> {
    FILE.lock().unwrap_or_else(PoisonError::into_inner).take()
}

pub fn unwritable(error: &io::Error) -> Error {
    let path = options::trace().unwrap_or_default();
    Error::new(Code::Disk, format!("ADMPI_TRACE={}: {error}", path.display()))
}

/// The process ends: writes what nobody has taken. Where other processes may have written the file, this one's has its rank, or
/// its number as a process, behind the name.
pub fn end() {
    if !is_on() {
        return;
    }
    let (Some(noted), Some(path)) = (take(), options::trace()) else { return };
    let rank = RANK.load(Ordering::Relaxed);
    let own = match (file(), rank) {
        (Some(file), -1 | 0) => Ok(file),
        (_, rank) if rank >= 0 => File::create(with_end(&path, &rank.to_string())),
        _ => File::create(with_end(&path, &std::process::id().to_string())),
    };
    let written = own.and_then(|file| write(file, rank.max(0), &noted));
    if let Err(error) = written {
        eprintln!("admpi: {}", unwritable(&error).message);
    }
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".");
    path.push(end);
    path.into()
}

fn write(file: File, rank: i32, noted: &Noted) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    open(&mut out)?;
    write_events(&mut out, rank, signed(noted.began), noted)?;
    close(&mut out)?;
    out.flush()
}
