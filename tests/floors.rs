//! The floors of the crate: a module names only modules on lower floors, files use each other in no circle, and `unsafe`
//! stays where it belongs.
#![forbid(unsafe_code)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use support::{identifier, read, root, texts_in};

/// Module and floor. A module may name itself and what lies below it.
const FLOORS: &[(&str, u32)] = &[
    ("error", 1),
    ("count", 1),
    ("arena", 1),
    ("special", 1),
    ("elementary", 1),
    ("var_pack", 1),
    ("options", 1),
    ("profile", 1),
    ("clock", 1),
    ("trace", 1),
    ("tape", 2),
    ("foreign", 3),
    ("matrix", 3),
    ("sparsity", 3),
    ("linalg", 4),
    ("derivatives", 4),
    ("time_loop", 4),
    ("user_operation", 4),
    ("implicit", 4),
    ("mpi", 4),
    ("densities", 5),
    ("datatype", 5),
    ("large", 5),
    ("ampi", 6),
    ("map", 7),
    ("pmap", 7),
    ("capi", 8),
];

/// Modules of one floor that another of the same floor stands on.
const SAME_FLOOR: &[(&str, &str)] = &[
    ("arena", "error"),
    ("arena", "count"),
    ("arena", "options"),
    ("count", "error"),
    ("elementary", "special"),
    ("implicit", "user_operation"),
    ("options", "error"),
    ("trace", "clock"),
    ("trace", "count"),
    ("trace", "error"),
    ("trace", "options"),
];

/// These know nothing of the others, whatever their floor.
const IGNORANT: &[(&str, &[&str])] = &[
    ("linalg", &["mpi"]),
    ("densities", &["mpi"]),
    ("mpi", &["tape", "matrix"]),
    ("large", &["tape", "matrix", "arena", "linalg", "datatype"]),
];

/// Every other module forbids unsafe code, and so does every file of these that needs none.
const MAY_BE_UNSAFE: &[&str] = &[
    "arena",
    "clock",
    "elementary",
    "var_pack",
    "tape",
    "foreign",
    "matrix",
    "time_loop",
    "user_operation",
    "implicit",
    "mpi",
    "datatype",
    "capi",
];

/// The files of these modules still use each other in circles.
const STILL_CIRCULAR: &[&str] = &[];

/// Module, path below `src` and text of each file.
fn all_sources() -> Vec<(String, String, String)> {
    let inner = |(path, text): (String, String)| {
        let path = path.strip_prefix("src/").expect("below src").to_owned();
        (identifier(&path).to_owned(), path, text)
    };
    texts_in(&["src"], &["rs"])
        .into_iter()
        .map(inner)
        .filter(|(module, ..)| module != "lib")
        .collect()
}

