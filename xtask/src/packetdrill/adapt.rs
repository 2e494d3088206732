//! FreeBSD's scripts, made to fit packetdrill on Linux. What FreeBSD alone says of a segment (its window, the options and the window of
//! a SYN, in FreeBSD's order) is left open; so are system calls that ask for FreeBSD's numbers.

use super::suites;
use crate::support::at;
use std::fs;
use std::path::Path;

/// Directories and files about what Linux's dialect of packetdrill cannot express.
const LEFT_OUT: [&str; 4] = ["/tcp-over-udp/", "/snippets/", "/fast-open/", "insecure"];
/// Settings of FreeBSD, and what sets the same on Linux, or a file that our endpoint alone has.
const SETTINGS: [(&str, &str); 22] = [
    ("net.inet.tcp.drop_synfin=0", "sysctl -qe net.inet.tcp_drop_synfin=0"),
    ("net.inet.tcp.drop_synfin=1", "sysctl -qe net.inet.tcp_drop_synfin=1"),
    ("net.inet.tcp.ecn.maxretries=0", "sysctl -qe net.inet.tcp_ecn_maxretries=0"),
    ("net.inet.tcp.ecn.maxretries=1", "sysctl -qe net.inet.tcp_ecn_maxretries=1"),
    ("net.inet.tcp.icmp_may_rst=0", "sysctl -qe net.inet.tcp_icmp_may_rst=0"),
    ("net.inet.tcp.icmp_may_rst=1", "sysctl -qe net.inet.tcp_icmp_may_rst=1"),
    ("net.inet.tcp.keepinit=15000", "sysctl -qe net.inet.tcp_keepinit=15"),
    ("net.inet.tcp.keepinit=75000", "sysctl -qe net.inet.tcp_keepinit=75"),
    ("net.inet.tcp.rfc1323=0", "sysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_window_scaling=0"),
    ("net.inet.tcp.rfc1323=1", "sysctl -q net.ipv4.tcp_timestamps=1 net.ipv4.tcp_window_scaling=1"),
    ("net.inet.tcp.sack.enable=0", "sysctl -q net.ipv4.tcp_sack=0"),
    ("net.inet.tcp.sack.enable=1", "sysctl -q net.ipv4.tcp_sack=1"),
    ("net.inet.tcp.ecn.enable=0", "sysctl -q net.ipv4.tcp_ecn=0"),
    ("net.inet.tcp.ecn.enable=1", "sysctl -q net.ipv4.tcp_ecn=1"),
    ("net.inet.tcp.ecn.enable=2", "sysctl -q net.ipv4.tcp_ecn=2"),
    ("net.inet.tcp.keepcnt=2", "sysctl -q net.ipv4.tcp_keepalive_probes=2"),
    ("net.inet.tcp.keepcnt=8", "sysctl -q net.ipv4.tcp_keepalive_probes=8"),
    ("net.inet.tcp.keepidle=15000", "sysctl -q net.ipv4.tcp_keepalive_time=15"),
    ("net.inet.tcp.keepidle=7200000", "sysctl -q net.ipv4.tcp_keepalive_time=7200"),
    ("net.inet.tcp.keepintvl=15000", "sysctl -q net.ipv4.tcp_keepalive_intvl=15"),
    ("net.inet.tcp.keepintvl=75000", "sysctl -q net.ipv4.tcp_keepalive_intvl=75"),
    ("net.inet.tcp.recvspace=65536", "sysctl -q net.ipv4.tcp_rmem='4096 131400 6291456'"),
];

/// Write all scripts under `from` that fit to the same places under `to`, whose former content goes.
pub(crate) fn adapt_all(from: &Path, to: &Path) -> Result<(), String> {
    if to.exists() {
        fs::remove_dir_all(to).map_err(at(to))?;
    }
    for path in suites::files(from)? {
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        let place = path.strip_prefix(from).unwrap_or(&path);
        let name = format!("/{}", place.display());
        if LEFT_OUT.iter().any(|part| name.contains(part)) || text.contains("--ip_version=ipv6") {
            continue;
        }
        write(&to.join(place), &adapt(&text))?;
    }
    Ok(())
}

/// Write a file, with the folders that it is in.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let directory = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(directory).and_then(|()| fs::write(path, text));
    written.map_err(at(path))
}

/// One script. Of what differs between systems, the standard stays.
fn adapt(text: &str) -> String {
    let mut is_of_freebsd = false;
    let mut adapted = String::new();
    for line in text.lines() {
        match line.trim() {
            "#ifdef FreeBSD" => is_of_freebsd = true,
            "#endif" => is_of_freebsd = false,
            _ if is_of_freebsd || is_about_freebsd(line) => {}
            _ => adapted += &(adapt_line(line) + "\n"),
        }
    }
    adapted
}

/// Preprocessor lines, and receive buffers as FreeBSD counts them.
fn is_about_freebsd(line: &str) -> bool {
    line.trim_start().starts_with('#') || line.contains("SO_RCVBUF")
}

/// The states in TCP_INFO, by Linux's numbers (include/net/tcp_states.h).
const STATES: [(&str, &str); 9] = [
    ("TCPI_ESTABLISHED", "1"),
    ("TCPI_SYN_SENT", "2"),
    ("TCPI_SYN_RECEIVED", "3"),
    ("TCPI_FIN_WAIT_1", "4"),
    ("TCPI_FIN_WAIT_2", "5"),
    ("TCPI_CLOSED", "7"),
    ("TCPI_CLOSE_WAIT", "8"),
    ("TCPI_LAST_ACK", "9"),
    ("TCPI_CLOSING", "11"),
];

