// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Words of a sort key: unsigned numbers that order as the values they are made of, smaller first.

/// What makes a word: `u64`, `i64` and `f64`.
pub trait Word: Copy {
    #[doc(hidden)]
    fn word(self) -> u64;
    #[doc(hidden)]
    fn reversed(self) -> u64 {
        !self.word()
    }
}
impl Word for u64 {
    fn word(self) -> u64 {
        self
    }
}
impl Word for i64 {
    fn word(self) -> u64 {
        self as u64 ^ 1 << 63
    }
}
impl Word for f64 {
    fn word(self) -> u64 {
        if self.is_nan() {
            return u64::MAX;
        }
        let bits = if self == 0.0 { 0 } else { self.to_bits() }; // -0 and 0 are one key
        if bits >> 63 != 0 {
            !bits
        } else {
            bits | 1 << 63
        }
    }
    fn reversed(self) -> u64 {
        if self.is_nan() {
            u64::MAX
        } else {
            !self.word()
        }
    }
}

/// Smaller values first; NaN comes last.
pub fn ascending(value: impl Word) -> u64 {
    value.word()
}

/// Larger values first; NaN comes last here too.
pub fn descending(value: impl Word) -> u64 {
    value.reversed()
}

/// What `Sort::key` may give: a number, or words of which the first counts most, 1 to 72.
pub trait Key {
    #[doc(hidden)]
    const WORDS: usize;
    #[doc(hidden)]
    fn put(self, out: &mut [u64]);
}
impl<W: Word> Key for W {
    const WORDS: usize = 1;
    fn put(self, out: &mut [u64]) {
        out[0] = self.word();
    }
}
impl<const N: usize> Key for [u64; N] {
    const WORDS: usize = N;
    fn put(self, out: &mut [u64]) {
        out.copy_from_slice(&self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_order_as_their_values() {
        let numbers = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 1.0, 7e9, f64::INFINITY, f64::NAN];
        assert!(numbers.windows(2).all(|two| ascending(two[0]) < ascending(two[1])));
        assert!(numbers[..8].windows(2).all(|two| descending(two[0]) > descending(two[1])));
        assert_eq!((ascending(-0.0), descending(f64::NAN)), (ascending(0.0), u64::MAX));
        let whole = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(whole
            .windows(2)
            .all(|two| ascending(two[0]) < ascending(two[1]) && descending(two[0]) > descending(two[1])));
    }
}
