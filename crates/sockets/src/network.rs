//! A network on which programs run as tasks.

use crate::core::{Core, Ready};
use crate::error::Error;
use crate::executor::Executor;
use crate::options::Options;
use crate::tcp::{TcpListener, TcpStream};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A network in virtual time, and the programs that communicate over it. Copies stand for the same network.
#[derive(Clone, Debug)]
pub struct Network(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    core: RefCell<Core>,
    executor: RefCell<Executor>,
    waiting: RefCell<BTreeMap<Ready, Vec<Waker>>>,
    options: RefCell<Options>,
}

/// Why programs have not come to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// So many tasks wait for what never happens.
    Stalled(usize),
    /// So many tasks were not done at the end of the scenario.
    TimeIsUp(usize),
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfinished::Stalled(tasks) => write!(f, "{tasks} tasks wait for what never happens"),
            Unfinished::TimeIsUp(tasks) => {
                write!(f, "{tasks} tasks are not done at the end of the scenario\ntip: a longer `duration`")
            }
        }
    }
}

impl std::error::Error for Unfinished {}

impl Network {
    /// The network of a scenario, which may have no flows; those that it has are background traffic.
    ///
    /// # Errors
    /// When the scenario is wrong, or has a grid.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Network::with_settings("network.toml", text, &[] as &[&str])
    }

    /// The same with settings such as `"seeds=[2]"`, which replace keys of the text. The first seed counts. `name` is the file in messages;
    /// relative paths start from its folder.
    ///
    /// # Errors
    /// As [`Network::from_toml`].
    pub fn with_settings(
        name: impl AsRef<Path>,
        text: &str,
        settings: &[impl AsRef<str>],
    ) -> Result<Self, Error> {
        let settings: Vec<String> = settings.iter().map(|it| it.as_ref().to_owned()).collect();
        Ok(Network(Rc::new(Shared {
            core: RefCell::new(Core::new(name.as_ref(), text, &settings)?),
            executor: RefCell::default(),
            waiting: RefCell::default(),
            options: RefCell::default(),
        })))
    }

    /// The TCP of sockets that are made from now on and name none. [`Options::default`] unless this was called.
    pub fn set_options(&self, options: Options) {
        *self.0.options.borrow_mut() = options;
    }
    /// The time since the start.
    pub fn now(&self) -> Duration {
        self.0.core.borrow().now()
    }
    /// The network without tasks, for calls that never wait.
    pub fn core<T>(&self, call: impl FnOnce(&mut Core) -> T) -> T {
        call(&mut self.0.core.borrow_mut())
    }

    /// Listen at a port of a node.
    ///
    /// # Errors
    /// As [`Core::listen`].
    pub fn listen(&self, node: &str, port: u16) -> Result<TcpListener, Error> {
        let options = self.0.options.borrow().clone();
        self.listen_with(node, port, &options)
    }

    /// The same with this TCP, which connections of the listener have.
    ///
    /// # Errors
    /// As [`Core::listen`].
    pub fn listen_with(&self, node: &str, port: u16, options: &Options) -> Result<TcpListener, Error> {
        let id = self.core(|core| core.listen(node, port, options))?;
        Ok(TcpListener::new(self.clone(), id))
    }

    /// Connect a node to a port of another one.
    ///
    /// # Errors
    /// Why there is no connection: [`io::ErrorKind::ConnectionRefused`], [`io::ErrorKind::TimedOut`] and others;
    /// [`io::ErrorKind::InvalidInput`] with an [`Error`] when there is no such node.
    pub async fn connect(&self, node: &str, remote: (&str, u16)) -> io::Result<TcpStream> {
        let options = self.0.options.borrow().clone();
        self.connect_with(node, remote, &options).await
    }

    /// The same with this TCP.
    ///
    /// # Errors
    /// As [`Network::connect`].
    pub async fn connect_with(
        &self,
        node: &str,
        remote: (&str, u16),
        options: &Options,
    ) -> io::Result<TcpStream> {
        let id = self.core(|core| core.connect(node, remote, options));
        let id = id.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let stream = TcpStream::new(self.clone(), id);
        self.retry(Ready::Socket(id), || self.0.core.borrow().connected(id)).await?;
        Ok(stream)
    }

    /// Wait for so long.
    pub fn sleep(&self, time: Duration) -> impl Future<Output = ()> + use<> {
        let (network, until, asked) = (self.clone(), self.now() + time, Cell::new(false));
        std::future::poll_fn(move |context| {
            if network.now() >= until {
                return Poll::Ready(());
            }
            if !asked.replace(true) {
                network.0.executor.borrow_mut().sleep(until, context.waker().clone());
            }
            Poll::Pending
        })
    }

    /// Run a program. It begins when time passes, or when the program that spawns it waits.
    pub fn spawn<T: 'static>(&self, program: impl Future<Output = T> + 'static) -> JoinHandle<T> {
        let joined = Rc::new(Joined { value: RefCell::new(None), waker: RefCell::new(None) });
        let handle = JoinHandle(joined.clone());
        self.0.executor.borrow_mut().add(Box::pin(async move {
            *joined.value.borrow_mut() = Some(program.await);
            if let Some(waker) = joined.waker.borrow_mut().take() {
                waker.wake();
            }
        }));
        handle
    }

    /// Run until all programs are done.
    ///
    /// # Errors
    /// When they wait for what never happens, or the scenario ends before.
    pub fn run(&self) -> Result<(), Unfinished> {
        self.run_while(&|| self.0.executor.borrow().unfinished() > 0)
    }

    /// Run a program until it is done; others do what they have to do meanwhile.
    ///
    /// # Errors
    /// As [`Network::run`].
    pub fn block_on<T: 'static>(&self, program: impl Future<Output = T> + 'static) -> Result<T, Unfinished> {
        let handle = self.spawn(program);
        self.run_while(&|| handle.0.value.borrow().is_none())?;
        handle.take().ok_or(Unfinished::Stalled(1))
    }

    fn run_while(&self, goes_on: &dyn Fn() -> bool) -> Result<(), Unfinished> {
        let end = self.0.core.borrow().duration();
        loop {
            self.take_turns();
            if !goes_on() {
                return Ok(());
            }
            let unfinished = self.0.executor.borrow().unfinished();
            if self.now() >= end {
                return Err(Unfinished::TimeIsUp(unfinished));
            }
            let sleeper = self.0.executor.borrow().next_sleeper();
            if sleeper.is_none() && !self.0.core.borrow().is_busy() {
                return Err(Unfinished::Stalled(unfinished));
            }
            self.pass(sleeper.unwrap_or(end).min(end));
        }
    }

    /// Let time pass until then, since the start. Programs do what is due.
    pub fn run_until(&self, time: Duration) {
        loop {
            self.take_turns();
            let sleeper = self.0.executor.borrow().next_sleeper().filter(|at| *at <= time);
            if !self.pass(sleeper.unwrap_or(time)) && sleeper.is_none() {
                return;
            }
        }
    }

    /// Let time pass until something happens, at most until then; whether something has.
    fn pass(&self, until: Duration) -> bool {
        let has_happened = self.0.core.borrow_mut().advance(until);
        if has_happened {
            let ready = self.0.core.borrow_mut().take_ready();
            let mut waiting = self.0.waiting.borrow_mut();
            ready.iter().filter_map(|place| waiting.remove(place)).flatten().for_each(Waker::wake);
        }
        let now = self.now();
        self.0.executor.borrow_mut().wake_sleepers(now);
        has_happened
    }

    fn take_turns(&self) {
        loop {
            let Some((number, mut task, waker)) = self.0.executor.borrow_mut().take() else { return };
            match task.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(()) => self.0.executor.borrow_mut().finish(),
                Poll::Pending => self.0.executor.borrow_mut().give_back(number, task),
            }
        }
    }

    /// Call until it would not block, whenever something has happened there.
    pub(crate) fn retry<T>(
        &self,
        place: Ready,
        mut call: impl FnMut() -> io::Result<T>,
    ) -> impl Future<Output = io::Result<T>> {
        std::future::poll_fn(move |context| match call() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut waiting = self.0.waiting.borrow_mut();
                let wakers = waiting.entry(place).or_default();
                if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                    wakers.push(context.waker().clone());
                }
                Poll::Pending
            }
            done => Poll::Ready(done),
        })
    }
}

#[derive(Debug)]
struct Joined<T> {
    value: RefCell<Option<T>>,
    waker: RefCell<Option<Waker>>,
}

/// The result of a program that was spawned. The program goes on when this is dropped.
#[derive(Debug)]
pub struct JoinHandle<T>(Rc<Joined<T>>);

impl<T> JoinHandle<T> {
    /// The result, if the program is done and nobody has taken it.
    pub fn take(&self) -> Option<T> {
        self.0.value.borrow_mut().take()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = T;
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match self.take() {
            Some(value) => Poll::Ready(value),
            None => {
                *self.0.waker.borrow_mut() = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
