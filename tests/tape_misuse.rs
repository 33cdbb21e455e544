//! What a C program may do wrong, or at a bad moment: each is an error that leaves the tape as it was.

use admpi::capi::tape::*;
use admpi::tape::{Cursors, NestToken, Position, Var};
use std::ffi::{CStr, c_void};

const LIMIT: i32 = 4;
const NEST: i32 = 9;
const RANGE: i32 = 10;
const CALLBACK: i32 = 11;
const ARGUMENT: i32 = 2;
const ISOLATED: i32 = 2;

/// A recording tape and the calls of the C interface on it; those that must succeed are checked.
struct Fixture(*mut Cursors);

impl Drop for Fixture {
    fn drop(&mut self) {
        // SAFETY: made by `recording`, used no more.
        unsafe { admpi_tape_free(self.0) };
    }
}

fn message() -> String {
    // SAFETY: a C string.
    unsafe { CStr::from_ptr(admpi_last_error()) }.to_string_lossy().into_owned()
}

#[track_caller]
fn ok(code: i32) {
    assert_eq!(code, 0, "{}", message());
}

fn recording() -> Fixture {
    let mut tape = std::ptr::null_mut();
    // SAFETY: a live tape from here on.
    unsafe {
        ok(admpi_tape_new(&mut tape));
        ok(admpi_tape_start(tape));
    }
    Fixture(tape)
}

// SAFETY of all calls below: the tape is live and arrays have the sizes that are given.
impl Fixture {
    fn try_input(&self, value: f64) -> Result<Var, i32> {
        let mut x = Var::default();
        // SAFETY: see above.
        match unsafe { admpi_tape_input(self.0, &value, 1, &mut x) } {
            0 => Ok(x),
            code => Err(code),
        }
    }

    fn input(&self, value: f64) -> Var {
        self.try_input(value).unwrap()
    }

    fn try_linear(&self, terms: &[(Var, f64)]) -> Result<Var, i32> {
        let (x, partial): (Vec<Var>, Vec<f64>) = terms.iter().copied().unzip();
        let mut y = Var::default();
        let n = i64::try_from(x.len()).unwrap();
        // SAFETY: see above.
        match unsafe {
            admpi_tape_precomputed(self.0, 1.0, x.as_ptr(), partial.as_ptr(), n, &mut y)
        } {
            0 => Ok(y),
            code => Err(code),
        }
    }

    #[track_caller]
    fn linear(&self, terms: &[(Var, f64)]) -> Var {
        self.try_linear(terms).unwrap_or_else(|code| panic!("{code}: {}", message()))
    }

    fn callback(&self, x: Var, function: admpi_reverse_fn, payload: *mut c_void) -> Var {
        let mut y = Var::default();
        // SAFETY: see above; a payload of no bytes is kept as it is.
        ok(unsafe { admpi_tape_callback(self.0, &x, 1, &1.0, 1, function, payload, 0, &mut y) });
        y
    }

    #[track_caller]
    fn seed(&self, y: Var, weight: f64, direction: i32) {
        // SAFETY: see above.
        ok(unsafe { admpi_tape_seed(self.0, y, weight, direction) });
    }

    fn reverse(&self) -> i32 {
        // SAFETY: see above.
        unsafe { admpi_tape_reverse(self.0) }
    }

    #[track_caller]
    fn adjoint(&self, x: Var, direction: i32) -> f64 {
        let mut adjoint = f64::NAN;
        // SAFETY: see above.
        ok(unsafe { admpi_tape_adjoint(self.0, x, direction, &mut adjoint) });
        adjoint
    }

    #[track_caller]
    fn gradient(&self, y: Var, x: Var) -> f64 {
        // SAFETY: see above.
        ok(unsafe { admpi_tape_clear_adjoints(self.0) });
        self.seed(y, 1.0, 0);
        ok(self.reverse());
        self.adjoint(x, 0)
    }

    fn position(&self) -> Position {
        let mut position = Position::default();
        // SAFETY: see above.
        ok(unsafe { admpi_tape_position(self.0, &mut position) });
        position
    }

    fn reset_to(&self, position: &Position) -> i32 {
        // SAFETY: see above.
        unsafe { admpi_tape_reset_to(self.0, position) }
    }

