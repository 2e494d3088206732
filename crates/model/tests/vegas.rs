//! Worked by hand.

use seamline_model::vegas::{Detour, detour_rates, detour_windows};

/// The tunnel of paper V: 2 ms to the home agent and 2 ms back, 1000 bytes, alpha 1, beta 3. One packet of 8000 bits in 4 ms
/// are 2 Mb/s, three are 6 Mb/s; with a BaseRTT of 50 ms, 54/4 = 13.5 and 40.5 packets are under way.
#[test]
fn the_tunnel_of_paper_v() {
    let detour =
        Detour { seconds: 0.004, segment_size: 1000, alpha: 1.0, beta: 3.0, rounds_difference: false };
    assert_eq!(detour_rates(detour), [2e6, 6e6]);
    let [least, most] = detour_windows(detour, 0.05);
    let rounded = Detour { rounds_difference: true, ..detour };
    assert_eq!(detour_rates(rounded), [1e6, 7e6]);
    assert!((least - 13.5).abs() < 1e-9 && (most - 40.5).abs() < 1e-9, "{least} {most}");
}
