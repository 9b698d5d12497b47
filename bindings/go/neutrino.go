package profkit

/*
#include <profkit/profkit.h>

static pk_probe_query pkgo_probe_query(void) { pk_probe_query q = PK_PROBE_QUERY_INIT; return q; }
*/
import "C"

import (
	"context"
	"io"
	"sync"
	"unsafe"
)

// ProbeTrace is an opened Neutrino trace: what probes recorded inside GPU kernels.
type ProbeTrace struct{ h *handle }

// Record is one that was written. Values has its fields in the order of RecordMap.Fields.
type Record struct {
	Block    uint64
	HasBlock bool
	Lane, K  uint64
	Values   []uint64
}

// Neutrino opens the Neutrino trace of the capture: ErrNotFound when it has none.
func (p *Profile) Neutrino(tool ProbeTool) (*ProbeTrace, error) {
	var out *C.pk_probe
	err := get(p.h, func(object *C.pk_profile, raw **C.pk_error) C.pk_status {
		return C.pk_probe_open(object, C.int32_t(tool), &out, raw)
	})
	if err != nil {
		return nil, err
	}
	return &ProbeTrace{newHandle(unsafe.Pointer(out), func(raw unsafe.Pointer) { C.pk_probe_free((*C.pk_probe)(raw)) })}, nil
}

// Close frees the trace; records that were opened keep it.
func (t *ProbeTrace) Close() { t.h.close() }

// Launches are in the order of the log.
func (t *ProbeTrace) Launches() ([]Launch, error) { return allOf(rowsFrom[Launch](t.open)) }

// Files are the record files, by elapsed time.
func (t *ProbeTrace) Files() ([]RecordFile, error) {
	var made []RecordFile
	err := t.h.use(func(object unsafe.Pointer) error {
		probe := (*C.pk_probe)(object)
		for at, count := C.size_t(0), C.pk_probe_bin_count(probe); at < count; at++ {
			var row C.pk_probe_bin
			var raw *C.pk_error
			if err := failure(C.pk_probe_bin_get(probe, at, &row, &raw), raw); err != nil {
				return err
			}
			var damage error
			if why := C.pk_probe_bin_damage(probe, at); why != nil {
				damage = errorOf(C.pk_error_code(why), (*C.pk_error)(unsafe.Pointer(why)))
			}
			made = append(made, recordFileOf(&row, damage))
		}
		return nil
	})
	return made, err
}

// Map is one map of a record file.
func (t *ProbeTrace) Map(file, position int) (RecordMap, error) {
	var made RecordMap
	err := t.h.use(func(object unsafe.Pointer) error {
		probe := (*C.pk_probe)(object)
		var row C.pk_probe_map
		var raw *C.pk_error
		status := C.pk_probe_map_get(probe, C.size_t(file), C.uint32_t(position), &row, &raw)
		if err := failure(status, raw); err != nil {
			return err
		}
		var flags []string
		var fields []RecordField
		for bit := 0; bit < 32; bit++ {
			if row.flags>>bit&1 != 0 {
				flags = append(flags, C.GoString(C.pk_probe_flag_name(1<<bit)))
			}
		}
		for at := C.uint32_t(0); at < row.field_count; at++ {
			var field C.pk_probe_field
			status := C.pk_probe_field_get(probe, C.size_t(file), C.uint32_t(position), at, &field, &raw)
			if err := failure(status, raw); err != nil {
				return err
			}
			fields = append(fields, recordFieldOf(&field))
		}
		made = recordMapOf(&row, flags, fields)
		return nil
	})
	return made, err
}

// Records gives the records of a map that were written, block by block and lane by lane.
func (t *ProbeTrace) Records(file, position int) *Rows[Record] {
	layout, err := t.Map(file, position)
	if err != nil {
		return failed[Record](err)
	}
	out, err := t.openRecords(file, position)
	if err != nil {
		return failed[Record](err)
	}
	records := recordsHandle(out)
	var turn sync.Mutex
	return converted(records, func(object unsafe.Pointer, _ uint64, rows *C.pk_probe_record, capacity int) (int, error) {
		turn.Lock()
		defer turn.Unlock()
		var count C.size_t
		var raw *C.pk_error
		status := C.pk_probe_records_read((*C.pk_probe_records)(object), rows, C.size_t(capacity), &count, &raw)
		return int(count), failure(status, raw)
	}, func(row *C.pk_probe_record) Record { return recordOf(row, &layout) })
}

