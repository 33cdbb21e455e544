//! Colourings by their definitions; both directions of a pattern against each other and against reachability.

use super::colouring::star;
use super::jacobian::{ancestors, downwards, upwards};
use super::pattern::{Pattern, number};
use super::ranks::{Exchange, Links, jacobian_on_ranks};
use super::{Colouring, columns, hessian, jacobian, rows, symmetric};
use crate::count::wide32;
use crate::error::Result;
use crate::tape::{Dependences, Var};
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};

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
    let pairs: Vec<(u32, u32)> =
        (0..n).map(|_| (number(random.below(rows)), number(random.below(cols)))).collect();
    Pattern::of_pairs(rows, cols, &pairs)
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
        let both = Pattern::of_pairs(n, n, &both.chain(diagonal).collect::<Vec<_>>());
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
    Pattern::of_pairs(n * n, n * n, &pairs)
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
fn rows_with_many_columns_take_as_many_colours() {
    let mut random = Random(11);
    for long in [63, 64, 65, 128, 129, 300] {
        let mut pairs: Vec<(u32, u32)> = (0..long).map(|j| (3, j)).collect();
        pairs.extend((0..600).map(|_| (number(random.below(20)), number(random.below(300)))));
        let pattern = Pattern::of_pairs(20, 300, &pairs);
        let colouring = columns(&pattern);
        check_columns(&pattern, &colouring);
        assert!(colouring.colours >= long, "{} colours for {long}", colouring.colours);
    }
}

#[test]
fn bands_in_any_order_take_three_or_four() {
    let mut random = Random(5);
    let (mut natural, mut found) = (0, 0);
    for _ in 0..40 {
        let n = 60;
        let mut name: Vec<u32> = (0..n).collect();
        (1..name.len()).rev().for_each(|k| name.swap(k, random.below(k + 1)));
        let near = |k: u32| (k.saturating_sub(1)..(k + 2).min(n)).map(move |j| (k, j));
        let pairs: Vec<_> =
            (0..n).flat_map(near).map(|(i, j)| (name[wide32(i)], name[wide32(j)])).collect();
        let pattern = Pattern::of_pairs(60, 60, &pairs);
        let colouring = symmetric(&pattern);
        check_symmetric(&pattern, &colouring);
        found += colouring.colours;
        let order: Vec<u32> = (0..n).collect();
        natural += star(&pattern, &order).colours;
    }
    assert!(found < natural, "{found} colours in all, {natural} in their order");
    assert!(found <= 40 * 4, "{found} colours in all");
}

#[test]
fn arrows_and_bands_take_two_and_three() {
    let n = 50;
    let arrow: Vec<_> = (0..n).flat_map(|i| [(0, i), (i, 0), (i, i)]).collect();
    assert_eq!(symmetric(&Pattern::of_pairs(50, 50, &arrow)).colours, 2);
    let band: Vec<_> =
        (0..n).flat_map(|i| [(i, i), (i, (i + 1).min(n - 1)), ((i + 1).min(n - 1), i)]).collect();
    assert_eq!(symmetric(&Pattern::of_pairs(50, 50, &band)).colours, 3);
    assert_eq!(columns(&Pattern::new(0)).colours, 0);
}

fn var(k: usize) -> Var {
    Var { value: 0.0, id: 10 + number(k), tag: 1 }
}

/// `n` inputs, and `m` values of up to three operands each.
fn random_dependences(random: &mut Random, n: usize, m: usize) -> Dependences<'static> {
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
    let expected = Pattern::of_pairs(3, 3, &[(0, 0), (0, 1), (1, 0), (1, 1)]);
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
    let both: Vec<_> = half.into_iter().flat_map(|(i, j)| [(i, j), (j, i)]).collect();
    assert_eq!(found, Pattern::of_pairs(3, 3, &both));
}

/// x[3] times (x[0] times v[1] + x[0] times v[2]): one factor meets two, and what it multiplies meets another one.
#[test]
fn a_hessian_has_no_pairs_of_factors() {
    let (x, v): (Vec<Var>, Vec<Var>) = ((0..4).map(var).collect(), (4..8).map(var).collect());
    let mut of = Dependences::new(10);
    (0..8).for_each(|_| of.push(&[]));
    of.push(&[x[0].id, v[1].id]);
    of.push(&[x[0].id, v[2].id]);
    of.push(&[var(8).id, var(9).id]);
    of.push(&[x[3].id, var(10).id]);
    let found = hessian(&of, &x, &v, &var(11)).expect("inputs of the recording");
    let half = [(0, 1), (0, 2), (3, 1), (3, 2)];
    let both: Vec<_> = half.into_iter().flat_map(|(i, j)| [(i, j), (j, i)]).collect();
    assert_eq!(found, Pattern::of_pairs(4, 4, &both));
}

/// A rank that talks to others by channels.
struct Thread {
    rank: usize,
    to: Vec<Sender<Vec<u64>>>,
    from: Vec<Receiver<Vec<u64>>>,
}

