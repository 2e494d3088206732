//! Sets of parameters, with each default next to its field.

/// A struct whose [`Default`] has the value given after each field's type.
macro_rules! parameters {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($(#[$of_field:meta])* pub $field:ident: $type:ty = $default:expr,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[$of_field])* pub $field: $type,)* }
        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }
    };
}
