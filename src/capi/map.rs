//! The C interface of maps: one function on many independent jobs. `include/admpi/map.h` is generated from this file.

use super::{array, array_mut, entry, free, get, give, give_handle, null, put};
use crate::count::{as_c, from_c};
use crate::error::{Code, Error, Result};
use crate::map::{self, Call, Choice, Map, Parts, Second, Source};
use crate::tape::{JobFunction, Var as admpi_var};
use std::ffi::{CStr, c_char, c_void};

/// The choice of the environment: ADMPI_MAP=serial, threads, mpi or mpi+threads. Without it the ranks of the map's
/// communicator, or the calling thread if the map has no communicator.
pub const ADMPI_MAP_DEFAULT: i32 = 0;
/// The calling thread.
pub const ADMPI_MAP_SERIAL: i32 = 1;
/// Threads of this process.
pub const ADMPI_MAP_THREADS: i32 = 2;
/// The ranks of the map's communicator.
pub const ADMPI_MAP_MPI: i32 = 3;
/// Threads on each of those ranks.
pub const ADMPI_MAP_MPI_THREADS: i32 = 4;

/// The function of one job. It runs on a tape of the library, on which the parameters are inputs. It may use all of admpi,
/// also maps, which then run serially. Its results may depend on no active values except its arguments. While it runs,
/// calls on the tape of the map's caller return ADMPI_ERR_NEST. It may run on several threads at once, and must not throw.
/// @param shared    `n_shared` values, the same for all jobs
/// @param n_shared  how many
/// @param job       `n_job` values of this job
/// @param n_job     how many
/// @param x_r       `n_r` doubles of this job's data
/// @param n_r       how many
/// @param x_i       `n_i` integers of this job's data
/// @param n_i       how many
/// @param[out] y    `n_y` results; passive zeros on entry
/// @param n_y       how many
/// @param ctx       the context given to admpi_map_register
/// @return 0, or any other number: the map fails with ADMPI_ERR_CALLBACK; admpi_map_fail says why
#[allow(non_camel_case_types)]
pub type admpi_map_fn = Option<
    unsafe extern "C-unwind" fn(
        shared: *const admpi_var,
        n_shared: i64,
        job: *const admpi_var,
        n_job: i64,
        x_r: *const f64,
        n_r: i64,
        x_i: *const i32,
        n_i: i64,
        y: *mut admpi_var,
        n_y: i64,
        ctx: *mut c_void,
    ) -> i32,
>;

/// Who does the jobs, and measured times of earlier jobs. Opaque.
#[allow(non_camel_case_types)]
pub struct admpi_map(pub(super) Map);

/// A handle of data; {0, 0} means no data. Every update makes a new generation, and the old handle is refused.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct admpi_map_data {
    pub id: u32,
    pub generation: u32,
}

laid_out!(admpi_map_data, admpi_map_data);

/// The contents of data. `r_end[i]` is where the doubles of job i end in x_r, ascending; the last is n_r. NULL: each job has
/// n_r/jobs doubles. The same holds for i_end.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct admpi_map_values {
    /// Number of jobs. 0: any number of jobs, which have shared data only.
    pub jobs: i64,
    /// `n_r` doubles, job by job.
    pub x_r: *const f64,
    pub n_r: i64,
    /// `jobs` ends, or NULL.
    pub r_end: *const i64,
    /// `n_i` integers, job by job.
    pub x_i: *const i32,
    pub n_i: i64,
    /// `jobs` ends, or NULL.
    pub i_end: *const i64,
    /// `n_shared_r` doubles for all jobs: admpi_map_shared_r.
    pub shared_r: *const f64,
    pub n_shared_r: i64,
    /// `n_shared_i` integers for all jobs: admpi_map_shared_i.
    pub shared_i: *const i32,
    pub n_shared_i: i64,
}

laid_out!(admpi_map_values, admpi_map_values);

