//! The floors of the crate: a module names only modules on lower floors, and `unsafe` stays where it
//! belongs.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// Module and floor. A module may name itself and what lies below it.
const FLOORS: &[(&str, u32)] = &[
    ("error", 1),
    ("count", 1),
    ("arena", 1),
    ("special", 1),
    ("elementary", 1),
    ("lanes", 1),
    ("options", 1),
    ("tape", 2),
    ("ops", 3),
    ("mpi", 3),
    ("datatype", 4),
    ("large", 4),
    ("ampi", 5),
    ("map", 6),
    ("pmap", 6),
    ("capi", 7),
];

/// Modules of one floor that another of the same floor stands on.
const SAME_FLOOR: &[(&str, &str)] = &[
    ("arena", "error"),
    ("arena", "count"),
    ("arena", "options"),
    ("count", "error"),
    ("elementary", "special"),
    ("options", "error"),
];

/// These know nothing of the others, whatever their floor.
const IGNORANT: &[(&str, &[&str])] =
    &[("ops", &["mpi"]), ("large", &["tape", "arena", "ops", "datatype"])];

/// Every other module forbids unsafe code, and so does every file of these that needs none.
const MAY_BE_UNSAFE: &[&str] = &["arena", "elementary", "lanes", "mpi", "capi", "tape"];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a source directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let inner = path.strip_prefix(&root).expect("below src").to_path_buf();
            let module = inner.iter().next().expect("a name").to_string_lossy();
            let module = module.trim_end_matches(".rs").to_owned();
            let text = fs::read_to_string(&path).expect("a source file");
            (module, inner, text)
        })
        .filter(|(module, ..)| module != "lib")
        .collect()
}

fn floor(module: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// The modules that the code names by `crate::x` or in `use crate::{x, y::{..}, ..}`.
fn named_modules(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(first_names_of_group(group)),
            None => names.push(identifier(rest)),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn identifier(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Of `a, b::{c, d}, e}` the names a, b and e.
fn first_names_of_group(group: &str) -> Vec<String> {
    let mut names = vec![identifier(group)];
    let mut depth = 0;
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(identifier(&group[at + 1..])),
            _ => {}
        }
    }
    names
}

fn is_allowed(from: &str, to: &str) -> bool {
    let (Some(upper), Some(lower)) = (floor(from), floor(to)) else { return false };
    let ignorant = IGNORANT.iter().any(|(module, of)| *module == from && of.contains(&to));
    let beside = SAME_FLOOR.contains(&(from, to));
    from == to || (!ignorant && (lower < upper || beside))
}

#[test]
fn no_module_names_a_higher_one() {
    for (module, path, text) in all_sources() {
        assert!(
            floor(&module).is_some(),
            "src/{}: the module {module} has no floor",
            path.display()
        );
        for named in named_modules(&text) {
            assert!(
                is_allowed(&module, &named),
                "src/{}: {module} (floor {:?}) names {named} (floor {:?})",
                path.display(),
                floor(&module),
                floor(&named)
            );
        }
    }
}

#[test]
fn unsafe_code_stays_where_it_belongs() {
    for (module, path, text) in all_sources() {
        // The attribute at a module's root holds for all that is below it.
        let is_root =
            path == Path::new(&format!("{module}.rs")) || path == Path::new(&module).join("mod.rs");
        let may = MAY_BE_UNSAFE.contains(&module.as_str());
        let has_some = text.lines().any(|line| {
            line.split("//").next().is_some_and(|code| {
                ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe("]
                    .iter()
                    .any(|u| code.contains(u))
            })
        });
        let must_forbid = if may { !has_some && !path.ends_with("mod.rs") } else { is_root };
        assert!(
            !must_forbid || text.contains("#![forbid(unsafe_code)]"),
            "src/{}: #![forbid(unsafe_code)] is missing",
            path.display()
        );
    }
}

#[test]
fn names_are_found() {
    assert_eq!(named_modules("use crate::tape::{Tape, Sweep};"), ["tape"]);
    assert_eq!(
        named_modules("use crate::{error::{Code, Error}, count, mpi};"),
        ["error", "count", "mpi"]
    );
    assert_eq!(named_modules("let x = crate::arena::new(); // crate::capi"), ["arena"]);
    assert!(is_allowed("ampi", "tape") && !is_allowed("tape", "ampi"));
    assert!(!is_allowed("ops", "mpi") && !is_allowed("error", "arena"));
}
