//! Colourings by their definitions; both directions of a pattern against each other and against reachability.

use super::jacobian::{ancestors, downwards, upwards};
use super::pattern::{Pattern, number};
use super::{Colouring, columns, hessian, jacobian, rows, symmetric};
use crate::count::wide32;
use crate::tape::{Dependences, Var};
use std::collections::BTreeSet;

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }
}

fn random_pattern(random: &mut Random, rows: usize, cols: usize, n: usize) -> Pattern {
    let pairs = (0..n).map(|_| (number(random.below(rows)), number(random.below(cols)))).collect();
    Pattern::of_pairs(rows, cols, pairs)
}

fn colour(colouring: &Colouring, k: u32) -> u32 {
    colouring.colour[wide32(k)]
}

fn check_range(colouring: &Colouring) {
    let used: BTreeSet<u32> = colouring.colour.iter().copied().collect();
    assert_eq!(used.len(), wide32(colouring.colours));
    assert!(used.iter().all(|&colour| colour < colouring.colours));
}

fn check_columns(pattern: &Pattern, colouring: &Colouring) {
    check_range(colouring);
    for i in 0..pattern.rows() {
        let of_row: BTreeSet<u32> = pattern.row(i).iter().map(|&j| colour(colouring, j)).collect();
        assert_eq!(of_row.len(), pattern.row(i).len(), "row {i} has a colour twice");
    }
}

/// Each element is alone of its colour in its row, or its mirror image is.
fn check_symmetric(pattern: &Pattern, colouring: &Colouring) {
    check_range(colouring);
    let is_alone = |i: u32, j: u32| {
        let like_j = |&&k: &&u32| colour(colouring, k) == colour(colouring, j);
        pattern.row(wide32(i)).iter().filter(like_j).count() == 1
    };
    for i in 0..number(pattern.rows()) {
        for &j in pattern.row(wide32(i)) {
            assert!(is_alone(i, j) || is_alone(j, i), "({i}, {j}) is nowhere alone");
        }
    }
}

#[test]
fn colourings_of_random_patterns_hold() {
    let mut random = Random(7);
    for _ in 0..60 {
        let (m, n) = (1 + random.below(30), 1 + random.below(30));
        let elements = random.below(4 * (m + n));
        let pattern = random_pattern(&mut random, m, n, elements);
        check_columns(&pattern, &columns(&pattern));
        check_columns(&pattern.transposed(), &rows(&pattern));
        let half = random_pattern(&mut random, n, n, elements);
        let both = (0..n)
            .flat_map(|i| half.row(i).iter().flat_map(move |&j| [(number(i), j), (j, number(i))]));
        // With the diagonal, as of most Hessians, or without.
        let diagonal = (0..number(n)).filter(|_| elements.is_multiple_of(2)).map(|i| (i, i));
        let both = Pattern::of_pairs(n, n, both.chain(diagonal).collect());
        check_symmetric(&both, &symmetric(&both));
    }
}

/// Of a grid of n x n cells, periodic in one direction.
fn stencil(n: usize) -> Pattern {
    let at = |i: usize, j: usize| number(i.min(n - 1) * n + j % n);
    let mut pairs = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let near = [
                at(i, j),
                at(i.saturating_sub(1), j),
                at(i + 1, j),
                at(i, j + n - 1),
                at(i, j + 1),
            ];
            pairs.extend(near.map(|cell| (at(i, j), cell)));
        }
    }
    Pattern::of_pairs(n * n, n * n, pairs)
}

#[test]
fn stencils_take_few_colours() {
    for n in 5..41 {
        let pattern = stencil(n);
        let colouring = columns(&pattern);
        check_columns(&pattern, &colouring);
        assert!(colouring.colours <= 7, "{} colours for n = {n}", colouring.colours);
    }
}

