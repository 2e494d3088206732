//! Rows that are collected until they make a page.

use super::PAGE;
use std::io;

/// A page that is being filled. What all rows have is an array for each column, and the type of a row; what few rows have is a vector for
/// each column.
macro_rules! page {
    (
        $(#[$about:meta])*
        $page:ident of $row:ident { $($column:ident: $type:ty,)* }
        few { $($rare:ident: $rare_type:ty,)* }
    ) => {
        /// What all rows have.
        #[derive(Clone, Copy, Debug)]
        struct $row {
            $($column: $type,)*
        }

        $(#[$about])*
        #[derive(Debug)]
        pub(crate) struct $page {
            rows: usize,
            $($column: Box<[$type; $crate::columns::PAGE]>,)*
            $($rare: Vec<$rare_type>,)*
        }

        impl $page {
            #[inline]
            fn push(&mut self, row: $row) {
                debug_assert!(self.rows < $crate::columns::PAGE);
                // With the remainder, the compiler checks no bounds.
                let place = self.rows % $crate::columns::PAGE;
                $(self.$column[place] = row.$column;)*
                self.rows += 1;
            }
            $(fn $column(&self) -> &[$type] {
                &self.$column[..self.rows]
            })*
        }

        impl Default for $page {
            fn default() -> Self {
                $page {
                    rows: 0,
                    $($column: Box::new([<$type>::default(); $crate::columns::PAGE]),)*
                    $($rare: Vec::new(),)*
                }
            }
        }

        impl $crate::columns::Page for $page {
            #[inline]
            fn rows(&self) -> usize {
                self.rows
            }
            fn clear(&mut self) {
                self.rows = 0;
                $(self.$rare.clear();)*
            }
        }
    };
}
pub(crate) use page;

/// A column of other values.
pub(crate) fn column<From, To>(values: &[From], convert: impl FnMut(&From) -> To) -> Vec<To> {
    values.iter().map(convert).collect()
}

/// Room for the values of a column that some rows have.
#[derive(Debug)]
pub(crate) struct Room(Box<[i32; PAGE]>);

impl Default for Room {
    fn default() -> Self {
        Room(Box::new([0; PAGE]))
    }
}

impl Room {
    /// The values of the rows that have a bit of this group. Without a branch for each row, because which ones have it cannot be predicted.
    pub(crate) fn present<'a>(&'a mut self, groups: &[u8], group: u8, values: &'a [i32]) -> &'a [i32] {
        if groups.iter().fold(group, |in_all, groups| in_all & groups) != 0 {
            return values;
        }
        let mut count = 0;
        for (groups, value) in groups.iter().zip(values) {
            // As above: there are no more values than that.
            self.0[count % PAGE] = *value;
            count += usize::from(groups & group != 0);
        }
        &self.0[..count]
    }
}

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
/// another one would take more processor time than to encode them.
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

    /// Add a row to the page, which is encoded when it is full. [`Filling::finish`] returns what failed.
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
