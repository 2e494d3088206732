//! Standalone SVG files for papers and slides: text as text, readable in black and white.

pub mod bars;
pub mod cdf;
pub mod curves;
pub mod dots;
pub mod forest;
pub mod frame;
pub mod lines;
pub mod matrix;
pub mod messages;
pub mod over_time;
pub mod panels;
pub(crate) mod results;
pub mod style;
pub mod svg;
pub mod topology;

use crate::escape::Text;
use crate::files::File;
use crate::provenance::Provenance;

/// A picture as a file of its own: dark where its reader prefers that. Within a page, the style of the page decides.
pub fn standalone(svg: &str) -> String {
    let style = concat!("<style>\n", include_str!("../../assets/picture-dark.css"), "</style>\n<defs>");
    svg.replacen("<defs>", style, 1)
}

/// A picture of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The name of its file, without the ending.
    pub name: String,
    /// The picture.
    pub svg: String,
    /// What to see in it.
    pub caption: String,
}

impl Picture {
    /// As a standalone file with its provenance.
    pub fn file(&self, provenance: &Provenance) -> File {
        let fields =
            provenance.fields().into_iter().map(|(name, value)| format!("{name}: {}\n", Text(&value)));
        let metadata = format!("<metadata>\n{}</metadata>\n</svg>\n", fields.collect::<String>());
        let drawn = standalone(&self.svg);
        let drawn = drawn.trim_end();
        let drawn = drawn.strip_suffix("</svg>").unwrap_or(drawn);
        File::text(format!("{}.svg", self.name), format!("{drawn}{metadata}"))
    }
}
