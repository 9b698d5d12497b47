package profkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func data(parts ...string) string {
	root := os.Getenv("PROFKIT_SOURCE_ROOT")
	if root == "" {
		root = "../.."
	}
	return filepath.Join(append([]string{root, "tests", "data"}, parts...)...)
}

func tpuPath() string { return data("xspace", "tpu_v6e_inference.xplane.pb") }
func gpuPath() string { return data("xspace", "jax08_gemm_mi300.xplane.pb") }

func opening(t testing.TB, path string) *Profile {
	t.Helper()
	profile, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(profile.Close)
	return profile
}

// lines are all lines of a profile.
func lines(profile *Profile) (all []Line) {
	profile.Planes()(func(plane Plane) bool {
		plane.Lines()(func(line Line) bool {
			all = append(all, line)
			return true
		})
		return true
	})
	return all
}

func Example() {
	profile, err := Open("../../tests/data/xspace/tpu_v6e_inference.xplane.pb")
	if err != nil {
		panic(err)
	}
	defer profile.Close()
	profile.Planes()(func(plane Plane) bool { fmt.Println(plane.Name()); return true })
	// Output:
	// /device:TPU:0
	// /device:TPU:1
	// /device:TPU:2
	// /device:TPU:3
	// /host:metadata
	// /host:CPU
	// Task Environment
}

func TestEventsBatchesAndCountsAgree(t *testing.T) {
	profile := opening(t, tpuPath())
	total := 0
	for _, line := range lines(profile) {
		var single, batched, count int64
		events := line.Events()
		events.All()(func(event Event) bool {
			single += event.DurationPs
			count++
			return true
		})
		if events.Err() != nil {
			t.Fatal(events.Err())
		}
		line.Events().Batches()(func(batch []Event) bool {
			for at := range batch {
				batched += batch[at].DurationPs
			}
			return true
		})
		expected, err := line.EventCount()
		if err != nil || uint64(count) != expected || single != batched {
			t.Fatal(line.Name(), count, expected, single, batched, err)
		}
		total += int(count)
	}
	if total != 26723 {
		t.Fatal(total)
	}
}

func TestAnIteratorCanBeLeft(t *testing.T) {
	profile := opening(t, tpuPath())
	seen := 0
	profile.Planes()(func(Plane) bool { seen++; return false })
	profile.Files()(func(File) bool { seen++; return false })
	for _, line := range lines(profile) {
		line.Events().All()(func(Event) bool { seen++; return false })
		break
	}
	if seen != 3 {
		t.Fatal(seen)
	}
}

func TestNamesAndStats(t *testing.T) {
	profile := opening(t, tpuPath())
	checked := false
	profile.Planes()(func(plane Plane) bool {
		info, err := plane.Info()
		if err != nil || info.Kind != PlaneDevice || info.DeviceOrdinal != 0 || info.Name != "/device:TPU:0" {
			t.Fatal(info, err)
		}
		plane.Lines()(func(line Line) bool {
			at, err := line.Info()
			if err != nil || at.Kind != LineOps {
				return err == nil
			}
			line.Events().All()(func(event Event) bool {
				stats := plane.StatsOf(event)
				names := map[string]any{}
				stats.All()(func(stat Stat) bool { names[stat.Name] = stat.Value; return true })
				if stats.Err() != nil || names["program_id"] == nil || plane.EventName(event.MetadataID) == "" || !event.HasStart() {
					t.Fatal(names, stats.Err())
				}
				checked = true
				return false
			})
			return false
		})
		return false
	})
	if !checked {
		t.Fatal("no op was seen")
	}
	var last Plane
	profile.Planes()(func(plane Plane) bool { last = plane; return true })
	found := false
	last.Stats().All()(func(stat Stat) bool {
		found = found || stat.Name == "profile_start_time" && stat.Value == uint64(1741722099081044120)
		return true
	})
	if !found {
		t.Fatal("no profile_start_time")
	}
	if plane := last; plane.EventName(-5) != "" {
		t.Fatal("an id without an entry has a name")
	}
}

func TestFiles(t *testing.T) {
	profile := opening(t, gpuPath())
	content, err := os.ReadFile(gpuPath())
	if err != nil {
		t.Fatal(err)
	}
	profile.Files()(func(file File) bool {
		info, err := file.Info()
		if err != nil || info.Path != gpuPath() || info.Family != "xspace" || info.ExportOf != -1 || file.Damage() != nil {
			t.Fatal(info, err, file.Damage())
		}
		decoded, err := file.Bytes()
		if err != nil || !bytes.Equal(decoded, content) {
			t.Fatal(len(decoded), err)
		}
		return true
	})
}

