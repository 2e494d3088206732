//! The example of the page about sockets.

use seamline_sockets::Network;

const NETWORK: &str = r#"
duration = "60 s"
nodes = ["client", "server"]

[[link]]
name = "radio"
from = "client"
to = "server"
rate = "10 Mbit/s"
one_way_delay = "20 ms"
loss = { model = "bernoulli", probability = "1 %" }
handover = { every = "1 s", interruption = "300 ms" }
"#;

#[test]
fn an_echo_survives_handovers() -> Result<(), Box<dyn std::error::Error>> {
    let network = Network::from_toml(NETWORK)?;
    let listener = network.listen("server", 7)?;
    network.spawn(async move {
        let stream = listener.accept().await?;
        let request = stream.read_to_end().await?;
        stream.write_all(&request).await
    });
    let client = network.clone();
    let answer = network.block_on(async move {
        let stream = client.connect("client", ("server", 7)).await?;
        stream.write_all(&[7; 500_000]).await?;
        stream.shutdown();
        stream.read_to_end().await
    })??;
    assert_eq!(answer, [7; 500_000]);
    assert!(network.now().as_secs_f64() < 5.0);
    Ok(())
}

// The page has what is above.

#[test]
fn the_page_has_this_example() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to/sockets.md"));
    let example =
        include_str!("how_to.rs").split_once("\n\n").and_then(|(_, rest)| rest.split_once("\n// The page"));
    let (example, _) = example.expect("the example stands before the remark");
    assert!(page.expect("the page is in the repository").contains(example), "docs/how-to/sockets.md");
}
