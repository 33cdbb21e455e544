//! Arrays that are cut into parts, one a job.

use super::room::collect;
use crate::count::wide;
use crate::error::{Code, Error, Result};
use std::ops::Range;

/// Where the parts lie.
#[derive(Debug, Clone, Copy)]
pub enum Parts<'a> {
    /// All of this length.
    Equal(usize),
    /// By the end of each, checked to be ascending.
    Ends(&'a [i64]),
}

impl<'a> Parts<'a> {
    /// `n` values in `jobs` parts: of one length where `ends` is `None`.
    pub fn new(name: &str, n: usize, jobs: usize, ends: Option<&'a [i64]>) -> Result<Self> {
        let Some(ends) = ends else {
            if n.checked_rem(jobs).unwrap_or(n) != 0 {
                let text = format!("n_{name} = {n} is not a multiple of jobs = {jobs}");
                return Err(Error::new(Code::Argument, text));
            }
            return Ok(Self::Equal(n.checked_div(jobs).unwrap_or(0)));
        };
        let mut before = 0;
        for (i, &end) in ends.iter().enumerate() {
            if end < before {
                let text = format!(
                    "{name}_end[{i}] = {end} is less than {before}, where that part begins"
                );
                return Err(Error::new(Code::Argument, text));
            }
            before = end;
        }
        if usize::try_from(before) != Ok(n) {
            let text = format!("the last of {name}_end is {before}, not n_{name} = {n}");
            return Err(Error::new(Code::Argument, text));
        }
        Ok(Self::Ends(ends))
    }

    /// Where part `i` begins; that of the one behind the last is the end of all.
    #[inline]
    pub fn start(&self, i: usize) -> usize {
        match self {
            Self::Equal(n) => i * n,
            Self::Ends(ends) => {
                i.checked_sub(1).map_or(0, |before| wide(ends[before].cast_unsigned()))
            }
        }
    }

    #[inline]
    pub fn range(&self, i: usize) -> Range<usize> {
        self.start(i)..self.start(i + 1)
    }

    #[inline]
    pub fn length(&self, i: usize) -> usize {
        match self {
            Self::Equal(n) => *n,
            Self::Ends(_) => self.range(i).len(),
        }
    }

    /// The values of several jobs.
    #[inline]
    pub fn span(&self, jobs: &Range<usize>) -> Range<usize> {
        self.start(jobs.start)..self.start(jobs.end)
    }

    pub fn longest(&self, jobs: &Range<usize>) -> usize {
        match self {
            Self::Equal(n) => *n,
            Self::Ends(_) => jobs.clone().map(|i| self.length(i)).max().unwrap_or(0),
        }
    }
}

/// The same, owned.
#[derive(Debug)]
pub enum OwnedParts {
    Equal(usize),
    Ends(Vec<i64>),
}

impl OwnedParts {
    pub fn new(parts: &Parts) -> Result<Self> {
        Ok(match *parts {
            Parts::Equal(n) => Self::Equal(n),
            Parts::Ends(ends) => Self::Ends(collect(ends.len(), ends.iter().copied())?),
        })
    }

    pub fn parts(&self) -> Parts<'_> {
        match self {
            Self::Equal(n) => Parts::Equal(*n),
            Self::Ends(ends) => Parts::Ends(ends),
        }
    }
}

#[cfg(feature = "mpi")]
impl OwnedParts {
    /// None where all are equal.
    pub fn ends(&self) -> &[i64] {
        if let Self::Ends(ends) = self { ends } else { &[] }
    }

    /// `n` values in `jobs` parts, which end where `ends` says if that is not empty.
    pub fn of(n: usize, jobs: usize, ends: Vec<i64>) -> Self {
        if ends.is_empty() {
            Self::Equal(n.checked_div(jobs).unwrap_or(0))
        } else {
            Self::Ends(ends)
        }
    }
}
