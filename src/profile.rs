//! Profiles: numbers by region, those of several ranks side by side, and the table that is printed of them.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CStr, CString};

/// What a rank did in one region, without the regions inside.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Numbers {
    /// How often it was entered.
    pub count: f64,
    pub statements: f64,
    pub events: f64,
    pub bytes: f64,
    pub recording_seconds: f64,
    pub sweep_seconds: f64,
}

impl Numbers {
    const N: usize = 6;

    const fn array(&self) -> [f64; Self::N] {
        let Self { count, statements, events, bytes, recording_seconds, sweep_seconds } = *self;
        [count, statements, events, bytes, recording_seconds, sweep_seconds]
    }
}

/// A number on several ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spread {
    pub least: f64,
    pub mean: f64,
    pub most: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64> + Clone, n: f64) -> Self {
        Self {
            least: values.clone().fold(f64::INFINITY, f64::min),
            mean: values.clone().sum::<f64>() / n,
            most: values.fold(0.0, f64::max),
        }
    }
}

/// A region, named by the way to it: those that it is in stand before it.
#[derive(Debug, Clone)]
pub struct Row {
    pub region: CString,
    spreads: [Spread; Numbers::N],
}

impl Row {
    fn of(region: CString, ranks: &[Numbers]) -> Self {
        let n: f64 = ranks.iter().map(|_| 1.0).sum();
        let spread = |k: usize| Spread::of(ranks.iter().map(|numbers| numbers.array()[k]), n);
        Self { region, spreads: std::array::from_fn(spread) }
    }

    pub const fn count(&self) -> Spread {
        self.spreads[0]
    }
    pub const fn statements(&self) -> Spread {
        self.spreads[1]
    }
    pub const fn events(&self) -> Spread {
        self.spreads[2]
    }
    pub const fn bytes(&self) -> Spread {
        self.spreads[3]
    }
    pub const fn recording_seconds(&self) -> Spread {
        self.spreads[4]
    }
    pub const fn sweep_seconds(&self) -> Spread {
        self.spreads[5]
    }
}

/// The rows of one rank, or of several.
#[derive(Debug, Clone)]
pub struct Profile {
    ranks: usize,
    rows: Vec<Row>,
    /// What was printed last.
    table: CString,
}

impl Profile {
    /// That of one rank.
    pub fn new(rows: impl IntoIterator<Item = (CString, Numbers)>) -> Self {
        let row = |(region, numbers)| Row::of(region, &[numbers]);
        Self { ranks: 1, rows: rows.into_iter().map(row).collect(), table: CString::default() }
    }

    /// What is left where another rank gathers all: nothing.
    pub fn elsewhere() -> Self {
        Self { ranks: 0, rows: Vec::new(), table: CString::default() }
    }

    pub const fn ranks(&self) -> usize {
        self.ranks
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// As words that travel: of each row the length of its name, the name, and the numbers.
    pub fn words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        for row in &self.rows {
            let name = row.region.as_bytes();
            words.push(name.len() as u64);
            words.extend(name.chunks(8).map(|bytes| {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                u64::from_ne_bytes(word)
            }));
            words.extend(row.spreads.iter().map(|spread| spread.mean.to_bits()));
        }
        words
    }

    /// The profile of all ranks, from the words of each. A region that a rank never entered has zeros there.
    pub fn of_ranks<'a>(ranks: impl ExactSizeIterator<Item = &'a [u64]>) -> Self {
        let n = ranks.len();
        let (mut names, mut numbers) = (Vec::new(), Vec::<Vec<Numbers>>::new());
        let mut places = HashMap::new();
        for (rank, words) in ranks.enumerate() {
            let mut words = words.iter().copied();
            while let Some((name, own)) = read(&mut words) {
                let at = *places.entry(name).or_insert_with_key(|name: &CString| {
                    names.push(name.clone());
                    numbers.push(vec![Numbers::default(); n]);
                    names.len() - 1
                });
                numbers[at][rank] = own;
            }
        }
        let rows = names.into_iter().zip(&numbers).map(|(name, numbers)| Row::of(name, numbers));
        Self { ranks: n, rows: rows.collect(), table: CString::default() }
    }

    /// The table of the `most` rows whose sweeps take the longest, all if that is 0, and a line of what they add up to. It
    /// stays until the next one.
    pub fn table(&mut self, most: usize) -> &CStr {
        if self.ranks == 0 {
            return &self.table;
        }
        let mut order: Vec<&Row> = self.rows.iter().collect();
        let key = |row: &Row| (row.sweep_seconds().mean, row.recording_seconds().mean);
        order.sort_by(|a, b| key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal));
        let shown = if most == 0 { order.len() } else { most.min(order.len()) };
        let mut lines = vec![heading(self.ranks)];
        lines.extend(order[..shown].iter().map(|row| line(row, self.ranks)));
        if shown < order.len() {
            lines.push(line(&total("(others)", &order[shown..]), self.ranks));
        }
        lines.push(line(&total("(all)", &order), self.ranks));
        let width = lines.iter().map(|cells| cells[0].chars().count()).max().unwrap_or(0);
        let text: String = lines.iter().map(|cells| set(cells, width)).collect();
        self.table = CString::new(text).unwrap_or_default();
        &self.table
    }
}

