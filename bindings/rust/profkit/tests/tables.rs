//! Arrow streams: what they hold, who releases them, and in which order.

mod common;

use common::{data, gpu, tpu};
use profkit::{
    ArrowArrayStream, ArrowStream, BubbleOptions, CaptureDevice, CellValue, ColumnType, DocumentOptions, Fact, Filters, Hooks,
    KernelOptions, Kind, MemoryOptions, Op, ProbeTool, Profile, TableKind, TableOptions,
};
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::ptr;

// The structs of the Arrow C data interface, as every library declares them.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            unsafe { release(self) }
        }
    }
}

unsafe fn names(stream: *mut ArrowArrayStream) -> Vec<String> {
    let mut schema: Schema = std::mem::zeroed();
    assert_eq!(((*stream).get_schema.unwrap())(stream, (&mut schema as *mut Schema).cast()), 0);
    assert_eq!(CStr::from_ptr(schema.format).to_str(), Ok("+s"));
    let children = std::slice::from_raw_parts(schema.children, schema.n_children as usize);
    let found = children.iter().map(|child| CStr::from_ptr((**child).name).to_str().unwrap().to_owned()).collect();
    schema.release.unwrap()(&mut schema);
    found
}

/// The next batch; `None` at the end.
unsafe fn next(stream: *mut ArrowArrayStream) -> Result<Option<Array>, String> {
    let mut batch: Array = std::mem::zeroed();
    let code = ((*stream).get_next.unwrap())(stream, (&mut batch as *mut Array).cast());
    if code != 0 {
        return Err(CStr::from_ptr((*stream).get_last_error.unwrap()(stream)).to_str().unwrap().to_owned());
    }
    Ok(batch.release.map(|_| batch))
}

fn rows_of(mut stream: ArrowStream<'_>) -> i64 {
    let mut rows = 0;
    while let Some(batch) = unsafe { next(stream.as_mut_ptr()) }.unwrap() {
        assert!(batch.length > 0 && batch.null_count == 0 && batch.offset == 0);
        rows += batch.length;
    }
    rows
}

#[test]
fn every_table_has_its_rows_after_all_else_is_gone() {
    let profile = Profile::open(tpu()).unwrap();
    let few = TableOptions { batch_rows: 1000, ..Default::default() };
    let events: u64 =
        profile.planes().flat_map(|plane| plane.lines()).map(|line| line.summary().unwrap().event_count).sum();
    let kernels = profile.kernels(KernelOptions::default()).unwrap();
    let executions: u64 = kernels.devices().map(|device| device.kernel_count).sum();
    let bubbles = profile.bubbles(BubbleOptions::default()).unwrap();
    let (steps, gaps) = (bubbles.steps().count(), bubbles.gaps().count());
    let memory = profile.memory(MemoryOptions { curve_points: 64, ..Default::default() }).unwrap();
    let (buffers, points) = (memory.live_buffers().count(), memory.live_curve().count());
    let tables = [
        (profile.events_table(None, few).unwrap(), events as i64),
        (profile.events_table(Some(0), few).unwrap(), events as i64),
        (kernels.table(few).unwrap(), executions as i64),
        (bubbles.steps_table(few).unwrap(), steps as i64),
        (bubbles.table(few).unwrap(), gaps as i64),
        (memory.live_buffers_table(few).unwrap(), buffers as i64),
        (memory.live_curve_table(few).unwrap(), points as i64),
    ];
    let ops = profile.ops_table(DocumentOptions::default(), few).unwrap();
    drop((profile, kernels, bubbles, memory));
    for (table, expected) in tables {
        assert!(expected > 0);
        assert_eq!(rows_of(table), expected);
    }
    assert!(rows_of(ops) > 0);
}

