//! The binomial schedule: Griewank and Walther, Algorithm 799: revolve (2000). Pure arithmetic, on blocks of steps.
#![forbid(unsafe_code)]

/// How often a block must be run before it is recorded, at least, if `blocks` are to be reversed with `snapshots` states: t. And
/// how many blocks `snapshots` can reverse if none is run more than t - 1 and t times: binomial coefficients.
fn repetitions(blocks: u64, snapshots: u64) -> (u64, u128, u128) {
    let snapshots = u128::from(snapshots);
    let (mut t, mut before, mut reach) = (0u64, 0, 1);
    while reach < u128::from(blocks) {
        t += 1;
        before = reach;
        reach = reach * (snapshots + u128::from(t)) / u128::from(t);
    }
    (t, before, reach)
}

/// The blocks that are run without being recorded, the first run included.
pub fn least(blocks: u64, snapshots: u64) -> u64 {
    let snapshots = snapshots.min(blocks);
    if snapshots <= 1 {
        return if blocks < 2 { 0 } else { blocks.saturating_mul(blocks - 1) / 2 };
    }
    let (t, _, reach) = repetitions(blocks, snapshots);
    let saved = reach * u128::from(t) / (u128::from(snapshots) + 1);
    u64::try_from(u128::from(t) * u128::from(blocks) - saved).unwrap_or(u64::MAX)
}

/// From the newest of `snapshots` states, with `blocks` to go: how many blocks to run before the next state is kept. Of the best
/// choices the largest.
pub fn advance(blocks: u64, snapshots: u64) -> u64 {
    if blocks <= 1 {
        return 0;
    }
    if snapshots >= blocks {
        return 1;
    }
    if snapshots <= 1 {
        return blocks - 1;
    }
    let (t, before, _) = repetitions(blocks, snapshots);
    let fewer = before * u128::from(snapshots) / u128::from(snapshots + t - 1);
    let most = u128::from(blocks) - fewer;
    u64::try_from(before.min(most).max(1)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_loops_have_schedules() {
        for snapshots in [1, 2, 3, 10, 1000, u64::MAX] {
            let n = advance(1_000_000_000_000, snapshots);
            assert!((1..1_000_000_000_000).contains(&n), "{snapshots}: {n}");
        }
        // No step is run more than three times: 1771 is 23 over 3.
        assert_eq!(least(1771, 20), 3 * 1771 - 23 * 22 / 2);
        assert_eq!((least(0, 3), least(1, 3), least(2, 3), least(5, u64::MAX)), (0, 0, 1, 4));
    }
}
