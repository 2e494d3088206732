//! Only Linux runs Linux kernels.

use super::Arguments;
use crate::terminal::Failure;
use seamline_advise::kernel::Checked;
use seamline_advise::{Advice, Question};
use seamline_cli::interrupt::Interrupt;
use std::convert::Infallible;

pub(super) fn kernel(arguments: &Arguments) -> Result<Option<Infallible>, Failure> {
    match &arguments.kernel {
        Some(_) => Err(Failure::Input("--kernel: kernels run on Linux only".to_owned())),
        None => Ok(None),
    }
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
