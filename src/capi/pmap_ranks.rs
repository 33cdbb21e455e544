//! The C interface of nested pmap on ranks. `include/admpi/pmap_ranks.h` is generated from this file.

use super::pmap::{admpi_device_map, text};
use super::pmap_programs::{admpi_pmap_program, admpi_pmap_topology};
use super::{array, entry, free, get, give_handle, mpi_status, null, put};
use crate::count::{as_c, from_c};
use crate::error::{Code, Error, Result, of_users};
use crate::matrix::Owned;
use crate::mpi::Comm;
use crate::mpi::raw::MPI_Comm;
use crate::pmap::ranks::{Engine, Value, calibrate};
use crate::pmap::{Keys, Topology};
use std::cell::RefCell;
use std::ffi::{c_char, c_void};

// By the name under which C knows it: it is defined in `include/admpi/matrix.h`.
use crate::matrix::Matrix as admpi_varmat;

/// Ranks as devices: which one is which, and the communicators of those that work together. Opaque.
#[allow(non_camel_case_types)]
pub struct admpi_pmap(RefCell<Engine>);

/// A matrix on a device, or one on each device of a node of the device map. On other ranks it is a placeholder without data.
/// Opaque.
#[allow(non_camel_case_types)]
pub struct admpi_pmap_value(Value);

/// The body of a pmap for one device. It runs on every rank whose device is that one or below it, and makes the same calls on
/// each: on ranks without data its values are placeholders. It must not throw.
/// @param pmap          the engine
/// @param device        the device of this iteration
/// @param inputs        `n_inputs` values on that device; the caller frees them
/// @param n_inputs      how many
/// @param[out] outputs  `n_outputs` values on that device, NULL on entry; the caller frees them, also if the body fails
/// @param n_outputs     how many
/// @param payload       as given to admpi_pmap_run
/// @return 0, or any other number: the iteration has failed
#[allow(non_camel_case_types)]
pub type admpi_pmap_fn = Option<
    unsafe extern "C-unwind" fn(
        pmap: *mut admpi_pmap,
        device: i64,
        inputs: *const *const admpi_pmap_value,
        n_inputs: i64,
        outputs: *mut *mut admpi_pmap_value,
        n_outputs: i64,
        payload: *mut c_void,
    ) -> i32,
>;

/// # Safety
/// `pmap` is NULL or a live engine.
unsafe fn with_engine<R>(
    pmap: *const admpi_pmap,
    f: impl FnOnce(&mut Engine) -> Result<R>,
) -> Result<R> {
    // SAFETY: the caller's promise.
    f(&mut unsafe { get("pmap", pmap)? }.0.borrow_mut())
}

/// A value that a call on `pmap` makes.
///
/// # Safety
/// `pmap` is NULL or live; `output` is NULL or may be written to.
unsafe fn give_value(
    pmap: *const admpi_pmap,
    output: (&str, *mut *mut admpi_pmap_value),
    make: impl FnOnce(&mut Engine) -> Result<Value>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { give_handle(output, || with_engine(pmap, make).map(admpi_pmap_value)) }
}

/// Makes an engine of the ranks of a communicator. Collective. The communicator is duplicated, and may be freed.
/// @param comm           an intracommunicator
/// @param map            a device map, the same on all ranks; it may be freed
/// @param devices        `size of comm` devices: rank r is device `devices[r]`; NULL: rank r is device r
/// @param root           the device that the program itself runs for; all ranks run it
/// @param[out] pmap_out  the engine; free it with admpi_pmap_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_BADDEV, ADMPI_ERR_RANKMAP (a device is no rank, or two), ADMPI_ERR_MISMATCH
///         (ranks pass different arguments), ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_new(
    comm: MPI_Comm,
    map: *const admpi_device_map,
    devices: *const i64,
    root: i64,
    pmap_out: *mut *mut admpi_pmap,
) -> i32 {
    mpi_status("admpi_pmap_new", || {
        // SAFETY: as the C contract says.
        unsafe {
            let comm = Comm::new(comm);
            let map = get("map", map)?;
            if pmap_out.is_null() {
                return Err(null("pmap_out").into());
            }
            let size = from_c("size", comm.size()?.into())?;
            let devices =
                if devices.is_null() { None } else { Some(array("devices", devices, size)?) };
            let engine = Engine::new(comm, &map.0, devices, root)?;
            pmap_out.write(Box::into_raw(Box::new(admpi_pmap(RefCell::new(engine)))));
            Ok(())
        }
    })
}

