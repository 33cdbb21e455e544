//! What a program on devices has in its hands.

use crate::error::{Code, Error, Result};
use crate::matrix::Owned;
use crate::pmap::{Device, Member};
use std::rc::Rc;

/// Rows and columns.
pub type Shape = [usize; 2];

/// A matrix on a device. Elsewhere than on its rank it is a placeholder.
#[derive(Debug, Clone)]
pub struct Piece {
    pub device: Device,
    /// None where this rank does not know it: an iteration elsewhere has made the matrix.
    pub shape: Option<Shape>,
    pub matrix: Option<Rc<Owned>>,
    /// Why there is none.
    pub failure: Option<Error>,
}

impl Piece {
    pub const fn placeholder(device: Device, shape: Option<Shape>) -> Self {
        Self { device, shape, matrix: None, failure: None }
    }

    pub fn new(device: Device, matrix: Owned) -> Self {
        let (rows, cols) = matrix.shape();
        let shape = Some([rows, cols]);
        Self { device, shape, matrix: Some(Rc::new(matrix)), failure: None }
    }

    pub const fn failed(device: Device, error: Error) -> Self {
        Self { device, shape: None, matrix: None, failure: Some(error) }
    }

    /// The piece, unless there is none for a failure before.
    pub fn sound(&self) -> Result<&Self> {
        self.failure.clone().map_or(Ok(self), Err)
    }
}

/// One matrix on one device, or one on each device of a node.
#[derive(Debug, Clone)]
pub enum Value {
    One(Piece),
    Tuple { members: Rc<[Member]>, pieces: Vec<Piece> },
}

impl Value {
    pub fn one(&self, call: &str, name: &str) -> Result<&Piece> {
        match self {
            Self::One(piece) => Ok(piece),
            Self::Tuple { .. } => {
                let why = format!(
                    "{call}: {name} is on devices {:?}: one value is needed",
                    self.devices()
                );
                Err(Error::new(Code::Placement, why))
            }
        }
    }

    pub fn tuple(&self, call: &str, name: &str) -> Result<(&Rc<[Member]>, &[Piece])> {
        match self {
            Self::Tuple { members, pieces } => Ok((members, pieces)),
            Self::One(piece) => {
                let why = format!(
                    "{call}: {name} is one value, on device {}: one on each device of a node is needed",
                    piece.device
                );
                Err(Error::new(Code::Placement, why))
            }
        }
    }

    pub fn pieces(&self) -> &[Piece] {
        match self {
            Self::One(piece) => std::slice::from_ref(piece),
            Self::Tuple { pieces, .. } => pieces,
        }
    }

    pub fn pieces_mut(&mut self) -> &mut [Piece] {
        match self {
            Self::One(piece) => std::slice::from_mut(piece),
            Self::Tuple { pieces, .. } => pieces,
        }
    }

    pub fn devices(&self) -> Vec<Device> {
        self.pieces().iter().map(|piece| piece.device).collect()
    }

    /// Whether another one is on the same devices.
    pub fn is_beside(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(Self::pieces);
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.device == b.device)
    }
}
