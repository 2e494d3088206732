//! `seamline model NAME`: closed forms, without a simulation.

mod obtcp;
mod picture;
mod point;
mod sweep;
mod table;

use crate::Outcome;
use clap::Subcommand;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    model: Model,
}

#[derive(Debug, Subcommand)]
enum Model {
    /// Recovery time and throughput of Snoop and obTCP over two wireless links, one behind the other
    Obtcp(obtcp::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    match &arguments.model {
        Model::Obtcp(arguments) => obtcp::run(arguments),
    }
}
