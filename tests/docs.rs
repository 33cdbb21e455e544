//! The documents: their links lead somewhere, the names they use exist, and the page of environment variables lists what
//! the source reads. Of the pages for developers also every file and every identifier of the source that they name.
#![forbid(unsafe_code)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use support::{files_in, has_ending, name_of, read, root, texts_in};

fn pages() -> Vec<PathBuf> {
    let mut pages = files_in(&[
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs",
        "examples_c",
        "packaging",
    ]);
    pages.retain(|page| has_ending(page, &["md"]));
    pages
}

/// A page's lines outside of blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The line without what stands in backquotes.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The anchor that GitHub and MkDocs give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

fn anchors(page: &Path) -> BTreeSet<String> {
    let text = read(page);
    prose(&text)
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// Where the page's links lead.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text).map(without_code) {
        for part in line.split("](").skip(1) {
            found.push(part.split(')').next().unwrap_or_default().to_owned());
        }
    }
    found
}

/// What is wrong with a link of the page, if anything.
fn fault(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => page.to_path_buf(),
        _ => page.parent().expect("a directory").join(path),
    };
    if !target.exists() {
        return Some("there is no such file".to_owned());
    }
    if anchor.is_empty() || anchors(&target).contains(anchor) {
        return None;
    }
    Some(format!("{path} has no heading #{anchor}"))
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = read(&page);
        for link in links(&text) {
            count += 1;
            if let Some(why) = fault(&page, &link) {
                faults.push(format!("{}: ({link}): {why}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 50, "only {count} links were found");
}

#[test]
fn the_readme_and_the_site_list_every_document() {
    let site = read("docs/site/mkdocs.yml");
    let text = read("README.md");
    let linked: BTreeSet<String> = links(&text).into_iter().collect();
    for entry in fs::read_dir(root().join("docs")).expect("docs") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
            assert!(linked.contains(&format!("docs/{name}")), "README.md has no link to {name}");
            assert!(
                site.contains(&format!(" docs/{name}\n")),
                "mkdocs.yml has no entry for {name}"
            );
        }
    }
}

/// The pages for those who change the library.
fn developers_pages() -> Vec<PathBuf> {
    let mut pages = files_in(&["CONTRIBUTING.md", "docs/dev"]);
    pages.retain(|page| has_ending(page, &["md"]));
    pages
}

#[test]
fn the_site_and_the_guide_list_every_page_for_developers() {
    let site = read("docs/site/mkdocs.yml");
    let guide = read("CONTRIBUTING.md");
    let linked: BTreeSet<String> = links(&guide).into_iter().collect();
    for page in developers_pages() {
        let name = name_of(&page);
        assert!(site.contains(&format!(" {name}\n")), "mkdocs.yml has no entry for {name}");
        let listed = name == "CONTRIBUTING.md" || linked.contains(&name);
        assert!(listed, "CONTRIBUTING.md has no link to {name}");
    }
}

/// What stands in backquotes on a page, outside of blocks of code.
fn code_spans(text: &str) -> Vec<String> {
    let spans = prose(text).flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.map(str::to_owned).collect()
}

/// The directories whose files the pages name.
const TREE: [&str; 13] = [
    ".ci",
    "benches",
    "cmake",
    "cpp_tests",
    "docs",
    "examples_c",
    "include",
    "packaging",
    "scripts",
    "spec",
    "src",
    "stubs",
    "tests",
];

/// Whether a piece of code is the path of a file or of a directory.
fn is_path(code: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let top = code.split_once('/').map(|(top, _)| top);
    top.is_some_and(|top| TREE.contains(&top)) && code.chars().all(plain)
}

#[test]
fn files_in_the_developers_pages_exist() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for page in developers_pages() {
        let text = read(&page);
        for path in code_spans(&text).into_iter().filter(|code| is_path(code)) {
            count += 1;
            if !root().join(&path).exists() {
                faults.push(format!("{}: there is no file {path}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 100, "only {count} files were found");
}

/// Whether a piece of code is an identifier of the source, or several joined by `::`, that could be nothing else.
fn is_identifier(code: &str) -> bool {
    let name = code.strip_suffix("()").unwrap_or(code);
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let telling = |c: char| c == '_' || c == ':' || c.is_ascii_uppercase();
    name.split("::").all(word) && (code.contains(telling) || name != code)
}

#[test]
fn identifiers_in_the_developers_pages_exist() {
    let known = known_identifiers();
    let (mut faults, mut count) = (Vec::new(), 0);
    for page in developers_pages() {
        let text = read(&page);
        for code in code_spans(&text).iter().filter(|code| is_identifier(code)) {
            count += 1;
            if !identifiers(code).all(|word| exists(word, &known)) {
                faults.push(format!("{}: there is no {code}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 100, "only {count} identifiers were found");
}

fn name_at(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_').collect()
}

/// The names that stand in files in these places between one of the openings and one of the closings.
fn read_names(places: &[&str], openings: &[&str], closings: &[&str]) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (path, text) in texts_in(places, &[]) {
        for opening in openings {
            for (at, _) in text.match_indices(opening) {
                let rest = &text[at + opening.len()..];
                let name = name_at(rest);
                let closed = closings.iter().any(|closing| rest[name.len()..].starts_with(closing));
                if name.starts_with(|c: char| c.is_ascii_uppercase()) && closed {
                    names.insert(name, path.clone());
                }
            }
        }
    }
    names
}

#[test]
fn environment_variables_are_documented() {
    let mut read = read_names(
        &["src", "cpp_tests", "tests"],
        &["env::var(\"", "env::var_os(\"", "Variable(\"", "getenv(\"", "environment(\""],
        &["\""],
    );
    read.retain(|name, _| name.starts_with("ADMPI_"));
    read.append(&mut read_names(&["scripts", ".ci"], &["${"], &[":-", ":+"]));
    read.append(&mut read_names(&["cmake", "CMakeLists.txt"], &["$ENV{"], &["}"]));
    read.append(&mut read_names(&["Makefile"], &["\n"], &[" ?="]));
    read.append(&mut read_names(&["Makefile"], &["$("], &[")"]));
    // Every program's own.
    read.retain(|name, _| {
        !["HOME", "PATH", "MAKE", "CC", "CXX", "TMPDIR"].contains(&name.as_str())
    });

    let documented = variables_on(&support::read("docs/environment.md"));
    for (name, path) in &read {
        assert!(documented.contains(name), "{path} reads {name}: not on the page");
    }
    for name in &documented {
        assert!(read.contains_key(name), "docs/environment.md: nothing reads {name}");
    }
}

/// The variables in the rows of a page's tables.
fn variables_on(page: &str) -> BTreeSet<String> {
    page.lines().filter_map(|line| Some(name_at(line.strip_prefix("| `")?))).collect()
}

/// The library reads its environment in `src/options.rs`, and in C where no code of Rust has run yet.
#[test]
fn the_environment_is_read_in_one_place() {
    let mut count = 0;
    for (path, text) in texts_in(&["src", "include"], &[]) {
        let readings: Vec<&str> = text
            .lines()
            .filter(|line| {
                ["env::", "getenv", "environ[", "{env"].iter().any(|way| line.contains(way))
            })
            .map(str::trim)
            .collect();
        match path.as_str() {
            "src/options.rs" => count += readings.len(),
            "src/shim/tape.c" => {
                assert_eq!(readings, ["const char *check = getenv(\"ADMPI_CHECK\");"]);
            }
            _ => assert!(readings.is_empty(), "{path}: {readings:?} belongs to options"),
        }
    }
    assert!(count > 0, "src/options.rs reads nothing");
}

/// What options.rs says for readers of the code and the page for users is one list.
#[test]
fn options_and_the_page_agree() {
    let page = read("docs/environment.md");
    let (page, _) = page.split_once("## Building").expect("the part for programs");
    let documented = variables_on(page);
    let mut read: BTreeSet<String> =
        read_names(&["src"], &["Variable(\"", "getenv(\""], &["\""]).into_keys().collect();
    // Of launchers, not of users.
    for name in ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"] {
        assert!(read.remove(name) && page.contains(name), "{name}");
    }
    assert_eq!(documented, read);
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The library's names in a text: `admpi_x`, `AMPI_x` and their kin, and the x of `admpi::x`.
fn names(text: &str) -> BTreeSet<String> {
    let prefixes = ["admpi_", "AMPI_", "ADMPI_", "MPIX_"];
    let mut found: BTreeSet<String> = identifiers(text)
        .filter(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)))
        .filter(|word| !word.ends_with('_'))
        .map(str::to_owned)
        .collect();
    for rest in text.split("admpi::").skip(1) {
        found.extend(identifiers(rest).next().map(str::to_owned));
    }
    found
}

/// Whether it is an identifier of the source, or one that a macro pastes together, as in `admpi_array_##name` and
/// `name##_error`.
fn exists(name: &str, known: &BTreeSet<String>) -> bool {
    let joined = |at| known.contains(&name[..at]) && known.contains(&name[at..]);
    known.contains(name) || name.match_indices('_').any(|(at, _)| joined(at) || joined(at + 1))
}

/// The programs that the table of tests names by folder and file.
fn programs_for_tests(table: &str) -> impl Iterator<Item = String> {
    let rows = table.split("admpi_add_test(").skip(1);
    rows.filter_map(|row| Some(row.split_once('.')?.0.replace('/', "_")))
}

/// All identifiers of the source, and the programs for tests.
fn known_identifiers() -> BTreeSet<String> {
    let places = [
        "include",
        "src",
        "cmake",
        "cpp_tests",
        "fortran",
        "tests",
        "scripts",
        "spec",
        "CMakeLists.txt",
    ];
    let mut known = BTreeSet::new();
    for (path, text) in texts_in(&places, &[]) {
        if path != "tests/docs.rs" {
            known.extend(identifiers(&text).map(str::to_owned));
        }
        if path == "cpp_tests/CMakeLists.txt" {
            known.extend(programs_for_tests(&text));
        }
    }
    known
}

#[test]
fn names_in_the_documents_exist() {
    let known = known_identifiers();
    let mut faults = Vec::new();
    for page in pages() {
        let mut text = read(&page);
        match page.file_name().and_then(|name| name.to_str()) {
            Some("CHANGELOG.md") => continue, // history
            Some("coming_from.md") => {
                // The first column has the names of others.
                let here = |line: &str| line.splitn(3, '|').last().unwrap_or_default().to_owned();
                text = text.lines().map(here).collect::<Vec<_>>().join("\n");
            }
            _ => {}
        }
        for name in names(&text).iter().filter(|name| !exists(name, &known)) {
            faults.push(format!("{}: there is no {name}", page.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The messages that the table of refusals quotes, in parts between what depends on the call.
fn quoted_messages(page: &str) -> Vec<String> {
    let (_, rows) = page.split_once("| the message says |").expect("the table of refusals");
    let rows = rows.lines().skip(2).take_while(|line| line.starts_with('|'));
    let first_cells = rows.filter_map(|row| row.split('|').nth(1));
    let quotes = first_cells.flat_map(|cell| cell.split('*').skip(1).step_by(2));
    let parts = quotes.flat_map(|quote| quote.split("..."));
    parts.map(|part| part.trim().to_owned()).filter(|part| part.contains(' ')).collect()
}

/// A source without the breaks inside of its strings.
fn joined_strings(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let line = line.trim();
        match line.strip_suffix('\\') {
            Some(start) => joined.push_str(start),
            None => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    joined
}

#[test]
fn messages_quoted_for_users_exist() {
    let page = fs::read_to_string(root().join("docs/porting.md")).expect("porting.md");
    let texts = files_in(&["src", "include"]).into_iter();
    let sources: String = texts
        .filter_map(|path| fs::read_to_string(path).ok())
        .map(|text| joined_strings(&text))
        .collect();
    let quotes = quoted_messages(&page);
    assert!(quotes.len() > 20, "only {} messages were found", quotes.len());
    for quote in quotes {
        assert!(
            sources.contains(&quote),
            "docs/porting.md quotes a message that is no more: {quote}"
        );
    }
}
