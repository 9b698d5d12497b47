package profkit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// rowsAreCells compares every field with the cell of the column that it is named for.
func rowsAreCells[T TableRow[T]](t *testing.T, p *Profile, kind TableKind) (count int) {
	rows, err := allOf(RowsOf[T](nil, p, DocumentOptions{}))
	table, failure := p.Table(nil, kind, DocumentOptions{}, TableOptions{AllowEmpty: true})
	if err != nil || failure != nil {
		t.Fatal(kind, err, failure)
	}
	defer table.Close()
	columns, err := table.Columns()
	if err != nil {
		t.Fatal(kind, err)
	}
	var names []string
	var fields [][]int
	for _, column := range columns {
		spelled := strings.ReplaceAll(column.Name, "_", "")
		field, found := reflect.TypeOf(*new(T)).FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, spelled) })
		if found {
			names, fields = append(names, column.Name), append(fields, field.Index)
		}
	}
	cells, err := allOf(table.Rows(names...))
	if err != nil || len(cells) != len(rows) || len(fields) < 3 {
		t.Fatal(kind, err, len(cells), len(rows), names)
	}
	for at := range rows {
		for place, name := range names {
			value := reflect.ValueOf(rows[at]).FieldByIndex(fields[place])
			got, want := fmt.Sprint(value), fmt.Sprint(cells[at][place])
			switch value.Kind() {
			case reflect.Bool:
				got = map[string]string{"false": "0", "true": "1"}[got]
			case reflect.Slice:
				got = strings.ReplaceAll(strings.Trim(got, "[]"), " ", ",")
			}
			if cells[at][place] != nil && got != want {
				t.Fatalf("%v %d: %s is %q, not %q", kind, at, name, got, want)
			}
		}
	}
	return len(rows)
}

func TestRowsAreTheCellsOfTheirColumns(t *testing.T) {
	p := opening(t, tpuPath())
	if rowsAreCells[FileInfo](t, p, TableFiles) == 0 || rowsAreCells[CaptureDevice](t, p, TableDevices) == 0 ||
		rowsAreCells[Op](t, p, TableOps) == 0 || rowsAreCells[BubbleStep](t, p, TableSteps) == 0 ||
		rowsAreCells[Kernel](t, p, TableKernels) == 0 || rowsAreCells[Bubble](t, p, TableGaps) == 0 ||
		rowsAreCells[GapCause](t, p, TableCauses) == 0 || rowsAreCells[Collective](t, p, TableCollectives) == 0 ||
		rowsAreCells[Allocator](t, p, TableAllocators) == 0 || rowsAreCells[LiveBuffer](t, p, TableLiveBuffers) == 0 ||
		rowsAreCells[DeviceTime](t, p, TableDeviceTime) == 0 || rowsAreCells[Fact](t, p, TableFacts) == 0 {
		t.Fatal("a table has no rows")
	}
	if rowsAreCells[Launch](t, opening(t, data("neutrino", "block_sched")), TableProbeLaunches) == 0 {
		t.Fatal("no launches")
	}
}
