//! A panic in a job, of which only the library itself or a function in Rust is capable, is a failure as any other.

use admpi::capi::map::*;
use admpi::capi::tape::*;
use admpi::tape::{Cursors, TAPE_ABI, Var};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

const PANIC: i32 = 14;
const JOBS: usize = 9;
const N: i64 = 9;

fn text(message: *const c_char) -> String {
    // SAFETY: a C string.
    unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()
}

#[track_caller]
fn ok(code: i32) {
    assert_eq!(code, 0, "{}", text(admpi_last_error()));
}

/// Makes a tape the current one; the one before.
fn activate(tape: *mut Cursors) -> *mut Cursors {
    let mut previous = null_mut();
    // SAFETY: live tapes, of this thread.
    ok(unsafe { admpi_detail_tape_activate(tape, TAPE_ABI, &mut previous) });
    previous
}

/// y = shared * job; a panic where the job's parameter is negative, after that has been recorded.
unsafe extern "C-unwind" fn product(
    shared: *const Var,
    _: i64,
    job: *const Var,
    _: i64,
    _: *const f64,
    _: i64,
    _: *const i32,
    _: i64,
    y: *mut Var,
    _: i64,
    _: *mut c_void,
) -> i32 {
    let tape = activate(null_mut());
    activate(tape);
    // SAFETY: a value each.
    let (shared, job) = unsafe { (*shared, *job) };
    let (operands, partials) = ([shared, job], [job.value, shared.value]);
    let value = shared.value * job.value;
    // SAFETY: the job's tape, and arrays of two.
    ok(unsafe { admpi_tape_precomputed(tape, value, operands.as_ptr(), partials.as_ptr(), 2, y) });
    assert!(job.value >= 0.0, "the dose is {}", job.value);
    0
}

/// Runs the jobs on a tape: the call's code, and the derivatives of the sum of the results.
fn run(map: *mut admpi_map, function: i32, dose: [f64; JOBS]) -> (i32, f64, [f64; JOBS]) {
    let (mut tape, mut shared, mut job) = (null_mut(), Var::default(), [Var::default(); JOBS]);
    let mut y = [Var { value: -7.0, ..Var::default() }; JOBS];
    let (mut by_shared, mut by_job) = (0.0, [0.0; JOBS]);
    // SAFETY: live handles, and arrays of the sizes that are given.
    unsafe {
        ok(admpi_tape_new(&mut tape));
        let previous = activate(tape);
        ok(admpi_tape_start(tape));
        ok(admpi_tape_input(tape, &2.0, 1, &mut shared));
        ok(admpi_tape_input(tape, dose.as_ptr(), N, job.as_mut_ptr()));
        let call = admpi_map_call {
            function,
            data: admpi_map_data { id: 0, generation: 0 },
            jobs: N,
            shared: &shared,
            n_shared: 1,
            job: job.as_ptr(),
            n_job: N,
            job_end: std::ptr::null(),
            n_y: N,
            y_end: std::ptr::null(),
        };
        let code = admpi_map_run(map, &call, y.as_mut_ptr());
        for (y, dose) in y.iter().zip(dose) {
            assert_eq!(y.value, if code == 0 { 2.0 * dose } else { -7.0 });
            assert_eq!(y.id != 0, code == 0);
            ok(admpi_tape_seed(tape, *y, 1.0, 0));
        }
        ok(admpi_tape_reverse(tape));
        ok(admpi_tape_adjoint(tape, shared, 0, &mut by_shared));
        ok(admpi_tape_adjoints(tape, job.as_ptr(), N, 0, by_job.as_mut_ptr()));
        activate(previous);
        admpi_tape_free(tape);
        (code, by_shared, by_job)
    }
}

