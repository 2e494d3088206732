//! Closed forms: what arithmetic alone says of TCP while hosts move. Papers and advice show them next to simulations,
//! and say which assumptions they make.

pub mod loss;
pub mod obtcp;
pub mod transfer;
pub mod vegas;
