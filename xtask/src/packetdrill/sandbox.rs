//! What a script finds where the kernel's settings would be: plain files, which the shared object reads. So a run does not depend on
//! the kernel of the host, and the commands of scripts change nothing of it.

use crate::support::at;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Commands of scripts that set up a device which is not there, or read counters of the kernel. They succeed and do nothing.
const COMMANDS: [&str; 5] = ["ip", "tc", "nstat", "ethtool", "ifconfig"];

/// The settings that scripts of the suites change, and those that the shared object reads, with the defaults of Linux 6.12, or of
/// FreeBSD for what Linux does not have (`inet`).
const SETTINGS: [(&str, &str); 51] = [
    ("core/optmem_max", "131072"),
    ("core/rmem_max", "212992"),
    ("core/somaxconn", "4096"),
    ("core/wmem_max", "212992"),
    ("inet/tcp_drop_synfin", "0"),
    ("inet/tcp_ecn_maxretries", "1"),
    ("inet/tcp_icmp_may_rst", "1"),
    ("inet/tcp_keepinit", "75"),
    ("ipv4/tcp_autocorking", "1"),
    ("ipv4/tcp_available_congestion_control", "reno cubic vegas westwood"),
    ("ipv4/tcp_base_mss", "1024"),
    ("ipv4/tcp_comp_sack_delay_ns", "1000000"),
    ("ipv4/tcp_comp_sack_nr", "44"),
    ("ipv4/tcp_congestion_control", "cubic"),
    ("ipv4/tcp_dsack", "1"),
    ("ipv4/tcp_early_retrans", "3"),
    ("ipv4/tcp_ecn", "2"),
    ("ipv4/tcp_ecn_fallback", "1"),
    ("ipv4/tcp_ecn_option", "0"),
    ("ipv4/tcp_fack", "0"),
    ("ipv4/tcp_fastopen", "1"),
    ("ipv4/tcp_fastopen_blackhole_timeout_sec", "0"),
    ("ipv4/tcp_fastopen_key", "00000000-00000000-00000000-00000000"),
    ("ipv4/tcp_fin_timeout", "60"),
    ("ipv4/tcp_frto", "2"),
    ("ipv4/tcp_invalid_ratelimit", "500"),
    ("ipv4/tcp_keepalive_intvl", "75"),
    ("ipv4/tcp_keepalive_probes", "9"),
    ("ipv4/tcp_keepalive_time", "7200"),
    ("ipv4/tcp_limit_output_bytes", "1048576"),
    ("ipv4/tcp_metrics_flushed", "0"),
    ("ipv4/tcp_min_tso_segs", "2"),
    ("ipv4/tcp_moderate_rcvbuf", "1"),
    ("ipv4/tcp_mtu_probing", "0"),
    ("ipv4/tcp_notsent_lowat", "4294967295"),
    ("ipv4/tcp_pacing_ca_ratio", "120"),
    ("ipv4/tcp_pacing_ss_ratio", "200"),
    ("ipv4/tcp_recovery", "1"),
    ("ipv4/tcp_reordering", "3"),
    ("ipv4/tcp_retries2", "15"),
    ("ipv4/tcp_rmem", "4096 131072 6291456"),
    ("ipv4/tcp_sack", "1"),
    ("ipv4/tcp_slow_start_after_idle", "1"),
    ("ipv4/tcp_syn_linear_timeouts", "4"),
    ("ipv4/tcp_syn_retries", "6"),
    ("ipv4/tcp_synack_retries", "5"),
    ("ipv4/tcp_syncookies", "1"),
    ("ipv4/tcp_timestamps", "1"),
    ("ipv4/tcp_tso_win_divisor", "3"),
    ("ipv4/tcp_window_scaling", "1"),
    ("ipv4/tcp_wmem", "4096 16384 4194304"),
];

/// Defaults of FreeBSD that replace those, by the profile of the endpoint.
const SETTINGS_OF_FREEBSD: [(&str, &str); 1] = [("ipv4/tcp_syn_retries", "12")];

/// `ip tcp_metrics flush` makes a host forget cookies: the shared object sees it by a setting that changes.
const IP: &str = "\
#!/bin/sh
case \"$*\" in
*tcp_metrics*flush*) date +%s%N > /proc/sys/net/ipv4/tcp_metrics_flushed ;;
esac
";

/// The directories of one script.
#[derive(Debug)]
pub(crate) struct Sandbox {
    /// Takes the place of /proc/sys/net.
    pub(crate) settings: PathBuf,
    /// The first directory of PATH.
    pub(crate) commands: PathBuf,
}

impl Sandbox {
    /// Make both for a profile in `directory`, which may hold those of an earlier script.
    pub(crate) fn make(directory: &Path, profile: &str) -> Result<Sandbox, String> {
        let sandbox = Sandbox { settings: directory.join("net"), commands: directory.join("bin") };
        sandbox.write(profile).map_err(at(directory))?;
        Ok(sandbox)
    }

    /// Remove both from `directory`, if they are there.
    pub(crate) fn remove(directory: &Path) {
        for name in ["net", "bin"] {
            let _ = fs::remove_dir_all(directory.join(name));
        }
    }

    fn write(&self, profile: &str) -> std::io::Result<()> {
        for family in ["core", "inet", "ipv4"] {
            fs::create_dir_all(self.settings.join(family))?;
        }
        let replaced = if profile == "freebsd" { &SETTINGS_OF_FREEBSD[..] } else { &[] };
        for (name, value) in SETTINGS.iter().chain(replaced) {
            fs::write(self.settings.join(name), format!("{value}\n"))?;
        }
        fs::create_dir_all(&self.commands)?;
        for name in COMMANDS {
            let path = self.commands.join(name);
            let script = if name == "ip" { IP } else { "#!/bin/sh\n" };
            fs::write(&path, script)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    /// PATH with the commands first.
    pub(crate) fn path(&self) -> String {
        let path = std::env::var("PATH").unwrap_or_default();
        format!("{}:{path}:/usr/sbin:/sbin", self.commands.display())
    }
}