func TestErrors(t *testing.T) {
	_, err := Open("/nonexistent/a.xplane.pb")
	var why *Error
	if !errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) || !errors.As(err, &why) {
		t.Fatal(err)
	}
	if strings.Count(err.Error(), why.Path) != 1 {
		t.Fatalf("the path has to stand in it once: %v", err)
	}
	if why.Path != "/nonexistent/a.xplane.pb" || why.Hint == "" || why.ByteOffset != -1 || why.Code != "not_found" {
		t.Fatalf("%+v", why)
	}
	content, _ := os.ReadFile(gpuPath())
	cut, err := OpenBytes(content[:len(content)/2], "cut.xplane.pb", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Close()
	cut.Files()(func(file File) bool {
		if !errors.Is(file.Damage(), ErrDamaged) {
			t.Fatal(file.Damage())
		}
		return true
	})
	_, err = OpenContext(context.Background(), gpuPath(), OpenOptions{IO: IORead, Limits: Limits{MaxMaterialisedBytes: 1000}})
	if !errors.Is(err, ErrLimit) {
		t.Fatal(err)
	}
	_, err = OpenBytes(nil, "", OpenOptions{})
	if err == nil {
		t.Fatal("an empty input is no profile")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "caf\xe9.xplane.pb")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	opening(t, path).Files()(func(file File) bool {
		if info, err := file.Info(); err != nil || info.Path != path {
			t.Fatal(info, err)
		}
		return true
	})
}

func TestDamageComesAfterWhatWasIntact(t *testing.T) {
	good, bad := []byte{0x22, 4, 8, 7, 0x18, 5}, []byte{0x22, 4, 8, 7, 0x18, 0xff}
	line := append(append(append([]byte{}, good...), good...), bad...)
	plane := append([]byte{0x12, 1, 'p', 0x1a, byte(len(line))}, line...)
	profile, err := OpenBytes(append([]byte{0x0a, byte(len(plane))}, plane...), "bad.xplane.pb", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer profile.Close()
	events, seen := lines(profile)[0].Events(), 0
	events.All()(func(Event) bool { seen++; return true })
	if seen != 2 || !errors.Is(events.Err(), ErrDamaged) {
		t.Fatal(seen, events.Err())
	}
}

func TestClosing(t *testing.T) {
	profile, err := Open(gpuPath())
	if err != nil {
		t.Fatal(err)
	}
	all := lines(profile)
	bubbles, err := profile.Bubbles(context.Background(), BubbleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	profile.Close()
	profile.Close()
	if _, err := profile.JSON(DocumentInfo); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	if events := all[0].Events(); events.Err() != ErrClosed {
		t.Fatal(events.Err())
	}
	if profile.FileCount() != 0 || all[0].Name() != "" {
		t.Fatal("a closed profile still tells")
	}
	if _, err := bubbles.Steps(); err != nil { // holds its own reference
		t.Fatal(err)
	}
	bubbles.Close()
	for i := 0; i < 20; i++ { // left to the garbage collector
		forgotten, err := Open(gpuPath())
		if err != nil {
			t.Fatal(err)
		}
		_ = forgotten.FileCount()
	}
	runtime.GC()
	runtime.GC()
}

func TestClosingWhileOthersRead(t *testing.T) {
	profile, err := Open(tpuPath())
	if err != nil {
		t.Fatal(err)
	}
	all := lines(profile)
	var group sync.WaitGroup
	for worker := 0; worker < 8; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for _, line := range all {
				events := line.Events()
				events.All()(func(Event) bool { return true })
				if err := events.Err(); err != nil && err != ErrClosed {
					t.Error(err)
				}
			}
		}()
	}
	profile.Close()
	group.Wait()
}

func TestEightGoroutinesReadOneProfile(t *testing.T) {
	profile := opening(t, tpuPath())
	sum := func() (total int64) {
		for _, line := range lines(profile) {
			line.Events().All()(func(event Event) bool { total += event.DurationPs; return true })
		}
		return total
	}
	expected := sum()
	var group sync.WaitGroup
	for worker := 0; worker < 8; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			if found := sum(); found != expected {
				t.Error(found, expected)
			}
		}()
	}
	group.Wait()
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no room")

