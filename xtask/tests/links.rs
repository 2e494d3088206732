//! Every relative link in the documents leads to a file, and to a heading if it names one; the book lists every page.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// All documents that belong to the repository.
fn documents() -> Vec<PathBuf> {
    let mut documents = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "md") {
                documents.push(path);
            }
        }
    }
    documents.sort();
    documents
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES)
}

/// Where the links and pictures of a document lead.
fn links(text: &str) -> Vec<String> {
    let targets = parser(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    targets.collect()
}

/// The anchors of a document's headings, as forges and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<(HeadingLevel, String)> = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new())),
            Event::Text(part) | Event::Code(part) => {
                if let Some((_, title)) = &mut heading {
                    title.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let title = heading.take().unwrap().1.to_lowercase();
                let kept = title.chars().filter(|it| it.is_alphanumeric() || [' ', '-', '_'].contains(it));
                anchors.insert(kept.collect::<String>().replace(' ', "-"));
            }
            _ => {}
        }
    }
    anchors
}

#[test]
fn relative_links_lead_somewhere() {
    let mut broken = Vec::new();
    let mut count = 0;
    for document in documents() {
        for link in links(&text(&document)) {
            if link.starts_with("https://") || link.starts_with("http://") || link.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (path, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(path, it)| (path, Some(it)));
            let target =
                if path.is_empty() { document.clone() } else { document.parent().unwrap().join(path) };
            let has_anchor = || anchor.is_none_or(|it| anchors(&text(&target)).contains(it));
            if !target.exists() || (target.extension().is_some_and(|it| it == "md") && !has_anchor()) {
                broken.push(format!("{}: {link}", document.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(count > 50, "only {count} links were found");
}

/// A page that the book does not list cannot be found by readers of the site.
#[test]
fn book_lists_every_page() {
    let docs = root().join("docs");
    let listed: BTreeSet<PathBuf> =
        links(&text(&docs.join("SUMMARY.md"))).iter().map(|it| docs.join(it)).collect();
    let present: BTreeSet<PathBuf> = documents()
        .into_iter()
        .filter(|path| path.starts_with(&docs) && !path.ends_with("SUMMARY.md"))
        .collect();
    assert_eq!(listed, present);
}

/// A file outside of the book is no page of the site.
#[test]
fn links_of_the_book_stay_inside() {
    let docs = root().join("docs").canonicalize().unwrap();
    for document in documents().iter().filter(|path| path.starts_with(root().join("docs"))) {
        for link in links(&text(document)).iter().filter(|it| !it.contains("://")) {
            let path = link.split('#').next().unwrap();
            let target = document.parent().unwrap().join(path).canonicalize();
            assert!(target.is_ok_and(|it| it.starts_with(&docs)), "{}: {link}", document.display());
        }
    }
}

#[test]
fn book_builds() {
    let folder = tempfile::tempdir().unwrap();
    let built = Command::new("mdbook").arg("build").arg(root()).arg("--dest-dir").arg(folder.path()).output();
    let Ok(built) = built else {
        return seamline_testing::skip("book_builds", "it takes mdbook");
    };
    let message = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && !message.contains("WARN") && !message.contains("ERROR"), "{message}");
    assert!(folder.path().join("index.html").exists());
}
