//! The same scenario in the simulator, in the lab with our endpoints, and in the lab with the kernel's TCP, side by side.
//!
//! - [`runs`]: runs every cell under every seed in all three places.
//! - [`compare`]: what differs by how much, quantity by quantity.
//! - [`differences`]: what is known of differences, as data, and whether it still holds.
//! - [`first_difference`]: the first segment that the simulator and the kernel send differently.
//! - [`text`], [`markdown`], [`picture`]: the table for a terminal, for a page, and as a picture.
//!
//! Losses come from the same named random streams everywhere, but packets arrive in other orders and numbers in real time, so
//! runs of one seed are alike in their conditions and not packet by packet.

pub mod compare;
pub mod differences;
pub mod first_difference;
pub mod markdown;
pub mod picture;
pub mod quantity;
pub mod runs;
pub mod suite;
pub mod text;

mod columns;

pub use compare::{Cell, Comparison, Mark, Pair, Row, ScenarioParity};
pub use differences::{Difference, Judged};
pub use runs::{Arm, CellRuns};

use serde::{Deserialize, Serialize};

/// Everything that was compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parity {
    /// Version and fingerprint of what computed it.
    pub engine: String,
    /// The release of the kernel that was compared with.
    pub kernel: String,
    /// The command that does it again.
    pub reproduce: String,
    /// Whether every cell was run as it stands in the scenarios.
    pub is_whole: bool,
    /// By scenario.
    pub scenarios: Vec<ScenarioParity>,
    /// What explains differences, and what has nothing left to explain.
    pub differences: Judged,
}
