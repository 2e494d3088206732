//! A congestion control for measurements: the window is what the scenario limits it to, whatever is lost.

use seamline::keys::{Keys, table};
use seamline::tcp::cc::{Acked, Algorithm, CongestionControl, Loss};
use seamline::tcp::view::{View, Window};

pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "fixed",
    summary: "a window that does not change",
    cite: "",
    refuses: &[],
    needs_send_log: false,
    build: &|_| Box::new(Fixed),
};

/// It has no parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters;

pub(crate) fn keys() -> Keys<'static, Parameters> {
    table! { Parameters; }
}

#[derive(Debug)]
struct Fixed;

impl CongestionControl for Fixed {
    fn on_ack(&mut self, _: &Acked, view: &View) -> Window {
        let limit = f64::from(view.parameters.window.limit);
        Window { congestion: limit, threshold: limit }
    }
    fn on_loss(&mut self, _: Loss, view: &View) -> Window {
        let limit = f64::from(view.parameters.window.limit);
        Window { congestion: limit, threshold: limit }
    }
}
