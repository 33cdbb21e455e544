//! The generated headers: one a unit of `src/capi`, committed, and equal to what cbindgen makes of it.
//!
//! `scripts/renew` rewrites them.
#![forbid(unsafe_code)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use support::{files_in, name_of, read, root};

/// The names of the units, sorted.
fn units() -> Vec<String> {
    let unit = |path: String| {
        let name = path.strip_prefix("src/capi/")?.strip_suffix(".rs")?;
        (!name.contains('/') && name != "mod").then(|| name.to_owned())
    };
    files_in(&["src/capi"]).iter().filter_map(|path| unit(name_of(path))).collect()
}

/// The C shim defines the variables.
const ACTIVE_DATATYPES: &str = "
#ifdef __cplusplus
extern \"C\" {
#endif

/** The datatype of one active double (admpi_var): what stands in place of MPI_DOUBLE for active data. Types may
 *  be built from it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_ADOUBLE;

/** The datatype of an admpi_var_int, for reductions by MPI_MINLOC and MPI_MAXLOC: what stands in place of
 *  MPI_DOUBLE_INT for active data. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_ADOUBLE_INT;

/** The datatype of an admpi_var_complex or a std::complex<admpi::var>: what stands in place of MPI_C_DOUBLE_COMPLEX for
 *  active data. MPI_SUM and MPI_PROD reduce it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_ADOUBLE_COMPLEX;

/** The datatype of one active float: what stands in place of MPI_FLOAT for active data. Its item is an admpi_var whose
 *  value is a float, as admpi_to_float makes it; a message has 4 bytes of it. Types may be built from it.
 *  MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_AFLOAT;

/** The datatype of an admpi_var_int whose value is a float, for the same reductions: what stands in place of MPI_FLOAT_INT
 *  for active data. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_AFLOAT_INT;

/** The datatype of two active floats, the parts of a complex number: what stands in place of MPI_C_FLOAT_COMPLEX for active
 *  data. MPI_SUM reduces it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_AFLOAT_COMPLEX;

/** The datatype of an element of a matrix. The buffer is the matrix, an `admpi_varmat *`; counts and displacements are
 *  in elements, column by column. Received elements get new ids. Nothing can be built from it. MPI_DATATYPE_NULL
 *  before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_VARMAT;

/** The same for a part of a matrix: the buffer is an `admpi_view *`, which is read when the call starts. */
extern MPI_Datatype AMPI_VIEW;

#ifdef __cplusplus
}
#endif";

/// The unit's header, as cbindgen makes it. A unit that names MPI's types includes `mpi.h`.
fn generate(unit: &str) -> String {
    let source = root().join(format!("src/capi/{unit}.rs"));
    let text = read(&source);
    let mut config =
        cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    config.include_guard = Some(format!("ADMPI_{}_H", unit.to_uppercase()));
    config.header = Some(format!(
        "/* Generated from src/capi/{unit}.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */"
    ));
    config.sys_includes = vec!["stddef.h".into(), "stdint.h".into()];
    if text.contains("crate::mpi::raw") {
        config.sys_includes.push("mpi.h".into());
    }
    config.includes = vec!["admpi/config.h".into(), "admpi/codes.h".into(), "admpi/var.h".into()];
    for (word, header) in [
        ("AMPI_Request", "request"),
        ("admpi_mpi_sizes", "abi"),
        ("admpi_operand", "matrix"),
        ("admpi_varmat", "matrix"),
        ("super::derivatives::", "derivatives"),
        ("super::linalg::", "linalg"),
        ("super::map::", "map"),
        ("super::pmap::", "pmap"),
        ("super::pmap_programs::", "pmap_programs"),
        ("super::profile::", "profile"),
        ("super::time_loop::", "time_loop"),
        ("admpi_tool;", "tool_table"),
    ] {
        let header = format!("admpi/{header}.h");
        if text.contains(word) && !config.includes.contains(&header) {
            config.includes.push(header);
        }
    }
    if unit == "ampi" {
        config.after_includes = Some(ACTIVE_DATATYPES.into());
    }
    let mut header = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(&source)
        .generate()
        .unwrap_or_else(|error| panic!("cbindgen on {}: {error}", source.display()))
        .write(&mut header);
    String::from_utf8(header).expect("a header in UTF-8")
}

#[test]
fn generated_headers_are_up_to_date() {
    let update = std::env::var_os("ADMPI_UPDATE_HEADERS").is_some();
    for unit in units() {
        let path = root().join(format!("include/admpi/{unit}.h"));
        let generated = generate(&unit);
        if update {
            fs::write(&path, &generated).expect("writing the header");
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == generated,
            "{} differs from src/capi/{unit}.rs; run scripts/renew",
            path.display()
        );
    }
}

/// Macros make no entries in cbindgen's output, and `# Safety` belongs to no C header.
#[test]
fn every_exported_function_is_declared() {
    for unit in units() {
        let source = read(format!("src/capi/{unit}.rs"));
        let header = generate(&unit);
        assert!(
            !header.contains("# Safety"),
            "src/capi/{unit}.rs: a '# Safety' heading is in the header"
        );
        for line in source.lines() {
            let Some((_, rest)) = line.split_once("extern \"C-unwind\" fn ") else { continue };
            let name: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if line.trim_start().starts_with("pub") {
                assert!(
                    header.contains(&format!("{name}(")),
                    "{name} of src/capi/{unit}.rs is in no header"
                );
            }
        }
    }
}

/// The types of handles and structures that a header's functions take or give by pointer.
fn pointees(header: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in header.match_indices(" *") {
        let before = &header[..at];
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let name = &before[start..];
        if name.starts_with("admpi_") || name.starts_with("AMPI_") {
            found.insert(name.to_owned());
        }
    }
    found
}

/// "As the C contract says" says something of each handle.
#[test]
fn the_contract_names_every_type() {
    let text = read("include/admpi.h");
    let (_, contract) = text.split_once("# The contract of handles").expect("the contract");
    let (contract, _) = contract.split_once("*/").expect("its end");
    let named: BTreeSet<&str> =
        contract.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let pointees: BTreeSet<String> =
        units().iter().flat_map(|unit| pointees(&generate(unit))).collect();
    assert!(pointees.len() > 15, "only {pointees:?} were found");
    for name in pointees {
        assert!(named.contains(name.as_str()), "admpi.h: the contract says nothing of {name}");
    }
}
