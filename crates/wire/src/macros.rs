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