#[test]
fn rows_of_every_table_are_structs() {
    fn count<'s, R: profkit::Row<'s>>(profile: &'s Profile<'_>) -> usize {
        profile.rows_of::<R>(DocumentOptions::default()).unwrap().map(Result::unwrap).count()
    }
    let profile = Profile::open(tpu()).unwrap();
    let counts = [
        count::<profkit::FileInfo>(&profile),
        count::<profkit::CaptureDevice>(&profile),
        count::<profkit::Op>(&profile),
        count::<profkit::OpGroup>(&profile),
        count::<profkit::Kernel>(&profile),
        count::<profkit::BubbleStep>(&profile),
        count::<profkit::Bubble>(&profile),
        count::<profkit::GapCause>(&profile),
        count::<profkit::DeviceTime>(&profile),
        count::<profkit::Finding>(&profile),
        count::<profkit::Collective>(&profile),
        count::<profkit::Allocator>(&profile),
        count::<profkit::LiveBuffer>(&profile),
        count::<profkit::CurvePoint>(&profile),
        count::<profkit::Fact>(&profile),
    ];
    assert!(counts.iter().all(|&rows| rows > 0), "{counts:?}");
    assert_eq!(count::<profkit::Launch>(&profile) + count::<profkit::CollectiveCall>(&profile), 0);
    // Text of rows whose table has ended.
    let before: Vec<_> = profile.rows_of::<profkit::Bubble>(DocumentOptions::default()).unwrap().map(|gap| gap.unwrap().before).collect();
    assert!(before.iter().any(|name| name == "all-reduce"), "{:?}", &before[..3]);
}

#[test]
fn only_the_columns_that_were_asked_for_come() {
    let profile = Profile::open(gpu()).unwrap();
    let wanted = ["duration_ps", "name"];
    let few = TableOptions { columns: Some(&wanted), ..Default::default() };
    let mut stream = profile.events_table(None, few).unwrap();
    assert_eq!(unsafe { names(stream.as_mut_ptr()) }, wanted);
    assert_eq!(rows_of(stream), rows_of(profile.events_table(None, TableOptions::default()).unwrap()));
    for (wrong, told) in [(&["colour"][..], "colour"), (&["name", "name"], "twice"), (&[], "no column")] {
        let why = profile.events_table(None, TableOptions { columns: Some(wrong), ..few }).unwrap_err();
        assert_eq!(why.kind(), Kind::InvalidArgument);
        assert!(why.to_string().contains(told), "{}", why);
    }
}

#[test]
fn tables_of_a_neutrino_trace() {
    let profile = Profile::open(data("neutrino/block_sched")).unwrap();
    let probe = profile.neutrino(ProbeTool::None).unwrap();
    let mut records = probe.records_table(0, 0, TableOptions::default()).unwrap();
    let launches = probe.launches_table(TableOptions::default()).unwrap();
    assert_eq!(unsafe { names(records.as_mut_ptr()) }[4..8], ["block", "lane", "k", "start"]);
    let expected = probe.records(0, 0).unwrap().rows().count();
    assert_eq!(rows_of(records), expected as i64);
    assert_eq!(rows_of(launches), probe.launches().count() as i64);
    assert!(probe.records_table(0, 99, TableOptions::default()).is_err());
    assert!(probe.records_table(99, 0, TableOptions::default()).is_err());
}

#[test]
fn any_table_by_the_names_of_its_columns() {
    let profile = Profile::open(tpu()).unwrap();
    let mut devices =
        profile.table(TableKind::Devices, DocumentOptions::default(), TableOptions::default()).unwrap();
    assert!(devices.columns().all(|column| !column.meaning.is_empty()));
    assert_eq!(devices.advance(10).unwrap(), 4);
    let names = devices.values("name").unwrap();
    assert_eq!(names[3], Some(CellValue::Text("/device:TPU:3".into())));
    assert_eq!(devices.values("rank").unwrap(), [None, None, None, None]);
    assert_eq!(devices.values("colour").unwrap_err().kind(), Kind::InvalidArgument);
    assert_eq!(devices.advance(10).unwrap(), 0);
    let filters =
        DocumentOptions { filters: Filters { plane: Some("TPU:2".into()), ..Default::default() }, ..Default::default() };
    let mut ops = profile.table(TableKind::Ops, filters, TableOptions::default()).unwrap();
    assert!(ops.advance(1000).unwrap() > 0);
    assert!(ops.values("device").unwrap().iter().all(|device| *device == Some(CellValue::Int64(2))));
    let mut text = Vec::new();
    let mut gaps = profile.table(TableKind::Gaps, DocumentOptions::default(), TableOptions::default()).unwrap();
    gaps.write_json(&mut text).unwrap();
    assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 36);
    assert_eq!(TableKind::LiveBuffers.name(), "live_buffers");
}

