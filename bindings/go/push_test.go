package profkit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

func gpuBytes(t *testing.T) []byte {
	t.Helper()
	made, err := os.ReadFile(data("xspace", "jax08_gemm_mi300.xplane.pb"))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func pushedRow(t *testing.T, plane Plane, event Event, raw []byte) string {
	t.Helper()
	stats, err := DecodeStats(raw, &plane)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(plane.EventName(event.MetadataID), event.OffsetPs, event.HasOffset(), event.DurationPs, event.NumOccurrences, stats)
}

func allPlanes(p *Profile) (made []Plane) {
	p.Files()(func(file File) bool {
		file.Planes()(func(plane Plane) bool { made = append(made, plane); return true })
		return true
	})
	return made
}

// What is pushed is what is held.
func TestPushReader(t *testing.T) {
	whole := gpuBytes(t)
	held, err := OpenBytes(whole, "a.xplane.pb", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	var wanted, got, begun, ended []string
	for _, plane := range allPlanes(held) {
		plane.Lines()(func(line Line) bool {
			line.Events().All()(func(event Event) bool {
				wanted = append(wanted, pushedRow(t, plane, event, event.RawStats()))
				return true
			})
			return true
		})
	}
	type one struct {
		event Event
		raw   []byte
	}
	var waiting []one
	lines := 0
	reader, err := NewPushReader(PushVisitor{
		PlaneBegin: func(plane PushedPlane) error { begun = append(begun, plane.Name); return nil },
		LineBegin:  func(PushedLine) error { lines++; return nil },
		Events: func(line PushedLine, events []Event) error {
			for _, event := range events {
				if stats, err := DecodeStats(event.RawStats(), nil); err != nil || len(stats) > 0 && stats[0].Name != "" {
					return fmt.Errorf("stats without names: %v %v", stats, err)
				}
				waiting = append(waiting, one{event, event.RawStats()})
			}
			return nil
		},
		LineEnd: func(line PushedLine) error {
			if lines--; line.WasChanged {
				return errors.New("changed")
			}
			return nil
		},
		PlaneEnd: func(position int, rest *Profile) error {
			defer rest.Close()
			plane := allPlanes(rest)[0]
			ended = append(ended, plane.Name())
			for _, o := range waiting {
				got = append(got, pushedRow(t, plane, o.event, o.raw))
			}
			waiting = nil
			return nil
		},
		Damage: func(why error) error { return why },
		Note:   func(NoteKind, string) error { return nil },
	}, PushOptions{Label: "socket"})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err = io.CopyBuffer(struct{ io.Writer }{reader}, struct{ io.Reader }{bytes.NewReader(whole)}, make([]byte, 777)); err != nil {
		t.Fatal(err)
	}
	if err = reader.Finish(); err != nil {
		t.Fatal(err)
	}
	if len(wanted) < 100 || strings.Join(got, "\n") != strings.Join(wanted, "\n") || strings.Join(begun, "\n") != strings.Join(ended, "\n") || lines != 0 {
		t.Errorf("%d rows wanted, %d came; planes %v, %v; lines %d", len(wanted), len(got), begun, ended, lines)
	}
}

// A cut capture, a limit, a visitor that fails or panics.
func TestPushReaderFails(t *testing.T) {
	whole := gpuBytes(t)
	push := func(visitor PushVisitor, options PushOptions, bytes []byte) error {
		reader, err := NewPushReader(visitor, options)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		if _, err = reader.Write(bytes); err != nil {
			if again := reader.Finish(); !errors.Is(again, err) && again.Error() != err.Error() {
				t.Errorf("then %v, before %v", again, err)
			}
			return err
		}
		return reader.Finish()
	}
	var heard error
	err := push(PushVisitor{Damage: func(why error) error { heard = why; return nil }}, PushOptions{}, whole[:50_000])
	if !errors.Is(err, ErrDamaged) || !errors.Is(heard, ErrDamaged) {
		t.Errorf("cut: %v, heard %v", err, heard)
	}
	err = push(PushVisitor{}, PushOptions{Label: "socket", Limits: Limits{MaxMaterialisedBytes: 100}}, whole)
	if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "socket") {
		t.Errorf("limit: %v", err)
	}
	mine := errors.New("of the visitor")
	err = push(PushVisitor{Events: func(PushedLine, []Event) error { return mine }}, PushOptions{}, whole)
	if !errors.Is(err, mine) {
		t.Errorf("visitor: %v", err)
	}
	defer func() {
		if why := recover(); why != "no" {
			t.Errorf("panic: %v", why)
		}
	}()
	_ = push(PushVisitor{Events: func(PushedLine, []Event) error { panic("no") }}, PushOptions{}, whole)
}
