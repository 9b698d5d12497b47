package profkit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// A GPU that waits from 400 to 900 us for what the host launches at 880.
func TestTraceBuilder(t *testing.T) {
	const us = 1_000_000
	builder, err := NewTraceBuilder(TraceBuilderOptions{Label: "mine", Recorder: "gotracer 1"})
	if err != nil {
		t.Fatal(err)
	}
	defer builder.Close()
	number := func(got uint32, err error) uint32 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	rank, origin, ordinal, step := int32(3), int64(1_700_000_000_000_000_000), int64(0), int64(10)
	host := number(builder.Host(TraceHost{Name: "box", Rank: &rank, WorldSize: 8, OriginUnixNs: &origin}))
	gpu := number(builder.Device(TraceDevice{Host: host, Name: "GPU 0", Accelerator: AcceleratorGPU, Ordinal: &ordinal}))
	stream := number(builder.Stream(gpu, 7, ""))
	thread := number(builder.Thread(host, "trainer", "main thread"))
	power := number(builder.Counter(TraceOwner{IsDevice: true, Number: gpu}, "", "power", "W"))
	pool := number(builder.Allocator(TraceOwner{IsDevice: true, Number: gpu}, "pool"))
	for _, err := range []error{
		builder.Kernels([]TraceKernel{
			{Stream: stream, Name: "gemm", StartPs: 100 * us, DurationPs: 300 * us, Correlation: 1},
			{Stream: stream, Name: "relu", StartPs: 900 * us, DurationPs: 80 * us, Correlation: 2, Kind: KernelCompute}}),
		builder.Spans([]TraceSpan{
			{Thread: thread, Name: "cudaLaunchKernel", StartPs: 50 * us, DurationPs: 10 * us, Kind: SpanRuntime, Correlation: 1},
			{Thread: thread, Name: "cudaLaunchKernel", StartPs: 880 * us, DurationPs: 10 * us, Kind: SpanRuntime, Correlation: 2}}),
		builder.Steps([]TraceStep{{Thread: thread, Name: "step 10", DurationPs: 1000 * us, Number: &step}}),
		builder.Values([]TraceValue{{Counter: power, AtPs: 5, Value: 250.5}}),
		builder.Allocations([]TraceAllocation{{Allocator: pool, AtPs: 5, Address: 1, Bytes: 1000, Op: "weights"}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	err = builder.Kernels([]TraceKernel{{Stream: stream}, {Stream: stream, DurationPs: -1}})
	if !errors.Is(err, ErrInvalidArgument) || !strings.Contains(err.Error(), "row 1: the duration is negative") {
		t.Fatal(err)
	}
	profile, err := builder.Finish()
	if err != nil {
		t.Fatal(err)
	}
	defer profile.Close()
	if _, err := builder.Finish(); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	bubbles, err := profile.Bubbles(nil, BubbleOptions{}) //nolint:staticcheck
	if err != nil {
		t.Fatal(err)
	}
	defer bubbles.Close()
	longest := int64(0)
	gaps := bubbles.Gaps()
	gaps.All()(func(gap Bubble) bool {
		if gap.EndPs-gap.StartPs > longest {
			longest = gap.EndPs - gap.StartPs
		}
		return true
	})
	if longest != 500*us {
		t.Fatal(longest)
	}
}

func TestBuffersOfTwoHostsMerge(t *testing.T) {
	content, err := os.ReadFile(gpuPath())
	if err != nil {
		t.Fatal(err)
	}
	var profiles []*Profile
	for at, host := range []string{"trainer-0", "trainer-1"} {
		rank := int32(4 - at)
		profile, err := OpenBytes(content, "memory", OpenOptions{Host: host, Rank: &rank})
		if err != nil {
			t.Fatal(err)
		}
		defer profile.Close()
		profiles = append(profiles, profile)
	}
	var out bytes.Buffer
	merge, err := MergeTo(context.Background(), &out, MergeOptions{Profiles: profiles, Correction: CorrectionNone})
	if err != nil {
		t.Fatal(err)
	}
	defer merge.Close()
	nodes, err := merge.Nodes()
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != 2 || nodes[0].ID != 4 || nodes[0].Hostname != "trainer-0" || nodes[1].ID != 3 || nodes[1].Hostname != "trainer-1" {
		t.Fatal(nodes)
	}
	profiles[0].Close()
	if _, err := MergeTo(context.Background(), &out, MergeOptions{Profiles: profiles}); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}
