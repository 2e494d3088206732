//! The columns of a table.

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words of a small dictionary.
    Words,
    /// Whole numbers of 32 bits without a sign.
    Number,
    /// Whole numbers of 63 bits.
    Long,
    /// Other numbers.
    Real,
    /// Texts that do not repeat.
    Text,
    /// Bytes.
    Bytes,
}

/// A column of the schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Whether rows may have no value.
    pub(crate) optional: bool,
}

/// The columns of a table: those with a value in every row, then groups of columns that have their values in the same rows. Each gets a
/// constant: a column its number, a group its bit in [`super::Presence::all`].
macro_rules! fields {
    (
        always { $($column:ident $name:literal $kind:ident;)* }
        $($group:ident { $($optional:ident $its_name:literal $its_kind:ident;)* })*
    ) => {
        /// The columns.
        pub(crate) const FIELDS: &[$crate::columns::Field] = &[
            $(fields!(@field $name $kind false),)*
            $($(fields!(@field $its_name $its_kind true),)*)*
        ];
        fields!(@number 0; $($column)* $($($optional)*)*);
        fields!(@bit 1; $($group)*);
    };
    (@field $name:literal $kind:ident $optional:literal) => {
        $crate::columns::Field { name: $name, kind: $crate::columns::Kind::$kind, optional: $optional }
    };
    (@number $number:expr; $column:ident $($rest:ident)*) => {
        pub(crate) const $column: usize = $number;
        fields!(@number $number + 1; $($rest)*);
    };
    (@number $number:expr;) => {};
    (@bit $bit:expr; $group:ident $($rest:ident)*) => {
        const $group: u8 = $bit;
        fields!(@bit $bit * 2; $($rest)*);
    };
    (@bit $bit:expr;) => {};
}
pub(crate) use fields;
