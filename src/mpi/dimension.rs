//! Parts of arrays: what a subarray or one process of a distributed array has of each dimension (MPI-3.1, 4.1.3
//! and 4.1.4).
#![forbid(unsafe_code)]

use super::raw::constants;
use super::{Failure, MpiResult};
use crate::error::{Code, Error};
use std::ffi::c_int;

/// Elements of one dimension of an array: `times` runs of `length`, each `step` behind the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: i64,
    pub length: i64,
    pub step: i64,
    pub times: i64,
}

impl Range {
    /// One run.
    pub const fn once(start: i64, length: i64) -> Self {
        Self { start, length, step: 0, times: 1 }
    }

    /// The elements, one by one.
    pub fn places(self) -> impl Iterator<Item = i64> {
        (0..self.times).flat_map(move |i| {
            let first = self.start + i * self.step;
            first..first + self.length
        })
    }
}

/// The part of each dimension that has so many elements from its start on.
pub fn inside(sizes: &[i64], lengths: &[i64], starts: &[i64]) -> MpiResult<Vec<Vec<Range>>> {
    let one = |(i, ((&size, &length), &start)): (usize, ((&i64, &i64), &i64))| {
        if start < 0 || length < 0 || size < 0 || start > size - length {
            let message = format!(
                "dimension {i}: array_of_subsizes = {length} from array_of_starts = {start} on are not inside \
                 array_of_sizes = {size}"
            );
            return Err(Error::new(Code::Argument, message).into());
        }
        Ok(vec![Range::once(start, length)])
    };
    sizes.iter().zip(lengths).zip(starts).enumerate().map(one).collect()
}

/// What process `rank` of `size`, in row-major order of a grid, holds of each dimension.
pub fn share(
    sizes: &[i64],
    distributions: &[Distribution],
    processes: &[i32],
    size: i32,
    rank: i32,
) -> MpiResult<Vec<Vec<Range>>> {
    let all =
        processes.iter().try_fold(1_i64, |all, &p| all.checked_mul(p.into()).filter(|_| p > 0));
    let Some(product) = all.filter(|&p| p == i64::from(size) && (0..size).contains(&rank)) else {
        let message = format!(
            "rank = {rank} of size = {size} is not on a grid of array_of_psizes = {processes:?}"
        );
        return Err(Error::new(Code::Argument, message).into());
    };
    let mut left = i64::from(rank);
    let mut block = product;
    sizes
        .iter()
        .zip(distributions)
        .zip(processes)
        .map(|((&size, &distribution), &processes)| {
            let processes = i64::from(processes);
            block /= processes;
            let coordinate = left / block;
            left %= block;
            dealt(size, distribution, processes, coordinate)
        })
        .collect()
}

/// How a dimension of a distributed array is dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    None,
    Block(Option<i64>),
    Cyclic(Option<i64>),
}

impl Distribution {
    /// From one of `MPI_DISTRIBUTE_*` and the length of blocks or `MPI_DISTRIBUTE_DFLT_DARG`.
    pub fn new(kind: c_int, argument: i64) -> MpiResult<Self> {
        let constants = constants();
        let given = (argument != i64::from(constants.distribute_dflt_darg)).then_some(argument);
        if kind == constants.distribute_none {
            Ok(Self::None)
        } else if kind == constants.distribute_block {
            Ok(Self::Block(given))
        } else if kind == constants.distribute_cyclic {
            Ok(Self::Cyclic(given))
        } else {
            let message = format!("array_of_distribs: {kind} is not one of MPI_DISTRIBUTE_*");
            Err(Error::new(Code::Argument, message).into())
        }
    }
}

/// What the process at `coordinate` of `processes` holds of a dimension of `size`.
fn dealt(
    size: i64,
    distribution: Distribution,
    processes: i64,
    coordinate: i64,
) -> MpiResult<Vec<Range>> {
    let invalid = |message: String| Failure::from(Error::new(Code::Argument, message));
    if size < 0 {
        return Err(invalid(format!("array_of_gsizes = {size} is negative")));
    }
    let (length, cyclic) = match distribution {
        Distribution::None if processes == 1 => return Ok(vec![Range::once(0, size)]),
        Distribution::None => {
            let message = format!(
                "array_of_psizes: {processes} ranks in a dimension that is not distributed, which must be 1"
            );
            return Err(invalid(message));
        }
        Distribution::Block(given) => {
            let length = given.unwrap_or((size + processes - 1) / processes);
            if length.saturating_mul(processes) < size {
                return Err(invalid(format!(
                    "array_of_dargs: blocks of {length} on {processes} ranks do not cover {size}"
                )));
            }
            (length, false)
        }
        Distribution::Cyclic(given) => (given.unwrap_or(1), true),
    };
    if length < 1 && size > 0 {
        return Err(invalid(format!(
            "array_of_dargs: the length {length} of blocks is not positive"
        )));
    }
    let start = length.saturating_mul(coordinate);
    if start >= size {
        return Ok(Vec::new());
    }
    if !cyclic {
        return Ok(vec![Range::once(start, length.min(size - start))]);
    }
    // Whole blocks, and what is left of one.
    let step = length.saturating_mul(processes);
    let whole = (size - start - length).div_euclid(step) + 1;
    let last = start.saturating_add(whole.saturating_mul(step));
    let mut ranges = vec![Range { start, length, step, times: whole }];
    if last < size {
        ranges.push(Range::once(last, size - last));
    }
    Ok(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_dimension_dealing() {
        let dealt = |size, distribution, processes, at| {
            dealt(size, distribution, processes, at)
                .map(|ranges| ranges.into_iter().flat_map(Range::places).collect::<Vec<_>>())
        };
        assert_eq!(dealt(10, Distribution::Block(None), 3, 2).ok(), Some(vec![8, 9]));
        assert_eq!(dealt(10, Distribution::Block(None), 4, 3).ok(), Some(vec![9]));
        assert_eq!(dealt(10, Distribution::Cyclic(Some(2)), 3, 1).ok(), Some(vec![2, 3, 8, 9]));
        assert_eq!(dealt(10, Distribution::None, 1, 0).ok(), Some((0..10).collect()));
        assert_eq!(dealt(11, Distribution::Cyclic(Some(2)), 3, 2).ok(), Some(vec![4, 5, 10]));
        assert_eq!(dealt(1, Distribution::Cyclic(Some(2)), 3, 0).ok(), Some(vec![0]));
        assert_eq!(dealt(2, Distribution::Cyclic(None), 3, 2).ok(), Some(vec![]));
        assert!(dealt(10, Distribution::Block(Some(3)), 3, 0).is_err());
        assert!(dealt(10, Distribution::None, 2, 0).is_err());
    }
}
