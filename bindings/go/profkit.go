// Package profkit opens any profile that an ML accelerator leaves behind and says what happened.
//
// Lists are iterators of the form func(yield func(T) bool): call them with a function that gives false to stop, or, from
// Go 1.23 on, range over them.
//
//	profile, err := profkit.Open("vm.xplane.pb")
//	if err != nil { … }
//	defer profile.Close()
//	for plane := range profile.Planes() {
//		for line := range plane.Lines() {
//			fmt.Println(plane.Name(), line.Name())
//		}
//	}
//
// Times are int64 picoseconds relative to the capture's origin, unless a name ends in Ns. A damaged capture opens:
// File.Damage says what was lost, and an iterator that can fail gives an error after everything that was intact.
//
// Close frees a profile at once; without it the garbage collector does. What was taken from it keeps it alive, and text is
// copied into Go strings. A profile may be read by any number of goroutines.
package profkit

/*
#cgo pkg-config: profkit
#include <profkit/profkit.h>
#include <stdlib.h>

// Of static text.
static const char *pkgo_status_name(pk_status s) { return pk_status_name(s); }
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// Version is that of the library that was loaded: "0.1.0".
func Version() string { return C.GoString(C.pk_version_string()) }

// Error says what went wrong, where, and what to do.
type Error struct {
	// Status is a negative PK_E_ value of the C ABI.
	Status int
	// Code is the status as JSON error documents have it: "damaged", "not_found".
	Code string
	// Message says what happened and what was expected, in one line.
	Message string
	// Path or label of the input; "" when none is involved.
	Path string
	// ByteOffset is the position in the decoded bytes of Path; -1 when it is not known.
	ByteOffset int64
	// Hint says what to do next; "" when there is nothing to advise.
	Hint string

	cause   error
	written *handle // what the library wrote; nil for what this package found out, or was told by a handle
}

func (e *Error) Error() string {
	return e.Message
}

// Unwrap gives the context's error when a context stopped the work, and the writer's when that failed.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is(err, profkit.ErrNotFound) and so on true for errors of the same status.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Status == e.Status && other.Message == ""
}

// Kinds of errors, for errors.Is.
var (
	ErrInvalidArgument = &Error{Status: C.PK_E_INVALID_ARGUMENT, Code: "invalid_argument"}
	ErrUnsupported     = &Error{Status: C.PK_E_UNSUPPORTED, Code: "unsupported"}
	ErrCancelled       = &Error{Status: C.PK_E_CANCELLED, Code: "cancelled"}
	ErrNotFound        = &Error{Status: C.PK_E_NOT_FOUND, Code: "not_found"}
	ErrPermission      = &Error{Status: C.PK_E_PERMISSION, Code: "permission"}
	ErrIO              = &Error{Status: C.PK_E_IO, Code: "io"}
	ErrDamaged         = &Error{Status: C.PK_E_DAMAGED, Code: "damaged"}
	ErrUnrecognised    = &Error{Status: C.PK_E_UNRECOGNISED, Code: "unrecognised"}
	ErrLimit           = &Error{Status: C.PK_E_LIMIT, Code: "limit"}
	ErrOutput          = &Error{Status: C.PK_E_OUTPUT, Code: "output"}
)

// ErrClosed is what the use of a closed handle gives.
var ErrClosed = errors.New("profkit: the handle was closed")

func errorOf(status C.pk_status, raw *C.pk_error) *Error {
	made := &Error{Status: int(status), Code: C.GoString(C.pkgo_status_name(status)), ByteOffset: -1}
	if raw == nil {
		made.Message = made.Code
		return made
	}
	made.Message = C.GoString(C.pk_error_message(raw))
	made.Path = C.GoString(C.pk_error_path(raw))
	made.Hint = C.GoString(C.pk_error_hint(raw))
	if offset := uint64(C.pk_error_byte_offset(raw)); offset != ^uint64(0) {
		made.ByteOffset = int64(offset)
	}
	return made
}

// failure takes over what a call wrote. It is nil for PK_OK and PK_END.
func failure(status C.pk_status, raw *C.pk_error) error {
	if status >= 0 {
		return nil
	}
	made := errorOf(status, raw)
	if raw != nil {
		made.written = newHandle(unsafe.Pointer(raw), func(raw unsafe.Pointer) { C.pk_error_free((*C.pk_error)(raw)) })
	}
	return made
}

func text(s C.pk_str) string {
	if s.size == 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(s.data)), int(s.size)))
}

// arena is C memory that lives as long as a call: option structs, and what they point to.
type arena []unsafe.Pointer

func (a *arena) alloc(size uintptr) unsafe.Pointer {
	made := C.calloc(1, C.size_t(size))
	*a = append(*a, made)
	return made
}

// text is NULL for "".
func (a *arena) text(value string) *C.char {
	if value == "" {
		return nil
	}
	made := C.CString(value)
	*a = append(*a, unsafe.Pointer(made))
	return made
}

// path is a text that must be one, be it "".
func (a *arena) path(value string) *C.char {
	if value == "" {
		return (*C.char)(a.alloc(1))
	}
	return a.text(value)
}

func (a *arena) texts(values []string) **C.char {
	if len(values) == 0 {
		return nil
	}
	made := (**C.char)(a.alloc(uintptr(len(values)) * unsafe.Sizeof((*C.char)(nil))))
	for at, into := 0, unsafe.Slice(made, len(values)); at < len(values); at++ {
		into[at] = a.text(values[at])
	}
	return made
}

// checkPaths refuses paths with a NUL: the part before it would name another file.
func checkPaths(paths ...string) error {
	for _, path := range paths {
		if strings.IndexByte(path, 0) >= 0 {
			return &Error{Status: ErrInvalidArgument.Status, Code: ErrInvalidArgument.Code, ByteOffset: -1,
				Message: fmt.Sprintf("there is a NUL byte in the path %q", path)}
		}
	}
	return nil
}

// checkLibrary refuses a library that is older than the header: the loader checks the names alone.
func checkLibrary(library uint32) error {
	const madeFor = C.PK_VERSION_MAJOR*1000000 + C.PK_VERSION_MINOR*1000
	if library >= madeFor {
		return nil
	}
	return &Error{Status: ErrUnsupported.Status, Code: ErrUnsupported.Code, ByteOffset: -1, Hint: "update libprofkit",
		Message: fmt.Sprintf("libprofkit %d.%d is older than %d.%d, which this package was made for", library/1000000,
			library/1000%1000, C.PK_VERSION_MAJOR, C.PK_VERSION_MINOR)}
}

func (a *arena) free() {
	for _, memory := range *a {
		C.free(memory)
	}
}

// handle is a C object that is freed by Close, or by the garbage collector, once nobody is inside a call with it.
type handle struct {
	mutex sync.Mutex
	raw   unsafe.Pointer
	free  func(unsafe.Pointer)
	users int
	gone  bool
	// What the profile reads through, when it owns that: it says why a read failed.
	reader *ownedReader
}

func newHandle(raw unsafe.Pointer, free func(unsafe.Pointer)) *handle {
	made := &handle{raw: raw, free: free}
	runtime.SetFinalizer(made, (*handle).close)
	return made
}

// enter keeps the object alive until leave. The zero value of a type has no handle: it counts as closed.
func (h *handle) enter() (unsafe.Pointer, error) {
	if h == nil {
		return nil, ErrClosed
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.gone {
		return nil, ErrClosed
	}
	h.users++
	return h.raw, nil
}

func (h *handle) leave() {
	h.mutex.Lock()
	h.users--
	last := h.gone && h.users == 0
	h.mutex.Unlock()
	if last {
		h.free(h.raw)
	}
	runtime.KeepAlive(h)
}

func (h *handle) close() {
	if h == nil {
		return
	}
	h.mutex.Lock()
	first := !h.gone
	h.gone = true
	idle := h.users == 0
	h.mutex.Unlock()
	if first {
		runtime.SetFinalizer(h, nil)
		if idle {
			h.free(h.raw)
		}
	}
}

// use runs a function with the object.
func (h *handle) use(run func(raw unsafe.Pointer) error) error {
	raw, err := h.enter()
	if err != nil {
		return err
	}
	defer h.leave()
	if h.reader == nil {
		return run(raw)
	}
	before := h.reader.failures()
	return h.reader.explain(run(raw), before)
}

// filters say which part of a capture to look at; of devices Plane is the name, of steps Name.
type filters struct {
	Host, Plane, Line, Name string
	Step                    *uint64
	FromPs, ToPs            *int64
}

// filtersOf are the C ABI's.
func filtersOf(memory *arena, given filters) unsafe.Pointer {
	made := (*C.pk_filters)(memory.alloc(unsafe.Sizeof(C.pk_filters{})))
	made.struct_size = C.uint32_t(unsafe.Sizeof(C.pk_filters{}))
	made.host, made.plane = memory.text(given.Host), memory.text(given.Plane)
	made.line, made.name = memory.text(given.Line), memory.text(given.Name)
	if given.Step != nil {
		made.flags |= C.PK_FILTER_HAS_STEP
		made.step = C.uint64_t(*given.Step)
	}
	if given.FromPs != nil {
		made.flags |= C.PK_FILTER_HAS_FROM
		made.from_ps = C.int64_t(*given.FromPs)
	}
	if given.ToPs != nil {
		made.flags |= C.PK_FILTER_HAS_TO
		made.to_ps = C.int64_t(*given.ToPs)
	}
	return unsafe.Pointer(made)
}

// limitOf is a limit as the C ABI has it, where 0 is the default and not all.
func limitOf(given uint64) C.uint64_t {
	if given == 0 {
		return C.PK_LIMIT_NONE
	}
	return C.uint64_t(given)
}

func flag(given bool, bit C.uint32_t) C.uint32_t {
	if given {
		return bit
	}
	return 0
}

// Rows are read in batches, once. Err tells, after the loop, why it ended.
type Rows[T any] struct {
	fill func([]T) (int, error)
	err  error
	done bool
}

// batchRows is how many rows cross the boundary at once.
const batchRows = 256

// Batches gives the rows in slices, which are valid until the next one: the fastest way to go over all of them.
func (r *Rows[T]) Batches() func(yield func([]T) bool) {
	return func(yield func([]T) bool) {
		buffer := make([]T, batchRows)
		for !r.done {
			count, err := r.fill(buffer)
			if err != nil || count == 0 {
				r.err, r.done = err, true
				return
			}
			if !yield(buffer[:count]) {
				return
			}
		}
	}
}

// All gives one row after another. After a loop that was left early the next one goes on with the next batch.
func (r *Rows[T]) All() func(yield func(T) bool) {
	return func(yield func(T) bool) {
		r.Batches()(func(batch []T) bool {
			for at := range batch {
				if !yield(batch[at]) {
					return false
				}
			}
			return true
		})
	}
}

// Err is nil when the rows ended where they should. It is set after every row before the damage was given.
func (r *Rows[T]) Err() error { return r.err }

// failed are rows that never were.
func failed[T any](err error) *Rows[T] { return &Rows[T]{err: err, done: true} }

// converted reads rows of the C ABI and makes them Go's: `read` fills `raw` from a position on.
func converted[Raw, T any](h *handle, read func(object unsafe.Pointer, first uint64, raw *Raw, capacity int) (int, error),
	convert func(*Raw) T) *Rows[T] {
	raw := make([]Raw, batchRows)
	var first uint64
	return &Rows[T]{fill: func(into []T) (int, error) {
		count := 0
		err := h.use(func(object unsafe.Pointer) error {
			var why error
			count, why = read(object, first, &raw[0], len(raw))
			for at := 0; at < count; at++ { // text is borrowed: it is copied while the object is in use
				into[at] = convert(&raw[at])
			}
			return why
		})
		first += uint64(count)
		return count, err
	}}
}