func TestDocuments(t *testing.T) {
	profile := opening(t, tpuPath())
	for document := DocumentReport; document <= DocumentArchitecture; document++ {
		content, err := profile.JSON(document)
		if err != nil || !json.Valid(content) {
			t.Fatal(document, err)
		}
	}
	limit := uint64(1)
	var some bytes.Buffer
	status, err := profile.WriteDocument(context.Background(), &some, DocumentOps, DocumentOptions{Plane: "TPU:0", Limit: &limit})
	whole, _ := profile.JSON(DocumentOps)
	if err != nil || status != StatusOK || some.Len() >= len(whole) {
		t.Fatal(status, err, some.Len(), len(whole))
	}
	step := uint64(1) << 40
	if _, err := profile.WriteDocument(context.Background(), &some, DocumentOps, DocumentOptions{Step: &step}); err == nil {
		t.Fatal("a step that is not there")
	}
	if status, err := profile.WriteDocument(context.Background(), &some, DocumentNeutrino, DocumentOptions{}); err != nil || status != StatusAbsent {
		t.Fatal(status, err)
	}
	_, err = profile.WriteDocument(context.Background(), full{}, DocumentInfo, DocumentOptions{})
	if !errors.Is(err, errFull) || !errors.Is(err, ErrOutput) {
		t.Fatal(err)
	}
	if DocumentOps.String() != "ops" {
		t.Fatal(DocumentOps)
	}
}

type panics struct{}

func (panics) Write([]byte) (int, error) { panic("the host's own trouble") }

func TestAPanicOfACallbackGoesOnInTheCaller(t *testing.T) {
	profile := opening(t, gpuPath())
	func() {
		defer func() {
			if why := recover(); why != "the host's own trouble" {
				t.Fatal(why)
			}
		}()
		_, _ = profile.WriteDocument(context.Background(), panics{}, DocumentInfo, DocumentOptions{})
		t.Fatal("no panic")
	}()
	if _, err := profile.JSON(DocumentInfo); err != nil {
		t.Fatal(err)
	}
}

