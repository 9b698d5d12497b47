//! Memory, bubbles, kernels, merging.

mod common;

use common::{data, gpu, tpu};
use profkit::{CellValue, DocumentOptions, TableKind, TableOptions};
use profkit::{
    BubbleOptions, CancelToken, Correction, Document, Hooks, KernelOptions, Kind, MemoryOptions, MergeOptions,
    NodeStatus, PeakBound, Profile,
};
use std::ops::ControlFlow;

#[test]
fn memory_rows_add_up_to_the_peak() {
    let profile = Profile::open(tpu()).unwrap();
    let memory =
        profile.memory(MemoryOptions { curve_points: 64, fit_bytes: Some(1 << 30), ..Default::default() }).unwrap();
    let module = memory.modules().next().unwrap();
    assert_eq!(module.name, "jit_f");
    assert!(module.chosen && module.space_count > 0);
    let space = memory.space(0, 0).unwrap();
    assert_eq!(space.bound, PeakBound::Exact);
    let alive: i64 = memory.live_buffers().map(|buffer| buffer.unwrap().size_bytes).sum();
    assert_eq!(alive, space.peak_bytes);
    assert!(memory.live_curve().map(|point| point.unwrap().live_bytes).max().unwrap() <= space.peak_bytes);
    let (fits, spare) = memory.fit().unwrap().unwrap();
    assert!(!fits && spare < 0);
    assert!(memory.allocators().count() > 0);
    assert_eq!(memory.space(0, 1000).unwrap_err().kind(), Kind::InvalidArgument);
    let asked = MemoryOptions {
        all_trace: true,
        no_runtime: true,
        what_if: vec!["remat=no such instruction".into()],
        ..Default::default()
    };
    assert_eq!(profile.memory(asked).unwrap_err().kind(), Kind::NotFound);
    let nothing = profile.memory(MemoryOptions { module: Some("no such module".into()), ..Default::default() });
    assert_eq!(nothing.unwrap_err().kind(), Kind::NotFound);
    let mut document = Vec::new();
    profile.memory(MemoryOptions::default()).unwrap().write_document(&mut document).unwrap();
    assert_eq!(String::from_utf8(document).unwrap(), profile.document(Document::Memory).unwrap());
}

#[test]
fn parts_of_a_step_add_up_to_its_length() {
    let bubbles = Profile::open(tpu()).unwrap().bubbles(BubbleOptions::default()).unwrap();
    assert!(bubbles.devices().any(|name| name == "/device:TPU:0")); // the profile is gone; its reference is not
    assert!(bubbles.steps().count() > 0);
    for step in bubbles.steps().map(Result::unwrap) {
        assert_eq!(step.busy_ps + step.prelaunch_ps + step.internal_ps + step.tail_ps, step.end_ps - step.start_ps);
    }
    let gaps: Vec<_> = bubbles.gaps().map(Result::unwrap).collect();
    assert!(!gaps.is_empty() && gaps.iter().all(|gap| gap.duration_ps() > 0));
    assert!(gaps.iter().all(|gap| gap.labels.is_empty() || gap.labels.iter().count() > 0));
    let mut document = Vec::new();
    bubbles.write_document(&mut document).unwrap();
    assert!(document.starts_with(b"{"));
    let wrong = Profile::open(tpu())
        .unwrap()
        .bubbles(BubbleOptions { thresholds: vec!["no_such_threshold=1".into()], ..Default::default() });
    assert_eq!(wrong.unwrap_err().kind(), Kind::InvalidArgument);
}

#[test]
fn kernels_are_in_order() {
    let profile = Profile::open(tpu()).unwrap();
    let kernels = profile.kernels(KernelOptions::default()).unwrap();
    let all: Vec<_> = kernels.rows().map(Result::unwrap).collect();
    for (at, device) in kernels.devices().enumerate() {
        let rows: Vec<_> = all.iter().filter(|row| row.device == at as i32).collect();
        assert_eq!(rows.len() as u64, device.kernel_count);
        assert!(rows.windows(2).all(|pair| pair[0].start_ps <= pair[1].start_ps));
    }
    let ascend = Profile::open(data("ascend/two_ranks")).unwrap();
    let kernels = ascend.kernels(KernelOptions::default()).unwrap();
    assert!(kernels.rows().any(|row| row.unwrap().wait_ps.is_some()));
}

