//! One request for several operations that have all started: a generalized request that the MPI in use
//! advances inside its own waiting and testing calls, so that plain `MPI_Wait` is enough.
//!
//! A generalized request as MPI-3 has it makes no progress of its own, and a program that waits for one in a
//! single thread hangs. MPICH calls back from its waiting calls when the request was made by its extension;
//! Open MPI calls every registered function in its progress loop.

use super::error::First;
use super::ffi;
use super::raw::{self, MPI_Request, MPI_Status, null_request};
use super::types::Made;
use super::{Datatype, Failure, MpiResult, check};
use crate::error::{Code, Error};
use std::any::Any;
use std::ffi::{c_double, c_int, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Which operation the status of the whole speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The bytes of all of them.
    Sum,
    /// Source, tag and bytes of one.
    Of(usize),
    /// A receive from MPI_PROC_NULL, for which MPICH 4.0 names rank 0 where it does not block.
    Nobody,
    /// None: operations whose status is empty.
    Empty,
}

/// Where a call leaves its request.
#[derive(Clone, Copy)]
pub struct RequestSlot(*mut MPI_Request);

impl RequestSlot {
    /// # Safety
    /// `place` may be written to.
    pub const unsafe fn new(place: *mut MPI_Request) -> Self {
        Self(place)
    }

    /// For a call of MPI's that writes the request itself.
    pub const fn place(self) -> *mut MPI_Request {
        self.0
    }

    fn set(self, request: MPI_Request) {
        // SAFETY: the promise of `new`.
        unsafe { self.0.write(request) };
    }
}

/// Operations that have started, and what they use.
pub struct Group {
    requests: Vec<MPI_Request>,
    statuses: Vec<MPI_Status>,
    keep: Vec<Made>,
    held: Vec<Box<dyn Any>>,
    report: Report,
    error: First,
    whole: MPI_Request,
    complete: bool,
    /// What is left to do when all are complete.
    end: Option<Box<dyn FnOnce() -> c_int>>,
}

// SAFETY: requests may be tested by any thread that MPI's level of support lets call it.
unsafe impl Send for Group {}

fn empty_status() -> MPI_Status {
    // SAFETY: a plain structure of integers in every MPI.
    unsafe { std::mem::zeroed() }
}

/// Addresses of the groups that Open MPI's progress loop advances.
static ACTIVE: Mutex<Vec<usize>> = Mutex::new(Vec::new());
/// Groups that nobody waits for any more: their request was freed, or a part could not start.
static ORPHANS: Mutex<Vec<Group>> = Mutex::new(Vec::new());
/// How MPI drives a group; see `admpi_shim_progress`.
static DRIVER: OnceLock<c_int> = OnceLock::new();

const POLLED: c_int = 1;
const REGISTERED: c_int = 2;

unsafe extern "C" {
    fn admpi_shim_progress(progress: unsafe extern "C" fn() -> c_int) -> c_int;
    fn admpi_shim_grequest_start(
        query: unsafe extern "C" fn(*mut c_void, *mut MPI_Status) -> c_int,
        release: unsafe extern "C" fn(*mut c_void) -> c_int,
        cancel: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
        poll: unsafe extern "C" fn(*mut c_void, *mut MPI_Status) -> c_int,
        wait: unsafe extern "C" fn(c_int, *mut *mut c_void, c_double, *mut MPI_Status) -> c_int,
        state: *mut c_void,
        request: *mut MPI_Request,
    ) -> c_int;
}

impl Group {
    /// Refuses at once where plain waiting would hang.
    pub fn new(report: Report) -> MpiResult<Self> {
        // SAFETY: `progress` lives as long as the library.
        let driver = *DRIVER.get_or_init(|| unsafe { admpi_shim_progress(progress) });
        if driver != POLLED && driver != REGISTERED {
            let why = "this MPI cannot advance a request made of several operations: it has neither \
                       MPIX_Grequest_start nor opal_progress_register";
            return Err(Error::new(Code::Unsupported, why).into());
        }
        Ok(Self {
            requests: Vec::new(),
            statuses: Vec::new(),
            keep: Vec::new(),
            held: Vec::new(),
            report,
            error: First::default(),
            whole: null_request(),
            complete: false,
            end: None,
        })
    }

    /// Starts one more operation, which `call` does.
    pub fn start(&mut self, call: impl FnOnce(*mut MPI_Request) -> c_int) {
        if self.error.code() != raw::SUCCESS {
            return;
        }
        let mut request = null_request();
        self.error.note(call(&mut request));
        if self.error.code() == raw::SUCCESS {
            self.requests.push(request);
            self.statuses.push(empty_status());
        }
    }

    /// An operation that is complete, with its status.
    pub fn done(&mut self, status: &super::Status) {
        self.requests.push(null_request());
        self.statuses.push(status.raw());
    }

    /// Keeps a type until all is complete.
    pub fn keep(&mut self, datatype: Made) {
        self.keep.push(datatype);
    }

    /// Holds anything else until all is complete.
    pub fn hold(&mut self, memory: Box<dyn Any>) {
        self.held.push(memory);
    }

    /// Something local to be done when all are complete.
    pub fn at_end(&mut self, end: Box<dyn FnOnce() -> c_int>) {
        self.end = Some(end);
    }

