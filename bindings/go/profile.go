package profkit

/*
#include <profkit/profkit.h>
#include <stdlib.h>

extern int64_t pkgoReadAt(void *user, uint64_t offset, void *into, size_t size);
extern int64_t pkgoReadOwned(void *user, uint64_t offset, void *into, size_t size);
extern void pkgoEndOwned(void *user);

static pk_read_callbacks pkgo_owned_callbacks(void *user) {
  pk_read_callbacks c = PK_READ_CALLBACKS_INIT;
  c.user = user;
  c.read_at = pkgoReadOwned;
  c.release = pkgoEndOwned;
  return c;
}
static pk_read_callbacks pkgo_read_callbacks(void *user) {
  pk_read_callbacks c = PK_READ_CALLBACKS_INIT;
  c.user = user;
  c.read_at = pkgoReadAt;
  return c;
}
static pk_open_options pkgo_open_options(void) { pk_open_options o = PK_OPEN_OPTIONS_INIT; return o; }
static pk_limits pkgo_limits(void) { pk_limits l = PK_LIMITS_INIT; return l; }
static pk_dump_options pkgo_dump_options(void) { pk_dump_options o = PK_DUMP_OPTIONS_INIT; return o; }
static pk_document_options pkgo_document_options(void) { pk_document_options o = PK_DOCUMENT_OPTIONS_INIT; return o; }
*/
import "C"

