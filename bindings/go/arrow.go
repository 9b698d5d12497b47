package profkit

/*
#include <profkit/profkit.h>
#include <stdlib.h>

static pk_table_options pkgo_table_options(void) { pk_table_options o = PK_TABLE_OPTIONS_INIT; return o; }
static void pkgo_release_stream(struct ArrowArrayStream *stream) { if (stream->release) stream->release(stream); }
*/
import "C"

import (
	"context"
	"io"
	"runtime"
	"unsafe"
)

// TableOptions say how a table comes.
type TableOptions struct {
	Columns    []string // names of those that come, in this order, each once; none: all
	BatchRows  uint64   // most rows of a batch, up to 2^30; 0: 65,536
	SkipDamage bool     // end where damage begins, instead of failing there
	PlainText  bool     // Arrow: names as text instead of dictionaries, for engines that refuse those
	Signed     bool     // Arrow: unsigned columns as int64
	AllowEmpty bool     // filters that fit nothing give no rows, and no error
}

// String is "ops", "gaps", …
func (k TableKind) String() string { return C.GoString(C.pk_table_name(C.int32_t(k))) }

// AllFiles stands for every file but exports of others.
const AllFiles = -1

// ArrowStream are rows as an Arrow C stream: times are int64 picoseconds (the unit stands in the field's metadata), names
// are dictionaries, what is not known is null. It holds a reference of its own: what it was made from may be closed.
//
// arrow-go reads it: cdata.ImportCRecordReader((*cdata.CArrowArrayStream)(stream.Pointer()), nil). That moves the stream
// out; Close then frees nothing but the empty struct.
type ArrowStream struct{ h *handle }

// Pointer is the address of the struct ArrowArrayStream, in C memory that lives until Close; nil after it. Keep the
// ArrowStream until whoever takes the stream over has done so.
func (s *ArrowStream) Pointer() unsafe.Pointer {
	var raw unsafe.Pointer
	_ = s.h.use(func(object unsafe.Pointer) error {
		raw = object
		return nil
	})
	return raw
}

// Close releases the stream, if nobody took it over.
func (s *ArrowStream) Close() { s.h.close() }

// Table are rows of one table, given once and in order: by the names of their columns (Next, Values), as an Arrow stream, or
// as text. It holds a reference of its own: what it was made from may be closed.
type Table struct {
	h    *handle
	rows int
}

// Close frees the table. A stream that was made of it lives on.
func (t *Table) Close() { t.h.close() }

func freeTable(raw unsafe.Pointer) { C.pk_table_free((*C.pk_table)(raw)) }

// openTable opens a table of a handle; `asked` and `hooks` may be nil.
func openTable(h *handle, memory *arena, options TableOptions, file int, asked *DocumentOptions, hooks *C.pk_hooks,
	open func(unsafe.Pointer, *C.pk_table_options, **C.pk_table, **C.pk_error) C.pk_status) (*Table, error) {
	given := (*C.pk_table_options)(memory.alloc(unsafe.Sizeof(C.pk_table_options{})))
	*given = C.pkgo_table_options()
	given.batch_rows = C.uint64_t(options.BatchRows)
	given.flags = flag(options.SkipDamage, C.PK_TABLE_SKIP_DAMAGE) | flag(options.PlainText, C.PK_TABLE_PLAIN_TEXT) |
		flag(options.Signed, C.PK_TABLE_SIGNED) | flag(options.AllowEmpty, C.PK_TABLE_ALLOW_EMPTY)
	if file >= 0 {
		given.flags |= C.PK_TABLE_ONE_FILE
		given.file = C.uint32_t(file)
	}
	given.columns, given.column_count = memory.texts(options.Columns), C.size_t(len(options.Columns))
	if asked != nil {
		given.filters, given.hooks = (*C.pk_filters)(asked.filters(memory)), hooks
		if asked.Limit != nil {
			given.limit = limitOf(*asked.Limit)
		}
	}
	var made *C.pk_table
	err := h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		return failure(open(object, given, &made, &raw), raw)
	})
	runtime.KeepAlive(h)
	if err != nil {
		if made != nil { // of what could be read
			freeTable(unsafe.Pointer(made))
		}
		return nil, err
	}
	return &Table{newHandle(unsafe.Pointer(made), freeTable), 0}, nil
}

// Table is any table of the capture; it runs the analysis that it needs. Which filters a table takes docs/tables.md says;
// their limit is that of rows a line, nil: all.
func (p *Profile) Table(ctx context.Context, kind TableKind, filters DocumentOptions, options TableOptions) (*Table, error) {
	return p.tableOf(ctx, kind, AllFiles, filters, options)
}