/// Codes of ICMP messages that Linux's dialect has no names for.
const CODES: [(&str, &str); 2] = [("ttl_exceeded_in_transit", "code_0"), ("frag_reass_exceeded", "code_1")];

/// Socket options of FreeBSD, by numbers that Linux has no use for, and values that Linux's dialect has no names for.
const SOCKET_OPTIONS: [(&str, &str); 4] =
    [("TCP_NOOPT", "1008"), ("TCP_KEEPINIT", "1128"), ("IPTOS_DSCP_CS1", "0x20"), ("IPTOS_DSCP_CS7", "0xe0")];

fn adapt_line(line: &str) -> String {
    if line.contains("%{") {
        let states = STATES.iter();
        return states.fold(line.to_owned(), |line, (name, number)| line.replace(name, number));
    }
    if let Some(adapted) = adapt_command(line) {
        return adapted;
    }
    let names = CODES.iter().chain(&SOCKET_OPTIONS);
    let line = &names.fold(line.to_owned(), |line, (name, number)| line.replace(name, number));
    match segment_sent(line) {
        Some((time, segment)) => format!("{time}> {}", adapt_segment(segment)),
        None => line.to_owned(),
    }
}

/// A command becomes Linux's, or one that does nothing: its time may count.
fn adapt_command(line: &str) -> Option<String> {
    let (time, rest) = line.split_once('`')?;
    let (command, rest) = rest.split_once('`')?;
    if time.contains("//") {
        return None;
    }
    let setting = SETTINGS.iter().find(|(freebsd, _)| command.ends_with(freebsd));
    let command = setting.map_or("true", |(_, linux)| linux);
    Some(format!("{time}`{command}`{rest}"))
}

/// A line that expects a segment, as the time and the rest behind `>`.
fn segment_sent(line: &str) -> Option<(&str, &str)> {
    let (time, segment) = line.split_once('>')?;
    let is_time = time.chars().all(|char| char.is_ascii_digit() || "+-*.~ \t".contains(char));
    is_time.then_some((time, segment.trim_start()))
}

fn adapt_segment(segment: &str) -> String {
    let segment = segment.split("//").next().unwrap_or_default().trim_end();
    let segment = &without_absolute_numbers(segment);
    let segment = match is_syn(segment) {
        true => with_any_options(segment),
        false => segment.to_owned(),
    };
    without_open_window(&segment)
}

/// `0:0(0)!` says that the numbers are those on the wire, as those of a reset are anyway.
fn without_absolute_numbers(segment: &str) -> String {
    segment.replacen("(0)!", "(0)", 1)
}

/// Flags come first, or after fields of the IP header in parentheses.
fn is_syn(segment: &str) -> bool {
    let fields = segment.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    fields.map_or(segment, |(_, flags)| flags).trim_start().starts_with('S')
}

/// A SYN has its options in another order on Linux.
fn with_any_options(segment: &str) -> String {
    match segment.rsplit_once('<') {
        Some((before, options)) if options.ends_with('>') => format!("{before}<...>"),
        _ => segment.to_owned(),
    }
}

/// Without `win N`, unless N is zero.
fn without_open_window(segment: &str) -> String {
    let mut words = segment.split_whitespace().peekable();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match words.peek() {
            Some(&number) if word == "win" && number != "0" => {
                words.next();
            }
            _ => kept.push(word),
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_freebsd_alone_says_of_a_segment_is_left_open() {
        let syn = "+0.00 > S. 0:0(0) ack 1 win 65535 <mss 1460,nop,wscale 6>";
        assert_eq!(adapt_line(syn), "+0.00 > S. 0:0(0) ack 1 <...>");
        assert_eq!(adapt_line("+0.00 > . 1:1(0) ack 1 win 65535"), "+0.00 > . 1:1(0) ack 1");
        assert_eq!(adapt_line("+0.00 > R  1:1(0)   win    0"), "+0.00 > R 1:1(0) win 0");
    }

    #[test]
    fn what_the_peer_sends_stays() {
        let line = "+0.05 < S. 0:0(0) ack 1 win 65535 <mss 1460>";
        assert_eq!(adapt_line(line), line);
    }

    #[test]
    fn of_what_differs_between_systems_the_standard_stays() {
        let text = "#ifdef STANDARD\n+0 close(3) = 0\n#endif\n#ifdef FreeBSD\n+0 close(4) = 0\n#endif\n+0 close(5) = 0\n";
        assert_eq!(adapt(text), "+0 close(3) = 0\n+0 close(5) = 0\n");
    }

    #[test]
    fn states_have_the_numbers_of_linux() {
        let line = "+0.00 %{ assert tcpi_state == TCPI_SYN_RECEIVED }%";
        assert_eq!(adapt_line(line), "+0.00 %{ assert tcpi_state == 3 }%");
    }

    #[test]
    fn settings_become_those_of_linux() {
        let line = "+0.00 `sysctl -w net.inet.tcp.sack.enable=0`";
        assert_eq!(adapt_line(line), "+0.00 `sysctl -q net.ipv4.tcp_sack=0`");
        assert_eq!(adapt_line("0.00 `sysctl -w kern.ipc.maxsockbuf=2097152`"), "0.00 `true`");
    }
}
