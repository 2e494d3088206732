//! Closed formulas of TCP, compared with their papers and with the simulator.

mod loss;
mod obtcp;
mod transfer;
mod vegas;
