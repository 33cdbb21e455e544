//! The tape from Rust: recording and sweeping statements and callbacks. Each figure is printed as a ratio to
//! a plain loop over as many bytes, measured in the same run.

// Benchmark sizes are small constants.
#![allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

use admpi::capi::tape::*;
use admpi::tape::{Cursors, Var};
use criterion::{Criterion, criterion_group, criterion_main};
use std::ffi::c_void;
use std::hint::black_box;
use std::time::Duration;

const STATEMENTS: usize = 1 << 20;

fn ok(code: i32) {
    assert_eq!(code, 0);
}

/// A recording tape of `STATEMENTS` statements of `n` arguments each, the values nearest before them.
fn recorded(n: usize, width: i32) -> (*mut Cursors, Var, Var) {
    let mut tape = std::ptr::null_mut();
    let mut x = Var::default();
    // SAFETY: a live tape and arrays of the sizes given.
    unsafe {
        ok(admpi_tape_new(&mut tape));
        ok(admpi_tape_start(tape));
        ok(admpi_tape_set_width(tape, width));
        ok(admpi_tape_input(tape, &0.5, 1, &mut x));
        let y = record(tape, x, n);
        (tape, x, y)
    }
}

/// # Safety
/// `tape` is live.
unsafe fn record(tape: *mut Cursors, x: Var, n: usize) -> Var {
    let mut last = vec![x; n];
    let partials = vec![1.0 / n as f64; n];
    let mut y = x;
    for i in 0..STATEMENTS {
        // SAFETY: `n` operands and partials.
        ok(unsafe {
            admpi_tape_precomputed(tape, 0.5, last.as_ptr(), partials.as_ptr(), n as i64, &mut y)
        });
        last[i % n] = y;
    }
    y
}

fn sweeps(c: &mut Criterion) {
    let mut group = c.benchmark_group("sweep");
    for (n, width) in [(1, 1), (2, 1), (6, 1), (2, 4), (2, 16)] {
        let (tape, x, y) = recorded(n, width);
        group.bench_function(format!("{n} arguments, width {width}"), |b| {
            b.iter(|| {
                // SAFETY: a live tape.
                unsafe {
                    for k in 0..width {
                        ok(admpi_tape_seed(tape, y, 1.0, k));
                    }
                    ok(admpi_tape_reverse(tape));
                }
            });
        });
        let mut adjoint = 0.0;
        // SAFETY: a live tape, freed here.
        unsafe {
            ok(admpi_tape_seed(tape, y, 1.0, 0));
            ok(admpi_tape_reverse(tape));
            ok(admpi_tape_adjoint(tape, x, 0, &mut adjoint));
            assert!(adjoint.is_finite() && adjoint != 0.0, "the sweep moved something");
            admpi_tape_free(tape);
        }
        // What a sweep reads and writes: 12 bytes an argument, one a statement, adjoints of the width.
        let words = STATEMENTS * (12 * n + 1 + 16 * width as usize) / 8;
        let mut data = vec![1.0f64; words];
        group.bench_function(format!("{n} arguments, width {width}, plain loop"), |b| {
            b.iter(|| {
                for x in &mut data {
                    *x *= 1.0 + f64::EPSILON;
                }
                black_box(&data);
            });
        });
    }
    group.finish();
}

/// Statements whose adjoints are zero but for one in a thousand, over a read of what a sweep must look at.
fn sparse_sweeps(c: &mut Criterion) {
    let mut group = c.benchmark_group("sparse");
    for (n, width) in [(1, 1), (3, 1), (3, 4)] {
        let mut tape = std::ptr::null_mut();
        let mut x = Var::default();
        let partials = vec![0.5; n];
        let mut used = Vec::new();
        // SAFETY: a live tape and arrays of the sizes given.
        unsafe {
            ok(admpi_tape_new(&mut tape));
            ok(admpi_tape_start(tape));
            ok(admpi_tape_set_width(tape, width));
            ok(admpi_tape_input(tape, &0.5, 1, &mut x));
            for i in 0..STATEMENTS {
                let mut y = x;
                let operands = vec![x; n];
                ok(admpi_tape_precomputed(
                    tape,
                    0.5,
                    operands.as_ptr(),
                    partials.as_ptr(),
                    n as i64,
                    &mut y,
                ));
                if i % 1000 == 0 {
                    used.push(y);
                }
            }
        }
        group.bench_function(format!("{n} arguments, width {width}"), |b| {
            b.iter(|| {
                // SAFETY: a live tape.
                unsafe {
                    for y in &used {
                        ok(admpi_tape_seed(tape, *y, 1.0, 0));
                    }
                    ok(admpi_tape_reverse(tape));
                }
            });
        });
        // SAFETY: used no more.
        unsafe { admpi_tape_free(tape) };
        let data = vec![0u64; STATEMENTS * width as usize + STATEMENTS / 8];
        group.bench_function(format!("{n} arguments, width {width}, plain loop"), |b| {
            b.iter(|| black_box(&data).iter().fold(0, |bits, word| bits | word));
        });
    }
    group.finish();
}

