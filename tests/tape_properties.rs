//! Random programs on the tape, through its C interface: the adjoint identity <w, J v> = <J^T w, v> holds
//! for every width, whatever the program mixes, and whether it is swept whole, in ranges, or twice.

use admpi::capi::tape::*;
use admpi::tape::{Cursors, Position, Var};
use proptest::prelude::*;
use std::ffi::c_void;

/// ADMPI_NEST_ISOLATED.
const ISOLATED: i32 = 2;

/// One step of a program. Operands are picked among the values made so far.
#[derive(Debug, Clone)]
enum Step {
    Input(f64, f64),
    /// Any number of operands with given partials.
    Linear(Vec<(prop::sample::Index, f64)>),
    Product(prop::sample::Index, prop::sample::Index),
    Sine(prop::sample::Index),
    /// A callback with two operands and three results.
    Callback(prop::sample::Index, prop::sample::Index),
    Keep(prop::sample::Index),
    /// A nest that computes, sweeps and vanishes.
    Nest(prop::sample::Index),
    Mark,
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<prop::sample::Index>;
    let number = || -1.0..1.0f64;
    prop_oneof![
        2 => (number(), number()).prop_map(|(x, v)| Step::Input(x, v)),
        3 => prop::collection::vec((index(), number()), 0..9).prop_map(Step::Linear),
        1 => prop::collection::vec((index(), number()), 250..600).prop_map(Step::Linear),
        6 => (index(), index()).prop_map(|(a, b)| Step::Product(a, b)),
        6 => index().prop_map(Step::Sine),
        3 => (index(), index()).prop_map(|(a, b)| Step::Callback(a, b)),
        1 => index().prop_map(Step::Keep),
        1 => index().prop_map(Step::Nest),
        2 => Just(Step::Mark),
    ]
}

/// Results a + b, a * b, b / 2; the payload holds the values of a and b.
unsafe extern "C-unwind" fn reverse_three(
    n_out: i64,
    n_in: i64,
    width: i32,
    out: *const f64,
    into: *mut f64,
    payload: *mut c_void,
) -> i32 {
    assert_eq!((n_out, n_in), (3, 2));
    let k = usize::try_from(width).unwrap();
    // SAFETY: arrays of the documented sizes, and the payload recorded below.
    unsafe {
        let [a, b] = *payload.cast::<[f64; 2]>();
        let out = std::slice::from_raw_parts(out, 3 * k);
        let into = std::slice::from_raw_parts_mut(into, 2 * k);
        for d in 0..k {
            assert_eq!(into[d], 0.0);
            into[d] = out[d] + b * out[k + d];
            into[k + d] = out[d] + a * out[k + d] + 0.5 * out[2 * k + d];
        }
    }
    0
}

/// A tape with what a program put on it.
struct Run {
    tape: *mut Cursors,
    values: Vec<Var>,
    tangents: Vec<f64>,
    /// The tangents as if nothing cancelled: what rounding errors are relative to.
    magnitudes: Vec<f64>,
    inputs: Vec<(Var, f64)>,
    kept: Vec<Var>,
    marks: Vec<Position>,
}

impl Drop for Run {
    fn drop(&mut self) {
        // SAFETY: made by `run`, used no more.
        unsafe { admpi_tape_free(self.tape) };
    }
}

fn ok(code: i32) {
    // SAFETY: the message is a C string.
    assert_eq!(code, 0, "{:?}", unsafe { std::ffi::CStr::from_ptr(admpi_last_error()) });
}

impl Run {
    fn linear(&self, value: f64, terms: &[(Var, f64)]) -> Var {
        let (operands, partials): (Vec<Var>, Vec<f64>) = terms.iter().copied().unzip();
        let mut y = Var::default();
        let n = i64::try_from(terms.len()).unwrap();
        // SAFETY: arrays of n elements.
        ok(unsafe {
            admpi_tape_precomputed(
                self.tape,
                value,
                operands.as_ptr(),
                partials.as_ptr(),
                n,
                &mut y,
            )
        });
        y
    }

