package profkit

/*
#include <profkit/profkit.h>
#include <stdlib.h>

static pk_arrow_options pkgo_arrow_options(void) { pk_arrow_options o = PK_ARROW_OPTIONS_INIT; return o; }
static void pkgo_release_stream(struct ArrowArrayStream *stream) { if (stream->release) stream->release(stream); }
*/
import "C"

import (
	"context"
	"runtime"
	"unsafe"
)

// TableOptions say how a table comes.
type TableOptions struct {
	Columns    []string // names of those that come, in this order, each once; none: all
	BatchRows  uint64   // most rows of a batch, up to 2^30; 0: 65,536
	SkipDamage bool     // end where damage begins, instead of failing there
}

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

func newStream(options TableOptions,
	open func(*C.pk_arrow_options, *C.struct_ArrowArrayStream, **C.pk_error) C.pk_status) (*ArrowStream, error) {
	stream := (*C.struct_ArrowArrayStream)(C.calloc(1, C.sizeof_struct_ArrowArrayStream))
	given := C.pkgo_arrow_options()
	given.batch_rows = C.uint64_t(options.BatchRows)
	given.flags = flag(options.SkipDamage, C.PK_ARROW_SKIP_DAMAGE)
	var memory arena
	defer memory.free()
	given.columns, given.column_count = memory.texts(options.Columns), C.size_t(len(options.Columns))
	var raw *C.pk_error
	if err := failure(open(&given, stream, &raw), raw); err != nil {
		C.free(unsafe.Pointer(stream))
		return nil, err
	}
	return &ArrowStream{newHandle(unsafe.Pointer(stream), func(raw unsafe.Pointer) {
		C.pkgo_release_stream((*C.struct_ArrowArrayStream)(raw))
		C.free(raw)
	})}, nil
}

func tableOf(h *handle, options TableOptions,
	open func(unsafe.Pointer, *C.pk_arrow_options, *C.struct_ArrowArrayStream, **C.pk_error) C.pk_status) (*ArrowStream, error) {
	var made *ArrowStream
	err := h.use(func(object unsafe.Pointer) error {
		var err error
		made, err = newStream(options, func(given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
			return open(object, given, out, raw)
		})
		return err
	})
	runtime.KeepAlive(h)
	return made, err
}

// EventsTable has every event of a file that has a place in time, or of AllFiles.
func (p *Profile) EventsTable(file int, options TableOptions) (*ArrowStream, error) {
	which := C.uint32_t(C.PK_ARROW_ALL_FILES)
	if file >= 0 {
		which = C.uint32_t(file)
	}
	return tableOf(p.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
		return C.pk_arrow_events((*C.pk_profile)(object), which, given, out, raw)
	})
}

// OpsTable has the totals of every op, largest first. The filters' limit is that of rows a line; nil: all.
func (p *Profile) OpsTable(ctx context.Context, filters DocumentOptions, options TableOptions) (*ArrowStream, error) {
	var made *ArrowStream
	err := calling(ctx, filters.Hooks, nil, func(memory *arena, hooks *C.pk_hooks, _ unsafe.Pointer) (err error) {
		asked := (*C.pk_document_options)(documentOptions(memory, filters))
		asked.hooks = hooks
		made, err = tableOf(p.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
			return C.pk_arrow_ops((*C.pk_profile)(object), asked, given, out, raw)
		})
		return err
	})
	return made, err
}

// Table has the kernels of all devices, by device and start.
func (k *Kernels) Table(options TableOptions) (*ArrowStream, error) {
	return tableOf(k.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
		return C.pk_arrow_kernels((*C.pk_activity)(object), given, out, raw)
	})
}

// StepsTable has the steps, by device and time.
func (b *Bubbles) StepsTable(options TableOptions) (*ArrowStream, error) {
	return tableOf(b.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
		return C.pk_arrow_steps((*C.pk_bubbles)(object), given, out, raw)
	})
}

// Table has the gaps, by device and time.
func (b *Bubbles) Table(options TableOptions) (*ArrowStream, error) {
	return tableOf(b.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
		return C.pk_arrow_bubbles((*C.pk_bubbles)(object), given, out, raw)
	})
}

// LiveBuffersTable has what is alive at the peak, largest first.
func (m *Memory) LiveBuffersTable(options TableOptions) (*ArrowStream, error) {
	return tableOf(m.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
		return C.pk_arrow_live_buffers((*C.pk_memory)(object), given, out, raw)
	})
}

// LiveCurveTable has the live curve; it is empty unless CurvePoints asked for it.
func (m *Memory) LiveCurveTable(options TableOptions) (*ArrowStream, error) {
	return tableOf(m.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
		return C.pk_arrow_live_curve((*C.pk_memory)(object), given, out, raw)
	})
}

// LaunchesTable has the launches, in the order of the log.
func (t *ProbeTrace) LaunchesTable(options TableOptions) (*ArrowStream, error) {
	return tableOf(t.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
		return C.pk_arrow_launches((*C.pk_probe)(object), given, out, raw)
	})
}

// RecordsTable has the records of a map that were written: block, lane, k, then a column a field.
func (t *ProbeTrace) RecordsTable(file, recordMap int, options TableOptions) (*ArrowStream, error) {
	return tableOf(t.h, options, func(object unsafe.Pointer, given *C.pk_arrow_options, out *C.struct_ArrowArrayStream, raw **C.pk_error) C.pk_status {
		return C.pk_arrow_probe_records((*C.pk_probe)(object), C.size_t(file), C.uint32_t(recordMap), given, out, raw)
	})
}
