//! Modules, Chrome events, Neutrino traces, exports, the architecture, validation, writing; what a caller does wrong.

mod common;

use common::{data, gpu, tpu};
use profkit::{
    ArchitectureOptions, Clock, ClockDomain, ClockOffset, ClockOptions, ClockPair, Document, DocumentOptions,
    DocumentStatus, DumpFormat, DumpOptions, ExportOptions, Filters, Hooks, Io, Kind, LaunchOutcome, OpenOptions,
};
use profkit::{
    MergeOptions, ProbeFormat, ProbeLevel, ProbeQuery, ProbeSlice, ProbeTool, Profile, Sibling, TraceFormat, Validation,
};
use profkit::{ValidationOptions, Value, WriterOptions, XSpaceWriter};
use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;

struct Folder(PathBuf);
impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("profkit-rust-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn plane(name: &str) -> Filters {
    Filters { plane: Some(name.into()), ..Default::default() }
}

#[test]
fn modules_and_their_bytes() {
    let profile = Profile::open(tpu()).unwrap();
    let modules = profile.modules(Hooks::new()).unwrap();
    drop(profile);
    assert!(!modules.is_empty() && modules.len() == modules.iter().count());
    let first = modules.get(0).unwrap();
    assert!(first.name.starts_with("jit_f") && !first.damaged && modules.damage(0).is_none() && first.sibling == Sibling::None);
    assert!(first.plane.is_some() && first.computation_count > 0 && first.instruction_count > first.computation_count);
    assert!(!first.hlo_proto.is_empty() && first.sibling_path.is_none());
    assert!(modules.get(modules.len()).is_none());
    let mut entry = Vec::new();
    let profile = Profile::open(tpu()).unwrap();
    let about = |what| DocumentOptions { of: Some(what), ..Default::default() };
    profile.write_document(Document::Modules, about("jit_f"), &mut entry).unwrap();
    assert!(String::from_utf8(entry).unwrap().contains("\"entry\""));
    let nothing = profile.write_document(Document::Modules, about("no such module"), &mut Vec::new());
    assert_eq!(nothing.unwrap_err().kind(), Kind::NotFound);
    let (mut finding, mut page) = (Vec::new(), Vec::new());
    profile.write_document(Document::Explain, about("bubbles.idle"), &mut finding).unwrap();
    assert!(String::from_utf8(finding).unwrap().contains("\"neighbours\""));
    let nothing = profile.write_document(Document::Explain, about("no such finding"), &mut Vec::new());
    assert_eq!(nothing.unwrap_err().kind(), Kind::NotFound);
    profile.write_page(DocumentOptions::default(), &mut page).unwrap();
    assert!(page.starts_with(b"<!doctype html>"));
    let none = Profile::open(gpu()).unwrap();
    assert!(none.modules(Hooks::new()).is_ok());
}

