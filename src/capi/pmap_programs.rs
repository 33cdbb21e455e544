//! The C interface of functions on devices as data. `include/admpi/pmap_programs.h` is generated from this file.

use super::pmap::{admpi_device_map, put_text, text};
use super::{array, entry, free, get, give_handle, null, put};
use crate::count::{as_c, from_c};
use crate::error::{Code, Error, Result};
use crate::pmap::{Account, Function, Key, Keys, Sharding, Simulation, Topology};
use std::collections::BTreeMap;
use std::ffi::c_char;

/// A function of matrices on the devices of a map, as a text describes it. It never changes. Opaque.
#[allow(non_camel_case_types)]
pub struct admpi_pmap_program(pub(super) Function);

/// What a simulation of a function found. Opaque.
#[allow(non_camel_case_types)]
pub struct admpi_pmap_simulation(Simulation);

/// What devices and the lines between them can do. Local work takes launch + max(flops / F, bytes / W) seconds, a message
/// alpha + beta * bytes. What admpi_pmap_calibrate has measured takes the place of these formulas. Initialize it with zeros: fields may
/// be added.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct admpi_pmap_topology {
    /// F: floating-point operations per second.
    pub flops: f64,
    /// W: bytes per second that an operation reads and writes.
    pub bandwidth: f64,
    /// Seconds that an operation takes at least.
    pub launch: f64,
    /// Seconds of an empty message.
    pub alpha: f64,
    /// Seconds per byte of a message.
    pub beta: f64,
    /// Bytes of a device's memory; 0: not limited.
    pub memory: f64,
    /// Seconds in which all ranks agree, once before and once after a function; 0: none.
    pub agreement: f64,
    /// How many devices work at a time, where devices share cores; 0: all.
    pub cores: f64,
    /// Seconds of each kind of operation for square matrices of 1, 20, 90 and 400 rows: MatMul, Add, Subtract, Multiply, Transpose, Sum,
    /// Solve (of one column), ReLU, Exp, Log, Tanh, Sin, Cos, Sqrt, Square, Negate; and between two devices send, scatter by rows and
    /// by columns, broadcast, gather by rows and by columns, reduce, allreduce. Zeros: not measured.
    pub measured: [[f64; 4]; 24],
}

laid_out!(admpi_pmap_topology, admpi_pmap_topology);

/// What a device does in a simulation.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct admpi_pmap_account {
    /// Bytes of values that it sends.
    pub sent: i64,
    /// Bytes of values that it receives.
    pub received: i64,
    /// The most bytes of values that it has at a time.
    pub peak: i64,
    /// Floating-point operations.
    pub flops: i64,
    /// When it is done, in seconds.
    pub end: f64,
}

laid_out!(admpi_pmap_account, admpi_pmap_account);

/// Makes a function of a text, such as admpi_pmap_program_text writes. docs/pmap.md says what stands in it.
/// @param text              the text
/// @param[out] program_out  the function; free it with admpi_pmap_program_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (not such a text), ADMPI_ERR_ARITY, ADMPI_ERR_BADDEV,
///         ADMPI_ERR_PLACEMENT, ADMPI_ERR_SCOPE (a value that the body does not define, or defines twice), ADMPI_ERR_SHAPE,
///         ADMPI_ERR_UNBOUND, ADMPI_ERR_LIMIT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_program_new(
    text: *const c_char,
    program_out: *mut *mut admpi_pmap_program,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("program_out", program_out), || {
            Function::parse(self::text("text", text, None)?).map(admpi_pmap_program)
        })
    }
}

/// Frees a function.
/// @param program  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_program_free(program: *mut admpi_pmap_program) {
    // SAFETY: as the C contract says.
    unsafe { free(program) }
}

/// Writes a function as a text.
/// @param program        a function
/// @param capacity       room in text_out, in bytes
/// @param[out] text_out  the text and a zero byte, or its beginning, as far as there is room; NULL if capacity is 0
/// @param[out] n_out     bytes of the whole text, with the zero byte
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_program_text(
    program: *const admpi_pmap_program,
    capacity: i64,
    text_out: *mut c_char,
    n_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { put_text(&get("program", program)?.0.print()?, capacity, text_out, n_out) })
}

