//! Programs over simulated TCP: the bytes that they exchange, and the virtual time that this takes.

use seamline_sockets::{Builder, Error, Network, Options, TcpStream, Unfinished};
use std::io::{self, ErrorKind};
use std::time::Duration;

const PATH: &str = r#"
duration = "120 s"
nodes = ["client", "server"]

[[link]]
name = "radio"
from = "client"
to = "server"
rate = "10 Mbit/s"
one_way_delay = "20 ms"
"#;

/// A way with losses, that is interrupted for a handover to another one.
const HANDOVER: &str = r#"
duration = "120 s"
nodes = ["client", "server"]

[[link]]
name = "radio"
from = "client"
to = "server"
queue = { discipline = "drop-tail", limit = "60 packets" }
rate = "8 Mbit/s"
one_way_delay = "30 ms"
loss = { model = "bernoulli", probability = "1 %" }
handover = { every = "1.5 s", interruption = "400 ms" }
"#;

fn network(text: &str) -> Network {
    Network::from_toml(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Bytes that repeat late, so that a piece in a wrong place shows.
fn content(length: usize) -> Vec<u8> {
    (0..length).map(|place| ((place * place) / 7 + place) as u8).collect()
}

async fn echo(stream: TcpStream) -> io::Result<u64> {
    let (mut buffer, mut total) = ([0; 5000], 0);
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(total),
            count => {
                stream.write_all(&buffer[..count]).await?;
                total += count as u64;
            }
        }
    }
}

/// An echo over a path with losses and a handover: when each chunk was back.
fn echo_times(seed: u64, options: Options) -> Vec<Duration> {
    let settings = [format!("seeds=[{seed}]")];
    let network =
        Network::with_settings("echo.toml", HANDOVER, &settings).unwrap_or_else(|error| panic!("{error}"));
    network.set_options(options);
    let listener = network.listen("server", 7).expect("a free port");
    let server = network.spawn(async move { echo(listener.accept().await?).await });
    let sent = content(1_500_000);
    let own = network.clone();
    let client = network.spawn(async move {
        let stream = std::rc::Rc::new(own.connect("client", ("server", 7)).await?);
        let (writer, bytes) = (stream.clone(), sent.clone());
        let writing = own.spawn(async move {
            writer.write_all(&bytes).await?;
            writer.shutdown();
            io::Result::Ok(())
        });
        let (mut back, mut times, mut buffer) = (Vec::new(), Vec::new(), [0; 50_000]);
        loop {
            let count = stream.read(&mut buffer).await?;
            times.push(own.now());
            if count == 0 {
                break;
            }
            back.extend_from_slice(&buffer[..count]);
        }
        writing.await?;
        assert!(back == sent, "what comes back is what was sent");
        io::Result::Ok(times)
    });
    network.run().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(server.take().expect("the server is done").expect("no error"), 1_500_000);
    client.take().expect("the client is done").expect("no error")
}

#[test]
fn an_echo_over_a_lossy_way_with_a_handover_gives_the_same_bytes_at_the_same_times() {
    let first = echo_times(1, Options::new());
    assert_eq!(first, echo_times(1, Options::new()));
    assert_ne!(first, echo_times(2, Options::new()), "other losses");
    let over = first.last().expect("there is an end").as_secs_f64();
    let (least, most) = (1_500_000.0 * 8.0 / 8e6 + 0.4, 20.0);
    assert!((least..most).contains(&over), "{over} s for 12 Mbit at 8 Mbit/s with a pause and losses");
    let longest = first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default();
    assert!((400..1500).contains(&longest.as_millis()), "{longest:?}: the handover");
}

