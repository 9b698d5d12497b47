package profkit

/*
#include <profkit/profkit.h>
#include <stdlib.h>
#include <string.h>

extern int32_t pkgoPushPlaneBegin(void *user, void *plane);
extern int32_t pkgoPushLineBegin(void *user, void *line);
extern int32_t pkgoPushEvents(void *user, void *line, void *events, size_t count);
extern int32_t pkgoPushLineEnd(void *user, void *line);
extern int32_t pkgoPushPlaneEnd(void *user, uint32_t plane, void *rest);
extern int32_t pkgoPushNote(void *user, int32_t kind, void *text);
extern int32_t pkgoPushDamage(void *user, void *why);

static int32_t plane_begin(void *user, const pk_pushed_plane *plane) { return pkgoPushPlaneBegin(user, (void *)plane); }
static int32_t line_begin(void *user, const pk_pushed_line *line) { return pkgoPushLineBegin(user, (void *)line); }
static int32_t events(void *user, const pk_pushed_line *line, const pk_event *rows, size_t count) {
  return pkgoPushEvents(user, (void *)line, (void *)rows, count);
}
static int32_t line_end(void *user, const pk_pushed_line *line) { return pkgoPushLineEnd(user, (void *)line); }
static int32_t plane_end(void *user, uint32_t plane, pk_profile *rest) { return pkgoPushPlaneEnd(user, plane, rest); }
static int32_t note(void *user, int32_t kind, const pk_str *text) { return pkgoPushNote(user, kind, (void *)text); }
static int32_t damage(void *user, const pk_error *why) { return pkgoPushDamage(user, (void *)why); }

static pk_push_callbacks pkgo_push_callbacks(void *user) {
  pk_push_callbacks c = PK_PUSH_CALLBACKS_INIT;
  c.user = user;
  c.plane_begin = plane_begin;
  c.line_begin = line_begin;
  c.events = events;
  c.line_end = line_end;
  c.plane_end = plane_end;
  c.note = note;
  c.damage = damage;
  return c;
}
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// PushVisitor takes a capture that is pushed: planes one after the other, and their lines one after the other. What is nil
// is not called. An error ends the reading and comes out of Write or Finish.
type PushVisitor struct {
	PlaneBegin func(PushedPlane) error
	LineBegin  func(PushedLine) error
	// Events are borrowed for the call, and so are their stats: Event.RawStats copies them. Their names are those of their
	// MetadataID, which PlaneEnd knows; StartPs is not known.
	Events  func(PushedLine, []Event) error
	LineEnd func(PushedLine) error
	// PlaneEnd is given the position of a plane, and a profile with a file of that plane alone, without its events, which the
	// visitor closes when it wants.
	PlaneEnd func(plane int, rest *Profile) error
	Note     func(NoteKind, string) error
	// Damage is told what is damaged. What is intact around it comes nevertheless.
	Damage func(error) error
}

// PushOptions say how a pushed capture is read.
type PushOptions struct {
	Label  string // stands for the path in messages
	Limits Limits // MaxMaterialisedBytes: of an event or entry that is not all there, and of the rest of a plane
}

// PushReader takes the bytes of an XSpace as they arrive, plain, gzip or zstd, and hands its events on meanwhile. It is an
// io.Writer, so that io.Copy(reader, connection) does it. One goroutine at a time.
type PushReader struct {
	h     *handle
	state *pushState
}

type pushState struct {
	visitor  PushVisitor
	failed   error
	panicked any
}

// NewPushReader makes a reader.
func NewPushReader(visitor PushVisitor, options PushOptions) (*PushReader, error) {
	var memory arena
	defer memory.free()
	state := &pushState{visitor: visitor}
	user := (*cgo.Handle)(C.calloc(1, C.size_t(unsafe.Sizeof(cgo.Handle(0)))))
	*user = cgo.NewHandle(state)
	release := func() {
		user.Delete()
		C.free(unsafe.Pointer(user))
	}
	callbacks := (*C.pk_push_callbacks)(memory.alloc(unsafe.Sizeof(C.pk_push_callbacks{})))
	*callbacks = C.pkgo_push_callbacks(unsafe.Pointer(user))
	given := (*C.pk_push_options)(memory.alloc(unsafe.Sizeof(C.pk_push_options{})))
	given.struct_size = C.uint32_t(unsafe.Sizeof(C.pk_push_options{}))
	given.label.data, given.label.size = memory.text(options.Label), C.size_t(len(options.Label))
	given.limits = (*C.pk_limits)(limitsOf(&memory, options.Limits))
	var out *C.pk_xspace_push
	var raw *C.pk_error
	if err := failure(C.pk_xspace_push_new(callbacks, given, &out, &raw), raw); err != nil {
		release()
		return nil, err
	}
	return &PushReader{h: newHandle(unsafe.Pointer(out), func(raw unsafe.Pointer) {
		C.pk_xspace_push_free((*C.pk_xspace_push)(raw))
		release()
	}), state: state}, nil
}

// Close frees the reader. Without Finish before it, what is open does not end.
func (r *PushReader) Close() { r.h.close() }

// Write takes the next bytes, as many as there are. Damage is no error here: the visitor is told, and Finish fails.
func (r *PushReader) Write(bytes []byte) (int, error) {
	if len(bytes) == 0 {
		return 0, nil
	}
	err := r.do(func(object *C.pk_xspace_push, raw **C.pk_error) C.pk_status {
		return C.pk_xspace_push_bytes(object, unsafe.Pointer(&bytes[0]), C.size_t(len(bytes)), raw)
	})
	if err != nil {
		return 0, err
	}
	return len(bytes), nil
}

// Finish says that no more bytes come. Of a capture that was cut or damaged it gives ErrDamaged with the place that lies first.
func (r *PushReader) Finish() error {
	return r.do(func(object *C.pk_xspace_push, raw **C.pk_error) C.pk_status {
		return C.pk_xspace_push_finish(object, raw)
	})
}

func (r *PushReader) do(call func(*C.pk_xspace_push, **C.pk_error) C.pk_status) error {
	return r.h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		err := failure(call((*C.pk_xspace_push)(object), &raw), raw)
		if why := r.state.panicked; why != nil {
			r.state.panicked = nil
			panic(why)
		}
		if err != nil && r.state.failed != nil {
			return r.state.failed
		}
		return err
	})
}

// RawStats are the event's own stats as they stand in the capture, for DecodeStats.
func (e Event) RawStats() []byte {
	row := (*C.pk_event)(unsafe.Pointer(&e))
	return append([]byte(nil), unsafe.Slice((*byte)(row.stats), int(row.stats_bytes))...)
}

// DecodeStats reads what RawStats gave. Without the plane of the event, names and texts that are references are "".
func DecodeStats(raw []byte, plane *Plane) ([]Stat, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	held := C.CBytes(raw)
	defer C.free(held)
	if plane == nil {
		return decodeStats(held, len(raw), nil, 0, 0)
	}
	var made []Stat
	err := plane.h.use(func(object unsafe.Pointer) (err error) {
		made, err = decodeStats(held, len(raw), (*C.pk_profile)(object), plane.file, plane.plane)
		return err
	})
	return made, err
}

func decodeStats(held unsafe.Pointer, size int, names *C.pk_profile, file, plane C.uint32_t) ([]Stat, error) {
	cursor := (*C.pk_stat_cursor)(C.calloc(1, C.sizeof_pk_stat_cursor))
	defer C.free(unsafe.Pointer(cursor))
	var raw *C.pk_error
	status := C.pk_stats_begin(held, C.size_t(size), names, file, plane, cursor, &raw)
	var made []Stat
	for status == C.PK_OK {
		var row C.pk_stat
		if status = C.pk_stat_next(cursor, &row, &raw); status == C.PK_OK {
			made = append(made, statOf(&row))
		}
	}
	return made, failure(status, raw)
}