/// Counts what a function takes and gives.
/// @param program            a function
/// @param[out] n_inputs_out  how many matrices it takes
/// @param[out] n_values_out  how many it gives
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_program_count(
    program: *const admpi_pmap_program,
    n_inputs_out: *mut i64,
    n_values_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let Function { body, .. } = &get("program", program)?.0;
        if n_values_out.is_null() {
            return Err(null("n_values_out"));
        }
        put("n_inputs_out", n_inputs_out, || Ok(as_c(body.parameters.len())))?;
        n_values_out.write(as_c(body.returns.len()));
        Ok(())
    })
}

/// The names that `[d, dd]` has.
fn scope_of(text: &str) -> Result<Vec<String>> {
    let name = |key: Key| match key {
        Key::Variable(name) => Ok(name),
        Key::Device(device) => {
            let why = format!(
                "{device} is a number, where the name of a variable or of an input is needed"
            );
            Err(Error::new(Code::Scope, why))
        }
    };
    Keys::parse(text)?.0.into_iter().map(name).collect()
}

/// The inputs that `x=0, w=1` names, and how each is cut.
fn cuts_of(text: &str) -> Result<BTreeMap<String, usize>> {
    let dim = |(name, dim): (String, i64)| {
        let dim = usize::try_from(dim).unwrap_or(usize::MAX);
        (name, dim)
    };
    Ok(crate::pmap::Environment::parse(text)?.0.into_iter().map(dim).collect())
}

/// Shards one of a function's bodies: it runs on the devices of a node, with its inputs cut or copied and its results combined.
/// What is cut by rows or columns is gathered, sums of partial results are formed, and what all devices have is selected.
/// @param program           a function
/// @param scope             the variables of the pmaps that lead to the body, such as `[d]`; `[]`: the function itself
/// @param keys              the node, such as `[d]`. Nodes in the body that lie below the same keys move below the new variable
/// @param cuts              the inputs that are cut by rows (0) or columns (1), such as `x=0, w=1`; others are copied
/// @param reduce            0: partial results are summed on all devices of the node, of which the body's is one; else: on the
///                          body's device alone
/// @param[out] program_out  the function; free it with admpi_pmap_program_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_BADDEV, ADMPI_ERR_SCOPE (no such body or input),
///         ADMPI_ERR_SHAPE, ADMPI_ERR_UNBOUND, ADMPI_ERR_SHARDING: an operation cannot work on the parts; the message says which
///         and why
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_program_shard(
    program: *const admpi_pmap_program,
    scope: *const c_char,
    keys: *const c_char,
    cuts: *const c_char,
    reduce: i32,
    program_out: *mut *mut admpi_pmap_program,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("program_out", program_out), || {
            let scope = scope_of(text("scope", scope, None)?)?;
            let how = Sharding {
                scope: &scope,
                keys: Keys::parse(text("keys", keys, None)?)?,
                split: cuts_of(text("cuts", cuts, None)?)?,
                reduce: reduce != 0,
                until: &[],
            };
            get("program", program)?.0.shard(&how).map(admpi_pmap_program)
        })
    }
}

/// Shards the part of a body that makes some values; what follows stays on the body's device. So partial sums may be summed where an
/// operation needs all of them.
/// @param program           a function
/// @param scope             as for admpi_pmap_program_shard
/// @param keys              as for admpi_pmap_program_shard
/// @param cuts              as for admpi_pmap_program_shard
/// @param until             the values, such as `[z]`; the rest of the body may read them, and no others of the part
/// @param reduce            as for admpi_pmap_program_shard
/// @param[out] program_out  the function; free it with admpi_pmap_program_free
/// @return as admpi_pmap_program_shard; ADMPI_ERR_SCOPE also if an operation of the body makes no such value, or the rest reads
///         another value of the part
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_program_shard_until(
    program: *const admpi_pmap_program,
    scope: *const c_char,
    keys: *const c_char,
    cuts: *const c_char,
    until: *const c_char,
    reduce: i32,
    program_out: *mut *mut admpi_pmap_program,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("program_out", program_out), || {
            let scope = scope_of(text("scope", scope, None)?)?;
            let until = scope_of(text("until", until, None)?)?;
            let how = Sharding {
                scope: &scope,
                keys: Keys::parse(text("keys", keys, None)?)?,
                split: cuts_of(text("cuts", cuts, None)?)?,
                reduce: reduce != 0,
                until: &until,
            };
            get("program", program)?.0.shard(&how).map(admpi_pmap_program)
        })
    }
}

