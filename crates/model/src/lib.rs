//! Closed forms: what arithmetic alone says of TCP whose ends move. They stand beside simulations, in papers and in advice,
//! and say which assumptions they make.

pub mod loss;
pub mod obtcp;
pub mod transfer;
pub mod vegas;