    fn nest(&self, flags: i32) -> NestToken {
        let mut nest = NestToken { token: 0 };
        // SAFETY: see above.
        ok(unsafe { admpi_tape_start_nested(self.0, flags, &mut nest) });
        nest
    }

    fn recover(&self, nest: NestToken) -> i32 {
        // SAFETY: see above.
        unsafe { admpi_tape_recover_nested(self.0, nest) }
    }

    /// As a C operator does that runs into the limit.
    fn fail(&self) {
        // SAFETY: see above.
        unsafe { admpi_detail_tape_fail(self.0, LIMIT) };
    }
}

#[test]
fn limit_may_be_hit_in_every_stream_of_the_first_commit() {
    for limit in 0..24 {
        let tape = recording();
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_set_limit(tape.0, 1 + (limit << 20)) });
        // SAFETY: a live tape.
        let room = unsafe { admpi_detail_tape_grow(tape.0, 254) };
        assert!(room == 0 || room == LIMIT, "{}", message());
        assert_eq!(tape.position().argument, 0);
        let made = tape.try_input(3.0).and_then(|x| tape.try_linear(&[(x, 2.0)]));
        if let Err(code) = made {
            assert_eq!(code, LIMIT, "{}", message());
        }
        let here = tape.position();
        assert_eq!(here.argument, u64::from(made.is_ok()));
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_set_limit(tape.0, 0) });
        let x = tape.input(3.0);
        let y = tape.linear(&[(x, 2.0)]);
        assert_eq!(tape.gradient(y, x), 2.0);
    }
}

#[test]
fn failure_is_forgotten_with_its_place_and_not_before() {
    let tape = recording();
    let x = tape.input(1.0);
    let y = tape.linear(&[(x, 2.0)]);

    // Within a nest.
    let nest = tape.nest(0);
    tape.fail();
    assert_eq!(tape.reverse(), LIMIT);
    ok(tape.recover(nest));
    assert_eq!(tape.gradient(y, x), 2.0);

    // Above a position.
    let here = tape.position();
    tape.fail();
    assert_eq!(tape.reverse(), LIMIT);
    ok(tape.reset_to(&here));
    assert_eq!(tape.gradient(y, x), 2.0);

    // Below both.
    tape.fail();
    let nest = tape.nest(0);
    ok(tape.recover(nest));
    assert_eq!(tape.reverse(), LIMIT);
    let here = tape.position();
    ok(tape.reset_to(&here));
    assert_eq!(tape.reverse(), LIMIT);
    let z = tape.linear(&[(y, 3.0)]);
    assert_ne!(z.id, 0);
    ok(tape.reset_to(&here));
    assert_eq!(tape.reverse(), LIMIT);
    // SAFETY: a live tape.
    ok(unsafe { admpi_tape_reset(tape.0) });
    ok(tape.reverse());
}

#[test]
fn nest_that_was_not_closed_in_order_stays_an_error() {
    let tape = recording();
    let outer = tape.nest(0);
    let inner = tape.nest(0);
    // What the guard of C++ does when the outer one is destroyed first.
    assert_eq!(tape.recover(outer), NEST);
    // SAFETY: a live tape.
    unsafe { admpi_detail_tape_fail(tape.0, NEST) };
    ok(tape.recover(inner));
    assert_eq!(tape.reverse(), NEST);
}

#[test]
fn directions_do_not_meet_in_an_infinite_partial() {
    let tape = recording();
    for width in [1, 2, 4, 8, 16] {
        // SAFETY: a live tape.
        ok(unsafe { admpi_tape_set_width(tape.0, width) });
        for flags in [0, ISOLATED] {
            let nest = tape.nest(flags);
            let (x, z) = (tape.input(0.0), tape.input(1.0));
            // The square root of zero, and a value that does not depend on it.
            let root = tape.linear(&[(x, f64::INFINITY)]);
            let y = tape.linear(&[(root, 1.0), (z, 3.0)]);
            tape.seed(z, 1.0, 0);
            tape.seed(y, 1.0, width - 1);
            ok(tape.reverse());
            assert_eq!(tape.adjoint(x, width - 1), f64::INFINITY);
            assert_eq!(tape.adjoint(z, width - 1), if width == 1 { 4.0 } else { 3.0 });
            if width > 1 {
                assert_eq!(tape.adjoint(x, 0), 0.0, "width {width}");
                assert_eq!(tape.adjoint(z, 0), 1.0);
            }
            ok(tape.recover(nest));
        }
    }
}

