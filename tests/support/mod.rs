//! The files of the project, for tests that read its source.
#![allow(dead_code)] // each test uses a part

use std::fs;
use std::path::{Path, PathBuf};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file.
pub fn read(file: impl AsRef<Path>) -> String {
    let file = file.as_ref();
    fs::read_to_string(root().join(file))
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a directory") {
            collect(&entry.expect("an entry").path(), found);
        }
    } else {
        found.push(path.to_owned());
    }
}

/// The files in these places, which may be files or directories, sorted.
pub fn files_in(places: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for place in places {
        collect(&root().join(place), &mut found);
    }
    found.sort();
    found
}

/// Whether the name of a file ends so.
pub fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|extension| endings.iter().any(|ending| extension == *ending))
}

/// The path of a file below the root.
pub fn name_of(path: &Path) -> String {
    path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned()
}

/// Names and texts of the files in these places whose names end so; without `endings` of all that are text.
pub fn texts_in(places: &[&str], endings: &[&str]) -> Vec<(String, String)> {
    files_in(places)
        .into_iter()
        .filter(|path| endings.is_empty() || has_ending(path, endings))
        .filter_map(|path| Some((name_of(&path), fs::read_to_string(&path).ok()?)))
        .collect()
}

/// The identifier with which a text begins; it may be empty.
pub fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}
