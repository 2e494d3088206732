//! Satellites from element sets: two-line elements (TLE) and Orbit Mean-elements Messages (OMM).

use crate::{OrbitError, Utc, Vector, omm};
use sgp4::{Constants, Elements, MinutesSinceEpoch};

/// A satellite that SGP4 propagates.
#[derive(Clone, Debug)]
pub struct Satellite {
    name: String,
    epoch: Utc,
    constants: Constants,
}

impl Satellite {
    fn new(elements: &Elements) -> Result<Self, String> {
        // The constants and the expressions of the element sets' own makers (Vallado et al., AIAA 2006-6753).
        let constants =
            Constants::from_elements_afspc_compatibility_mode(elements).map_err(|error| error.to_string())?;
        let nanos = elements.datetime.and_utc().timestamp_nanos_opt();
        let epoch = Utc::from_unix_nanos(nanos.ok_or("its epoch is out of range")?);
        let number = || elements.norad_id.to_string();
        let name = elements.object_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        Ok(Satellite { name: name.map_or_else(number, str::to_owned), epoch, constants })
    }

    /// Its name, or its catalog number.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The time of its elements.
    pub fn epoch(&self) -> Utc {
        self.epoch
    }

    /// Position (km) in the frame TEME, so many minutes after the epoch; `None` when it has decayed by then.
    pub fn teme(&self, minutes: f64) -> Option<Vector> {
        let prediction =
            self.constants.propagate_afspc_compatibility_mode(MinutesSinceEpoch(minutes)).ok()?;
        let [x, y, z] = prediction.position;
        let position = Vector::new(x, y, z);
        position.length().is_finite().then_some(position)
    }

    pub(crate) fn position(&self, at: Utc, turn: f64) -> Vector {
        let teme = self.teme(at.seconds_since(self.epoch) / 60.0);
        teme.map_or(Vector::ZERO, |teme| teme.in_turned_axes(turn))
    }
}

/// Read element sets: two lines each, with or without a line of their name before them, or Orbit Mean-elements Messages in JSON (a list
/// of objects, or one), key = value notation, XML or CSV, as CelesTrak and Space-Track write them.
///
/// # Errors
/// When there is none, or one cannot be read, with the line or the place in the list.
pub fn read_elements(text: &str) -> Result<Vec<Satellite>, OrbitError> {
    let satellites = match omm::read(text) {
        Some(elements) => satellites(&elements?)?,
        None => from_lines(text)?,
    };
    match satellites.is_empty() {
        true => Err(OrbitError::new(
            "there are no element sets; a set has two lines that begin with `1 ` and `2 `, or is an OMM",
        )),
        false => Ok(satellites),
    }
}

fn satellites(elements: &[Elements]) -> Result<Vec<Satellite>, OrbitError> {
    let satellite = |(place, elements): (usize, &Elements)| {
        Satellite::new(elements).map_err(|what| {
            OrbitError::new(format!("element set {} ({}): {what}", place + 1, elements.norad_id))
        })
    };
    elements.iter().enumerate().map(satellite).collect()
}

fn from_lines(text: &str) -> Result<Vec<Satellite>, OrbitError> {
    let mut satellites = Vec::new();
    let mut name: Option<&str> = None;
    let lines = text.lines().zip(1..).map(|(line, number)| (line.trim_end(), number));
    let mut lines = lines.filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'));
    while let Some((line, number)) = lines.next() {
        if !line.starts_with("1 ") {
            if line.starts_with("2 ") || name.is_some() {
                let what = "expected the first line of an element set, which begins with `1 `";
                return Err(OrbitError::at(number, what));
            }
            name = Some(line.strip_prefix("0 ").unwrap_or(line).trim());
            continue;
        }
        let (second, second_number) =
            lines.next().filter(|(second, _)| second.starts_with("2 ")).ok_or_else(|| {
                OrbitError::at(
                    number + 1,
                    "expected the second line of the element set, which begins with `2 `",
                )
            })?;
        let (first, second) = (columns(line, number)?, columns(second, second_number)?);
        let elements = Elements::from_tle(name.take().map(str::to_owned), first, second);
        let elements = elements.map_err(|error| {
            OrbitError::at(number, format!("lines {number} and {second_number}: {error}"))
        })?;
        satellites.push(Satellite::new(&elements).map_err(|what| OrbitError::at(number, what))?);
    }
    match name {
        Some(name) => Err(OrbitError::new(format!("`{name}` is followed by no element set"))),
        None => Ok(satellites),
    }
}

/// The columns of a line of an element set; some files append times to verify with.
fn columns(line: &str, number: usize) -> Result<&[u8], OrbitError> {
    match line.as_bytes().get(..69) {
        Some(columns) if columns.is_ascii() && columns[68].is_ascii_digit() => Ok(columns),
        _ => Err(OrbitError::at(
            number,
            "a line of an element set has 69 columns, of which the last one is a digit that checks the others",
        )),
    }
}
