//! How ranks agree before a call moves data: each member of the call says whether it can take part and what shape it
//! brings, and learns the same of the others. So a failure of one is a failure of all, and nobody waits for a rank that has
//! given up.
//!
//! Two members tell each other. Of more, the first asks the others and answers them. A rank that leaves the body of a pmap by
//! an error tells all others that run the body. Messages name the body (`scope`) and count its calls: what belongs to another
//! body or call is stale, and is passed over.

use super::value::Shape;
use crate::error::{Code, Error, Result};
use crate::mpi::parcel::Parcel;
use crate::mpi::{Comm, MpiResult};
use std::collections::{HashMap, VecDeque};

/// Bytes of a failure's text that travel.
const TEXT: usize = 480;
/// Words of a message before texts and shapes.
const HEAD: usize = 6;
/// Shapes that one rank may bring.
pub const SHAPES: usize = 128;
const UNKNOWN: u64 = u64::MAX;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A member's part.
    Brings,
    /// The first member's answer.
    Answer,
    /// The sender has left a body by an error.
    Left,
    /// The sender frees its engine.
    End,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Brings, Self::Answer, Self::Left, Self::End];
}

/// A call within a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub scope: u64,
    pub call: u64,
}

struct Message {
    kind: Kind,
    at: Place,
    /// What is called, as a number.
    what: u64,
    failure: Option<Error>,
    shapes: Vec<Option<Shape>>,
}

impl Message {
    fn write(&self, words: &mut Vec<u64>) {
        words.clear();
        let (code, text) = match &self.failure {
            None => (0, ""),
            Some(error) => (u64::from((error.code as i32).unsigned_abs()), error.message.as_str()),
        };
        let mut length = text.len().min(TEXT);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        let kind = Kind::ALL.iter().position(|&kind| kind == self.kind).unwrap_or(0);
        let number = |n: usize| n as u64;
        words.extend([number(kind), self.at.scope, self.at.call, self.what, code, number(length)]);
        for chunk in text.as_bytes()[..length].chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            words.push(u64::from_le_bytes(word));
        }
        for shape in &self.shapes {
            words.extend(shape.map_or([UNKNOWN; 2], |shape| shape.map(number)));
        }
    }

    fn read(words: &[u64]) -> Option<Self> {
        let (&[kind, scope, call, what, code, length], rest) = words.split_first_chunk::<HEAD>()?;
        let length = usize::try_from(length).ok()?;
        let (text, shapes) = rest.split_at_checked(length.div_ceil(8))?;
        let bytes: Vec<u8> = text.iter().flat_map(|word| word.to_le_bytes()).take(length).collect();
        let failure = (code != 0).then(|| {
            let code = i32::try_from(code).ok().and_then(Code::from_c).unwrap_or(Code::Panic);
            Error::new(code, String::from_utf8_lossy(&bytes))
        });
        let shape = |pair: &[u64]| {
            let [rows, cols] = [pair[0], pair[1]].map(usize::try_from);
            (pair[0] != UNKNOWN).then(|| Some([rows.ok()?, cols.ok()?])).flatten()
        };
        Some(Self {
            kind: *Kind::ALL.get(usize::try_from(kind).ok()?)?,
            at: Place { scope, call },
            what,
            failure,
            shapes: shapes.chunks_exact(2).map(shape).collect(),
        })
    }
}

/// The lines to all other ranks.
pub struct Exchange {
    comm: Comm,
    rank: i32,
    ranks: i32,
    outgoing: Vec<Parcel>,
    incoming: Parcel,
    /// Messages that came before their time.
    early: HashMap<i32, VecDeque<Message>>,
    /// Who has left which bodies, and why.
    left: Vec<(i32, u64, Error)>,
    ended: Vec<i32>,
}

impl Exchange {
    pub fn new(comm: Comm) -> MpiResult<Self> {
        let (rank, ranks) = (comm.rank()?, comm.size()?);
        Ok(Self {
            comm,
            rank,
            ranks,
            outgoing: Vec::new(),
            incoming: Parcel::default(),
            early: HashMap::new(),
            left: Vec::new(),
            ended: Vec::new(),
        })
    }

    fn send(&mut self, to: i32, message: &Message) -> MpiResult<()> {
        let mut idle = None;
        for k in 0..self.outgoing.len() {
            if self.outgoing[k].is_done()? {
                idle = Some(k);
                break;
            }
        }
        let k = idle.unwrap_or_else(|| {
            self.outgoing.push(Parcel::default());
            self.outgoing.len() - 1
        });
        message.write(self.outgoing[k].words());
        self.outgoing[k].send(self.comm, to)
    }

    fn next(&mut self, from: i32) -> MpiResult<Message> {
        if let Some(message) = self.early.get_mut(&from).and_then(VecDeque::pop_front) {
            return Ok(message);
        }
        let shapes = usize::try_from(self.ranks).unwrap_or(0).max(SHAPES);
        self.incoming.receive(self.comm, HEAD + TEXT / 8 + 2 * shapes, from)?;
        self.incoming.wait()?;
        Message::read(self.incoming.arrived()).ok_or_else(|| {
            Error::new(
                Code::Mpi,
                format!("pmap: rank {from} sent something that is not a message of pmap"),
            )
            .into()
        })
    }

