//! The differentiated calls of spec/mpi: each is tested.
#![forbid(unsafe_code)]

mod support;

use std::collections::BTreeSet;
use support::{read, texts_in};

/// The words of files, without a prefix and an ending that calls have.
fn words(places: &[&str]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for (_, text) in texts_in(places, &["c", "cpp", "h", "hpp"]) {
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let word = ["AMPI_", "MPIX_", "MPI_"]
                .iter()
                .find_map(|prefix| word.strip_prefix(prefix))
                .unwrap_or(word);
            let word =
                ["_c", "_x"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
            words.insert(word.to_owned());
        }
    }
    words
}

/// The calls of a chapter that are differentiated, without `MPI_`; with the forms that do not block.
fn differentiated(chapter: &str) -> Vec<String> {
    let mut calls = Vec::new();
    let mut last = String::new();
    for line in read(format!("spec/mpi/{chapter}.txt")).lines() {
        let row: Vec<&str> = line.split_whitespace().collect();
        match row[..] {
            [name, "adjoint", ..] if !line.starts_with(' ') => {
                name.clone_into(&mut last);
                calls.push(last.clone());
            }
            ["nonblocking", "adjoint", ..] => {
                calls.push(format!("I{}{}", last[..1].to_lowercase(), &last[1..]));
            }
            _ => {}
        }
    }
    assert!(!calls.is_empty(), "{chapter}");
    calls
}

/// Whether a text names a call, be it as one of `Gather(v)` or `Alltoall(v, w)`.
fn names(text: &str, call: &str) -> bool {
    let is_word = text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == call);
    is_word
        || match call.split_at(call.len() - 1) {
            (base, "v") => text.contains(&format!("{base}(v")),
            (base, "w") => text.contains(&format!("{base}(v, w)")),
            _ => false,
        }
}

/// Random programs do not make these: the first is local, the second has the adjoint of the third.
const NOT_RANDOM: &[&str] = &["Reduce_local", "Reduce_scatter", "Ireduce_scatter"];

#[test]
fn every_differentiated_call_is_tested() {
    let with_active = words(&["cpp_tests/ampi"]);
    let (harness, large) = (words(&["cpp_tests/harness"]), words(&["cpp_tests/large"]));
    let tangents = words(&["cpp_tests/ampi/tangents.cpp", "cpp_tests/ampi/tangent_types.hpp"]);
    let random = words(&["cpp_tests/ampi/random_program.hpp"]);
    let anywhere = &with_active | &harness;
    let mut missing = Vec::new();
    let mut want = |call: &str, place: &str, words: &BTreeSet<String>| {
        if !words.contains(call) && !words.contains(&call.to_lowercase()) {
            missing.push(format!("{place} does not call {call}"));
        }
    };
    for call in ["point_to_point", "one_sided"].into_iter().flat_map(differentiated) {
        want(&call, "cpp_tests/ampi", &anywhere);
    }
    for call in ["collective", "topologies"].into_iter().flat_map(differentiated) {
        want(&call, "cpp_tests/ampi", &with_active);
        want(&call, "cpp_tests/ampi/tangents.cpp", &tangents);
        if call != "Reduce_local" {
            want(&call, "cpp_tests/harness/identity.hpp, for every policy,", &harness);
        }
        if !NOT_RANDOM.contains(&call.as_str()) {
            want(&call, "cpp_tests/ampi/random_program.hpp", &random);
        }
        if !call.starts_with('I') {
            want(&call, "cpp_tests/large", &large);
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn documents_name_every_differentiated_collective() {
    let mut missing = Vec::new();
    for document in ["README.md", "CHANGELOG.md"] {
        let text = read(document);
        for call in ["collective", "topologies"].into_iter().flat_map(differentiated) {
            if !call.starts_with('I') && !names(&text, &call) {
                missing.push(format!("{document} does not name {call}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
