//! Quirks of MPIs have one place, `src/mpi/quirks.rs`: the code elsewhere asks for a quirk by its name.
#![forbid(unsafe_code)]

mod support;

use support::{identifier, read, texts_in};

const QUIRKS: &str = "src/mpi/quirks.rs";

/// These may ask which MPI it is: the quirks, the layout of its status, and the check that a program has the same MPI.
const MAY_ASK: &[&str] = &[QUIRKS, "src/mpi/status.rs", "src/capi/support/calls.rs"];

#[test]
fn nobody_else_asks_which_mpi_it_is() {
    let mut asked = 0;
    for (name, text) in texts_in(&["src", "scripts"], &[]) {
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
    let text = read(QUIRKS);
    let (mut doc, mut found) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("///") {
            doc.push_str(comment);
        } else {
            let item = line.strip_prefix("pub const ").map(|item| item.trim_start_matches("fn "));
            if let Some(item) = item {
                found.push((doc.clone(), identifier(item).to_owned()));
            }
            doc.clear();
        }
    }
    found
}

#[test]
fn every_quirk_tells_where_it_was_seen_and_what_shows_it() {
    let code = texts_in(&["src"], &[]);
    let tests = texts_in(&["cpp_tests", "benches"], &[]);
    let mut count = 0;
    for (doc, name) in quirks() {
        let users = code.iter().filter(|(file, text)| file != QUIRKS && text.contains(&name));
        assert!(users.count() > 0, "{name}: nobody asks for it");
        if !name.starts_with(|c: char| c.is_uppercase()) {
            continue; // not one quirk, but a choice
        }
        let seen = ["MPICH 4.0", "MPICH 5.0", "Open MPI 4.1", "Open MPI 5.0"]
            .iter()
            .any(|mpi| doc.contains(mpi));
        assert!(seen, "{name}: seen where?");
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
