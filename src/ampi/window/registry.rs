//! Which windows are for active data. They are found by an attribute, whose removal ends them: a plain MPI_Win_free does so too.

use super::anchors::{Anchors, join};
use super::epoch::ActiveWindow;
use super::passive::is_live;
use crate::ampi::communicator::{self, Claim};
use crate::datatype::{Exposed, is_installed};
use crate::mpi::{Comm, MpiResult, Serial, Win, WinAttribute, transfer};
use crate::tape::{self, Tape};

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

/// What a program says of a window.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    /// Whether it may hold active data.
    pub active: Option<bool>,
    pub no_locks: bool,
}

/// Lets `win`, which has just been made on `comm`, carry active data if some rank's part of it may hold them, or a hint says so.
/// `prepare` comes before any rank may access the memory. Collective over `comm`.
pub fn create(
    win: Win,
    comm: Comm,
    mut exposed: Exposed,
    (size, unit): (i64, i64),
    hints: Hints,
    prepare: impl FnOnce(&mut Exposed),
) -> MpiResult<()> {
    let Some(attribute) = ATTRIBUTE.with(|place| *place).filter(|_| is_installed()) else {
        return Ok(());
    };
    let wanted = hints.active.unwrap_or_else(|| may_hold(size, unit));
    let refused = hints.active == Some(false);
    let mut agreed = [wanted, refused, hints.no_locks].map(|one| -i64::from(one));
    transfer::allreduce_min(comm, &mut agreed)?;
    let [wanted, refused, no_locks] = agreed.map(|one| one != 0);
    if !wanted || refused {
        return Ok(());
    }
    prepare(&mut exposed);
    communicator::of_collective(comm)?;
    let claim = Claim::on(comm).ok_or_else(communicator::unknown)?;
    let window = Box::new(ActiveWindow::new(exposed, comm, claim, !no_locks)?);
    let number = WINDOWS.with(|windows| {
        let free = windows.iter().position(Option::is_none).unwrap_or(windows.len());
        if free == windows.len() {
            windows.push(None);
        }
        windows[free] = Some(window);
        free
    });
    LAST.with(|last| *last = None);
    if !no_locks {
        tape::current(join);
    }
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

/// Takes the window of that number out while `f` runs, if it `is_due`.
fn with_number(
    number: usize,
    is_due: impl FnOnce(&ActiveWindow) -> bool,
    f: impl FnOnce(&mut ActiveWindow) -> MpiResult<()>,
) -> MpiResult<()> {
    let taken = WINDOWS.with(|windows| {
        windows.get_mut(number).and_then(|window| window.take_if(|window| is_due(window)))
    });
    let Some(mut window) = taken else { return Ok(()) };
    let done = f(&mut window);
    WINDOWS.with(|windows| windows[number] = Some(window));
    done
}

/// Runs `f` on the window that was the `made`th of this process, if it lives.
pub fn with_made(made: u64, f: impl FnOnce(&mut ActiveWindow) -> MpiResult<()>) -> MpiResult<()> {
    let is_it = |window: &Option<Box<ActiveWindow>>| {
        window.as_ref().is_some_and(|window| window.made() == made)
    };
    let number = WINDOWS.with(|windows| windows.iter().position(is_it));
    number.map_or(Ok(()), |number| with_number(number, |_| true, f))
}

/// Looks at what others have told this rank of all windows.
pub fn learn(mut tape: Option<&mut Tape>) -> MpiResult<()> {
    let mut done = Ok(());
    for number in 0..WINDOWS.with(|windows| windows.len()) {
        let learn = |window: &mut ActiveWindow| window.learn(tape.as_deref_mut());
        done = done.and(with_number(number, ActiveWindow::is_told, learn));
    }
    done
}

/// Before a sweep of a tape that was current where a window was made that may be locked, or since. Collective over its ranks.
pub fn prepare(tape: &mut Tape) -> MpiResult<()> {
    if !is_live() || !tape.companion::<Anchors>().joins() {
        return Ok(());
    }
    let numbered = |(number, window): (usize, &Option<Box<ActiveWindow>>)| {
        window.as_ref().map(|window| (window.made(), number))
    };
    let mut all: Vec<_> = WINDOWS.with(|windows| {
        windows.iter().enumerate().filter_map(|one| numbered((one.0, one.1))).collect()
    });
    all.sort_unstable();
    let mut done = Ok(());
    for (_, number) in all {
        done = done.and(with_number(number, |_| true, |window| window.prepare(tape)));
    }
    done
}
