//! A calibration as text.

use super::{Calibration, Delay, Drops, PUBLISHED, Spread};
use std::fmt::{Display, Write as _};

/// The measurements, with published figures of others.
pub fn table(calibration: &Calibration) -> String {
    let Calibration { host, delay, rate, interruption, throughput, .. } = calibration;
    let mut out =
        format!("Linux {}, {} processors, emulator: {}\n", host.kernel, host.processors, host.priority);
    heading(&mut out, "One-way delay", ["median", "p99", "most"]);
    row(&mut out, "bare path: no delay, no rate", delay.bare_path);
    for link in &delay.links {
        row(&mut out, &format!("{} ms: longer by", link.configured_ms), link.error);
        let _ =
            writeln!(out, "  {:<44}{:>12}", "  beyond the bare path", micros(link.error_less_bare_path_us));
    }
    let jitter = |out: &mut String, link: &Delay, when: &str| {
        row(out, &format!("{} ms: jitter, {when}", link.configured_ms), link.jitter);
    };
    if let Some(idle) = delay.links.iter().find(|link| link.configured_ms == delay.with_tcp.configured_ms) {
        jitter(&mut out, idle, "nothing else");
    }
    let load = format!("next to {:.0} Mbit/s of TCP", delay.with_tcp_mbit_per_s);
    let what = format!("{} ms: longer by, {load}", delay.with_tcp.configured_ms);
    row(&mut out, &what, delay.with_tcp.error);
    jitter(&mut out, &delay.with_tcp, &load);
    others(&mut out, "delay");

    heading(&mut out, "Rate, packets of 1500 bytes", ["error", "spacing", "p99"]);
    for figure in rate {
        let lost = if figure.lost == 0 { String::new() } else { format!(" ({} lost)", figure.lost) };
        let what = format!("  {} Mbit/s, {} packets{lost}", figure.configured_mbit_per_s, figure.packets);
        let [median, p99] = [figure.spacing.median_us, figure.spacing.p99_us].map(micros);
        line(&mut out, &what, [format!("{:+.3} %", figure.error_percent), median, p99]);
    }
    let _ =
        writeln!(out, "  spacing: by how much the time between two packets was off, at the median and p99");
    others(&mut out, "rate");

    let _ = writeln!(out, "\nLosses: those that the link's model loses when it runs alone");
    calibration.drops.iter().for_each(|drops| losses(&mut out, drops));

    let _ = writeln!(out, "\nHandover that interrupts for {} ms", interruption.configured_ms);
    let gaps: Vec<String> = interruption.gaps_ms.iter().map(|gap| format!("{gap:.2}")).collect();
    let _ = writeln!(out, "  nothing arrived for {} ms", gaps.join(", "));
    let resolution = interruption.resolution_ms;
    let _ = writeln!(out, "  (a datagram every {resolution} ms: gaps may be longer by as much)");

    let _ = writeln!(out, "\nThroughput: TCP over a link without limits, packets of 1500 bytes");
    let _ = writeln!(
        out,
        "  {:.0} Mbit/s of goodput, {:.0} packets/s, {:.0} % of a processor for the emulator",
        throughput.goodput_mbit_per_s, throughput.packets_per_s, throughput.emulator_processor_percent
    );
    others(&mut out, "throughput");

    let (used, stall) = (host.used_by_others_percent, host.longest_stall_ms);
    let _ = match host.was_busy {
        true => writeln!(
            out,
            "\nThe host was busy: others used {used:.0} % of its processors, and for up to {stall:.0} ms nothing ran. Delays, jitter\n\
             and throughput then say little of the emulator; repeat them when it is idle. Losses stay exact."
        ),
        false => writeln!(out, "\nThe host was otherwise idle: others used {used:.0} % of its processors."),
    };
    out
}

fn heading(out: &mut String, what: &str, columns: [&str; 3]) {
    out.push('\n');
    line(out, what, columns);
}

fn row(out: &mut String, what: &str, Spread { median_us, p99_us, max_us }: Spread) {
    line(out, &format!("  {what}"), [median_us, p99_us, max_us].map(micros));
}

fn line(out: &mut String, what: &str, [first, second, third]: [impl Display; 3]) {
    let _ = writeln!(out, "{what:<46}{first:>12}{second:>12}{third:>12}");
}

fn micros(micros: f64) -> String {
    if micros.abs() < 1000.0 { format!("{micros:.0} us") } else { format!("{:.2} ms", micros / 1000.0) }
}

fn losses(out: &mut String, drops: &Drops) {
    let Drops { model, sent, expected, lost_as_expected, lost_otherwise, is_known } = drops;
    let others = match lost_otherwise {
        0 => "no other".to_owned(),
        some => format!("{some} others"),
    };
    let _ = write!(out, "  {:<44}", format!("{model}, {sent} sent"));
    let _ = match is_known {
        true => writeln!(out, "{lost_as_expected} of {expected}, and {others}"),
        false => writeln!(out, "not known: the host was too busy"),
    };
}

fn others(out: &mut String, part: &str) {
    for known in PUBLISHED.iter().filter(|known| known.part == part) {
        let _ = writeln!(out, "  others: {}:\n    {}\n    [{}]", known.whose, known.says, known.source);
    }
}
