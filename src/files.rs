//! Options for the files that runs write, in addition to reports.

use crate::Outcome;
use crate::targets;
use clap::Args;
use seamline_experiment::RunOptions;
use seamline_scenario::Plan;
use std::path::PathBuf;

/// Folders of files.
#[derive(Clone, Debug, Args)]
pub(crate) struct FileOptions {
    /// Write a capture of the first run of each grid cell into this directory, taken at the senders
    #[arg(long, value_name = "DIR")]
    pub(crate) pcapng: Option<PathBuf>,
    /// Write all events of the first run of each grid cell into this directory, as CSV
    #[arg(long, value_name = "DIR")]
    pub(crate) events: Option<PathBuf>,
    /// Write all events and all captured packets of the first run of each grid cell into this directory, as Parquet tables. This
    /// takes less time than --events and --pcapng; `seamline convert` makes the same files from the tables
    #[arg(long, value_name = "DIR")]
    pub(crate) parquet: Option<PathBuf>,
    /// Write a time-sequence graph of each flow of the first run of each grid cell into this directory, for xplot and in
    /// the style of tcptrace
    #[arg(long, value_name = "DIR")]
    pub(crate) xplot: Option<PathBuf>,
    /// Write the result of each flow of every run into this directory, in the JSON format of iperf3
    #[arg(long, value_name = "DIR")]
    pub(crate) iperf3: Option<PathBuf>,
}

impl FileOptions {
    fn all(&self) -> [(&'static str, &Option<PathBuf>); 5] {
        [
            ("--pcapng", &self.pcapng),
            ("--events", &self.events),
            ("--parquet", &self.parquet),
            ("--xplot", &self.xplot),
            ("--iperf3", &self.iperf3),
        ]
    }

    /// Whether any was asked for.
    pub(crate) fn any(&self) -> bool {
        self.all().iter().any(|(_, folder)| folder.is_some())
    }

    /// Check all folders.
    pub(crate) fn check(&self) -> Outcome {
        let folders =
            self.all().into_iter().filter_map(|(option, folder)| Some((option, folder.as_deref()?)));
        folders.into_iter().try_for_each(|(option, folder)| targets::folder(option, folder))
    }

    /// Whether runs of a plan write any: because of these options, or of the scenario.
    pub(crate) fn are_written(&self, plan: &Plan) -> bool {
        let outputs = plan.cells.iter().map(|cell| &cell.scenario.output);
        let mut own = outputs.flat_map(|it| [&it.pcapng, &it.events, &it.parquet, &it.xplot, &it.iperf3]);
        self.any() || own.any(Option::is_some)
    }

    /// As options of runs.
    pub(crate) fn to_run_options(&self) -> RunOptions {
        let FileOptions { pcapng, events, parquet, xplot, iperf3 } = self.clone();
        RunOptions { pcapng, events, parquet, xplot, iperf3, ..RunOptions::default() }
    }
}
