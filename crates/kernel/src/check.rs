//! Whether a kernel is usable.

use crate::Error;
use crate::configuration::{lacking, wanted};
use crate::error::failed;
use crate::guest::probe::{Probed, SLEEP, probe};
use crate::record::Kernel;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Something that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was checked.
    pub what: &'static str,
    /// What was found, or what is wrong.
    pub result: Result<String, String>,
}

/// Check a kernel: its image, its configuration and its modules, and whether it boots. `program` is the first process of a guest when its first
/// argument is [`WORD`](crate::guest::probe::WORD).
pub fn check(kernel: &Kernel, program: &Path) -> Vec<Finding> {
    vec![
        Finding { what: "image", result: image(kernel) },
        Finding { what: "configuration", result: configuration(kernel) },
        Finding { what: "modules", result: modules(kernel) },
        Finding { what: "boot", result: boot(kernel, program) },
    ]
}

fn image(kernel: &Kernel) -> Result<String, String> {
    let found = release(&kernel.image).map_err(|error| error.to_string())?;
    match found == kernel.release {
        true => Ok(format!("{} runs on this host and is Linux {found}", kernel.image.display())),
        false => Err(format!("it is Linux {found}, but was built as {}", kernel.release)),
    }
}

/// What an image says of its release. It runs on the host for that, without booting.
pub(crate) fn release(image: &Path) -> Result<String, Error> {
    let output = Command::new(image).arg("--version").output().map_err(failed("cannot run", image))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match output.status.success() && text.starts_with(|first: char| first.is_ascii_digit()) {
        true => Ok(text),
        false => Err(Error::Failed(format!("{} --version does not name a release", image.display()))),
    }
}

fn configuration(kernel: &Kernel) -> Result<String, String> {
    let config = fs::read_to_string(&kernel.config).map_err(|error| error.to_string())?;
    let lacking = lacking(&wanted(&[format!("HZ={}", kernel.hz)]), &config);
    match (lacking.required.is_empty(), lacking.wanted.is_empty()) {
        (false, _) => Err(format!("it has no {}", lacking.required.join(", "))),
        (true, true) => Ok("all options are set".to_owned()),
        (true, false) => Ok(format!("all required options are set; it has no {}", lacking.wanted.join(", "))),
    }
}

/// A module must have been built for this release, or loading it fails.
fn modules(kernel: &Kernel) -> Result<String, String> {
    let mark = format!("vermagic={} ", kernel.release);
    for module in &kernel.modules {
        let bytes = fs::read(module).map_err(|error| format!("{}: {error}", module.display()))?;
        if !bytes.windows(mark.len()).any(|window| window == mark.as_bytes()) {
            return Err(format!("{} was not built for this kernel", module.display()));
        }
    }
    Ok(match kernel.modules.len() {
        0 => "none".to_owned(),
        count => format!("{count} built for this kernel"),
    })
}

fn boot(kernel: &Kernel, program: &Path) -> Result<String, String> {
    let Probed { release, boot, sleep } = probe(kernel, program).map_err(|error| error.to_string())?;
    match release == kernel.release {
        true => Ok(format!(
            "in {:.2} s; {} s of virtual time took {:.2} s",
            boot.as_secs_f64(),
            SLEEP.as_secs(),
            sleep.as_secs_f64()
        )),
        false => Err(format!("it boots as Linux {release}, but was built as {}", kernel.release)),
    }
}
