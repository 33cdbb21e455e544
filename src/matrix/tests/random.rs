//! Random programs with assignments to elements in every way, sweeps, nests and resets, against scalars.

use super::*;

/// Numbers that a seed determines.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

const ROWS: usize = 3;
const N: usize = 12;

/// A program on matrices and, beside it, the same on scalars of a tape of its own.
struct Twins {
    random: Random,
    tape: Box<Tape>,
    matrices: Vec<Owned>,
    plain: Box<Tape>,
    scalars: Vec<Vec<Var>>,
    places: Vec<(Position, Position)>,
    inputs: [Vec<Var>; 2],
}

impl Twins {
    fn new(seed: u64, width: usize) -> Self {
        let (mut tape, mut plain) = (recording(), recording());
        tape.set_width(width).unwrap();
        plain.set_width(width).unwrap();
        let mut matrices = Vec::new();
        let mut scalars = Vec::new();
        for m in 0..3 {
            let start: Vec<f64> = (0..N).map(|k| 0.3 + 0.05 * (k * (m + 2) % 13) as f64).collect();
            matrices.push(input(&mut tape, ROWS, &start));
            let first = plain.input_ids(N).unwrap();
            scalars.push((0..N).map(|k| plain.value(start[k], first, k)).collect::<Vec<_>>());
        }
        let inputs = [matrices.iter().flat_map(elements).collect(), scalars.concat()];
        let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Self { random, tape, matrices, plain, scalars, places: Vec::new(), inputs }
    }

    /// A random part of matrix `m`, transposed or with steps, and its places.
    fn part(&mut self, m: usize, rows: usize, cols: usize) -> (View, Vec<usize>) {
        let col_step = ROWS * (1 + self.random.below(if cols <= 2 { 2 } else { 1 }));
        let row_step = 1 + self.random.below(if rows <= 2 { 2 } else { 1 });
        let last = (rows - 1) * row_step + (cols - 1) * col_step;
        let offset = self.random.below(N - last);
        let as_c = |n: usize| i64::try_from(n).unwrap();
        let view = View {
            of: self.matrices[m].view().of,
            offset: as_c(offset),
            rows: as_c(rows),
            cols: as_c(cols),
            row_step: as_c(row_step),
            col_step: as_c(col_step),
        };
        // SAFETY: live.
        let part = unsafe { view.part("part") }.unwrap();
        (view, part.places().collect())
    }

    fn matrix(&mut self) -> usize {
        self.random.below(self.matrices.len())
    }

    fn element(&mut self) -> (Var, Var) {
        let (m, k) = (self.matrix(), self.random.below(N));
        (elements(&self.matrices[m])[k], self.scalars[m][k])
    }

    /// Something that keeps all matrices, assigned in part.
    fn assign(&mut self) {
        let (to, k) = (self.matrix(), self.random.below(N));
        match self.random.below(9) {
            0 => {
                let (x, y) = self.element();
                set(&mut self.tape, &self.matrices[to], k, x);
                self.scalars[to][k] = y;
            }
            1 | 2 => {
                let ((a, b), (c, d)) = (self.element(), self.element());
                let x = mul(&mut self.tape, a, c);
                set(&mut self.tape, &self.matrices[to], k, x);
                self.scalars[to][k] = mul(&mut self.plain, b, d);
            }
            3 => {
                let x = Var { value: 0.9, id: 0, tag: 0 };
                set(&mut self.tape, &self.matrices[to], k, x);
                self.scalars[to][k] = x;
            }
            4 => {
                // All elements anew, from those of two matrices.
                let pairs: Vec<_> = (0..N).map(|_| self.element()).collect();
                let (x, y): (Vec<Var>, Vec<Var>) = pairs.into_iter().unzip();
                let whole = self.matrices[to].view();
                // SAFETY: live.
                unsafe { Tape::assign_vars(Some(&mut *self.tape), "to", &whole, &x) }.unwrap();
                self.scalars[to] = y;
            }
            5 => {
                let from = self.matrix();
                let (rows, cols) = (1 + self.random.below(ROWS), 1 + self.random.below(3));
                let (target, places) = self.part(to, rows, cols);
                let (source, sources) = self.part(from, rows, cols);
                assign(&mut self.tape, &target, &source);
                let read: Vec<Var> = sources.iter().map(|&k| self.scalars[from][k]).collect();
                for (k, x) in places.into_iter().zip(read) {
                    self.scalars[to][k] = x;
                }
            }
            6 | 7 => self.receive(to),
            _ => {
                let (rows, cols) = (1 + self.random.below(ROWS), 1 + self.random.below(3));
                let (source, places) = self.part(to, rows, cols);
                let x = sum(&mut self.tape, &source);
                let arguments: Vec<_> =
                    places.iter().map(|&k| (1.0, self.scalars[to][k])).collect();
                let value = arguments.iter().map(|(_, x)| x.value).sum();
                let y = statement(&mut self.plain, value, &arguments);
                let (x, y) = (mul(&mut self.tape, x, x), mul(&mut self.plain, y, y));
                // Kept small, so that nothing overflows.
                let scale = 1.0 / (1.0 + y.value.abs());
                let x = statement(&mut self.tape, scale * x.value, &[(scale, x)]);
                let y = statement(&mut self.plain, scale * y.value, &[(scale, y)]);
                set(&mut self.tape, &self.matrices[to], k, x);
                self.scalars[to][k] = y;
            }
        }
    }