/// Frees an engine. Collective. What was recorded stays valid.
/// @param pmap  NULL is fine
/// @return ADMPI_SUCCESS, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_free(pmap: *mut admpi_pmap) -> i32 {
    mpi_status("admpi_pmap_free", || {
        if pmap.is_null() {
            return Ok(());
        }
        // SAFETY: as the C contract says.
        unsafe { Box::from_raw(pmap) }.0.into_inner().end()
    })
}

/// Says which device this rank is, and the device whose body it runs: outside of bodies the root.
/// @param pmap             an engine
/// @param[out] device_out  the device of this rank
/// @param[out] home_out    the device of the body; NULL is fine
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_device(
    pmap: *const admpi_pmap,
    device_out: *mut i64,
    home_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        with_engine(pmap, |engine| {
            put("device_out", device_out, || Ok(engine.device()))?;
            if !home_out.is_null() {
                home_out.write(engine.home());
            }
            Ok(())
        })
    })
}

/// Puts a matrix on a device. Local.
/// @param pmap            an engine
/// @param device          a device of this body; outside of bodies any
/// @param matrix          the matrix, on the rank of that device; ignored on others
/// @param rows            on other ranks the shape, as far as it is known; -1: unknown
/// @param cols            the same
/// @param[out] value_out  the value; free it with admpi_pmap_value_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_PLACEMENT (not a device of this body; matrix is NULL on its rank)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_place(
    pmap: *mut admpi_pmap,
    device: i64,
    matrix: *const admpi_varmat,
    rows: i64,
    cols: i64,
    value_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_value(pmap, ("value_out", value_out), |engine| {
            let own = (!matrix.is_null()).then(|| Owned::share(matrix.cast_mut()).copy());
            let shape = match (usize::try_from(rows), usize::try_from(cols)) {
                (Ok(rows), Ok(cols)) => Some([rows, cols]),
                _ => None,
            };
            engine.place(device, shape, own)
        })
    }
}

/// Frees a value.
/// @param value  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_value_free(value: *mut admpi_pmap_value) {
    // SAFETY: as the C contract says.
    unsafe { free(value) }
}

/// Copies a value; its matrix is the same.
/// @param value          a value
/// @param[out] copy_out  the copy; free it with admpi_pmap_value_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_value_copy(
    value: *const admpi_pmap_value,
    copy_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("copy_out", copy_out), || Ok(admpi_pmap_value(get("value", value)?.0.clone())))
    }
}

/// Says on how many devices a value is.
/// @param value           a value
/// @param[out] n_out      how many
/// @param[out] tuple_out  whether it is one on each device of a node (1), or one value (0); NULL is fine
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_value_count(
    value: *const admpi_pmap_value,
    n_out: *mut i64,
    tuple_out: *mut i32,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let value = &get("value", value)?.0;
        put("n_out", n_out, || Ok(as_c(value.pieces().len())))?;
        if !tuple_out.is_null() {
            tuple_out.write(i32::from(matches!(value, Value::Tuple { .. })));
        }
        Ok(())
    })
}

/// Reads a piece of a value.
/// @param value            a value
/// @param k                which, from 0, in the order of the node's devices; 0 of one value
/// @param[out] device_out  its device
/// @param[out] rows_out    its rows; -1 where this rank does not know them, since an iteration elsewhere made it
/// @param[out] cols_out    its columns; -1 the same
/// @param[out] matrix_out  the matrix, to be freed with admpi_varmat_free, on the rank of the device; NULL on others
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_RANGE; the error of the body that was to make it
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_value_piece(
    value: *const admpi_pmap_value,
    k: i64,
    device_out: *mut i64,
    rows_out: *mut i64,
    cols_out: *mut i64,
    matrix_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let pieces = get("value", value)?.0.pieces();
        let piece = usize::try_from(k).ok().and_then(|k| pieces.get(k)).ok_or_else(|| {
            Error::new(Code::Range, format!("k = {k}: the value has {} pieces", pieces.len()))
        })?;
        let piece = piece.sound()?;
        let outputs = [("device_out", device_out), ("rows_out", rows_out), ("cols_out", cols_out)];
        if let Some((name, _)) = outputs.iter().find(|(_, output)| output.is_null()) {
            return Err(null(name));
        }
        put("matrix_out", matrix_out, || {
            Ok(piece
                .matrix
                .as_ref()
                .map_or(std::ptr::null_mut(), |matrix| matrix.copy().into_raw()))
        })?;
        device_out.write(piece.device);
        let [rows, cols] = piece.shape.map_or([-1; 2], |shape| shape.map(as_c));
        rows_out.write(rows);
        cols_out.write(cols);
        Ok(())
    })
}