func (p *Profile) tableOf(ctx context.Context, kind TableKind, file int, filters DocumentOptions,
	options TableOptions) (made *Table, err error) {
	err = calling(ctx, filters.Hooks, nil, func(memory *arena, hooks *C.pk_hooks, _ unsafe.Pointer) (err error) {
		made, err = openTable(p.h, memory, options, file, &filters, hooks, func(object unsafe.Pointer, given *C.pk_table_options,
			out **C.pk_table, raw **C.pk_error) C.pk_status {
			return C.pk_table_open((*C.pk_profile)(object), C.int32_t(kind), given, out, raw)
		})
		return err
	})
	return made, err
}

// Columns are all of them, also those that were not asked for.
func (t *Table) Columns() ([]Column, error) {
	var made []Column
	err := t.h.use(func(object unsafe.Pointer) error {
		table := (*C.pk_table)(object)
		for at, count := C.uint32_t(0), C.pk_table_column_count(table); at < count; at++ {
			var column C.pk_column
			var raw *C.pk_error
			if err := failure(C.pk_table_column_get(table, at, &column, &raw), raw); err != nil {
				return err
			}
			made = append(made, columnOf(&column))
		}
		return nil
	})
	return made, err
}

// Next goes to the next rows, up to `most`, and gives how many they are; 0 at the end. Values then has their columns.
func (t *Table) Next(most int) (int, error) {
	var count C.size_t
	err := t.h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		return failure(C.pk_table_read((*C.pk_table)(object), nil, 0, C.size_t(most), &count, &raw), raw)
	})
	t.rows = int(count)
	return int(count), err
}

// Values are those of a column of the rows that Next went to: int64, uint64 (of booleans 0 and 1) or string; nil where a
// value is not known.
func (t *Table) Values(column string) ([]any, error) {
	var made []any
	err := t.h.use(func(object unsafe.Pointer) error {
		var memory arena
		defer memory.free()
		values := make([]C.pk_value, t.rows+1)
		var count C.size_t
		var raw *C.pk_error
		status := C.pk_table_values((*C.pk_table)(object), memory.path(column), &values[0], C.size_t(len(values)), &count, &raw)
		for _, value := range values[:count] {
			switch value.kind {
			case C.PK_VALUE_INT64:
				made = append(made, int64(value.bits))
			case C.PK_VALUE_UINT64:
				made = append(made, uint64(value.bits))
			case C.PK_VALUE_TEXT:
				made = append(made, text(value.text))
			default:
				made = append(made, nil)
			}
		}
		return failure(status, raw)
	})
	return made, err
}

// Rows are the rows that are left, each with the values of these columns, as Values has them.
func (t *Table) Rows(columns ...string) *Rows[[]any] {
	return &Rows[[]any]{fill: func(into [][]any) (int, error) {
		count, err := t.Next(len(into))
		if err != nil || count == 0 {
			return 0, err
		}
		for at := 0; at < count; at++ {
			into[at] = make([]any, len(columns))
		}
		for place, column := range columns {
			values, err := t.Values(column)
			if err != nil {
				return 0, err
			}
			for at, value := range values {
				into[at][place] = value
			}
		}
		return count, nil
	}}
}

// Arrow are the rows as an Arrow stream.
func (t *Table) Arrow() (*ArrowStream, error) {
	stream := (*C.struct_ArrowArrayStream)(C.calloc(1, C.sizeof_struct_ArrowArrayStream))
	err := t.h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		return failure(C.pk_table_arrow((*C.pk_table)(object), stream, &raw), raw)
	})
	if err != nil {
		C.free(unsafe.Pointer(stream))
		return nil, err
	}
	return &ArrowStream{newHandle(unsafe.Pointer(stream), func(raw unsafe.Pointer) {
		C.pkgo_release_stream((*C.struct_ArrowArrayStream)(raw))
		C.free(raw)
	})}, nil
}

// WriteCSV writes the rows that are left, with a line of names.
func (t *Table) WriteCSV(to io.Writer) error {
	_, err := writeDocument(t.h, to, func(object, user unsafe.Pointer, _ *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_table_write_csv((*C.pk_table)(object), writer(), user, raw)
	})
	return err
}

// WriteJSON writes the rows that are left, one object a line.
func (t *Table) WriteJSON(to io.Writer) error {
	_, err := writeDocument(t.h, to, func(object, user unsafe.Pointer, _ *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_table_write_json((*C.pk_table)(object), writer(), user, raw)
	})
	return err
}

// arrowOf is the stream of a table that was just opened.
func arrowOf(t *Table, err error) (*ArrowStream, error) {
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Arrow()
}

// tableOf opens a table of an analysis.
func tableOf(h *handle, options TableOptions,
	open func(unsafe.Pointer, *C.pk_table_options, **C.pk_table, **C.pk_error) C.pk_status) (*Table, error) {
	var memory arena
	defer memory.free()
	return openTable(h, &memory, options, AllFiles, nil, nil, open)
}

