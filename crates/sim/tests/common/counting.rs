//! An allocator that counts what the calling thread does; tests run in threads of their own.
#![expect(
    unsafe_code,
    reason = "the interface of allocators is unsafe; every call is passed on to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts allocations and bytes by thread.
#[derive(Debug)]
pub struct CountingAllocator;

/// What a thread has allocated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap {
    /// Allocations and reallocations so far.
    pub allocations: u64,
    /// Bytes not yet given back.
    pub live_bytes: usize,
    /// The most bytes that were live at once since [`forget_peak`].
    pub peak_bytes: usize,
}

thread_local! {
    static HEAP: Cell<Heap> = const { Cell::new(Heap { allocations: 0, live_bytes: 0, peak_bytes: 0 }) };
}

/// What the calling thread has allocated.
pub fn heap() -> Heap {
    HEAP.get()
}

/// Begin a new peak.
pub fn forget_peak() {
    let heap = HEAP.get();
    HEAP.set(Heap { peak_bytes: heap.live_bytes, ..heap });
}

fn note(allocated: usize, freed: usize) {
    // A thread that is ending has no counters any more.
    let _ = HEAP.try_with(|cell| {
        let mut heap = cell.get();
        heap.allocations += u64::from(allocated > 0);
        // What another thread allocated may be freed here.
        heap.live_bytes = (heap.live_bytes + allocated).saturating_sub(freed);
        heap.peak_bytes = heap.peak_bytes.max(heap.live_bytes);
        cell.set(heap);
    });
}

// SAFETY: every method passes its arguments to the system's allocator unchanged and returns what that
// returns; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(place, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(new_size, layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.realloc(place, layout, new_size) }
    }
}