    fn position(&self) -> Position {
        let mut position = Position::default();
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_position(self.tape, &mut position) });
        position
    }

    /// A value whose tangent is the sum over operands, by index, of partial times tangent.
    fn push(&mut self, value: Var, terms: &[(usize, f64)]) {
        let tangent = terms.iter().map(|&(i, p)| p * self.tangents[i]).sum();
        let magnitude = terms.iter().map(|&(i, p)| p.abs() * self.magnitudes[i]).sum();
        self.values.push(value);
        self.tangents.push(tangent);
        self.magnitudes.push(magnitude);
    }

    fn input(&self, x: f64) -> Var {
        let mut var = Var::default();
        // SAFETY: one element each.
        ok(unsafe { admpi_tape_input(self.tape, &x, 1, &mut var) });
        var
    }

    fn seed(&self, y: Var, weight: f64, direction: i32) {
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_seed(self.tape, y, weight, direction) });
    }

    fn adjoint(&self, x: Var, direction: i32) -> f64 {
        let mut adjoint = f64::NAN;
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_adjoint(self.tape, x, direction, &mut adjoint) });
        adjoint
    }

    fn reverse(&self) {
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_reverse(self.tape) });
    }

    fn apply(&mut self, step: &Step) {
        let pick = |index: &prop::sample::Index| index.index(self.values.len());
        match step {
            Step::Input(x, v) => {
                let var = self.input(*x);
                self.inputs.push((var, *v));
                self.values.push(var);
                self.tangents.push(*v);
                self.magnitudes.push(v.abs());
            }
            Step::Linear(terms) => {
                let terms: Vec<(usize, f64)> = terms.iter().map(|(i, p)| (pick(i), *p)).collect();
                let value = terms.iter().map(|&(i, p)| p * self.values[i].value).sum();
                let operands: Vec<(Var, f64)> =
                    terms.iter().map(|&(i, p)| (self.values[i], p)).collect();
                let y = self.linear(value, &operands);
                self.push(y, &terms);
            }
            Step::Product(a, b) => {
                let (a, b) = (pick(a), pick(b));
                let (x, y) = (self.values[a], self.values[b]);
                let z = self.linear(x.value * y.value, &[(x, y.value), (y, x.value)]);
                self.push(z, &[(a, y.value), (b, x.value)]);
            }
            Step::Sine(a) => {
                let a = pick(a);
                let x = self.values[a];
                let y = self.linear(x.value.sin(), &[(x, x.value.cos())]);
                self.push(y, &[(a, x.value.cos())]);
            }
            Step::Callback(a, b) => {
                let (a, b) = (pick(a), pick(b));
                let operands = [self.values[a], self.values[b]];
                let (x, y) = (operands[0].value, operands[1].value);
                let (values, payload) = ([x + y, x * y, y / 2.0], [x, y]);
                let mut out = [Var::default(); 3];
                // SAFETY: arrays of the sizes given.
                ok(unsafe {
                    admpi_tape_callback(
                        self.tape,
                        operands.as_ptr(),
                        2,
                        values.as_ptr(),
                        3,
                        Some(reverse_three),
                        payload.as_ptr().cast(),
                        size_of_val(&payload),
                        out.as_mut_ptr(),
                    )
                });
                self.push(out[0], &[(a, 1.0), (b, 1.0)]);
                self.push(out[1], &[(a, y), (b, x)]);
                self.push(out[2], &[(b, 0.5)]);
            }
            Step::Keep(a) => {
                let x = self.values[pick(a)];
                // SAFETY: a live tape.
                ok(unsafe { admpi_tape_keep(self.tape, x) });
                self.kept.push(x);
            }
            Step::Nest(a) => {
                let x = self.values[pick(a)];
                let mut nest = admpi::tape::NestToken { token: 0 };
                // SAFETY: a live tape.
                ok(unsafe { admpi_tape_start_nested(self.tape, ISOLATED, &mut nest) });
                let inner = self.input(2.0);
                let y = self.linear(x.value * 2.0, &[(x, 2.0), (inner, x.value)]);
                self.seed(y, 1.0, 0);
                self.reverse();
                assert_eq!(self.adjoint(inner, 0), x.value);
                // SAFETY: a live tape.
                ok(unsafe { admpi_tape_recover_nested(self.tape, nest) });
            }
            Step::Mark => self.marks.push(self.position()),
        }
    }

    fn bits(&self, width: i32) -> Vec<u64> {
        let values = self.inputs.iter().map(|(x, _)| *x).chain(self.kept.iter().copied());
        values.flat_map(|x| (0..width).map(move |k| self.adjoint(x, k).to_bits())).collect()
    }
}

fn run(program: &[Step], width: i32) -> Run {
    let mut tape = std::ptr::null_mut();
    // SAFETY: a live tape from here on.
    unsafe {
        ok(admpi_tape_new(&mut tape));
        ok(admpi_tape_start(tape));
        ok(admpi_tape_set_width(tape, width));
    }
    let mut run = Run {
        tape,
        values: vec![],
        tangents: vec![],
        magnitudes: vec![],
        inputs: vec![],
        kept: vec![],
        marks: vec![],
    };
    run.marks.push(run.position());
    run.apply(&Step::Input(0.75, 0.5));
    for step in program {
        run.apply(step);
    }
    run.marks.push(run.position());
    run
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn adjoint_identity_holds(
        program in prop::collection::vec(step(), 1..60),
        width in prop::sample::select(vec![1, 2, 4, 8, 16]),
        seeds in prop::collection::vec((any::<prop::sample::Index>(), -1.0..1.0f64), 1..5),
    ) {
        let run = run(&program, width);
        let seed = || {
            for k in 0..width {
                for (index, weight) in &seeds {
                    run.seed(run.values[index.index(run.values.len())], weight * f64::from(k + 1), k);
                }
            }
        };
        seed();
        run.reverse();
        for k in 0..width {
            let forward: f64 = seeds
                .iter()
                .map(|(index, weight)| weight * f64::from(k + 1) * run.tangents[index.index(run.values.len())])
                .sum();
            let scale: f64 = seeds
                .iter()
                .map(|(index, weight)| weight.abs() * f64::from(k + 1) * run.magnitudes[index.index(run.values.len())])
                .sum();
            let reverse: f64 = run.inputs.iter().map(|&(x, v)| run.adjoint(x, k) * v).sum();
            prop_assert!((forward - reverse).abs() <= 1e-13 * scale + 1e-300, "{forward} {reverse} {scale}");
        }
        let whole = run.bits(width);
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_clear_adjoints(run.tape) });
        seed();
        for pair in run.marks.windows(2).rev() {
            // SAFETY: a live tape.
            ok(unsafe { admpi_tape_reverse_range(run.tape, &pair[1], &pair[0]) });
        }
        prop_assert_eq!(&run.bits(width), &whole, "in ranges");
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_clear_adjoints(run.tape) });
        seed();
        run.reverse();
        prop_assert_eq!(&run.bits(width), &whole, "a second time");
    }
}
