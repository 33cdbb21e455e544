//! Tools that record on a tape of their own and hand over their variables by a table of functions.

use crate::error::{Code, Error, Result};
use std::ffi::{CStr, c_char, c_void};
use std::mem::offset_of;
use std::sync::{Mutex, PoisonError};

type Values = unsafe extern "C-unwind" fn(*const c_void, i64, *mut f64);
type Ids = unsafe extern "C-unwind" fn(*const c_void, i64, *mut i64);
type Set = unsafe extern "C-unwind" fn(*mut c_void, i64, *const f64, *mut i64, *mut f64);
type IsRecording = unsafe extern "C-unwind" fn() -> i32;
type Record = unsafe extern "C-unwind" fn(i64) -> i32;
type Width = unsafe extern "C-unwind" fn(*mut c_void) -> i64;
type Take = unsafe extern "C-unwind" fn(*mut c_void, i64, *const i64, *mut f64);
type Give = unsafe extern "C-unwind" fn(*mut c_void, i64, *const i64, *const f64);

/// What a tool can do. Laid out as `admpi_tool`, which is only ever appended to.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Table {
    pub size: usize,
    pub name: *const c_char,
    pub variable_bytes: i64,
    pub is_recording: Option<IsRecording>,
    pub values: Option<Values>,
    pub ids: Option<Ids>,
    pub set: Option<Set>,
    pub record: Option<Record>,
    pub width: Option<Width>,
    pub take: Option<Take>,
    pub add: Option<Give>,
    pub restore: Option<Give>,
}

laid_out!(admpi_tool, Table);

/// The table of the first version ends here: a shorter one lacks what no tool can do without.
const LEAST: usize = offset_of!(Table, restore) + size_of::<Option<Give>>();
const MOST_BYTES: i64 = 1 << 20;
/// The most directions of a sweep.
const WIDEST: i64 = 16;

/// A tool that is registered, as long as the process lives.
#[derive(Debug)]
pub struct Tool {
    /// The address of the user's table.
    key: usize,
    /// Tools are numbered in the order of registration.
    pub index: usize,
    pub name: String,
    pub bytes: usize,
    values: Values,
    ids: Ids,
    set: Set,
    is_recording: IsRecording,
    record: Record,
    width: Option<Width>,
    take: Take,
    add: Give,
    restore: Option<Give>,
}

static TOOLS: Mutex<Vec<&'static Tool>> = Mutex::new(Vec::new());

fn wrong(text: String) -> Error {
    Error::new(Code::Argument, text)
}

/// A tool by its number.
pub fn tool(index: usize) -> Option<&'static Tool> {
    TOOLS.lock().unwrap_or_else(PoisonError::into_inner).get(index).copied()
}

/// The tool that was registered by the table at an address.
pub fn registered(table: *const Table) -> Result<&'static Tool> {
    let tools = TOOLS.lock().unwrap_or_else(PoisonError::into_inner);
    tools.iter().find(|tool| tool.key == table.addr()).copied().ok_or_else(|| {
        wrong("tool is not registered: call admpi_tool_register with the same table first".into())
    })
}

/// Registers a tool. A second time with the same table is no error, and changes nothing.
///
/// # Safety
/// A `size` is at the address, behind it a table of that size. Its functions are what `admpi_tool` says.
pub unsafe fn register(table: *const Table) -> Result<&'static Tool> {
    let mut tools = TOOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tool) = tools.iter().find(|tool| tool.key == table.addr()) {
        return Ok(tool);
    }
    // SAFETY: the caller's promise.
    let size = unsafe { (*table).size };
    if size < LEAST {
        return Err(wrong(format!(
            "tool.size = {size} is less than {LEAST}: set it to sizeof(admpi_tool)"
        )));
    }
    // SAFETY: the caller's promise; a longer table is of a later version, and begins with this one.
    let table = unsafe { table.cast::<Table>().read() }.checked(table.addr(), tools.len())?;
    let tool: &'static Tool = Box::leak(Box::new(table));
    tools.push(tool);
    Ok(tool)
}

impl Table {
    fn checked(&self, key: usize, index: usize) -> Result<Tool> {
        let Self { variable_bytes, .. } = *self;
        if self.name.is_null() {
            return Err(Error::new(Code::Null, "tool.name is NULL"));
        }
        // SAFETY: the promise of `register`.
        let name = unsafe { CStr::from_ptr(self.name) }.to_string_lossy().into_owned();
        let bytes = usize::try_from(variable_bytes)
            .ok()
            .filter(|_| (1..=MOST_BYTES).contains(&variable_bytes))
            .ok_or_else(|| {
                wrong(format!("tool.variable_bytes = {variable_bytes} is not in 1..={MOST_BYTES}"))
            })?;
        let missing = |what: &str| {
            Error::new(Code::Null, format!("tool.{what} is NULL: the tool {name} must have it"))
        };
        Ok(Tool {
            key,
            index,
            bytes,
            values: self.values.ok_or_else(|| missing("values"))?,
            ids: self.ids.ok_or_else(|| missing("ids"))?,
            set: self.set.ok_or_else(|| missing("set"))?,
            is_recording: self.is_recording.ok_or_else(|| missing("is_recording"))?,
            record: self.record.ok_or_else(|| missing("record"))?,
            take: self.take.ok_or_else(|| missing("take"))?,
            add: self.add.ok_or_else(|| missing("add"))?,
            width: self.width,
            restore: self.restore,
            name,
        })
    }
}

