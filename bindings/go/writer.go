package profkit

/*
#include <profkit/profkit.h>
#include <stdlib.h>

// Go's text is no pk_str: it comes as bytes and a length.
static pk_str pkgo_str(const void *data, size_t size) { pk_str s; s.data = (const char *)data; s.size = size; return s; }
static void pkgo_note(pk_xspace_writer *w, int32_t kind, const void *d, size_t n) { pk_xspace_writer_note(w, kind, pkgo_str(d, n)); }
static void pkgo_begin_plane(pk_xspace_writer *w, const void *d, size_t n, int64_t id) { pk_xspace_writer_begin_plane(w, pkgo_str(d, n), id); }
static void pkgo_begin_line(pk_xspace_writer *w, int64_t id, const void *d, size_t n, int64_t t) { pk_xspace_writer_begin_line(w, id, pkgo_str(d, n), t); }
static int64_t pkgo_event_name(pk_xspace_writer *w, const void *d, size_t n, const void *d2, size_t n2) {
  return pk_xspace_writer_event_metadata(w, pkgo_str(d, n), pkgo_str(d2, n2));
}
static int64_t pkgo_stat_name(pk_xspace_writer *w, const void *d, size_t n) { return pk_xspace_writer_stat_metadata(w, pkgo_str(d, n)); }
// What a stat is of: an event's metadata entry, the plane, the event that was added last.
enum { PKGO_OF_METADATA, PKGO_OF_PLANE, PKGO_OF_EVENT };
static void pkgo_stat(pk_xspace_writer *w, int of, int64_t event, int64_t stat, int32_t kind, uint64_t bits, const void *d, size_t n) {
  pk_value v;
  v.kind = kind;
  v.reserved = 0;
  v.bits = bits;
  v.text = pkgo_str(d, n);
  if (of == PKGO_OF_METADATA) pk_xspace_writer_metadata_stat(w, event, stat, &v);
  if (of == PKGO_OF_PLANE) pk_xspace_writer_plane_stat(w, stat, &v);
  if (of == PKGO_OF_EVENT) pk_xspace_writer_event_stat(w, stat, &v);
}
*/
import "C"

import (
	"fmt"
	"io"
	"math"
	"runtime/cgo"
	"unsafe"
)

// NameID is the id of a name of the open plane: of an event, or of a stat.
type NameID int64

// XSpaceWriter writes an XSpace plane by plane, for profilers of one's own:
//
//	BeginPlane { BeginLine { Event  EventStat* }*  EndLine }*  PlaneStat*  EndPlane,  then Finish
//
// Calls that return nothing keep the first failure, after which they do nothing; Finish tells it. One goroutine at a time.
type XSpaceWriter struct {
	h     *handle
	state *call
	wrong error // of a value that is no stat
}

// WriterOptions say how an XSpace is written.
type WriterOptions struct {
	Gzip          bool   // compress what is written
	Threads       int    // that compress; 0 and 1: the calling one
	MaxPlaneBytes uint64 // the most that an open plane may take in memory; 0: no bound. More is ErrLimit
}

func writerOptions(memory *arena, options WriterOptions) *C.pk_writer_options {
	hooks := (*C.pk_hooks)(memory.alloc(unsafe.Sizeof(C.pk_hooks{})))
	hooks.struct_size, hooks.threads = C.uint32_t(unsafe.Sizeof(C.pk_hooks{})), C.uint32_t(options.Threads)
	given := (*C.pk_writer_options)(memory.alloc(unsafe.Sizeof(C.pk_writer_options{})))
	given.struct_size = C.uint32_t(unsafe.Sizeof(C.pk_writer_options{}))
	given.flags, given.max_plane_bytes = flag(options.Gzip, C.PK_WRITER_GZIP), C.uint64_t(options.MaxPlaneBytes)
	given.hooks = hooks
	return given
}

// CreateXSpace writes into a file, which appears under its name when Finish succeeds.
func CreateXSpace(path string) (*XSpaceWriter, error) { return CreateXSpaceWith(path, WriterOptions{}) }

