//! Asks PROFKIT_LIB_DIR, then pkg-config, where libprofkit is. Needs no crate.

use std::env;
use std::process::Command;

/// The library must be of this release, and at least as new as its minor version.
const RELEASE: &str = "profkit >= 0.1.0";

fn main() {
    for name in ["PROFKIT_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(folder) = env::var("PROFKIT_LIB_DIR") {
        return link([format!("-L{folder}").as_str(), "-lprofkit"]);
    }
    let tool = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let asked = Command::new(&tool).args(["--libs", "--cflags", RELEASE]).output();
    let why = match asked {
        Ok(found) if found.status.success() => {
            return link(String::from_utf8_lossy(&found.stdout).split_whitespace())
        }
        Ok(found) => format!("{tool} does not know {RELEASE}: {}", String::from_utf8_lossy(&found.stderr).trim()),
        Err(why) => format!("{tool} could not be run ({why}): install pkg-config, or name it in PKG_CONFIG"),
    };
    // Documentation and checks need no library; a program does, and the linker says so after this.
    println!("cargo:rustc-link-lib=profkit");
    if env::var_os("DOCS_RS").is_none() {
        for line in why.lines().chain(["Install libprofkit, or name the folder of its profkit.pc in PKG_CONFIG_PATH, or that of libprofkit itself in PROFKIT_LIB_DIR."]) {
            println!("cargo:warning={line}");
        }
    }
}

fn link<'f>(flags: impl IntoIterator<Item = &'f str>) {
    for flag in flags {
        if let Some(folder) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
            println!("cargo:lib_dir={folder}"); // DEP_PROFKIT_LIB_DIR of those who depend on this crate
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={library}");
        } else if let Some(folder) = flag.strip_prefix("-I") {
            println!("cargo:include={folder}"); // DEP_PROFKIT_INCLUDE of those who depend on this crate
        }
    }
}