#[test]
fn the_tcp_of_a_socket_is_a_choice() {
    let cubic = echo_times(1, Options::new());
    for options in [Options::new().variant("bbr"), Options::new().profile("freebsd").variant("newreno")] {
        assert_ne!(cubic, echo_times(1, options));
    }
    let network = network(PATH);
    let own = network.clone();
    let _listener =
        network.listen_with("server", 2, &Options::new().profile("freebsd")).expect("a free port");
    let connected = network.block_on(async move {
        own.connect_with("client", ("server", 2), &Options::new().variant("bbr3")).await.map(drop)
    });
    connected.expect("it ends").expect("different TCPs understand each other");
    for (options, expected) in [
        (Options::new().variant("quick"), "unknown variant \"quick\""),
        (Options::new().profile("amiga"), "there is no profile \"amiga\""),
        (Options::new().handover("magic"), "there is no handover scheme \"magic\""),
    ] {
        network.set_options(options);
        let error = network.listen("server", 1).expect_err("no such TCP").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_port_without_a_listener_refuses_within_a_round_trip_time() {
    let network = network(PATH);
    let own = network.clone();
    let result = network.block_on(async move { own.connect("client", ("server", 80)).await.map(drop) });
    let error = result.expect("it ends").expect_err("nobody listens");
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    assert!((40_000..41_000).contains(&network.now().as_micros()), "{:?}", network.now());
}

#[test]
fn a_reset_ends_what_the_other_end_waits_for() {
    let network = network(PATH);
    let listener = network.listen("server", 80).expect("a free port");
    network.spawn(async move {
        let stream = listener.accept().await.expect("a connection");
        let mut greeting = [0; 5];
        stream.read_exact(&mut greeting).await.expect("a greeting");
        stream.abort();
    });
    let own = network.clone();
    let result = network.block_on(async move {
        let stream = own.connect("client", ("server", 80)).await?;
        stream.write_all(b"hello").await?;
        let read = stream.read(&mut [0; 10]).await.map_err(|error| error.kind());
        let write = stream.write(b"more").await.map_err(|error| error.kind());
        io::Result::Ok((read, write))
    });
    let (read, write) = result.expect("it ends").expect("a connection");
    assert_eq!((read, write), (Err(ErrorKind::ConnectionReset), Err(ErrorKind::ConnectionReset)));
}

#[test]
fn data_that_nobody_reads_is_answered_by_a_reset() {
    let network = network(PATH);
    let listener = network.listen("server", 80).expect("a free port");
    let own = network.clone();
    network.spawn(async move {
        let stream = listener.accept().await.expect("a connection");
        own.sleep(Duration::from_millis(200)).await;
        drop(stream);
    });
    let own = network.clone();
    let read = network.block_on(async move {
        let stream = own.connect("client", ("server", 80)).await?;
        stream.write_all(b"hello").await?;
        stream.read(&mut [0; 10]).await
    });
    assert_eq!(read.expect("it ends").expect_err("a reset").kind(), ErrorKind::ConnectionReset);
}

#[test]
fn an_end_that_is_shut_down_still_receives() {
    let network = network(PATH);
    let listener = network.listen("server", 80).expect("a free port");
    let own = network.clone();
    let server = network.spawn(async move {
        let stream = listener.accept().await?;
        let request = stream.read_to_end().await?;
        own.sleep(Duration::from_secs(3)).await;
        stream.write_all(&content(300_000)).await?;
        io::Result::Ok(request)
    });
    let own = network.clone();
    let answer = network.block_on(async move {
        let stream = own.connect("client", ("server", 80)).await?;
        stream.write_all(b"request").await?;
        stream.shutdown();
        let refused = stream.write(b"more").await.expect_err("it is shut down");
        assert_eq!(refused.kind(), ErrorKind::BrokenPipe);
        stream.read_to_end().await
    });
    assert_eq!(answer.expect("it ends").expect("no error"), content(300_000));
    assert_eq!(server.take().expect("done").expect("no error"), b"request");
    assert!(network.now() > Duration::from_secs(3));
}

#[test]
fn a_hundred_connections_do_not_mix_up_their_bytes() {
    let network = network(PATH);
    let listener = network.listen("server", 7).expect("a free port");
    let own = network.clone();
    let server = network.spawn(async move {
        for _ in 0..100 {
            let stream = listener.accept().await.expect("a connection");
            own.spawn(async move { echo(stream).await.expect("an echo") });
        }
    });
    let clients: Vec<_> = (0..100_usize)
        .map(|number| {
            let own = network.clone();
            network.spawn(async move {
                own.sleep(Duration::from_millis(number as u64 % 10)).await;
                let bytes: Vec<u8> =
                    content(10_000 + number).iter().map(|byte| byte ^ number as u8).collect();
                let stream = own.connect("client", ("server", 7)).await?;
                stream.write_all(&bytes).await?;
                stream.shutdown();
                io::Result::Ok(stream.read_to_end().await? == bytes)
            })
        })
        .collect();
    network.run().unwrap_or_else(|error| panic!("{error}"));
    assert!(server.take().is_some());
    assert!(clients.iter().all(|client| client.take().is_some_and(|same| same.is_ok_and(|same| same))));
    let least = 100.0 * 10_000.0 * 8.0 / 10e6;
    assert!((least..3.0 * least).contains(&network.now().as_secs_f64()), "{:?}", network.now());
}

#[test]
fn a_writer_waits_for_room_and_a_slow_reader_for_nothing() {
    let network = network(PATH);
    let listener = network.listen("server", 80).expect("a free port");
    let own = network.clone();
    let reader = network.spawn(async move {
        let stream = listener.accept().await?;
        own.sleep(Duration::from_secs(30)).await;
        stream.read_to_end().await
    });
    let own = network.clone();
    let writer = network.spawn(async move {
        let stream = own.connect("client", ("server", 80)).await?;
        stream.write_all(&content(12_000_000)).await?;
        io::Result::Ok(own.now())
    });
    network.run_until(Duration::from_secs(29));
    assert!(writer.take().is_none(), "both buffers together hold less");
    network.run().unwrap_or_else(|error| panic!("{error}"));
    assert!(writer.take().expect("done").expect("no error") > Duration::from_secs(30));
    assert!(reader.take().expect("done").expect("no error") == content(12_000_000));
}

#[test]
fn calls_that_never_wait_say_so() {
    let network = network(PATH);
    let listener = network.listen("server", 80).expect("a free port");
    let (options, would_block) = (Options::default(), Err(ErrorKind::WouldBlock));
    let id = network.core(|core| core.connect("client", ("server", 80), &options)).expect("two nodes");
    assert_eq!(listener.try_accept().map(drop).map_err(|it| it.kind()), would_block);
    assert_eq!(network.core(|core| core.send(id, b"x")).map(drop).map_err(|it| it.kind()), would_block);
    network.run_until(Duration::from_millis(100));
    let server = listener.try_accept().expect("a connection");
    assert_eq!(server.try_read(&mut [0; 1]).map(drop).map_err(|it| it.kind()), would_block);
    assert_eq!(network.core(|core| core.send(id, b"xyz")).expect("room"), 3);
    assert_eq!(
        server.try_read(&mut [0; 1]).map(drop).map_err(|it| it.kind()),
        would_block,
        "no time has passed"
    );
    network.run_until(Duration::from_millis(121));
    let mut buffer = [0; 8];
    assert_eq!(server.try_read(&mut buffer).expect("it has come"), 3);
    assert_eq!(&buffer[..3], b"xyz");
    assert_eq!(server.remote().expect("open"), ("client".to_owned(), 49_152));
    assert_eq!(network.now(), Duration::from_millis(121));
}

#[test]
fn programs_that_wait_for_ever_are_found_out() {
    let network = network(PATH);
    let listener = network.listen("server", 80).expect("a free port");
    network.spawn(async move { listener.accept().await.map(drop) });
    assert_eq!(network.run(), Err(Unfinished::Stalled(1)));
    let own = network.clone();
    network.spawn(async move { own.sleep(Duration::from_secs(500)).await });
    assert_eq!(network.run(), Err(Unfinished::TimeIsUp(2)));
}

#[test]
fn flows_of_the_scenario_are_background_traffic() {
    let transfer = |text: &str| {
        let network = network(text);
        let listener = network.listen("server", 80).expect("a free port");
        let server = network.spawn(async move { listener.accept().await?.read_to_end().await });
        let own = network.clone();
        network.spawn(async move {
            let stream = own.connect("client", ("server", 80)).await?;
            stream.write_all(&content(2_000_000)).await
        });
        network.run().unwrap_or_else(|error| panic!("{error}"));
        assert!(server.take().expect("done").expect("no error") == content(2_000_000));
        network.now().as_secs_f64()
    };
    let alone = transfer(PATH);
    let flow = "[[flow]]\nname = \"other\"\nfrom = \"client\"\nto = \"server\"\nvariant = \"cubic\"\n";
    let shared = transfer(&format!("{PATH}\n{flow}"));
    assert!((1.6..2.2).contains(&alone), "{alone}: 16 Mbit at 10 Mbit/s");
    assert!((1.3 * alone..6.0 * alone).contains(&shared), "{shared}");
    let network = network(&format!("{PATH}\n{flow}"));
    assert!(matches!(network.listen("server", 5001), Err(Error::PortInUse(5001))), "the flow's");
}

#[test]
fn a_network_of_a_program_is_the_same_as_that_of_a_text() {
    let time = |network: Network| {
        let own = network.clone();
        let refused = network.block_on(async move { own.connect("client", ("server", 80)).await.map(drop) });
        assert!(refused.expect("it ends").is_err());
        network.now()
    };
    let built = Builder::new().link("client", "server", "10 Mbit/s", "20 ms");
    assert_eq!(time(built.build().unwrap_or_else(|error| panic!("{error}"))), time(network(PATH)));
    let wrong =
        Builder::new().link("cli\"ent", "server", "10 bananas", "20 ms").build().expect_err("it is wrong");
    assert!(wrong.to_string().contains("10 bananas"), "{wrong}");
}

#[test]
fn wrong_networks_and_places_are_refused() {
    let error = |text: &str| Network::from_toml(text).expect_err("it is wrong").to_string();
    assert!(error("nodes = [\"a\"]").contains("duration"));
    assert!(
        error(&format!("{PATH}\n[grid]\nlink.radio.rate = [\"1 Mbit/s\", \"2 Mbit/s\"]"))
            .contains("2 grid cells")
    );
    let network = network(PATH);
    assert!(matches!(network.listen("moon", 80), Err(Error::Node(node)) if node == "moon"));
    let _listener = network.listen("server", 80).expect("a free port");
    assert!(matches!(network.listen("server", 80), Err(Error::PortInUse(80))));
    let own = network.clone();
    let refused = network.block_on(async move { own.connect("client", ("moon", 80)).await.map(drop) });
    assert_eq!(refused.expect("it ends").expect_err("no such node").kind(), ErrorKind::InvalidInput);
}