#[test]
fn nest_inside_an_isolated_one_does_not_write_outside_it() {
    let tape = recording();
    let x = tape.input(3.0);
    let isolated = tape.nest(ISOLATED);
    let u = tape.input(1.0);
    let open = tape.nest(0);
    let y = tape.linear(&[(x, 5.0), (u, 7.0)]);
    tape.seed(y, 1.0, 0);
    ok(tape.reverse());
    assert_eq!(tape.adjoint(u, 0), 7.0);
    assert_eq!(tape.adjoint(x, 0), 0.0);
    ok(tape.recover(open));
    ok(tape.recover(isolated));
}

#[test]
fn clearing_in_an_isolated_nest_leaves_outer_adjoints() {
    let tape = recording();
    let x = tape.input(3.0);
    let y = tape.linear(&[(x, 5.0)]);
    let kept = tape.linear(&[(y, 2.0)]);
    let z = tape.linear(&[(kept, 1.0)]);
    // SAFETY: a live tape.
    ok(unsafe { admpi_tape_keep(tape.0, kept) });
    tape.seed(z, 1.0, 0);
    ok(tape.reverse());
    tape.seed(y, 1.0, 0);
    let nest = tape.nest(ISOLATED);
    let u = tape.input(1.0);
    let v = tape.linear(&[(u, 4.0), (x, 1.0)]);
    for _ in 0..2 {
        assert_eq!(tape.gradient(v, u), 4.0);
    }
    ok(tape.recover(nest));
    assert_eq!(tape.adjoint(x, 0), 10.0);
    assert_eq!(tape.adjoint(kept, 0), 1.0);
    ok(tape.reverse());
    assert_eq!(tape.adjoint(x, 0), 15.0);
    // SAFETY: a live tape.
    ok(unsafe { admpi_tape_clear_adjoints(tape.0) });
    assert_eq!((tape.adjoint(x, 0), tape.adjoint(kept, 0)), (0.0, 0.0));
}

/// What a callback does to the tape that is being swept, and the status it got.
struct Deed {
    tape: *mut Cursors,
    act: fn(&Deed) -> i32,
    bottom: Position,
    outer: NestToken,
    status: i32,
}

unsafe extern "C-unwind" fn misbehave(
    _: i64,
    _: i64,
    width: i32,
    out: *const f64,
    into: *mut f64,
    payload: *mut c_void,
) -> i32 {
    // SAFETY: the arrays of the contract, and the payload that the test registered.
    unsafe {
        let deed = &mut *payload.cast::<Deed>();
        deed.status = (deed.act)(deed);
        for k in 0..usize::try_from(width).unwrap() {
            *into.add(k) = 10.0 * *out.add(k);
        }
    }
    0
}

fn nest_and_sweep(deed: &Deed) -> i32 {
    let tape = std::mem::ManuallyDrop::new(Fixture(deed.tape));
    let nest = tape.nest(ISOLATED);
    let u = tape.input(1.0);
    let mut v = u;
    for _ in 0..100_000 {
        v = tape.linear(&[(v, 1.0), (u, 1.0)]);
    }
    for _ in 0..2 {
        assert_eq!(tape.gradient(v, u), 100_001.0);
    }
    let within = tape.position();
    tape.linear(&[(v, 1.0)]);
    ok(tape.reset_to(&within));
    tape.recover(nest)
}