// CreateXSpaceWith is CreateXSpace with options.
func CreateXSpaceWith(path string, options WriterOptions) (*XSpaceWriter, error) {
	if err := checkPaths(path); err != nil {
		return nil, err
	}
	var memory arena
	defer memory.free()
	var out *C.pk_xspace_writer
	var raw *C.pk_error
	if err := failure(C.pk_xspace_writer_open(writerOptions(&memory, options), memory.path(path), &out, &raw), raw); err != nil {
		return nil, err
	}
	return &XSpaceWriter{h: newHandle(unsafe.Pointer(out), freeWriter), state: &call{}}, nil
}

func freeWriter(raw unsafe.Pointer) { C.pk_xspace_writer_free((*C.pk_xspace_writer)(raw)) }

// NewXSpaceWriter writes into a writer.
func NewXSpaceWriter(to io.Writer) (*XSpaceWriter, error) {
	return NewXSpaceWriterWith(to, WriterOptions{})
}

// NewXSpaceWriterWith is NewXSpaceWriter with options.
func NewXSpaceWriterWith(to io.Writer, options WriterOptions) (*XSpaceWriter, error) {
	var memory arena
	defer memory.free()
	state := &call{to: to}
	user := (*cgo.Handle)(C.calloc(1, C.size_t(unsafe.Sizeof(cgo.Handle(0)))))
	*user = cgo.NewHandle(state)
	release := func() {
		user.Delete()
		C.free(unsafe.Pointer(user))
	}
	var out *C.pk_xspace_writer
	var raw *C.pk_error
	if err := failure(C.pk_xspace_writer_new(writerOptions(&memory, options), writer(), unsafe.Pointer(user), &out, &raw), raw); err != nil {
		release()
		return nil, err
	}
	return &XSpaceWriter{h: newHandle(unsafe.Pointer(out), func(raw unsafe.Pointer) {
		freeWriter(raw)
		release()
	}), state: state}, nil
}

// Close frees the writer. Without Finish before it, a file does not appear.
func (w *XSpaceWriter) Close() { w.h.close() }

func (w *XSpaceWriter) do(run func(raw *C.pk_xspace_writer)) {
	_ = w.h.use(func(object unsafe.Pointer) error {
		run((*C.pk_xspace_writer)(object))
		return nil
	})
	if w.state != nil && w.state.panicked != nil { // the writer's own trouble goes on here
		why := w.state.panicked
		w.state.panicked = nil
		w.Close()
		panic(why)
	}
}

// bytesOf is text for C, which reads it during the call.
func bytesOf[T string | []byte](value T) (unsafe.Pointer, C.size_t) {
	content := []byte(value)
	if len(content) == 0 {
		return nil, 0
	}
	return unsafe.Pointer(&content[0]), C.size_t(len(content))
}

// Hostname names a host that was profiled. Not while a plane is open.
func (w *XSpaceWriter) Hostname(name string) { w.note(C.PK_NOTE_HOSTNAME, name) }

// Warning keeps a remark. Not while a plane is open.
func (w *XSpaceWriter) Warning(remark string) { w.note(C.PK_NOTE_WARNING, remark) }

func (w *XSpaceWriter) note(kind C.int32_t, value string) {
	data, size := bytesOf(value)
	w.do(func(raw *C.pk_xspace_writer) { C.pkgo_note(raw, kind, data, size) })
}

// BeginPlane opens a plane.
func (w *XSpaceWriter) BeginPlane(name string, id int64) {
	data, size := bytesOf(name)
	w.do(func(raw *C.pk_xspace_writer) { C.pkgo_begin_plane(raw, data, size, C.int64_t(id)) })
}

// EndPlane ends it.
func (w *XSpaceWriter) EndPlane() {
	w.do(func(raw *C.pk_xspace_writer) { C.pk_xspace_writer_end_plane(raw) })
}

