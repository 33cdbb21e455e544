//! Reads texts: of device maps, of keys, of functions.

use crate::error::{Code, Error, Result};

/// What is left of a text.
pub struct Scan<'a> {
    what: &'a str,
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    /// `what` is the name of the text in messages.
    pub const fn new(what: &'a str, text: &'a str) -> Self {
        Self { what, text, at: 0 }
    }

    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    pub fn is_done(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// Whether `mark` comes next.
    pub fn sees(&mut self, mark: &str) -> bool {
        self.rest().starts_with(mark)
    }

    /// Goes past `mark` if it comes next.
    pub fn takes(&mut self, mark: &str) -> bool {
        let found = self.sees(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    pub fn expect(&mut self, mark: &str) -> Result<()> {
        if self.takes(mark) { Ok(()) } else { Err(self.wrong(&format!("{mark} is expected"))) }
    }

    /// Letters, digits and `_` that come next.
    pub fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A word that begins with a letter.
    pub fn name(&mut self) -> Result<&'a str> {
        let before = self.at;
        let word = self.word();
        if word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Ok(word);
        }
        self.at = before;
        Err(self.wrong("a name is expected"))
    }

    /// What stands next, up to a mark of punctuation: of a number that is none, for messages.
    pub fn item(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find([',', ':', ']', '}', '[', '{', ')', '(', '=']).unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim_end()
    }

    /// Passes what stands in brackets, with all brackets within.
    pub fn balanced(&mut self) -> Result<()> {
        self.expect("[")?;
        let mut open = 1_usize;
        let end = self.text[self.at..].find(|c: char| {
            open += usize::from(matches!(c, '[' | '('));
            open -= usize::from(matches!(c, ']' | ')'));
            open == 0
        });
        match end {
            Some(end) => self.at += end + 1,
            None => return Err(self.wrong("] is expected later")),
        }
        Ok(())
    }

    pub fn end(&mut self) -> Result<()> {
        if self.is_done() { Ok(()) } else { Err(self.wrong("the end is expected")) }
    }

    /// An error at this place.
    #[cold]
    pub fn wrong(&mut self, why: &str) -> Error {
        let rest: String = self.rest().chars().take(20).collect();
        let line = self.text[..self.at].matches('\n').count() + 1;
        let column = self.at - self.text[..self.at].rfind('\n').map_or(0, |at| at + 1) + 1;
        let found = if rest.is_empty() { "nothing".into() } else { format!("'{rest}'") };
        let place = if self.text.contains('\n') {
            format!("line {line}, column {column}")
        } else {
            format!("column {column}")
        };
        Error::new(Code::Argument, format!("{}: {why}, but there is {found} at {place}", self.what))
    }
}
