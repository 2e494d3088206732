//! Numbers as people read them.

/// `41.2 Mbit/s`: three significant digits.
pub fn bit_rate(bits_per_second: f64) -> String {
    scaled(bits_per_second, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"])
}

/// `5.15 MB`.
pub fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, &["B", "kB", "MB", "GB", "TB"])
}

/// `76 ms`, `1.20 s`.
pub fn millis(millis: f64) -> String {
    if millis >= 999.5 { format!("{} s", digits(millis / 1e3)) } else { format!("{} ms", digits(millis)) }
}

/// The mean of a count: `12`, `0.7`.
pub fn count(mean: f64) -> String {
    if mean.fract() == 0.0 || mean >= 99.95 { format!("{mean:.0}") } else { format!("{mean:.1}") }
}

/// `1 seed`, `5 seeds`.
pub fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn scaled(value: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut place = 0;
    while value >= 999.5 && place + 1 < units.len() {
        value /= 1e3;
        place += 1;
    }
    format!("{} {}", digits(value), units[place])
}

/// Three significant digits, but no fraction of what is large.
pub fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        magnitude if magnitude >= 99.95 => format!("{value:.0}"),
        magnitude if magnitude >= 9.995 => format!("{value:.1}"),
        magnitude if magnitude >= 0.9995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_the_unit_that_fits() {
        assert_eq!(bit_rate(41_237_000.0), "41.2 Mbit/s");
        assert_eq!(bit_rate(999_600.0), "1.00 Mbit/s");
        assert_eq!(bit_rate(0.0), "0 bit/s");
        assert_eq!(bytes(5_153_000), "5.15 MB");
        assert_eq!(millis(76.4), "76.4 ms");
        assert_eq!(millis(1204.0), "1.20 s");
    }
}
