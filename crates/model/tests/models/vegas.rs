//! Expected values were worked out by hand.

use seamline_model::vegas::{Detour, detour_rates};

/// The tunnel of paper mobility-vegas-2020: 2 ms to the home agent and 2 ms back, 1000 bytes, alpha 1, beta 3. One
/// packet of 8000 bits in 4 ms is 2 Mbit/s, three are 6 Mbit/s.
#[test]
fn tunnel_of_mobility_vegas_2020() {
    let detour =
        Detour { seconds: 0.004, segment_size: 1000, alpha: 1.0, beta: 3.0, rounds_difference: false };
    assert_eq!(detour_rates(detour), [2e6, 6e6]);
    let rounded = Detour { rounds_difference: true, ..detour };
    assert_eq!(detour_rates(rounded), [1e6, 7e6]);
}