impl Exchange for Thread {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn exchange(&mut self, out: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>> {
        for (to, words) in self.to.iter().zip(out) {
            to.send(words).expect("a rank that listens");
        }
        Ok(self.from.iter().map(|from| from.recv().expect("a rank that talks")).collect())
    }

    fn any(&mut self, here: bool) -> Result<bool> {
        let all = self.exchange(vec![vec![u64::from(here)]; self.ranks()])?;
        Ok(all.concat().contains(&1))
    }
}

fn threads(ranks: usize) -> Vec<Thread> {
    let mut all: Vec<Thread> =
        (0..ranks).map(|rank| Thread { rank, to: Vec::new(), from: Vec::new() }).collect();
    for from in 0..ranks {
        for to in 0..ranks {
            let (sender, receiver) = channel();
            all[from].to.push(sender);
            all[to].from.push(receiver);
        }
    }
    all
}

/// What a rank has recorded, its inputs and results, and of which values of other ranks its receives are made.
struct Part {
    of: Dependences<'static>,
    inputs: usize,
    results: Vec<Option<usize>>,
    made: Vec<(usize, usize, usize)>,
}

/// Values at a place depend on values of any rank at places before: what others have comes by receives.
fn random_parts(random: &mut Random, ranks: usize) -> Vec<Part> {
    let inputs: Vec<usize> = (0..ranks).map(|_| random.below(4)).collect();
    let places = 5 + random.below(40);
    let part = |rank: usize| {
        let (mut of, mut made) = (Dependences::new(10), Vec::new());
        (0..inputs[rank]).for_each(|_| of.push(&[]));
        for k in inputs[rank]..places {
            let is_received = random.below(4) == 0;
            // A sum over ranks has several.
            for _ in 0..if is_received { 1 + random.below(2) } else { 0 } {
                let other = random.below(ranks);
                if k > 0 {
                    made.push((k, other, random.below(k)));
                }
            }
            let n = if is_received || k == 0 { 0 } else { random.below(4) };
            let operands: Vec<u32> = (0..n).map(|_| var(random.below(k)).id).collect();
            of.push(&operands);
        }
        let results = (0..random.below(5))
            .map(|_| Some(random.below(places)).filter(|_| random.below(8) > 0))
            .collect();
        Part { of, inputs: inputs[rank], results, made }
    };
    (0..ranks).map(part).collect()
}

/// All values behind one, of all ranks.
fn reach(parts: &[Part], rank: usize, k: usize, into: &mut BTreeSet<(usize, usize)>) {
    if !into.insert((rank, k)) {
        return;
    }
    parts[rank].of.operands(k).for_each(|operand| reach(parts, rank, operand, into));
    for &(_, other, from) in parts[rank].made.iter().filter(|&&(to, ..)| to == k) {
        reach(parts, other, from, into);
    }
}

#[test]
fn patterns_on_ranks_are_what_can_be_reached() {
    let mut random = Random(11);
    for round in 0..60 {
        let parts = random_parts(&mut random, 1 + round % 4);
        let mut first = vec![0];
        parts.iter().for_each(|part| first.push(first[first.len() - 1] + part.inputs));
        let found: Vec<Pattern> = std::thread::scope(|scope| {
            let run = |mut rank: Thread| {
                let (parts, me) = (&parts, rank.rank);
                scope.spawn(move || {
                    let mut links = vec![Vec::new(); parts.len()];
                    for (there, part) in parts.iter().enumerate() {
                        let mine = part.made.iter().filter(|&&(_, other, _)| other == me);
                        links[there].extend(mine.map(|&(to, _, from)| (var(from).id, var(to).id)));
                    }
                    let part = &parts[me];
                    let links = Links::new(&part.of, &links, &mut rank).expect("known names");
                    let x: Vec<usize> = (0..part.inputs).collect();
                    jacobian_on_ranks(&part.of, &links, &x, &part.results, &mut rank)
                        .expect("channels that work")
                })
            };
            let running: Vec<_> = threads(parts.len()).into_iter().map(run).collect();
            running.into_iter().map(|rank| rank.join().expect("no panic")).collect()
        });
        for (rank, pattern) in found.iter().enumerate() {
            assert_eq!(pattern.cols(), first[parts.len()]);
            for (i, y) in parts[rank].results.iter().enumerate() {
                let mut behind = BTreeSet::new();
                y.iter().for_each(|&k| reach(&parts, rank, k, &mut behind));
                let inputs = behind.into_iter().filter(|&(rank, k)| k < parts[rank].inputs);
                let expected: BTreeSet<u32> =
                    inputs.map(|(rank, k)| number(first[rank] + k)).collect();
                let row: BTreeSet<u32> = pattern.row(i).iter().copied().collect();
                assert_eq!(row, expected, "round {round}, rank {rank}, row {i}");
            }
        }
    }
}
