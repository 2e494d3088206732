//! Sockets over simulated TCP in virtual time, for tests of programs that communicate.
//!
//! A [`Network`] is described as a scenario is: nodes, links with rate, delay, queue and losses, handovers, radio cells, background traffic.
//! Programs are tasks that connect, listen, read and write. TCP is that of the simulator, by default of Linux 6.12 with CUBIC, with its
//! retransmissions, windows and timers. The same programs with the same seed take the same virtual time on every computer.
//!
//! ```
//! use seamline_sockets::Network;
//!
//! let network = Network::from_toml(
//!     r#"
//!     duration = "60 s"
//!     nodes = ["client", "server"]
//!     [[link]]
//!     name = "radio"
//!     from = "client"
//!     to = "server"
//!     rate = "10 Mbit/s"
//!     one_way_delay = "20 ms"
//!     loss = { model = "bernoulli", probability = "2 %" }
//!     "#,
//! )?;
//! let listener = network.listen("server", 80)?;
//! network.spawn(async move {
//!     let stream = listener.accept().await?;
//!     let request = stream.read_to_end().await?;
//!     stream.write_all(&request).await
//! });
//! let client = network.clone();
//! let answer = network.block_on(async move {
//!     let stream = client.connect("client", ("server", 80)).await?;
//!     stream.write_all(&[7; 100_000]).await?;
//!     stream.shutdown();
//!     stream.read_to_end().await
//! })??;
//! assert_eq!(answer, [7; 100_000]);
//! assert!((0.2..2.0).contains(&network.now().as_secs_f64()), "two transfers of 80 ms, with losses");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Builder`] puts simple networks together without a text. [`Network::core`] has the same calls without tasks, for programs with a loop of their own.

mod builder;
mod core;
mod error;
mod executor;
mod network;
mod options;
mod pipe;
mod socket;
mod stack;
mod tcp;

pub use crate::core::{Core, ListenerId, Ready, SocketId};
pub use builder::Builder;
pub use error::Error;
pub use network::{JoinHandle, Network, Unfinished};
pub use options::Options;
pub use tcp::{TcpListener, TcpStream};
