//! The recording, the list of who served when, and the pictures.

use super::{FATES, Run, map, round_trips, sky};
use crate::terminal::{Failure, note};
use seamline_experiment::atomic;
use seamline_orbit::{OrbitError, Passage};
use seamline_recordings::measured::Conditions;
use seamline_recordings::native;
use seamline_report::export::csv_rows;
use seamline_report::export::table::Table;
use seamline_report::picture::standalone;
use std::path::{Path, PathBuf};

/// Write all files into a folder; their paths.
pub(super) fn write(folder: &Path, run: &Run<'_>) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<(String, String)> = Vec::new();
    match run.passages {
        [passage] => {
            files.extend(recording("recording.csv", run, passage));
            files.push(("services.csv".to_owned(), csv_rows(&services(run, passage))));
            files.push(("sky.svg".to_owned(), standalone(&sky::draw(run, passage))));
            files.push(("round-trips.svg".to_owned(), standalone(&round_trips::draw(run, passage))));
        }
        passages => {
            for (place, passage) in passages.iter().enumerate() {
                files.extend(recording(
                    &format!("recording-{}.csv", file_name(passage.terminal(), place)),
                    run,
                    passage,
                ));
            }
            files.push(("terminals.csv".to_owned(), csv_rows(&run.table())));
        }
    }
    files.push(("map.svg".to_owned(), standalone(&map::draw(run))));
    let write = |(name, text): &(String, String)| Ok(atomic::write(&folder.join(name), text.as_bytes())?);
    files.iter().map(write).collect()
}

/// Letters and digits of a name, and its place, so that no two are the same.
fn file_name(name: &str, place: usize) -> String {
    let letters = name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' });
    format!("{:04}-{}", place + 1, letters.take(40).collect::<String>())
}

/// The conditions as a recording; a terminal without any path has none.
fn recording(name: &str, run: &Run<'_>, passage: &Passage) -> Option<(String, String)> {
    match passage.schedule(run.switch, FATES) {
        Ok(schedule) => {
            let remarks = [
                format!("from seamline orbit: {}, {}, {}", run.name, passage.terminal(), passage.start()),
                "delay and outages of a satellite path; it says nothing of capacity and loss".to_owned(),
            ];
            let text = native::write(&Conditions::both(schedule), passage.duration(), &remarks);
            Some((name.to_owned(), text))
        }
        Err(error @ OrbitError { .. }) => {
            note("warning", format!("no recording: {error}"));
            None
        }
    }
}

/// Who served when.
fn services(run: &Run<'_>, passage: &Passage) -> Table {
    let services = passage.services();
    let name = |number: u32| run.setup.constellation.name(number as usize);
    Table::new("services")
        .real("from_s", services.iter().map(|it| Some(it.from.as_secs_f64())))
        .real("until_s", services.iter().map(|it| Some(it.until.as_secs_f64())))
        .text("satellite", services.iter().map(|it| name(it.satellite)))
        .text("gateway_satellite", services.iter().map(|it| name(it.exit)))
        .text(
            "gateway",
            services.iter().map(|it| {
                let place = run.setup.gateways[it.gateway as usize].place;
                format!("{},{}", place.latitude, place.longitude)
            }),
        )
}
