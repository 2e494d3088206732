//! What comes over rtnetlink, from the kernel or not.

use seamline_host::netlink::interfaces::Link;
use seamline_host::netlink::{HEADER, attributes, messages, usage};
use seamline_mobile::system::News;

/// Messages and attributes lie within what was received, and each is read by all that read any.
pub(crate) fn check(bytes: &[u8]) {
    let mut read = 0;
    for message in messages(bytes) {
        read += HEADER + message.body.len();
        let _ = (message.error(), message.is_interrupted());
        check_attributes(message.body);
        let _ = News::parse(&message);
        let (link, address) = (Link::parse(message.body), usage::address(message.body));
        assert!(link.is_none() || message.body.len() >= 16, "{link:?}");
        assert!(address.is_none() || message.body.len() >= 8, "{address:?}");
    }
    assert!(read <= bytes.len(), "{read} of {}", bytes.len());
}

fn check_attributes(bytes: &[u8]) {
    let read: usize = attributes(bytes).map(|(_, body)| 4 + body.len()).sum();
    assert!(read <= bytes.len(), "{read} of {}", bytes.len());
}
