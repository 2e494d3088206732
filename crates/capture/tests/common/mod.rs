//! Captures as Wireshark reads them.

use std::process::Command;

/// What tshark prints for these fields, a line per packet, with all checksums checked and sequence numbers as they are;
/// `None` when there is no tshark.
pub(crate) fn tshark(file: &[u8], fields: &[&str]) -> Option<Vec<String>> {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let path = directory.path().join("packets.pcapng");
    std::fs::write(&path, file).expect("a temporary file");
    let mut command = Command::new("tshark");
    command.arg("-r").arg(&path).args(["-n", "-T", "fields", "-E", "separator=|"]);
    for protocol in ["ip", "tcp", "udp"] {
        command.args(["-o", &format!("{protocol}.check_checksum:TRUE")]);
    }
    command.args(["-o", "tcp.relative_sequence_numbers:FALSE"]);
    for field in fields {
        command.args(["-e", field]);
    }
    let Ok(output) = command.output() else {
        println!("skipped: no tshark on this machine");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    Some(text.lines().map(str::to_owned).collect())
}
