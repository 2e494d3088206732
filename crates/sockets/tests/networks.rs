//! The networks of the scenarios that come with Seamline, with radio cells, mobility protocols, recordings and agents: whatever they do to
//! packets, programs get the bytes that were sent, once and in order.

use seamline_sockets::{Network, TcpStream};
use seamline_wire::random::Stream;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Everything before the first flow, and where that starts and ends; `None` where a recording is left to the user.
fn network_of(text: &str) -> Option<(String, [String; 2])> {
    let (network, flow) =
        text.split_once("[[flow]]").filter(|(network, _)| !network.contains("file = \"\""))?;
    let value = |key: &str| {
        let line = flow.lines().find(|line| line.starts_with(&format!("{key} = ")))?;
        Some(line.split('"').nth(1)?.to_owned())
    };
    Some((network.to_owned(), [value("from")?, value("to")?]))
}

async fn exchange(
    stream: TcpStream,
    bytes: Vec<u8>,
    mut random: Stream,
    network: Network,
) -> io::Result<Vec<u8>> {
    let stream = Rc::new(stream);
    let writer = stream.clone();
    let writing = network.spawn(async move {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.len().min(1 + random.below(20_000) as usize));
            writer.write_all(part).await?;
            rest = after;
        }
        writer.shutdown();
        io::Result::Ok(())
    });
    let received = stream.read_to_end().await?;
    writing.await?;
    Ok(received)
}

/// What the grid of a scenario sets a mobile node's protocol to; one empty setting where it sets none.
fn protocols_of(text: &str) -> Vec<String> {
    let Some((_, list)) = text.split_once("\nmobile.mobile.protocol = [") else { return vec![String::new()] };
    let kinds = list
        .lines()
        .filter_map(|line| line.trim().strip_suffix(','))
        .filter(|line| line.starts_with("{ kind"));
    kinds.map(|kind| format!("mobile.mobile.protocol={kind}")).collect()
}

/// Two programs send each other bytes; how long that takes.
fn exchange_over(file: &Path, text: &str, setting: &str, [from, to]: &[String; 2]) -> f64 {
    let mut settings = vec!["duration=\"600 s\""];
    settings.extend(Some(setting).filter(|setting| !setting.is_empty()));
    let network = Network::with_settings(file, text, &settings)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    // An end may be a group: its first node.
    let node =
        |name: &str| network.core(|core| core.nodes().iter().find(|node| node.starts_with(name)).cloned());
    let [from, to] = [from, to].map(|name| node(name).expect("a node"));
    let listener = network.listen(&to, 80).expect("a free port");
    let content = |name: &str| {
        let mut random = Stream::new(1, name);
        (0..150_000).map(|_| random.bits() as u8).collect::<Vec<u8>>()
    };
    let [up, down] = ["up", "down"].map(content);
    let (own, bytes) = (network.clone(), down.clone());
    let server = network.spawn(async move {
        let stream = listener.accept().await?;
        exchange(stream, bytes, Stream::new(1, "server"), own.clone()).await
    });
    let (own, bytes) = (network.clone(), up.clone());
    let client = network.spawn(async move {
        let stream = own.connect(&from, (&to, 80)).await?;
        exchange(stream, bytes, Stream::new(1, "client"), own.clone()).await
    });
    network.run().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let received = [server, client].map(|end| end.take().expect("it is done").expect("no error"));
    assert!(received == [up, down], "{}", file.display());
    network.now().as_secs_f64()
}

#[test]
fn programs_get_what_was_sent_over_every_network() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios"));
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the scenarios are in the repository")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    files.sort();
    let mut networks = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        let protocols = protocols_of(&text);
        let Some((text, ends)) = network_of(&text) else { continue };
        for protocol in &protocols {
            let first = exchange_over(&file, &text, protocol, &ends);
            let second = exchange_over(&file, &text, protocol, &ends);
            assert_eq!(first.to_bits(), second.to_bits(), "the same time each run");
            assert!((0.01..100.0).contains(&first), "{}, {protocol}: {first} s", file.display());
        }
        for agent in ["snoop", "split", "m-tcp"] {
            let with_agent = text.replace("\nkind = \"none\"", &format!("\nkind = \"{agent}\""));
            if with_agent != text {
                exchange_over(&file, &with_agent, "", &ends);
            }
        }
        networks += protocols.len();
    }
    assert!(networks > 15, "only {networks} networks were found");
}
