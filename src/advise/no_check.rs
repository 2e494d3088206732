//! Only Linux runs Linux kernels.

use super::Arguments;
use crate::terminal::Failure;
use seamline_advise::kernel::{Checked, KernelRun};
use seamline_advise::{Advice, Question};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::record::RunRecord;
use seamline_wire::Duration;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) fn kernel(arguments: &Arguments) -> Result<Option<Infallible>, Failure> {
    match &arguments.kernel {
        Some(_) => Err(Failure::Input("--kernel: kernels run on Linux only".to_owned())),
        None => Ok(None),
    }
}

pub(super) fn stack(arguments: &Arguments) -> Result<Option<Infallible>, Failure> {
    match &arguments.stack {
        Some(_) => Err(Failure::Input("--stack: kernels run on Linux only".to_owned())),
        None => Ok(None),
    }
}

pub(super) fn name(kernel: &Infallible) -> &str {
    match *kernel {}
}

pub(super) fn over_kernel(
    _: &KernelRun,
    kernel: &Infallible,
    _: &Arc<AtomicBool>,
    _: Option<Duration>,
) -> Result<Option<RunRecord>, String> {
    match *kernel {}
}

pub(super) fn check(
    _: &Question,
    _: &Advice,
    kernel: &Infallible,
    _: &Arguments,
    _: &Interrupt,
) -> Result<Option<Checked>, Failure> {
    match *kernel {}
}
