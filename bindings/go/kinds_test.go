package profkit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// constants of the header with a prefix, in small letters.
func constants(t *testing.T, prefix string) map[int]string {
	header, err := os.ReadFile(filepath.Join("..", "..", "include", "profkit", "profkit.h"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, match := range regexp.MustCompile(`\b`+prefix+`([A-Z0-9_]+) = (\d+)`).FindAllStringSubmatch(string(header), -1) {
		value, err := strconv.Atoi(match[2])
		if err != nil {
			t.Fatal(err)
		}
		flag := strings.HasPrefix(match[1], "HAS_") || match[1] == "IN_FLIGHT" // those below are values of kinds, too
		if _, known := found[value]; !known && !flag {
			found[value] = strings.ToLower(match[1])
		}
	}
	return found
}

func TestKindsHaveTheWordsOfDocuments(t *testing.T) {
	kinds := map[string]func(int) fmt.Stringer{
		"PK_PLANE_":     func(value int) fmt.Stringer { return PlaneKind(value) },
		"PK_LINE_":      func(value int) fmt.Stringer { return LineKind(value) },
		"PK_KERNEL_":    func(value int) fmt.Stringer { return KernelKind(value + 1) },
		"PK_CAUSE_":     func(value int) fmt.Stringer { return Cause(value) },
		"PK_CERTAINTY_": func(value int) fmt.Stringer { return Certainty(value) },
	}
	for prefix, kind := range kinds {
		all := constants(t, prefix)
		if len(all) < 4 {
			t.Fatal(prefix, all)
		}
		for value, word := range all {
			if kind(value).String() != word {
				t.Errorf("%s%d is %q, and not %q", prefix, value, kind(value), word)
			}
		}
	}
	if text := Cause(1000).String(); text != "unknown" {
		t.Fatal(text)
	}
	row, err := json.Marshal(struct {
		Cause Cause
		Plane PlaneKind
	}{CauseDataLoader, PlaneDevice})
	if err != nil || string(row) != `{"Cause":"data_loader","Plane":"device"}` {
		t.Fatal(string(row), err)
	}
}

func TestKindsAreThoseOfTables(t *testing.T) {
	profile := opening(t, data("kineto", "h100_bert_small.pt.trace.json.gz"))
	bubbles, err := profile.Bubbles(background, BubbleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := profile.Table(background, TableGaps, DocumentOptions{}, TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gaps, seen := bubbles.Gaps(), 0
	gaps.All()(func(gap Bubble) bool {
		if count, err := table.Next(1); err != nil || count != 1 {
			t.Fatal(count, err)
		}
		for column, word := range map[string]string{"cause": gap.Cause.String(), "certainty": gap.Certainty.String(),
			"scope": gap.Scope, "labels": strings.Join(gap.Labels, ",")} {
			if values, err := table.Values(column); err != nil || values[0] != word {
				t.Fatal(column, values, word, err)
			}
		}
		seen++
		return true
	})
	if gaps.Err() != nil || seen == 0 {
		t.Fatal(gaps.Err(), seen)
	}
	steps, err := bubbles.Steps()
	if err != nil || len(steps) == 0 {
		t.Fatal(err)
	}
	if table, err = profile.Table(background, TableSteps, DocumentOptions{}, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if count, err := table.Next(1); err != nil || count != 1 {
			t.Fatal(count, err)
		}
		if values, err := table.Values("tags"); err != nil || values[0] != strings.Join(step.Tags, ",") {
			t.Fatal(values, step.Tags, err)
		}
	}
	kernels, err := profile.Kernels(background, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table, err = profile.Table(background, TableKernels, DocumentOptions{}, TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := kernels.Rows()
	seen = 0
	rows.All()(func(kernel Kernel) bool {
		if count, err := table.Next(1); err != nil || count != 1 {
			t.Fatal(count, err)
		}
		if values, err := table.Values("kind"); err != nil || values[0] != kernel.Kind.String() {
			t.Fatal(values, kernel.Kind, err)
		}
		seen++
		return seen < 1000
	})
	if rows.Err() != nil || seen == 0 {
		t.Fatal(rows.Err(), seen)
	}
}
