//! Which kernels for virtual time there are, for `seamline doctor`.

use crate::store::{RECOMMENDED, Store};
use seamline_host::doctor::{Feature, Need};

/// The kernels that were built.
pub fn feature() -> Feature {
    let purpose = "experiments with the kernel's TCP in virtual time";
    let build = format!("seamline kernel build {RECOMMENDED}");
    Feature::new(Need::Optional, "virtual-time kernels", purpose, found()).fixed_by(&[("any host", &build)])
}

fn found() -> Result<String, String> {
    let kernels = Store::open().map_err(|error| error.to_string())?.list();
    let names: Vec<String> = kernels.iter().map(|it| format!("{} ({} Hz)", it.name, it.hz)).collect();
    if names.is_empty() { Err("none was built".to_owned()) } else { Ok(names.join(", ")) }
}