#[test]
fn chrome_events_and_what_is_broken() {
    let profile = Profile::open(data("kineto/h100_bert_small.pt.trace.json.gz")).unwrap();
    let mut reader = profile.chrome_events(0).unwrap();
    drop(profile);
    let events: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    assert_eq!(events.len() as u64, reader.summary().event_count);
    assert!(events
        .iter()
        .any(|event| event.phase == Some('X') && event.duration_ps.is_some() && !event.args.is_empty()));
    let odd = Profile::from_bytes(br#"{"traceEvents":[{"ph":"XY","ts":1,"name":"a"}]}"#, "a.trace.json").unwrap();
    assert!(odd.chrome_events(0).unwrap().map(Result::unwrap).all(|event| event.phase.is_none()));
    let text = br#"{"traceEvents":[{"ph":"X","pid":1,"ts":1,"dur":2,"name":"a\"b"},{"ph":"X","ts":"#;
    let cut = Profile::from_bytes(text, "a.trace.json").unwrap();
    let mut reader = cut.chrome_events(0).unwrap();
    let event = reader.next().unwrap().unwrap();
    assert_eq!((event.name.as_str(), event.start_ps, event.duration_ps), ("a\"b", Some(1_000_000), Some(2_000_000)));
    assert_eq!(reader.next().unwrap().unwrap_err().kind(), Kind::Damaged);
    assert!(reader.next().is_none());
    assert_eq!(Profile::open(gpu()).unwrap().chrome_events(0).unwrap_err().kind(), Kind::Unsupported);
}

#[test]
fn any_message_field_by_field() {
    let (mut document, mut text) = (Vec::new(), Vec::new());
    let asked = DumpOptions { limit: 1, ..Default::default() };
    assert_eq!(profkit::dump(tpu(), &mut document, asked).unwrap(), DocumentStatus::Ok);
    assert!(document.starts_with(b"{"));
    let asked =
        DumpOptions { format: DumpFormat::Text, message_type: Some("raw".into()), limit: 1, ..Default::default() };
    profkit::dump(tpu(), &mut text, asked).unwrap();
    assert!(!text.is_empty() && text != document);
    let refused = profkit::dump(data("jax/two_process_rank0"), &mut text, DumpOptions::default());
    assert_eq!(refused.unwrap_err().kind(), Kind::InvalidArgument);
}

#[test]
fn a_neutrino_trace() {
    let profile = Profile::open(data("neutrino/block_sched")).unwrap();
    let probe = profile.neutrino(ProbeTool::None).unwrap();
    drop(profile);
    let launch = probe.launches().next().unwrap().unwrap();
    assert_eq!((launch.kernel.as_ref(), launch.grid.unwrap()), ("matmul", [24, 1, 1]));
    assert_eq!(launch.outcome, LaunchOutcome::Ok);
    let file = probe.files().next().unwrap();
    assert!(file.damage.is_none() && file.map_count > 0 && file.bytes > 0);
    let map = probe.map(0, 0).unwrap();
    assert_eq!(map.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["start", "elapsed", "cuid"]);
    assert_ne!(map.level, ProbeLevel::Unknown);
    let mut picture = Vec::new();
    let asked = ProbeQuery {
        slice: ProbeSlice::Schedule,
        format: ProbeFormat::Svg,
        title: Some("blocks".into()),
        ..Default::default()
    };
    probe.write_document(&mut picture, asked).unwrap();
    assert!(picture.starts_with(b"<svg"));
    let mut records = probe.records(0, 0).unwrap();
    drop(probe);
    let mut seen = Vec::new();
    for record in records.rows() {
        let record = record.unwrap();
        assert_eq!(record.value("start"), record.values().next());
        assert!(record.value("nothing").is_none() && record.data.len() == map.record_bytes as usize);
        seen.push((record.block.unwrap(), record.lane, record.k, record.value("elapsed").unwrap()));
    }
    assert!(!seen.is_empty() && seen.len() as u64 <= map.lanes * map.capacity);
    let (block, lane, k, elapsed) = *seen.last().unwrap();
    assert_eq!(records.get(block, lane, k).unwrap().unwrap().value("elapsed"), Some(elapsed));
    assert!(records.get(1 << 40, 0, 0).unwrap().is_none());
    let profile = Profile::open(data("neutrino/block_sched")).unwrap();
    let probe = profile.neutrino(ProbeTool::None).unwrap();
    let mut document = Vec::new();
    let query = ProbeQuery { slice: ProbeSlice::Schedule, ..Default::default() };
    assert_eq!(probe.write_document(&mut document, query).unwrap(), DocumentStatus::Ok);
    assert!(document.starts_with(b"{"));
    let query = ProbeQuery { launch: Some("no such".into()), ..Default::default() };
    assert_eq!(probe.write_document(&mut document, query).unwrap_err().kind(), Kind::InvalidArgument);
    assert_eq!(Profile::open(gpu()).unwrap().neutrino(ProbeTool::None).unwrap_err().kind(), Kind::NotFound);
}

#[test]
fn exports_are_the_same_in_a_file_and_a_writer() {
    let folder = Folder::new("export");
    let profile = Profile::open(tpu()).unwrap();
    for format in [TraceFormat::Json, TraceFormat::Perfetto, TraceFormat::XSpace, TraceFormat::Csv] {
        let options = || ExportOptions { format, filters: plane("TPU:0"), ..Default::default() };
        let path = folder.0.join("out");
        let outcome = profile.export(&path, options()).unwrap();
        let mut written = Vec::new();
        assert_eq!(profile.write_export(&mut written, options()).unwrap(), outcome);
        assert_eq!(std::fs::read(&path).unwrap(), written);
        assert!(outcome.status == DocumentStatus::Ok && outcome.events > 0);
    }
    let why = profile.export(folder.0.join("absent/out"), ExportOptions::default()).unwrap_err();
    assert_eq!(why.kind(), Kind::Output);
    let options =
        ExportOptions { filters: Filters { step: Some(1 << 40), ..Default::default() }, ..Default::default() };
    assert!(profile.write_export(&mut Vec::new(), options).is_err());
}

#[test]
fn the_architecture() {
    let profile = Profile::open(tpu()).unwrap();
    let architecture = profile.architecture(ArchitectureOptions::default()).unwrap();
    drop(profile);
    assert!(architecture.file_name().ends_with(".md"));
    let _ = architecture.summary();
    let (mut document, mut report) = (Vec::new(), Vec::new());
    architecture.write_document(&mut document).unwrap();
    architecture.write_markdown(&mut report).unwrap();
    assert!(document.starts_with(b"{") && report.starts_with(b"#"));
}

/// Two traces of one collective each; the second node's clock is 2 ms ahead.
fn two_nodes() -> Vec<Vec<u8>> {
    (0..2)
        .map(|node| {
            let mut written = Vec::new();
            let mut writer = XSpaceWriter::new(&mut written).unwrap();
            writer.hostname(&format!("node{node}"));
            writer.begin_plane("/device:GPU:0", 0);
            let (name, bytes, ratio) =
                (writer.event_name("all-reduce", ""), writer.stat_name("bytes"), writer.stat_name("ratio"));
            writer.begin_line("Stream #1", 1, 0);
            writer.event(name, 1000, 5000);
            writer.event_stat(bytes, &Value::Int64(-8));
            writer.event_stat(ratio, &Value::Double(0.5));
            writer.end_line();
            writer.end_plane();
            writer.begin_plane("Task Environment", 1);
            let started = writer.stat_name("profile_start_time");
            writer.plane_stat(started, &Value::Uint64(1_700_000_000_000_000_000 + node * 2_000_000));
            writer.end_plane();
            writer.finish().unwrap();
            written
        })
        .collect()
}

#[test]
fn writing_and_validating() {
    let nodes = two_nodes();
    let profiles: Vec<_> = nodes.iter().map(|bytes| Profile::from_bytes(bytes, "n.xplane.pb").unwrap()).collect();
    let file = profiles[1].files().next().unwrap();
    assert_eq!(file.hostnames().collect::<Vec<_>>(), ["node1"]);
    assert_eq!((file.errors().count(), file.warnings().count()), (0, 0));
    let plane = profiles[0].planes().next().unwrap();
    let event = plane.lines().next().unwrap().events().next().unwrap().unwrap();
    assert_eq!((plane.name_of(&event).as_ref(), event.duration_ps()), ("all-reduce", 5000));
    let stats: Vec<_> = plane.stats_of(&event).map(|stat| stat.unwrap().value()).collect();
    assert_eq!(stats, [Value::Int64(-8), Value::Double(0.5)]);
    assert_eq!(plane.stat_name(plane.stat_id("ratio").unwrap()).unwrap(), "ratio");
    assert!(plane.stat_id("nothing").is_none() && plane.stat_name(99).is_none());
    assert_eq!(
        plane.all_event_metadata().map(|entry| entry.unwrap().name.into_owned()).collect::<Vec<_>>(),
        ["all-reduce"]
    );
    assert_eq!(plane.metadata_stats(event.metadata_id()).count(), 0);
    let given: Vec<_> = profiles.iter().map(Some).collect();
    let verdict = Validation::of(&given, ValidationOptions { align: true, ..Default::default() }).unwrap();
    drop(given);
    drop(profiles);
    let summary = verdict.summary();
    assert_eq!((summary.node_count, summary.group_count, summary.violations_raw), (2, 1, 1));
    assert_eq!(verdict.clock_intervals().map(Result::unwrap).count(), 2);
    let (mut document, mut table) = (Vec::new(), Vec::new());
    verdict.write_document(&mut document).unwrap();
    verdict.write_csv(&mut table).unwrap();
    assert!(document.starts_with(b"{") && !table.is_empty());
    assert_eq!(Validation::of(&[], ValidationOptions::default()).unwrap_err().kind(), Kind::InvalidArgument);
}

#[test]
fn a_message_of_an_open_file_is_that_of_its_path() {
    let text = || DumpOptions { format: DumpFormat::Text, limit: 1, ..Default::default() };
    let (mut of_path, mut of_file) = (Vec::new(), Vec::new());
    profkit::dump(tpu(), &mut of_path, text()).unwrap();
    let bytes = std::fs::read(tpu()).unwrap();
    let profile = Profile::from_bytes(&bytes, "b.xplane.pb").unwrap();
    let file = profile.files().next().unwrap();
    assert_eq!(file.dump(&mut of_file, text()).unwrap(), DocumentStatus::Ok);
    assert!(!of_file.is_empty() && of_file == of_path);
}

#[test]
fn a_document_into_a_file() {
    let folder = Folder::new("document");
    let path = folder.0.join("ops.json");
    let profile = Profile::open(gpu()).unwrap();
    let status = profile.write_document_file(Document::Ops, DocumentOptions::default(), &path).unwrap();
    assert_eq!(status, DocumentStatus::Ok);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), profile.document(Document::Ops).unwrap());
}

