//! The table of functions that packetdrill calls (gtests/net/packetdrill/packetdrill.h).

use crate::blocking::Shared;
use crate::covers::*;
use crate::settings::Subject;
use crate::world::World;
use libc::{
    c_char, c_int, c_longlong, c_uint, c_ulong, c_void, iovec, msghdr, nfds_t, pollfd, size_t, sockaddr,
    socklen_t, ssize_t, timeval,
};
use std::ffi::CStr;

/// `struct packetdrill_interface`. `fcntl` and `ioctl` are variadic in C; with the integers and the pointer that packetdrill passes,
/// the calling conventions of Linux are the same.
#[repr(C)]
#[derive(Debug)]
pub struct Interface {
    userdata: *const Shared,
    free: unsafe extern "C" fn(&Shared),
    socket: unsafe extern "C" fn(&Shared, c_int, c_int, c_int) -> c_int,
    bind: unsafe extern "C" fn(&Shared, c_int, *const sockaddr, socklen_t) -> c_int,
    listen: unsafe extern "C" fn(&Shared, c_int, c_int) -> c_int,
    accept: unsafe extern "C" fn(&Shared, c_int, *mut sockaddr, *mut socklen_t) -> c_int,
    connect: unsafe extern "C" fn(&Shared, c_int, *const sockaddr, socklen_t) -> c_int,
    read: unsafe extern "C" fn(&Shared, c_int, *mut c_void, size_t) -> ssize_t,
    readv: unsafe extern "C" fn(&Shared, c_int, *const iovec, c_int) -> ssize_t,
    recv: unsafe extern "C" fn(&Shared, c_int, *mut c_void, size_t, c_int) -> ssize_t,
    recvfrom: unsafe extern "C" fn(
        &Shared,
        c_int,
        *mut c_void,
        size_t,
        c_int,
        *mut sockaddr,
        *mut socklen_t,
    ) -> ssize_t,
    recvmsg: unsafe extern "C" fn(&Shared, c_int, *mut msghdr, c_int) -> ssize_t,
    write: unsafe extern "C" fn(&Shared, c_int, *const c_void, size_t) -> ssize_t,
    writev: unsafe extern "C" fn(&Shared, c_int, *const iovec, c_int) -> ssize_t,
    send: unsafe extern "C" fn(&Shared, c_int, *const c_void, size_t, c_int) -> ssize_t,
    sendto: unsafe extern "C" fn(
        &Shared,
        c_int,
        *const c_void,
        size_t,
        c_int,
        *const sockaddr,
        socklen_t,
    ) -> ssize_t,
    sendmsg: unsafe extern "C" fn(&Shared, c_int, *const msghdr, c_int) -> ssize_t,
    fcntl: unsafe extern "C" fn(&Shared, c_int, c_int, c_int) -> c_int,
    ioctl: unsafe extern "C" fn(&Shared, c_int, c_ulong, *mut c_int) -> c_int,
    close: unsafe extern "C" fn(&Shared, c_int) -> c_int,
    shutdown: unsafe extern "C" fn(&Shared, c_int, c_int) -> c_int,
    getsockopt: unsafe extern "C" fn(&Shared, c_int, c_int, c_int, *mut c_void, *mut socklen_t) -> c_int,
    setsockopt: unsafe extern "C" fn(&Shared, c_int, c_int, c_int, *const c_void, socklen_t) -> c_int,
    poll: unsafe extern "C" fn(&Shared, *mut pollfd, nfds_t, c_int) -> c_int,
    netdev_send: unsafe extern "C" fn(&Shared, *const c_void, size_t) -> c_int,
    netdev_receive: unsafe extern "C" fn(&Shared, *mut c_void, *mut size_t, *mut c_longlong) -> c_int,
    usleep: unsafe extern "C" fn(&Shared, c_uint) -> c_int,
    gettimeofday: unsafe extern "C" fn(&Shared, *mut timeval, *mut c_void) -> c_int,
    epoll_create: unsafe extern "C" fn(&Shared, c_int) -> c_int,
    epoll_ctl: unsafe extern "C" fn(&Shared, c_int, c_int, c_int, *mut c_void) -> c_int,
    epoll_wait: unsafe extern "C" fn(&Shared, c_int, *mut c_void, c_int, c_int) -> c_int,
    pipe: unsafe extern "C" fn(&Shared, *mut c_int) -> c_int,
    splice: unsafe extern "C" fn(&Shared, c_int, *mut i64, c_int, *mut i64, size_t, c_uint) -> ssize_t,
}

/// packetdrill calls this once, with the text of `--so_flags`, and uses the table afterwards.
///
/// # Safety
/// `flags` is null or a C string, and `interface` points to room for an `Interface`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packetdrill_interface_init(flags: *const c_char, interface: *mut Interface) {
    let flags = match flags.is_null() {
        true => String::new(),
        // SAFETY: by this function's contract.
        false => unsafe { CStr::from_ptr(flags) }.to_string_lossy().into_owned(),
    };
    let shared = Box::leak(Box::new(Shared::new(World::new(Subject::read(&flags)))));
    // SAFETY: by this function's contract.
    unsafe { interface.write(table(shared)) };
}

fn table(userdata: &'static Shared) -> Interface {
    Interface {
        userdata,
        free,
        socket,
        bind,
        listen,
        accept,
        connect,
        read,
        readv,
        recv,
        recvfrom,
        recvmsg,
        write,
        writev,
        send,
        sendto,
        sendmsg,
        fcntl,
        ioctl,
        close,
        shutdown,
        getsockopt,
        setsockopt,
        poll,
        netdev_send,
        netdev_receive,
        usleep,
        gettimeofday,
        epoll_create,
        epoll_ctl,
        epoll_wait,
        pipe,
        splice,
    }
}