/// A function and its parameters. `job_end[i]` is where the parameters of job i end in job, ascending; the last is n_job.
/// NULL: each job has n_job/jobs parameters. The same holds for y_end and the results.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct admpi_map_call {
    /// The number from admpi_map_register.
    pub function: i32,
    /// {0, 0}: no data.
    pub data: admpi_map_data,
    /// Number of jobs.
    pub jobs: i64,
    /// `n_shared` values.
    pub shared: *const admpi_var,
    pub n_shared: i64,
    /// `n_job` values, job by job.
    pub job: *const admpi_var,
    pub n_job: i64,
    /// `jobs` ends, or NULL.
    pub job_end: *const i64,
    /// Results of all jobs.
    pub n_y: i64,
    /// `jobs` ends, or NULL.
    pub y_end: *const i64,
}

laid_out!(admpi_map_call, admpi_map_call);

/// Why a map failed.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct admpi_map_failure {
    /// The first job that failed; -1: no job caused the failure.
    pub job: i64,
    /// Where it ran: a rank of the map's communicator; 0 without one.
    pub rank: i32,
    /// What the function returned; 0 if it did not return an error itself.
    pub code: i32,
    /// The text given to admpi_map_fail, or the library's message. Valid until the thread's next failing call of a map.
    pub text: *const c_char,
}

laid_out!(admpi_map_failure, admpi_map_failure);

/// Parts of an array of `n` elements.
///
/// # Safety
/// `ends` is NULL or points to `jobs` numbers.
unsafe fn parts<'a>(name: &str, n: usize, jobs: usize, ends: *const i64) -> Result<Parts<'a>> {
    // SAFETY: the caller's promise.
    let ends = unsafe { (!ends.is_null()).then(|| array(name, ends, jobs)).transpose()? };
    Parts::new(name, n, jobs, ends)
}

/// # Safety
/// `values` is NULL or points to a structure that is filled in as its documentation says.
unsafe fn source<'a>(values: *const admpi_map_values) -> Result<Source<'a>> {
    // SAFETY: the caller's promise.
    unsafe {
        let values = get("values", values)?;
        let jobs = from_c("values.jobs", values.jobs)?;
        let x_r = array("values.x_r", values.x_r, from_c("values.n_r", values.n_r)?)?;
        let x_i = array("values.x_i", values.x_i, from_c("values.n_i", values.n_i)?)?;
        let n_shared_r = from_c("values.n_shared_r", values.n_shared_r)?;
        let n_shared_i = from_c("values.n_shared_i", values.n_shared_i)?;
        Ok(Source {
            jobs,
            x_r,
            r: parts("r", x_r.len(), jobs, values.r_end)?,
            x_i,
            i: parts("i", x_i.len(), jobs, values.i_end)?,
            shared_r: array("values.shared_r", values.shared_r, n_shared_r)?,
            shared_i: array("values.shared_i", values.shared_i, n_shared_i)?,
        })
    }
}

/// The call, and the number of its results.
///
/// # Safety
/// `call` is NULL or points to a structure that is filled in as its documentation says.
unsafe fn call<'a>(call: *const admpi_map_call, sum: bool) -> Result<(Call<'a>, usize)> {
    // SAFETY: the caller's promise.
    unsafe {
        let call = get("call", call)?;
        let jobs = from_c("call.jobs", call.jobs)?;
        let shared = array("call.shared", call.shared, from_c("call.n_shared", call.n_shared)?)?;
        let job = array("call.job", call.job, from_c("call.n_job", call.n_job)?)?;
        let n_y = from_c("call.n_y", call.n_y)?;
        if sum && !call.y_end.is_null() {
            return Err(Error::new(
                Code::Argument,
                "call.y_end is not NULL: a sum has n_y results",
            ));
        }
        let y_parts = if sum { Parts::Equal(n_y) } else { parts("y", n_y, jobs, call.y_end)? };
        let made = Call {
            function: call.function,
            data: handle(call.data),
            jobs,
            shared,
            job,
            job_parts: parts("job", job.len(), jobs, call.job_end)?,
            y_parts,
        };
        Ok((made, n_y))
    }
}

