//! Shells of real constellations, by numbers, with where the numbers are from.

use crate::frames::RADIUS;
use crate::{Pattern, Phasing, Shell, Utc};

/// A shell as its operator has described it.
#[derive(Clone, Copy, Debug)]
pub struct KnownShell {
    /// The name that commands and scenarios use.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Where the numbers are from.
    pub source: &'static str,
    altitude: f64,
    inclination: f64,
    planes: u32,
    per_plane: u32,
    pattern: Pattern,
    phasing: Phasing,
    /// The least elevation in degrees at which terminals and gateways use it.
    pub minimum_elevation: f64,
}

const STARLINK: &str = "SpaceX, FCC file SAT-MOD-20200417-00037 and order FCC 21-48 (2021): planes, altitude, 25 degrees, and \
    phases, rounded to whole steps of Walker";
const KUIPER: &str = "Kuiper Systems, FCC file SAT-LOA-20190704-00057, technical appendix (2019): planes, altitude, 35 degrees; \
    phases of half a spacing as in Hypatia (Kassing et al., IMC 2020)";
const ONEWEB: &str = "OneWeb, FCC file SAT-MPL-20200526-00062 (2020), and its reseller KUSAT: 12 planes of 49, altitude, inclination; \
    assumed: evenly spread planes, phases of half a spacing, 25 degrees";

/// The time at which plane 0 of every shell rises at right ascension 0: 2000-01-01T12:00:00Z.
const EPOCH: Utc = Utc::from_unix_nanos(946_728_000_000_000_000);

/// All shells. The fifth one of Starlink's first generation is left out: its four planes of 43 are not evenly spread.
pub const SHELLS: &[KnownShell] = &[
    shell(
        "starlink-1",
        "Starlink, 72 x 22 at 550 km, 53.0 degrees",
        STARLINK,
        [550.0, 53.0, 25.0],
        [72, 22],
        Phasing::Steps(39),
    ),
    shell(
        "starlink-2",
        "Starlink, 72 x 22 at 540 km, 53.2 degrees",
        STARLINK,
        [540.0, 53.2, 25.0],
        [72, 22],
        Phasing::Steps(54),
    ),
    shell(
        "starlink-3",
        "Starlink, 36 x 20 at 570 km, 70 degrees",
        STARLINK,
        [570.0, 70.0, 25.0],
        [36, 20],
        Phasing::Steps(15),
    ),
    shell(
        "starlink-4",
        "Starlink, 6 x 58 at 560 km, 97.6 degrees",
        STARLINK,
        [560.0, 97.6, 25.0],
        [6, 58],
        Phasing::Steps(1),
    ),
    shell(
        "kuiper-1",
        "Kuiper, 34 x 34 at 630 km, 51.9 degrees",
        KUIPER,
        [630.0, 51.9, 35.0],
        [34, 34],
        Phasing::HalfInOddPlanes,
    ),
    shell(
        "kuiper-2",
        "Kuiper, 36 x 36 at 610 km, 42 degrees",
        KUIPER,
        [610.0, 42.0, 35.0],
        [36, 36],
        Phasing::HalfInOddPlanes,
    ),
    shell(
        "kuiper-3",
        "Kuiper, 28 x 28 at 590 km, 33 degrees",
        KUIPER,
        [590.0, 33.0, 35.0],
        [28, 28],
        Phasing::HalfInOddPlanes,
    ),
    KnownShell {
        pattern: Pattern::Star,
        ..shell(
            "oneweb",
            "OneWeb, 12 x 49 at 1200 km, 87.9 degrees",
            ONEWEB,
            [1200.0, 87.9, 25.0],
            [12, 49],
            Phasing::HalfInOddPlanes,
        )
    },
];

const fn shell(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    [altitude, inclination, minimum_elevation]: [f64; 3],
    [planes, per_plane]: [u32; 2],
    phasing: Phasing,
) -> KnownShell {
    let pattern = Pattern::Delta;
    KnownShell {
        name,
        summary,
        source,
        altitude,
        inclination,
        planes,
        per_plane,
        pattern,
        phasing,
        minimum_elevation,
    }
}

impl KnownShell {
    /// The shell.
    pub fn shell(&self) -> Shell {
        Shell {
            altitude: self.altitude,
            surface: RADIUS,
            inclination: self.inclination,
            planes: self.planes,
            per_plane: self.per_plane,
            pattern: self.pattern,
            phasing: self.phasing,
            epoch: EPOCH,
        }
    }
}

/// The shell of a name.
pub fn shell_named(name: &str) -> Option<&'static KnownShell> {
    SHELLS.iter().find(|source| source.name == name)
}
