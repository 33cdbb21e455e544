//! Text that grows, without the machinery of formatting: events are many, and most of an event is numbers.

/// Text, as bytes.
#[derive(Debug, Default)]
pub struct Text(Vec<u8>);

impl Text {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Keeps the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    pub fn add(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    pub fn number(&mut self, n: i64) {
        self.sign(n);
        self.digits(n.unsigned_abs(), 1);
    }

    /// Microseconds, as Chrome's format has them.
    pub fn micros(&mut self, nanos: i64) {
        self.sign(nanos);
        let nanos = nanos.unsigned_abs();
        self.digits(nanos / 1000, 1);
        self.0.push(b'.');
        self.digits(nanos % 1000, 3);
    }

    fn sign(&mut self, n: i64) {
        if n < 0 {
            self.0.push(b'-');
        }
    }

    /// At least `least` of them.
    fn digits(&mut self, mut n: u64, least: usize) {
        let mut digits = [b'0'; 20];
        let mut at = digits.len();
        while n > 0 {
            at -= 1;
            digits[at] = b"0123456789"[crate::count::wide(n % 10)];
            n /= 10;
        }
        self.0.extend_from_slice(&digits[at.min(digits.len() - least)..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_trace_numbers_and_times_are_exact() {
        let mut text = Text::default();
        for n in [0, 7, -30, i64::MAX, i64::MIN] {
            text.number(n);
            text.add(" ");
        }
        for nanos in [0, 1_234_567, -5, 1_000] {
            text.micros(nanos);
            text.add(" ");
        }
        let wanted =
            "0 7 -30 9223372036854775807 -9223372036854775808 0.000 1234.567 -0.005 1.000 ";
        assert_eq!(text.as_bytes(), wanted.as_bytes());
    }
}
