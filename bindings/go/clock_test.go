package profkit

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestAClock(t *testing.T) {
	options := ClockOptions{
		Pairs:        []ClockPair{{1000, 500000, 0, 0}, {2000, 501000, 0, 0}, {3000, 502000, 0, 500}},
		Offsets:      []ClockOffset{{MidpointNs: 500000, OffsetPs: 250, ResolutionPs: 1}},
		TracerBaseNs: 1000, HostBaseNs: 500000, ReferenceBaseNs: 500000,
	}
	clock, err := NewClock(options)
	if err != nil {
		t.Fatal(err)
	}
	times := []int64{0, 1500000, 1<<63 - 1}
	if err := clock.Map(ClockTracer, times); err != nil || times[0] != -250 || times[1] != 1500000 || times[2] != OutOfReach {
		t.Fatal(times, err)
	}
	if bound, err := clock.BoundPs(ClockTracer, 0); err != nil || bound <= 0 {
		t.Fatal(bound, err)
	}
	if err := clock.Map(7, times); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	if err := clock.Map(ClockHost, nil); err != nil {
		t.Fatal(err)
	}
	clock.Close()
	if err := clock.Map(ClockTracer, times); err != ErrClosed {
		t.Fatal(err)
	}
	drift := int64(5)
	options.Offsets[0].DriftPpt = &drift
	if driven, err := NewClock(options); err != nil {
		t.Fatal(err)
	} else {
		driven.Close()
	}
	options.Pairs = options.Pairs[:1]
	if _, err := NewClock(options); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestTheDocumentOfAFailure(t *testing.T) {
	_, err := Open("/nonexistent/a.xplane.pb")
	var why *Error
	if !errors.As(err, &why) {
		t.Fatal(err)
	}
	var into bytes.Buffer
	if err := why.WriteDocument(&into, DocumentOps); err != nil {
		t.Fatal(err)
	}
	if shown := into.String(); !strings.Contains(shown, `"schema": "profkit.ops"`) || !strings.Contains(shown, `"code": "not_found"`) {
		t.Fatal(shown)
	}
	if err := why.WriteDocument(full{}, DocumentOps); !errors.Is(err, errFull) {
		t.Fatal(err)
	}
	if err := ErrNotFound.WriteDocument(&into, DocumentOps); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestNamesChildrenDevicesAndAllocators(t *testing.T) {
	profile := opening(t, tpuPath())
	var plane Plane
	profile.Planes()(func(first Plane) bool { plane = first; return false })
	stats, names := plane.StatMetadata(), 0
	stats.All()(func(entry StatMetadata) bool {
		names++
		if plane.StatName(entry.ID) != entry.Name {
			t.Fatal(entry)
		}
		return true
	})
	if stats.Err() != nil || names == 0 || plane.StatName(-1) != "" {
		t.Fatal(names, stats.Err())
	}
	plane.EventMetadata().All()(func(entry EventMetadata) bool {
		if children, err := plane.MetadataChildren(entry.ID); err != nil || len(children) != 0 {
			t.Fatal(children, err)
		}
		return false
	})
	if _, err := plane.MetadataChildren(-1); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	bubbles, err := profile.Bubbles(background, BubbleOptions{WindowPolicy: WindowDevice})
	if err != nil {
		t.Fatal(err)
	}
	defer bubbles.Close()
	if devices, err := bubbles.Devices(); err != nil || len(devices) == 0 || devices[0] != "/device:TPU:0" {
		t.Fatal(devices, err)
	}
	memory, err := profile.Memory(background, MemoryOptions{AllTrace: true, StepPolicy: StepLast})
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	allocators, err := memory.Allocators()
	chosen := 0
	for _, allocator := range allocators {
		if allocator.Chosen {
			chosen++
		}
	}
	if err != nil || chosen != 1 {
		t.Fatal(allocators, err)
	}
	if _, err := profile.Memory(background, MemoryOptions{WhatIf: []string{"remat=nothing of that name"}}); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	if TracePerfetto.String() != "pftrace" {
		t.Fatal(TracePerfetto.String())
	}
}

func TestRecordsByPlace(t *testing.T) {
	trace, err := opening(t, data("neutrino", "block_sched")).Neutrino(ProbeToolNone)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	lanes, err := trace.Lanes(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lanes.Close()
	rows := trace.Records(0, 0)
	rows.All()(func(record Record) bool {
		same, found, err := lanes.At(record.Block, record.Lane, record.K)
		if err != nil || !found || len(same.Values) != len(record.Values) || same.Values[0] != record.Values[0] {
			t.Fatal(same, found, err)
		}
		return true
	})
	if _, found, err := lanes.At(0, 1<<40, 0); found || err != nil || rows.Err() != nil {
		t.Fatal(found, err, rows.Err())
	}
	if _, err := trace.Lanes(99, 0); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}
