//! Work without the interpreter, which Ctrl-C ends.

use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// How often signals are looked for, and progress is reported.
const PERIOD: Duration = Duration::from_millis(50);

thread_local! {
    /// What the thread works for.
    static WORK: RefCell<Option<Work>> = const { RefCell::new(None) };
}

/// Work that a class of Python may end by an exception.
#[derive(Clone, Default)]
pub(crate) struct Work {
    stop: Arc<AtomicBool>,
    /// What a class of Python has raised.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Work {
    /// Threads for it: so many, or one for each processor (0).
    ///
    /// # Errors
    /// When the system has no threads left.
    pub(crate) fn pool(&self, py: Python<'_>, threads: usize) -> PyResult<rayon::ThreadPool> {
        let work = self.clone();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.spawn_handler(|thread| {
            let work = work.clone();
            // Attached once and detached, it keeps its state in the interpreter: a call of Python need not make one.
            let run = move || {
                WORK.set(Some(work));
                Python::attach(|py| py.detach(|| thread.run()));
            };
            std::thread::Builder::new().spawn(run).map(drop)
        });
        pool.build().map_err(|error| crate::errors::failed(py, error.to_string()))
    }

    /// Do some of it on this thread.
    pub(crate) fn here<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = WORK.replace(Some(self.clone()));
        let done = work();
        WORK.set(before);
        done
    }

    /// What a class of Python has raised, if anything.
    ///
    /// # Errors
    /// That.
    pub(crate) fn check(&self) -> PyResult<()> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(Ok(()), Err)
    }

    /// More of it follows, although it was stopped.
    pub(crate) fn go_on(&self) {
        self.stop.store(false, Ordering::Relaxed);
    }
}

/// Whether the work of this thread is being stopped.
pub(crate) fn is_stopping() -> bool {
    WORK.with_borrow(|work| work.as_ref().is_some_and(|work| work.stop.load(Ordering::Relaxed)))
}

/// Whether a class of Python has raised something in the work of this thread.
pub(crate) fn has_raised() -> bool {
    let has_raised = |work: &Work| work.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    WORK.with_borrow(|work| work.as_ref().is_some_and(has_raised))
}

/// Stop the work of this thread, because a class of Python has raised this.
pub(crate) fn stop_with(error: PyErr) {
    WORK.with_borrow(|work| {
        let Some(work) = work else { return };
        work.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        work.stop.store(true, Ordering::Relaxed);
    });
}

/// What is known of work that is under way.
pub(crate) struct Progress {
    work: Work,
    finished: AtomicUsize,
    report: Option<Py<PyAny>>,
}

impl Progress {
    /// Reported to a function of Python, if there is one, and ended by `stop`.
    pub(crate) fn new(report: Option<Py<PyAny>>, stop: Option<Arc<AtomicBool>>) -> Self {
        let work = Work { stop: stop.unwrap_or_default(), ..Work::default() };
        Progress { work, finished: AtomicUsize::new(0), report }
    }

    /// Set when the work is to end.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        self.work.stop.clone()
    }

    /// A run is done.
    pub(crate) fn finished_one(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// How many are done.
    pub(crate) fn finished(&self) -> usize {
        self.finished.load(Ordering::Relaxed)
    }

    fn look(&self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        if let Some(report) = &self.report {
            report.call1(py, (self.finished(),))?;
        }
        Ok(())
    }
}

/// Do work on `workers` processors (0: all) while other threads of Python go on.
///
/// # Errors
/// What a signal, the report of progress, or a class of Python in a run raises; the work is stopped first.
pub(crate) fn in_background<T: Send>(
    py: Python<'_>,
    progress: &Progress,
    workers: usize,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let pool = progress.work.pool(py, workers)?;
    let (done, mut result) = mpsc::sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(move || done.send(pool.install(work)));
        loop {
            match wait(py, &mut result) {
                Ok(value) => {
                    progress.work.check()?;
                    // A report of the end, so that bars are full.
                    progress.look(py)?;
                    return Ok(value);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(crate::errors::failed(py, "the simulator panicked".to_owned()));
                }
            }
            if let Err(error) = progress.look(py) {
                progress.work.stop.store(true, Ordering::Relaxed);
                while matches!(wait(py, &mut result), Err(mpsc::RecvTimeoutError::Timeout)) {}
                return Err(error);
            }
        }
    })
}

fn wait<T: Send>(py: Python<'_>, result: &mut mpsc::Receiver<T>) -> Result<T, mpsc::RecvTimeoutError> {
    py.detach(move || result.recv_timeout(PERIOD))
}
