use super::*;
use seamline_testing::punctual;
use std::net::SocketAddr;
use std::thread;

/// With a server while the task runs.
fn served<R>(task: impl FnOnce(SocketAddr) -> R) -> R {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let serving = scope.spawn(|| serve(&listener, &stop, || "it 7\n".to_owned()));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| task(address)));
        stop.store(true, Ordering::Relaxed);
        pause(Duration::from_millis(250));
        assert!(serving.is_finished(), "it waits for a client though it is to stop");
        result.unwrap_or_else(|failed| std::panic::resume_unwind(failed))
    })
}

/// Ask in pieces, each a while after the last; what is answered, and after how many milliseconds.
fn ask(address: SocketAddr, pieces: &[&[u8]], apart: u64) -> (String, u64) {
    let begun = clock::monotonic();
    let mut asked = TcpStream::connect(address).unwrap();
    let mut answer = Vec::new();
    for piece in pieces {
        // The server resets a client that it no longer waits for.
        if asked.write_all(piece).is_err() {
            break;
        }
        pause(Duration::from_millis(apart));
    }
    let _ = asked.read_to_end(&mut answer);
    (String::from_utf8(answer).unwrap(), clock::monotonic().saturating_since(begun).as_millis())
}

#[test]
fn slow_clients_are_answered_and_endless_ones_are_closed() {
    seamline_testing::punctual(30, || {
        served(|address| {
            let slow = ask(address, &[b"GET / HTTP/1.1\r\n", b"\r\n"], 150);
            assert!(slow.0.ends_with("\r\n\r\nit 7\n"), "{slow:?}");
            let endless = ask(address, &[b"x".as_slice(); 30], 100);
            assert!(endless.0.is_empty() && (400..2000).contains(&endless.1), "{endless:?}");
            drop(TcpStream::connect(address));
        });
    });
}

/// More than are served at a time: each new one takes the place of the oldest.
#[test]
fn silent_clients_delay_nobody() {
    seamline_testing::punctual(30, || {
        served(|address| {
            let silent: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(address).unwrap()).collect();
            let (answer, millis) = ask(address, &[b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"], 0);
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("it 7\n"), "{answer}");
            assert!(millis < 400, "{millis} ms");
            let closed =
                silent.iter().take(100 - CLIENTS).all(|mut client| matches!(client.read(&mut [0]), Ok(0)));
            assert!(closed, "the oldest gave way");
        });
    });
}

#[test]
fn each_request_gets_its_status() {
    punctual(30, || {
        let cases: [(&[u8], &str, bool); 12] = [
            (b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "200 OK", true),
            (b"GET /?x=1 HTTP/1.0\n\n", "200 OK", true),
            (b"HEAD / HTTP/1.1\r\n\r\n", "200 OK", false),
            (b"GET /other HTTP/1.1\r\n\r\n", "404 Not Found", true),
            (b"POST /metrics HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", "405 Method Not Allowed", true),
            (b"GET /metrics HTTP/2.0\r\n\r\n", "400 Bad Request", true),
            (b"GET /metrics\r\n", "400 Bad Request", true),
            (b"get / HTTP/1.1\r\n\r\n", "400 Bad Request", true),
            (b"GET / / HTTP/1.1\r\n\r\n", "400 Bad Request", true),
            (b"\x16\x03\x01\x02\0\x01", "400 Bad Request", true),
            (b"rubbish\n", "400 Bad Request", true),
            (&[b'a'; 2 * LONGEST], "400 Bad Request", true),
        ];
        served(|address| {
            for (request, status, has_body) in cases {
                let (answer, millis) = ask(address, &[request], 0);
                let shown = String::from_utf8_lossy(&request[..request.len().min(40)]);
                assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{shown}: {answer}");
                let (head, body) = answer.split_once("\r\n\r\n").unwrap();
                assert_eq!(!body.is_empty(), has_body, "{answer}");
                assert!(
                    head.contains(&format!("Content-Length: {}\r\n", if has_body { body.len() } else { 5 })),
                    "{answer}"
                );
                assert_eq!(head.contains("Allow: GET, HEAD"), status.starts_with("405"), "{answer}");
                assert!(millis < 400, "{shown}: {millis} ms");
            }
        });
    });
}
