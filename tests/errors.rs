//! Error codes: what spec/errors.txt has, and no generator writes.
#![forbid(unsafe_code)]

mod support;

use std::path::Path;
use support::{has_ending, read, texts_in};

/// The name in Rust: `not_recording` is `NotRecording`.
fn variant(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(capital).collect()
}

#[test]
fn every_code_is_given_and_tested() {
    let sources = texts_in(&["src"], &["rs", "c"]);
    let tests = texts_in(&["tests", "cpp_tests"], &["rs", "c", "cpp", "h", "hpp"]);
    let table = read("spec/errors.txt");
    let mut missing = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split_whitespace().nth(1).expect("the name of an error");
        let constant = format!("ADMPI_ERR_{}", name.to_uppercase());
        let (code, exception) = (format!("Code::{}", variant(name)), format!("{name}_error"));
        let given = |(path, text): &(String, String)| {
            // Comments of src/capi name constants.
            let in_c = has_ending(Path::new(path), &["c"]) && text.contains(&constant);
            path != "src/error/code.rs" && (text.contains(&code) || in_c)
        };
        if !sources.iter().any(given) {
            missing.push(format!("nothing in src gives {constant}"));
        }
        // A defect of the library cannot be provoked.
        let tested = |(_, text): &(String, String)| {
            text.contains(&constant) || text.contains(&exception) || text.contains(&code)
        };
        if name != "panic" && !tests.iter().any(tested) {
            missing.push(format!("no test provokes {constant}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
