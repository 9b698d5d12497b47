package profkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var background = context.Background()

func TestModules(t *testing.T) {
	profile, err := Open(tpuPath())
	if err != nil {
		t.Fatal(err)
	}
	modules, err := profile.Modules(background, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	profile.Close()
	defer modules.Close()
	count := 0
	modules.All()(func(module Module) bool {
		count++
		return module.Damage == nil && module.InstructionCount > 0
	})
	first, err := modules.At(0)
	if err != nil || count != modules.Len() || count == 0 || !strings.HasPrefix(first.Name, "jit_f") || first.Sibling != "none" {
		t.Fatal(first, count, err)
	}
	if proto, err := modules.HloProto(0); err != nil || len(proto) != first.HloProtoBytes || len(proto) == 0 {
		t.Fatal(len(proto), err)
	}
	var entry bytes.Buffer
	again := opening(t, tpuPath())
	if status, err := again.WriteDocument(background, &entry, DocumentModules, DocumentOptions{Of: "jit_f"}); err != nil || status != StatusOK ||
		!strings.Contains(entry.String(), `"entry"`) {
		t.Fatal(status, err)
	}
	if _, err := again.WriteDocument(background, &entry, DocumentModules, DocumentOptions{Of: "no such module"}); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	var finding, page bytes.Buffer
	if _, err := again.WriteDocument(background, &finding, DocumentExplain, DocumentOptions{Of: "bubbles.idle"}); err != nil ||
		!strings.Contains(finding.String(), `"neighbours"`) {
		t.Fatal(finding.String(), err)
	}
	if _, err := again.WriteDocument(background, &finding, DocumentExplain, DocumentOptions{Of: "no such finding"}); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	if status, err := again.WritePage(background, &page, DocumentOptions{}); err != nil || status != StatusOK ||
		!strings.HasPrefix(page.String(), "<!doctype html>") {
		t.Fatal(status, err)
	}
	if _, err := modules.At(count); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestChromeEvents(t *testing.T) {
	profile := opening(t, data("kineto", "h100_bert_small.pt.trace.json.gz"))
	reader, err := profile.ChromeEvents(0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	rows, count, timed := reader.Events(), uint64(0), 0
	rows.All()(func(event ChromeEvent) bool {
		count++
		if event.Phase == 'X' && event.HasDuration && event.Args != "" {
			timed++
		}
		return true
	})
	summary, err := reader.Summary()
	if rows.Err() != nil || err != nil || count != summary.EventCount || timed == 0 {
		t.Fatal(count, summary, timed, rows.Err(), err)
	}
	cut, err := OpenBytes([]byte(`{"traceEvents":[{"ph":"X","pid":1,"ts":1,"dur":2,"name":"a\"b"},{"ph":"X","ts":`), "a.trace.json", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Close()
	broken, err := cut.ChromeEvents(0)
	if err != nil {
		t.Fatal(err)
	}
	rows = broken.Events()
	rows.All()(func(event ChromeEvent) bool {
		if event.Name != `a"b` || event.StartPs != 1000000 || event.DurationPs != 2000000 {
			t.Fatal(event)
		}
		return true
	})
	if !errors.Is(rows.Err(), ErrDamaged) {
		t.Fatal(rows.Err())
	}
	broken.Close()
	again := broken.Events()
	again.All()(func(ChromeEvent) bool { return true })
	if again.Err() != ErrClosed {
		t.Fatal(again.Err())
	}
	if _, err := opening(t, gpuPath()).ChromeEvents(0); !errors.Is(err, ErrUnsupported) {
		t.Fatal(err)
	}
}

func TestDump(t *testing.T) {
	var document, text bytes.Buffer
	status, err := Dump(nil, tpuPath(), &document, DumpOptions{Limit: 1}) //nolint:staticcheck
	if err != nil || status != StatusOK || !json.Valid(document.Bytes()) {
		t.Fatal(status, err)
	}
	if _, err := Dump(nil, tpuPath(), &text, DumpOptions{Format: DumpText, Type: "raw", Limit: 1}); err != nil || text.Len() == 0 { //nolint:staticcheck
		t.Fatal(err)
	}
	if _, err := Dump(nil, data("jax", "two_process_rank0"), &text, DumpOptions{}); err == nil { //nolint:staticcheck
		t.Fatal("a directory is no message")
	}
}

func TestAMessageOfAnOpenFileIsThatOfItsPath(t *testing.T) {
	content, _ := os.ReadFile(tpuPath())
	profile, err := OpenBytes(content, "b.xplane.pb", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer profile.Close()
	var ofPath, ofFile bytes.Buffer
	if _, err := Dump(background, tpuPath(), &ofPath, DumpOptions{Format: DumpText, Limit: 1}); err != nil {
		t.Fatal(err)
	}
	profile.Files()(func(file File) bool {
		if status, err := file.Dump(background, &ofFile, DumpOptions{Format: DumpText, Limit: 1}); err != nil || status != StatusOK {
			t.Fatal(status, err)
		}
		return true
	})
	if ofFile.Len() == 0 || ofFile.String() != ofPath.String() {
		t.Fatal("another text")
	}
}

func TestADocumentIntoAFile(t *testing.T) {
	profile := opening(t, gpuPath())
	path := filepath.Join(t.TempDir(), "ops.json")
	var expected bytes.Buffer
	if _, err := profile.WriteDocument(background, &expected, DocumentOps, DocumentOptions{}); err != nil {
		t.Fatal(err)
	}
	if status, err := profile.WriteDocumentFile(background, path, DocumentOps, DocumentOptions{}); err != nil || status != StatusOK {
		t.Fatal(status, err)
	}
	if content, _ := os.ReadFile(path); !bytes.Equal(content, expected.Bytes()) {
		t.Fatal("another document")
	}
}

func TestAWriterWithOptions(t *testing.T) {
	var packed bytes.Buffer
	writer, err := NewXSpaceWriterWith(&packed, WriterOptions{Gzip: true, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	writer.BeginPlane("p", 0)
	writer.EndPlane()
	if err := writer.Finish(); err != nil || !bytes.HasPrefix(packed.Bytes(), []byte{0x1f, 0x8b}) {
		t.Fatal(err, packed.Len())
	}
	small, err := CreateXSpaceWith(filepath.Join(t.TempDir(), "out.xplane.pb"), WriterOptions{MaxPlaneBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	small.BeginPlane("p", 0)
	small.EventName("a kernel with a name", "")
	if err := small.Finish(); !errors.Is(err, ErrLimit) {
		t.Fatal(err)
	}
}

func TestNeutrino(t *testing.T) {
	profile, err := Open(data("neutrino", "block_sched"))
	if err != nil {
		t.Fatal(err)
	}
	probe, err := profile.Neutrino(ProbeToolNone)
	if err != nil {
		t.Fatal(err)
	}
	profile.Close()
	launches, err := probe.Launches()
	if err != nil || launches[0].Kernel != "matmul" || launches[0].Grid != [3]uint32{24, 1, 1} || launches[0].Outcome != "ok" {
		t.Fatal(launches, err)
	}
	files, err := probe.Files()
	if err != nil || len(files) == 0 || files[0].Damage != nil || files[0].MapCount == 0 {
		t.Fatal(files, err)
	}
	layout, err := probe.Map(0, 0)
	if err != nil || len(layout.Fields) != 3 || layout.Fields[0].Name != "start" || layout.Level == "unknown" {
		t.Fatal(layout, err)
	}
	var picture bytes.Buffer
	if _, err := probe.WriteDocument(background, &picture, ProbeQuery{Slice: ProbeSchedule, Format: ProbeSVG, Title: "blocks"}); err != nil ||
		!bytes.HasPrefix(picture.Bytes(), []byte("<svg")) || !bytes.Contains(picture.Bytes(), []byte("blocks")) {
		t.Fatal(err, picture.Len())
	}
	var document bytes.Buffer
	if _, err := probe.WriteDocument(background, &document, ProbeQuery{Slice: ProbeSchedule}); err != nil || !json.Valid(document.Bytes()) {
		t.Fatal(err)
	}
	if _, err := probe.WriteDocument(background, &document, ProbeQuery{Launch: "no such"}); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	rows, count := probe.Records(0, 0), uint64(0)
	probe.Close() // the records keep it
	rows.All()(func(record Record) bool {
		count++
		return record.HasBlock && len(record.Values) == 3 && record.Values[0] != 0
	})
	if rows.Err() != nil || count == 0 || count > layout.Lanes*layout.Capacity {
		t.Fatal(count, rows.Err())
	}
	if _, err := opening(t, gpuPath()).Neutrino(ProbeToolNone); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
}

func TestExports(t *testing.T) {
	profile := opening(t, tpuPath())
	for _, format := range []TraceFormat{TraceJSON, TracePerfetto, TraceXSpace, TraceCSV} {
		options := ExportOptions{Format: format, Plane: "TPU:0"}
		path := filepath.Join(t.TempDir(), "out")
		outcome, err := profile.ExportFile(background, path, options)
		if err != nil || outcome.Status != StatusOK || outcome.Events == 0 {
			t.Fatal(outcome, err)
		}
		var written bytes.Buffer
		again, err := profile.ExportTo(background, &written, options)
		content, _ := os.ReadFile(path)
		if err != nil || again != outcome || !bytes.Equal(content, written.Bytes()) {
			t.Fatal(again, err)
		}
	}
	if _, err := profile.ExportFile(background, filepath.Join(t.TempDir(), "absent", "x"), ExportOptions{}); !errors.Is(err, ErrOutput) {
		t.Fatal(err)
	}
	if _, err := profile.ExportTo(background, full{}, ExportOptions{}); !errors.Is(err, errFull) {
		t.Fatal(err)
	}
	stopped, cancel := context.WithCancel(background)
	cancel()
	if _, err := profile.ExportTo(stopped, io.Discard, ExportOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestArchitecture(t *testing.T) {
	architecture, err := opening(t, tpuPath()).Architecture(background, ArchitectureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer architecture.Close()
	var document, report bytes.Buffer
	if _, err := architecture.WriteDocument(&document); err != nil || !json.Valid(document.Bytes()) {
		t.Fatal(err)
	}
	if err := architecture.WriteMarkdown(&report); err != nil || !strings.HasPrefix(report.String(), "#") {
		t.Fatal(err)
	}
	if !strings.HasSuffix(architecture.FileName(), ".md") {
		t.Fatal(architecture.FileName(), architecture.Summary())
	}
}

// twoNodes are traces of one collective each; the second node's clock is 2 ms ahead.
func twoNodes(t *testing.T) (nodes [][]byte) {
	for node := 0; node < 2; node++ {
		var written bytes.Buffer
		writer, err := NewXSpaceWriter(&written)
		if err != nil {
			t.Fatal(err)
		}
		writer.Hostname(fmt.Sprint("node", node))
		writer.BeginPlane("/device:GPU:0", 0)
		name, size, ratio := writer.EventName("all-reduce", ""), writer.StatName("bytes"), writer.StatName("ratio")
		writer.BeginLine("Stream #1", 1, 0)
		writer.Event(name, 1000, 5000)
		writer.EventStat(size, int64(-8))
		writer.EventStat(ratio, 0.5)
		writer.EndLine()
		writer.MetadataStat(name, writer.StatName("kind"), "collective")
		writer.EndPlane()
		writer.BeginPlane("Task Environment", 1)
		writer.PlaneStat(writer.StatName("profile_start_time"), uint64(1700000000000000000+node*2000000))
		writer.EndPlane()
		if err := writer.Finish(); err != nil {
			t.Fatal(err)
		}
		writer.Close()
		nodes = append(nodes, written.Bytes())
	}
	return nodes
}

func TestWritingAndValidating(t *testing.T) {
	var profiles []*Profile
	for _, node := range twoNodes(t) {
		profile, err := OpenBytes(node, "n.xplane.pb", OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer profile.Close()
		profiles = append(profiles, profile)
	}
	profiles[1].Files()(func(file File) bool {
		if names := file.Hostnames(); len(names) != 1 || names[0] != "node1" || file.Errors() != nil || file.Warnings() != nil {
			t.Fatal(names)
		}
		return true
	})
	found := map[string]any{}
	profiles[0].Planes()(func(plane Plane) bool {
		plane.Lines()(func(line Line) bool {
			line.Events().All()(func(event Event) bool {
				plane.StatsOf(event).All()(func(stat Stat) bool { found[stat.Name] = stat.Value; return true })
				plane.MetadataStats(event.MetadataID).All()(func(stat Stat) bool { found["of all: "+stat.Name] = stat.Value; return true })
				return true
			})
			return true
		})
		if _, ok := plane.StatID("ratio"); !ok {
			t.Fatal("ratio")
		}
		if _, ok := plane.StatID(""); ok {
			t.Fatal("a stat without a name")
		}
		names := 0
		plane.EventMetadata().All()(func(entry EventMetadata) bool { names++; return entry.Name == "all-reduce" })
		if names != 1 {
			t.Fatal(names)
		}
		return false
	})
	if fmt.Sprint(found) != "map[bytes:-8 kind:collective of all: kind:collective ratio:0.5]" {
		t.Fatal(found)
	}
	verdict, err := Validate(background, profiles, ValidationOptions{Align: true})
	if err != nil {
		t.Fatal(err)
	}
	defer verdict.Close()
	summary, err := verdict.Summary()
	if err != nil || summary.NodeCount != 2 || summary.GroupCount != 1 || summary.ViolationsRaw != 1 {
		t.Fatal(summary, err)
	}
	intervals := 0
	verdict.ClockIntervals().All()(func(ClockInterval) bool { intervals++; return true })
	var document, table bytes.Buffer
	if _, err := verdict.WriteDocument(&document); err != nil || !json.Valid(document.Bytes()) || intervals != 2 {
		t.Fatal(err, intervals)
	}
	if err := verdict.WriteCSV(&table); err != nil || table.Len() == 0 {
		t.Fatal(err)
	}
	if _, err := Validate(background, nil, ValidationOptions{}); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	profiles[0].Close()
	if _, err := Validate(background, profiles, ValidationOptions{}); err != ErrClosed {
		t.Fatal(err)
	}
}

func TestAWriterOutOfOrderOrLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.xplane.pb")
	writer, err := CreateXSpace(path)
	if err != nil {
		t.Fatal(err)
	}
	writer.BeginPlane("p", 0)
	writer.Close()
	writer.BeginPlane("q", 0) // after Close: nothing
	if err := writer.Finish(); err != ErrClosed {
		t.Fatal(err)
	}
	if writer, err = CreateXSpace(path); err != nil {
		t.Fatal(err)
	}
	writer.EndPlane()
	if err := writer.Finish(); err == nil {
		t.Fatal("a plane was ended that was not open")
	}
	writer.Close()
	if writer, err = CreateXSpace(path); err != nil {
		t.Fatal(err)
	}
	writer.BeginPlane("p", 0)
	writer.PlaneStat(writer.StatName("s"), struct{}{})
	if err := writer.Finish(); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("a file appeared")
	}
	if writer, err = NewXSpaceWriter(full{}); err != nil {
		t.Fatal(err)
	}
	writer.BeginPlane("p", 0)
	writer.EndPlane()
	if err := writer.Finish(); !errors.Is(err, errFull) {
		t.Fatal(err)
	}
	writer.Close()
	func() {
		defer func() {
			if why := recover(); why != "the host's own trouble" {
				t.Fatal(why)
			}
		}()
		writer, err := NewXSpaceWriter(panics{})
		if err != nil {
			t.Fatal(err)
		}
		writer.BeginPlane("p", 0)
		writer.EndPlane()
		_ = writer.Finish()
		t.Fatal("no panic")
	}()
	for i := 0; i < 20; i++ { // left to the garbage collector
		if forgotten, err := NewXSpaceWriter(&bytes.Buffer{}); err == nil {
			forgotten.BeginPlane("p", 0)
		}
	}
	runtime.GC()
	runtime.GC()
}

type failing struct{ panics bool }

func (f failing) ReadAt([]byte, int64) (int, error) {
	if f.panics {
		panic("the host's own trouble")
	}
	return 0, errFull
}

func TestReadsOfTheCaller(t *testing.T) {
	content, err := os.ReadFile(gpuPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{int64(len(content)), -1} {
		profile, err := OpenReaderAt(background, bytes.NewReader(content), size, "a.xplane.pb", OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		profile.Files()(func(file File) bool {
			if decoded, err := file.Bytes(); err != nil || !bytes.Equal(decoded, content) {
				t.Fatal(len(decoded), err)
			}
			return true
		})
		profile.Close()
	}
	if _, err := OpenReaderAt(background, failing{}, -1, "a.xplane.pb", OpenOptions{}); !errors.Is(err, errFull) || !errors.Is(err, ErrIO) {
		t.Fatal(err)
	}
	defer func() {
		if why := recover(); why != "the host's own trouble" {
			t.Fatal(why)
		}
	}()
	_, _ = OpenReaderAt(background, failing{true}, -1, "a.xplane.pb", OpenOptions{})
	t.Fatal("no panic")
}

func TestPanicsAndRefusalsOfProgress(t *testing.T) {
	content, err := os.ReadFile(tpuPath())
	if err != nil {
		t.Fatal(err)
	}
	many, err := OpenBytes(bytes.Repeat(content, 200), "many.xplane.pb", OpenOptions{}) // enough for 50 ms to be over
	if err != nil {
		t.Fatal(err)
	}
	defer many.Close()
	told := 0
	stop := Hooks{Progress: func(uint64, uint64) bool { told++; return false }}
	_, err = many.WriteDocument(background, io.Discard, DocumentReport, DocumentOptions{Hooks: stop})
	if !errors.Is(err, ErrCancelled) || told != 1 {
		t.Fatal(err, told)
	}
	defer func() {
		if why := recover(); why != "the host's own trouble" {
			t.Fatal(why)
		}
	}()
	hooks := Hooks{Progress: func(uint64, uint64) bool { panic("the host's own trouble") }}
	_, _ = many.WriteDocument(background, io.Discard, DocumentReport, DocumentOptions{Hooks: hooks})
	t.Fatal("no panic")
}

func TestBadHandlesPathsAndLibraries(t *testing.T) {
	path := gpuPath() + "\x00.old"
	profile := opening(t, gpuPath())
	for name, err := range map[string]error{
		"open":   second(Open(path)),
		"export": second(profile.ExportFile(background, path, ExportOptions{})),
		"merge":  second(MergeTo(background, io.Discard, MergeOptions{Traces: []string{path}})),
		"writer": second(CreateXSpace(path)),
	} {
		if !errors.Is(err, ErrInvalidArgument) {
			t.Error(name, err)
		}
	}
	var zero Profile
	zero.Close()
	if _, err := zero.JSON(DocumentInfo); err != ErrClosed || zero.FileCount() != 0 {
		t.Fatal(err)
	}
	if _, err := (&Bubbles{}).Steps(); err != ErrClosed {
		t.Fatal(err)
	}
	if (File{}).Damage() != nil || (Plane{}).Name() != "" || (Line{}).Events().Err() != ErrClosed {
		t.Fatal("zero values")
	}
	if err := checkLibrary(0); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "libprofkit 0.0 is older than 0.1") {
		t.Fatal(err)
	}
	if _, err := Open(""); !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestRuns(t *testing.T) {
	folder := t.TempDir()
	content, err := os.ReadFile(gpuPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"2024_01_01_00_00_00", "2024_01_02_00_00_00"} {
		path := filepath.Join(folder, "plugins", "profile", run)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "vm.xplane.pb"), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := opening(t, folder).Runs()
	if err != nil || len(runs) != 2 || runs[0].Name != "2024_01_02_00_00_00" || !runs[0].Chosen || runs[1].Chosen {
		t.Fatal(runs, err)
	}
}
