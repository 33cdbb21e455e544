//! The structs that C and Rust share: that their fields are where both sides believe is asserted wherever the crate
//! compiles. Here: nothing is left out of those assertions.
#![forbid(unsafe_code)]

#[path = "../scripts/layout.rs"]
mod layout;
mod support;

use layout::Struct;
use std::collections::BTreeMap;
use support::{identifier, read, texts_in};

/// Of `#[repr(C)]` for other reasons: C sees at most what stands first in them.
const RUST_ALONE: &[&str] = &["Runs", "Block", "Tape", "Item"];

/// Made and read by C.
const C_ALONE: &[&str] = &[
    "admpi_detail_cxx_thread",
    "admpi_mpi_sizes",
    "admpi_var_complex",
    "plain_complex",
    "plain_tangent",
    "active_tangent",
    "admpi_expr",
    "region",
    "leaf",
    "stack",
    "known",
    "fortran_sentinels",
    "fortran_facts",
    "admpif_along",
    "admpif_part",
    "entry",
];

fn list() -> Vec<Struct> {
    let text = read(layout::LIST);
    layout::read(&text).expect("lines of three words")
}

#[test]
fn every_struct_of_the_list_is_asserted_in_c_and_in_rust() {
    let (c, rust) = (texts_in(&["src/shim"], &["c"]), texts_in(&["src"], &["rs"]));
    for Struct { name, .. } in list() {
        let in_c = format!("\nLAID_OUT_{name};");
        assert!(c.iter().any(|(_, text)| text.contains(&in_c)), "no file of src/shim has {in_c}");
        let in_rust = format!("\nlaid_out!({name}, ");
        assert!(
            rust.iter().any(|(_, text)| text.contains(&in_rust)),
            "no file of src has {in_rust}"
        );
    }
}

#[test]
fn structs_of_rust_for_c_are_in_the_list() {
    let mut count = 0;
    for (path, text) in texts_in(&["src"], &["rs"]) {
        for (at, _) in text.match_indices("#[repr(C)]") {
            let (_, rest) = text[at..].split_once("struct ").expect("a struct");
            let name = identifier(rest);
            let asserted = text.contains(&format!(", {name});")) && text.contains("\nlaid_out!(");
            assert!(
                asserted || RUST_ALONE.contains(&name),
                "{path}: {name} has no laid_out! below it"
            );
            count += 1;
        }
    }
    assert!(count > 20, "only {count} structs were found");
}

fn without_comments(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some((code, comment)) = rest.split_once("/*") {
        left.push_str(code);
        rest = comment.split_once("*/").map_or("", |(_, code)| code);
    }
    left + rest
}

/// The names in a struct's body.
fn fields(body: &str) -> Vec<String> {
    let mut names = Vec::new();
    for declaration in body.split(';').map(str::trim).filter(|text| !text.is_empty()) {
        match declaration.split_once("(*") {
            Some((_, pointer)) => names.push(identifier(pointer).to_owned()),
            None => names.extend(declaration.split(',').map(|one| {
                let one = one.split('[').next().unwrap_or_default().trim();
                one.rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })),
        }
    }
    names
}

/// What no offset shows: a field that fits into a gap. Swapped ones are told by name here, too.
#[test]
fn structs_of_c_have_the_fields_of_the_list() {
    let list = list();
    let known: BTreeMap<&str, &Struct> = list.iter().map(|one| (one.name.as_str(), one)).collect();
    let mut found = BTreeMap::new();
    for (path, text) in
        [texts_in(&["include"], &["h"]), texts_in(&["src/shim"], &["c", "h"])].concat()
    {
        let text = without_comments(&text);
        for (at, _) in text.match_indices("struct ") {
            let (name, body) = {
                let rest = &text[at + "struct ".len()..];
                let name = identifier(rest);
                let Some(body) = rest[name.len()..].trim_start().strip_prefix('{') else {
                    continue;
                };
                (name, body.split_once("\n}").expect("an end").0)
            };
            if name.is_empty() && text[..at].ends_with(' ') {
                continue; // a member of a union
            }
            assert!(!name.is_empty(), "{path}: a struct without a name");
            if C_ALONE.contains(&name) {
                continue;
            }
            let Some(one) = known.get(name) else {
                panic!("{path}: {name} is not in {}", layout::LIST)
            };
            let listed: Vec<&str> = one.fields.iter().map(|field| field.name.as_str()).collect();
            assert_eq!(fields(body), listed, "{path}: {name}");
            found.insert(name.to_owned(), ());
        }
    }
    for name in known.keys() {
        assert!(found.contains_key(*name), "{name} is in no header and no file of src/shim");
    }
}

/// The list itself: ascending, without overlap, within the struct.
#[test]
fn the_list_makes_sense() {
    for Struct { name, size, alignment, fields, .. } in list() {
        let mut end = 0;
        for layout::Field { name: field, offset, size } in fields {
            assert!(offset >= end, "{name}.{field} overlaps what is before it");
            end = offset + size;
        }
        assert!(end <= size && size < end + alignment, "{name} has gaps at its end");
    }
}
