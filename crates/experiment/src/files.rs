//! The files of one run, in addition to its record.

use crate::atomic::{self, AtomicFile, WriteError};
use crate::observe::{
    EventList, EventTable, PacketTable, PcapngFile, Recorders, RunObserver, SenderCapture, full_payload,
};
use crate::report::engine;
use crate::run::{Job, RunOptions};
use crate::summary::label;
use seamline_report::export::iperf3::{Test, iperf3};
use seamline_report::export::xplot;
use seamline_report::record::{FlowRecord, RunRecord};
use seamline_report::series::RunSeries;
use seamline_scenario::plan::{Cell, Plan};
use std::path::{Path, PathBuf};

/// The bytes of an IPv4 header and a TCP header, without options.
const HEADERS: u64 = 40;

/// Where a run writes files. Without a folder it writes none of a kind.
pub(crate) struct Files<'a> {
    plan: &'a Plan,
    job: Job,
    pub(crate) pcapng: Option<&'a Path>,
    pub(crate) events: Option<&'a Path>,
    pub(crate) parquet: Option<&'a Path>,
    pub(crate) xplot: Option<&'a Path>,
    pub(crate) iperf3: Option<&'a Path>,
    provenance: &'a str,
}

impl<'a> Files<'a> {
    /// The files of a job.
    pub(crate) fn new(plan: &'a Plan, job: Job, options: &'a RunOptions) -> Self {
        let output = &plan.cells[job.cell].scenario.output;
        let every = options.writes_cell(plan, job.cell);
        let first = every && job.seed == 0;
        let folder = |wanted: bool, named: &'a Option<PathBuf>, own: &'a Option<PathBuf>| {
            named.as_deref().or(own.as_deref()).filter(|_| wanted)
        };
        Files {
            plan,
            job,
            pcapng: folder(first, &options.pcapng, &output.pcapng),
            events: folder(first, &options.events, &output.events),
            parquet: folder(first, &options.parquet, &output.parquet),
            xplot: folder(first, &options.xplot, &output.xplot),
            iperf3: folder(every, &options.iperf3, &output.iperf3),
            provenance: &options.provenance,
        }
    }

    /// Check that all folders can be written to; unfinished, the files leave nothing behind.
    pub(crate) fn check(&self) -> Result<(), WriteError> {
        let folders = [self.pcapng, self.events, self.parquet, self.xplot, self.iperf3];
        folders
            .into_iter()
            .flatten()
            .try_for_each(|folder| AtomicFile::create(&self.path(folder, "")).map(drop))
    }

    /// The files that are written during the run.
    pub(crate) fn create(&self) -> Result<Recorders, WriteError> {
        let provenance = self.provenance;
        let file = |folder: Option<&Path>, ending| folder.map(|folder| self.path(folder, ending));
        let pcapng = file(self.pcapng, ".pcapng").map(|path| PcapngFile::create(&path, provenance));
        let packets =
            file(self.parquet, "-packets.parquet").map(|path| PacketTable::create(&path, provenance));
        let events = file(self.events, ".csv").map(|path| EventList::create(&path));
        let table = file(self.parquet, "-events.parquet").map(|path| EventTable::create(&path, provenance));
        Ok(Recorders {
            capture: SenderCapture::new(pcapng.transpose()?, packets.transpose()?),
            events: events.transpose()?,
            event_table: table.transpose()?,
        })
    }

    /// Complete all files.
    pub(crate) fn finish(
        &self,
        mut observer: RunObserver,
        record: &RunRecord,
        series: Option<&RunSeries>,
    ) -> Vec<Result<PathBuf, WriteError>> {
        let mut files: Vec<_> =
            observer.recorders.capture.take().into_iter().flat_map(SenderCapture::finish).collect();
        files.extend(observer.recorders.events.take().map(EventList::finish));
        files.extend(observer.recorders.event_table.take().map(EventTable::finish));
        if let (Some(folder), Some(series)) = (self.xplot, series) {
            files.extend(self.graphs(folder, series));
        }
        if let Some(folder) = self.iperf3 {
            let flows = record.flows.iter().enumerate();
            files.extend(flows.map(|(place, flow)| {
                let test = self.test(place, flow, record, &observer);
                atomic::write(&self.of_flow(folder, &flow.name, "json"), iperf3(&test).as_bytes())
            }));
        }
        files
    }

    /// A time-sequence graph of each recorded flow.
    fn graphs(&self, folder: &Path, series: &RunSeries) -> Vec<Result<PathBuf, WriteError>> {
        let graph = |flow: &_| xplot(flow, &series.notes.join("; "));
        let flows = series.flows.iter();
        let write =
            |text: String, name: &str| atomic::write(&self.of_flow(folder, name, "xpl"), text.as_bytes());
        flows.map(|flow| write(graph(flow), &flow.flow)).collect()
    }

    fn test(&self, place: usize, flow: &FlowRecord, record: &RunRecord, observer: &RunObserver) -> Test {
        let scenario = &self.plan.cells[self.job.cell].scenario;
        let spec = &scenario.flows[place];
        let [from, to] = spec.ends.pair(0).map(|node| scenario.nodes[node].clone());
        let kernel = record.emulation.as_ref().map(|emulation| format!("Linux {}", emulation.kernel));
        let warm_up = flow.measured_from_s - spec.start.as_secs_f64();
        Test {
            title: format!("{}, seed {}, flow {}", label(self.plan, self.job.cell), record.seed, flow.name),
            provenance: self.provenance.to_owned(),
            system: kernel.unwrap_or_else(|| format!("seamline simulator {}", engine())),
            from,
            to,
            variant: flow.variant.clone(),
            segment_bytes: full_payload(spec).into(),
            packet_bytes: u64::from(spec.parameters.segments.maximum_segment_size) + HEADERS,
            size: spec.size,
            omit_s: warm_up.max(0.0),
            measured_s: flow.measured_to_s - flow.measured_from_s,
            streams: observer.streams(place, flow),
        }
    }

    fn path(&self, folder: &Path, ending: &str) -> PathBuf {
        folder.join(self.stem() + ending)
    }

    /// Flows whose names become the same have their numbers, too.
    fn of_flow(&self, folder: &Path, flow: &str, ending: &str) -> PathBuf {
        let flows = &self.plan.cells[self.job.cell].scenario.flows;
        let alike = flows.iter().filter(|other| plain(&other.name) == plain(flow)).count();
        let place = flows.iter().position(|other| other.name == flow).filter(|_| alike > 1);
        let number = place.map(|place| format!("-{}", place + 1)).unwrap_or_default();
        self.path(folder, &format!("-{}{number}.{ending}", plain(flow)))
    }

    /// A unique name for each run: `02-cubic-seed1`.
    fn stem(&self) -> String {
        let Cell { values, scenario, .. } = &self.plan.cells[self.job.cell];
        let digits = self.plan.cells.len().to_string().len();
        let mut stem = String::new();
        if self.plan.cells.len() > 1 {
            stem += &format!("{:0digits$}-", self.job.cell + 1);
        }
        for (_, value) in values {
            stem += &format!("{}-", plain(&value.to_string()));
        }
        stem + &format!("seed{}", scenario.seeds[self.job.seed])
    }
}

/// A part of the name of a file.
fn plain(text: &str) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || ".+".contains(letter) { letter } else { '_' };
    text.chars().map(plain).take(40).collect()
}