/// Cuts a matrix into blocks of rows or columns, one on each device of a node. Extents need not divide evenly: the larger
/// blocks come first. The adjoint is a gather.
///
/// This call and the ones below are made by all ranks that run the body; those that have no part pass through. The
/// matrix's device and those of the node wait for each other, no others do. Failures of one of them are failures of all.
/// @param pmap            an engine
/// @param x               one value
/// @param dim             0: blocks of rows, 1: of columns
/// @param keys            a text such as `[d]`: which node; variables are those of the enclosing calls of admpi_pmap_run
/// @param[out] value_out  the blocks; free them with admpi_pmap_value_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_BADDEV, ADMPI_ERR_NOKEY, ADMPI_ERR_DEPTH,
///         ADMPI_ERR_UNBOUND, ADMPI_ERR_OVERLAP (the node has devices that are not this body's), ADMPI_ERR_PLACEMENT,
///         ADMPI_ERR_SHAPE, ADMPI_ERR_MISMATCH (another rank makes another call), errors of recording, ADMPI_ERR_MPI, what made a
///         body fail
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_scatter(
    pmap: *mut admpi_pmap,
    x: *const admpi_pmap_value,
    dim: i32,
    keys: *const c_char,
    value_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_value(pmap, ("value_out", value_out), |engine| {
            let keys = Keys::parse(text("keys", keys, None)?)?;
            engine.scatter(&get("x", x)?.0, from_c("dim", dim.into())?, &keys)
        })
    }
}

/// Copies a matrix to each device of a node. Each copy is a value of its own. The adjoint is a reduction.
/// @param pmap            an engine
/// @param x               one value
/// @param keys            as for admpi_pmap_scatter
/// @param[out] value_out  the copies; free them with admpi_pmap_value_free
/// @return as admpi_pmap_scatter
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_broadcast(
    pmap: *mut admpi_pmap,
    x: *const admpi_pmap_value,
    keys: *const c_char,
    value_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_value(pmap, ("value_out", value_out), |engine| {
            let keys = Keys::parse(text("keys", keys, None)?)?;
            engine.broadcast(&get("x", x)?.0, &keys)
        })
    }
}

/// Joins blocks of rows or columns, in the order of their node, on the device whose body this is. The adjoint is a scatter.
/// @param pmap            an engine
/// @param xs              a value on each device of a node
/// @param dim             0: blocks of rows, 1: of columns
/// @param[out] value_out  the matrix; free it with admpi_pmap_value_free
/// @return as admpi_pmap_scatter
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_gather(
    pmap: *mut admpi_pmap,
    xs: *const admpi_pmap_value,
    dim: i32,
    value_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_value(pmap, ("value_out", value_out), |engine| {
            engine.gather(&get("xs", xs)?.0, from_c("dim", dim.into())?)
        })
    }
}

/// Adds matrices up, on the device whose body this is. The adjoint is a broadcast.
/// @param pmap            an engine
/// @param xs              a value on each device of a node, all of one shape
/// @param[out] value_out  the sum; free it with admpi_pmap_value_free
/// @return as admpi_pmap_scatter
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_reduce(
    pmap: *mut admpi_pmap,
    xs: *const admpi_pmap_value,
    value_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { give_value(pmap, ("value_out", value_out), |engine| engine.reduce(&get("xs", xs)?.0)) }
}

/// Adds matrices up, on each of their devices. The adjoint is the same. Each sum is a value of its own: seed one of them.
/// @param pmap            an engine
/// @param xs              a value on each device of a node, all of one shape
/// @param[out] value_out  the sums; free them with admpi_pmap_value_free
/// @return as admpi_pmap_scatter
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_allreduce(
    pmap: *mut admpi_pmap,
    xs: *const admpi_pmap_value,
    value_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_value(pmap, ("value_out", value_out), |engine| engine.allreduce(&get("xs", xs)?.0))
    }
}

