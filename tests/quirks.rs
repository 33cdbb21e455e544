//! Quirks of MPIs have one place, `src/mpi/quirks.rs`: the code elsewhere asks for a quirk by its name.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

const QUIRKS: &str = "src/mpi/quirks.rs";

/// These may ask which MPI it is: the quirks, the layout of its status, and the check that a program has the same MPI.
const MAY_ASK: &[&str] = &[QUIRKS, "src/mpi/status.rs", "src/capi/support/mod.rs"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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

/// Names and texts of the files in these places.
fn files(places: &[&str]) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for place in places {
        collect(&root().join(place), &mut paths);
    }
    let read = |path: PathBuf| {
        let name =
            path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
        Some((name, fs::read_to_string(path).ok()?))
    };
    paths.into_iter().filter_map(read).collect()
}

#[test]
fn nobody_else_asks_which_mpi_it_is() {
    let mut asked = 0;
    for (name, text) in files(&["src", "scripts"]) {
        if MAY_ASK.contains(&name.as_str()) {
            asked += 1;
        } else {
            assert!(!text.contains("admpi_mpi ="), "{name}: give it a name in {QUIRKS}");
        }
    }
    assert_eq!(asked, MAY_ASK.len());
}

/// The doc comment of each constant, and its name.
fn quirks() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(QUIRKS)).expect("the quirks");
    let (mut doc, mut found) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("///") {
            doc.push_str(comment);
        } else {
            let item = line.strip_prefix("pub const ").map(|item| item.trim_start_matches("fn "));
            if let Some(item) = item {
                let end = item.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
                found.push((doc.clone(), item[..end].to_owned()));
            }
            doc.clear();
        }
    }
    found
}

#[test]
fn every_quirk_tells_where_it_was_seen_and_what_shows_it() {
    let code = files(&["src"]);
    let tests = files(&["cpp_tests", "benches"]);
    let mut count = 0;
    for (doc, name) in quirks() {
        let users = code.iter().filter(|(file, text)| file != QUIRKS && text.contains(&name));
        assert!(users.count() > 0, "{name}: nobody asks for it");
        if !name.starts_with(|c: char| c.is_uppercase()) {
            continue; // not one quirk, but a choice
        }
        assert!(doc.contains("MPICH 4.0") || doc.contains("Open MPI 4.1"), "{name}: seen where?");
        let test = ["Shown by `", "Reached by `", "Measured by `"]
            .iter()
            .find_map(|way| doc.split_once(way));
        let (_, test) = test.unwrap_or_else(|| panic!("{name}: which test shows it?"));
        let (test, _) = test.split_once('`').expect("its name");
        assert!(
            tests.iter().any(|(file, text)| file.contains(test) || text.contains(test)),
            "{name}: there is no {test}"
        );
        count += 1;
    }
    assert!(count > 10, "only {count} quirks were found");
}