    fn gone(&self, who: i32, scopes: &[u64]) -> Option<Error> {
        let found =
            self.left.iter().find(|(rank, scope, _)| *rank == who && scopes.contains(scope));
        found.map(|(.., error)| error.clone())
    }

    /// What `from` sends for the call at `at`; `scopes` are the bodies that this rank is in, the innermost last.
    fn wanted(
        &mut self,
        kind: Kind,
        from: i32,
        (at, what): (Place, u64),
        scopes: &[u64],
    ) -> MpiResult<Message> {
        let fails = |error| Message { kind, at, what, failure: Some(error), shapes: Vec::new() };
        loop {
            if let Some(error) = self.gone(from, scopes) {
                return Ok(fails(error));
            }
            let message = self.next(from)?;
            let inside = scopes.contains(&message.at.scope);
            match message.kind {
                Kind::Left if inside => {
                    let why = message.failure.unwrap_or_else(|| {
                        Error::new(Code::Callback, format!("pmap: rank {from} has left the body"))
                    });
                    self.left.push((from, message.at.scope, why));
                }
                Kind::End => {
                    self.ended.push(from);
                    let why = format!("pmap: rank {from} has freed its engine");
                    return Ok(fails(Error::new(Code::Mismatch, why)));
                }
                _ if message.at == at && message.kind == kind => {
                    if message.what == what || message.failure.is_some() {
                        return Ok(message);
                    }
                    let why = format!(
                        "pmap: ranks {} and {from} differ in call {} of a body: they make different calls, or pass different arguments",
                        self.rank, at.call
                    );
                    return Ok(fails(Error::new(Code::Mismatch, why)));
                }
                // It has gone on, in this body or in one around it, to what this rank has not come to.
                Kind::Brings | Kind::Answer
                    if inside && (message.at.scope != at.scope || message.at.call > at.call) =>
                {
                    self.early.entry(from).or_default().push_front(message);
                    let why = format!(
                        "pmap: rank {from} has not made call {} of a body that rank {} makes",
                        at.call, self.rank
                    );
                    return Ok(fails(Error::new(Code::Mismatch, why)));
                }
                _ => {}
            }
        }
    }

    /// Tells all members what each brings: their shapes, in the order of `members`, or the first failure. If one brings more than one
    /// shape, the others bring none.
    pub fn agree(
        &mut self,
        members: &[i32],
        (at, what): (Place, u64),
        scopes: &[u64],
        own: Result<Vec<Option<Shape>>>,
    ) -> MpiResult<Result<Vec<Option<Shape>>>> {
        let first = members[0];
        let (shapes, failure) = match own {
            Ok(shapes) => (shapes, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let ours = Message { kind: Kind::Brings, at, what, failure, shapes };
        if let &[first, second] = members {
            let is_first = self.rank == first;
            let other = if is_first { second } else { first };
            self.send(other, &ours)?;
            let theirs = self.wanted(Kind::Brings, other, (at, what), scopes)?;
            let (before, after) = if is_first { (ours, theirs) } else { (theirs, ours) };
            let shapes = [before.shapes, after.shapes].concat();
            return Ok(before.failure.or(after.failure).map_or(Ok(shapes), Err));
        }
        if self.rank != first {
            self.send(first, &ours)?;
            let answer = self.wanted(Kind::Answer, first, (at, what), scopes)?;
            return Ok(answer.failure.map_or(Ok(answer.shapes), Err));
        }
        let Message { mut shapes, mut failure, .. } = ours;
        shapes.reserve(members.len());
        for &member in &members[1..] {
            let theirs = self.wanted(Kind::Brings, member, (at, what), scopes)?;
            shapes.extend(theirs.shapes);
            failure = failure.or(theirs.failure);
        }
        let answer = Message { kind: Kind::Answer, at, what, failure, shapes };
        for &member in &members[1..] {
            self.send(member, &answer)?;
        }
        Ok(answer.failure.map_or(Ok(answer.shapes), Err))
    }

    /// Tells the others that run a body that this rank has left it.
    pub fn leave(&mut self, scope: u64, others: &[i32], why: &Error) -> MpiResult<()> {
        let message = Message {
            kind: Kind::Left,
            at: Place { scope, call: 0 },
            what: 0,
            failure: Some(why.clone()),
            shapes: Vec::new(),
        };
        let own = self.rank;
        for &rank in others.iter().filter(|&&rank| rank != own) {
            self.send(rank, &message)?;
        }
        Ok(())
    }

    /// Forgets who has left a body, which is over.
    pub fn over(&mut self, scope: u64) {
        self.left.retain(|(_, left, _)| *left != scope);
    }

    /// Receives all that is under way; collective.
    pub fn end(&mut self) -> MpiResult<()> {
        let message = Message {
            kind: Kind::End,
            at: Place { scope: 0, call: 0 },
            what: 0,
            failure: None,
            shapes: Vec::new(),
        };
        let own = self.rank;
        let others: Vec<i32> = (0..self.ranks).filter(|&rank| rank != own).collect();
        for &rank in &others {
            self.send(rank, &message)?;
        }
        for rank in others {
            while !self.ended.contains(&rank) {
                if self.next(rank)?.kind == Kind::End {
                    self.ended.push(rank);
                }
            }
        }
        for parcel in &mut self.outgoing {
            parcel.wait()?;
        }
        Ok(())
    }
}
