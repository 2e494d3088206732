use super::{NO_THRESHOLD, TcpInfo};
use seamline_wire::Duration;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

#[test]
fn fields_are_where_linux_documents_them() {
    let mut bytes = [0; 248];
    bytes[..5].copy_from_slice(&[1, 4, 3, 0, 2]);
    let mut put = |offset: usize, value: u32| bytes[offset..offset + 4].copy_from_slice(&value.to_ne_bytes());
    for (offset, value) in [(8, 816_000), (68, 51_000), (76, 10), (80, 12), (240, 5)] {
        put(offset, value);
    }
    let info = TcpInfo::from_bytes(&bytes).unwrap();
    assert_eq!((info.congestion_avoidance_state, info.backoff), (4, 2));
    assert_eq!(info.retransmission_timeout, Duration::from_millis(816));
    assert_eq!(info.smoothed_round_trip_time, Duration::from_millis(51));
    assert_eq!((info.slow_start_threshold, info.congestion_window), (Some(10), 12));
    assert_eq!(info.total_timeouts, Some(5));
}

#[test]
fn an_older_kernel_reports_less() {
    let mut bytes = [0; 192];
    bytes[76..80].copy_from_slice(&NO_THRESHOLD.to_ne_bytes());
    let info = TcpInfo::from_bytes(&bytes).unwrap();
    assert_eq!((info.slow_start_threshold, info.total_timeouts), (None, None));
    assert_eq!(TcpInfo::from_bytes(&bytes[..191]), None);
}

#[test]
fn the_kernel_answers_for_a_connection_of_its_own() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut receiver, _) = listener.accept().unwrap();
    sender.write_all(&[7; 1000]).unwrap();
    receiver.read_exact(&mut [0; 1000]).unwrap();
    let info = TcpInfo::of(&sender).unwrap();
    assert_eq!(info.congestion_avoidance_state, 0, "no loss");
    assert!((1000..=1001).contains(&info.acknowledged_bytes), "{info:?}");
    assert!((500..65_536).contains(&info.send_maximum_segment_bytes), "{info:?}");
    assert!((2..=1000).contains(&info.congestion_window), "{info:?}");
    assert_eq!(info.slow_start_threshold, None);
    assert!(TcpInfo::of(std::io::stdin()).is_err());
}