import (
	"bytes"
	"context"
	"io"
	"math"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// Profile is an opened capture: its files, mapped or decoded, and indexed.
type Profile struct{ h *handle }

// Limits bound what hostile or broken input can make the library do. 0 is the default, math.MaxUint64 no bound.
type Limits struct {
	MaxNesting            uint32
	MaxMaterialisedBytes  uint64
	MaxDecompressionRatio uint64
	RatioFreeBytes        uint64
	MaxStringBytes        uint64
	MaxFiles              uint64
}

// limitsOf are the C ABI's.
func limitsOf(memory *arena, limits Limits) unsafe.Pointer {
	given := (*C.pk_limits)(memory.alloc(unsafe.Sizeof(C.pk_limits{})))
	*given = C.pkgo_limits()
	given.max_nesting = C.uint32_t(limits.MaxNesting)
	given.max_materialised_bytes = C.uint64_t(limits.MaxMaterialisedBytes)
	given.max_decompression_ratio = C.uint64_t(limits.MaxDecompressionRatio)
	given.ratio_free_bytes = C.uint64_t(limits.RatioFreeBytes)
	given.max_string_bytes = C.uint64_t(limits.MaxStringBytes)
	given.max_files = C.uint64_t(limits.MaxFiles)
	return unsafe.Pointer(given)
}

// OpenOptions say how to open a capture.
type OpenOptions struct {
	IO            IO
	Run           string // in a parent of runs: "" for the newest, "all", or a folder name
	Limits        Limits
	StandardInput bool   // the path "-" is standard input; else it is refused
	OnePass       bool   // only the documents info and ops will be asked for
	Host          string // of bytes and readers: the name of the machine, which counts before what the file says
	Rank          *int32 // of bytes and readers: the rank in its run
	Redact        bool   // aliases for what is not public; WriteRedaction says what was replaced
	Hooks         Hooks
}

// Open opens a file ("-": OpenOptions.StandardInput), a run directory, or a parent of runs.
func Open(path string) (*Profile, error) { return OpenContext(nil, path, OpenOptions{}) } //nolint:staticcheck

// OpenContext is Open with options. The context may be nil; its end stops the work.
func OpenContext(ctx context.Context, path string, options OpenOptions) (*Profile, error) {
	if err := checkPaths(path); err != nil {
		return nil, err
	}
	return opened(ctx, options, 0, func(memory *arena, given *C.pk_open_options, out **C.pk_profile, raw **C.pk_error) C.pk_status {
		return C.pk_profile_open(memory.path(path), given, out, raw)
	})
}

// OpenBytes opens one file that lies in memory; it is copied. The label stands for the path in messages and helps to
// recognise the format ("vm.xplane.pb").
func OpenBytes(data []byte, label string, options OpenOptions) (*Profile, error) {
	return opened(nil, options, C.PK_OPEN_COPY,
		func(memory *arena, given *C.pk_open_options, out **C.pk_profile, raw **C.pk_error) C.pk_status {
			var first unsafe.Pointer
			if len(data) > 0 {
				first = unsafe.Pointer(&data[0])
			}
			return C.pk_profile_open_buffer(first, C.size_t(len(data)), memory.text(label), given, out, raw)
		})
}

// OpenReaderAt opens one file through positioned reads, which come during this call only. `size` is that of the whole
// input, still compressed; -1 when it is not known. The label is as for OpenBytes.
func OpenReaderAt(ctx context.Context, from io.ReaderAt, size int64, label string, options OpenOptions) (*Profile, error) {
	if options.OnePass {
		return nil, &Error{Status: ErrInvalidArgument.Status, Code: ErrInvalidArgument.Code, ByteOffset: -1,
			Message: "documents read again when they are asked for, which a reader of one call does not last for: OpenOwned takes one over"}
	}
	state := &call{from: from}
	made, err := opened(ctx, options, 0,
		func(memory *arena, given *C.pk_open_options, out **C.pk_profile, raw **C.pk_error) C.pk_status {
			user := (*cgo.Handle)(memory.alloc(unsafe.Sizeof(cgo.Handle(0))))
			*user = cgo.NewHandle(state)
			defer user.Delete()
			callbacks := (*C.pk_read_callbacks)(memory.alloc(unsafe.Sizeof(C.pk_read_callbacks{})))
			*callbacks = C.pkgo_read_callbacks(unsafe.Pointer(user))
			if size >= 0 {
				callbacks.size_bytes = C.uint64_t(size)
			}
			return C.pk_profile_open_callbacks(callbacks, memory.text(label), given, out, raw)
		})
	if state.panicked != nil {
		panic(state.panicked)
	}
	if state.failed != nil {
		return nil, &Error{Status: ErrIO.Status, Code: ErrIO.Code, Message: state.failed.Error(), Path: label, ByteOffset: -1,
			cause: state.failed}
	}
	return made, err
}

// ReaderAtCloser is what OpenOwned takes: an *os.File is one.
type ReaderAtCloser interface {
	io.ReaderAt
	io.Closer
}

// OpenOwned opens one file through a reader that the profile owns. With OpenOptions.OnePass each document reads anew when it is
// asked for, through a window, and the reader is closed when the profile and all that was made of it is gone; without, before
// this returns. It is closed once, also when opening fails. What it fails or panics with, here and later, is an ErrIO that wraps
// it. The size and the label are as for OpenReaderAt.
func OpenOwned(ctx context.Context, from ReaderAtCloser, size int64, label string, options OpenOptions) (*Profile, error) {
	reader, handed := &ownedReader{from: from}, false
	made, err := opened(ctx, options, 0,
		func(memory *arena, given *C.pk_open_options, out **C.pk_profile, raw **C.pk_error) C.pk_status {
			user := (*cgo.Handle)(C.calloc(1, C.size_t(unsafe.Sizeof(cgo.Handle(0))))) // until pkgoEndOwned
			*user = cgo.NewHandle(reader)
			callbacks := (*C.pk_read_callbacks)(memory.alloc(unsafe.Sizeof(C.pk_read_callbacks{})))
			*callbacks = C.pkgo_owned_callbacks(unsafe.Pointer(user))
			if size >= 0 {
				callbacks.size_bytes = C.uint64_t(size)
			}
			handed = true
			return C.pk_profile_open_callbacks(callbacks, memory.text(label), given, out, raw)
		})
	if !handed {
		reader.end()
	}
	if err = reader.explain(err, 0); err != nil {
		if made != nil {
			made.Close()
		}
		return nil, err
	}
	made.h.reader = reader
	return made, nil
}

func opened(ctx context.Context, options OpenOptions, flags C.uint32_t,
	open func(*arena, *C.pk_open_options, **C.pk_profile, **C.pk_error) C.pk_status) (*Profile, error) {
	if err := checkLibrary(uint32(C.pk_version_number())); err != nil {
		return nil, err
	}
	var out *C.pk_profile
	err := calling(ctx, options.Hooks, nil, func(memory *arena, hooks *C.pk_hooks, _ unsafe.Pointer) error {
		given := openOptions(memory, options, flags, hooks)
		var raw *C.pk_error
		return failure(open(memory, given, &out, &raw), raw)
	})
	if err != nil {
		return nil, err
	}
	return profileOf(out), nil
}

func profileOf(raw *C.pk_profile) *Profile {
	return &Profile{newHandle(unsafe.Pointer(raw), func(raw unsafe.Pointer) { C.pk_profile_free((*C.pk_profile)(raw)) })}
}

func openOptions(memory *arena, options OpenOptions, flags C.uint32_t, hooks *C.pk_hooks) *C.pk_open_options {
	given := (*C.pk_open_options)(memory.alloc(unsafe.Sizeof(C.pk_open_options{})))
	*given = C.pkgo_open_options()
	given.flags = flags | flag(options.OnePass, C.PK_OPEN_ONE_PASS) | flag(options.Redact, C.PK_OPEN_REDACT) |
		flag(options.StandardInput, C.PK_OPEN_STANDARD_INPUT)
	if options.Rank != nil {
		given.rank = C.int32_t(*options.Rank)
		given.flags |= C.PK_OPEN_HAS_RANK
	}
	given.host = memory.text(options.Host)
	given.io = C.int32_t(options.IO)
	given.run = memory.text(options.Run)
	given.limits = (*C.pk_limits)(limitsOf(memory, options.Limits))
	given.hooks = hooks
	return given
}

// DumpOptions say what to show of a message.
type DumpOptions struct {
	Format DumpFormat // DumpJSON or DumpText
	Type   string     // name of the message type, or "raw": every field by its number; "": what the kind of file says
	Limit  uint64     // elements shown of each repeated field; 0: all
	Open   OpenOptions
}

// Dump writes the one protobuf message of a file, field by field: what `profkit dump` writes. The context may be nil.
func Dump(ctx context.Context, path string, to io.Writer, options DumpOptions) (DocumentStatus, error) {
	if err := checkPaths(path); err != nil {
		return 0, err
	}
	if err := checkLibrary(uint32(C.pk_version_number())); err != nil {
		return 0, err
	}
	return dumped(ctx, to, options, func(memory *arena, given *C.pk_dump_options, user unsafe.Pointer, status *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_dump_write(memory.path(path), given, writer(), user, status, raw)
	})
}

// Dump writes the one protobuf message of this file: also of one that came as bytes. Of the options those that say how a file
// is opened count no more, but for the limits and hooks among them. The context may be nil.
func (f File) Dump(ctx context.Context, to io.Writer, options DumpOptions) (status DocumentStatus, err error) {
	closed := f.h.use(func(object unsafe.Pointer) error {
		status, err = dumped(ctx, to, options, func(_ *arena, given *C.pk_dump_options, user unsafe.Pointer, status *C.int32_t, raw **C.pk_error) C.pk_status {
			return C.pk_file_dump_write((*C.pk_profile)(object), f.file, given, writer(), user, status, raw)
		})
		return nil
	})
	if closed != nil {
		return 0, closed
	}
	return status, err
}

func dumped(ctx context.Context, to io.Writer, options DumpOptions,
	write func(*arena, *C.pk_dump_options, unsafe.Pointer, *C.int32_t, **C.pk_error) C.pk_status) (DocumentStatus, error) {
	var status C.int32_t
	err := calling(ctx, options.Open.Hooks, to, func(memory *arena, hooks *C.pk_hooks, user unsafe.Pointer) error {
		given := (*C.pk_dump_options)(memory.alloc(unsafe.Sizeof(C.pk_dump_options{})))
		*given = C.pkgo_dump_options()
		given.format, given._type = C.int32_t(options.Format), memory.text(options.Type)
		given.limit = limitOf(options.Limit)
		given.open = openOptions(memory, options.Open, 0, hooks)
		var raw *C.pk_error
		return failure(write(memory, given, user, &status, &raw), raw)
	})
	return DocumentStatus(status), err
}

// Close frees the profile when no call uses it any more. Planes, lines and iterators of it give ErrClosed, or nothing,
// from then on; analyses hold a reference of their own.
func (p *Profile) Close() { p.h.close() }

// get runs a getter; what it leaves when the profile was closed is the zero value.
func get(h *handle, run func(*C.pk_profile, **C.pk_error) C.pk_status) error {
	return h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		return failure(run((*C.pk_profile)(object), &raw), raw)
	})
}

