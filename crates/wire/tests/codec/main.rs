//! The codec against recorded packets, RFC text, a third-party decoder and damaged input.

mod complete;
mod cut;
mod generate;
mod known_packets;
mod mutate;
mod option_space;
mod oracle;
mod random_bytes;
mod refusals;
mod round_trip;
