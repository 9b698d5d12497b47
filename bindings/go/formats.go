package profkit

/*
#include <profkit/profkit.h>

static pk_architecture_options pkgo_architecture_options(void) { pk_architecture_options o = PK_ARCHITECTURE_OPTIONS_INIT; return o; }
static pk_trace_options pkgo_trace_options(void) { pk_trace_options o = PK_TRACE_OPTIONS_INIT; return o; }
static pk_validation_options pkgo_validation_options(void) { pk_validation_options o = PK_VALIDATION_OPTIONS_INIT; return o; }
*/
import "C"

import (
	"context"
	"io"
	"sync"
	"unsafe"
)

// ---- modules ----

// ModuleList are the compiled modules of a capture, largest first.
type ModuleList struct{ h *handle }

// Modules finds and counts the compiled modules. A capture without any is no failure.
func (p *Profile) Modules(ctx context.Context, hooks Hooks) (*ModuleList, error) {
	h, err := analysis(ctx, p, hooks, func(raw unsafe.Pointer) { C.pk_module_list_free((*C.pk_module_list)(raw)) },
		func(object *C.pk_profile, _ *arena, given *C.pk_hooks, out *unsafe.Pointer, raw **C.pk_error) C.pk_status {
			return C.pk_module_list_open(object, given, (**C.pk_module_list)(unsafe.Pointer(out)), raw)
		})
	if err != nil {
		return nil, err
	}
	return &ModuleList{h}, nil
}

// Close frees the list.
func (m *ModuleList) Close() { m.h.close() }

// Len is the number of modules.
func (m *ModuleList) Len() int {
	count := 0
	_ = m.h.use(func(object unsafe.Pointer) error {
		count = int(C.pk_module_count((*C.pk_module_list)(object)))
		return nil
	})
	return count
}

func (m *ModuleList) get(position int, take func(*C.pk_module_info)) error {
	return m.h.use(func(object unsafe.Pointer) error {
		var row C.pk_module_info
		var raw *C.pk_error
		if err := failure(C.pk_module_get((*C.pk_module_list)(object), C.size_t(position), &row, &raw), raw); err != nil {
			return err
		}
		take(&row)
		return nil
	})
}

// At is the module at a position.
func (m *ModuleList) At(position int) (Module, error) {
	var made Module
	err := m.h.use(func(object unsafe.Pointer) error {
		err := m.get(position, func(row *C.pk_module_info) {
			made = moduleOf(row, int(row.hlo_proto.size), nil)
		})
		if why := C.pk_module_damage((*C.pk_module_list)(object), C.size_t(position)); err == nil && why != nil {
			made.Damage = errorOf(C.pk_error_code(why), (*C.pk_error)(unsafe.Pointer(why)))
		}
		return err
	})
	return made, err
}

// HloProto copies the serialized xla.HloProto of the module at a position.
func (m *ModuleList) HloProto(position int) ([]byte, error) {
	var made []byte
	err := m.get(position, func(row *C.pk_module_info) { made = []byte(text(row.hlo_proto)) })
	return made, err
}

// All gives the modules.
func (m *ModuleList) All() func(yield func(Module) bool) {
	return func(yield func(Module) bool) {
		for position := 0; position < m.Len(); position++ {
			if module, err := m.At(position); err != nil || !yield(module) {
				return
			}
		}
	}
}

// ---- Chrome events ----

// ChromeEvents are the events of a trace-event JSON file, in the order of the file and in bounded memory, once.
type ChromeEvents struct {
	h    *handle
	turn sync.Mutex // a reader belongs to one thread at a time
}

// ChromeEvents reads the events of the trace-event JSON file at a position.
func (p *Profile) ChromeEvents(file int) (*ChromeEvents, error) {
	var out *C.pk_chrome_reader
	err := get(p.h, func(object *C.pk_profile, raw **C.pk_error) C.pk_status {
		return C.pk_chrome_open(object, C.uint32_t(file), &out, raw)
	})
	if err != nil {
		return nil, err
	}
	return &ChromeEvents{h: newHandle(unsafe.Pointer(out), func(raw unsafe.Pointer) { C.pk_chrome_free((*C.pk_chrome_reader)(raw)) })}, nil
}

// Close frees the reader.
func (c *ChromeEvents) Close() { c.h.close() }

// Events reads on. What is broken is passed over: Err tells of it at the end, after all that was intact.
func (c *ChromeEvents) Events() *Rows[ChromeEvent] {
	return converted(c.h, func(object unsafe.Pointer, _ uint64, rows *C.pk_chrome_event, capacity int) (int, error) {
		c.turn.Lock()
		defer c.turn.Unlock()
		var count C.size_t
		var raw *C.pk_error
		status := C.pk_chrome_events_read((*C.pk_chrome_reader)(object), rows, C.size_t(capacity), &count, &raw)
		return int(count), failure(status, raw)
	}, chromeEventOf)
}