// EventName is the id of an event's name in the open plane, made when it is new. The display name may be "".
func (w *XSpaceWriter) EventName(name, displayName string) (id NameID) {
	data, size := bytesOf(name)
	shown, shownSize := bytesOf(displayName)
	w.do(func(raw *C.pk_xspace_writer) { id = NameID(C.pkgo_event_name(raw, data, size, shown, shownSize)) })
	return id
}

// StatName is the id of a stat's name in the open plane, made when it is new.
func (w *XSpaceWriter) StatName(name string) (id NameID) {
	data, size := bytesOf(name)
	w.do(func(raw *C.pk_xspace_writer) { id = NameID(C.pkgo_stat_name(raw, data, size)) })
	return id
}

// BeginLine opens a line. `timestampNs` is what the offsets of its events count from.
func (w *XSpaceWriter) BeginLine(name string, id, timestampNs int64) {
	data, size := bytesOf(name)
	w.do(func(raw *C.pk_xspace_writer) {
		C.pkgo_begin_line(raw, C.int64_t(id), data, size, C.int64_t(timestampNs))
	})
}

// EndLine ends it.
func (w *XSpaceWriter) EndLine() {
	w.do(func(raw *C.pk_xspace_writer) { C.pk_xspace_writer_end_line(raw) })
}

// Event adds an event to the open line.
func (w *XSpaceWriter) Event(name NameID, offsetPs, durationPs int64) {
	w.do(func(raw *C.pk_xspace_writer) {
		C.pk_xspace_writer_event(raw, C.int64_t(name), C.int64_t(offsetPs), C.int64_t(durationPs))
	})
}

// EventStat is a fact of the event that was added last. The value is an int, int64, uint64, float64, string or []byte.
func (w *XSpaceWriter) EventStat(stat NameID, value any) { w.stat(C.PKGO_OF_EVENT, 0, stat, value) }

// PlaneStat is a fact of the open plane.
func (w *XSpaceWriter) PlaneStat(stat NameID, value any) { w.stat(C.PKGO_OF_PLANE, 0, stat, value) }

// MetadataStat is a fact that all events of a name share.
func (w *XSpaceWriter) MetadataStat(event, stat NameID, value any) {
	w.stat(C.PKGO_OF_METADATA, event, stat, value)
}

func (w *XSpaceWriter) stat(of C.int, event, stat NameID, value any) {
	var kind C.int32_t
	var bits uint64
	var data unsafe.Pointer
	var size C.size_t
	switch given := value.(type) {
	case int:
		kind, bits = C.PK_VALUE_INT64, uint64(given)
	case int64:
		kind, bits = C.PK_VALUE_INT64, uint64(given)
	case uint64:
		kind, bits = C.PK_VALUE_UINT64, given
	case float64:
		kind, bits = C.PK_VALUE_DOUBLE, math.Float64bits(given)
	case string:
		kind = C.PK_VALUE_TEXT
		data, size = bytesOf(given)
	case []byte:
		kind = C.PK_VALUE_BYTES
		data, size = bytesOf(given)
	default:
		if w.wrong == nil {
			w.wrong = &Error{Status: ErrInvalidArgument.Status, Code: ErrInvalidArgument.Code, ByteOffset: -1,
				Message: fmt.Sprintf("a %T is no value of a stat", value)}
		}
		return
	}
	w.do(func(raw *C.pk_xspace_writer) {
		C.pkgo_stat(raw, of, C.int64_t(event), C.int64_t(stat), kind, C.uint64_t(bits), data, size)
	})
}

// Finish ends what is open, completes the output and gives the first failure of any call before. Then Close it.
func (w *XSpaceWriter) Finish() error {
	if w.wrong != nil {
		w.Close()
		return w.wrong
	}
	err := ErrClosed
	w.do(func(object *C.pk_xspace_writer) {
		var raw *C.pk_error
		err = failure(C.pk_xspace_writer_finish(object, &raw), raw)
	})
	if w.state != nil && w.state.failed != nil {
		return &Error{Status: ErrOutput.Status, Code: ErrOutput.Code, Message: w.state.failed.Error(), ByteOffset: -1,
			cause: w.state.failed}
	}
	return err
}