fn floor(module: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// The modules that the code names by `crate::x` or in `use crate::{x, y::{..}, ..}`.
fn named_modules(text: &str) -> Vec<String> {
    let Names { used, exported } = names(text);
    let paths = used.into_iter().chain(exported.into_values());
    let mut modules: Vec<String> =
        paths.filter(|path| path[0] == "crate").filter_map(|path| path.get(1).cloned()).collect();
    modules.dedup();
    modules
}

fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(code).collect::<Vec<_>>().join("\n")
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
        assert!(floor(&module).is_some(), "src/{path}: the module {module} has no floor",);
        for named in named_modules(&text) {
            assert!(
                is_allowed(&module, &named),
                "src/{path}: {module} (floor {:?}) names {named} (floor {:?})",
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
        let is_root = path == format!("{module}.rs") || path == format!("{module}/mod.rs");
        let may = MAY_BE_UNSAFE.contains(&module.as_str());
        let has_some = text.lines().any(|line| {
            line.split("//").next().is_some_and(|code| {
                ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe("]
                    .iter()
                    .any(|u| code.contains(u))
            })
        });
        let must_forbid = if may { !has_some && !path.ends_with("/mod.rs") } else { is_root };
        assert!(
            !must_forbid || text.contains("#![forbid(unsafe_code)]"),
            "src/{path}: #![forbid(unsafe_code)] is missing",
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
    assert!(!is_allowed("linalg", "mpi") && !is_allowed("error", "arena"));
}
/// Lines of a file that needs no reason.
const LONG: usize = 800;

/// Whether a program wrote the file: by what `.gitattributes` says, or as the header of a unit of `src/capi`.
fn is_generated(path: &str, attributes: &str) -> bool {
    let marked = attributes.lines().filter_map(|line| line.strip_suffix(" linguist-generated"));
    let is_marked = |pattern: &str| match pattern.split_once('*') {
        None => path == pattern,
        Some((start, end)) => path.starts_with(start) && path.ends_with(end),
    };
    let unit = path.strip_prefix("include/admpi/").and_then(|name| name.strip_suffix(".h"));
    marked.into_iter().any(is_marked)
        || unit.is_some_and(|unit| root().join(format!("src/capi/{unit}.rs")).exists())
}

/// A file of more lines says why in its first, behind the word `Long:`.
#[test]
fn long_files_say_why() {
    let attributes = read(".gitattributes");
    let endings = ["rs", "c", "h", "hpp", "cpp"];
    for (path, text) in texts_in(&["src", "include", "cpp_tests"], &endings) {
        let first = text.lines().next().unwrap_or_default();
        let wanting = text.lines().count() > LONG && !first.contains("Long: ");
        assert!(
            !wanting || is_generated(&path, &attributes),
            "{path} has more than {LONG} lines: split it, or say why in the first line, behind Long:"
        );
    }
}

/// What C calls is for C: the library has functions of its own. One C function that called another would go through an
/// exported symbol, which programs may replace.
#[test]
fn no_function_for_c_is_called_from_rust() {
    let sources = all_sources();
    let mut exported = BTreeSet::new();
    for (.., text) in &sources {
        for (_, rest) in text.match_indices("#[unsafe(no_mangle)]").map(|(at, _)| text.split_at(at))
        {
            let (_, function) = rest.split_once(" fn ").expect("a function");
            exported.insert(identifier(function));
        }
    }
    assert!(exported.len() > 400, "only {} functions were found", exported.len());
    for (_, path, text) in &sources {
        let code = without_comments(text).replace("\\\"", "").replace("'\"'", "");
        // Strings are every other part between quotes.
        let code: Vec<&str> = code.split('"').step_by(2).collect();
        for pair in tokens(&code.join(" ")).windows(2) {
            let [before, name] = pair else { unreachable!() };
            let is_called = exported.contains(name) && *before != "fn";
            assert!(!is_called, "src/{path}: {name} is called, which is for C");
        }
    }
}

/// The names after `crate`.
type Path = Vec<String>;

/// What a file names of the crate.
#[derive(Default)]
struct Names {
    /// Paths that its code uses, as they are written.
    used: Vec<Path>,
    /// Those that it re-exports, by the name here.
    exported: BTreeMap<String, Path>,
}

/// Words, `::`, and characters.
fn tokens(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let n = match identifier(rest).len() {
            0 if rest.starts_with("::") => 2,
            0 => first.len_utf8(),
            n => n,
        };
        found.push(&rest[..n]);
        rest = rest[n..].trim_start();
    }
    found
}

/// The tree of a `use`: each name that it brings, and its path. Returns the rest behind it.
fn tree<'a>(
    mut rest: &'a [&'a str],
    before: &Path,
    found: &mut Vec<(String, Path)>,
) -> &'a [&'a str] {
    let mut path = before.clone();
    loop {
        match rest {
            ["{", inner @ ..] => {
                rest = inner;
                while !matches!(rest, ["}", ..]) {
                    rest = tree(rest, &path, found);
                    rest = rest.strip_prefix(&[","]).unwrap_or(rest);
                }
                return &rest[1..];
            }
            ["self", others @ ..] if !before.is_empty() => rest = others,
            [name, others @ ..] => {
                path.push((*name).to_owned());
                rest = others;
            }
            [] => return rest,
        }
        match rest {
            ["::", others @ ..] => rest = others,
            ["as", name, others @ ..] => {
                found.push(((*name).to_owned(), path));
                return others;
            }
            _ => {
                found.push((path.last().cloned().unwrap_or_default(), path));
                return rest;
            }
        }
    }
}

fn names(text: &str) -> Names {
    let code = without_comments(text);
    let tokens = tokens(&code);
    let (mut names, mut at) = (Names::default(), 0);
    while at < tokens.len() {
        let mut brought = Vec::new();
        if tokens[at] == "use" {
            at = tokens.len() - tree(&tokens[at + 1..], &Vec::new(), &mut brought).len();
        } else {
            let start = at;
            while tokens.get(at + 1) == Some(&"::") && at + 2 < tokens.len() {
                at += 2;
            }
            at += 1;
            let path: Path =
                tokens[start..at].iter().step_by(2).map(|&name| name.to_owned()).collect();
            names.used.extend((path.len() > 1).then_some(path));
            continue;
        }
        let before = tokens[..at].iter().rposition(|&token| token == "use").expect("just read");
        let is_export = matches!(tokens[..before], [.., "pub"] | [.., "pub", "(", _, ")"]);
        if is_export {
            names.exported.extend(brought);
        } else {
            names.used.extend(brought.into_iter().map(|(_, path)| path));
        }
    }
    names
}