#[test]
fn a_stream_is_moved_out_left_early_and_released_in_any_order() {
    let profile = Profile::open(gpu()).unwrap();
    let mut stream = profile.events_table(None, TableOptions { batch_rows: 100, ..Default::default() }).unwrap();
    // As arrow::ffi_stream::ArrowArrayStreamReader::from_raw does it: the struct is moved, and `release` cleared.
    let mut moved = unsafe { ptr::read(stream.as_mut_ptr()) };
    unsafe { (*stream.as_mut_ptr()).release = None };
    assert!(stream.is_released());
    drop((stream, profile));
    let first = unsafe { next(&mut moved) }.unwrap().unwrap();
    let second = unsafe { next(&mut moved) }.unwrap().unwrap();
    unsafe { moved.release.unwrap()(&mut moved) }; // before the end, and before its batches
    assert!(moved.release.is_none());
    let name = unsafe { &**second.children.add(10) };
    assert!(!name.dictionary.is_null() && name.length == second.length);
    drop(first);
    assert_eq!(unsafe { (*(*second.children.add(11))).length }, second.length);

    let profile = Profile::open(gpu()).unwrap();
    let mut into = unsafe { std::mem::zeroed::<ArrowArrayStream>() };
    unsafe {
        profile.events_table(None, TableOptions::default()).unwrap().export(&mut into);
        assert_eq!(names(&mut into).len(), 18);
        into.release.unwrap()(&mut into);
    }
    drop(profile.events_table(None, TableOptions::default()).unwrap()); // never read
}

#[test]
fn damage_comes_behind_what_was_intact() {
    let bytes = std::fs::read(gpu()).unwrap();
    let profile = Profile::from_bytes(&bytes[..bytes.len() / 2], "cut.xplane.pb").unwrap();
    let mut stream = profile.events_table(None, TableOptions::default()).unwrap();
    let mut rows = 0;
    let why = loop {
        match unsafe { next(stream.as_mut_ptr()) } {
            Ok(batch) => rows += batch.expect("damage before the end").length,
            Err(why) => break why,
        }
    };
    assert!(rows > 0 && why.contains("cut.xplane.pb"), "{why}");
    let skipping = TableOptions { skip_damage: true, ..Default::default() };
    assert_eq!(rows_of(profile.events_table(None, skipping).unwrap()), rows);
}

#[test]
fn wrong_options_are_errors() {
    let profile = Profile::open(gpu()).unwrap();
    let why = profile.events_table(Some(99), TableOptions::default()).unwrap_err();
    assert_eq!(why.kind(), Kind::InvalidArgument);
    let huge = TableOptions { batch_rows: 1 << 40, ..Default::default() };
    assert_eq!(profile.events_table(None, huge).unwrap_err().kind(), Kind::InvalidArgument);
}

#[test]
fn rows_of_some_columns() {
    let profile = Profile::open(tpu()).unwrap();
    let table = || profile.table(TableKind::Kernels, DocumentOptions::default(), TableOptions::default()).unwrap();
    let kernels = profile.kernels(KernelOptions::default()).unwrap();
    let expected: Vec<_> = kernels.rows().map(|kernel| kernel.unwrap()).collect();
    let mut count = 0;
    for (row, kernel) in table().rows(["name", "start_ps"]).zip(&expected) {
        let name = Some(CellValue::Text(kernel.name.to_string()));
        assert_eq!(row.unwrap(), [name, Some(CellValue::Int64(kernel.start_ps))]);
        count += 1;
    }
    assert!(count == expected.len() && count > 1000);
    assert_eq!(table().rows(["name"]).count(), count);
    let mut wrong = table().rows(["nmae"]);
    assert!(wrong.next().unwrap().unwrap_err().hint().contains("name"));
    assert!(wrong.next().is_none());
}

