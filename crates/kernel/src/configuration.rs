//! What a kernel is configured with: the list in `data/uml.config`.

use std::collections::BTreeMap;

const WANTED: &str = include_str!("../data/uml.config");

/// How much an option matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// A kernel without it is refused.
    Required,
    /// A kernel without it is reported.
    Wanted,
    /// For kernels that have it.
    IfKnown,
}

/// An option with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) weight: Weight,
}

impl Wanted {
    /// `NAME` or `NAME=VALUE`, perhaps after `!` or `?`.
    fn parse(text: &str) -> Wanted {
        let (weight, rest) = match (text.strip_prefix('!'), text.strip_prefix('?')) {
            (Some(rest), _) => (Weight::Required, rest),
            (_, Some(rest)) => (Weight::IfKnown, rest),
            _ => (Weight::Wanted, text),
        };
        let (name, value) = rest.split_once('=').unwrap_or((rest, "y"));
        Wanted { name: name.to_owned(), value: value.to_owned(), weight }
    }
}

/// The list, with what the build itself requires: options such as `HZ=1000`.
pub(crate) fn wanted(required: &[String]) -> Vec<Wanted> {
    let lines = WANTED.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let own = required.iter().map(|option| Wanted { weight: Weight::Required, ..Wanted::parse(option) });
    lines.map(Wanted::parse).chain(own).collect()
}

/// The list as the kernel's `KCONFIG_ALLCONFIG` reads it.
pub(crate) fn fragment(wanted: &[Wanted]) -> String {
    wanted.iter().map(|it| format!("CONFIG_{}={}\n", it.name, it.value)).collect()
}

/// What a configuration lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lacking {
    pub(crate) required: Vec<String>,
    pub(crate) wanted: Vec<String>,
}

/// Compare a `.config` with the list.
pub(crate) fn lacking(wanted: &[Wanted], config: &str) -> Lacking {
    let values = values(config);
    let mut lacking = Lacking::default();
    for it in wanted {
        let value = values.get(it.name.as_str()).copied().unwrap_or("n");
        if value == it.value || it.weight == Weight::IfKnown {
            continue;
        }
        let text = if it.value == "y" { it.name.clone() } else { format!("{}={}", it.name, it.value) };
        match it.weight {
            Weight::Required => lacking.required.push(text),
            _ => lacking.wanted.push(text),
        }
    }
    lacking
}

/// The options of a `.config` that are set, without `CONFIG_`.
fn values(config: &str) -> BTreeMap<&str, &str> {
    let pairs = config.lines().filter_map(|line| line.strip_prefix("CONFIG_")?.split_once('='));
    pairs.collect()
}

/// The congestion controls that a `.config` builds in, by the names that sockets use, sorted.
pub(crate) fn congestion_controls(config: &str) -> Vec<String> {
    let built_in = values(config).into_iter().filter(|&(_, value)| value == "y");
    let names = built_in.filter_map(|(name, _)| name.strip_prefix("TCP_CONG_"));
    let mut names: Vec<String> = names
        .filter(|name| *name != "ADVANCED")
        .map(|name| if name == "HSTCP" { "highspeed".to_owned() } else { name.to_lowercase() })
        .chain(["reno".to_owned()])
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_list_is_well_formed_and_names_each_option_once() {
        let list = wanted(&[]);
        let is_name =
            |name: &str| name.chars().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_');
        assert_eq!(list.iter().find(|it| !is_name(&it.name)), None);
        let names: BTreeSet<&str> = list.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names.len(), list.len());
        for needed in ["UML_TIME_TRAVEL_SUPPORT", "HOSTFS", "MODULES", "NET_SCH_NETEM", "TCP_CONG_CUBIC"] {
            assert!(list.iter().any(|it| it.name == needed && it.weight == Weight::Required), "{needed}");
        }
        assert!(list.iter().any(|it| it.name == "UML_RANDOM" && it.value == "n"));
    }

    #[test]
    fn only_required_options_are_fatal() {
        let list = ["!NET", "!HZ=1000", "NET_SCH_CAKE", "UML_RANDOM=n", "?NET_SCH_DUALPI2", "IFB"]
            .map(Wanted::parse);
        assert_eq!(fragment(&list[..2]), "CONFIG_NET=y\nCONFIG_HZ=1000\n");
        let good = "CONFIG_NET=y\nCONFIG_HZ=1000\nCONFIG_NET_SCH_CAKE=y\nCONFIG_IFB=y\n";
        assert_eq!(lacking(&list, good), Lacking::default());
        let poor = "# CONFIG_NET is not set\nCONFIG_HZ=100\nCONFIG_UML_RANDOM=y\nCONFIG_IFB=m\n";
        let found = lacking(&list, poor);
        assert_eq!(found.required, ["NET", "HZ=1000"]);
        assert_eq!(found.wanted, ["NET_SCH_CAKE", "UML_RANDOM=n", "IFB"]);
    }

    #[test]
    fn congestion_controls_have_the_names_of_sockets() {
        let config = "CONFIG_TCP_CONG_ADVANCED=y\nCONFIG_TCP_CONG_HSTCP=y\nCONFIG_TCP_CONG_BBR=y\nCONFIG_TCP_CONG_LP=m\n";
        assert_eq!(congestion_controls(config), ["bbr", "highspeed", "reno"]);
    }
}
