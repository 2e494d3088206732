//! Finding the command `seamline-host`, which other commands start.

use std::io;
use std::path::PathBuf;

/// Its name.
pub const NAME: &str = "seamline-host";

/// Where `seamline-host` is: next to the running executable, or else in `PATH`.
///
/// # Errors
/// When it is in neither place; the message says how to build it.
pub fn find() -> io::Result<PathBuf> {
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let next_to_this = std::env::current_exe()?.with_file_name(&name);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join(&name));
    std::iter::once(next_to_this.clone()).chain(in_path).find(|file| file.is_file()).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!(
                "{NAME} is neither {} nor in PATH; build it: cargo build --release -p {NAME}",
                next_to_this.display()
            ),
        )
    })
}
