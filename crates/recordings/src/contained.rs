//! Files on which a library panics.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// What `read` returns; `None` if it panics on this thread, about which nothing is printed. For libraries that panic on damaged files. The
/// first call puts a hook before the one for panics that the program has then.
pub fn contained<T>(read: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !CONTAINED.get() {
                others(panic);
            }
        }));
    });
    let outer = CONTAINED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    CONTAINED.set(outer);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::contained;

    #[test]
    fn a_panic_is_none_inside_another_too() {
        assert_eq!(contained(|| 7), Some(7));
        let inner = || contained(|| -> u8 { panic!("this is not printed") });
        assert_eq!(contained(inner), Some(None));
        assert_eq!(contained(|| -> u8 { panic!("nor is this") }), None);
        assert!(std::panic::catch_unwind(|| panic!("this is printed, as before")).is_err());
    }
}
