//! Builds the C shim and finds out which MPI the crate is built for.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "scripts/layout.rs"]
mod layout;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rustc-check-cfg=cfg(admpi_mpi, values(\"openmpi\", \"mpich\"))");
    println!("cargo::rustc-check-cfg=cfg(admpi_large_count)");
    println!("cargo::rustc-check-cfg=cfg(admpi_persistent)");
    println!("cargo::rustc-check-cfg=cfg(admpi_persistent_extension)");
    for variable in ["MPICC", "MPI_PKG_CONFIG", "CRAY_MPICH_DIR"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=src/shim");
    println!("cargo::rerun-if-changed=include");
    println!("cargo::rerun-if-changed=scripts/layout.rs");

    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (compiler, family) = compiler(&out)?;
    write_config(&out.join("include/admpi/config.h"), family)?;
    layout::write(&out)?;
    build_shim(compiler, &out.join("include"), family.is_some())
}

#[cfg(not(feature = "mpi"))]
fn compiler(_out: &Path) -> Result<(cc::Build, Option<&'static str>), Box<dyn Error>> {
    Ok((cc::Build::new(), None))
}

/// The compiler of the MPI and the family it belongs to. mpi-sys asks the same crate, so the two cannot
/// disagree on the MPI.
#[cfg(feature = "mpi")]
fn compiler(out: &Path) -> Result<(cc::Build, Option<&'static str>), Box<dyn Error>> {
    let found = build_probe_mpi::probe().map_err(|errors| {
        let reasons: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let reasons = reasons.join("; ");
        format!("no MPI found (set MPICC, or build with --no-default-features): {reasons}")
    })?;
    let mut build = cc::Build::new();
    match found.mpicc {
        Some(mpicc) => build.compiler(mpicc),
        None => build.includes(&found.include_paths),
    };
    let family = probe(&build, out)?;
    Ok((build, Some(family)))
}

/// Whose `mpi.h` this is, and whether it has `MPI_Send_c` and its kin, of MPI 4, and persistent collective calls,
/// also of MPI 4, which Open MPI 4 gives under other names.
#[cfg(feature = "mpi")]
fn probe(compiler: &cc::Build, out: &Path) -> Result<&'static str, Box<dyn Error>> {
    let source = out.join("probe.c");
    let text = "#include <mpi.h>
        #if defined(OPEN_MPI)
        admpi_probe_openmpi
        #if __has_include(<mpi-ext.h>)
        #include <mpi-ext.h>
        #endif
        #elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || \\
              defined(MVAPICH_VERSION) || defined(MVAPICH2_VERSION)
        admpi_probe_mpich
        #endif";
    std::fs::write(&source, format!("{text}\n"))?;
    let header = compiler.clone().file(&source).try_expand()?;
    let header = String::from_utf8_lossy(&header);
    let family = if header.contains("admpi_probe_openmpi") {
        "openmpi"
    } else if header.contains("admpi_probe_mpich") {
        "mpich"
    } else {
        return Err("mpi.h is neither of Open MPI nor of the MPICH family".into());
    };
    println!("cargo::rustc-cfg=admpi_mpi=\"{family}\"");
    if header.contains("MPI_Send_c") {
        println!("cargo::rustc-cfg=admpi_large_count");
    }
    if header.contains(" MPI_Bcast_init") {
        println!("cargo::rustc-cfg=admpi_persistent");
    } else if header.contains(" MPIX_Bcast_init") {
        println!("cargo::rustc-cfg=admpi_persistent");
        println!("cargo::rustc-cfg=admpi_persistent_extension");
    }
    Ok(family)
}

/// The same file that CMake writes for the users of the library; the shim's headers include it.
fn write_config(path: &Path, family: Option<&str>) -> Result<(), Box<dyn Error>> {
    let flag = |on: bool| if on { "1" } else { "0" };
    let mut text = fs::read_to_string("include/admpi/config.h.in")?;
    for part in ["MAJOR", "MINOR", "PATCH"] {
        let value = env::var(format!("CARGO_PKG_VERSION_{part}"))?;
        text = text.replace(&format!("@ADMPI_VERSION_{part}@"), &value);
    }
    for (name, value) in [
        ("@ADMPI_HAVE_MPI@", flag(family.is_some())),
        ("@ADMPI_MPI_OPENMPI@", flag(family == Some("openmpi"))),
        ("@ADMPI_MPI_MPICH@", flag(family == Some("mpich"))),
    ] {
        text = text.replace(name, value);
    }
    fs::create_dir_all(path.parent().ok_or("config.h has no directory")?)?;
    fs::write(path, text)?;
    Ok(())
}

/// Every file of `src/shim`; those with `mpi` in their name only when there is an MPI.
fn build_shim(
    mut compiler: cc::Build,
    generated: &Path,
    with_mpi: bool,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir("src/shim")? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".c") && (with_mpi || !name.contains("mpi")) {
            compiler.file(&path);
        }
    }
    // For tests in debug mode the shim is compiled as the crate is: in a quarter of the time.
    if env::var("PROFILE")? == "release" {
        compiler.opt_level(2);
    }
    compiler
        .include(generated)
        .include("include")
        .std("c11")
        .warnings(true)
        .extra_warnings(true)
        .flag("-Wpedantic")
        .try_compile("admpi_shim")?;
    Ok(())
}
