//! How an extent is cut.

/// Where each of `n` blocks of an extent begins, and how long it is: the larger ones come first.
pub fn blocks(extent: usize, n: usize) -> Vec<(usize, usize)> {
    let (each, longer) = (extent / n, extent % n);
    (0..n).map(|k| (k * each + k.min(longer), each + usize::from(k < longer))).collect()
}
