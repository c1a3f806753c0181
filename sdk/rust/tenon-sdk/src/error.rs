// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
//! Text and errors at the border of a module: no panic and no `Result` gets across it.
use crate::abi::*;
use std::any::Any;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A configuration, a tag or an application is refused, in these words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(String);

impl Refused {
    /// Says what is wanted and what is there.
    pub fn new(words: impl Into<String>) -> Self {
        Refused(words.into())
    }
    /// The words.
    pub fn words(&self) -> &str {
        &self.0
    }
}

/// Does the caller's struct of `size` bytes have the member that ends at `end`?
macro_rules! covers {
    ($pointer:expr, $member:ident) => {{
        let start = $pointer;
        // SAFETY: the place of the member is computed; `size`, which every struct has, is read.
        unsafe {
            let place = std::ptr::addr_of!((*start).$member);
            let end = place.add(1) as usize - start as usize;
            (*start).size as usize >= end
        }
    }};
}
pub(crate) use covers;

pub(crate) const fn text(words: &'static str) -> tenon_text {
    tenon_text { data: words.as_ptr() as *const c_char, length: words.len() as u64 }
}

/// For the call, or as long as `words` lives.
pub(crate) fn text_of(words: &str) -> tenon_text {
    tenon_text { data: words.as_ptr() as *const c_char, length: words.len() as u64 }
}

/// `count` values; none where there is no pointer.
///
/// # Safety
/// Where `first` is not null, it points to that many values that live for `'a`.
pub(crate) unsafe fn slice<'a, T>(first: *const T, count: u64) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

/// # Safety
/// As `slice`, and nobody else has the values.
pub(crate) unsafe fn slice_mut<'a, T>(first: *mut T, count: u64) -> &'a mut [T] {
    if first.is_null() || count == 0 {
        return &mut [];
    }
    unsafe { std::slice::from_raw_parts_mut(first, count as usize) }
}

/// The words of a text of the host; panics where they are no UTF-8, which the ABI promises.
///
/// # Safety
/// The text lives for `'a`.
pub(crate) unsafe fn view<'a>(text: &tenon_text) -> &'a str {
    let bytes = unsafe { slice(text.data as *const u8, text.length) };
    std::str::from_utf8(bytes).expect("the host gave a text that is not UTF-8")
}

/// Puts `words` where the caller wants them, cut to the room that is there.
///
/// # Safety
/// `message` is null, or as the ABI says.
pub(crate) unsafe fn explain(message: *mut tenon_message, words: &str) {
    if message.is_null() || !covers!(message, length) {
        return;
    }
    let message = unsafe { &mut *message };
    if message.data.is_null() {
        return;
    }
    let mut length = words.len().min(message.capacity as usize);
    while !words.is_char_boundary(length) {
        length -= 1;
    }
    unsafe { slice_mut(message.data as *mut u8, length as u64) }.copy_from_slice(&words.as_bytes()[..length]);
    message.length = length as u64;
}

/// Copies `from` into the caller's struct as far as both know it; the caller's `size`, the first member, stays.
///
/// # Safety
/// `out` points to a struct of the ABI that is `size` bytes long.
pub(crate) unsafe fn fill<T>(out: *mut T, from: &T) {
    unsafe {
        let size = (out as *const u32).read();
        let known = std::mem::size_of::<T>().min(size as usize);
        std::ptr::copy_nonoverlapping(from as *const T as *const u8, out as *mut u8, known);
        (out as *mut u32).write(size);
    }
}

/// Runs the body of a slot. What it refuses and what it panics with becomes a status here; `fault` gets the words.
pub(crate) fn guarded(body: impl FnOnce() -> Result<tenon_status, Refused>, fault: impl FnOnce(&str)) -> tenon_status {
    let (status, words) = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(status)) => return status,
        Ok(Err(refused)) => (TENON_INVALID_CONFIG, refused.0),
        Err(payload) => (TENON_INTERNAL, words_of(payload)),
    };
    // Saying why may fail too: then the status has to do.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| fault(&words))) {
        std::mem::forget(payload);
    }
    status
}

/// The words of a panic. What is no text is never dropped: its `drop` may panic again.
fn words_of(payload: Box<dyn Any + Send>) -> String {
    let words = match (payload.downcast_ref::<&'static str>(), payload.downcast_ref::<String>()) {
        (Some(words), _) => words.to_string(),
        (_, Some(words)) => words.clone(),
        _ => {
            std::mem::forget(payload);
            return "a panic without words".to_string();
        }
    };
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_and_what_panics_become_statuses_with_words() {
        let mut said = String::new();
        assert_eq!(guarded(|| Ok(TENON_DECLINED), |w| said = w.to_string()), TENON_DECLINED);
        assert_eq!(said, "");
        assert_eq!(guarded(|| Err(Refused::new("no such tag")), |w| said = w.to_string()), TENON_INVALID_CONFIG);
        assert_eq!(said, "no such tag");
        assert_eq!(guarded(|| panic!("row {}", 7), |w| said = w.to_string()), TENON_INTERNAL);
        assert_eq!(said, "row 7");
    }

    #[test]
    fn a_panic_while_saying_why_goes_no_further() {
        struct Twice;
        impl Drop for Twice {
            fn drop(&mut self) {
                panic!("in drop");
            }
        }
        assert_eq!(guarded(|| std::panic::panic_any(Twice), |_| panic!("again")), TENON_INTERNAL);
    }

    #[test]
    fn words_are_cut_to_the_room_between_letters() {
        let mut room = [b'.'; 8];
        let size = std::mem::size_of::<tenon_message>() as u32;
        let mut message = tenon_message { size, capacity: 4, data: room.as_mut_ptr() as *mut c_char, length: 0 };
        unsafe { explain(&mut message, "abcä") };
        assert_eq!((message.length, &room), (3, b"abc....."));
    }

    #[test]
    fn no_more_is_filled_than_the_caller_knows() {
        let mut out = tenon_find_queue_out { size: 8, exists: 0, leaf: 7, state: 7 };
        unsafe { fill(&mut out, &tenon_find_queue_out { size: 16, exists: 1, leaf: 1, state: 1 }) };
        assert_eq!((out.size, out.exists, out.leaf, out.state), (8, 1, 7, 7));
    }
}