/// The call and its results, of which admpi_map_last_failure tells what is wrong.
///
/// # Safety
/// As for `call`, and `y_out` is NULL or has room for that number of results.
unsafe fn arguments<'a>(
    call: *const admpi_map_call,
    sum: bool,
    y_out: *mut admpi_var,
) -> Result<(Call<'a>, &'a mut [admpi_var])> {
    // SAFETY: the caller's promise.
    let made = unsafe {
        self::call(call, sum).and_then(|(call, n)| Ok((call, array_mut("y_out", y_out, n)?)))
    };
    map::remember(made)
}

fn handle(data: admpi_map_data) -> map::DataHandle {
    map::DataHandle { id: data.id, generation: data.generation }
}

/// # Safety
/// `map` is NULL or live.
unsafe fn by<'a>(map: *const admpi_map) -> Option<&'a Map> {
    // SAFETY: the caller's promise.
    unsafe { map.as_ref() }.map(|map| &map.0)
}

/// The back end of a number.
pub(super) fn backend(backend: i32, threads: i32, ranks: bool) -> Result<Choice> {
    let n = usize::try_from(threads)
        .map_err(|_| Error::new(Code::Argument, format!("threads = {threads} is negative")))?;
    if !ranks && matches!(backend, ADMPI_MAP_MPI | ADMPI_MAP_MPI_THREADS) {
        let text = format!("backend = {backend}: the map has no workers on other ranks");
        return Err(Error::new(Code::Unsupported, text));
    }
    match backend {
        ADMPI_MAP_DEFAULT => Choice::from_environment(ranks, n),
        ADMPI_MAP_SERIAL => Ok(Choice::SERIAL),
        ADMPI_MAP_THREADS => Ok(Choice { ranks: false, threads: map::number_of_threads(n)? }),
        ADMPI_MAP_MPI => Ok(Choice { ranks: true, threads: 1 }),
        ADMPI_MAP_MPI_THREADS => Ok(Choice { ranks: true, threads: map::number_of_threads(n)? }),
        _ => Err(Error::new(
            Code::Argument,
            format!("backend = {backend} is not one of ADMPI_MAP_DEFAULT to ADMPI_MAP_MPI_THREADS"),
        )),
    }
}

/// Registers a function under a name, which identifies it on all ranks. All ranks register the functions that a map calls,
/// in any order, before the workers serve.
/// @param name               a name that no other function has
/// @param fn                 the function
/// @param ctx                its context, passed to every call; must live until the function is unregistered. NULL is fine
/// @param[out] function_out  the function's number in this process
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the name is taken)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_register(
    name: *const c_char,
    r#fn: admpi_map_fn,
    ctx: *mut c_void,
    function_out: *mut i32,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        if name.is_null() {
            return Err(null("name"));
        }
        let name = CStr::from_ptr(name).to_string_lossy();
        let function = r#fn.ok_or_else(|| null("fn"))?;
        put("function_out", function_out, || map::register(&name, JobFunction { function, ctx }))
    })
}

/// Frees the name of a function. No call may be using it on any rank.
/// @param function  of admpi_map_register
/// @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_map_unregister(function: i32) -> i32 {
    entry(|| map::unregister(function))
}

/// In a job: sets the text of the error that the job is about to return.
/// @param text  the text for admpi_map_last_failure; from other ranks only the first 1024 bytes. NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_fail(text: *const c_char) {
    if !text.is_null() {
        // SAFETY: as the C contract says.
        map::explain(&unsafe { CStr::from_ptr(text) }.to_string_lossy());
    }
}

/// In a job: returns the doubles that all jobs share.
/// @param[out] n_out  how many; may be NULL
/// @return the doubles, valid in this job; NULL outside of a job, or without data
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_shared_r(n_out: *mut i64) -> *const f64 {
    // SAFETY: as the C contract says.
    map::with_data(|data| unsafe { slice(data.map(|data| &data.shared_r[..]), n_out) })
}

