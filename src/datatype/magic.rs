//! Extents by which the library's own types are known inside any type that is built from them.
#![forbid(unsafe_code)]

use crate::foreign::{Tool, tool};

/// An extent that no user's type has: "admpi" in letters' numbers, and odd.
pub const MAGIC: i64 = 0x61_64_6d_70_69;
/// Bytes of an active double.
pub const ACTIVE_EXTENT: i64 = 16;
/// The same mark of `AMPI_VARMAT` and `AMPI_VIEW`: "matrix".
pub const MATRIX_MAGIC: i64 = 0x6d_61_74_72_69_78 | 1;
/// Bytes of an active double and an index.
pub const PAIR_EXTENT: i64 = 24;
/// The same mark of `AMPI_ADOUBLE_COMPLEX`: "complex".
pub const COMPLEX_MAGIC: i64 = 0x63_6f_6d_70_6c_65_78 | 1;
/// The same mark of `AMPI_AFLOAT`: "float".
pub const FLOAT_MAGIC: i64 = 0x66_6c_6f_61_74 | 1;
/// The first of the marks of other AD tools' types, which are odd: "tools" in letters' numbers, and a byte for the tool.
const TOOL_MAGIC: i64 = 0x74_6f_6f_6c_73_00 | 1;
/// An extent that only bundles have, below their own: "bundle" in letters' numbers, and odd.
pub const BUNDLE_MAGIC: i64 = 0x62_75_6e_64_6c_65 | 1;

/// The mark of the tool with this number.
pub fn mark_of_tool(index: usize) -> i64 {
    TOOL_MAGIC + 2 * i64::try_from(index).unwrap_or(i64::MAX >> 2)
}

/// The tool whose type bears a mark.
pub fn tool_of(mark: i64) -> Option<&'static Tool> {
    let beyond = mark.checked_sub(TOOL_MAGIC).filter(|beyond| beyond % 2 == 0)?;
    tool::tool(usize::try_from(beyond / 2).ok()?)
}