#[test]
fn a_merge_is_the_same_in_a_file_and_a_writer() {
    let output = std::env::temp_dir().join(format!("profkit-rust-merge-{}", std::process::id()));
    let traces = [gpu(), tpu()];
    let options = || MergeOptions::new(&traces).correction(Correction::None).keep_going(true);
    let merge = options().run(&output).unwrap();
    assert_eq!(merge.nodes().map(|node| node.status).collect::<Vec<_>>(), [NodeStatus::Raw, NodeStatus::Raw]);
    let mut written = Vec::new();
    let again = options().run_to(&mut written).unwrap();
    assert_eq!(written, std::fs::read(&output).unwrap());
    assert_eq!(merge.origin_ns(), again.origin_ns());
    std::fs::remove_file(&output).unwrap();
    let events: u64 = merge.nodes().map(|node| node.events).sum();
    let merged = Profile::from_bytes(&written, "merged.xplane.pb").unwrap();
    let found: u64 =
        merged.planes().flat_map(|plane| plane.lines()).map(|line| line.summary().unwrap().event_count).sum();
    assert!(events > 0 && events <= found);
    let mut document = Vec::new();
    merge.write_document(&mut document).unwrap();
    assert!(document.starts_with(b"{"));
}

#[test]
fn a_merge_tells_progress_and_can_be_cancelled() {
    let traces = [gpu(), tpu()];
    let options = || MergeOptions::new(&traces).correction(Correction::None).keep_going(true);
    let token = CancelToken::new();
    token.cancel();
    let why = options().hooks(Hooks::new().cancel(&token)).run_to(&mut Vec::new()).unwrap_err();
    assert_eq!(why.kind(), Kind::Cancelled);
    // Small traces are merged before 50 ms are over: progress is asked for, and need not come.
    let hooks = Hooks::new().progress(|_, _| ControlFlow::Continue(()));
    assert!(options().hooks(hooks).run_to(&mut Vec::new()).is_ok());
    // A larger one takes longer: it tells how far it is, and can be stopped there.
    let folder = std::env::temp_dir().join(format!("profkit-rust-progress-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let large = folder.join("large.xplane.pb");
    std::fs::write(&large, std::fs::read(tpu()).unwrap().repeat(60)).unwrap();
    let mut told = Vec::new();
    let hooks = Hooks::new().progress(|done, total| {
        told.push((done, total));
        ControlFlow::Break(())
    });
    let output = folder.join("merged.xplane.pb");
    let stopped = MergeOptions::new([&large, &large]).correction(Correction::None).keep_going(true).hooks(hooks);
    assert_eq!(stopped.run(&output).unwrap_err().kind(), Kind::Cancelled);
    assert!(told.len() == 1 && told[0].0 <= told[0].1, "{told:?}");
    assert!(!output.exists());
    std::fs::remove_dir_all(&folder).unwrap();
    let missing = MergeOptions::new(["/nonexistent/a", "/nonexistent/b"]).run_to(&mut Vec::new()).unwrap_err();
    assert_eq!(missing.kind(), Kind::NotFound);
}

#[test]
fn causes_labels_and_tags_are_spelled_as_in_tables() {
    let profile = Profile::open(data("kineto/h100_bert_small.pt.trace.json.gz")).unwrap();
    let bubbles = profile.bubbles(BubbleOptions::default()).unwrap();
    let texts = |kind, column: &str| -> Vec<String> {
        let mut table = profile.table(kind, DocumentOptions::default(), TableOptions::default()).unwrap();
        assert!(table.advance(1000).unwrap() > 0);
        let text = |value| match value {
            Some(CellValue::Text(text)) => text,
            _ => String::new(),
        };
        table.values(column).unwrap().into_iter().map(text).collect()
    };
    let joined = |names: Vec<&'static str>| names.join(",");
    let gaps: Vec<_> = bubbles.gaps().map(|gap| gap.unwrap()).collect();
    let of = |spelled: &dyn Fn(&profkit::Bubble) -> String| gaps.iter().map(spelled).collect::<Vec<_>>();
    assert_eq!(of(&|gap| gap.cause.to_string()), texts(TableKind::Gaps, "cause"));
    assert_eq!(of(&|gap| gap.certainty.to_string()), texts(TableKind::Gaps, "certainty"));
    let labels = of(&|gap| joined(gap.labels.iter().map(|label| label.name()).collect()));
    assert!(labels.iter().any(|text| text.starts_with("possible_")));
    assert_eq!(labels, texts(TableKind::Gaps, "labels"));
    let tags: Vec<_> =
        bubbles.steps().map(|step| joined(step.unwrap().tags.iter().map(|tag| tag.name()).collect())).collect();
    assert!(tags.iter().any(|text| text.contains(',')));
    assert_eq!(tags, texts(TableKind::Steps, "tags"));
}