// OriginUnixNs is what 0 ps is, in ns since 1970; false when no file tells.
func (p *Profile) OriginUnixNs() (int64, bool) {
	var info C.pk_profile_info
	err := get(p.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status { return C.pk_profile_get(o, &info, raw) })
	return int64(info.origin_unix_ns), err == nil && info.flags&C.PK_PROFILE_HAS_ORIGIN != 0
}

// IgnoredCount is the number of files that no reader knows.
func (p *Profile) IgnoredCount() uint64 {
	var info C.pk_profile_info
	_ = get(p.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status { return C.pk_profile_get(o, &info, raw) })
	return uint64(info.ignored_count)
}

// Files gives the files of the capture.
func (p *Profile) Files() func(yield func(File) bool) {
	return func(yield func(File) bool) {
		for at := 0; at < p.FileCount(); at++ {
			if !yield(File{p.h, C.uint32_t(at)}) {
				return
			}
		}
	}
}

// Runs are those below a parent of runs, newest first.
func (p *Profile) Runs() ([]Run, error) {
	var made []Run
	err := p.h.use(func(object unsafe.Pointer) error {
		profile := (*C.pk_profile)(object)
		var info C.pk_profile_info
		var raw *C.pk_error
		if err := failure(C.pk_profile_get(profile, &info, &raw), raw); err != nil {
			return err
		}
		for at := C.uint32_t(0); at < info.run_count; at++ {
			var row C.pk_run_info
			if err := failure(C.pk_run_get(profile, at, &row, &raw), raw); err != nil {
				return err
			}
			made = append(made, runOf(&row))
		}
		return nil
	})
	return made, err
}

