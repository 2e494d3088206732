use super::split::try_rules;
use super::{Feature, Need, can_run, table};
use crate::system::Namespace;

fn feature(need: Need, tried: Result<String, String>) -> Feature {
    Feature::new(
        need,
        "winged boots",
        "walking over water in the evening, when nobody is there to see it",
        tried,
    )
    .mended_by(&[("Debian, Ubuntu", "sudo apt install boots"), ("Fedora", "sudo dnf install boots-winged")])
}

#[test]
fn only_what_is_required_keeps_the_lab_from_running() {
    let missing = |need| feature(need, Err("no".to_owned()));
    assert!(can_run(&[missing(Need::Recommended), missing(Need::Split), missing(Need::Optional)]));
    assert!(!can_run(&[feature(Need::Required, Ok(String::new())), missing(Need::Required)]));
}

#[test]
fn the_cure_is_told_for_what_is_missing_and_for_nothing_else() {
    let features = [
        feature(Need::Required, Err("sold out".to_owned())),
        feature(Need::Optional, Ok("size 42".to_owned())),
    ];
    let text = table(&features);
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    assert_eq!(text.matches("sudo apt install boots").count(), 1, "{text}");
    assert!(text.contains("  NO   winged boots") && text.contains("  yes  winged boots"), "{text}");
    assert!(text.ends_with("The lab cannot run here. It lacks: winged boots.\n"), "{text}");
}

#[test]
fn what_nft_refuses_is_told_in_its_words() {
    let (Ok(namespace), Some(_)) = (Namespace::new(), super::host::find("nft")) else {
        return seamline_testing::skip(
            "what_nft_refuses_is_told_in_its_words",
            "it needs namespaces and nft",
        );
    };
    if let Err(why) = namespace.within(|| try_rules("add table inet probe\n")) {
        return seamline_testing::skip("what_nft_refuses_is_told_in_its_words", why);
    }
    let why = namespace.within(|| try_rules("add table inet probe { flags hovering; }\n")).unwrap_err();
    assert!(why.to_string().contains("Error:"), "{why}");
}
