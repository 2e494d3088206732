//! Many connections at once, each with one small request after the other, at a rate that all together keep.

use crate::hosts::pause;
use crate::path::{Path, SERVER};
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::socket::{setsockopt, sockopt};
use seamline_host::clock;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};

const REQUEST: usize = 100;
const ANSWER: usize = 10_000;
const PORT: u16 = 7000;
const AT_ONCE: usize = 512;

/// What is asked of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    /// Of the answers, in bits per second.
    pub(crate) rate: f64,
    pub(crate) seconds: f64,
}

impl Load {
    /// A small one, unless another one is set.
    pub(crate) fn of_environment() -> Self {
        let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
        Load {
            connections: number("SEAMLINE_COST_CONNECTIONS", 200.0) as usize,
            rate: number("SEAMLINE_COST_MBITS", 50.0) * 1e6,
            seconds: number("SEAMLINE_COST_SECONDS", 0.2),
        }
    }
    fn requests_until(&self, elapsed: f64) -> u64 {
        (elapsed * self.rate / (8.0 * ANSWER as f64)) as u64
    }
}

/// What became of that.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) megabits_per_second: f64,
    /// Times from a request to the end of its answer, of half of them, and of 99 %.
    pub(crate) took_ms: [f64; 2],
}

/// Whether this process may have so many open files.
pub(crate) fn may_open(connections: usize) -> bool {
    let needed = connections as u64 + 200;
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return false };
    soft >= needed || setrlimit(Resource::RLIMIT_NOFILE, needed, hard.max(needed)).is_ok()
}

/// Both ends of all connections.
pub(crate) struct Asking {
    server: Child,
    client: Client,
}

impl Asking {
    /// Connect.
    pub(crate) fn begin(path: &Path, connections: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "flows::the_server_itself", "--nocapture"]);
        command.env("SEAMLINE_COST_SERVER", connections.to_string());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
        let server = path.fixed.within(|| command.spawn()).unwrap();
        Asking { server, client: Client::new((0..connections).map(|_| connected(path)).collect()) }
    }
    /// Ask for so long, and a fifth of that before, which does not count.
    pub(crate) fn run(&mut self, load: Load) -> Answered {
        self.client.run(load)
    }
    /// Close all.
    pub(crate) fn end(mut self) {
        drop(self.server.stdin.take());
        assert!(self.server.wait().unwrap().success());
    }
}

/// Not a test, but the process of [`Asking`] that answers, until its input ends: each process has its own open files.
#[test]
fn the_server_itself() {
    let Ok(count) = std::env::var("SEAMLINE_COST_SERVER") else { return };
    let count = count.parse().unwrap();
    assert!(may_open(count));
    let listener = TcpListener::bind((SERVER, PORT)).unwrap();
    // As in the other measurement.
    setsockopt(&listener, sockopt::TcpCongestion, &"cubic".into()).unwrap();
    serve(&listener, count);
}

fn connected(path: &Path) -> TcpStream {
    for _ in 0..1000 {
        if let Ok(stream) = path.mobile.within(|| TcpStream::connect((SERVER, PORT))) {
            stream.set_nonblocking(true).unwrap();
            stream.set_nodelay(true).unwrap();
            return stream;
        }
        pause(10);
    }
    panic!("the server does not begin");
}

fn watch(epoll: &Epoll, it: impl AsFd, number: usize, flags: EpollFlags) {
    epoll.add(it, EpollEvent::new(flags, number as u64)).unwrap();
}