// FileCount is the number of files.
func (p *Profile) FileCount() int {
	count := 0
	_ = p.h.use(func(object unsafe.Pointer) error {
		count = int(C.pk_file_count((*C.pk_profile)(object)))
		return nil
	})
	return count
}

// Planes gives the planes of all files.
func (p *Profile) Planes() func(yield func(Plane) bool) {
	return func(yield func(Plane) bool) {
		more := true
		p.Files()(func(file File) bool {
			file.Planes()(func(plane Plane) bool {
				more = yield(plane)
				return more
			})
			return more
		})
	}
}

// File is one file of a capture.
type File struct {
	h    *handle
	file C.uint32_t
}

// Info tells what is known of the file.
func (f File) Info() (FileInfo, error) {
	var made FileInfo
	err := f.h.use(func(object unsafe.Pointer) error {
		var info C.pk_file_info
		var raw *C.pk_error
		if err := failure(C.pk_file_get((*C.pk_profile)(object), f.file, &info, &raw), raw); err != nil {
			return err
		}
		made = fileInfoOf(&info)
		return nil
	})
	return made, err
}

// Hostnames are those of the hosts that were profiled, as an XSpace lists them.
func (f File) Hostnames() []string { return f.notes(C.PK_NOTE_HOSTNAME) }

// Errors are those that the profiler wrote into an XSpace.
func (f File) Errors() []string { return f.notes(C.PK_NOTE_ERROR) }

// Warnings are those that the profiler wrote into an XSpace.
func (f File) Warnings() []string { return f.notes(C.PK_NOTE_WARNING) }

func (f File) notes(kind C.int32_t) (made []string) {
	_ = f.h.use(func(object unsafe.Pointer) error {
		profile := (*C.pk_profile)(object)
		for at, count := C.uint32_t(0), C.pk_file_note_count(profile, f.file, kind); at < count; at++ {
			var note C.pk_str
			if C.pk_file_note_get(profile, f.file, kind, at, &note, nil) == C.PK_OK {
				made = append(made, text(note))
			}
		}
		return nil
	})
	return made
}

// Bytes copies the decoded bytes: what was intact when the file is damaged.
func (f File) Bytes() ([]byte, error) {
	var made []byte
	err := f.h.use(func(object unsafe.Pointer) error {
		var found C.pk_str
		var raw *C.pk_error
		if err := failure(C.pk_file_bytes((*C.pk_profile)(object), f.file, &found, &raw), raw); err != nil {
			return err
		}
		made = make([]byte, int(found.size))
		if found.size > 0 {
			copy(made, unsafe.Slice((*byte)(unsafe.Pointer(found.data)), int(found.size)))
		}
		return nil
	})
	return made, err
}

// Damage tells why the file is damaged or unreadable; nil when it is sound.
func (f File) Damage() error {
	var damage error
	_ = f.h.use(func(object unsafe.Pointer) error {
		if raw := C.pk_file_damage((*C.pk_profile)(object), f.file); raw != nil {
			damage = errorOf(C.pk_error_code(raw), (*C.pk_error)(unsafe.Pointer(raw)))
		}
		return nil
	})
	return damage
}

// Planes gives the planes of an XSpace; none of other files.
func (f File) Planes() func(yield func(Plane) bool) {
	return func(yield func(Plane) bool) {
		var count C.uint32_t
		_ = f.h.use(func(object unsafe.Pointer) error {
			count = C.pk_plane_count((*C.pk_profile)(object), f.file)
			return nil
		})
		for at := C.uint32_t(0); at < count; at++ {
			if !yield(Plane{f.h, f.file, at}) {
				return
			}
		}
	}
}

// Plane is one device, host or other source of an XSpace file.
type Plane struct {
	h           *handle
	file, plane C.uint32_t
}