/// Shards a body by the hidden units: the second factors of its products that are inputs are cut by columns and rows in turn.
/// @param program           a function
/// @param scope             as for admpi_pmap_program_shard
/// @param keys              as for admpi_pmap_program_shard
/// @param reduce            as for admpi_pmap_program_shard
/// @param[out] program_out  the function; free it with admpi_pmap_program_free
/// @return as admpi_pmap_program_shard
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_program_horizontal(
    program: *const admpi_pmap_program,
    scope: *const c_char,
    keys: *const c_char,
    reduce: i32,
    program_out: *mut *mut admpi_pmap_program,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("program_out", program_out), || {
            let scope = scope_of(text("scope", scope, None)?)?;
            let keys = Keys::parse(text("keys", keys, None)?)?;
            let function = &get("program", program)?.0;
            function.horizontal_parallel(&scope, &keys, reduce != 0).map(admpi_pmap_program)
        })
    }
}

/// # Safety
/// `topology` is NULL or live.
unsafe fn topology_of(topology: *const admpi_pmap_topology) -> Topology {
    // SAFETY: the caller's promise.
    unsafe { topology.as_ref() }.map_or_else(Topology::default, |given| {
        let &admpi_pmap_topology { flops, bandwidth, launch, alpha, beta, memory, .. } = given;
        let &admpi_pmap_topology { agreement, cores, measured, .. } = given;
        Topology { flops, bandwidth, launch, alpha, beta, memory, agreement, cores, measured }
    })
}

/// Runs a function on a device map without data and without MPI.
/// @param program              a function
/// @param sizes                the extents of its names, such as `B=8, F=4`
/// @param map                  a device map
/// @param topology             what the devices can do; NULL: 1e9 operations and 1e10 bytes per second, 1 us to launch or to send,
///                             1 ns per byte sent
/// @param[out] simulation_out  what was found; free it with admpi_pmap_simulation_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_BADDEV, ADMPI_ERR_EMPTY, ADMPI_ERR_NOKEY,
///         ADMPI_ERR_DEPTH, ADMPI_ERR_OVERLAP (a body leads to devices that are not its own), ADMPI_ERR_PLACEMENT,
///         ADMPI_ERR_SHAPE, ADMPI_ERR_MEMCAP
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_simulate(
    program: *const admpi_pmap_program,
    sizes: *const c_char,
    map: *const admpi_device_map,
    topology: *const admpi_pmap_topology,
    simulation_out: *mut *mut admpi_pmap_simulation,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("simulation_out", simulation_out), || {
            let (function, map) = (&get("program", program)?.0, &get("map", map)?.0);
            let sizes = text("sizes", sizes, None)?;
            let found = function.simulate(sizes, map, topology_of(topology))?;
            Ok(admpi_pmap_simulation(found))
        })
    }
}

/// Chooses how to run a function on some devices. Simulates it as it is; with its inputs cut by rows; by hidden units; and both
/// within each other, on two devices or more. Gives the fastest that fits in memory.
/// @param program           a function that no transform has made parallel yet
/// @param sizes             as for admpi_pmap_simulate
/// @param inputs            the inputs that may be cut by rows, such as `[x]`
/// @param devices           `n_devices` devices that it may use
/// @param n_devices         how many, at least 1
/// @param topology          as for admpi_pmap_simulate
/// @param[out] program_out  the function of the plan; free it with admpi_pmap_program_free
/// @param[out] map_out      its device map; free it with admpi_device_map_free
/// @return as admpi_pmap_simulate; ADMPI_ERR_SHARDING, ADMPI_ERR_SCOPE, ADMPI_ERR_DUP: why the last way failed, if all did
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_plan(
    program: *const admpi_pmap_program,
    sizes: *const c_char,
    inputs: *const c_char,
    devices: *const i64,
    n_devices: i64,
    topology: *const admpi_pmap_topology,
    program_out: *mut *mut admpi_pmap_program,
    map_out: *mut *mut admpi_device_map,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let function = &get("program", program)?.0;
        if map_out.is_null() {
            return Err(null("map_out"));
        }
        let inputs = scope_of(text("inputs", inputs, None)?)?;
        let devices = array("devices", devices, from_c("n_devices", n_devices)?)?;
        put("program_out", program_out, || {
            let sizes = text("sizes", sizes, None)?;
            let plan = function.plan(sizes, devices, &inputs, topology_of(topology))?;
            map_out.write(Box::into_raw(Box::new(admpi_device_map(plan.map))));
            Ok(Box::into_raw(Box::new(admpi_pmap_program(plan.function))))
        })
    })
}