/// Accept all, then answer until the standard input ends.
fn serve(listener: &TcpListener, count: usize) {
    let epoll = Epoll::new(EpollCreateFlags::empty()).unwrap();
    let (answer, mut room) = (vec![7; ANSWER], vec![0; 1 << 14]);
    let mut streams: Vec<(TcpStream, usize)> = Vec::with_capacity(count);
    for number in 0..count {
        let (stream, _) = listener.accept().unwrap();
        stream.set_nonblocking(true).unwrap();
        stream.set_nodelay(true).unwrap();
        watch(&epoll, &stream, number, EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLET);
        streams.push((stream, 0));
    }
    watch(&epoll, std::io::stdin(), count, EpollFlags::EPOLLIN);
    let mut events = [EpollEvent::empty(); AT_ONCE];
    loop {
        let ready = wait(&epoll, &mut events, EpollTimeout::NONE);
        for event in &events[..ready] {
            let Some((stream, owed)) = streams.get_mut(event.data() as usize) else { return };
            *owed += read(stream, &mut room) / REQUEST * ANSWER;
            while *owed > 0 {
                match stream.write(&answer[..ANSWER.min(*owed)]) {
                    Ok(written) => *owed -= written,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}

/// How many are ready: zero where a stop of the process interrupts the call (signal(7)).
fn wait(epoll: &Epoll, events: &mut [EpollEvent], timeout: EpollTimeout) -> usize {
    match epoll.wait(events, timeout) {
        Err(Errno::EINTR) => 0,
        ready => ready.unwrap(),
    }
}

/// How much there is to be read now.
fn read(stream: &mut TcpStream, room: &mut [u8]) -> usize {
    match stream.read(room) {
        Ok(length) => length,
        Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
        Err(error) => panic!("{error}"),
    }
}

struct Client {
    epoll: Epoll,
    streams: Vec<TcpStream>,
    /// Of each, when it has asked, and how much of the answer is missing.
    waits: Vec<(f64, usize)>,
    /// Idle connections take turns, so that all of them are in use.
    turns: VecDeque<usize>,
    took: Vec<f64>,
}

impl Client {
    fn new(streams: Vec<TcpStream>) -> Self {
        let epoll = Epoll::new(EpollCreateFlags::empty()).unwrap();
        let count = streams.len();
        streams.iter().enumerate().for_each(|(number, it)| watch(&epoll, it, number, EpollFlags::EPOLLIN));
        Client { epoll, streams, waits: vec![(0.0, 0); count], turns: (0..count).collect(), took: Vec::new() }
    }

    fn run(&mut self, load: Load) -> Answered {
        let begun = clock::monotonic();
        let elapsed = || clock::monotonic().saturating_since(begun).as_secs_f64();
        let warm_up = load.seconds / 5.0;
        let (mut asked, mut counted) = (0, None);
        let mut events = [EpollEvent::empty(); AT_ONCE];
        loop {
            let now = elapsed();
            if counted.is_some_and(|from| now > from + load.seconds) {
                break;
            }
            if now > warm_up && counted.is_none() {
                counted = Some(now);
                self.took.clear();
            }
            let due = load.requests_until(now) - asked;
            asked += due;
            // Where none is idle, requests are left out.
            for number in self.turns.drain(..self.turns.len().min(due as usize)) {
                self.waits[number] = (elapsed(), ANSWER);
                self.streams[number].write_all(&[1; REQUEST]).unwrap();
            }
            let ready = wait(&self.epoll, &mut events, EpollTimeout::try_from(1).unwrap());
            for event in &events[..ready] {
                self.on_answer(event.data() as usize, elapsed());
            }
        }
        let seconds = elapsed() - counted.unwrap();
        let megabits_per_second = self.took.len() as f64 * 8.0 * ANSWER as f64 / seconds / 1e6;
        self.took.sort_by(f64::total_cmp);
        let share = |share: f64| {
            self.took.get((self.took.len() as f64 * share) as usize).map_or(f64::NAN, |it| it * 1e3)
        };
        Answered { megabits_per_second, took_ms: [0.5, 0.99].map(share) }
    }

    fn on_answer(&mut self, number: usize, now: f64) {
        let mut room = [0; 1 << 14];
        let (since, missing) = &mut self.waits[number];
        *missing -= read(&mut self.streams[number], &mut room);
        if *missing == 0 {
            self.took.push(now - *since);
            self.turns.push_back(number);
        }
    }
}
