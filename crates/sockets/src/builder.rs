//! Networks that a program puts together.

use crate::error::Error;
use crate::network::Network;
use std::fmt::Write as _;

/// The nodes and links of a network: a scenario, as far as a program needs it. For anything else write the scenario as text
/// ([`Network::from_toml`]).
///
/// ```
/// use seamline_sockets::Builder;
///
/// let network = Builder::new()
///     .link("client", "router", "100 Mbit/s", "1 ms")
///     .link("router", "server", "10 Mbit/s", "20 ms")
///     .with("loss = { model = \"bernoulli\", probability = \"1 %\" }")
///     .seed(3)
///     .build()?;
/// assert_eq!(network.core(|core| core.nodes().to_vec()), ["client", "router", "server"]);
/// # Ok::<(), seamline_sockets::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Builder {
    nodes: Vec<String>,
    links: String,
    count: usize,
    seed: Option<u64>,
}

impl Builder {
    /// A network without nodes.
    pub fn new() -> Self {
        Builder::default()
    }
    /// A link between two nodes, which are added if they are not there yet, with its rate and its delay in each direction, such as
    /// `"10 Mbit/s"` and `"20 ms"`. Links are named `link1`, `link2` and so on.
    #[must_use]
    pub fn link(mut self, from: &str, to: &str, rate: &str, one_way_delay: &str) -> Self {
        for node in [from, to] {
            if !self.nodes.iter().any(|known| known == node) {
                self.nodes.push(node.to_owned());
            }
        }
        self.count += 1;
        let (name, [from, to, rate, delay]) = (self.count, [from, to, rate, one_way_delay].map(quoted));
        let _ = write!(
            self.links,
            "\n[[link]]\nname = \"link{name}\"\nfrom = {from}\nto = {to}\nrate = {rate}\none_way_delay = {delay}\n"
        );
        self
    }
    /// More keys of the last link, as lines of TOML, such as `handover = { every = "5 s", interruption = "200 ms" }`.
    #[must_use]
    pub fn with(mut self, lines: &str) -> Self {
        self.links.push_str(lines);
        self.links.push('\n');
        self
    }
    /// What random losses are drawn from. 1 unless this was called.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Builder { seed: Some(seed), ..self }
    }

    /// The scenario as text. It lasts an hour of virtual time.
    pub fn to_toml(&self) -> String {
        let nodes: Vec<String> = self.nodes.iter().map(|node| quoted(node)).collect();
        let seed = self.seed.unwrap_or(1);
        format!("duration = \"1 h\"\nseeds = [{seed}]\nnodes = [{}]\n{}", nodes.join(", "), self.links)
    }
    /// The network.
    ///
    /// # Errors
    /// When a name, a rate, a delay or a line is wrong.
    pub fn build(&self) -> Result<Network, Error> {
        Network::from_toml(&self.to_toml())
    }
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
