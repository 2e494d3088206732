//! Numbers of the kernel that CO-RE cannot find for the programs, because their enumeration has no name: looked up in the type
//! data of the host.

use libbpf_rs::btf::Btf;
use libbpf_rs::btf::types::Enum;
use std::ffi::OsStr;

/// The map of what is looked up (`bpf/kernel.h`).
pub(crate) const VALUES: &str = ".rodata.host";

/// The bits of `inet_flags` that have a socket's errors reported to its application; 0 when the kernel does not have both.
pub(crate) fn reported_errors() -> u64 {
    let bits = Btf::from_vmlinux()
        .ok()
        .and_then(|types| Some(bit(&types, "INET_FLAGS_RECVERR")? | bit(&types, "INET_FLAGS_RECVERR6")?));
    bits.unwrap_or(0)
}

fn bit(types: &Btf<'_>, name: &str) -> Option<u64> {
    let number = types.type_by_kind::<Enum<'_>>().find_map(|enumeration| {
        let found = enumeration.iter().find(|member| member.name == Some(OsStr::new(name)));
        found.map(|member| member.value)
    })?;
    1_u64.checked_shl(u32::try_from(number).ok()?)
}

#[cfg(test)]
#[test]
fn the_bits_are_those_of_two_enumerators() {
    let Ok(types) = Btf::from_vmlinux() else {
        return seamline_testing::skip("the_bits_are_those_of_two_enumerators", "no type data");
    };
    // IP_RECVERR was a bit of its own before Linux 6.6, which these programs do not run on.
    assert_eq!(reported_errors().count_ones(), 2);
    assert_eq!(bit(&types, "INET_FLAGS_NOT_THERE"), None);
}
