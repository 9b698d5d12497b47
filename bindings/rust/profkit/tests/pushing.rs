//! A capture that arrives piece by piece.

mod common;

use profkit::{Error, Event, Kind, Limits, NoteKind, Profile, PushOptions, PushReader, PushVisitor, PushedLine, PushedPlane, Stats};
use std::ops::ControlFlow;

#[derive(Default)]
struct Rows {
    waiting: Vec<(i64, Option<i64>, i64, Vec<u8>)>,
    rows: Vec<String>,
    kept: Vec<Profile<'static>>,
    planes: Vec<String>,
    lines: (usize, usize),
    notes: Vec<(NoteKind, String)>,
    damage: Vec<Error>,
}

fn row(name: &str, offset_ps: Option<i64>, duration_ps: i64, stats: Stats<'_>) -> String {
    let stats: Vec<String> = stats.map(|s| s.map(|s| format!("{}={:?}", s.name(), s.value())).unwrap()).collect();
    format!("{name} {offset_ps:?} {duration_ps} {stats:?}")
}

impl PushVisitor for Rows {
    fn plane_begin(&mut self, plane: &PushedPlane<'_>) -> ControlFlow<()> {
        self.planes.push(plane.name.to_string());
        ControlFlow::Continue(())
    }
    fn line_begin(&mut self, _: &PushedLine<'_>) -> ControlFlow<()> {
        self.lines.0 += 1;
        ControlFlow::Continue(())
    }
    fn events(&mut self, line: &PushedLine<'_>, events: &[Event<'_>]) -> ControlFlow<()> {
        assert_eq!(line.plane as usize + 1, self.planes.len());
        self.waiting
            .extend(events.iter().map(|e| (e.metadata_id(), e.offset_ps(), e.duration_ps(), e.raw_stats().to_vec())));
        ControlFlow::Continue(())
    }
    fn line_end(&mut self, line: &PushedLine<'_>) -> ControlFlow<()> {
        assert!(!line.was_changed);
        self.lines.1 += 1;
        ControlFlow::Continue(())
    }
    fn plane_end(&mut self, _: u32, rest: Profile<'static>) -> ControlFlow<()> {
        let plane = rest.planes().next().unwrap();
        for (id, offset_ps, duration_ps, stats) in self.waiting.drain(..) {
            let name = plane.event_metadata(id).map(|m| m.name.to_string()).unwrap_or_default();
            self.rows.push(row(&name, offset_ps, duration_ps, Stats::of_bytes(&stats, Some(plane))));
        }
        self.kept.push(rest);
        ControlFlow::Continue(())
    }
    fn note(&mut self, kind: NoteKind, text: &str) -> ControlFlow<()> {
        self.notes.push((kind, text.to_owned()));
        ControlFlow::Continue(())
    }
    fn damage(&mut self, why: Error) -> ControlFlow<()> {
        self.damage.push(why);
        ControlFlow::Continue(())
    }
}

fn push_all<V: PushVisitor>(mut reader: PushReader<V>, bytes: &[u8]) -> (V, profkit::Result<()>) {
    for piece in bytes.chunks(5000) {
        if let Err(why) = reader.push(piece) {
            let (visitor, again) = reader.finish_with();
            assert_eq!(again.unwrap_err().kind(), why.kind());
            return (visitor, Err(why));
        }
    }
    reader.finish_with()
}

#[test]
fn what_is_pushed_is_what_is_held() {
    let profile = Profile::open(common::gpu()).unwrap();
    let mut wanted = Vec::new();
    for plane in profile.planes() {
        for event in plane.lines().flat_map(|line| line.events()) {
            let event = event.unwrap();
            let name = plane.event_metadata(event.metadata_id()).map(|m| m.name.to_string()).unwrap_or_default();
            wanted.push(row(&name, event.offset_ps(), event.duration_ps(), Stats::of_bytes(event.raw_stats(), Some(plane))));
        }
    }
    let bytes = std::fs::read(common::gpu()).unwrap();
    let mut reader = PushReader::new(Rows::default()).unwrap();
    for piece in bytes.chunks(777) {
        reader.push(piece).unwrap();
    }
    let got = reader.finish().unwrap();
    assert!(got.rows.len() > 100);
    assert_eq!(got.rows, wanted);
    assert_eq!(got.lines.0, got.lines.1);
    let names: Vec<String> = got.kept.iter().flat_map(Profile::planes).map(|plane| plane.name().to_string()).collect();
    assert_eq!(names, got.planes);
}

#[test]
fn a_cut_capture_a_limit_and_a_visitor_that_stops_or_panics() {
    let bytes = std::fs::read(common::gpu()).unwrap();
    let (got, ended) = push_all(PushReader::new(Rows::default()).unwrap(), &bytes[..50_000]);
    let why = ended.unwrap_err();
    assert_eq!(why.kind(), Kind::Damaged);
    assert!(why.byte_offset().is_some());
    assert!(!got.damage.is_empty());

    let limits = Limits { max_materialised_bytes: 100, ..Default::default() };
    let options = PushOptions { label: "socket", limits };
    let (_, ended) = push_all(PushReader::with(Rows::default(), &options).unwrap(), &bytes);
    let why = ended.unwrap_err();
    assert_eq!(why.kind(), Kind::Limit);
    assert!(why.to_string().contains("socket"));

    struct Stops(bool);
    impl PushVisitor for Stops {
        fn events(&mut self, _: &PushedLine<'_>, _: &[Event<'_>]) -> ControlFlow<()> {
            assert!(!self.0, "of the visitor");
            ControlFlow::Break(())
        }
    }
    let (_, ended) = push_all(PushReader::new(Stops(false)).unwrap(), &bytes);
    assert_eq!(ended.unwrap_err().kind(), Kind::Cancelled);
    let panics = std::panic::catch_unwind(|| PushReader::new(Stops(true)).unwrap().push(&bytes).is_ok());
    assert!(panics.is_err());
}
