//! What several types are made of: sets of bits, and operators as tables.

/// A set of bits as it stands on the wire, with a constant for each bit.
macro_rules! bits {
    ($(#[$about:meta])* $name:ident($bits:ty): $($(#[$of_bit:meta])* $bit:ident = $value:expr;)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(pub $bits);
        impl $name {
            $($(#[$of_bit])* pub const $bit: $name = $name($value);)*
            /// Whether all bits of `other` are set.
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }
            /// Whether any bit of `other` is set.
            pub const fn intersects(self, other: $name) -> bool {
                self.0 & other.0 != 0
            }
            /// The bits of both.
            #[must_use]
            pub const fn union(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }
        impl std::ops::BitOr for $name {
            type Output = $name;
            fn bitor(self, other: $name) -> $name {
                self.union(other)
            }
        }
    };
}

/// An enum without data whose cases have names for lists and reports.
macro_rules! named {
    ($(#[$about:meta])* $name:ident: $($(#[$of_case:meta])* $case:ident = $text:literal;)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[$of_case])* $case,)* }
        impl $name {
            /// All of them.
            pub const ALL: [$name; [$($text),*].len()] = [$($name::$case),*];
            /// What lists and reports call it.
            pub const fn name(self) -> &'static str {
                match self { $($name::$case => $text,)* }
            }
        }
    };
}

/// Binary operators, one a line: `Left: Operator method Right = Output, |left, right| value`.
macro_rules! operators {
    ($($(#[$about:meta])* $left:ty: $trait:ident $method:ident $right:ty = $output:ty, |$a:ident, $b:ident| $value:expr;)*) => {
        $(impl std::ops::$trait<$right> for $left {
            type Output = $output;
            $(#[$about])*
            fn $method(self, other: $right) -> $output {
                let ($a, $b) = (self, other);
                $value
            }
        })*
    };
}