// Info tells what is known of the plane.
func (p Plane) Info() (PlaneInfo, error) {
	var made PlaneInfo
	err := p.h.use(func(object unsafe.Pointer) error {
		var info C.pk_plane_info
		var raw *C.pk_error
		if err := failure(C.pk_plane_get((*C.pk_profile)(object), p.file, p.plane, &info, &raw), raw); err != nil {
			return err
		}
		made = planeInfoOf(&info)
		return nil
	})
	return made, err
}

// Name is "/device:TPU:0"; "" when the profile was closed.
func (p Plane) Name() string {
	info, _ := p.Info()
	return info.Name
}

// Lines gives the lines of the plane.
func (p Plane) Lines() func(yield func(Line) bool) {
	return func(yield func(Line) bool) {
		var count C.uint32_t
		_ = p.h.use(func(object unsafe.Pointer) error {
			count = C.pk_line_count((*C.pk_profile)(object), p.file, p.plane)
			return nil
		})
		for at := C.uint32_t(0); at < count; at++ {
			if !yield(Line{p.h, p.file, p.plane, at}) {
				return
			}
		}
	}
}

// EventMetadata gives all entries, in the order of the file, each id once.
func (p Plane) EventMetadata() *Rows[EventMetadata] {
	cursor := new(C.pk_metadata_cursor)
	err := get(p.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status {
		return C.pk_event_metadata_begin(o, p.file, p.plane, cursor, raw)
	})
	if err != nil {
		return failed[EventMetadata](err)
	}
	return oneByOne(p.h, func(into *EventMetadata, raw **C.pk_error) C.pk_status {
		var row C.pk_event_metadata
		status := C.pk_event_metadata_next(cursor, &row, raw)
		if status == C.PK_OK {
			*into = eventMetadataOf(&row)
		}
		return status
	})
}

// MetadataChildren are the ids of the entries that an entry names as its children.
func (p Plane) MetadataChildren(metadataID int64) ([]int64, error) {
	var made []int64
	err := get(p.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status {
		var count C.size_t
		status := C.pk_event_metadata_children(o, p.file, p.plane, C.int64_t(metadataID), nil, 0, &count, raw)
		if status != C.PK_OK || count == 0 {
			return status
		}
		made = make([]int64, int(count))
		return C.pk_event_metadata_children(o, p.file, p.plane, C.int64_t(metadataID),
			(*C.int64_t)(unsafe.Pointer(&made[0])), count, &count, raw)
	})
	return made, err
}

// StatMetadata gives all names of stats, in the order of the file, each id once.
func (p Plane) StatMetadata() *Rows[StatMetadata] {
	cursor := new(C.pk_metadata_cursor)
	err := get(p.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status {
		return C.pk_stat_metadata_begin(o, p.file, p.plane, cursor, raw)
	})
	if err != nil {
		return failed[StatMetadata](err)
	}
	return oneByOne(p.h, func(into *StatMetadata, raw **C.pk_error) C.pk_status {
		var row C.pk_stat_metadata
		status := C.pk_stat_metadata_next(cursor, &row, raw)
		if status == C.PK_OK {
			*into = statMetadataOf(&row)
		}
		return status
	})
}

// StatName is the name of a stat id, in constant time; "" when there is none.
func (p Plane) StatName(metadataID int64) string {
	name := ""
	_ = p.h.use(func(object unsafe.Pointer) error {
		var entry C.pk_stat_metadata
		if C.pk_stat_metadata_get((*C.pk_profile)(object), p.file, p.plane, C.int64_t(metadataID), &entry, nil) == C.PK_OK {
			name = text(entry.name)
		}
		return nil
	})
	return name
}

// StatID is the id of a stat name, by looking at every entry: do it once a plane. False when there is none.
func (p Plane) StatID(name string) (int64, bool) {
	bytes := []byte(name + "\x00") // never empty
	var id C.int64_t
	err := get(p.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status {
		return C.pk_stat_metadata_find(o, p.file, p.plane, (*C.char)(unsafe.Pointer(&bytes[0])), C.size_t(len(name)), &id, raw)
	})
	return int64(id), err == nil
}

// MetadataStats gives the stats that all events of an id share.
func (p Plane) MetadataStats(metadataID int64) *Rows[Stat] {
	return p.stats(func(object *C.pk_profile, cursor *C.pk_stat_cursor, raw **C.pk_error) C.pk_status {
		return C.pk_event_metadata_stats(object, p.file, p.plane, C.int64_t(metadataID), cursor, raw)
	})
}

