//! Captures as Wireshark reads them.

/// What tshark prints for these fields, a line per packet, with all checksums checked and sequence numbers as they are;
/// `None` when there is no tshark.
pub(crate) fn tshark(file: &[u8], fields: &[&str]) -> Option<Vec<String>> {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let path = directory.path().join("packets.pcapng");
    std::fs::write(&path, file).expect("a temporary file");
    let mut arguments =
        vec!["-T", "fields", "-E", "separator=|", "-o", "tcp.relative_sequence_numbers:FALSE"];
    for checked in ["ip.check_checksum:TRUE", "tcp.check_checksum:TRUE", "udp.check_checksum:TRUE"] {
        arguments.extend(["-o", checked]);
    }
    arguments.extend(fields.iter().flat_map(|field| ["-e", field]));
    seamline_testing::tshark(&path, &arguments)
}
