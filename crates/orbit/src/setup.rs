//! What is to be computed.

use crate::policy::{Pick, Policy, When};
use crate::{Constellation, Horizon, OrbitError, Station, Terminal, Utc};
use seamline_wire::Duration;

/// How a packet gets from the satellite of a terminal to a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relay {
    /// The same satellite sends it down (bent pipe). It has to see a gateway; gateways follow all satellites they see.
    BentPipe,
    /// Over links between satellites, by the shortest way to one that a gateway sees.
    InterSatelliteLinks,
}

/// Satellites, gateways and rules for a stretch of time.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The satellites.
    pub constellation: Constellation,
    /// The ends of the paths on the ground. With several, the nearest one serves.
    pub gateways: Vec<Station>,
    /// How packets get to a gateway.
    pub relay: Relay,
    /// Who picks which satellite when.
    pub policy: Policy,
    /// When the stretch begins.
    pub start: Utc,
    /// How long it is.
    pub duration: Duration,
    /// The time between two looks at the sky: handovers and delays are as exact as this.
    pub step: Duration,
    /// Delay in terminal, satellites and gateway together, one way.
    pub processing_delay: Duration,
    /// Delay from the gateway to the far end of the path, one way.
    pub ground_delay: Duration,
}

impl Setup {
    /// Bent pipe through gateways, with new satellites every 15 s, seen every second, without other delays.
    pub fn new(constellation: Constellation, gateways: Vec<Station>, start: Utc, duration: Duration) -> Self {
        Setup {
            constellation,
            gateways,
            relay: Relay::BentPipe,
            policy: Policy { pick: Pick::Highest, when: When::Slots },
            start,
            duration,
            step: Duration::from_secs(1),
            processing_delay: Duration::ZERO,
            ground_delay: Duration::ZERO,
        }
    }

    /// How many times the sky is looked at.
    pub fn samples(&self) -> u64 {
        self.duration.as_nanos().div_ceil(self.step.as_nanos().max(1))
    }

    /// Whether these terminals can be followed.
    ///
    /// # Errors
    /// When something in the setup cannot be, with what to change.
    pub fn check(&self, terminals: &[Terminal]) -> Result<(), OrbitError> {
        let refuse = |what: &str| Err(OrbitError::new(what));
        if self.gateways.is_empty() {
            return refuse("there is no gateway");
        }
        if self.duration.is_zero() || self.step.is_zero() {
            return refuse("the duration and the step have to be longer than 0 s");
        }
        let samples = self.samples().saturating_mul(terminals.len().max(1) as u64);
        if samples > crate::MOST_SAMPLES {
            return Err(OrbitError::new(format!(
                "{} terminals and {} steps each are more than {} in all; take a longer step or a shorter duration",
                terminals.len(),
                self.samples(),
                crate::MOST_SAMPLES
            )));
        }
        if self.relay == Relay::InterSatelliteLinks && self.constellation.grid().is_none() {
            return refuse(
                "element sets do not say which satellites are linked; inter-satellite links need a shell by numbers",
            );
        }
        self.check_horizons(terminals)
    }

    fn check_horizons(&self, terminals: &[Terminal]) -> Result<(), OrbitError> {
        let horizons = terminals.iter().map(|it| it.horizon).chain(self.gateways.iter().map(|it| it.horizon));
        for horizon in horizons {
            match horizon {
                Horizon::Elevation(degrees) if !(0.0..90.0).contains(&degrees) => {
                    return Err(OrbitError::new(format!(
                        "the least elevation {degrees} is not between 0 and below 90 degrees"
                    )));
                }
                Horizon::Range(range) if !(range > 0.0 && range.is_finite()) => {
                    return Err(OrbitError::new(format!("the longest range {range} km is not above 0")));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