/// Writes why admpi_pmap_plan gives what it gives: a table with a line for each way, with its time in seconds or why it fails.
/// @param program        as for admpi_pmap_plan
/// @param sizes          as for admpi_pmap_plan
/// @param inputs         as for admpi_pmap_plan
/// @param devices        as for admpi_pmap_plan
/// @param n_devices      as for admpi_pmap_plan
/// @param topology       as for admpi_pmap_plan
/// @param capacity       room in text_out, in bytes
/// @param[out] text_out  the text and a zero byte, or its beginning, as far as there is room; NULL if capacity is 0
/// @param[out] n_out     bytes of the whole text, with the zero byte
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_EMPTY (no devices), ADMPI_ERR_DUP, ADMPI_ERR_SCOPE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_plan_table(
    program: *const admpi_pmap_program,
    sizes: *const c_char,
    inputs: *const c_char,
    devices: *const i64,
    n_devices: i64,
    topology: *const admpi_pmap_topology,
    capacity: i64,
    text_out: *mut c_char,
    n_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let function = &get("program", program)?.0;
        let inputs = scope_of(text("inputs", inputs, None)?)?;
        let devices = array("devices", devices, from_c("n_devices", n_devices)?)?;
        let sizes = text("sizes", sizes, None)?;
        let table = function.plan_table(sizes, devices, &inputs, topology_of(topology))?;
        put_text(&table, capacity, text_out, n_out)
    })
}

/// Frees what a simulation found.
/// @param simulation  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_simulation_free(simulation: *mut admpi_pmap_simulation) {
    // SAFETY: as the C contract says.
    unsafe { free(simulation) }
}

/// Reads what a device does.
/// @param simulation        a simulation
/// @param device            a device of the map, or the function's root
/// @param[out] account_out  what it does
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_BADDEV
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_simulation_account(
    simulation: *const admpi_pmap_simulation,
    device: i64,
    account_out: *mut admpi_pmap_account,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let accounts = &get("simulation", simulation)?.0.accounts;
        put("account_out", account_out, || {
            let &Account { sent, received, peak, flops, end, .. } =
                accounts.get(&device).ok_or_else(|| {
                    let why = format!("device {device} is not in the simulation");
                    Error::new(Code::Baddev, why)
                })?;
            let [sent, received, peak, flops] =
                [sent, received, peak, flops].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
            Ok(admpi_pmap_account { sent, received, peak, flops, end })
        })
    })
}

/// Reads how long the function takes.
/// @param simulation        a simulation
/// @param[out] seconds_out  when the last device is done
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_simulation_makespan(
    simulation: *const admpi_pmap_simulation,
    seconds_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let makespan = get("simulation", simulation)?.0.makespan;
        put("seconds_out", seconds_out, || Ok(makespan))
    })
}

/// Writes a table: of each value in each environment its pieces, and of each device what it does.
/// @param simulation     a simulation
/// @param capacity       room in text_out, in bytes
/// @param[out] text_out  the text and a zero byte, or its beginning, as far as there is room; NULL if capacity is 0
/// @param[out] n_out     bytes of the whole text, with the zero byte
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_simulation_table(
    simulation: *const admpi_pmap_simulation,
    capacity: i64,
    text_out: *mut c_char,
    n_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put_text(&get("simulation", simulation)?.0.table(), capacity, text_out, n_out)
    })
}

/// Writes what happens when, in Chrome's trace format.
/// @param simulation     a simulation
/// @param capacity       as for admpi_pmap_simulation_table
/// @param[out] text_out  as for admpi_pmap_simulation_table
/// @param[out] n_out     as for admpi_pmap_simulation_table
/// @return as admpi_pmap_simulation_table
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_simulation_trace(
    simulation: *const admpi_pmap_simulation,
    capacity: i64,
    text_out: *mut c_char,
    n_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put_text(&get("simulation", simulation)?.0.trace(), capacity, text_out, n_out)
    })
}
