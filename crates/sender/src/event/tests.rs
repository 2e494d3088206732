use super::*;

fn bytes(kind: u32, family: u16, numbers: [u32; 3]) -> Vec<u8> {
    let mut bytes = 5_000_000_007_u64.to_ne_bytes().to_vec();
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(family.to_ne_bytes());
    bytes.extend(443_u16.to_ne_bytes());
    bytes.extend([192, 0, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]);
    bytes.extend(50_000_u16.to_ne_bytes());
    bytes.extend([0, 0]);
    numbers.iter().for_each(|number| bytes.extend(number.to_ne_bytes()));
    bytes
}

#[test]
fn what_the_programs_write_is_read() {
    let event = Event::read(&bytes(1, 2, [1, 100, 80])).unwrap();
    assert_eq!(event.at, Duration::from_nanos(5_000_000_007));
    assert_eq!((event.local_port, event.peer), (443, "192.0.2.7:50000".parse().unwrap()));
    assert_eq!(event.what, What::Restored { from: 1, window: 100, threshold: 80 });
    assert_eq!(
        event.line().to_string(),
        "event=restored from=1 window=100 threshold=80 local_port=443 peer=192.0.2.7:50000"
    );
    let event = Event::read(&bytes(5, 10, [Counter::Spent as u32, 0, 0])).unwrap();
    assert_eq!(event.peer, "[c000:207::9]:50000".parse().unwrap());
    assert_eq!(event.what, What::Ignored(Counter::Spent));
    let line =
        r#"event=ignored why="marks ignored: restored already" local_port=443 peer=[c000:207::9]:50000"#;
    assert_eq!(event.line().to_string(), line);
}

#[test]
fn anything_else_is_nothing() {
    assert_eq!(Event::read(&bytes(7, 2, [0; 3])), None);
    assert_eq!(Event::read(&bytes(5, 2, [99, 0, 0])), None);
    assert_eq!(Event::read(&bytes(0, 2, [0; 3])[..47]), None);
}
