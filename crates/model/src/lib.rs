//! Closed-form models of TCP while its hosts move. Simulations, paper reproductions and advice compare themselves
//! with them. Each module states its assumptions.

pub mod loss;
pub mod obtcp;
pub mod transfer;
pub mod vegas;