func TestAContextStopsTheWork(t *testing.T) {
	profile := opening(t, tpuPath())
	ctx, cancel := context.WithCancel(context.Background())
	hooks := Hooks{Threads: 2, Log: func(LogLevel, string) {}, Progress: func(uint64, uint64) bool { return true }}
	if _, err := profile.WriteDocument(ctx, &bytes.Buffer{}, DocumentInfo, DocumentOptions{Hooks: hooks}); err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err := profile.WriteDocument(ctx, &bytes.Buffer{}, DocumentOps, DocumentOptions{})
	if !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := OpenContext(ctx, tpuPath(), OpenOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := MergeTo(ctx, &bytes.Buffer{}, mergeOptions()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func mergeOptions() MergeOptions {
	return MergeOptions{Traces: []string{gpuPath(), tpuPath()}, Correction: CorrectionNone, KeepGoing: true}
}

func TestMerge(t *testing.T) {
	output := filepath.Join(t.TempDir(), "combined.xplane.pb")
	merge, err := MergeFile(context.Background(), output, mergeOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer merge.Close()
	nodes, err := merge.Nodes()
	if err != nil || len(nodes) != 2 || nodes[0].Status != "raw" || nodes[1].Events == 0 || merge.OriginNs() == 0 {
		t.Fatal(nodes, err)
	}
	var written, document bytes.Buffer
	again, err := MergeTo(context.Background(), &written, mergeOptions())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	content, err := os.ReadFile(output)
	if err != nil || !bytes.Equal(content, written.Bytes()) {
		t.Fatal(len(content), written.Len(), err)
	}
	if err := merge.WriteDocument(&document); err != nil || !json.Valid(document.Bytes()) {
		t.Fatal(err)
	}
	if _, err := MergeTo(context.Background(), full{}, mergeOptions()); !errors.Is(err, errFull) {
		t.Fatal(err)
	}
}

func TestMemory(t *testing.T) {
	profile := opening(t, tpuPath())
	fit := uint64(1) << 30
	memory, err := profile.Memory(context.Background(), MemoryOptions{CurvePoints: 64, FitBytes: &fit})
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	modules, err := memory.Modules()
	if err != nil || modules[0].Name != "jit_f" || !modules[0].Chosen {
		t.Fatal(modules, err)
	}
	space, err := memory.Space(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var alive, highest int64
	buffers := memory.LiveBuffers()
	buffers.All()(func(buffer LiveBuffer) bool { alive += buffer.SizeBytes; return true })
	if buffers.Err() != nil || alive != space.PeakBytes {
		t.Fatal(alive, space, buffers.Err())
	}
	memory.LiveCurve().All()(func(point CurvePoint) bool {
		if point.LiveBytes > highest {
			highest = point.LiveBytes
		}
		return true
	})
	if highest == 0 || highest > space.PeakBytes {
		t.Fatal(highest)
	}
	if fits, spare, asked, err := memory.Fit(); fits || spare >= 0 || !asked || err != nil {
		t.Fatal(fits, spare, asked, err)
	}
	if _, err := memory.Space(0, 1000); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	if _, err := profile.Memory(context.Background(), MemoryOptions{Module: "no such module"}); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	var document bytes.Buffer
	if _, err := memory.WriteDocument(&document); err != nil || !json.Valid(document.Bytes()) {
		t.Fatal(err)
	}
}

func TestBubbles(t *testing.T) {
	bubbles, err := opening(t, tpuPath()).Bubbles(context.Background(), BubbleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer bubbles.Close()
	steps, err := bubbles.Steps()
	if err != nil || len(steps) == 0 {
		t.Fatal(steps, err)
	}
	for _, step := range steps {
		if step.BusyPs+step.PrelaunchPs+step.InternalPs+step.TailPs != step.EndPs-step.StartPs {
			t.Fatal(step)
		}
	}
	gaps, count, causes := bubbles.Gaps(), 0, 0
	gaps.All()(func(gap Bubble) bool {
		count++
		causes += len(gap.Cause.String())
		return gap.EndPs > gap.StartPs
	})
	if gaps.Err() != nil || count == 0 || causes == 0 {
		t.Fatal(count, causes, gaps.Err())
	}
	var document bytes.Buffer
	if _, err := bubbles.WriteDocument(&document); err != nil || !json.Valid(document.Bytes()) {
		t.Fatal(err)
	}
	_, err = opening(t, tpuPath()).Bubbles(context.Background(), BubbleOptions{Thresholds: []string{"no_such=1"}})
	if !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestKernels(t *testing.T) {
	kernels, err := opening(t, data("ascend", "two_ranks")).Kernels(context.Background(), KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer kernels.Close()
	devices, err := kernels.Devices()
	if err != nil || len(devices) != 2 {
		t.Fatal(devices, err)
	}
	rows, counts, waits := kernels.Rows(), map[int]uint64{}, 0
	rows.All()(func(kernel Kernel) bool {
		counts[kernel.Device]++
		if kernel.HasWait {
			waits++
		}
		return kernel.Name != ""
	})
	for at, device := range devices {
		if counts[at] != device.KernelCount {
			t.Fatal(counts, device)
		}
	}
	if rows.Err() != nil || waits == 0 {
		t.Fatal(waits, rows.Err())
	}
}

func TestTheLibraryIsOfThisRelease(t *testing.T) {
	if Version() != "0.1.0" {
		t.Fatal(Version())
	}
}

// An XSpace of one line with many events, as a recorder writes them.
func manyEvents(count int) []byte {
	varint := func(into []byte, value int) []byte {
		for value >= 0x80 {
			into = append(into, byte(value)|0x80)
			value >>= 7
		}
		return append(into, byte(value))
	}
	field := func(tag byte, body []byte) []byte { return append(varint([]byte{tag}, len(body)), body...) }
	var line []byte
	for at := 0; at < count; at++ {
		event := varint([]byte{8, 7, 0x10}, at*1000)
		line = append(line, field(0x22, varint(append(event, 0x18), 900))...)
	}
	return field(0x0a, append(field(0x12, []byte("p")), field(0x1a, line)...))
}

const benchmarkEvents = 1 << 20

func benchmark(b *testing.B, read func(*Rows[Event]) int64) {
	profile, err := OpenBytes(manyEvents(benchmarkEvents), "many.xplane.pb", OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer profile.Close()
	line := lines(profile)[0]
	b.ResetTimer()
	started := time.Now()
	for i := 0; i < b.N; i++ {
		if read(line.Events()) != 900*benchmarkEvents {
			b.Fatal("the sum is wrong")
		}
	}
	b.ReportMetric(float64(time.Since(started).Nanoseconds())/float64(b.N)/benchmarkEvents, "ns/event")
}

func BenchmarkBatches(b *testing.B) {
	benchmark(b, func(events *Rows[Event]) (sum int64) {
		events.Batches()(func(batch []Event) bool {
			for at := range batch {
				sum += batch[at].DurationPs
			}
			return true
		})
		return sum
	})
}

func BenchmarkEvents(b *testing.B) {
	benchmark(b, func(events *Rows[Event]) (sum int64) {
		events.All()(func(event Event) bool { sum += event.DurationPs; return true })
		return sum
	})
}
