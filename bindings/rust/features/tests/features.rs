//! Rows through serde and through the crate arrow are those of tables.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{RecordBatch, RecordBatchReader};
use profkit::{
    BubbleOptions, CaptureDevice, Collective, DocumentOptions, Fact, KernelOptions, MemoryOptions, Op, ProbeTool, Profile,
    TableKind, TableOptions,
};
use serde_json::Value;
use std::path::PathBuf;

fn capture(name: &str) -> PathBuf {
    let root = std::env::var_os("PROFKIT_SOURCE_ROOT").map_or_else(|| "../../..".into(), PathBuf::from);
    root.join("tests/data").join(name)
}

/// The rows of a table as the library itself writes them.
fn rows(profile: &Profile<'_>, kind: TableKind) -> Vec<Value> {
    let mut text = Vec::new();
    profile.table(kind, DocumentOptions::default(), TableOptions::default()).unwrap().write_json(&mut text).unwrap();
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// A list as a table has it.
fn joined(value: &Value) -> Option<String> {
    let word = |one: &Value| one.as_str().map_or_else(|| one.to_string(), str::to_owned);
    Some(value.as_array()?.iter().map(word).collect::<Vec<_>>().join(","))
}

/// Every field of a row is a column of its table, with the same value.
fn same_columns<R: serde::Serialize>(profile: &Profile<'_>, kind: TableKind, own: impl Iterator<Item = profkit::Result<R>>) {
    let (own, table): (Vec<_>, _) = (own.map(|row| serde_json::to_value(row.unwrap()).unwrap()).collect(), rows(profile, kind));
    assert!(own.len() == table.len() && !own.is_empty(), "{kind}: {} rows, and {}", own.len(), table.len());
    for (own, row) in own.iter().zip(&table) {
        for (name, value) in own.as_object().unwrap() {
            let same = match value {
                // What a table has not is an empty text or list here.
                Value::String(text) if text.is_empty() => row[name] == "" || row[name].is_null(),
                Value::Array(list) if list.is_empty() => row[name] == "" || row[name].is_null(),
                Value::Array(list) if row.get(name).is_none() => {
                    ["x", "y", "z"].iter().zip(list).all(|(axis, value)| row[format!("{name}_{axis}")] == *value)
                }
                Value::Array(_) => joined(value).as_deref() == row[name].as_str(),
                _ => *value == row[name] && row.get(name).is_some(),
            };
            let grid = value.is_null() && row.get(format!("{name}_x")).map_or(false, Value::is_null);
            assert!(same || grid, "{kind} {name}: {value} and {}", row[name]);
        }
    }
}

#[test]
fn serde_gives_what_tables_hold() {
    let profile = Profile::open(capture("xspace/tpu_v6e_inference.xplane.pb")).unwrap();
    let bubbles = profile.bubbles(BubbleOptions::default()).unwrap();
    let memory = profile.memory(MemoryOptions { curve_points: 64, ..Default::default() }).unwrap();
    same_columns(&profile, TableKind::Files, profile.files().map(|file| Ok(file.info())));
    same_columns(&profile, TableKind::Devices, profile.rows_of::<CaptureDevice>(Default::default()).unwrap());
    same_columns(&profile, TableKind::Ops, profile.rows_of::<Op>(Default::default()).unwrap());
    same_columns(&profile, TableKind::Steps, bubbles.steps());
    same_columns(&profile, TableKind::Kernels, profile.kernels(KernelOptions::default()).unwrap().rows());
    same_columns(&profile, TableKind::Gaps, bubbles.gaps());
    same_columns(&profile, TableKind::Causes, bubbles.causes());
    same_columns(&profile, TableKind::DeviceTime, bubbles.device_time());
    same_columns(&profile, TableKind::Allocators, memory.allocators());
    same_columns(&profile, TableKind::LiveBuffers, memory.live_buffers());
    same_columns(&profile, TableKind::Facts, profile.rows_of::<Fact>(Default::default()).unwrap());
    let ranks = Profile::open(capture("ascend/two_ranks")).unwrap();
    same_columns(&ranks, TableKind::Kernels, ranks.kernels(KernelOptions::default()).unwrap().rows());
    same_columns(&ranks, TableKind::Collectives, ranks.rows_of::<Collective>(Default::default()).unwrap());
    let neutrino = Profile::open(capture("neutrino/block_sched")).unwrap();
    same_columns(&neutrino, TableKind::ProbeLaunches, neutrino.neutrino(ProbeTool::None).unwrap().launches());
    let why = serde_json::to_value(Profile::open("/no/such.xplane.pb").unwrap_err()).unwrap();
    assert_eq!(why["code"], "not_found");
    assert_eq!(why["byte_offset"], Value::Null);
}

#[test]
fn arrow_gives_what_tables_hold() {
    let bytes = std::fs::read(capture("xspace/jax08_gemm_mi300.xplane.pb")).unwrap();
    let profile = Profile::from_bytes(&bytes, "gemm.xplane.pb").unwrap();
    let options = TableOptions { batch_rows: 7, ..Default::default() };
    let stream = profile.table(TableKind::Kernels, DocumentOptions::default(), options).unwrap().into_arrow().unwrap();
    drop(profile.table(TableKind::Kernels, DocumentOptions::default(), options).unwrap().into_arrow().unwrap().into_reader());
    let expected = rows(&profile, TableKind::Kernels);
    drop(profile);
    let reader = stream.into_reader().unwrap();
    assert!(reader.schema().field_with_name("start_ps").unwrap().metadata().values().any(|unit| unit == "ps"));
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.unwrap()).collect();
    drop(bytes); // batches are their own
    assert!(batches.len() > 1 && batches.iter().all(|batch| batch.num_rows() <= 7));
    let starts: Vec<i64> = batches
        .iter()
        .flat_map(|batch| batch.column_by_name("start_ps").unwrap().as_primitive::<Int64Type>().values().to_vec())
        .collect();
    assert_eq!(starts, expected.iter().map(|row| row["start_ps"].as_i64().unwrap()).collect::<Vec<_>>());
    let names: Vec<String> = batches
        .iter()
        .flat_map(|batch| {
            let names = batch.column_by_name("name").unwrap().as_any_dictionary();
            let words = names.values().as_string::<i32>().clone();
            names.normalized_keys().into_iter().map(move |key| words.value(key).to_owned()).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(names, expected.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>());
}
