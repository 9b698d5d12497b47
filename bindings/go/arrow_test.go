package profkit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/profkit/profkit/bindings/go/internal/arrowrows"
)

func TestTables(t *testing.T) {
	profile, err := Open(tpuPath())
	if err != nil {
		t.Fatal(err)
	}
	var events, executions uint64
	for _, line := range lines(profile) {
		count, _ := line.EventCount()
		events += count
	}
	kernels, err1 := profile.Kernels(background, KernelOptions{})
	bubbles, err2 := profile.Bubbles(background, BubbleOptions{})
	memory, err3 := profile.Memory(background, MemoryOptions{CurvePoints: 64})
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	devices, _ := kernels.Devices()
	for _, device := range devices {
		executions += device.KernelCount
	}
	steps, _ := bubbles.Steps()
	few := TableOptions{BatchRows: 1000}
	type table struct {
		stream *ArrowStream
		rows   int64 // -1: some
	}
	tables := map[string]table{}
	add := func(name string, rows int64) func(*ArrowStream, error) {
		return func(stream *ArrowStream, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(name, err)
			}
			tables[name] = table{stream, rows}
		}
	}
	add("events", int64(events))(profile.EventsTable(AllFiles, few))
	add("events of a file", int64(events))(profile.EventsTable(0, few))
	add("ops", -1)(profile.OpsTable(background, DocumentOptions{Plane: "TPU:0"}, few))
	add("kernels", int64(executions))(kernels.Table(few))
	add("steps", int64(len(steps)))(bubbles.StepsTable(few))
	add("gaps", -1)(bubbles.Table(few))
	add("live buffers", -1)(memory.LiveBuffersTable(few))
	add("live curve", -1)(memory.LiveCurveTable(few))
	profile.Close()
	kernels.Close()
	bubbles.Close()
	memory.Close()
	for name, table := range tables {
		rows, batches, columns, err := arrowrows.Count(table.stream.Pointer())
		if err != nil || rows == 0 || columns == 0 || table.rows >= 0 && rows != table.rows || batches < rows/1000 {
			t.Error(name, rows, batches, columns, err)
		}
		table.stream.Close()
		table.stream.Close()
		if table.stream.Pointer() != nil {
			t.Error(name, "was closed")
		}
	}
}

