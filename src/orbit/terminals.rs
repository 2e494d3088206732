//! The options of terminals.

use super::network::{parsed, refused};
use crate::terminal::Failure;
use seamline_orbit::{Horizon, Place, Terminal, Track, read_places};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(super) struct TerminalOptions {
    /// A terminal that stands still: latitude and longitude in degrees
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    terminal: Option<String>,
    /// A terminal that moves: seconds,latitude,longitude in each line of the file, and the altitude in km if need be
    #[arg(long, value_name = "FILE")]
    track: Option<PathBuf>,
    /// Many terminals: name,latitude,longitude in each line of the file
    #[arg(long, value_name = "FILE")]
    terminals: Option<PathBuf>,
}

impl TerminalOptions {
    pub(super) fn read(&self, horizon: Horizon) -> Result<Vec<Terminal>, Failure> {
        if let Some(path) = &self.track {
            let track = parsed("--track", path, Track::parse)?;
            return Ok(vec![Terminal { name: "track".to_owned(), track, horizon }]);
        }
        if let Some(path) = &self.terminals {
            let places = parsed("--terminals", path, read_places)?;
            return Ok(places.into_iter().map(|(name, place)| Terminal::at(&name, place, horizon)).collect());
        }
        let text = self.terminal.as_deref().unwrap_or_default();
        let place = Place::parse(text).map_err(|error| refused("--terminal", error))?;
        Ok(vec![Terminal::at(text, place, horizon)])
    }
}