/// How many fields of rows are also columns of their table, where they are equal; another value in one is a failure.
fn same_columns<R: std::fmt::Debug>(profile: &Profile<'_>, kind: TableKind, rows: impl Iterator<Item = profkit::Result<R>>) -> usize {
    let rows: Vec<String> = rows.map(|row| format!("{:?}", row.unwrap())).collect();
    let field = |row: &str, name: &str| Some(row.split_once(&format!(" {name}: "))?.1.replacen("Some(", "", 1));
    let mut table = profile.table(kind, DocumentOptions::default(), TableOptions::default()).unwrap();
    let columns: Vec<_> = table.columns().filter(|column| field(&rows[0], &column.name).is_some()).collect();
    let mut left = rows.iter();
    while table.advance(1000).unwrap() > 0 {
        let mut values: Vec<_> = columns.iter().map(|column| table.values(&column.name).unwrap().into_iter()).collect();
        for row in left.by_ref().take(values[0].len()) {
            for (column, values) in columns.iter().zip(&mut values) {
                let own = field(row, &column.name).unwrap();
                let expected = match values.next().unwrap() {
                    Some(CellValue::UInt64(value)) if column.column_type == ColumnType::Boolean => (value == 1).to_string(),
                    Some(CellValue::Int64(value)) => value.to_string(),
                    Some(CellValue::UInt64(value)) => value.to_string(),
                    Some(CellValue::Text(value)) if own.starts_with('"') => format!("{value:?}"),
                    _ => continue, // words of kinds are compared elsewhere
                };
                let is_same = own.strip_prefix(&expected).map_or(false, |rest| rest.starts_with([',', ')', ' ']));
                assert!(is_same, "{kind} {}: {expected} and {own}", column.name);
            }
        }
    }
    assert_eq!(left.next(), None, "{kind}");
    columns.len()
}

#[test]
fn rows_hold_what_tables_hold() {
    let profile = Profile::open(tpu()).unwrap();
    let bubbles = profile.bubbles(BubbleOptions::default()).unwrap();
    let memory = profile.memory(MemoryOptions::default()).unwrap();
    let kernels = profile.kernels(KernelOptions::default()).unwrap();
    assert_eq!(same_columns(&profile, TableKind::Files, profile.files().map(|file| Ok(file.info()))), 11);
    assert_eq!(same_columns(&profile, TableKind::Devices, profile.rows_of::<CaptureDevice>(Default::default()).unwrap()), 6);
    assert_eq!(same_columns(&profile, TableKind::Ops, profile.rows_of::<Op>(Default::default()).unwrap()), 17);
    assert_eq!(same_columns(&profile, TableKind::Steps, bubbles.steps()), 23);
    assert_eq!(same_columns(&profile, TableKind::Kernels, kernels.rows()), 26);
    assert_eq!(same_columns(&profile, TableKind::Gaps, bubbles.gaps()), 21);
    assert_eq!(same_columns(&profile, TableKind::Causes, bubbles.causes()), 11);
    assert_eq!(same_columns(&profile, TableKind::DeviceTime, bubbles.device_time()), 7);
    assert_eq!(same_columns(&profile, TableKind::Allocators, memory.allocators()), 12);
    assert_eq!(same_columns(&profile, TableKind::LiveBuffers, memory.live_buffers()), 15);
    assert_eq!(same_columns(&profile, TableKind::Facts, profile.rows_of::<Fact>(Default::default()).unwrap()), 9);
    let modules = profile.modules(Hooks::new()).unwrap();
    assert_eq!(same_columns(&profile, TableKind::Modules, modules.iter().map(Ok)), 11);
}
