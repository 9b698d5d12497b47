//! Where the captures are.
#![allow(dead_code)]

use std::path::PathBuf;

pub fn data(name: &str) -> PathBuf {
    let root = std::env::var_os("PROFKIT_SOURCE_ROOT")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../..")), PathBuf::from);
    root.join("tests/data").join(name)
}

pub fn tpu() -> PathBuf {
    data("xspace/tpu_v6e_inference.xplane.pb")
}

pub fn gpu() -> PathBuf {
    data("xspace/jax08_gemm_mi300.xplane.pb")
}