    /// The request of the whole, or the error of the operation that did not start.
    pub fn finish(self, slot: RequestSlot) -> MpiResult<()> {
        let error = self.error.code();
        if error != raw::SUCCESS {
            orphan(self);
            return Err(Failure::Mpi(error));
        }
        let state = Box::into_raw(Box::new(self));
        // SAFETY: `state` is a live group, which `release` frees; the functions live with the library.
        let code = unsafe {
            let whole = &raw mut (*state).whole;
            admpi_shim_grequest_start(query, release, cancel, poll, wait, state.cast(), whole)
        };
        if code != raw::SUCCESS {
            // SAFETY: MPI did not take the group.
            orphan(*unsafe { Box::from_raw(state) });
        }
        check(code)?;
        // SAFETY: the group lives until `release`.
        slot.set(unsafe { (*state).whole });
        if DRIVER.get() == Some(&REGISTERED) {
            active().push(state.expose_provenance());
        }
        Ok(())
    }

    /// Tests the parts one by one: a test of several file requests at once asserts in MPICH.
    fn advance(&mut self) -> bool {
        let mut left = false;
        for (request, status) in self.requests.iter_mut().zip(&mut self.statuses) {
            if *request == null_request() {
                continue;
            }
            let mut flag = 0;
            // SAFETY: a request of ours and places for the answers.
            let code = unsafe { raw::MPI_Test(request, &mut flag, status) };
            if code != raw::SUCCESS {
                self.error.note(code);
                *request = null_request();
            } else if flag == 0 {
                left = true;
            } else {
                *request = null_request();
            }
        }
        if left {
            return false;
        }
        if let Some(end) = self.end.take() {
            self.error.note(end());
        }
        true
    }

    /// Advances the parts and, when all are complete, the whole.
    fn poll(&mut self) {
        if !self.complete && self.advance() {
            self.complete = true;
            // SAFETY: the generalized request of this group, complete once.
            unsafe { ffi::MPI_Grequest_complete(self.whole) };
        }
    }

    /// Writes the status of the whole.
    fn describe(&self, status: &mut MPI_Status) -> c_int {
        let bytes = |one: &MPI_Status| {
            let mut n = 0;
            // SAFETY: a status that MPI filled and a place for the answer.
            let code = unsafe { ffi::MPI_Get_elements_x(one, Datatype::byte().raw(), &mut n) };
            if code == raw::SUCCESS && n > 0 { n } else { 0 }
        };
        let mut total = 0;
        status.MPI_SOURCE = raw::constants().any_source;
        status.MPI_TAG = raw::constants().any_tag;
        match self.report {
            Report::Sum => total = self.statuses.iter().map(bytes).sum(),
            Report::Of(i) => {
                if let Some(one) = self.statuses.get(i) {
                    total = bytes(one);
                    status.MPI_SOURCE = one.MPI_SOURCE;
                    status.MPI_TAG = one.MPI_TAG;
                }
            }
            Report::Nobody => status.MPI_SOURCE = raw::constants().proc_null,
            Report::Empty => (),
        }
        // SAFETY: a status that MPI handed out to be filled.
        unsafe {
            ffi::MPI_Status_set_elements_x(status, Datatype::byte().raw(), total);
            ffi::MPI_Status_set_cancelled(status, 0);
        }
        self.error.code()
    }
}

fn active() -> std::sync::MutexGuard<'static, Vec<usize>> {
    ACTIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn orphan(group: Group) {
    ORPHANS.lock().unwrap_or_else(PoisonError::into_inner).push(group);
}

/// Frees what nobody waits for, as far as it is complete.
pub fn sweep() {
    if let Ok(mut orphans) = ORPHANS.try_lock() {
        orphans.retain_mut(|group| !group.advance());
    }
}

/// What Open MPI calls in its progress loop, also from within the tests that it makes itself.
unsafe extern "C" fn progress() -> c_int {
    let Ok(mut groups) = ACTIVE.try_lock() else { return 0 };
    groups.retain(|&address| {
        let state = std::ptr::with_exposed_provenance_mut::<Group>(address);
        // SAFETY: MPI releases a group only after its completion, which removes it from this list.
        let group = unsafe { &mut *state };
        // The whole may be waited for and released as soon as it is complete: the last access is here.
        if group.advance() {
            group.complete = true;
            let whole = group.whole;
            // SAFETY: as in `poll`.
            unsafe { ffi::MPI_Grequest_complete(whole) };
            return false;
        }
        true
    });
    0
}

/// # Safety
/// `state` is a live group.
unsafe extern "C" fn query(state: *mut c_void, status: *mut MPI_Status) -> c_int {
    // SAFETY: handed on.
    unsafe { (*state.cast::<Group>()).describe(&mut *status) }
}

/// # Safety
/// `state` is a live group that MPI gives up.
unsafe extern "C" fn release(state: *mut c_void) -> c_int {
    // SAFETY: handed on.
    let group = *unsafe { Box::from_raw(state.cast::<Group>()) };
    if !group.complete {
        // The user freed the request of operations under way: they still need their types.
        active().retain(|&address| address != state.addr());
        orphan(group);
    }
    raw::SUCCESS
}

/// A group under way cannot be cancelled: it completes.
unsafe extern "C" fn cancel(_state: *mut c_void, _complete: c_int) -> c_int {
    raw::SUCCESS
}

/// # Safety
/// As for `query`.
unsafe extern "C" fn poll(state: *mut c_void, _status: *mut MPI_Status) -> c_int {
    // SAFETY: handed on.
    unsafe { (*state.cast::<Group>()).poll() };
    raw::SUCCESS
}

/// # Safety
/// `states` are `count` live groups.
unsafe extern "C" fn wait(
    count: c_int,
    states: *mut *mut c_void,
    _timeout: c_double,
    _status: *mut MPI_Status,
) -> c_int {
    for i in 0..super::wide_int(count) {
        // SAFETY: handed on.
        let group = unsafe { &mut *(*states.add(i)).cast::<Group>() };
        while !group.complete {
            group.poll();
        }
    }
    raw::SUCCESS
}