/// The next row.
fn read(words: &mut impl Iterator<Item = u64>) -> Option<(CString, Numbers)> {
    let n = usize::try_from(words.next()?).ok()?;
    let mut name: Vec<u8> = words.by_ref().take(n.div_ceil(8)).flat_map(u64::to_ne_bytes).collect();
    name.truncate(n);
    let mut number = || words.next().map(f64::from_bits);
    let numbers = Numbers {
        count: number()?,
        statements: number()?,
        events: number()?,
        bytes: number()?,
        recording_seconds: number()?,
        sweep_seconds: number()?,
    };
    Some((CString::new(name).ok()?, numbers))
}

/// The sum of rows: of the means. The extremes of a sum are not the sums of extremes, so those of several are left out.
fn total(name: &str, rows: &[&Row]) -> Row {
    let sum = |k: usize| {
        let mean = rows.iter().map(|row| row.spreads[k].mean).sum();
        Spread { least: f64::NAN, mean, most: f64::NAN }
    };
    let region = CString::new(name).unwrap_or_default();
    Row { region, spreads: std::array::from_fn(sum) }
}

fn heading(ranks: usize) -> Vec<String> {
    let columns = ["region", "count", "statements", "bytes", "recording s", "sweep s"];
    let spread = ["least", "most"];
    let more = if ranks > 1 { &spread[..] } else { &[] };
    columns.iter().chain(more).map(|&column| column.to_owned()).collect()
}

fn line(row: &Row, ranks: usize) -> Vec<String> {
    let count = |spread: Spread| format!("{:.0}", spread.mean);
    let seconds = |s: f64| if s.is_nan() { String::new() } else { format!("{s:.6}") };
    let mut cells = vec![
        row.region.to_string_lossy().into_owned(),
        count(row.count()),
        count(row.statements()),
        count(row.bytes()),
        seconds(row.recording_seconds().mean),
        seconds(row.sweep_seconds().mean),
    ];
    if ranks > 1 {
        let Spread { least, most, .. } = row.sweep_seconds();
        cells.extend([seconds(least), seconds(most)]);
    }
    cells
}

/// A line of the table: names on the left, numbers on the right.
fn set(cells: &[String], width: usize) -> String {
    let name = format!("{:<width$}", cells[0]);
    let numbers = cells[1..].iter().map(|cell| format!(" {cell:>13}"));
    let line: String = std::iter::once(name).chain(numbers).collect();
    format!("{}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> CString {
        CString::new(text).expect("no zero")
    }

    fn numbers(count: f64, sweep_seconds: f64) -> Numbers {
        Numbers { count, statements: 10.0 * count, sweep_seconds, ..Numbers::default() }
    }

    #[test]
    fn test_profile_of_ranks_counts_a_rank_without_the_region_as_zero() {
        let a = Profile::new([
            (name("step"), numbers(4.0, 1.0)),
            (name("only here"), numbers(2.0, 3.0)),
        ]);
        let b = Profile::new([(name("step"), numbers(8.0, 2.0))]);
        let (a, b) = (a.words(), b.words());
        let both = Profile::of_ranks([&a[..], &b[..]].into_iter());
        assert_eq!(both.ranks(), 2);
        let [step, other] = both.rows() else { panic!("two rows") };
        assert_eq!(step.region, name("step"));
        assert_eq!(step.count(), Spread { least: 4.0, mean: 6.0, most: 8.0 });
        assert_eq!(step.statements().most, 80.0);
        assert_eq!(other.sweep_seconds(), Spread { least: 0.0, mean: 1.5, most: 3.0 });
    }

    #[test]
    fn test_profile_table_has_the_dearest_first_and_adds_up() {
        let rows = [("cheap", 1.0, 0.25), ("dear", 2.0, 2.0), ("middle", 3.0, 1.0)];
        let rows = rows.map(|(region, count, s)| (name(region), numbers(count, s)));
        let mut profile = Profile::new(rows);
        let table = profile.table(1).to_string_lossy().into_owned();
        let firsts: Vec<&str> =
            table.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(firsts, ["region", "dear", "(others)", "(all)"]);
        assert!(
            table
                .lines()
                .last()
                .is_some_and(|line| line.contains(" 60 ") && line.ends_with("3.250000")),
            "{table}"
        );
        assert_eq!(profile.table(0).to_string_lossy().lines().count(), 5);
    }
}
