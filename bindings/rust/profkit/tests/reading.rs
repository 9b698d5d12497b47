//! Planes, lines, events, stats, documents; errors, callbacks, threads.

mod common;

use common::{data, gpu, tpu};
use profkit::{
    CancelToken, Document, DocumentOptions, DocumentStatus, Family, Filters, Hooks, Io, Kind, Limits, LineKind,
};
use profkit::{OpenOptions, PlaneKind, Profile, StatOrigin, Value};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

#[test]
fn events_batches_and_summaries_agree() {
    let profile = Profile::open(tpu()).unwrap();
    let mut events = 0;
    for plane in profile.planes() {
        for line in plane.lines() {
            let durations: Vec<i64> = line.events().map(|event| event.unwrap().duration_ps()).collect();
            let mut batched = Vec::new();
            let mut batches = line.events();
            while let Some(batch) = batches.next_batch() {
                batched.extend(batch.unwrap().iter().map(profkit::Event::duration_ps));
            }
            assert_eq!(durations, batched);
            assert_eq!(durations.len() as u64, line.summary().unwrap().event_count);
            events += durations.len();
        }
    }
    assert_eq!(events, 26723);
}

#[test]
fn planes_lines_names_and_stats() {
    let profile = Profile::open(tpu()).unwrap();
    assert_eq!(profile.path(), tpu());
    let plane = profile.planes().next().unwrap();
    assert_eq!(plane.name(), "/device:TPU:0");
    assert_eq!(plane.kind(), PlaneKind::Device);
    assert_eq!(plane.device_ordinal(), Some(0));
    let (told, stats) = (plane.info(), plane.stats().count());
    assert_eq!((told.line_count as usize, told.stat_count as usize), (plane.lines().len(), stats));
    assert_eq!(told.event_metadata_count as usize, plane.all_event_metadata().count());
    let ops = plane.lines().find(|line| line.kind() == LineKind::Ops).unwrap();
    let event = ops.events().next().unwrap().unwrap();
    assert_eq!(plane.name_of(&event), plane.event_metadata(event.metadata_id()).unwrap().name);
    assert!(plane.event_metadata(-5).is_none());
    let stats: Vec<_> = plane.stats_of(&event).map(Result::unwrap).collect();
    let program = stats.iter().find(|stat| stat.name() == "program_id").unwrap();
    assert!(matches!(program.value(), Value::Uint64(_) | Value::Int64(_)));
    assert!(stats.iter().any(|stat| stat.origin() == StatOrigin::Metadata));
    let last = profile.planes().last().unwrap();
    let started = last.stats().map(Result::unwrap).find(|stat| stat.name() == "profile_start_time").unwrap();
    assert_eq!(started.value(), Value::Uint64(1_741_722_099_081_044_120));
}

#[test]
fn files_and_their_bytes() {
    let profile = Profile::open(tpu()).unwrap();
    let file = profile.files().next().unwrap();
    assert_eq!((file.family(), file.position()), (Family::XSpace, 0));
    assert_eq!(file.bytes().unwrap(), std::fs::read(tpu()).unwrap());
    assert_eq!(file.encoded_bytes() as usize, file.bytes().unwrap().len());
    assert!(file.damage().is_none());
    assert!(profile.origin_unix_ns().is_some());
    let run = Profile::open(data("jax/two_process_rank0")).unwrap();
    assert!(run.files().any(|file| file.family() == Family::XSpace));
}

#[test]
fn errors_say_what_where_and_what_next() {
    let missing = Profile::open("/nonexistent/a.xplane.pb").unwrap_err();
    assert_eq!(missing, Profile::open("/nonexistent/a.xplane.pb").unwrap_err());
    assert_ne!(missing, Profile::open("/nonexistent/b.xplane.pb").unwrap_err());
    assert_eq!(missing.kind(), Kind::NotFound);
    assert_eq!((missing.code(), missing.path()), ("not_found", "/nonexistent/a.xplane.pb"));
    assert!(!missing.message().is_empty() && !missing.hint().is_empty() && missing.byte_offset().is_none());
    assert_eq!(missing.to_string().matches("/nonexistent/a.xplane.pb").count(), 1);
    let bytes = std::fs::read(gpu()).unwrap();
    let cut = Profile::from_bytes(&bytes[..bytes.len() / 2], "cut.xplane.pb").unwrap();
    let damage = cut.files().next().unwrap().damage().unwrap();
    assert_eq!(damage.kind(), Kind::Damaged);
    assert!(damage.byte_offset().is_some());
}