/// Takes one of the matrices of a tuple. Nothing is sent. The adjoint goes to the matrix taken, and zero to the others.
/// @param pmap            an engine
/// @param xs              a value on each device of a node
/// @param device          which; -1: the device whose body this is
/// @param[out] value_out  the matrix; free it with admpi_pmap_value_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_PLACEMENT (the device is not among them), what made a body fail
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_select(
    pmap: *mut admpi_pmap,
    xs: *const admpi_pmap_value,
    device: i64,
    value_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_value(pmap, ("value_out", value_out), |engine| {
            engine.select(&get("xs", xs)?.0, (device != -1).then_some(device))
        })
    }
}

/// The error of a body: that of the call that failed in it, if the body hands it on.
fn as_told(error: Error, status: i32) -> Error {
    let bare = format!("the user's function returned {status}");
    match (Code::from_c(status), error.message.strip_prefix(&format!("{bare}: "))) {
        (Some(code), Some(text)) => Error::new(code, text),
        _ => error,
    }
}

/// Says why a body fails. It then returns what this function does.
/// @param message  the text of the error
/// @return ADMPI_ERR_CALLBACK, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_fail(message: *const c_char) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { Err(Error::new(Code::Callback, text("message", message, None)?)) })
}

/// Runs a body for each device of a node. Each rank runs at most one iteration, that for its device or one above it, and
/// goes on at once. An iteration that fails does not fail this call: the next one that needs its results does, on all its
/// ranks, and those that wait in the body for the rank that failed get the error, too.
/// @param pmap              an engine
/// @param variable          the name of the device variable that the body's keys may use
/// @param fn                the body
/// @param payload           handed to the body
/// @param xs                `n_xs` values, on each device of one node; the body gets the ones of its device
/// @param n_xs              how many, at least 1
/// @param n_values          how many values the body returns
/// @param[out] values_out   `n_values` values on each device of that node; free them with admpi_pmap_value_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_ARITY (no values, or on different devices),
///         ADMPI_ERR_PLACEMENT, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_run(
    pmap: *mut admpi_pmap,
    variable: *const c_char,
    r#fn: admpi_pmap_fn,
    payload: *mut c_void,
    xs: *const *const admpi_pmap_value,
    n_xs: i64,
    n_values: i64,
    values_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let body = r#fn.ok_or_else(|| null("fn"))?;
        let name = text("variable", variable, None)?;
        let given = array("xs", xs, from_c("n_xs", n_xs)?)?;
        let n = from_c("n_values", n_values)?;
        if n > 0 && values_out.is_null() {
            return Err(null("values_out"));
        }
        let inputs = given.iter().map(|&x| Ok(&get("xs", x)?.0)).collect::<Result<Vec<_>>>()?;
        let (run, iteration) = with_engine(pmap, |engine| engine.enter(name, &inputs))?;
        let outcome = iteration.map(|iteration| {
            let own: Vec<admpi_pmap_value> =
                iteration.inputs.into_iter().map(admpi_pmap_value).collect();
            let places: Vec<*const admpi_pmap_value> = own.iter().map(std::ptr::from_ref).collect();
            let mut outputs = vec![std::ptr::null_mut::<admpi_pmap_value>(); n];
            let mut status = 0;
            let done = of_users(|| {
                status = body(
                    pmap,
                    iteration.device,
                    places.as_ptr(),
                    as_c(places.len()),
                    outputs.as_mut_ptr(),
                    n_values,
                    payload,
                );
                status
            });
            let taken: Vec<_> = outputs
                .into_iter()
                .map(|output| (!output.is_null()).then(|| Box::from_raw(output).0))
                .collect();
            if let Err(error) = done {
                return Err(as_told(error, status));
            }
            taken
                .into_iter()
                .enumerate()
                .map(|(k, value)| {
                    let why = || {
                        Error::new(Code::Arity, format!("pmap: the body leaves outputs[{k}] NULL"))
                    };
                    value.ok_or_else(why)
                })
                .collect()
        });
        let values = with_engine(pmap, |engine| engine.leave(run, outcome, n))?;
        for (k, value) in values.into_iter().enumerate() {
            values_out.add(k).write(Box::into_raw(Box::new(admpi_pmap_value(value))));
        }
        Ok(())
    })
}

