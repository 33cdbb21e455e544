//! Colourings: which columns, or rows, share a sweep or a tangent. Greedy, in several orders, of which the best counts
//! (Gebremedhin, Manne and Pothen 2005).

use super::pattern::{Pattern, number};
use crate::count::wide32;

/// A colour for each row or column, from 0 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colouring {
    pub colour: Vec<u32>,
    pub colours: u32,
}

impl Colouring {
    /// All, class by class, the last one first.
    fn classes(&self) -> Vec<u32> {
        let mut end = vec![0; wide32(self.colours)];
        self.colour.iter().for_each(|&colour| end[wide32(colour)] += 1);
        let (mut order, mut above) = (vec![0; self.colour.len()], 0);
        for end in end.iter_mut().rev() {
            above += *end;
            *end = above;
        }
        for (k, &colour) in self.colour.iter().enumerate().rev() {
            end[wide32(colour)] -= 1;
            order[end[wide32(colour)]] = number(k);
        }
        order
    }
}

/// How often a colouring is made anew from the one before, which never takes more colours (Culberson 1992).
const ROUNDS: usize = 4;

/// Columns of one colour share no row: so many products with vectors give a Jacobian.
pub fn columns(pattern: &Pattern) -> Colouring {
    let by_column = pattern.transposed();
    // The columns of a row all differ.
    let least = (0..pattern.rows()).map(|i| pattern.row(i).len()).max().unwrap_or(0);
    best(
        (by_column.rows(), least),
        |order| share_nothing(&by_column, order),
        || {
            let size = |k: usize| {
                by_column.row(k).iter().map(|&i| pattern.row(wide32(i)).len()).sum::<usize>()
            };
            smallest_last(by_column.rows(), size, |k| {
                by_column.row(k).iter().flat_map(|&i| pattern.row(wide32(i)))
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
        (pattern.rows(), least_of_star(pattern)),
        |order| star(pattern, order),
        || {
            let size = |k: usize| pattern.row(k).len();
            smallest_last(pattern.rows(), size, |k| pattern.row(k).iter())
        },
    )
}

/// Of `n` rows or columns, which take `least` colours at least: no more orders are tried once a colouring has no more.
fn best(
    (n, least): (usize, usize),
    colour: impl Fn(&[u32]) -> Colouring,
    smallest_last: impl FnOnce() -> Vec<u32>,
) -> Colouring {
    let natural: Vec<u32> = (0..number(n)).collect();
    let is_least = |of: &Colouring| wide32(of.colours) <= least;
    let mut best = colour(&natural);
    if is_least(&best) {
        return best;
    }
    let other = colour(&smallest_last());
    if other.colours < best.colours {
        best = other;
    }
    for _ in 0..ROUNDS {
        if is_least(&best) {
            break;
        }
        let again = colour(&best.classes());
        if again.colours <= best.colours {
            best = again;
        }
    }
    best
}

/// An order in which each has few neighbours among those before it: the last is one with the fewest, and so on without it.
/// `size` bounds the number of neighbours, and each neighbour comes as often as it counts.
fn smallest_last<'p, N: Iterator<Item = &'p u32>>(
    n: usize,
    size: impl Fn(usize) -> usize,
    neighbours: impl Fn(usize) -> N,
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
        neighbours(wide32(k)).for_each(|&neighbour| {
            let j = wide32(neighbour);
            if !is_out[j] && degree[j] > 0 {
                degree[j] -= 1;
                bucket[degree[j]].push(neighbour);
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

/// Which colours the columns of each row have.
struct Used {
    /// For a row.
    words: usize,
    /// A bit for each colour.
    word: Vec<u64>,
}

impl Used {
    fn in_rows(rows: usize) -> Self {
        Self { words: 1, word: vec![0; rows] }
    }

    /// The least colour that none of these rows has.
    fn free(&self, rows: &[u32]) -> usize {
        for k in 0..self.words {
            let word = |all, &i: &u32| all | self.word[wide32(i) * self.words + k];
            let taken = rows.iter().fold(0, word);
            if taken != u64::MAX {
                return k * 64 + wide32(taken.trailing_ones());
            }
        }
        self.words * 64
    }

    fn take(&mut self, rows: &[u32], colour: usize) {
        if colour / 64 == self.words {
            let with_room = |row: &[u64]| [row, &vec![0; self.words]].concat();
            self.word = self.word.chunks(self.words).flat_map(with_room).collect();
            self.words *= 2;
        }
        for &i in rows {
            self.word[wide32(i) * self.words + colour / 64] |= 1 << (colour % 64);
        }
    }
}

/// Those that share a row differ.
fn share_nothing(by_column: &Pattern, order: &[u32]) -> Colouring {
    let mut used = Used::in_rows(by_column.cols());
    let mut all = Colouring { colour: vec![0; order.len()], colours: 0 };
    for &k in order {
        let rows = by_column.row(wide32(k));
        let colour = used.free(rows);
        used.take(rows, colour);
        all.colour[wide32(k)] = number(colour);
        all.colours = all.colours.max(number(colour) + 1);
    }
    all
}

/// How many colours a star colouring takes at least: a path of four takes three.
fn least_of_star(pattern: &Pattern) -> usize {
    let others = |of: u32, but: u32| {
        pattern.row(wide32(of)).iter().copied().filter(move |&j| j != of && j != but)
    };
    let goes_on =
        |k, near| others(k, near).any(|before| others(near, k).any(|after| after != before));
    let mut edges = pattern.pairs().filter(|(i, j)| i != j);
    let Some(first) = edges.next() else { return 1 };
    if std::iter::once(first).chain(edges).any(|(k, near)| goes_on(k, near)) { 3 } else { 2 }
}

/// A star colouring.
pub fn star(pattern: &Pattern, order: &[u32]) -> Colouring {
    let mut colour = vec![NONE; order.len()];
    let mut forbidden = Forbidden(Vec::new());
    let row = |of: u32| pattern.row(wide32(of));
    for &k in order {
        for &near in row(k) {
            if near == k {
                continue;
            }
            let of_near = colour[wide32(near)];
            forbidden.forbid(of_near, k);
            for &far in row(near) {
                let of_far = colour[wide32(far)];
                if of_far == NONE || far == near || far == k {
                    continue;
                }
                // The path k, near, far goes on to one of near's colour, or may once near has a colour.
                let closes = of_near == NONE
                    || row(far)
                        .iter()
                        .any(|&end| colour[wide32(end)] == of_near && end != far && end != near);
                if closes {
                    forbidden.forbid(of_far, k);
                }
            }
        }
        colour[wide32(k)] = forbidden.free(k);
    }
    forbidden.colouring(colour)
}