#[test]
#[allow(clippy::undocumented_unsafe_blocks, clippy::type_complexity)] // the tape is live in all of them
fn callback_cannot_pull_the_tape_from_under_its_sweep() {
    let deeds: [(&str, fn(&Deed) -> i32, i32); 10] = [
        ("reset", |deed| unsafe { admpi_tape_reset(deed.tape) }, NEST),
        ("reset_to", |deed| unsafe { admpi_tape_reset_to(deed.tape, &deed.bottom) }, RANGE),
        ("recover", |deed| unsafe { admpi_tape_recover_nested(deed.tape, deed.outer) }, NEST),
        ("width", |deed| unsafe { admpi_tape_set_width(deed.tape, 16) }, NEST),
        ("reverse", |deed| unsafe { admpi_tape_reverse(deed.tape) }, NEST),
        (
            "range",
            |deed| unsafe {
                let mut top = Position::default();
                ok(admpi_tape_position(deed.tape, &mut top));
                admpi_tape_reverse_range(deed.tape, &top, &deed.bottom)
            },
            NEST,
        ),
        ("clear", |deed| unsafe { admpi_tape_clear_adjoints(deed.tape) }, NEST),
        ("trim", |deed| unsafe { admpi_tape_trim(deed.tape) }, 0),
        (
            "free",
            |deed| unsafe {
                admpi_tape_free(deed.tape);
                if message().contains("sweep") { NEST } else { 0 }
            },
            NEST,
        ),
        ("nest", nest_and_sweep, 0),
    ];
    for nested in [false, true] {
        for (name, act, expected) in deeds {
            let tape = recording();
            let first = tape.input(1.0);
            let outer = if nested { tape.nest(0) } else { NestToken { token: 0 } };
            if !nested && name == "recover" {
                continue;
            }
            let bottom = tape.position();
            let x = tape.input(1.0);
            let y = tape.linear(&[(x, 2.0), (first, 1.0)]);
            let mut deed = Deed { tape: tape.0, act, bottom, outer, status: -1 };
            let z = tape.callback(y, Some(misbehave), (&raw mut deed).cast());
            let w = tape.linear(&[(z, 3.0), (y, 1.0)]);
            for sweep in 1..=2 {
                tape.seed(w, 1.0, 0);
                ok(tape.reverse());
                assert_eq!(deed.status, expected, "{name}, nested {nested}: {}", message());
                assert_eq!(tape.adjoint(x, 0), 62.0 * f64::from(sweep), "{name}");
            }
            if nested {
                ok(tape.recover(outer));
            }
            // SAFETY: a live tape.
            ok(unsafe { admpi_tape_reset(tape.0) });
        }
    }
}

#[test]
fn seeds_given_within_a_sweep_can_be_cleared() {
    let tape = recording();
    let x = tape.input(1.0);
    let y = tape.linear(&[(x, 2.0)]);
    fn act(deed: &Deed) -> i32 {
        let y = Var { value: 1.0, id: deed.bottom.id, tag: deed.bottom.tag };
        // SAFETY: the tape of the test.
        unsafe { admpi_tape_seed(deed.tape, y, 1.0, 0) }
    }
    let mut deed = Deed {
        tape: tape.0,
        act,
        bottom: tape.position(),
        outer: NestToken { token: 0 },
        status: -1,
    };
    // The callback's own result, which the sweep has taken already.
    let z = tape.callback(y, Some(misbehave), (&raw mut deed).cast());
    assert_eq!(tape.gradient(z, x), 20.0);
    assert_eq!(deed.status, 0);
    // SAFETY: a live tape.
    ok(unsafe { admpi_tape_clear_adjoints(tape.0) });
    assert_eq!(tape.adjoint(z, 0), 0.0);
    assert_eq!(tape.gradient(z, x), 20.0);
}

unsafe extern "C-unwind" fn refuse(
    _: i64,
    _: i64,
    _: i32,
    _: *const f64,
    _: *mut f64,
    _: *mut c_void,
) -> i32 {
    7
}

#[test]
fn tape_serves_on_after_a_callback_has_failed() {
    let tape = recording();
    let x = tape.input(1.0);
    let y = tape.linear(&[(x, 2.0)]);
    let here = tape.position();
    let z = tape.callback(y, Some(refuse), std::ptr::null_mut());
    tape.seed(z, 1.0, 0);
    assert_eq!(tape.reverse(), CALLBACK);
    assert!(message().contains('7'), "{}", message());
    ok(tape.reset_to(&here));
    assert_eq!(tape.gradient(y, x), 2.0);
    // SAFETY: a live tape.
    ok(unsafe { admpi_tape_set_width(tape.0, 2) });
    assert_eq!(tape.gradient(y, x), 2.0);
}

struct Witness {
    tape: *mut Cursors,
    calls: i32,
    status: i32,
}