/// An array's length is that of memory.
fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

impl Tool {
    pub fn is_recording(&self) -> bool {
        // SAFETY: the promise of `register`; so below.
        unsafe { (self.is_recording)() != 0 }
    }

    /// Appends the values of `n` variables.
    ///
    /// # Safety
    /// They are at `base`; so below.
    pub(super) unsafe fn values(&self, base: *const u8, n: usize, out: &mut Vec<f64>) {
        let at = out.len();
        out.resize(at + n, 0.0);
        // SAFETY: the caller's promise, and room for them.
        unsafe { (self.values)(base.cast(), count(n), out[at..].as_mut_ptr()) };
    }

    /// Appends the ids of `n` variables.
    pub(super) unsafe fn ids(&self, base: *const u8, n: usize, out: &mut Vec<i64>) {
        let at = out.len();
        out.resize(at + n, 0);
        // SAFETY: as above.
        unsafe { (self.ids)(base.cast(), count(n), out[at..].as_mut_ptr()) };
    }

    /// Gives variables new values, and appends their fresh ids, and what stood at those before.
    pub(super) unsafe fn set_active(
        &self,
        base: *mut u8,
        values: &[f64],
        ids: &mut Vec<i64>,
        before: &mut Vec<f64>,
    ) {
        let at = ids.len();
        ids.resize(at + values.len(), 0);
        let mut old = std::ptr::null_mut();
        if self.restore.is_some() {
            let at = before.len();
            before.resize(at + values.len(), 0.0);
            old = before[at..].as_mut_ptr();
        }
        // SAFETY: as above.
        unsafe {
            let (n, ids) = (count(values.len()), ids[at..].as_mut_ptr());
            (self.set)(base.cast(), n, values.as_ptr(), ids, old);
        }
    }

    /// Gives variables values that nothing depends on.
    pub(super) unsafe fn set_passive(&self, base: *mut u8, values: &[f64]) {
        let none = std::ptr::null_mut();
        // SAFETY: as above.
        unsafe {
            let n = count(values.len());
            (self.set)(base.cast(), n, values.as_ptr(), none, std::ptr::null_mut());
        }
    }

    /// Lets the tool record a handle.
    pub fn record(&self, handle: i64) -> Result<()> {
        // SAFETY: as above.
        match unsafe { (self.record)(handle) } {
            0 => Ok(()),
            code => Err(Error::new(
                Code::Callback,
                format!(
                    "the tool {} does not record the call: its function record returned {code}",
                    self.name
                ),
            )),
        }
    }

    /// How many directions its sweep has.
    ///
    /// # Safety
    /// Here and below: `access` is what the tool gave for its functions.
    pub(super) unsafe fn width(&self, access: *mut c_void) -> Result<usize> {
        // SAFETY: the caller's promise; so below.
        let width = self.width.map_or(1, |width| unsafe { width(access) });
        usize::try_from(width).ok().filter(|_| (1..=WIDEST).contains(&width)).ok_or_else(|| {
            wrong(format!(
                "the width of the sweep of {} is {width}, which is not in 1..={WIDEST}",
                self.name
            ))
        })
    }

    /// Takes the adjoints of ids, the directions of each side by side.
    pub(super) unsafe fn take(&self, access: *mut c_void, ids: &[i64], out: &mut [f64]) {
        // SAFETY: as above, with room for all directions.
        unsafe { (self.take)(access, count(ids.len()), ids.as_ptr(), out.as_mut_ptr()) };
    }

    pub(super) unsafe fn add(&self, access: *mut c_void, ids: &[i64], adjoints: &[f64]) {
        // SAFETY: as above.
        unsafe { (self.add)(access, count(ids.len()), ids.as_ptr(), adjoints.as_ptr()) };
    }

    /// Gives ids the values back that stood at them before the call.
    pub(super) unsafe fn restore(&self, access: *mut c_void, ids: &[i64], before: &[f64]) {
        if let Some(restore) = self.restore {
            // SAFETY: as above.
            unsafe { restore(access, count(ids.len()), ids.as_ptr(), before.as_ptr()) };
        }
    }

    pub(super) const fn restores(&self) -> bool {
        self.restore.is_some()
    }
}
