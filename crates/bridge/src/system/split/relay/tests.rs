use super::*;
use seamline_host::socket::pause;
use std::fs;
use std::io::{Read, Write};

/// Both ends of a connection.
fn pair() -> [TcpStream; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (far, _) = listener.accept().unwrap();
    [near, far].map(|stream| {
        stream.set_nonblocking(true).unwrap();
        sockets::prepare(&stream).unwrap();
        stream
    })
}

/// Of a split connection, what the client has and what the server has.
struct Ends {
    client: TcpStream,
    server: TcpStream,
}

fn begin(relay: &mut Relay<'_>) -> Ends {
    let ([client, near], [server, far]) = (pair(), pair());
    let address = client.local_addr().unwrap();
    relay.enter(clock::monotonic(), Answered { side: Side::Wireless, stream: near, address }, far).unwrap();
    Ends { client, server }
}

/// Until nothing more goes in.
fn fill(relay: &mut Relay<'_>, all: &mut [Ends]) {
    let blob = vec![7; 1 << 20];
    let mut rounds_without = 0;
    while rounds_without < 3 {
        let written = all.iter_mut().map(|it| it.server.write(&blob).unwrap_or(0)).sum::<usize>();
        rounds_without = if written == 0 { rounds_without + 1 } else { 0 };
        relay.turn(|| ()).unwrap();
    }
}

/// Some of what has come; how much.
fn read(stream: &mut TcpStream) -> io::Result<usize> {
    stream.read(&mut [0; 4096])
}

/// A group of this process has too little: whose ends move nothing is reset, whose client reads goes on.
#[test]
fn memory_is_taken_back_from_connections_that_move_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, number: u64| fs::write(folder.path().join(name), number.to_string()).unwrap();
    write("memory.max", 50 << 20);
    write("memory.current", 20 << 20);
    write("memory.stat", 0);
    let settings = Split { buffer: 512_000, ..Split::default() };
    let room = Room { connections: 100, places: 100 };
    let mut relay = Relay::new(&settings, room, Vec::new()).unwrap();
    relay.groups = vec![folder.path().to_owned()];
    let mut all = [(); 3].map(|()| begin(&mut relay));
    fill(&mut relay, &mut all);
    let begun = clock::monotonic();
    let look = |relay: &mut Relay<'_>, seconds| {
        let now = begun + Duration::from_secs(seconds);
        relay.expire(now);
        relay.share_memory(now);
        relay.counters().evicted
    };
    assert_eq!([0, 100].map(|seconds| look(&mut relay, seconds)), [0; 2], "there is enough");
    assert!(relay.counters().kept_bytes > 300_000, "{:?}", relay.counters());
    write("memory.current", 60 << 20);
    // Two seconds later one client has read, and so it has moved.
    while read(&mut all[1].client).is_ok_and(|length| length > 0) {}
    pause(Duration::from_millis(50));
    assert_eq!(look(&mut relay, 102), 2);
    assert_eq!(relay.open(), 1);
    for (number, it) in all.iter_mut().enumerate() {
        pause(Duration::from_millis(20));
        let end = loop {
            match read(&mut it.client) {
                Ok(0) => break None,
                Ok(_) => {}
                Err(error) => break Some(error.kind()),
            }
        };
        let expected = if number == 1 { io::ErrorKind::WouldBlock } else { io::ErrorKind::ConnectionReset };
        assert_eq!(end, Some(expected), "{number}");
    }
}
