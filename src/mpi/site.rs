//! Where calls of MPI stand in the user's program, if it says so.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::ffi::CStr;
use std::fmt;

/// A line of a source file.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    pub file: &'static CStr,
    pub line: usize,
}

impl Site {
    /// Without the directory: MPI's texts are short, and so are the names of regions.
    pub fn short(&self) -> String {
        let path = self.file.to_string_lossy();
        format!("{}:{}", path.rsplit('/').next().unwrap_or(&path), self.line)
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.to_string_lossy(), self.line)
    }
}

thread_local! {
    static HERE: Cell<Option<Site>> = const { Cell::new(None) };
}

/// This thread's calls stand there from now on.
pub fn stand_at(site: Option<Site>) {
    HERE.set(site);
}

pub fn here() -> Option<Site> {
    HERE.get()
}