// EventName is the name of the metadata entry of an id, in constant time; "" when there is none.
func (p Plane) EventName(metadataID int64) string {
	name := ""
	_ = p.h.use(func(object unsafe.Pointer) error {
		var entry C.pk_event_metadata
		if C.pk_event_metadata_get((*C.pk_profile)(object), p.file, p.plane, C.int64_t(metadataID), &entry, nil) == C.PK_OK {
			name = text(entry.name)
		}
		return nil
	})
	return name
}

// Stats gives the facts of the plane itself.
func (p Plane) Stats() *Rows[Stat] {
	return p.stats(func(object *C.pk_profile, cursor *C.pk_stat_cursor, raw **C.pk_error) C.pk_status {
		return C.pk_plane_stats(object, p.file, p.plane, cursor, raw)
	})
}

// StatsOf gives the stats of an event of this plane: its own, then those of its metadata entry.
func (p Plane) StatsOf(event Event) *Rows[Stat] {
	return p.stats(func(object *C.pk_profile, cursor *C.pk_stat_cursor, raw **C.pk_error) C.pk_status {
		return C.pk_event_stats(object, p.file, p.plane, (*C.pk_event)(unsafe.Pointer(&event)),
			C.PK_ORIGIN_EVENT|C.PK_ORIGIN_METADATA, cursor, raw)
	})
}

// FindStat gives the first stat of that name which StatsOf would. False when there is none.
func (p Plane) FindStat(event Event, name string) (Stat, bool) {
	var memory arena
	defer memory.free()
	var found Stat
	err := get(p.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status {
		var row C.pk_stat
		status := C.pk_event_stat_find(o, p.file, p.plane, (*C.pk_event)(unsafe.Pointer(&event)),
			C.PK_ORIGIN_EVENT|C.PK_ORIGIN_METADATA, memory.str(name), &row, raw)
		if status == C.PK_OK {
			found = statOf(&row)
		}
		return status
	})
	return found, err == nil
}

func (p Plane) stats(begin func(*C.pk_profile, *C.pk_stat_cursor, **C.pk_error) C.pk_status) *Rows[Stat] {
	cursor := new(C.pk_stat_cursor)
	if err := get(p.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status { return begin(o, cursor, raw) }); err != nil {
		return failed[Stat](err)
	}
	return oneByOne(p.h, func(into *Stat, raw **C.pk_error) C.pk_status {
		var row C.pk_stat
		status := C.pk_stat_next(cursor, &row, raw)
		if status == C.PK_OK {
			*into = statOf(&row)
		}
		return status
	})
}

// oneByOne reads rows that come singly; what ends them is told after the rows before it.
func oneByOne[T any](h *handle, next func(*T, **C.pk_error) C.pk_status) *Rows[T] {
	ended := false
	var pending error
	return &Rows[T]{fill: func(into []T) (count int, err error) {
		if ended {
			return 0, pending
		}
		err = h.use(func(unsafe.Pointer) error {
			for count < len(into) {
				var raw *C.pk_error
				if status := next(&into[count], &raw); status != C.PK_OK {
					ended, pending = true, failure(status, raw)
					return nil
				}
				count++
			}
			return nil
		})
		if err == nil && count == 0 {
			err = pending
		}
		return count, err
	}}
}

// Stat is one fact of an event, of its metadata entry, or of a plane.
type Stat struct {
	MetadataID int64
	Name       string // "" when the id has no entry
	Kind       string // of the value: "none", "double", "uint64", "int64", "str", "bytes", "ref"
	// Value is nil, float64, uint64, int64, string or []byte.
	Value any
}

func statOf(row *C.pk_stat) Stat {
	made := Stat{MetadataID: int64(row.metadata_id), Name: text(row.name), Kind: named("stat_kind", int32(row.kind), "none")}
	switch row.kind {
	case C.PK_STAT_DOUBLE:
		made.Value = math.Float64frombits(uint64(row.bits))
	case C.PK_STAT_UINT64:
		made.Value = uint64(row.bits)
	case C.PK_STAT_INT64:
		made.Value = int64(row.bits)
	case C.PK_STAT_STR, C.PK_STAT_REF:
		made.Value = text(row.text)
	case C.PK_STAT_BYTES:
		made.Value = []byte(text(row.text))
	}
	return made
}

// Line is one row of events of a plane.
type Line struct {
	h                 *handle
	file, plane, line C.uint32_t
}

