//! Where the calls of MPI stand in the user's program.

use crate::ampi::lock;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::sync::Mutex;

/// Where a call stands in the user's program.
#[derive(Debug, Clone, Copy)]
pub struct Site {
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

pub fn text_of(site: Site) -> String {
    format!("{}:{}", site.file.to_string_lossy(), site.line)
}

/// The call that has begun last, and where it stands.
pub fn last() -> (&'static str, Option<Site>) {
    CALL.get()
}

/// Where the call stands that has begun last, for an error of it.
pub fn place() -> String {
    last().1.map_or_else(String::new, |site| format!(" ({})", text_of(site)))
}
