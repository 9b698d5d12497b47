//! Rows through serde and through the crate arrow are those of tables.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{RecordBatch, RecordBatchReader};
use profkit::{BubbleOptions, DocumentOptions, KernelOptions, MemoryOptions, Profile, TableKind, TableOptions};
use serde_json::Value;
use std::path::PathBuf;

fn capture(name: &str) -> PathBuf {
    let root = std::env::var_os("PROFKIT_SOURCE_ROOT").map_or_else(|| "../../..".into(), PathBuf::from);
    root.join("tests/data/xspace").join(name)
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

/// How many columns rows have in common with those of a table, where they are equal; another value in one is a failure.
fn same_columns(own: &[Value], table: &[Value]) -> usize {
    assert!(own.len() == table.len() && !own.is_empty(), "{} rows, and {}", own.len(), table.len());
    let mut common = 0;
    for (own, row) in own.iter().zip(table) {
        let (own, row) = (own.as_object().unwrap(), row.as_object().unwrap());
        let shared: Vec<_> = own.keys().filter(|name| row.contains_key(*name)).collect();
        for name in &shared {
            // What a table has not is an empty text or 0 here, where the type cannot say it.
            let is_none = own[*name] == "" || own[*name] == 0 || own[*name].as_array().map_or(false, Vec::is_empty);
            let empty = is_none && row[*name].is_null();
            let joined = joined(&own[*name]);
            let same = own[*name] == row[*name] || (joined.is_some() && joined.as_deref() == row[*name].as_str());
            assert!(empty || same, "{name}: {} and {}", own[*name], row[*name]);
        }
        common = shared.len();
    }
    common
}

#[test]
fn serde_gives_what_tables_hold() {
    let profile = Profile::open(capture("tpu_v6e_inference.xplane.pb")).unwrap();
    let bubbles = profile.bubbles(BubbleOptions::default()).unwrap();
    let gaps: Vec<_> = bubbles.gaps().map(|gap| serde_json::to_value(gap.unwrap()).unwrap()).collect();
    assert!(same_columns(&gaps, &rows(&profile, TableKind::Gaps)) >= 10);
    let steps: Vec<_> = bubbles.steps().map(|step| serde_json::to_value(step.unwrap()).unwrap()).collect();
    assert!(same_columns(&steps, &rows(&profile, TableKind::Steps)) >= 10);
    let kernels = profile.kernels(KernelOptions::default()).unwrap();
    let listed: Vec<_> = kernels.rows().map(|kernel| serde_json::to_value(kernel.unwrap()).unwrap()).collect();
    assert!(same_columns(&listed, &rows(&profile, TableKind::Kernels)) >= 8);
    let memory = profile.memory(MemoryOptions::default()).unwrap();
    let buffers: Vec<_> = memory.live_buffers().map(|buffer| serde_json::to_value(buffer.unwrap()).unwrap()).collect();
    assert!(same_columns(&buffers, &rows(&profile, TableKind::LiveBuffers)) >= 5);
    let why = serde_json::to_value(Profile::open("/no/such.xplane.pb").unwrap_err()).unwrap();
    assert_eq!(why["code"], "not_found");
    assert_eq!(why["byte_offset"], Value::Null);
}

#[test]
fn arrow_gives_what_tables_hold() {
    let bytes = std::fs::read(capture("jax08_gemm_mi300.xplane.pb")).unwrap();
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
