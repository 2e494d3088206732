//! Rows that are collected until they make a page.

use super::PAGE;
use std::io;

/// A page that is being filled: a vector for each column, the first of which has a value in every row.
macro_rules! page {
    ($(#[$about:meta])* $name:ident { $first:ident: $type_of_first:ty, $($column:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Default)]
        pub(crate) struct $name {
            $first: Vec<$type_of_first>,
            $($column: Vec<$type>,)*
        }

        impl $crate::columns::Page for $name {
            #[inline]
            fn rows(&self) -> usize {
                self.$first.len()
            }
            fn clear(&mut self) {
                self.$first.clear();
                $(self.$column.clear();)*
            }
        }
    };
}
pub(crate) use page;

/// Rows that are collected before they are encoded.
pub(crate) trait Page: Default {
    /// How many there are.
    fn rows(&self) -> usize;
    /// Make it empty; its memory is used again.
    fn clear(&mut self);
}

/// Encodes pages into a table.
pub(crate) trait Encoder {
    /// The rows.
    type Page: Page;
    /// Append a page, which is not empty.
    ///
    /// # Errors
    /// When the table cannot be written.
    fn encode(&mut self, page: &Self::Page) -> io::Result<()>;
}

/// A page that is being filled, and what encodes it. All this happens on the thread that adds rows: to hand pages to
/// another one would take more processor time than to encode them, which takes about 30 ns for a row.
#[derive(Debug)]
pub(crate) struct Filling<E: Encoder> {
    page: E::Page,
    pub(crate) encoder: E,
    /// After the first error nothing more is written.
    failed: Option<io::Error>,
}

impl<E: Encoder> Filling<E> {
    pub(crate) fn new(encoder: E) -> Self {
        Filling { page: E::Page::default(), encoder, failed: None }
    }

    /// Add to the page, which is encoded when it is full. [`Filling::finish`] returns what failed.
    #[inline]
    pub(crate) fn add(&mut self, add: impl FnOnce(&mut E::Page) -> io::Result<()>) {
        if let Err(cause) = add(&mut self.page) {
            self.failed.get_or_insert(cause);
        }
        if self.page.rows() >= PAGE {
            self.encode();
        }
    }

    #[inline(never)]
    fn encode(&mut self) {
        if self.failed.is_none() && self.page.rows() > 0 {
            self.failed = self.encoder.encode(&self.page).err();
        }
        self.page.clear();
    }

    /// Encode the rest.
    ///
    /// # Errors
    /// The first error.
    pub(crate) fn finish(mut self) -> io::Result<E> {
        self.encode();
        self.failed.map_or(Ok(self.encoder), Err)
    }
}
