//! Scalar functions: what spec/functions.txt has, and no generator writes.
#![forbid(unsafe_code)]

mod support;

use support::read;

#[test]
fn the_changelog_names_each_special_function() {
    let (table, changelog) = (read("spec/functions.txt"), read("CHANGELOG.md"));
    let special = table.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        matches!(words.next(), Some("special" | "inline")).then_some(name)
    });
    let missing: Vec<&str> =
        special.filter(|name| !changelog.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "CHANGELOG.md does not name {}", missing.join(", "));
}