/// Runs a function on the ranks: device k is the rank that the engine says. The tape records what each rank does, so that one sweep on
/// all ranks gives the derivatives by the inputs. Collective over the engine's ranks, outside of bodies. First the ranks
/// compare their functions. All ranks get the first failure of any, and the next call works.
/// @param pmap             an engine
/// @param program          a function, the same on all ranks
/// @param xs               `n_xs` values on the function's root, which is that of the engine: its inputs
/// @param n_xs             how many
/// @param n_values         how many values the function gives: admpi_pmap_program_count
/// @param[out] values_out  `n_values` values on the root; free them with admpi_pmap_value_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (an operation refuses its operands), ADMPI_ERR_ARITY,
///         ADMPI_ERR_PLACEMENT (not on the root, or within a body), ADMPI_ERR_SHAPE, ADMPI_ERR_MISMATCH (ranks have different
///         functions), ADMPI_ERR_LIMIT (more than 128 inputs), errors of the device map as for admpi_pmap_simulate, errors of
///         recording, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_execute(
    pmap: *mut admpi_pmap,
    program: *const admpi_pmap_program,
    xs: *const *const admpi_pmap_value,
    n_xs: i64,
    n_values: i64,
    values_out: *mut *mut admpi_pmap_value,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let function = &get("program", program)?.0;
        let given = array("xs", xs, from_c("n_xs", n_xs)?)?;
        let inputs = given.iter().map(|&x| Ok(&get("xs", x)?.0)).collect::<Result<Vec<_>>>()?;
        let n = function.body.returns.len();
        if from_c("n_values", n_values)? != n {
            let why = format!("n_values = {n_values}: {} gives {n} values", function.name);
            return Err(Error::new(Code::Arity, why));
        }
        if n > 0 && values_out.is_null() {
            return Err(null("values_out"));
        }
        let values = with_engine(pmap, |engine| engine.execute(function, &inputs))?;
        for (k, value) in values.into_iter().enumerate() {
            values_out.add(k).write(Box::into_raw(Box::new(admpi_pmap_value(value))));
        }
        Ok(())
    })
}

/// Measures what the ranks of a communicator can do: operations on the first, and messages between the first two, by programs that
/// they execute. It takes about a second. Collective. Nothing is recorded.
/// @param comm               an intracommunicator
/// @param[out] topology_out  for admpi_pmap_simulate, the same on all ranks; the memory is not limited
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_MEMORY, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_calibrate(
    comm: MPI_Comm,
    topology_out: *mut admpi_pmap_topology,
) -> i32 {
    mpi_status("admpi_pmap_calibrate", || {
        if topology_out.is_null() {
            return Err(null("topology_out").into());
        }
        // SAFETY: as the C contract says.
        let found = calibrate(unsafe { Comm::new(comm) })?;
        let Topology { flops, bandwidth, launch, alpha, beta, memory, .. } = found;
        let Topology { agreement, cores, measured, .. } = found;
        // SAFETY: as the C contract says.
        unsafe {
            topology_out.write(admpi_pmap_topology {
                flops,
                bandwidth,
                launch,
                alpha,
                beta,
                memory,
                agreement,
                cores,
                measured,
            });
        }
        Ok(())
    })
}

/// Lets all ranks learn whether one of them has failed. Collective over the engine's ranks, outside of bodies. Call it at the end
/// of a program: a rank that has no part in a call does not learn that it failed. After it the next program may begin, whatever
/// happened before.
/// @param pmap     an engine
/// @param code     0, or the code of this rank's failure
/// @param message  its text; NULL: that of admpi_last_error
/// @return ADMPI_SUCCESS if all passed 0; the first code otherwise, with its message; ADMPI_ERR_NULL, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_pmap_agree(
    pmap: *mut admpi_pmap,
    code: i32,
    message: *const c_char,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let own = if code == 0 {
            Ok(())
        } else {
            let last = crate::error::with_last(|last| last.to_string_lossy().into_owned());
            let code = Code::from_c(code).unwrap_or(Code::Callback);
            Err(Error::new(code, text("message", message, Some(&last))?))
        };
        with_engine(pmap, |engine| engine.agree(0, own))
    })
}