#[test]
fn damage_inside_a_line_comes_after_what_was_intact() {
    let good = [0x22, 4, 8, 7, 0x18, 5];
    let bad = [0x22, 4, 8, 7, 0x18, 0xff];
    let line: Vec<u8> = [good, good, bad].concat();
    let mut plane = vec![0x12, 1, b'p', 0x1a, line.len() as u8];
    plane.extend(&line);
    let mut space = vec![0x0a, plane.len() as u8];
    space.extend(&plane);
    let profile = Profile::from_bytes(&space, "bad.xplane.pb").unwrap();
    let line = profile.planes().next().unwrap().lines().next().unwrap();
    let mut events = line.events();
    assert!(events.next().unwrap().is_ok() && events.next().unwrap().is_ok());
    assert_eq!(events.next().unwrap().unwrap_err().kind(), Kind::Damaged);
    assert!(events.next().is_none());
}

#[test]
fn paths_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = std::env::temp_dir().join(format!("profkit-rust-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(std::ffi::OsStr::from_bytes(b"caf\xe9.xplane.pb"));
    std::fs::copy(gpu(), &path).unwrap();
    assert_eq!(Profile::open(&path).unwrap().files().next().unwrap().path(), path);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn documents_and_their_filters() {
    let profile = Profile::open(tpu()).unwrap();
    let whole = profile.document(Document::Ops).unwrap();
    assert!(whole.starts_with('{'));
    let mut filtered = Vec::new();
    let options = DocumentOptions {
        filters: Filters { plane: Some("TPU:0".into()), ..Default::default() },
        limit: Some(1),
        ..Default::default()
    };
    let status = profile.write_document(Document::Ops, options, &mut filtered).unwrap();
    assert_eq!(status, DocumentStatus::Ok);
    assert!(filtered.len() < whole.len());
    let absent =
        DocumentOptions { filters: Filters { step: Some(1 << 40), ..Default::default() }, ..Default::default() };
    assert!(profile.write_document(Document::Ops, absent, &mut filtered).is_err());
    let neutrino = profile.write_document(Document::Neutrino, DocumentOptions::default(), &mut filtered).unwrap();
    assert_eq!(neutrino, DocumentStatus::Absent);
}

struct Full;
impl Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::Error::new(std::io::ErrorKind::Other, "no room"))
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_stops_the_document() {
    let profile = Profile::open(gpu()).unwrap();
    let why = profile.write_document(Document::Info, DocumentOptions::default(), &mut Full).unwrap_err();
    assert_eq!(why.kind(), Kind::Output);
    assert!(why.message().contains("no room"));
}

struct Panics;
impl Write for Panics {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        panic!("the host's own trouble")
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_panic_of_a_callback_goes_on_in_the_caller() {
    let profile = Profile::open(gpu()).unwrap();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        profile.write_document(Document::Info, DocumentOptions::default(), &mut Panics)
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"the host's own trouble"));
    assert!(profile.document(Document::Info).is_ok());
}

#[test]
fn cancel_limits_and_hooks() {
    let token = CancelToken::new();
    let options = |hooks| OpenOptions { hooks, ..Default::default() };
    let profile = Profile::open_with(gpu(), options(Hooks::new().cancel(&token).threads(2))).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| token.cancel());
    });
    let asked = DocumentOptions { hooks: Hooks::new().cancel(&token), ..Default::default() };
    let why = profile.write_document(Document::Ops, asked, &mut Vec::new()).unwrap_err();
    assert_eq!(why.kind(), Kind::Cancelled);
    let limits = Limits { max_materialised_bytes: 1000, ..Default::default() };
    let why = Profile::open_with(gpu(), OpenOptions { io: Io::Read, limits, ..Default::default() }).unwrap_err();
    assert_eq!(why.kind(), Kind::Limit);
    let mut told = 0;
    let hooks = Hooks::new().log(|_, _| ()).progress(|_, _| {
        told += 1;
        ControlFlow::Continue(())
    });
    assert!(Profile::open_with(gpu(), options(hooks)).is_ok());
}

#[test]
fn eight_threads_read_one_profile() {
    let profile = Profile::open(tpu()).unwrap();
    let sum = |profile: &Profile<'_>| -> i64 {
        profile
            .planes()
            .flat_map(|plane| plane.lines())
            .flat_map(|line| line.events())
            .map(|event| event.unwrap().duration_ps())
            .fold(0, i64::wrapping_add)
    };
    let expected = sum(&profile);
    std::thread::scope(|scope| {
        let sums: Vec<_> = (0..8).map(|_| scope.spawn(|| sum(&profile))).collect();
        for found in sums {
            assert_eq!(found.join().unwrap(), expected);
        }
    });
}

#[test]
fn the_library_is_of_this_release() {
    assert_eq!(profkit::version(), "0.1.0");
    assert!(Path::new(&data("")).exists());
}
