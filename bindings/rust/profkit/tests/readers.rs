//! Readers that a profile owns, and what an error shows.

mod common;

use common::gpu;
use profkit::{BubbleOptions, Document, DocumentOptions, ExportOptions, KernelOptions, Kind};
use profkit::{OpenOptions, Profile, TableKind, TableOptions, TraceFormat};
use std::sync::{Arc, Mutex};

/// Counts the reads, and how often it is dropped.
struct Source {
    bytes: Vec<u8>,
    state: Arc<Mutex<(usize, usize, Trouble)>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Trouble {
    None,
    Fails,
    Panics,
}

impl Source {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> std::io::Result<usize> {
        let trouble = {
            let mut state = self.state.lock().unwrap();
            state.0 += 1;
            state.2
        };
        match trouble {
            Trouble::None => {}
            Trouble::Fails => return Err(std::io::Error::new(std::io::ErrorKind::Other, "unplugged")),
            Trouble::Panics => panic!("the host's own trouble"),
        }
        let from = self.bytes.len().min(offset as usize);
        let size = into.len().min(self.bytes.len() - from);
        into[..size].copy_from_slice(&self.bytes[from..from + size]);
        Ok(size)
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.state.lock().unwrap().1 += 1;
    }
}

#[test]
fn readers_that_a_profile_owns() {
    let state = Arc::new(Mutex::new((0, 0, Trouble::None)));
    let open = |one_pass| {
        let mut source = Source { bytes: std::fs::read(gpu()).unwrap(), state: state.clone() };
        let size = Some(source.bytes.len() as u64);
        let options = OpenOptions { one_pass, ..Default::default() };
        Profile::open_reader("a.xplane.pb", size, move |offset, into| source.read(offset, into), options)
    };
    let ended = || state.lock().unwrap().1;
    let trouble = |what| state.lock().unwrap().2 = what;

    let at_once = open(false).unwrap();
    assert_eq!(ended(), 1);
    let expected = at_once.document(Document::Ops).unwrap();
    drop(at_once);
    assert_eq!(ended(), 1);

    let profile = open(true).unwrap();
    for _ in 0..2 {
        let before = state.lock().unwrap().0;
        assert_eq!(profile.document(Document::Ops).unwrap(), expected);
        assert!(state.lock().unwrap().0 > before);
    }
    trouble(Trouble::Fails);
    let why = profile.document(Document::Ops).unwrap_err();
    assert!(why.kind() == Kind::Io && why.message().ends_with(": unplugged"), "{why:?}");
    trouble(Trouble::Panics);
    let why = profile.document(Document::Info).unwrap_err();
    assert!(why.kind() == Kind::Io && why.message().ends_with(": the reader panicked: the host's own trouble"), "{why:?}");
    assert!(open(true).unwrap_err().to_string().ends_with("the host's own trouble"));
    assert_eq!(ended(), 2);
    trouble(Trouble::None);
    assert_eq!(Profile::open("/no/such.xplane.pb").unwrap_err().kind(), Kind::NotFound);

    let kernels = profile.kernels(KernelOptions::default()).unwrap();
    drop(profile);
    let stream = kernels.table(TableOptions::default()).unwrap();
    drop(kernels);
    assert_eq!(ended(), 2);
    drop(stream);
    assert_eq!(ended(), 3);
}

#[test]
fn no_answer_hides_that_a_reader_failed() {
    type Ask = fn(&Profile<'_>) -> Option<profkit::Error>;
    let asks: [Ask; 6] = [
        |profile| profile.kernels(KernelOptions::default()).err(),
        |profile| profile.bubbles(BubbleOptions::default()).err(),
        |profile| profile.table(TableKind::Devices, DocumentOptions::default(), TableOptions::default()).err(),
        |profile| profile.document(Document::Report).err(),
        |profile| profile.document(Document::Info).err(),
        |profile| profile.export("/dev/null", ExportOptions { format: TraceFormat::Csv, ..Default::default() }).err(),
    ];
    for ask in asks {
        let state = Arc::new(Mutex::new((0, 0, Trouble::None)));
        let mut source = Source { bytes: std::fs::read(gpu()).unwrap(), state: state.clone() };
        let options = OpenOptions { one_pass: true, ..Default::default() };
        let profile =
            Profile::open_reader("a.xplane.pb", None, move |offset, into| source.read(offset, into), options).unwrap();
        state.lock().unwrap().2 = Trouble::Fails;
        let why = ask(&profile).unwrap();
        assert!(why.kind() == Kind::Io && why.message().ends_with("unplugged"), "{why:?}");
        assert!(Profile::open(gpu()).unwrap().planes().count() > 0);
        drop(profile);
        assert_eq!(state.lock().unwrap().1, 1, "nothing that was made of it is left");
    }
}

#[test]
fn a_reader_is_asked_by_many_threads() {
    let state = Arc::new(Mutex::new((0, 0, Trouble::None)));
    let mut source = Source { bytes: std::fs::read(gpu()).unwrap(), state };
    let options = OpenOptions { one_pass: true, ..Default::default() };
    let profile = Profile::open_reader("a.xplane.pb", None, move |offset, into| source.read(offset, into), options).unwrap();
    let expected = profile.document(Document::Ops).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(profile.document(Document::Ops).unwrap(), expected));
        }
    });
}

#[test]
fn an_error_shows_its_message() {
    let why = Profile::open("/no/such.xplane.pb").unwrap_err();
    assert!(why.to_string().contains("/no/such.xplane.pb"));
    let shown = format!("{why:?}");
    assert!(shown.starts_with("Error { kind: NotFound, message: \"/no/such.xplane.pb") && !shown.contains("0x"), "{shown}");
}
