//! Counters and histograms of the live parts as Prometheus text (exposition format 0.0.4), where the text is published, and how it is read.
//!
//! The text is written here rather than by a library such as `prometheus-client`. Live parts count in plain numbers of one thread, without
//! locks or atomics for each packet. That library writes OpenMetrics, in which the type of a counter belongs to a name without `_total`;
//! node_exporter's textfile collector reads the older format only, and would take all counters as untyped.

#[cfg(target_os = "linux")]
mod publish;
#[cfg(target_os = "linux")]
mod read;
mod samples;
#[cfg(target_os = "linux")]
mod scrapes;
mod text;

#[cfg(target_os = "linux")]
pub use publish::{Metrics, Publisher, Publishing};
pub use samples::{Sample, samples};
#[cfg(target_os = "linux")]
pub use scrapes::{CLIENTS, answer};
pub use text::{Metric, Process, Text, counter, gauge, labels, with_all};

/// Define a struct of counters together with their metrics. The help of a metric is the doc comment of its field.
#[macro_export]
macro_rules! counters {
    ($(#[$about:meta])* $struct:ident {
        $(#[doc = $help:literal] $kind:ident $name:literal $field:ident: $type:ty,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $struct { $(#[doc = $help] pub $field: $type,)* }

        impl $struct {
            /// The metrics of all fields, in order.
            pub const METRICS: &[$crate::metrics::Metric<$struct>] =
                &[$($crate::metrics::$kind($name, $help, |it| u64::from(it.$field)),)*];
        }
    };
}
