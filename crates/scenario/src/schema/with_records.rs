//! Parameters that only a sender with a record of each segment has.

use crate::reader::Reader;
use crate::units::Complaint;
use seamline_tcp::Parameters;
use seamline_tcp::recovery::Engine;
use seamline_tcp::variant::Variant;

/// Refuse them in a flow whose sender keeps none.
pub(super) fn check(parameters: &Parameters, variant: &Variant, reader: &mut Reader<'_>) {
    if matches!(variant.recovery.engine, Engine::Records) {
        return;
    }
    let given =
        [("slow_start", parameters.window.slow_start.is_some()), ("pacing", parameters.segments.paced)];
    for (key, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
        let label = format!("`{key}` needs a sender that keeps a record of each segment");
        let complaint = Complaint::conflict(label).tip("add profile = \"linux-6.12\" to the flow");
        reader.refuse_value("tcp", complaint);
    }
}