#[test]
fn a_writer_with_options() {
    let mut packed = Vec::new();
    let options = WriterOptions { gzip: true, threads: 2, ..Default::default() };
    let mut writer = XSpaceWriter::with(&mut packed, &options).unwrap();
    writer.begin_plane("p", 0);
    writer.end_plane();
    writer.finish().unwrap();
    assert!(packed.starts_with(b"\x1f\x8b"));
    let folder = Folder::new("bounded");
    let bounded = WriterOptions { max_plane_bytes: 10, ..Default::default() };
    let mut writer = XSpaceWriter::create_with(folder.0.join("out.xplane.pb"), &bounded).unwrap();
    writer.begin_plane("p", 0);
    writer.event_name("a kernel with a name", "");
    assert_eq!(writer.finish().unwrap_err().kind(), Kind::Limit);
}

#[test]
fn a_writer_out_of_order_or_left_leaves_nothing() {
    let folder = Folder::new("writer");
    let path = folder.0.join("out.xplane.pb");
    let mut writer = XSpaceWriter::create(&path).unwrap();
    writer.begin_plane("p", 0);
    drop(writer);
    assert!(!path.exists());
    let mut writer = XSpaceWriter::create(&path).unwrap();
    writer.end_plane();
    assert!(writer.finish().is_err() && !path.exists());
    let mut writer = XSpaceWriter::create(&path).unwrap();
    writer.begin_plane("p", 0);
    let name = writer.stat_name("s");
    writer.plane_stat(name, &Value::None);
    writer.end_plane();
    writer.finish().unwrap();
    let profile = Profile::open(&path).unwrap();
    let stats: Vec<_> = profile.planes().next().unwrap().stats().map(|stat| stat.unwrap().value()).collect();
    assert_eq!(stats, [Value::None]);
    struct Broken(bool);
    impl std::io::Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            assert!(!self.0, "the host's own trouble");
            Err(std::io::Error::new(std::io::ErrorKind::Other, "no room"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let write = |panics| {
        let mut broken = Broken(panics);
        let mut writer = XSpaceWriter::new(&mut broken).unwrap();
        writer.begin_plane("p", 0);
        writer.end_plane();
        writer.finish()
    };
    assert!(write(false).unwrap_err().message().contains("no room"));
    assert!(catch_unwind(AssertUnwindSafe(|| write(true))).is_err());
}

#[test]
fn reads_of_the_caller() {
    let bytes = std::fs::read(gpu()).unwrap();
    let mut calls = 0;
    let mut read = |offset: u64, into: &mut [u8]| {
        calls += 1;
        let from = bytes.len().min(offset as usize);
        let size = into.len().min(bytes.len() - from);
        into[..size].copy_from_slice(&bytes[from..from + size]);
        Ok(size)
    };
    let profile =
        Profile::open_reads("a.xplane.pb", Some(bytes.len() as u64), &mut read, OpenOptions::default()).unwrap();
    assert!(calls > 0);
    assert_eq!(profile.files().next().unwrap().bytes().unwrap(), bytes);
    let mut fails = |_: u64, _: &mut [u8]| Err(std::io::Error::new(std::io::ErrorKind::Other, "unplugged"));
    let why = Profile::open_reads("a.xplane.pb", None, &mut fails, OpenOptions::default()).unwrap_err();
    assert!(why.kind() == Kind::Io && why.message().contains("unplugged"));
    let mut panics = |_: u64, _: &mut [u8]| panic!("the host's own trouble");
    let caught = catch_unwind(AssertUnwindSafe(|| {
        Profile::open_reads("a.xplane.pb", None, &mut panics, OpenOptions::default()).map(|_| ())
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"the host's own trouble"));
}

#[test]
fn paths_with_nul_name_no_file() {
    let path = format!("{}\0.old", gpu().display());
    assert_eq!(Profile::open(&path).unwrap_err().kind(), Kind::InvalidArgument);
    assert_eq!(MergeOptions::new([&path]).run_to(&mut Vec::new()).unwrap_err().kind(), Kind::InvalidArgument);
    assert_eq!(XSpaceWriter::create(&path).unwrap_err().kind(), Kind::InvalidArgument);
    let profile = Profile::open(gpu()).unwrap();
    assert_eq!(profile.export(&path, ExportOptions::default()).unwrap_err().kind(), Kind::InvalidArgument);
}

#[test]
fn a_panic_in_progress_and_log_goes_on_in_the_caller() {
    // Enough bytes for 50 ms to be over before the end.
    let bytes = std::fs::read(tpu()).unwrap().repeat(200);
    let open = |hooks| OpenOptions { io: Io::Read, hooks, ..Default::default() };
    let profile = Profile::from_bytes_with(&bytes, "a.xplane.pb", open(Hooks::new())).unwrap();
    let mut told = 0;
    let stopping = Hooks::new().progress(|_, _| {
        told += 1;
        ControlFlow::Break(())
    });
    let options = profkit::DocumentOptions { hooks: stopping, ..Default::default() };
    let stopped = profile.write_document(profkit::Document::Report, options, &mut Vec::new());
    assert_eq!(told, 1);
    assert_eq!(stopped.unwrap_err().kind(), Kind::Cancelled);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let hooks = Hooks::new().progress(|_, _| panic!("the host's own trouble"));
        let options = profkit::DocumentOptions { hooks, ..Default::default() };
        profile.write_document(profkit::Document::Report, options, &mut Vec::new())
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"the host's own trouble"));
}

#[test]
fn runs_of_a_parent() {
    let folder = Folder::new("runs");
    for run in ["plugins/profile/2024_01_01_00_00_00", "plugins/profile/2024_01_02_00_00_00"] {
        std::fs::create_dir_all(folder.0.join(run)).unwrap();
        std::fs::copy(gpu(), folder.0.join(run).join("vm.xplane.pb")).unwrap();
    }
    let profile = Profile::open(&folder.0).unwrap();
    let runs: Vec<_> = profile.runs().map(|run| (run.name.into_owned(), run.chosen)).collect();
    assert_eq!(runs, [("2024_01_02_00_00_00".to_owned(), true), ("2024_01_01_00_00_00".to_owned(), false)]);
    assert_eq!(profile.files().next().unwrap().run(), "2024_01_02_00_00_00");
}

#[test]
fn a_clock_and_how_wrong_it_can_be() {
    let pair = |tracer_ns, host_ns, host_sub_ps| ClockPair { tracer_ns, host_ns, host_sub_ps, ..Default::default() };
    let pairs = [pair(1000, 500_000, 0), pair(2000, 501_000, 0), pair(3000, 502_000, 500)];
    let offsets = [ClockOffset { midpoint_ns: 500_000, offset_ps: 250, resolution_ps: 1, ..Default::default() }];
    let asked = ClockOptions {
        pairs: &pairs,
        offsets: &offsets,
        tracer_base_ns: 1000,
        host_base_ns: 500_000,
        reference_base_ns: 500_000,
        ..Default::default()
    };
    let few = Clock::new(ClockOptions { pairs: &pairs[..1], ..asked });
    assert_eq!(few.unwrap_err().kind(), Kind::InvalidArgument);
    let clock = Clock::new(asked).unwrap();
    let mut times = [0, 1_500_000, i64::MAX];
    clock.map_all(ClockDomain::Tracer, &mut times);
    assert_eq!(times, [-250, 1_500_000, i64::MIN]);
    assert_eq!((clock.map(ClockDomain::Host, 0), clock.map(ClockDomain::Tracer, i64::MAX)), (Some(-250), None));
    assert!(clock.bound_ps(ClockDomain::Tracer, 0) > 0);
    let reference = ClockOptions { pairs: &pairs, is_reference: true, ..Default::default() };
    assert_eq!(Clock::new(reference).unwrap().map(ClockDomain::Host, 0), Some(0));
}

#[test]
fn the_document_of_a_failure() {
    let why = Profile::open("/nonexistent/a.xplane.pb").unwrap_err();
    let mut written = Vec::new();
    why.clone().write_document(Document::Ops, &mut written).unwrap();
    let shown = String::from_utf8(written).unwrap();
    assert!(shown.contains("\"schema\": \"profkit.ops\"") && shown.contains("\"code\": \"not_found\""), "{shown}");
    let ours = Profile::open("a\0b").unwrap_err();
    assert_eq!(ours.write_document(Document::Ops, &mut Vec::new()).unwrap_err().kind(), Kind::InvalidArgument);
    std::thread::spawn(move || drop(why)).join().unwrap();
}

#[test]
fn names_of_what_is_enumerated() {
    let profile = Profile::open(tpu()).unwrap();
    let file = profile.files().next().unwrap();
    assert_eq!((file.family().to_string().as_str(), file.compression().name()), ("xspace", "none"));
    let plane = file.planes().next().unwrap();
    assert_eq!((plane.kind().name(), Document::Bubbles.name()), ("device", "bubbles"));
    assert_eq!((TraceFormat::default().name(), Sibling::None.name()), ("trace.json", "none"));
    assert!(plane.lines().any(|line| line.kind().name() == "ops"));
    let stats: Vec<_> = plane.all_stat_metadata().map(Result::unwrap).collect();
    assert!(!stats.is_empty() && stats.iter().all(|stat| plane.stat_name(stat.id).as_ref() == Some(&stat.name)));
    let entry = plane.all_event_metadata().next().unwrap().unwrap();
    assert!(plane.event_metadata_children(entry.id).unwrap().is_empty());
    assert_eq!(plane.event_metadata_children(i64::MIN).unwrap_err().kind(), Kind::NotFound);
}
