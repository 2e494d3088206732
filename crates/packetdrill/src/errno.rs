//! Results of system calls.

use libc::c_int;

/// An error number of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) c_int);

/// What a system call returns.
pub(crate) type Answer = Result<i64, Errno>;

impl Errno {
    /// The call would have to wait.
    pub(crate) const AGAIN: Errno = Errno(libc::EAGAIN);
    /// No such descriptor.
    pub(crate) const BAD_DESCRIPTOR: Errno = Errno(libc::EBADF);
    /// The socket has no connection.
    pub(crate) const NOT_CONNECTED: Errno = Errno(libc::ENOTCONN);
    /// The call makes no sense here.
    pub(crate) const INVALID: Errno = Errno(libc::EINVAL);
    /// The endpoint does not have what the call asks for.
    pub(crate) const UNSUPPORTED: Errno = Errno(libc::EOPNOTSUPP);
    /// The endpoint has no such socket option, or cannot change it any more.
    pub(crate) const NO_OPTION: Errno = Errno(libc::ENOPROTOOPT);
    /// Nothing can end the wait of a call that blocks the only thread.
    pub(crate) const WAITS_FOR_EVER: Errno = Errno(libc::EDEADLK);
}

/// As C expects it: the value, or -1 with `errno` set.
pub(crate) fn to_c(answer: Answer) -> i64 {
    answer.unwrap_or_else(|Errno(number)| {
        // SAFETY: the C library returns a valid pointer to this thread's errno.
        unsafe { *libc::__errno_location() = number };
        -1
    })
}
