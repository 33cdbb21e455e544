//! Where a matrix has elements, in compressed rows.

use crate::count::wide32;
use crate::error::{Code, Error, Result};

/// Row `i` has elements in the columns `column[start[i]..start[i + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    cols: usize,
    start: Vec<usize>,
    column: Vec<u32>,
}

impl Pattern {
    pub fn new(cols: usize) -> Self {
        Self { cols, start: vec![0], column: Vec::new() }
    }

    /// As the rows and columns of C: `rows + 1` starts, from 0 on.
    pub fn read(rows: usize, cols: usize, start: &[i64], column: &[i64]) -> Result<Self> {
        let refuse = |what: String| Err(Error::new(Code::Argument, format!("sparse: {what}")));
        let n = column.len();
        let mut before = 0;
        let mut starts = Vec::with_capacity(start.len());
        for (i, &at) in start.iter().enumerate() {
            match usize::try_from(at) {
                Ok(at) if at >= before && at <= n && (i > 0 || at == 0) => before = at,
                _ => {
                    return refuse(format!(
                        "row_start[{i}] = {at} is not between {before} and {}",
                        if i == 0 { 0 } else { n }
                    ));
                }
            }
            starts.push(before);
        }
        if before != n {
            return refuse(format!("row_start[{rows}] = {before}, but there are {n} columns"));
        }
        let mut columns = Vec::with_capacity(n);
        for (k, &j) in column.iter().enumerate() {
            match u32::try_from(j) {
                Ok(j) if wide32(j) < cols => columns.push(j),
                _ => return refuse(format!("column[{k}] = {j} is not below cols = {cols}")),
            }
        }
        Ok(Self { cols, start: starts, column: columns })
    }

    /// Appends a row, whose columns may be in any order.
    pub fn push(&mut self, columns: impl IntoIterator<Item = u32>) {
        let before = self.column.len();
        self.column.extend(columns);
        let row = &mut self.column[before..];
        if !row.is_sorted() {
            row.sort_unstable();
        }
        self.start.push(self.column.len());
    }

    /// From pairs of row and column, which may repeat.
    pub fn of_pairs(rows: usize, cols: usize, pairs: &[(u32, u32)]) -> Self {
        Self::of_each(rows, cols, |put| pairs.iter().for_each(|&(i, j)| put(i, j)))
    }

    /// From pairs that may repeat, each of which stands for that across the diagonal, too.
    pub fn symmetric(n: usize, pairs: &[(u32, u32)]) -> Self {
        Self::of_each(n, n, |put| {
            for &(i, j) in pairs {
                put(i, j);
                if i != j {
                    put(j, i);
                }
            }
        })
    }

    /// From what `each` puts, the same each time it is called.
    fn of_each(rows: usize, cols: usize, each: impl Fn(&mut dyn FnMut(u32, u32))) -> Self {
        let mut next = vec![0; rows + 1];
        each(&mut |i, _| next[wide32(i) + 1] += 1);
        for i in 0..rows {
            next[i + 1] += next[i];
        }
        let mut of_row = vec![0; next[rows]];
        each(&mut |i, j| {
            let at = &mut next[wide32(i)];
            of_row[*at] = j;
            *at += 1;
        });
        // Each row now ends where the next one begins.
        let (mut this, mut from) = (Self::new(cols), 0);
        for &to in &next[..rows] {
            let row = &mut of_row[from..to];
            row.sort_unstable();
            let mut last = None;
            this.column.extend(row.iter().filter(|&&j| last.replace(j) != Some(j)));
            this.start.push(this.column.len());
            from = to;
        }
        this
    }

    /// Its elements, row by row.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.rows()).flat_map(|i| self.row(i).iter().map(move |&j| (number(i), j)))
    }

    pub fn rows(&self) -> usize {
        self.start.len() - 1
    }

    pub fn cols(&self) -> usize {
        self.cols
    }

    pub fn row(&self, i: usize) -> &[u32] {
        &self.column[self.start[i]..self.start[i + 1]]
    }

    pub fn start(&self) -> &[usize] {
        &self.start
    }

    pub fn column(&self) -> &[u32] {
        &self.column
    }

    pub fn transposed(&self) -> Self {
        let mut start = vec![0; self.cols + 1];
        for &j in &self.column {
            start[wide32(j) + 1] += 1;
        }
        for j in 0..self.cols {
            start[j + 1] += start[j];
        }
        let (mut next, mut column) = (start.clone(), vec![0; self.column.len()]);
        for i in 0..self.rows() {
            for &j in self.row(i) {
                let at = &mut next[wide32(j)];
                column[*at] = number(i);
                *at += 1;
            }
        }
        Self { cols: self.rows(), start, column }
    }
}

/// A row or column: there are as many as ids at most.
pub fn number(i: usize) -> u32 {
    u32::try_from(i).expect("a row or a column of 32 bits")
}
