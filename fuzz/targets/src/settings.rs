//! The files of `--config`.

use seamline_agent::{ON_REAL_BRIDGES, Parameters};
use seamline_bridge::most_memory;
use seamline_config::Diagnostics;
use seamline_mobile::Settings;
use std::path::Path;

#[path = "../../../crates/seamline-host/src/agent/config.rs"]
#[allow(dead_code, reason = "its tests are run where it belongs")]
mod config;

/// Any text is read by each reader, or refused with messages that can be shown; what is read stays within the documented ranges.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let path = Path::new("agent.toml");
    for kind in ON_REAL_BRIDGES {
        let mut parameters = Parameters::default();
        match config::read_bridge(path, text, kind, &mut parameters) {
            Ok(()) => {
                assert!((0..=1 << 24).contains(&parameters.limits.connections), "{parameters:?}");
                let _ = most_memory(kind, &parameters);
            }
            Err(errors) => show(&errors),
        }
    }
    match config::read_split(path, text) {
        Ok(split) => {
            assert!((1..=1 << 20).contains(&split.connections) && (4096..=1 << 30).contains(&split.buffer));
            assert!(!split.idle.is_zero() && !split.half_closed.is_zero());
            let _ = split.most_memory();
        }
        Err(errors) => show(&errors),
    }
    match Settings::read(path, text) {
        Ok(settings) => {
            let _ = (settings.freezes(), settings.depends("a", "b"));
        }
        Err(errors) => show(&errors),
    }
}

fn show(errors: &Diagnostics) {
    assert!(errors.count() > 0 && !errors.render(false).is_empty() && !errors.list(true).is_empty());
}