unsafe extern "C-unwind" fn meddle(payload: *mut c_void) {
    // SAFETY: the test's payload and tape.
    unsafe {
        let witness = &mut *payload.cast::<Witness>();
        witness.calls += 1;
        witness.status = admpi_tape_on_recover(witness.tape, Some(meddle), payload);
        for status in [
            admpi_tape_reset(witness.tape),
            admpi_tape_stop(witness.tape),
            admpi_tape_position(witness.tape, &mut Position::default()),
        ] {
            assert_eq!(status, witness.status);
        }
        admpi_tape_free(witness.tape);
    }
}

#[test]
fn destructors_cannot_use_the_tape_that_runs_them() {
    let tape = recording();
    let here = tape.position();
    let mut witness = Witness { tape: tape.0, calls: 0, status: 0 };
    let payload: *mut c_void = (&raw mut witness).cast();
    // SAFETY: a live tape, and a payload that outlives it.
    unsafe {
        ok(admpi_tape_on_recover(tape.0, Some(meddle), payload));
        ok(admpi_tape_on_recover(tape.0, Some(meddle), payload));
        ok(tape.reset_to(&here));
        assert_eq!((witness.calls, witness.status), (2, NEST));
        ok(admpi_tape_on_recover(tape.0, Some(meddle), payload));
        ok(admpi_tape_reset(tape.0));
        assert_eq!(witness.calls, 3);
        ok(admpi_tape_on_recover(tape.0, Some(meddle), payload));
        drop(tape);
        assert_eq!(witness.calls, 4);
    }
}

#[test]
fn absurd_counts_are_refused_before_memory_is_touched() {
    let tape = recording();
    let x = tape.input(1.0);
    let mut y = [Var::default(); 1];
    let mut adjoint = [0.0];
    // SAFETY: the counts are refused.
    unsafe {
        for n in [i64::MAX, i64::MAX / 16 + 1, i64::MIN, -1] {
            let codes = [
                admpi_tape_input(tape.0, [1.0].as_ptr(), n, y.as_mut_ptr()),
                admpi_tape_adjoints(tape.0, &x, n, 0, adjoint.as_mut_ptr()),
                admpi_tape_precomputed(tape.0, 1.0, &x, [1.0].as_ptr(), n, y.as_mut_ptr()),
                admpi_tape_callback(
                    tape.0,
                    &x,
                    n,
                    [1.0].as_ptr(),
                    1,
                    Some(refuse),
                    std::ptr::null(),
                    0,
                    y.as_mut_ptr(),
                ),
                admpi_tape_callback(
                    tape.0,
                    &x,
                    1,
                    [1.0].as_ptr(),
                    n,
                    Some(refuse),
                    std::ptr::null(),
                    0,
                    y.as_mut_ptr(),
                ),
            ];
            assert_eq!(codes, [ARGUMENT; 5], "n = {n}");
        }
        // A position that no tape gave out.
        for position in [
            Position::default(),
            Position { id: 1, tag: u32::MAX, ..Position::default() },
            Position {
                argument: u64::MAX,
                payload: u64::MAX,
                statement: 5,
                id: 9,
                event: 3,
                tag: x.tag,
            },
        ] {
            assert_eq!(tape.reset_to(&position), RANGE, "{}", message());
            assert_eq!(admpi_tape_reverse_range(tape.0, &tape.position(), &position), RANGE);
        }
    }
    assert_eq!(tape.gradient(x, x), 1.0);
    // The bottom of any tape.
    ok(tape.reset_to(&Position { id: 1, ..Position::default() }));
    let x = tape.input(1.0);
    assert_eq!(tape.gradient(x, x), 1.0);
}

#[test]
fn adjoints_are_written_all_or_not_at_all() {
    let tape = recording();
    let x = tape.input(1.0);
    let other = recording();
    let foreign = other.input(1.0);
    let mut adjoint = [5.0, 5.0];
    // SAFETY: two elements.
    let code =
        unsafe { admpi_tape_adjoints(tape.0, [x, foreign].as_ptr(), 2, 0, adjoint.as_mut_ptr()) };
    assert_eq!(code, 6);
    assert!(message().contains("x[1]"), "{}", message());
    assert_eq!(adjoint, [5.0, 5.0]);
}
