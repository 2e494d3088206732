//! NAME: slow start, then additive increase and multiplicative decrease (AIMD), with a step and a factor to choose.
//! It works as it is. Replace its rules by yours.

use seamline::keys::{Keys, number, table};
use seamline::tcp::cc::{Acked, Algorithm, CongestionControl, Loss};
use seamline::tcp::view::{View, Window};

/// What scenarios and `seamline list` know of it.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "NAME",
    summary: "additive increase by a step, multiplicative decrease by a factor",
    // Where it is specified: a paper or an RFC.
    cite: "",
    // Recoveries that make no sense with it, each with the reason.
    refuses: &[],
    // Whether it needs `view.sent` and `acked.fine_round_trip`.
    needs_send_log: false,
    // Called once for each connection.
    build: &|parameters| Box::new(Control { parameters: parameters.congestion_control.own.get() }),
};

/// Its parameters. The default of each is that of the scenario's keys.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Segments that the window grows per round-trip time.
    pub increase: f64,
    /// What is left of the window after a loss, as a factor.
    pub decrease: f64,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters { increase: 2.0, decrease: 0.8 }
    }
}

/// The keys of the table `NAME` in a flow, one for each parameter, with its bounds. `seamline::keys` has other kinds of values, such as
/// `time()` and `boolean()`.
pub fn keys() -> Keys<'static, Parameters> {
    table! { Parameters;
        key increase: number(0.01, 100.0), "Segments that the window grows per round-trip time";
        key decrease: number(0.1, 0.99), "Factor of the window after a loss";
    }
}

/// The state of one connection. Windows are in segments.
#[derive(Debug)]
struct Control {
    parameters: Parameters,
}

impl CongestionControl for Control {
    /// An acknowledgment arrives, and the window may grow. `view` is what the sender knows; the returned window replaces its own.
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        let mut window = view.window;
        // A window that the application does not fill says nothing about the network.
        if !view.congestion_limited {
            return window;
        }
        // How many segments the acknowledgment is worth under the flow's profile.
        let segments = view.parameters.window.growth(acked, view);
        if window.congestion < window.threshold {
            window.congestion += segments;
        } else {
            // A round-trip time acknowledges the whole window.
            window.congestion += self.parameters.increase * segments / window.congestion;
        }
        window
    }

    /// A segment was lost: found from acknowledgments, or by a timeout, after which the window starts from one segment.
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        let in_use = view.flight_segments().min(view.effective_window());
        let threshold = (in_use * self.parameters.decrease).max(2.0);
        let congestion = match loss {
            Loss::Detected => threshold,
            Loss::Collapsed => 1.0,
        };
        Window { congestion, threshold }
    }
}
