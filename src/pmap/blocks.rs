//! How an extent is cut.

/// Where block `k` of `n` of an extent begins, and how long it is: the larger ones come first.
pub fn block(extent: usize, n: usize, k: usize) -> (usize, usize) {
    let (each, longer) = (extent / n, extent % n);
    (k * each + k.min(longer), each + usize::from(k < longer))
}

/// The same of each of `n` blocks.
pub fn blocks(extent: usize, n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).map(move |k| block(extent, n, k))
}