func TestOnlyTheColumnsThatWereAskedForCome(t *testing.T) {
	profile := opening(t, gpuPath())
	few, err := profile.EventsTable(AllFiles, TableOptions{Columns: []string{"duration_ps", "name"}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := profile.EventsTable(AllFiles, TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows, _, columns, err := arrowrows.Count(few.Pointer())
	if expected, _, _, _ := arrowrows.Count(all.Pointer()); err != nil || rows != expected || columns != 2 {
		t.Error(rows, expected, columns, err)
	}
	few.Close()
	all.Close()
	for _, wrong := range [][]string{{"colour"}, {"name", "name"}} {
		if _, err := profile.EventsTable(AllFiles, TableOptions{Columns: wrong}); !errors.Is(err, ErrInvalidArgument) {
			t.Error(wrong, err)
		}
	}
}

func TestTablesOfANeutrinoTrace(t *testing.T) {
	probe, err := opening(t, data("neutrino", "block_sched")).Neutrino(ProbeToolNone)
	if err != nil {
		t.Fatal(err)
	}
	var expected int64
	probe.Records(0, 0).All()(func(Record) bool { expected++; return true })
	records, err := probe.RecordsTable(0, 0, TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	launches, err := probe.LaunchesTable(TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	probe.Close()
	if rows, _, columns, err := arrowrows.Count(records.Pointer()); err != nil || rows != expected || columns != 10 {
		t.Fatal(rows, expected, columns, err)
	}
	if rows, _, _, err := arrowrows.Count(launches.Pointer()); err != nil || rows != 2 {
		t.Fatal(rows, err)
	}
	records.Close()
	launches.Close()
}

func TestStreamsAreTakenOverLeftAndDamaged(t *testing.T) {
	profile := opening(t, gpuPath())
	stream, err := profile.EventsTable(AllFiles, TableOptions{BatchRows: 100})
	if err != nil {
		t.Fatal(err)
	}
	if rows := arrowrows.LeaveEarly(stream.Pointer()); rows != 100 {
		t.Fatal(rows)
	}
	stream.Close() // nothing is left of it
	if _, err := profile.EventsTable(99, TableOptions{}); err == nil {
		t.Fatal("there is no file 99")
	}
	if _, err := profile.EventsTable(AllFiles, TableOptions{}); err != nil { // never read, left to the garbage collector
		t.Fatal(err)
	}
	content, _ := os.ReadFile(gpuPath())
	cut, err := OpenBytes(content[:len(content)/2], "cut.xplane.pb", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Close()
	for _, skip := range []bool{false, true} {
		stream, err := cut.EventsTable(AllFiles, TableOptions{SkipDamage: skip})
		if err != nil {
			t.Fatal(err)
		}
		rows, batches, _, err := arrowrows.Count(stream.Pointer())
		if skip && (err != nil || rows == 0) || !skip && (err == nil || batches == 0 || !strings.Contains(err.Error(), "cut.xplane.pb")) {
			t.Fatal(skip, rows, batches, err)
		}
		stream.Close()
	}
	profile.Close()
	if _, err := profile.EventsTable(AllFiles, TableOptions{}); err != ErrClosed {
		t.Fatal(err)
	}
}

func TestEveryTableByItsName(t *testing.T) {
	profile, background := opening(t, tpuPath()), context.Background()
	for kind := TableFiles; kind <= TableProbeLaunches; kind++ {
		table, err := profile.Table(background, kind, DocumentOptions{}, TableOptions{})
		if err != nil {
			t.Fatal(kind, err)
		}
		columns, err := table.Columns()
		if err != nil || len(columns) < 3 || columns[0].Meaning == "" {
			t.Fatal(kind, columns, err)
		}
		var text bytes.Buffer
		err = table.WriteJSON(&text)
		if (err != nil) != (kind == TableEvents) {
			t.Fatal(kind, err)
		}
		table.Close()
	}
	if TableOps.String() != "ops" || TableKind(99).String() != "" {
		t.Fatal(TableOps)
	}
	devices, err := profile.Table(background, TableDevices, DocumentOptions{}, TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer devices.Close()
	if count, err := devices.Next(10); count != 4 || err != nil {
		t.Fatal(count, err)
	}
	names, err := devices.Values("name")
	ranks, err2 := devices.Values("rank")
	if err != nil || err2 != nil || names[3] != "/device:TPU:3" || ranks[0] != nil {
		t.Fatal(names, ranks, err, err2)
	}
	if _, err := devices.Values("colour"); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	if _, err := profile.Table(background, TableFiles, DocumentOptions{Plane: "TPU:0"}, TableOptions{}); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestRowsOfSomeColumns(t *testing.T) {
	profile := opening(t, tpuPath())
	kernels, err := profile.Kernels(background, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var expected [][]any
	kernels.Rows().All()(func(kernel Kernel) bool {
		expected = append(expected, []any{kernel.Name, kernel.StartPs})
		return true
	})
	table := func() *Table {
		made, err := profile.Table(background, TableKernels, DocumentOptions{}, TableOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	rows, found := table().Rows("name", "start_ps"), [][]any{}
	rows.All()(func(row []any) bool { found = append(found, row); return true })
	if rows.Err() != nil || len(found) < 1000 || !reflect.DeepEqual(found, expected) {
		t.Fatal(rows.Err(), len(found), len(expected))
	}
	rows = table().Rows("nmae")
	rows.All()(func([]any) bool { t.Fatal("a row"); return false })
	if !errors.Is(rows.Err(), ErrInvalidArgument) && !errors.Is(rows.Err(), ErrNotFound) {
		t.Fatal(rows.Err())
	}
}