/// The files of the crate, by their paths as modules.
struct Files(BTreeMap<Path, Names>);

impl Files {
    fn of<'a>(sources: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let file = |(path, text): (&str, &str)| {
            let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
            // Tests may use what stands above their file.
            let (text, _) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((text, ""));
            (path.split('/').map(str::to_owned).collect(), names(text))
        };
        Self(sources.into_iter().map(file).collect())
    }

    /// The file that holds what `file` calls `path`.
    fn holder(&self, file: &[String], path: &[String]) -> Option<&Path> {
        let above = path.iter().take_while(|name| *name == "super").count();
        let full = match path.first()?.as_str() {
            "crate" => path[1..].to_vec(),
            "super" => [&file[..file.len().checked_sub(above)?], &path[above..]].concat(),
            "self" => [file, &path[1..]].concat(),
            child if self.0.contains_key(&[file, &[child.to_owned()]].concat()) => {
                [file, path].concat()
            }
            _ => return None,
        };
        let n = (1..=full.len()).rev().find(|&n| self.0.contains_key(&full[..n]))?;
        let (holder, names) = self.0.get_key_value(&full[..n])?;
        match full.get(n).and_then(|name| names.exported.get(name)) {
            Some(origin) => {
                self.holder(holder, &[origin, &full[n + 1..]].concat()).or(Some(holder))
            }
            None => Some(holder),
        }
    }

    /// The files of the crate that a file uses.
    fn used_by(&self, file: &Path) -> BTreeSet<&Path> {
        let used = self.0[file].used.iter().filter_map(|path| self.holder(file, path));
        used.filter(|used| *used != file).collect()
    }

    /// The shortest way from a file back to it, along files that use the next, within one module.
    fn circle(&self, file: &Path) -> Option<Vec<String>> {
        let mut ways = vec![vec![file]];
        let mut seen = BTreeSet::new();
        while !ways.is_empty() {
            let mut longer = Vec::new();
            for way in ways {
                for used in self.used_by(way.last().expect("a file")) {
                    if used[0] == file[0] && seen.insert(used) {
                        longer.push([way.as_slice(), &[used]].concat());
                        if used == file {
                            let circle = longer.pop().expect("the last");
                            return Some(circle.into_iter().map(|file| file.join("::")).collect());
                        }
                    }
                }
            }
            ways = longer;
        }
        None
    }
}

/// To declare a module, and to re-export what it has, is not to use it: what stands above others for these alone is in no
/// circle with them. Circles between modules are impossible on floors.
#[test]
fn files_use_each_other_in_no_circle() {
    let sources = all_sources();
    let files = Files::of(sources.iter().map(|(_, path, text)| (path.as_str(), text.as_str())));
    let mut circular = BTreeSet::new();
    for file in files.0.keys() {
        let Some(circle) = files.circle(file) else { continue };
        circular.insert(file[0].as_str());
        if std::env::var_os("SHOW").is_some() {
            println!("{}", circle.join(" -> "));
        }
        assert!(STILL_CIRCULAR.contains(&file[0].as_str()), "a circle: {}", circle.join(" -> "));
    }
    for module in STILL_CIRCULAR {
        assert!(circular.contains(module), "{module} has no circles: take it from the list");
    }
}

#[test]
fn circles_are_found() {
    let circles = |sources: &[(&str, &str)]| {
        let files = Files::of(sources.iter().copied());
        files.0.keys().filter(|file| files.circle(file).is_some()).count()
    };
    let parent = ("a/mod.rs", "pub mod b;\nmod c;\npub use c::{C, D as E};\npub use crate::x;");
    assert_eq!(circles(&[parent, ("a/b.rs", "use super::E;"), ("a/c.rs", "")]), 0);
    assert_eq!(
        circles(&[parent, ("a/b.rs", "use super::E;"), ("a/c.rs", "use super::b::{self, B};")]),
        2
    );
    assert_eq!(
        circles(&[parent, ("a/b.rs", "fn f() { super::c::g(); }"), ("a/c.rs", "use crate::a::b;")]),
        2
    );
    let own = ("a/mod.rs", "mod b;\nfn f() { b::g() }\nfn h() {}");
    assert_eq!(circles(&[own, ("a/b.rs", "use std::fmt;")]), 0);
    assert_eq!(circles(&[own, ("a/b.rs", "use super::h;")]), 2);
    assert_eq!(
        circles(&[
            own,
            ("a/b.rs", "// super::h\n#[cfg(test)]\nmod tests { use super::super::h; }")
        ]),
        0
    );
}