/// Jobs that panic are failures, each followed by a call that works. The ranks whose jobs did.
fn panics_are_failures(map: *mut admpi_map, function: i32) -> Vec<i32> {
    (0..JOBS)
        .map(|bad| {
            let mut dose = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
            (dose[bad], dose[JOBS - 1]) = (-3.0, -3.0);
            assert_eq!(run(map, function, dose).0, PANIC);
            let mut failure =
                admpi_map_failure { job: 0, rank: 0, code: 7, text: std::ptr::null() };
            let told = text(admpi_last_error());
            // SAFETY: room for it.
            ok(unsafe { admpi_map_last_failure(&mut failure) });
            assert_eq!((failure.job, failure.code), (i64::try_from(bad).unwrap(), 0));
            assert_eq!(text(failure.text), "panic: the dose is -3");
            let rank = failure.rank;
            assert_eq!(told, format!("job {bad} on rank {rank}: panic: the dose is -3"));
            (dose[bad], dose[JOBS - 1]) = (0.5, 0.5);
            assert_eq!(run(map, function, dose), (0, dose.iter().sum(), [2.0; JOBS]));
            rank
        })
        .collect()
}

fn registered() -> i32 {
    let mut function = 0;
    // SAFETY: a string, and a function without context.
    ok(unsafe {
        admpi_map_register(c"product".as_ptr(), Some(product), null_mut(), &mut function)
    });
    function
}

#[test]
fn a_panic_in_a_job_is_a_failure_and_the_next_call_works() {
    let function = registered();
    for (backend, threads) in [(ADMPI_MAP_SERIAL, 1), (ADMPI_MAP_THREADS, 3)] {
        let mut map = null_mut();
        // SAFETY: a handle that lives as long as it is used.
        unsafe {
            ok(admpi_map_new(backend, threads, &mut map));
            assert_eq!(panics_are_failures(map, function), [0; JOBS]);
            admpi_map_free(map);
        }
    }
    ok(admpi_map_unregister(function));
}

#[cfg(feature = "mpi")]
mod ranks {
    use super::*;
    use admpi::capi::map_service::{admpi_map_new_mpi, admpi_map_serve};
    use mpi_sys::{MPI_Comm_rank, MPI_Comm_size, MPI_Finalize, MPI_Init, RSMPI_COMM_WORLD};
    use std::env;
    use std::path::PathBuf;
    use std::process::Command;
    use std::time::{Duration, Instant};

    const RANKS: i32 = 3;

    /// Of the MPI that the crate was built with: MPIEXEC, or what lies beside the compiler wrapper MPICC.
    fn launcher() -> PathBuf {
        let wrapper = PathBuf::from(env::var_os("MPICC").unwrap_or_else(|| "mpicc".into()));
        let name = wrapper.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = wrapper.with_file_name(name.replace("mpicc", "mpiexec"));
        env::var_os("MPIEXEC").map_or(beside, PathBuf::from)
    }

    #[test]
    fn a_panic_on_a_worker_is_a_failure_and_the_next_call_works() {
        let mut launched = Command::new(launcher())
            .args(["-n", &RANKS.to_string()])
            .arg(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "ranks::one_of_them"])
            .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env("ADMPI_TEST_RANKS", RANKS.to_string())
            .spawn()
            .unwrap_or_else(|error| panic!("{} (set MPIEXEC): {error}", launcher().display()));
        let end = Instant::now() + Duration::from_secs(120);
        let status = loop {
            if let Some(status) = launched.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > end {
                // The launcher ends the ranks, which it could not if it were killed.
                // SAFETY: the process has not been waited for.
                unsafe { libc::kill(launched.id().cast_signed(), libc::SIGTERM) };
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(status.success(), "{status}");
    }

    #[test]
    #[ignore = "mpiexec runs it, for the test above"]
    fn one_of_them() {
        if env::var_os("ADMPI_TEST_RANKS").is_none() {
            return;
        }
        let function = registered();
        let (mut rank, mut size, mut map) = (0, 0, null_mut());
        // SAFETY: MPI as it is to be used, and a handle that lives as long as it is used.
        unsafe {
            MPI_Init(null_mut(), null_mut());
            let world = RSMPI_COMM_WORLD;
            MPI_Comm_rank(world, &mut rank);
            MPI_Comm_size(world, &mut size);
            assert_eq!(size, RANKS);
            if rank == 0 {
                ok(admpi_map_new_mpi(world, ADMPI_MAP_MPI, 1, &mut map));
                assert!(panics_are_failures(map, function).into_iter().any(|rank| rank != 0));
                admpi_map_free(map);
            } else {
                ok(admpi_map_serve(world));
            }
            ok(admpi_map_unregister(function));
            MPI_Finalize();
        }
    }
}
