use super::*;

fn read(text: &str) -> String {
    text.parse::<Prefix>().unwrap().to_string()
}

fn refused(text: &str) -> String {
    text.parse::<Prefix>().unwrap_err()
}

#[test]
fn networks_and_hosts_of_both_versions_are_read() {
    assert_eq!(read("192.0.2.0/24"), "192.0.2.0/24");
    assert_eq!(read("192.0.2.7"), "192.0.2.7/32");
    assert_eq!(read("2001:DB8::/32"), "2001:db8::/32");
    assert_eq!(read("::1"), "::1/128");
    assert_eq!(["0.0.0.0/0", "::/0"].map(read), Prefix::EVERYWHERE.map(|all| all.to_string()));
}

#[test]
fn ipv4_mapped_ones_are_those_of_ipv4() {
    assert_eq!(read("::ffff:192.0.2.7"), "192.0.2.7/32");
    assert_eq!(read("::ffff:192.0.2.0/120"), "192.0.2.0/24");
    assert_eq!(read("::ffff:0:0/96"), "0.0.0.0/0");
    assert_eq!(read("::/64"), "::/64");
}

#[test]
fn what_is_no_prefix_is_refused_with_what_is() {
    assert!(refused("nowhere").contains("\"nowhere\" is no IPv4 or IPv6 address"));
    for length in ["33", "-1", "", "8/8", "256", "x"] {
        let message = refused(&format!("192.0.2.0/{length}"));
        assert!(message.contains("0 to 32") && message.contains(&format!("{length:?}")), "{message}");
    }
    assert!(refused("2001:db8::/129").contains("0 to 128"));
    let message = refused("192.0.2.7/24");
    assert!(message.contains("192.0.2.0/24 for the network, 192.0.2.7 for the host"), "{message}");
    assert!(refused("2001:db8::1/64").contains("2001:db8::/64 for the network"));
}