    /// Elements side by side get what a message brings: squares of others, or only the first of them.
    fn receive(&mut self, to: usize) {
        // A nest that is closed does not take back what becomes of a matrix as a whole.
        let nested = self.tape.base() != Position::BOTTOM;
        let n = 1 + self.random.below(N - usize::from(nested));
        let (at, from, start) =
            (self.random.below(N + 1 - n), self.matrix(), self.random.below(N + 1 - n));
        let as_c = |n: usize| i64::try_from(n).unwrap();
        let sent = part(&self.matrices[from], as_c(start), as_c(n), 1);
        let sent = square(&mut self.tape, &sent);
        let squares: Vec<Var> = (start..start + n)
            .map(|k| mul(&mut self.plain, self.scalars[from][k], self.scalars[from][k]))
            .collect();
        let mut buffer = received(&self.matrices[to], at, n);
        current(&mut self.tape, || buffer.lend(self.random.below(2) == 0)).unwrap();
        if !nested && self.random.below(4) == 0 {
            self.matrices[to].rebind(&self.matrices[from].copy());
            self.scalars[to] = self.scalars[from].clone();
        } else if at > 0 {
            let (k, (x, y)) = (self.random.below(at), self.element_but(to));
            set(&mut self.tape, &self.matrices[to], k, x);
            self.scalars[to][k] = y;
        }
        let arrived = 1 + self.random.below(n);
        arrive(&mut self.tape, &mut buffer, &elements(&sent)[..arrived]);
        self.scalars[to][at..at + arrived].copy_from_slice(&squares[..arrived]);
    }

    /// An element of another matrix.
    fn element_but(&mut self, m: usize) -> (Var, Var) {
        let (m, k) = ((m + 1) % self.matrices.len(), self.random.below(N));
        (elements(&self.matrices[m])[k], self.scalars[m][k])
    }

