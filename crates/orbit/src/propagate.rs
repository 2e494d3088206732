//! Following terminals through time.

use crate::passage::{Passage, Route};
use crate::path::{Path, Picker};
use crate::scene::{Gateway, Scene};
use crate::{LIGHT, OrbitError, Setup, Terminal};
use rayon::prelude::*;
use seamline_wire::Duration;

/// How many looks at the sky may be asked for in all: 48 bytes each are kept.
pub const MOST_SAMPLES: u64 = 50_000_000;
/// So many looks are prepared at a time; all terminals share them.
const AT_A_TIME: u64 = 64;

/// Follow terminals: who serves each of them when, and over which path. Runs on all processors; the result does not depend on
/// how many there are. On a thread of rayon it runs on that thread only: one that waits for others would turn to their work, which may
/// in turn wait for what this thread holds.
///
/// # Errors
/// When something in the setup cannot be.
pub fn follow(setup: &Setup, terminals: &[Terminal]) -> Result<Vec<Passage>, OrbitError> {
    setup.check(terminals)?;
    let gateways = Gateway::all(setup);
    let mut passages: Vec<Passage> =
        terminals.iter().map(|terminal| Passage::new(setup, &terminal.name)).collect();
    let samples = setup.samples();
    let at_once = if rayon::current_thread_index().is_some() { usize::MAX } else { 1 };
    let mut next = 0;
    while next < samples {
        let end = (next + AT_A_TIME).min(samples);
        let scene = |sample: u64| Scene::new(setup, &gateways, setup.start.after(setup.step * sample));
        let scenes: Vec<Scene> = (0..(end - next) as usize)
            .into_par_iter()
            .with_min_len(at_once)
            .map(|sample| scene(next + sample as u64))
            .collect();
        passages.par_iter_mut().zip(terminals).with_min_len(at_once).for_each(|(passage, terminal)| {
            for scene in &scenes {
                let route =
                    look(setup, &gateways, terminal, scene, passage.routes().last().copied().flatten());
                passage.push(route);
            }
        });
        next = end;
    }
    Ok(passages)
}

/// What serves a terminal now, given what served it before.
fn look(
    setup: &Setup,
    gateways: &[Gateway],
    terminal: &Terminal,
    scene: &Scene,
    before: Option<Route>,
) -> Option<Route> {
    let observer = terminal.observer(setup.start, scene.at);
    let picker = Picker { setup, gateways, terminal, scene, observer };
    let kept = before.and_then(|route| {
        let earlier = crate::Utc::from_unix_nanos(scene.at.as_unix_nanos() - setup.step.as_nanos() as i64);
        if setup.policy.reconsiders(earlier, scene.at) { None } else { picker.keep(route.link()) }
    });
    let path: Path = kept.or_else(|| picker.pick())?;
    let look = observer.look(scene.space.positions()[path.link.satellite]);
    let one_way_delay =
        Duration::from_secs_f64(path.length / LIGHT) + setup.processing_delay + setup.ground_delay;
    Some(Route::new(path, look, one_way_delay))
}
