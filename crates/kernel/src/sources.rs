//! Where a kernel's source is from: a package of the distribution, a tarball, or a tree of the user.

pub(crate) mod apt;
pub(crate) mod entries;
pub(crate) mod shadow;
pub(crate) mod suites;
pub(crate) mod unpack;