func recordsHandle(raw *C.pk_probe_records) *handle {
	return newHandle(unsafe.Pointer(raw), func(raw unsafe.Pointer) { C.pk_probe_records_free((*C.pk_probe_records)(raw)) })
}

func recordOf(row *C.pk_probe_record, layout *RecordMap) Record {
	made := Record{uint64(row.block), row.block != C.PK_PROBE_NO_BLOCK, uint64(row.lane), uint64(row.k),
		make([]uint64, len(layout.Fields))}
	data := unsafe.Slice((*byte)(row.data), layout.RecordBytes)
	for at, field := range layout.Fields {
		for byteAt := field.Bytes - 1; byteAt >= 0; byteAt-- {
			made.Values[at] = made.Values[at]<<8 | uint64(data[field.Offset+byteAt])
		}
	}
	return made
}

// Lanes gives any record of a map at once, by its place.
type Lanes struct {
	h      *handle
	layout RecordMap
}

// Lanes opens the records of a map for Lanes.At.
func (t *ProbeTrace) Lanes(file, position int) (*Lanes, error) {
	layout, err := t.Map(file, position)
	if err != nil {
		return nil, err
	}
	out, err := t.openRecords(file, position)
	if err != nil {
		return nil, err
	}
	return &Lanes{recordsHandle(out), layout}, nil
}

// Close frees the records.
func (l *Lanes) Close() { l.h.close() }

// At is record k of a lane, written or not; found is false when there is none. UnknownBlock is the block that is not known.
func (l *Lanes) At(block, lane, k uint64) (record Record, found bool, err error) {
	err = l.h.use(func(object unsafe.Pointer) error {
		var row C.pk_probe_record
		var raw *C.pk_error
		status := C.pk_probe_record_get((*C.pk_probe_records)(object), C.uint64_t(block), C.uint64_t(lane), C.uint64_t(k),
			&row, &raw)
		if found = status == C.PK_OK; found {
			record = recordOf(&row, &l.layout)
		}
		return failure(status, raw)
	})
	return record, found, err
}

// UnknownBlock is Record.Block when the block is not known.
const UnknownBlock uint64 = C.PK_PROBE_NO_BLOCK

func (t *ProbeTrace) openRecords(file, position int) (*C.pk_probe_records, error) {
	var out *C.pk_probe_records
	err := t.h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		return failure(C.pk_probe_records_open((*C.pk_probe)(object), C.size_t(file), C.uint32_t(position), &out, &raw), raw)
	})
	return out, err
}

// ProbeQuery says what to look at.
type ProbeQuery struct {
	Slice         ProbeSlice
	Launch        string      // number of a launch, or name of a record file
	Map           string      // name of a map, or its number
	Block, Lane   *uint64     // only their records
	Limit         *uint64     // rows a list; 0: all; nil: the command's default
	Width, Height int         // of the density's grid; 0: 16 columns, 10 rows, of a picture 160 and 100
	Format        ProbeFormat // ProbeSVG: of a schedule or a density
	Title         string      // of a picture
	Hooks         Hooks
}

// WriteDocument writes what `profkit neutrino PATH SLICE` writes with --json, --csv or --svg.
func (t *ProbeTrace) WriteDocument(ctx context.Context, to io.Writer, query ProbeQuery) (DocumentStatus, error) {
	var status C.int32_t
	err := calling(ctx, query.Hooks, to, func(memory *arena, hooks *C.pk_hooks, user unsafe.Pointer) error {
		given := (*C.pk_probe_query)(memory.alloc(unsafe.Sizeof(C.pk_probe_query{})))
		*given = C.pkgo_probe_query()
		given.slice = C.int32_t(query.Slice)
		given.launch, given._map = memory.text(query.Launch), memory.text(query.Map)
		if query.Block != nil {
			given.flags |= C.PK_PROBE_QUERY_HAS_BLOCK
			given.block = C.uint64_t(*query.Block)
		}
		if query.Lane != nil {
			given.flags |= C.PK_PROBE_QUERY_HAS_LANE
			given.lane = C.uint64_t(*query.Lane)
		}
		if query.Limit != nil {
			given.limit = limitOf(*query.Limit)
		}
		given.width, given.height = C.uint32_t(query.Width), C.uint32_t(query.Height)
		given.format, given.title = C.int32_t(query.Format), memory.text(query.Title)
		given.hooks = hooks
		return t.h.use(func(object unsafe.Pointer) error {
			var raw *C.pk_error
			return failure(C.pk_probe_write((*C.pk_probe)(object), given, writer(), user, &status, &raw), raw)
		})
	})
	return DocumentStatus(status), err
}
