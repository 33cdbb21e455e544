//! Memory that grows with a call, and may not be there.

use crate::error::{Code, Error, Result};

/// Room for `n` more, and for no others: parameters and data may be a large part of the memory.
pub fn reserve<T>(room: &mut Vec<T>, n: usize) -> Result<()> {
    room.try_reserve_exact(n).map_err(|_| {
        let bytes = n.saturating_mul(size_of::<T>());
        Error::new(Code::Memory, format!("a map: no memory for {bytes} bytes"))
    })
}

/// `n` values, as they come.
pub fn collect<T>(n: usize, values: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut room = Vec::new();
    reserve(&mut room, n)?;
    room.extend(values);
    Ok(room)
}

/// `n` of them, all new.
pub fn renew<T: Clone + Default>(room: &mut Vec<T>, n: usize) -> Result<()> {
    room.clear();
    reserve(room, n)?;
    room.resize(n, T::default());
    Ok(())
}