#[test]
fn arrows_and_bands_take_two_and_three() {
    let n = 50;
    let arrow = (0..n).flat_map(|i| [(0, i), (i, 0), (i, i)]).collect();
    assert_eq!(symmetric(&Pattern::of_pairs(50, 50, arrow)).colours, 2);
    let band =
        (0..n).flat_map(|i| [(i, i), (i, (i + 1).min(n - 1)), ((i + 1).min(n - 1), i)]).collect();
    assert_eq!(symmetric(&Pattern::of_pairs(50, 50, band)).colours, 3);
    assert_eq!(columns(&Pattern::new(0)).colours, 0);
}

fn var(k: usize) -> Var {
    Var { value: 0.0, id: 10 + number(k), tag: 1 }
}

/// `n` inputs, and `m` values of up to three operands each.
fn random_dependences(random: &mut Random, n: usize, m: usize) -> Dependences {
    let mut all = Dependences::new(10);
    (0..n).for_each(|_| all.push(&[]));
    for k in n..n + m {
        let operands: Vec<u32> = (0..random.below(4)).map(|_| var(random.below(k)).id).collect();
        all.push(&operands);
    }
    all
}

#[test]
fn patterns_are_what_can_be_reached() {
    let mut random = Random(3);
    for _ in 0..60 {
        let (n, m) = (1 + random.below(8), 1 + random.below(40));
        let of = random_dependences(&mut random, n, m);
        let x: Vec<usize> = (0..n).collect();
        let y: Vec<Option<usize>> =
            (0..random.below(10)).map(|_| Some(random.below(n + m))).collect();
        let live = ancestors(&of, y.iter().flatten().copied(), &x);
        let up = upwards(&of, &x, &y, &live, None).expect("no limit");
        assert_eq!(Some(&up), downwards(&of, &x, &y, &live, None).as_ref());
        for (i, y) in y.iter().enumerate() {
            let below = ancestors(&of, y.iter().copied(), &x);
            let reached: Vec<u32> = (0..n).filter(|&j| below[j]).map(number).collect();
            assert_eq!(up.row(i), reached);
        }
        let (x, y): (Vec<Var>, Vec<Var>) =
            (x.into_iter().map(var).collect(), y.into_iter().flatten().map(var).collect());
        assert_eq!(jacobian(&of, &x, &y).expect("inputs of the recording"), up);
    }
}

/// x[0] * x[1] in direction v: one statement of all four; and x[2], whose derivative is added.
#[test]
fn a_hessian_is_where_factors_meet() {
    let (x, v): (Vec<Var>, Vec<Var>) = ((0..3).map(var).collect(), (3..6).map(var).collect());
    let mut of = Dependences::new(10);
    (0..6).for_each(|_| of.push(&[]));
    of.push(&[x[0].id, x[1].id]);
    of.push(&[v[0].id, x[1].id, x[0].id, v[1].id]);
    of.push(&[var(7).id, v[2].id]);
    let found = hessian(&of, &x, &v, &var(8)).expect("inputs of the recording");
    let expected = Pattern::of_pairs(3, 3, vec![(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(found, expected);
    assert!(hessian(&of, &x, &v[..2], &var(8)).is_err());
}

/// (x[0] + x[1]) times v[2], and exp(x[2]) times 3 v[2], which are factors of no other's.
#[test]
fn a_hessian_has_both_triangles_of_all_factors() {
    let (x, v): (Vec<Var>, Vec<Var>) = ((0..3).map(var).collect(), (3..6).map(var).collect());
    let mut of = Dependences::new(10);
    (0..6).for_each(|_| of.push(&[]));
    of.push(&[x[0].id, x[1].id]);
    of.push(&[x[2].id]);
    of.push(&[var(6).id, v[2].id]);
    of.push(&[v[2].id]);
    of.push(&[var(7).id, var(9).id]);
    of.push(&[var(8).id, var(10).id]);
    let found = hessian(&of, &x, &v, &var(11)).expect("inputs of the recording");
    let half = [(0, 2), (1, 2), (2, 2)];
    let both = half.into_iter().flat_map(|(i, j)| [(i, j), (j, i)]).collect();
    assert_eq!(found, Pattern::of_pairs(3, 3, both));
}