// Summary tells what the file was like, as far as it was read.
func (c *ChromeEvents) Summary() (ChromeSummary, error) {
	var row C.pk_chrome_summary
	err := c.h.use(func(object unsafe.Pointer) error {
		c.turn.Lock()
		defer c.turn.Unlock()
		var raw *C.pk_error
		return failure(C.pk_chrome_summarise((*C.pk_chrome_reader)(object), &row, &raw), raw)
	})
	return chromeSummaryOf(&row), err
}

// ---- architecture ----

// ArchitectureOptions say what to look at.
type ArchitectureOptions struct {
	Device      string  // only devices whose name contains it
	StepPattern string  // Whole names that mark a step: a regular expression of RE2
	Limit       *uint64 // rows of each list of the document; 0: all; nil: the command's default
	Hooks       Hooks
}

// Architecture is what model ran: passes, layers and their parts, read from the kernels of one device.
type Architecture struct{ h *handle }

// Architecture looks at the model. A capture without devices is no failure.
func (p *Profile) Architecture(ctx context.Context, options ArchitectureOptions) (*Architecture, error) {
	h, err := analysis(ctx, p, options.Hooks, func(raw unsafe.Pointer) { C.pk_architecture_free((*C.pk_architecture)(raw)) },
		func(object *C.pk_profile, memory *arena, hooks *C.pk_hooks, out *unsafe.Pointer, raw **C.pk_error) C.pk_status {
			given := (*C.pk_architecture_options)(memory.alloc(unsafe.Sizeof(C.pk_architecture_options{})))
			*given = C.pkgo_architecture_options()
			given.filters = (*C.pk_filters)(filtersOf(memory, filters{Plane: options.Device}))
			given.step_pattern = memory.text(options.StepPattern)
			if options.Limit != nil {
				given.limit = limitOf(*options.Limit)
			}
			given.hooks = hooks
			return C.pk_architecture_open(object, given, (**C.pk_architecture)(unsafe.Pointer(out)), raw)
		})
	if err != nil {
		return nil, err
	}
	return &Architecture{h}, nil
}

// Close frees the analysis.
func (a *Architecture) Close() { a.h.close() }

// Summary is one sentence: layers, passes, confidence. "" without a device.
func (a *Architecture) Summary() string {
	return a.text(func(object *C.pk_architecture) C.pk_str { return C.pk_architecture_summary(object) })
}

// FileName is the name that the report has by convention.
func (a *Architecture) FileName() string {
	return a.text(func(object *C.pk_architecture) C.pk_str { return C.pk_architecture_file_name(object) })
}

func (a *Architecture) text(of func(*C.pk_architecture) C.pk_str) (made string) {
	_ = a.h.use(func(object unsafe.Pointer) error {
		made = text(of((*C.pk_architecture)(object)))
		return nil
	})
	return made
}

// WriteDocument writes what `profkit architecture --json` prints.
func (a *Architecture) WriteDocument(to io.Writer) (DocumentStatus, error) {
	return writeDocument(a.h, to, func(object, user unsafe.Pointer, status *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_architecture_write((*C.pk_architecture)(object), writer(), user, status, raw)
	})
}

// WriteMarkdown writes the report as Markdown.
func (a *Architecture) WriteMarkdown(to io.Writer) error {
	_, err := writeDocument(a.h, to, func(object, user unsafe.Pointer, _ *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_architecture_write_markdown((*C.pk_architecture)(object), writer(), user, raw)
	})
	return err
}

// ---- export ----

// ExportOptions say what to write. Text filters are substrings.
type ExportOptions struct {
	Format                  TraceFormat // 0 is TraceJSON
	LikeXLA                 bool        // JSON as XLA's converter writes it: one XSpace, no filters
	Gzip                    bool        // compress what is written
	Waits                   bool        // TracePerfetto with the steps of each device and why it waited
	Host, Plane, Line, Name string
	Step                    *uint64 // position of a step
	FromPs, ToPs            *int64  // first instant, and first instant after
	Hooks                   Hooks
}

// ExportFile writes the capture into a file, which appears under its name when it is complete.
func (p *Profile) ExportFile(ctx context.Context, path string, options ExportOptions) (ExportOutcome, error) {
	if err := checkPaths(path); err != nil {
		return ExportOutcome{}, err
	}
	return p.export(ctx, nil, options,
		func(object *C.pk_profile, memory *arena, given *C.pk_trace_options, _ unsafe.Pointer, out *C.pk_trace_outcome, raw **C.pk_error) C.pk_status {
			return C.pk_trace_write_file(object, given, memory.path(path), out, raw)
		})
}

// ExportTo writes the capture in a format of other tools.
func (p *Profile) ExportTo(ctx context.Context, to io.Writer, options ExportOptions) (ExportOutcome, error) {
	return p.export(ctx, to, options,
		func(object *C.pk_profile, _ *arena, given *C.pk_trace_options, user unsafe.Pointer, out *C.pk_trace_outcome, raw **C.pk_error) C.pk_status {
			return C.pk_trace_write(object, given, writer(), user, out, raw)
		})
}