/// In a job: returns the integers that all jobs share.
/// @param[out] n_out  how many; may be NULL
/// @return as admpi_map_shared_r
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_shared_i(n_out: *mut i64) -> *const i32 {
    // SAFETY: as the C contract says.
    map::with_data(|data| unsafe { slice(data.map(|data| &data.shared_i[..]), n_out) })
}

/// # Safety
/// `n_out` is NULL or may be written to.
unsafe fn slice<T>(values: Option<&[T]>, n_out: *mut i64) -> *const T {
    // SAFETY: the caller's promise.
    if let Some(n) = unsafe { n_out.as_mut() } {
        *n = as_c(values.map_or(0, <[T]>::len));
    }
    values.map_or(std::ptr::null(), <[T]>::as_ptr)
}

/// Returns the number of the job that the thread runs.
/// @return the number, or -1 outside of jobs
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_map_job() -> i64 {
    map::job().map_or(-1, as_c)
}

/// Makes a map that uses this process only. For workers on other ranks see admpi_map_new_mpi.
/// @param backend       ADMPI_MAP_DEFAULT, ADMPI_MAP_SERIAL or ADMPI_MAP_THREADS
/// @param threads       how many; 0: ADMPI_MAP_THREADS of the environment, or as many as there are cores
/// @param[out] map_out  the map; free it with admpi_map_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_UNSUPPORTED (a back end of other ranks)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_new(
    backend: i32,
    threads: i32,
    map_out: *mut *mut admpi_map,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("map_out", map_out), || {
            Ok(admpi_map(Map::new(self::backend(backend, threads, false)?, None)))
        })
    }
}

/// Changes who does the jobs.
/// @param map      the map
/// @param backend  as for admpi_map_new; with workers on other ranks also ADMPI_MAP_MPI and ADMPI_MAP_MPI_THREADS
/// @param threads  as for admpi_map_new
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_UNSUPPORTED (there are no workers on other ranks),
///         ADMPI_ERR_NEST (in a job)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_set_backend(
    map: *mut admpi_map,
    backend: i32,
    threads: i32,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let map = by(map).ok_or_else(|| null("map"))?;
        map.set_backend(|ranks| self::backend(backend, threads, ranks))
    })
}

/// Ends the service of a map's workers: their admpi_map_serve returns. The map continues in this process alone, where its
/// data stay valid. Does nothing without workers.
/// @param map  the map
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NEST (in a job), ADMPI_ERR_MPI (workers were lost)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_stop(map: *mut admpi_map) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { by(map).ok_or_else(|| null("map"))?.stop() })
}

/// Frees a map. Ends the service of its workers if it has not been stopped.
/// @param map  a map; the caller must not be in one of its jobs. NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_free(map: *mut admpi_map) {
    // SAFETY: as the C contract says.
    unsafe { free(map) };
}

/// Copies static data, and sends them to the map's workers.
/// @param map            the map whose jobs use them; maps of this process alone, and NULL, share their data
/// @param values         the data
/// @param[out] data_out  their handle; free them with admpi_map_data_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MEMORY (here, or on a worker), ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_data_new(
    map: *mut admpi_map,
    values: *const admpi_map_values,
    data_out: *mut admpi_map_data,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("data_out", data_out), || {
            let map::DataHandle { id, generation } = map::new_data(by(map), &source(values)?)?;
            Ok(admpi_map_data { id, generation })
        })
    }
}

/// Replaces the data of a handle. The shape may change. The old handle is refused from now on.
/// @param map            the map that the data were made with
/// @param data           the handle
/// @param values         the new data
/// @param[out] data_out  the new handle; may overwrite the old one
/// @return as admpi_map_data_new, and ADMPI_ERR_STALE (a handle of an earlier generation), ADMPI_ERR_MISMATCH (made with another
///         map, which has workers)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_data_update(
    map: *mut admpi_map,
    data: admpi_map_data,
    values: *const admpi_map_values,
    data_out: *mut admpi_map_data,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("data_out", data_out), || {
            let new = map::update_data(by(map), handle(data), &source(values)?)?;
            Ok(admpi_map_data { id: new.id, generation: new.generation })
        })
    }
}