// Info tells what stands before the events.
func (l Line) Info() (LineInfo, error) {
	var made LineInfo
	err := l.h.use(func(object unsafe.Pointer) error {
		var info C.pk_line_info
		var raw *C.pk_error
		if err := failure(C.pk_line_get((*C.pk_profile)(object), l.file, l.plane, l.line, &info, &raw), raw); err != nil {
			return err
		}
		made = lineInfoOf(&info)
		return nil
	})
	return made, err
}

// Name of the line; "" when the profile was closed.
func (l Line) Name() string {
	info, _ := l.Info()
	return info.Name
}

// Summary hops over the events without decoding them.
func (l Line) Summary() (LineSummary, error) {
	var made LineSummary
	err := l.h.use(func(object unsafe.Pointer) error {
		var row C.pk_line_summary
		var raw *C.pk_error
		err := failure(C.pk_line_summarise((*C.pk_profile)(object), l.file, l.plane, l.line, &row, &raw), raw)
		made = lineSummaryOf(&row)
		return err
	})
	return made, err
}

// EventCount counts the events without decoding them.
func (l Line) EventCount() (uint64, error) {
	summary, err := l.Summary()
	return summary.EventCount, err
}

// Event is one event. Its layout is that of pk_event.
type Event struct {
	MetadataID     int64
	StartPs        int64   // on the capture's clock; see HasStart
	OffsetPs       int64   // after the line's own zero, as written
	DurationPs     int64   // 0: an instant
	NumOccurrences int64   // of an aggregated event, else 0
	stats          uintptr // C memory, borrowed from the profile
	statsBytes     uint32
	flags          uint32
}

var _ [unsafe.Sizeof(Event{})]byte = [C.sizeof_pk_event]byte{}
var _ [unsafe.Offsetof(Event{}.flags)]byte = [unsafe.Offsetof(C.pk_event{}.flags)]byte{}

// HasStart is false for an aggregated event, which has no place in time.
func (e Event) HasStart() bool { return e.flags&C.PK_EVENT_HAS_START != 0 }

// HasOffset is true when the offset was written, be it 0.
func (e Event) HasOffset() bool { return e.flags&C.PK_EVENT_HAS_OFFSET != 0 }

// IsAggregated is true for an event that stands for NumOccurrences, without a place in time.
func (e Event) IsAggregated() bool { return e.flags&C.PK_EVENT_HAS_OCCURRENCES != 0 }

// Events gives the events in the order of the file. Rows.Err tells of damage, after every event before it.
func (l Line) Events() *Rows[Event] {
	cursor := new(C.pk_event_cursor)
	err := get(l.h, func(o *C.pk_profile, raw **C.pk_error) C.pk_status {
		return C.pk_events_begin(o, l.file, l.plane, l.line, cursor, raw)
	})
	if err != nil {
		return failed[Event](err)
	}
	return &Rows[Event]{fill: func(into []Event) (int, error) {
		var count C.size_t
		err := l.h.use(func(unsafe.Pointer) error {
			var raw *C.pk_error
			status := C.pk_events_read(cursor, (*C.pk_event)(unsafe.Pointer(&into[0])), C.size_t(len(into)), &count, &raw)
			return failure(status, raw)
		})
		return int(count), err
	}}
}

// String is the command of the document.
func (k Document) String() string { return C.GoString(C.pk_document_name(C.int32_t(k))) }

// DocumentOptions say which part of a capture to look at, and how much of it to show. Text filters are substrings.
type DocumentOptions struct {
	Host, Plane, Line, Name string
	Step                    *uint64 // position of a step
	FromPs, ToPs            *int64  // first instant, and first instant after
	Limit                   *uint64 // rows a list; 0: all; nil: the command's default
	MaxBytes                uint64  // about the most that the document takes; 0: the document's own bound
	// Of is what the document is about; "": all of the capture. DocumentModules: a compiled module by its name or a part of it,
	// with the instructions of its entry computation, which Limit counts. DocumentExplain: a finding by its id, with its evidence
	// and what happened around it. DocumentOpGroups: what ops are summed by, "module,op".
	Of    string
	Hooks Hooks
}

func (o DocumentOptions) filters(memory *arena) unsafe.Pointer {
	return filtersOf(memory, filters{o.Host, o.Plane, o.Line, o.Name, o.Step, o.FromPs, o.ToPs})
}

// documentOptions are the C ABI's, without hooks.
func documentOptions(memory *arena, options DocumentOptions) unsafe.Pointer {
	given := (*C.pk_document_options)(memory.alloc(unsafe.Sizeof(C.pk_document_options{})))
	*given = C.pkgo_document_options()
	given.filters = (*C.pk_filters)(options.filters(memory))
	if options.Limit != nil {
		given.limit = limitOf(*options.Limit)
	}
	given.max_bytes = C.uint64_t(options.MaxBytes)
	if options.Of != "" {
		given.of = memory.path(options.Of)
	}
	return unsafe.Pointer(given)
}

