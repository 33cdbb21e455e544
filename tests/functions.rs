//! Scalar functions: each name of the headers' lists stands wherever the others do. What does not compile without a name
//! is not looked at here.
#![forbid(unsafe_code)]

mod support;

use std::collections::BTreeSet;
use support::read;

/// The first arguments of `F(...)` in a list macro of a header.
fn list(file: &str, name: &str) -> BTreeSet<String> {
    let text = read(file);
    let (_, body) = text.split_once(&format!("#define {name}(F)")).expect("the list");
    let mut names = BTreeSet::new();
    for line in body.lines() {
        for item in line.split("F(").skip(1) {
            names.insert(item.split([',', ')']).next().unwrap_or_default().to_owned());
        }
        if !line.ends_with('\\') {
            break;
        }
    }
    assert!(!names.is_empty(), "{name} of {file} is empty");
    names
}

/// Whether `text` has `pattern`, in which `@` is the name, between characters that belong to no name.
fn has(text: &str, pattern: &str, name: &str) -> bool {
    let wanted = pattern.replace('@', name);
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut from = 0;
    while let Some(at) = text[from..].find(&wanted).map(|at| at + from) {
        let (before, after) = (&text[..at], &text[at + wanted.len()..]);
        let opens = !wanted.starts_with(part_of_name) || !before.ends_with(part_of_name);
        let closes = !wanted.ends_with(part_of_name) || !after.starts_with(part_of_name);
        if opens && closes {
            return true;
        }
        from = at + wanted.len();
    }
    false
}

/// Says which names a place lacks, and what for.
fn expect(missing: &mut Vec<String>, names: &BTreeSet<String>, places: &[(&str, &str)]) {
    for &(file, pattern) in places {
        let text = read(file);
        for name in names.iter().filter(|name| !has(&text, pattern, name)) {
            missing.push(format!("{file} has no {}", pattern.replace('@', name)));
        }
    }
}

#[test]
fn each_function_stands_everywhere() {
    const LISTS: &str = "include/admpi/function_lists.h";
    let standard = list(LISTS, "ADMPI_STD_UNARY");
    let special = list(LISTS, "ADMPI_SPECIAL_UNARY");
    let special_of_two = list(LISTS, "ADMPI_SPECIAL_BINARY");
    let vectorised = list(LISTS, "ADMPI_FUNCTIONS_OF_MANY");
    let unary: BTreeSet<String> = standard.union(&special).cloned().collect();

    let mut missing = Vec::new();
    expect(
        &mut missing,
        &unary,
        &[
            ("cpp_tests/test_kernels.c", "FUNCTION(@,"),
            ("cpp_tests/test_arrays.cpp", "@"),
            ("cpp_tests/test_tangent_arrays.cpp", "@"),
        ],
    );
    expect(&mut missing, &standard, &[("cpp_tests/test_functions.cpp", "@")]);
    expect(&mut missing, &special, &[("cpp_tests/test_special.cpp", "UNARY(@)")]);
    expect(&mut missing, &special_of_two, &[("cpp_tests/test_special.cpp", "@")]);
    expect(
        &mut missing,
        &vectorised,
        &[("cpp_tests/test_elementary.cpp", "{\"@\","), ("src/elementary.rs", "(\"@\",")],
    );
    let all: BTreeSet<String> = special.union(&special_of_two).cloned().collect();
    expect(&mut missing, &all, &[("CHANGELOG.md", "`@`")]);
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
