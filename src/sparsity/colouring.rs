//! Colourings: which columns, or rows, share a sweep or a tangent. Greedy, in several orders, of which the best counts
//! (Gebremedhin, Manne and Pothen 2005).

use super::pattern::{Pattern, number};
use crate::count::wide32;
use std::cmp::Reverse;

/// A colour for each row or column, from 0 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colouring {
    pub colour: Vec<u32>,
    pub colours: u32,
}

/// How often a colouring is made anew from the one before, which never takes more colours (Culberson 1992).
const ROUNDS: usize = 4;

/// Columns of one colour share no row: so many products with vectors give a Jacobian.
pub fn columns(pattern: &Pattern) -> Colouring {
    let by_column = pattern.transposed();
    best(
        by_column.rows(),
        |order| share_nothing(&by_column, pattern, order),
        || {
            let size = |k: usize| {
                by_column.row(k).iter().map(|&i| pattern.row(wide32(i)).len()).sum::<usize>()
            };
            smallest_last(by_column.rows(), size, |k, visit| {
                for &i in by_column.row(k) {
                    pattern.row(wide32(i)).iter().for_each(|&j| visit(wide32(j)));
                }
            })
        },
    )
}

/// Rows of one colour share no column: so many sweeps give a Jacobian.
pub fn rows(pattern: &Pattern) -> Colouring {
    columns(&pattern.transposed())
}

/// Of a symmetric pattern: neighbours differ, and every path of four has three colours at least, so that so many products
/// with vectors give each element of a Hessian or the one on the other side of the diagonal (Coleman and Moré 1984).
pub fn symmetric(pattern: &Pattern) -> Colouring {
    best(
        pattern.rows(),
        |order| star(pattern, order),
        || {
            let size = |k: usize| pattern.row(k).len();
            smallest_last(pattern.rows(), size, |k, visit| {
                pattern.row(k).iter().for_each(|&j| visit(wide32(j)));
            })
        },
    )
}

fn best(
    n: usize,
    colour: impl Fn(&[u32]) -> Colouring,
    smallest_last: impl FnOnce() -> Vec<u32>,
) -> Colouring {
    let natural: Vec<u32> = (0..number(n)).collect();
    let mut best = colour(&natural);
    let other = colour(&smallest_last());
    if other.colours < best.colours {
        best = other;
    }
    for _ in 0..ROUNDS {
        // Classes stay together, the last first.
        let mut order = natural.clone();
        order.sort_by_key(|&k| Reverse(best.colour[wide32(k)]));
        let again = colour(&order);
        if again.colours <= best.colours {
            best = again;
        }
    }
    best
}

/// An order in which each has few neighbours among those before it: the last is one with the fewest, and so on without it.
/// `size` bounds the number of neighbours, and each neighbour is visited as often as it counts.
fn smallest_last(
    n: usize,
    size: impl Fn(usize) -> usize,
    neighbours: impl Fn(usize, &mut dyn FnMut(usize)),
) -> Vec<u32> {
    let mut degree: Vec<usize> = (0..n).map(size).collect();
    let mut bucket: Vec<Vec<u32>> = vec![Vec::new(); degree.iter().max().map_or(0, |d| d + 1)];
    (0..n).for_each(|k| bucket[degree[k]].push(number(k)));
    let (mut order, mut is_out, mut least) = (Vec::with_capacity(n), vec![false; n], 0);
    while order.len() < n {
        let Some(k) = bucket[least].pop() else {
            least += 1;
            continue;
        };
        // It may lie in the buckets of earlier degrees as well.
        if is_out[wide32(k)] || degree[wide32(k)] != least {
            continue;
        }
        is_out[wide32(k)] = true;
        order.push(k);
        neighbours(wide32(k), &mut |j| {
            if !is_out[j] && degree[j] > 0 {
                degree[j] -= 1;
                bucket[degree[j]].push(number(j));
                least = least.min(degree[j]);
            }
        });
    }
    order.reverse();
    order
}

const NONE: u32 = u32::MAX;

/// The colours that are forbidden for the one at hand.
struct Forbidden(Vec<u32>);

impl Forbidden {
    fn forbid(&mut self, colour: u32, to: u32) {
        if colour != NONE {
            self.0[wide32(colour)] = to;
        }
    }

    /// The least colour that is free.
    fn free(&mut self, to: u32) -> u32 {
        let free = self.0.iter().position(|&by| by != to).unwrap_or(self.0.len());
        if free == self.0.len() {
            self.0.push(NONE);
        }
        number(free)
    }

    fn colouring(self, colour: Vec<u32>) -> Colouring {
        Colouring { colour, colours: number(self.0.len()) }
    }
}

/// Those that share a neighbour differ.
fn share_nothing(by_column: &Pattern, by_row: &Pattern, order: &[u32]) -> Colouring {
    let mut colour = vec![NONE; order.len()];
    let mut forbidden = Forbidden(Vec::new());
    for &k in order {
        for &i in by_column.row(wide32(k)) {
            for &j in by_row.row(wide32(i)) {
                forbidden.forbid(colour[wide32(j)], k);
            }
        }
        colour[wide32(k)] = forbidden.free(k);
    }
    forbidden.colouring(colour)
}

/// A star colouring.
fn star(pattern: &Pattern, order: &[u32]) -> Colouring {
    let mut colour = vec![NONE; order.len()];
    let mut forbidden = Forbidden(Vec::new());
    let others = |of: u32, but: u32| {
        pattern.row(wide32(of)).iter().copied().filter(move |&j| j != of && j != but)
    };
    for &k in order {
        for near in others(k, k) {
            let of_near = colour[wide32(near)];
            forbidden.forbid(of_near, k);
            for far in others(near, k) {
                let of_far = colour[wide32(far)];
                if of_far == NONE {
                    continue;
                }
                // The path k, near, far goes on to one of near's colour, or may once near has a colour.
                let closes =
                    of_near == NONE || others(far, near).any(|end| colour[wide32(end)] == of_near);
                if closes {
                    forbidden.forbid(of_far, k);
                }
            }
        }
        colour[wide32(k)] = forbidden.free(k);
    }
    forbidden.colouring(colour)
}