// WriteDocument writes a document. Damage of the capture is told in the document and is no error.
func (p *Profile) WriteDocument(ctx context.Context, to io.Writer, document Document, options DocumentOptions) (DocumentStatus, error) {
	return p.writeFiltered(ctx, to, options, func(object *C.pk_profile, _ *arena, given *C.pk_document_options, user unsafe.Pointer,
		status *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_document_write(object, C.int32_t(document), given, writer(), user, status, raw)
	})
}

// WritePage writes the report as HTML for a browser: what `profkit report PATH -o NAME.html` writes. StatusPartial: something is
// damaged, which the page says.
func (p *Profile) WritePage(ctx context.Context, to io.Writer, options DocumentOptions) (DocumentStatus, error) {
	return p.writeFiltered(ctx, to, options, func(object *C.pk_profile, _ *arena, given *C.pk_document_options, user unsafe.Pointer,
		status *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_page_write(object, given, writer(), user, status, raw)
	})
}

// WriteRedaction writes what OpenOptions.Redact replaced and left out, as JSON, with the word that each alias stands for.
func (p *Profile) WriteRedaction(to io.Writer) error {
	_, err := writeDocument(p.h, to, func(object, user unsafe.Pointer, _ *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_redaction_write((*C.pk_profile)(object), writer(), user, raw)
	})
	return err
}

// WriteDocumentFile writes a document into a file, which appears under its name when it is complete.
func (p *Profile) WriteDocumentFile(ctx context.Context, path string, document Document, options DocumentOptions) (DocumentStatus, error) {
	if err := checkPaths(path); err != nil {
		return 0, err
	}
	return p.writeFiltered(ctx, nil, options, func(object *C.pk_profile, memory *arena, given *C.pk_document_options, _ unsafe.Pointer,
		status *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_document_write_file(object, C.int32_t(document), given, memory.path(path), status, raw)
	})
}

func (p *Profile) writeFiltered(ctx context.Context, to io.Writer, options DocumentOptions,
	write func(*C.pk_profile, *arena, *C.pk_document_options, unsafe.Pointer, *C.int32_t, **C.pk_error) C.pk_status) (DocumentStatus, error) {
	var status C.int32_t
	err := calling(ctx, options.Hooks, to, func(memory *arena, hooks *C.pk_hooks, user unsafe.Pointer) error {
		given := (*C.pk_document_options)(documentOptions(memory, options))
		given.hooks = hooks
		return get(p.h, func(object *C.pk_profile, raw **C.pk_error) C.pk_status {
			return write(object, memory, given, user, &status, raw)
		})
	})
	return DocumentStatus(status), err
}

// CapturesAt gives the captures at a path, each to be opened on its own: of a folder every file below it that says what happened
// and when, by what it holds, and every folder that is one capture. A file, and a folder in which nothing is found, is itself the
// only one.
func CapturesAt(path string) ([]string, error) {
	if err := checkPaths(path); err != nil {
		return nil, err
	}
	var found bytes.Buffer
	err := calling(nil, Hooks{}, &found, func(memory *arena, _ *C.pk_hooks, user unsafe.Pointer) error { //nolint:staticcheck
		var raw *C.pk_error
		return failure(C.pk_captures_write(memory.path(path), writer(), user, &raw), raw)
	})
	if err != nil || found.Len() == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(found.String(), "\x00"), "\x00"), nil
}

// WriteDocument writes what `profkit COMMAND --json` prints when this is why it has no document to show. Only of errors that
// a call of the library gave.
func (e *Error) WriteDocument(to io.Writer, document Document) error {
	if e.written == nil {
		return &Error{Status: ErrInvalidArgument.Status, Code: ErrInvalidArgument.Code, ByteOffset: -1,
			Message: "this error was not written by the library"}
	}
	_, err := writeDocument(e.written, to, func(object, user unsafe.Pointer, _ *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_document_write_error(C.int32_t(document), (*C.pk_error)(object), writer(), user, raw)
	})
	return err
}

// JSON is a document with the command's defaults.
func (p *Profile) JSON(document Document) ([]byte, error) {
	var into bytes.Buffer
	_, err := p.WriteDocument(nil, &into, document, DocumentOptions{}) //nolint:staticcheck
	return into.Bytes(), err
}