func (p *Profile) export(ctx context.Context, to io.Writer, options ExportOptions,
	write func(*C.pk_profile, *arena, *C.pk_trace_options, unsafe.Pointer, *C.pk_trace_outcome, **C.pk_error) C.pk_status) (ExportOutcome, error) {
	var row C.pk_trace_outcome
	err := calling(ctx, options.Hooks, to, func(memory *arena, hooks *C.pk_hooks, user unsafe.Pointer) error {
		given := (*C.pk_trace_options)(memory.alloc(unsafe.Sizeof(C.pk_trace_options{})))
		*given = C.pkgo_trace_options()
		given.flags = flag(options.LikeXLA, C.PK_TRACE_LIKE_XLA) | flag(options.Gzip, C.PK_TRACE_GZIP) |
			flag(options.Waits, C.PK_TRACE_WAITS)
		given.format = C.int32_t(options.Format)
		given.filters = (*C.pk_filters)(filtersOf(memory, filters{options.Host, options.Plane, options.Line, options.Name,
			options.Step, options.FromPs, options.ToPs}))
		given.hooks = hooks
		return get(p.h, func(object *C.pk_profile, raw **C.pk_error) C.pk_status {
			return write(object, memory, given, user, &row, raw)
		})
	})
	return exportOutcomeOf(&row), err
}

// ---- collectives across nodes ----

// ValidationOptions say how to compare.
type ValidationOptions struct {
	Align      bool    // bound the clocks from collectives alone
	BoundPs    *int64  // error of every time, instead of what the trace says
	MaxBoundPs int64   // an offset known less well than this is undecidable; 0 is 1 ms
	Limit      *uint64 // rows of each list of the document; 0: all; nil: the command's default
	Hooks      Hooks
}

// Validation tells whether the collectives of several nodes happened in a possible order. It keeps nothing of the profiles.
type Validation struct{ h *handle }

// Validate compares one merged trace, or one trace a node; nil is a trace that could not be opened and keeps its place.
func Validate(ctx context.Context, profiles []*Profile, options ValidationOptions) (*Validation, error) {
	var out *C.pk_validation
	err := calling(ctx, options.Hooks, nil, func(memory *arena, hooks *C.pk_hooks, _ unsafe.Pointer) error {
		given := (*C.pk_validation_options)(memory.alloc(unsafe.Sizeof(C.pk_validation_options{})))
		*given = C.pkgo_validation_options()
		given.flags = flag(options.Align, C.PK_VALIDATION_ALIGN)
		if options.BoundPs != nil {
			given.flags |= C.PK_VALIDATION_HAS_BOUND
			given.bound_ps = C.int64_t(*options.BoundPs)
		}
		if options.MaxBoundPs != 0 {
			given.max_bound_ps = C.int64_t(options.MaxBoundPs)
		}
		if options.Limit != nil {
			given.limit = limitOf(*options.Limit)
		}
		given.hooks = hooks
		list := (**C.pk_profile)(memory.alloc(uintptr(len(profiles)+1) * unsafe.Sizeof((*C.pk_profile)(nil))))
		into := unsafe.Slice(list, len(profiles)+1)
		for at, profile := range profiles {
			if profile == nil {
				continue
			}
			object, err := profile.h.enter()
			if err != nil {
				return err
			}
			defer profile.h.leave()
			into[at] = (*C.pk_profile)(object)
		}
		var raw *C.pk_error
		return failure(C.pk_validation_open(list, C.size_t(len(profiles)), given, &out, &raw), raw)
	})
	if err != nil {
		return nil, err
	}
	return &Validation{newHandle(unsafe.Pointer(out), func(raw unsafe.Pointer) { C.pk_validation_free((*C.pk_validation)(raw)) })}, nil
}

// Close frees what was found.
func (v *Validation) Close() { v.h.close() }

// Summary is what was found.
func (v *Validation) Summary() (ValidationSummary, error) {
	var row C.pk_validation_summary
	err := v.h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		return failure(C.pk_validation_get((*C.pk_validation)(object), &row, &raw), raw)
	})
	return validationSummaryOf(&row), err
}

// ClockIntervals are one a node; none unless Align was asked for.
func (v *Validation) ClockIntervals() *Rows[ClockInterval] {
	return converted(v.h, func(object unsafe.Pointer, first uint64, rows *C.pk_clock_interval, capacity int) (int, error) {
		var count C.size_t
		var raw *C.pk_error
		status := C.pk_clock_intervals_read((*C.pk_validation)(object), C.uint64_t(first), rows, C.size_t(capacity), &count, &raw)
		return int(count), failure(status, raw)
	}, clockIntervalOf)
}

// WriteDocument writes what `profkit validate --json` prints.
func (v *Validation) WriteDocument(to io.Writer) (DocumentStatus, error) {
	return writeDocument(v.h, to, func(object, user unsafe.Pointer, status *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_validation_write((*C.pk_validation)(object), writer(), user, status, raw)
	})
}

// WriteCSV writes the start gaps of every invocation.
func (v *Validation) WriteCSV(to io.Writer) error {
	_, err := writeDocument(v.h, to, func(object, user unsafe.Pointer, _ *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_validation_write_csv((*C.pk_validation)(object), writer(), user, raw)
	})
	return err
}
