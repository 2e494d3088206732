use super::Core;
use crate::options::Options;
use std::path::Path;
use std::time::Duration;

/// Nothing comes back from the server, so that no handshake is ever over.
const DEAF: &str = r#"
duration = "10 s"
nodes = ["client", "server"]

[[link]]
name = "radio"
from = "client"
to = "server"
rate = "10 Mbit/s"
one_way_delay = "20 ms"
up = { loss = { model = "bernoulli", probability = "100 %" } }
"#;

#[test]
fn a_listener_keeps_no_connection_that_was_given_up_half_open() {
    let mut core = Core::new(Path::new("deaf.toml"), DEAF, &[]).expect("a network");
    let options = Options::new().profile("linux-6.12");
    core.listen("server", 80, &options).expect("a free port");
    let client = core.connect("client", ("server", 80), &options).expect("a free port");
    let mut most = 0;
    for second in 0..600 {
        core.advance(Duration::from_secs(second));
        core.take_ready();
        most = most.max(core.stacks[1].numbers().len());
    }
    let error = core.connected(client).expect_err("no answer").kind();
    assert_eq!((most, error), (1, std::io::ErrorKind::TimedOut));
    assert_eq!(core.stacks[1].numbers(), Vec::<usize>::new());
}
