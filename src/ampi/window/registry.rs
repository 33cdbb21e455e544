//! Which windows are for active data. They are found by an attribute, whose removal ends them: a plain MPI_Win_free does so too.

use super::epoch::ActiveWindow;
use crate::ampi::communicator::{self, Claim};
use crate::datatype::{Exposed, is_installed};
use crate::mpi::{Comm, MpiResult, Serial, Win, WinAttribute, transfer};

/// By the attribute's number. One that a call is using is taken out.
static WINDOWS: Serial<Vec<Option<Box<ActiveWindow>>>> = Serial::new(Vec::new());
static ATTRIBUTE: Serial<Option<WinAttribute>> = Serial::new(None);
/// The window that was asked for last, and its number.
static LAST: Serial<Option<(usize, Option<usize>)>> = Serial::new(None);

pub fn install() -> MpiResult<()> {
    let attribute = WinAttribute::new(is_gone)?;
    ATTRIBUTE.with(|place| *place = Some(attribute));
    Ok(())
}

/// MPI is about to end.
pub fn remove() {
    ATTRIBUTE.with(|place| *place = None);
    LAST.with(|last| *last = None);
}

/// A window is being freed, by all of its ranks.
fn is_gone(number: usize) {
    LAST.with(|last| *last = None);
    let window = WINDOWS.with(|windows| windows.get_mut(number).and_then(Option::take));
    if let Some(window) = window {
        // MPI frees the window all the same.
        let _ = window.free();
    }
}

/// Whether a window of this unit and size may hold active data; what a hint says counts more.
fn may_hold(size: i64, unit: i64) -> bool {
    size >= 16 && (unit == 1 || unit >= 16)
}

/// Lets `win`, which has just been made on `comm`, carry active data if some rank's part of it may hold them, or a hint says so.
/// `prepare` comes before any rank may access the memory. Collective over `comm`.
pub fn create(
    win: Win,
    comm: Comm,
    mut exposed: Exposed,
    (size, unit): (i64, i64),
    hint: Option<bool>,
    prepare: impl FnOnce(&mut Exposed),
) -> MpiResult<()> {
    let Some(attribute) = ATTRIBUTE.with(|place| *place).filter(|_| is_installed()) else {
        return Ok(());
    };
    let wanted = hint.unwrap_or_else(|| may_hold(size, unit));
    let mut agreed = [-i64::from(wanted), -i64::from(hint == Some(false))];
    transfer::allreduce_min(comm, &mut agreed)?;
    if agreed != [-1, 0] {
        return Ok(());
    }
    prepare(&mut exposed);
    communicator::of_collective(comm)?;
    let claim = Claim::on(comm).ok_or_else(communicator::unknown)?;
    let window = Box::new(ActiveWindow::new(exposed, comm, claim)?);
    let number = WINDOWS.with(|windows| {
        let free = windows.iter().position(Option::is_none).unwrap_or(windows.len());
        if free == windows.len() {
            windows.push(None);
        }
        windows[free] = Some(window);
        free
    });
    LAST.with(|last| *last = None);
    attribute.set(win, number)
}

fn number_of(win: Win) -> MpiResult<Option<usize>> {
    if let Some((key, number)) = LAST.with(|last| *last)
        && key == win.key()
    {
        return Ok(number);
    }
    let Some(attribute) = ATTRIBUTE.with(|place| *place) else { return Ok(None) };
    let number = attribute.get(win)?;
    // One without the attribute is not remembered: nothing tells when its handle means another.
    if number.is_some() {
        LAST.with(|last| *last = Some((win.key(), number)));
    }
    Ok(number)
}

/// Runs `f` on the books of `win`, or not at all where it has none.
pub fn with<R>(
    win: Win,
    f: impl FnOnce(&mut ActiveWindow) -> MpiResult<R>,
) -> MpiResult<Option<R>> {
    if win.is_null() {
        return Ok(None);
    }
    let Some(number) = number_of(win)? else { return Ok(None) };
    let taken = WINDOWS.with(|windows| windows.get_mut(number).and_then(Option::take));
    let Some(mut window) = taken else { return Ok(None) };
    let done = f(&mut window);
    WINDOWS.with(|windows| windows[number] = Some(window));
    done.map(Some)
}
