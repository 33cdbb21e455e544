//! States that are kept: in memory, or in a file of the user's choice of directory.
#![forbid(unsafe_code)]

use super::plan::Place;
use super::state::Saved;
use crate::error::{Code, Error, Result};
use crate::tape::Var;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What is written at a time.
const PIECE: usize = 1 << 16;

/// A state.
#[derive(Debug)]
pub struct Snapshot {
    values: Values,
    /// What the user's hooks keep stays in memory.
    saved: Vec<Saved>,
}

#[derive(Debug)]
enum Values {
    Memory(Vec<f64>),
    /// The number of its place in the file.
    Disk(u64),
}

/// Those of one loop.
#[derive(Debug, Default)]
pub struct Store {
    directory: Option<PathBuf>,
    file: Option<File>,
    /// Memory of states that are not kept any more.
    spare: Vec<Vec<f64>>,
    piece: Vec<u8>,
}

impl Store {
    pub fn new(directory: Option<PathBuf>) -> Self {
        Self { directory, ..Self::default() }
    }

    /// Keeps `state`, in the file at place `number`.
    pub fn keep(
        &mut self,
        state: &[Var],
        saved: Vec<Saved>,
        place: Place,
        number: u64,
    ) -> Result<Snapshot> {
        let values = if place == Place::Disk {
            self.write(state, number)?;
            Values::Disk(number)
        } else {
            let mut values = self.spare.pop().unwrap_or_default();
            values.clear();
            values.extend(state.iter().map(|x| x.value));
            Values::Memory(values)
        };
        Ok(Snapshot { values, saved })
    }

    /// The state as it was, with passive elements; and what is not active.
    pub fn restore(&mut self, snapshot: &Snapshot, state: &mut [Var]) -> Result<()> {
        match &snapshot.values {
            Values::Memory(values) => {
                for (x, &value) in state.iter_mut().zip(values) {
                    *x = Var { value, id: 0, tag: 0 };
                }
            }
            Values::Disk(number) => self.read(*number, state)?,
        }
        snapshot.saved.iter().for_each(Saved::restore);
        Ok(())
    }

    /// A state in memory is to be on disk instead; `state` is room for it.
    pub fn move_to_disk(
        &mut self,
        snapshot: Snapshot,
        state: &mut [Var],
        number: u64,
    ) -> Result<Snapshot> {
        if let Values::Memory(values) = &snapshot.values {
            for (x, &value) in state.iter_mut().zip(values) {
                x.value = value;
            }
        }
        self.write(state, number)?;
        Ok(Snapshot { values: Values::Disk(number), saved: snapshot.saved })
    }

    pub fn forget(&mut self, snapshot: Snapshot) {
        if let Values::Memory(values) = snapshot.values {
            self.spare.push(values);
        }
    }

    fn write(&mut self, state: &[Var], number: u64) -> Result<()> {
        self.open()?;
        let Self { directory, file: Some(file), piece, .. } = self else { return Ok(()) };
        let mut at = number * size_of_val(state) as u64 / 2;
        for part in state.chunks(PIECE / size_of::<f64>()) {
            piece.clear();
            part.iter().for_each(|x| piece.extend(x.value.to_ne_bytes()));
            file.write_all_at(piece, at).map_err(|error| failed(directory, "write", &error))?;
            at += piece.len() as u64;
        }
        Ok(())
    }

    fn read(&mut self, number: u64, state: &mut [Var]) -> Result<()> {
        let Self { directory, file: Some(file), piece, .. } = self else { return Ok(()) };
        let mut at = number * size_of_val(state) as u64 / 2;
        for part in state.chunks_mut(PIECE / size_of::<f64>()) {
            piece.resize(size_of_val(part) / 2, 0);
            file.read_exact_at(piece, at).map_err(|error| failed(directory, "read", &error))?;
            at += piece.len() as u64;
            for (x, bytes) in part.iter_mut().zip(piece.chunks_exact(size_of::<f64>())) {
                let value = f64::from_ne_bytes(bytes.try_into().unwrap_or_default());
                *x = Var { value, id: 0, tag: 0 };
            }
        }
        Ok(())
    }

    /// The file has no name once it is open, so that nothing is left of it, however the program ends.
    fn open(&mut self) -> Result<()> {
        if self.file.is_some() {
            return Ok(());
        }
        let directory = self.directory.clone().unwrap_or_default();
        self.file =
            Some(nameless(&directory).map_err(|error| failed(&self.directory, "make", &error))?);
        Ok(())
    }
}

fn nameless(directory: &Path) -> std::io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!(".admpi-{}-{number}", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => return std::fs::remove_file(&path).map(|()| file),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cold]
fn failed(directory: &Option<PathBuf>, what: &str, error: &std::io::Error) -> Error {
    let directory = directory.as_deref().unwrap_or(Path::new("")).display();
    let text = format!("time_loop: cannot {what} a state in directory {directory}: {error}");
    Error::new(Code::Disk, text)
}
