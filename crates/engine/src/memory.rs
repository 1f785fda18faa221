//! Long arrays: those that are read anywhere, and those that there may be no memory for; and what is fetched from memory before it is needed.

use std::mem::MaybeUninit;

/// An array of `len` times `value`, in large pages where the system has them: a processor knows the places of few pages, and an array that
/// is read anywhere is waited for twice if it has many. Elsewhere an array like any other.
pub fn long_array<T: Clone>(value: T, len: usize) -> Vec<T> {
    let mut array = room(len);
    in_large_pages(array.spare_capacity_mut());
    while array.len() < len {
        crate::look();
        array.resize(len.min(array.len() + PIECE), value.clone());
    }
    array
}

/// Elements of a long array that are filled between looks at the control.
const PIECE: usize = 1 << 22;

/// What a run unwinds with when the system has no memory for an array whose length comes from its plan: whoever catches panics of runs
/// ends this one with a message, and the others go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes that it asked for.
    pub bytes: u64,
}

/// An empty array with room for `len`, or else [`OutOfMemory`], where any other array would end the whole process.
///
/// # Panics
/// With [`OutOfMemory`], if the system has not so much.
pub fn room<T>(len: usize) -> Vec<T> {
    let mut array = Vec::new();
    if array.try_reserve_exact(len).is_err() {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        // Not a mistake of the program, so nothing is printed.
        std::panic::resume_unwind(Box::new(OutOfMemory { bytes }));
    }
    array
}

/// Asks for large pages.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn in_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const PAGE: usize = 4096;
    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    let before = start.align_offset(PAGE);
    let whole = bytes.saturating_sub(before) / PAGE * PAGE;
    if whole == 0 {
        return;
    }
    // SAFETY: these are whole pages of memory that is borrowed here for writing. The advice changes how it is mapped, not what is in it, and where
    // it is not taken nothing happens.
    unsafe { libc::madvise(start.add(before).cast(), whole, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn in_large_pages<T>(_: &mut [MaybeUninit<T>]) {}

/// Has the processor fetch a value that will be read soon and goes on meanwhile. Nothing else happens.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    const LINE: usize = 64;
    let first = std::ptr::from_ref(value).cast::<u8>();
    fetch_line(first);
    let mut line = LINE;
    while line < size_of::<T>() {
        fetch_line(first.wrapping_add(line));
        line += LINE;
    }
}

/// The same of an element of an array; nothing if there is none.
#[inline(always)]
pub fn prefetch_at<T>(array: &[T], place: usize) {
    if let Some(value) = array.get(place) {
        prefetch(value);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
fn fetch_line(at: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 has this instruction, which reads nothing: whatever the address, it is a hint.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn fetch_line(_: *const u8) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_memory_for_can_be_caught() {
        let asked = std::panic::catch_unwind(|| long_array(7_u64, 1 << 58));
        let caught = asked.expect_err("nobody has 2 EiB");
        assert_eq!(caught.downcast_ref(), Some(&OutOfMemory { bytes: 1 << 61 }));
    }

    #[test]
    fn an_array_of_any_length() {
        for len in [0, 1, 511, 512, 513, 5_000_000] {
            let array = long_array(7_u64, len);
            assert!(array.len() == len && array.iter().all(|value| *value == 7));
        }
    }
}
