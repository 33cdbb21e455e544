//! The layout of the structs that C and Rust share, read from `src/shim/layout.txt` by `build.rs`, which makes
//! assertions of it, and by `tests/layout.rs`, which looks for what it leaves out.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

pub struct Field {
    pub name: String,
    pub offset: usize,
    pub size: usize,
}

pub struct Struct {
    pub name: String,
    pub size: usize,
    pub alignment: usize,
    /// Rust's twin has more fields behind these.
    pub goes_on: bool,
    pub fields: Vec<Field>,
}

/// The list, relative to the root of the crate.
pub const LIST: &str = "src/shim/layout.txt";

pub fn read(text: &str) -> Result<Vec<Struct>, Box<dyn Error>> {
    let mut structs: Vec<Struct> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (&[name, first, second], more) = words.split_first_chunk().ok_or(line)?;
        let name = name.to_owned();
        let (first, second) = (first.parse()?, second.parse()?);
        let goes_on = more == ["+"];
        match structs.last_mut() {
            Some(last) if line.starts_with(' ') => {
                last.fields.push(Field { name, offset: first, size: second });
            }
            _ => structs.push(Struct {
                name,
                size: first,
                alignment: second,
                goes_on,
                fields: Vec::new(),
            }),
        }
    }
    Ok(structs)
}

/// Writes `include/layout.h` and `layout.rs`.
#[allow(dead_code, reason = "a test reads the list alone")]
pub fn write(out: &Path) -> Result<(), Box<dyn Error>> {
    let structs = read(&fs::read_to_string(LIST)?)?;
    fs::write(out.join("include/layout.h"), in_c(&structs)?)?;
    fs::write(out.join("layout.rs"), in_rust(&structs)?)?;
    Ok(())
}

fn in_c(structs: &[Struct]) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for Struct { name, size, alignment, fields, .. } in structs {
        write!(text, "#define LAID_OUT_{name}")?;
        for Field { name: field, offset, size } in fields {
            write!(
                text,
                " \\\n  _Static_assert(offsetof({name}, {field}) == {offset} && sizeof((({name} *)0)->{field}) == {size}, \
                 \"{name}.{field} is elsewhere in {LIST}\");"
            )?;
        }
        writeln!(
            text,
            " \\\n  _Static_assert(sizeof({name}) == {size} && _Alignof({name}) == {alignment}, \
             \"{name} has another size in {LIST}\")\n"
        )?;
    }
    Ok(text)
}

/// One macro, with a branch for each struct: the assertions stand where the fields are visible. Fields that the list
/// leaves out fail to compile.
fn in_rust(structs: &[Struct]) -> Result<String, Box<dyn Error>> {
    let mut text = String::from("macro_rules! laid_out {\n");
    for Struct { name, size, alignment, goes_on, fields } in structs {
        writeln!(text, "    ({name}, $twin:ident) => {{\n        const _: () = {{")?;
        writeln!(
            text,
            "            const fn size<T>(_: fn(&$twin) -> &T) -> usize {{ size_of::<T>() }}"
        )?;
        for Field { name: field, offset, size } in fields {
            writeln!(
                text,
                "            assert!(std::mem::offset_of!($twin, {field}) == {offset} && size(|twin| &twin.{field}) == {size}, \
                 \"{name}.{field} is elsewhere in {LIST}\");"
            )?;
        }
        let compared = if *goes_on { ">=" } else { "==" };
        writeln!(
            text,
            "            assert!(size_of::<$twin>() {compared} {size} && align_of::<$twin>() == {alignment}, \
             \"{name} has another size in {LIST}\");"
        )?;
        let each: String = fields.iter().map(|field| format!("{}: _, ", field.name)).collect();
        let rest = if *goes_on { ".." } else { "" };
        writeln!(text, "            let _: fn($twin) = |$twin {{ {each}{rest} }}| ();")?;
        writeln!(text, "        }};\n    }};")?;
    }
    text.push_str("}\n");
    Ok(text)
}