/// Passes the adjoints on.
unsafe extern "C-unwind" fn identity(
    n_out: i64,
    _: i64,
    width: i32,
    out: *const f64,
    into: *mut f64,
    _: *mut c_void,
) -> i32 {
    // SAFETY: as many operands as results.
    unsafe { std::ptr::copy_nonoverlapping(out, into, n_out as usize * width as usize) };
    0
}

fn callbacks(c: &mut Criterion) {
    let mut group = c.benchmark_group("callback");
    for n in [1usize, 1000] {
        let mut tape: *mut Cursors = std::ptr::null_mut();
        let values = vec![0.5; n];
        let mut x = vec![Var::default(); n];
        let count = (1 << 20) / n.max(16);
        // SAFETY: a live tape from here on.
        ok(unsafe { admpi_tape_new(&mut tape) });
        // SAFETY: a live tape and arrays of `n`.
        let callback = |tape: *mut Cursors, x: &mut [Var]| unsafe {
            let n = n as i64;
            let (from, into) = (x.as_ptr(), x.as_mut_ptr());
            ok(admpi_tape_callback(
                tape,
                from,
                n,
                values.as_ptr(),
                n,
                Some(identity),
                std::ptr::null(),
                0,
                into,
            ));
        };
        group.bench_function(format!("{n} values, record and sweep"), |b| {
            b.iter(|| {
                // SAFETY: a live tape and arrays of `n`.
                unsafe {
                    ok(admpi_tape_reset(tape));
                    ok(admpi_tape_start(tape));
                    ok(admpi_tape_input(tape, values.as_ptr(), n as i64, x.as_mut_ptr()));
                    for _ in 0..count {
                        callback(tape, &mut x);
                    }
                    ok(admpi_tape_seed(tape, x[0], 1.0, 0));
                    ok(admpi_tape_reverse(tape));
                }
            });
        });
        // Per callback: values copied with their ids, adjoints taken, passed on, added.
        let (from, mut into) = (vec![1.0f64; 7 * n], vec![0.0f64; 7 * n]);
        group.bench_function(format!("{n} values, record and sweep, plain loop"), |b| {
            b.iter(|| {
                for _ in 0..count {
                    for (into, from) in into.iter_mut().zip(black_box(&from)) {
                        *into += from;
                    }
                    black_box(&into);
                }
            });
        });
        // SAFETY: used no more.
        unsafe { admpi_tape_free(tape) };
    }
    group.finish();
}

/// The median of a benchmark, from criterion's own files.
fn median(directory: &std::path::Path) -> Option<f64> {
    let text = std::fs::read_to_string(directory.join("new/estimates.json")).ok()?;
    let (_, rest) = text.split_once("\"median\"")?;
    let (_, rest) = rest.split_once("\"point_estimate\":")?;
    rest.split([',', '}']).next()?.trim().parse().ok()
}

fn ratios(_: &mut Criterion) {
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    println!("\n{:40} {:>8}", "median over its plain loop", "ratio");
    for group in ["sweep", "sparse", "callback"] {
        let root = std::path::Path::new(&target).join("criterion").join(group);
        let mut names: Vec<_> = std::fs::read_dir(&root).into_iter().flatten().flatten().collect();
        names.sort_by_key(std::fs::DirEntry::file_name);
        for entry in names {
            let name = entry.file_name().to_string_lossy().into_owned();
            let plain = median(&root.join(format!("{name}, plain loop")));
            if let (Some(time), Some(plain)) = (median(&entry.path()), plain) {
                println!("{:40} {:8.2}", format!("{group}: {name}"), time / plain);
            }
        }
    }
}

criterion_group! {
    name = tape;
    config = Criterion::default()
        .sample_size(15)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = sweeps, sparse_sweeps, callbacks, ratios
}
criterion_main!(tape);