    /// Squares of a part, and where they go; in a nest nowhere.
    fn square(&mut self, to: Option<usize>) {
        let from = self.matrix();
        let whole = self.random.below(2) == 0;
        let (rows, cols) = if whole { (ROWS, N / ROWS) } else { (2, 2) };
        let (source, places) = if whole {
            (self.matrices[from].view(), (0..N).collect())
        } else {
            self.part(from, rows, cols)
        };
        let squares = square(&mut self.tape, &source);
        let plain: Vec<Var> = places
            .iter()
            .map(|&k| mul(&mut self.plain, self.scalars[from][k], self.scalars[from][k]))
            .collect();
        let Some(to) = to else { return };
        if whole {
            self.matrices[to].rebind(&squares);
            self.scalars[to] = plain;
        } else {
            let (target, places) = self.part(to, rows, cols);
            assign(&mut self.tape, &target, &squares.view());
            for (k, x) in places.into_iter().zip(plain) {
                self.scalars[to][k] = x;
            }
        }
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..=4 => self.assign(),
            5 | 6 => {
                let to = self.matrix();
                self.square(Some(to));
            }
            7 => {
                let (to, from) = (self.matrix(), self.matrix());
                let copy = self.matrices[from].copy();
                self.matrices[to].rebind(&copy);
                self.scalars[to] = self.scalars[from].clone();
            }
            8 => self.places.push((self.tape.mark(), self.plain.mark())),
            _ => self.nest(),
        }
        self.compare();
    }

    /// Assignments that are forgotten, with a sweep or without.
    fn nest(&mut self) {
        let tokens = (
            self.tape.start_nested(Outside::Added).unwrap(),
            self.plain.start_nested(Outside::Added).unwrap(),
        );
        let before: Vec<_> = self.matrices.iter().map(elements).collect();
        let scalars = self.scalars.clone();
        for _ in 0..self.random.below(6) {
            self.assign();
            self.square(None);
        }
        if self.random.below(2) == 0 {
            reverse(&mut self.tape);
        }
        // SAFETY: live.
        unsafe {
            Tape::recover_nested(&mut *self.tape, tokens.0).unwrap();
            Tape::recover_nested(&mut *self.plain, tokens.1).unwrap();
        }
        self.scalars = scalars;
        let after: Vec<_> = self.matrices.iter().map(elements).collect();
        assert_eq!(before, after);
    }

    fn compare(&self) {
        for (matrix, scalars) in self.matrices.iter().zip(&self.scalars) {
            for (x, y) in elements(matrix).iter().zip(scalars) {
                assert!((x.value - y.value).abs() <= 1e-14 * y.value.abs());
            }
        }
    }

    /// The adjoints of all inputs after a sweep that starts from elements of the matrices.
    fn gradients(&mut self, in_pieces: bool) -> [Vec<f64>; 2] {
        let before: Vec<_> = self.matrices.iter().map(elements).collect();
        self.tape.clear_adjoints().unwrap();
        self.plain.clear_adjoints().unwrap();
        let width = self.tape.width();
        for (m, matrix) in self.matrices.iter().enumerate() {
            for (k, x) in elements(matrix).iter().enumerate() {
                let weight = 0.1 * ((k * 7 + m) % 5) as f64 - 0.2;
                for direction in 0..width {
                    let weight = weight * (1.0 + direction as f64);
                    self.tape.seed(x, weight, direction).unwrap();
                    self.plain.seed(&self.scalars[m][k], weight, direction).unwrap();
                }
            }
        }
        if in_pieces {
            let mut from = self.tape.position();
            for (place, _) in self.places.iter().rev() {
                range(&mut self.tape, &from, place);
                from = *place;
            }
            let bottom = self.tape.base();
            range(&mut self.tape, &from, &bottom);
        } else {
            reverse(&mut self.tape);
        }
        reverse(&mut self.plain);
        let after: Vec<_> = self.matrices.iter().map(elements).collect();
        assert_eq!(before, after, "a sweep leaves the elements as they were");
        let read = |tape: &Tape, inputs: &[Var]| {
            inputs
                .iter()
                .flat_map(|x| (0..width).map(move |k| (x, k)))
                .map(|(x, k)| tape.adjoint(x, k).unwrap())
                .collect()
        };
        [read(&self.tape, &self.inputs[0]), read(&self.plain, &self.inputs[1])]
    }
}

#[test]
fn random_programs_agree_with_scalars() {
    for seed in 1..=300 {
        let mut twins = Twins::new(seed, [1, 4][usize::from(seed % 5 == 0)]);
        for _ in 0..60 {
            twins.step();
        }
        for in_pieces in [false, true, false] {
            let [matrices, scalars] = twins.gradients(in_pieces);
            for (k, (got, expected)) in matrices.iter().zip(&scalars).enumerate() {
                assert!(
                    (got - expected).abs() <= 1e-10 * expected.abs().max(1.0),
                    "seed {seed}, input {k}: {got}, expected {expected}"
                );
            }
        }
        // Back to a marked place, and on from there: what was assigned before it is as it was.
        if let Some((place, plain)) = twins.places.first().copied() {
            // SAFETY: live.
            unsafe {
                Tape::reset_to(&mut *twins.tape, &place).unwrap();
                Tape::reset_to(&mut *twins.plain, &plain).unwrap();
            }
        }
    }
}