// rowsOf are rows of the structs of a table.
func rowsOf[Raw, T any](table *Table, err error, convert func(*Raw) T) *Rows[T] {
	if err != nil {
		return failed[T](err)
	}
	return converted(table.h, func(object unsafe.Pointer, _ uint64, rows *Raw, capacity int) (int, error) {
		var count C.size_t
		var raw *C.pk_error
		status := C.pk_table_read((*C.pk_table)(object), unsafe.Pointer(rows), C.size_t(unsafe.Sizeof(*rows)),
			C.size_t(capacity), &count, &raw)
		return int(count), failure(status, raw)
	}, convert)
}

// allOf are all rows at once.
func allOf[T any](rows *Rows[T]) ([]T, error) {
	var all []T
	rows.Batches()(func(batch []T) bool {
		all = append(all, batch...)
		return true
	})
	return all, rows.Err()
}

// EventsTable has every event of a file that has a place in time, or of AllFiles.
func (p *Profile) EventsTable(file int, options TableOptions) (*ArrowStream, error) {
	return arrowOf(p.tableOf(context.Background(), TableEvents, file, DocumentOptions{}, options))
}

// OpsTable has the totals of every op, largest first. The filters' limit is that of rows a line; nil: all.
func (p *Profile) OpsTable(ctx context.Context, filters DocumentOptions, options TableOptions) (*ArrowStream, error) {
	return arrowOf(p.Table(ctx, TableOps, filters, options))
}

func (k *Kernels) open(_ TableKind, options TableOptions) (*Table, error) {
	return tableOf(k.h, options, func(object unsafe.Pointer, given *C.pk_table_options, out **C.pk_table, raw **C.pk_error) C.pk_status {
		return C.pk_activity_table((*C.pk_activity)(object), given, out, raw)
	})
}

// Table has the kernels of all devices, by device and start.
func (k *Kernels) Table(options TableOptions) (*ArrowStream, error) {
	return arrowOf(k.open(TableKernels, options))
}

func (b *Bubbles) open(kind TableKind, options TableOptions) (*Table, error) {
	return tableOf(b.h, options, func(object unsafe.Pointer, given *C.pk_table_options, out **C.pk_table, raw **C.pk_error) C.pk_status {
		return C.pk_bubbles_table((*C.pk_bubbles)(object), C.int32_t(kind), given, out, raw)
	})
}

// StepsTable has the steps, by device and time.
func (b *Bubbles) StepsTable(options TableOptions) (*ArrowStream, error) {
	return arrowOf(b.open(TableSteps, options))
}

// Table has the gaps, by device and time.
func (b *Bubbles) Table(options TableOptions) (*ArrowStream, error) {
	return arrowOf(b.open(TableGaps, options))
}

// CausesTable says gap by gap why the device waited, as far as the capture shows.
func (b *Bubbles) CausesTable(options TableOptions) (*ArrowStream, error) {
	return arrowOf(b.open(TableCauses, options))
}

func (m *Memory) open(kind TableKind, options TableOptions) (*Table, error) {
	return tableOf(m.h, options, func(object unsafe.Pointer, given *C.pk_table_options, out **C.pk_table, raw **C.pk_error) C.pk_status {
		return C.pk_memory_table((*C.pk_memory)(object), C.int32_t(kind), given, out, raw)
	})
}

// LiveBuffersTable has what is alive at the peak, largest first.
func (m *Memory) LiveBuffersTable(options TableOptions) (*ArrowStream, error) {
	return arrowOf(m.open(TableLiveBuffers, options))
}

// LiveCurveTable has the live curve; it is empty unless CurvePoints asked for it.
func (m *Memory) LiveCurveTable(options TableOptions) (*ArrowStream, error) {
	return arrowOf(m.open(TableLiveCurve, options))
}

func (t *ProbeTrace) open(_ TableKind, options TableOptions) (*Table, error) {
	return tableOf(t.h, options, func(object unsafe.Pointer, given *C.pk_table_options, out **C.pk_table, raw **C.pk_error) C.pk_status {
		return C.pk_probe_table((*C.pk_probe)(object), given, out, raw)
	})
}

// LaunchesTable has the launches, in the order of the log.
func (t *ProbeTrace) LaunchesTable(options TableOptions) (*ArrowStream, error) {
	return arrowOf(t.open(TableProbeLaunches, options))
}

// RecordsTable has the records of a map that were written: block, lane, k, then a column a field.
func (t *ProbeTrace) RecordsTable(file, recordMap int, options TableOptions) (*ArrowStream, error) {
	return arrowOf(tableOf(t.h, options, func(object unsafe.Pointer, given *C.pk_table_options, out **C.pk_table, raw **C.pk_error) C.pk_status {
		return C.pk_probe_records_table((*C.pk_probe)(object), C.size_t(file), C.uint32_t(recordMap), given, out, raw)
	}))
}
