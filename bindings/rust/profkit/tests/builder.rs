//! A host's own trace; what a host holds in memory.

mod common;

use profkit::{
    Accelerator, BubbleOptions, Correction, Family, KernelKind, Kind, MergeOptions, OpenOptions, Profile, SpanKind,
    TraceAllocation, TraceBuilder, TraceBuilderOptions, TraceDevice, TraceHost, TraceKernel, TraceOwner, TraceSpan, TraceStep,
    TraceValue,
};

const US: i64 = 1_000_000;

/// A GPU that waits from 400 to 900 us for what the host launches at 880.
#[test]
fn rows_of_a_host_become_a_profile() {
    let options = TraceBuilderOptions { label: "mine", recorder: "rustracer 1", ..Default::default() };
    let mut builder = TraceBuilder::new(&options).unwrap();
    let host = TraceHost { name: "box", origin_unix_ns: Some(1_700_000_000_000_000_000), rank: Some(3), world_size: 8 };
    let host = builder.host(&host).unwrap();
    let gpu = builder.device(&TraceDevice { host, name: "GPU 0", accelerator: Accelerator::Gpu, ordinal: Some(0), ..Default::default() }).unwrap();
    let stream = builder.stream(gpu, 7, "").unwrap();
    let thread = builder.thread(host, "trainer", "main thread").unwrap();
    let power = builder.counter(TraceOwner::Device(gpu), "", "power", "W").unwrap();
    let pool = builder.allocator(TraceOwner::Host(host), "pool").unwrap();
    let kernel = |name, start_us: i64, us: i64, correlation| TraceKernel {
        stream,
        name,
        start_ps: start_us * US,
        duration_ps: us * US,
        correlation,
        kind: Some(KernelKind::Compute),
        ..Default::default()
    };
    builder.kernels(&[kernel("gemm", 100, 300, 1), kernel("relu", 900, 80, 2)]).unwrap();
    let call = |start_us: i64, correlation| TraceSpan {
        thread,
        name: "cudaLaunchKernel",
        start_ps: start_us * US,
        duration_ps: 10 * US,
        kind: SpanKind::Runtime,
        correlation,
        ..Default::default()
    };
    builder.spans(&[call(50, 1), call(880, 2)]).unwrap();
    let step = TraceStep { thread, name: "step 10", start_ps: 0, duration_ps: 1000 * US, number: Some(10) };
    builder.steps(&[step]).unwrap();
    builder.values(&[TraceValue { counter: power, at_ps: 5, value: 250.5 }]).unwrap();
    let given = TraceAllocation { allocator: pool, bytes: 1000, op: "weights", ..Default::default() };
    builder.allocations(&[given]).unwrap();

    let why = builder.kernels(&[kernel("gemm", 0, 1, 0), kernel("gemm", 0, -1, 0)]).unwrap_err();
    assert_eq!(why.kind(), Kind::InvalidArgument);
    assert!(why.message().contains("row 1: the duration is negative"), "{why:?}");
    assert_eq!(builder.device(&TraceDevice { host: 9, name: "GPU 1", ..Default::default() }).unwrap_err().kind(), Kind::InvalidArgument);

    let profile = builder.finish().unwrap();
    let file = profile.files().next().unwrap();
    assert_eq!(file.family(), Family::Own);
    let bubbles = profile.bubbles(BubbleOptions::default()).unwrap();
    let longest = bubbles.gaps().map(|gap| gap.unwrap().duration_ps()).max();
    assert_eq!(longest, Some(500 * US));
}

#[test]
fn buffers_of_two_hosts_merge() {
    let content = std::fs::read(common::gpu()).unwrap();
    let open = |host: &str, rank| {
        let options = OpenOptions { host: Some(host.into()), rank: Some(rank), ..Default::default() };
        Profile::from_bytes_with(&content, "memory", options).unwrap()
    };
    let profiles = [open("trainer-0", 4), open("trainer-1", 3)];
    let mut merged = Vec::new();
    let merge = MergeOptions::default().profiles(&profiles).correction(Correction::None).run_to(&mut merged).unwrap();
    let nodes: Vec<_> = merge.nodes().map(|node| (node.id, node.hostname.into_owned())).collect();
    assert_eq!(nodes, [(4, "trainer-0".to_owned()), (3, "trainer-1".to_owned())]);
}
