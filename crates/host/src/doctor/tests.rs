use super::split::try_rules;
use super::{Feature, Need, json, missing, table};
use crate::namespace::Namespace;

fn feature(need: Need, result: Result<String, String>) -> Feature {
    let purpose = "walking over water in the evening, when the lake is calm and the boats are gone";
    Feature::new(need, "winged boots", purpose, result).fixed_by(&[
        ("Debian, Ubuntu", "sudo apt install boots"),
        ("Fedora", "sudo dnf install boots-winged"),
    ])
}

#[test]
fn only_missing_features_have_remedies_and_are_listed() {
    let features = [
        feature(Need::Required, Err("sold out".to_owned())),
        feature(Need::Optional, Ok("size 42".to_owned())),
    ];
    let text = table(&features);
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    assert_eq!(text.matches("sudo apt install boots").count(), 1, "{text}");
    assert!(text.contains("  NO   winged boots") && text.contains("  yes  winged boots"), "{text}");
    assert!(!text.contains("mobile"), "no heading without features: {text}");
    assert_eq!(missing(&features, Need::Required), "winged boots");
    assert_eq!(missing(&features, Need::Optional), "");
    let needs: Vec<_> = json(&features).as_array().unwrap().iter().map(|it| it["need"].clone()).collect();
    assert_eq!(needs, ["required", "optional"]);
}

#[test]
fn the_message_of_nft_is_reported() {
    let name = "the_message_of_nft_is_reported";
    let (Ok(namespace), Some(_)) = (Namespace::new(), super::program::find("nft")) else {
        return println!("SKIPPED {name}: it takes namespaces, and nft");
    };
    if let Err(why) = namespace.within(|| try_rules("add table inet probe\n")) {
        return println!("SKIPPED {name}: {why}");
    }
    let why = namespace.within(|| try_rules("add table inet probe { flags hovering; }\n")).unwrap_err();
    assert!(why.to_string().contains("Error:"), "{why}");
}