/// Frees data, here and on the map's workers.
/// @param map   the map that the data were made with; also NULL if that map has been freed
/// @param data  the handle; {0, 0} is fine
/// @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (freed before), ADMPI_ERR_STALE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_data_free(
    map: *mut admpi_map,
    data: admpi_map_data,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| map::free_data(unsafe { by(map) }, handle(data)))
}

/// Runs all jobs. The results are active on the calling thread's tape, as one event for the whole call. If the tape does not
/// record, or no parameter is active, the results are passive and the jobs do not record.
/// @param map         the map; NULL: the calling thread does the jobs, as for every map inside a job
/// @param call        function and parameters
/// @param[out] y_out  `call->n_y` results, job by job; must not overlap the parameters. Unchanged on failure
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE (a parameter, or the data's generation),
///         ADMPI_ERR_MISMATCH (the data are for another number of jobs, or of another
///         map's workers), ADMPI_ERR_CALLBACK (a job failed:
///         admpi_map_last_failure), ADMPI_ERR_PANIC, ADMPI_ERR_THREAD, ADMPI_ERR_MPI, ADMPI_ERR_LIMIT, ADMPI_ERR_IDS,
///         ADMPI_ERR_MEMORY, or another error that occurred in a job
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_run(
    map: *mut admpi_map,
    call: *const admpi_map_call,
    y_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (call, y) = arguments(call, false, y_out)?;
        map::results(by(map), &call, y)
    })
}

/// Runs all jobs and adds up their results. As admpi_map_run, but only the sums are returned.
/// @param map         as for admpi_map_run
/// @param call        every job has `n_y` results; y_end is NULL
/// @param[out] y_out  `call->n_y` sums
/// @return as admpi_map_run
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_run_sum(
    map: *mut admpi_map,
    call: *const admpi_map_call,
    y_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (call, y) = arguments(call, true, y_out)?;
        map::sum(by(map), &call, y)
    })
}

/// Computes values, gradients and second derivatives of all results, as plain numbers. The function works on pairs: its
/// arrays have a value and a tangent for each parameter and each result of the call, so its `n_shared`, `n_job` and `n_y`
/// are twice as large. The tangents of its results must be the derivatives in the direction of the parameters' tangents.
/// @param map                the map
/// @param call               function and parameters, of which only the values count
/// @param[out] value_out     `n_y` doubles, or NULL
/// @param[out] gradient_out  for each result, job by job, d doubles: for the shared parameters, then those of its job; or NULL
/// @param[out] hessian_out   for each result d*d doubles, symmetric up to rounding; or NULL
/// @return as admpi_map_run
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_hessian(
    map: *mut admpi_map,
    call: *const admpi_map_call,
    value_out: *mut f64,
    gradient_out: *mut f64,
    hessian_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (call, n) = map::remember(self::call(call, false))?;
        let (n_gradient, n_hessian) = map::second_sizes(&call);
        let some = |name, pointer: *mut f64, n| {
            map::remember((!pointer.is_null()).then(|| array_mut(name, pointer, n)).transpose())
        };
        let out = Second {
            value: some("value_out", value_out, n)?,
            gradient: some("gradient_out", gradient_out, n_gradient)?,
            hessian: some("hessian_out", hessian_out, n_hessian)?,
        };
        map::hessians(by(map), &call, out)
    })
}

/// Describes the thread's last call of a map that failed.
/// @param[out] failure_out  job, rank, code and text
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_last_failure(failure_out: *mut admpi_map_failure) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("failure_out", failure_out), || {
            let (job, rank, code, text) = map::last_failure();
            Ok(admpi_map_failure { job: job.map_or(-1, as_c), rank, code, text })
        })
    }
}
