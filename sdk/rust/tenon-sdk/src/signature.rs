// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! 128 bits that stand for a sequence of texts: the signature of an ask.

/// Equal sequences give equal words, in every process; unequal ones differ but for hash collisions.
#[derive(Debug, Clone)]
pub struct Signature {
    a: u64,
    b: u64,
}

impl Default for Signature {
    fn default() -> Self {
        Signature { a: 0xCBF2_9CE4_8422_2325, b: 0x6A09_E667_F3BC_C908 }
    }
}

impl Signature {
    /// Of no text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one text.
    pub fn add(&mut self, text: &str) {
        // With the length behind it, so that "ab", "c" is not "a", "bc".
        text.bytes().chain((text.len() as u64).to_le_bytes()).for_each(|byte| self.byte(u64::from(byte)));
    }

    /// What `Predicate::SIGNATURE` gives.
    pub fn words(&self) -> [u64; 2] {
        [mixed(self.a), mixed(self.b)]
    }

    fn byte(&mut self, value: u64) {
        self.a = (self.a ^ value).wrapping_mul(0x100_0000_01B3); // FNV-1a
        self.b = self.b.wrapping_add(value + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
}

/// The finaliser of SplitMix64.
fn mixed(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> [u64; 2] {
        let mut all = Signature::new();
        texts.iter().for_each(|text| all.add(text));
        all.words()
    }

    #[test]
    fn equal_sequences_alone_are_equal() {
        assert_eq!(of(&["zone", "a"]), of(&["zone", "a"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&[]), of(&[""]));
    }
}
