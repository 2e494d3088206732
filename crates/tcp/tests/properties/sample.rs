//! Which combinations of handover scheme, profile and pair are run.

use crate::pairs;
use seamline_tcp::handover::{self, Scheme};
use seamline_tcp::profile::{self, Profile};
use seamline_tcp::variant::Variant;
use std::collections::BTreeSet;

/// Whether all combinations are to be run.
fn all_are_wanted() -> bool {
    std::env::var("SEAMLINE_PROPERTIES").is_ok_and(|value| value == "all")
}

/// Profiles with pairs and their names: each pair under two of the profiles, or under all.
pub(crate) fn profiles_and_pairs() -> Vec<(&'static Profile, String, Variant)> {
    choose_pairs(all_are_wanted())
}

/// Schemes with profiles, pairs and their names: each pair with a third of the schemes, each of these under one profile; or all of them.
pub(crate) fn schemes_profiles_and_pairs() -> Vec<(&'static Scheme, &'static Profile, String, Variant)> {
    choose_schemes(all_are_wanted())
}

fn choose_pairs(all: bool) -> Vec<(&'static Profile, String, Variant)> {
    let mut chosen = Vec::new();
    for (row, profile) in profile::ALL.iter().enumerate() {
        for (column, (name, pair)) in pairs().into_iter().enumerate() {
            let distance = (row + column) % profile::ALL.len();
            if all || distance == 0 || distance == 2 {
                chosen.push((*profile, name, pair));
            }
        }
    }
    chosen
}

fn choose_schemes(all: bool) -> Vec<(&'static Scheme, &'static Profile, String, Variant)> {
    let mut chosen = Vec::new();
    for (layer, scheme) in handover::ALL.iter().enumerate() {
        for (row, profile) in profile::ALL.iter().enumerate() {
            for (column, (name, pair)) in pairs().into_iter().enumerate() {
                let diagonal = layer + column;
                if all || diagonal % 3 == 0 && diagonal / 3 % profile::ALL.len() == row {
                    chosen.push((*scheme, *profile, name, pair));
                }
            }
        }
    }
    chosen
}

#[test]
fn the_sample_has_every_scheme_every_profile_and_every_pair() {
    let (pairs, schemes) = (choose_pairs(false), choose_schemes(false));
    let all = (handover::ALL.len(), profile::ALL.len(), crate::pairs().len());
    let names = |names: &mut dyn Iterator<Item = String>| names.collect::<BTreeSet<_>>().len();
    assert_eq!(names(&mut pairs.iter().map(|it| it.0.name.to_owned())), all.1);
    assert_eq!(names(&mut pairs.iter().map(|it| it.1.clone())), all.2);
    assert_eq!(names(&mut schemes.iter().map(|it| it.0.name.to_owned())), all.0);
    assert_eq!(names(&mut schemes.iter().map(|it| it.1.name.to_owned())), all.1);
    assert_eq!(names(&mut schemes.iter().map(|it| it.2.clone())), all.2);
    assert_eq!(
        (choose_pairs(true).len(), choose_schemes(true).len()),
        (all.1 * all.2, all.0 * all.1 * all.2)
    );
    assert!(pairs.len() < all.1 * all.2 / 2 && schemes.len() < all.0 * all.1 * all.2 / 10);
}
