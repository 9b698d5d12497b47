package profkit

/*
#include <profkit/profkit.h>

static pk_memory_options pkgo_memory_options(void) { pk_memory_options o = PK_MEMORY_OPTIONS_INIT; return o; }
static pk_bubbles_options pkgo_bubbles_options(void) { pk_bubbles_options o = PK_BUBBLES_OPTIONS_INIT; return o; }
static pk_activity_options pkgo_activity_options(void) { pk_activity_options o = PK_ACTIVITY_OPTIONS_INIT; return o; }
*/
import "C"

import (
	"context"
	"io"
	"unsafe"
)

// analysis opens something that keeps the profile.
func analysis(ctx context.Context, p *Profile, hooks Hooks, free func(unsafe.Pointer),
	open func(*C.pk_profile, *arena, *C.pk_hooks, *unsafe.Pointer, **C.pk_error) C.pk_status) (*handle, error) {
	var out unsafe.Pointer
	err := calling(ctx, hooks, nil, func(memory *arena, given *C.pk_hooks, _ unsafe.Pointer) error {
		return get(p.h, func(object *C.pk_profile, raw **C.pk_error) C.pk_status {
			return open(object, memory, given, &out, raw)
		})
	})
	if err != nil {
		if out != nil { // made of what could be read
			free(out)
		}
		return nil, err
	}
	return newHandle(out, free), nil
}

func writeDocument(h *handle, to io.Writer,
	write func(object, user unsafe.Pointer, status *C.int32_t, raw **C.pk_error) C.pk_status) (DocumentStatus, error) {
	var status C.int32_t
	err := calling(nil, Hooks{}, to, func(_ *arena, _ *C.pk_hooks, user unsafe.Pointer) error { //nolint:staticcheck
		return h.use(func(object unsafe.Pointer) error {
			var raw *C.pk_error
			return failure(write(object, user, &status, &raw), raw)
		})
	})
	return DocumentStatus(status), err
}

// ---- memory ----

// MemoryOptions say what to analyse.
type MemoryOptions struct {
	Host        string
	Module      string  // name or id; "": the module with the highest peak
	FitBytes    *uint64 // does the highest need fit?
	CurvePoints uint64  // at most so many points of the live curve
	MemorySpace int64   // color of the memory space that is looked into
	Top         *uint64 // rows of each list of the document; 0: all; nil: the command's default

	StepPolicy       StepPolicy // which step window the run-time part is about
	Step             *uint64    // position of that step window instead
	AllTrace         bool       // the whole trace is one window
	NoRuntime        bool       // only what the compiler assigned
	IncludeHostPools bool       // host memory may be the fullest, too

	TimeSamples              *uint64  // of the document's timeline
	PersistentThresholdSteps *uint32  // that an allocation outlives
	WhatIf                   []string // "remat=NAME" or "offload=NAME" each: the document answers them
	Hooks                    Hooks
}

// Memory tells where the memory of a capture goes: what the compiler assigned and what the allocators did.
type Memory struct{ h *handle }

// Memory analyses memory.
func (p *Profile) Memory(ctx context.Context, options MemoryOptions) (*Memory, error) {
	h, err := analysis(ctx, p, options.Hooks, func(raw unsafe.Pointer) { C.pk_memory_free((*C.pk_memory)(raw)) },
		func(object *C.pk_profile, memory *arena, hooks *C.pk_hooks, out *unsafe.Pointer, raw **C.pk_error) C.pk_status {
			given := (*C.pk_memory_options)(memory.alloc(unsafe.Sizeof(C.pk_memory_options{})))
			*given = C.pkgo_memory_options()
			given.filters = (*C.pk_filters)(filtersOf(memory, filters{Host: options.Host, Step: options.Step}))
			given.module = memory.text(options.Module)
			given.curve_points = C.uint64_t(options.CurvePoints)
			given.memory_space = C.int64_t(options.MemorySpace)
			given.hooks = hooks
			given.flags = flag(options.AllTrace, C.PK_MEMORY_ALL_TRACE) | flag(options.NoRuntime, C.PK_MEMORY_NO_RUNTIME) |
				flag(options.IncludeHostPools, C.PK_MEMORY_INCLUDE_HOST_POOLS)
			given.step_policy = C.int32_t(options.StepPolicy)
			given.what_if, given.what_if_count = memory.texts(options.WhatIf), C.size_t(len(options.WhatIf))
			if options.FitBytes != nil {
				given.flags |= C.PK_MEMORY_HAS_FIT
				given.fit_bytes = C.uint64_t(*options.FitBytes)
			}
			if options.Top != nil {
				given.top = limitOf(*options.Top)
			}
			if options.TimeSamples != nil {
				given.flags |= flag(*options.TimeSamples == 0, C.PK_MEMORY_NO_TIMELINE)
				given.time_samples = C.uint64_t(*options.TimeSamples)
			}
			if options.PersistentThresholdSteps != nil {
				given.flags |= flag(*options.PersistentThresholdSteps == 0, C.PK_MEMORY_KEPT_IS_PERSISTENT)
				given.persistent_threshold_steps = C.uint32_t(*options.PersistentThresholdSteps)
			}
			return C.pk_memory_open(object, given, (**C.pk_memory)(unsafe.Pointer(out)), raw)
		})
	if err != nil {
		return nil, err
	}
	return &Memory{h}, nil
}

// Close frees the analysis.
func (m *Memory) Close() { m.h.close() }

// Modules are by peak in memory space 0, highest first.
func (m *Memory) Modules() ([]MemoryModule, error) {
	var made []MemoryModule
	err := m.h.use(func(object unsafe.Pointer) error {
		memory := (*C.pk_memory)(object)
		for at, count := C.size_t(0), C.pk_memory_module_count(memory); at < count; at++ {
			var row C.pk_memory_module
			var raw *C.pk_error
			if err := failure(C.pk_memory_module_get(memory, at, &row, &raw), raw); err != nil {
				return err
			}
			made = append(made, memoryModuleOf(&row))
		}
		return nil
	})
	return made, err
}

// Space is one memory space of a module.
func (m *Memory) Space(module, space int) (MemorySpace, error) {
	var made MemorySpace
	err := m.h.use(func(object unsafe.Pointer) error {
		var row C.pk_memory_space
		var raw *C.pk_error
		status := C.pk_memory_space_get((*C.pk_memory)(object), C.size_t(module), C.size_t(space), &row, &raw)
		if err := failure(status, raw); err != nil {
			return err
		}
		made = memorySpaceOf(&row)
		return nil
	})
	return made, err
}

// Allocators are those of all hosts.
func (m *Memory) Allocators() ([]Allocator, error) { return allOf(rowsFrom[Allocator](m.open)) }

// LiveBuffers are largest first; their sizes add up to the peak.
func (m *Memory) LiveBuffers() *Rows[LiveBuffer] { return rowsFrom[LiveBuffer](m.open) }

// LiveCurve is what CurvePoints asked for.
func (m *Memory) LiveCurve() *Rows[CurvePoint] { return rowsFrom[CurvePoint](m.open) }

// Fit tells whether what FitBytes asked fits, and how many bytes are spare; asked is false when it was not asked.
func (m *Memory) Fit() (fits bool, spare int64, asked bool, err error) {
	err = m.h.use(func(object unsafe.Pointer) error {
		var yes C.uint32_t
		var bytes C.int64_t
		var raw *C.pk_error
		status := C.pk_memory_fit((*C.pk_memory)(object), &yes, &bytes, &raw)
		fits, spare, asked = yes != 0, int64(bytes), status == C.PK_OK
		return failure(status, raw)
	})
	return fits, spare, asked, err
}

// WriteDocument writes what `profkit memory --json` prints.
func (m *Memory) WriteDocument(to io.Writer) (DocumentStatus, error) {
	return writeDocument(m.h, to, func(object, user unsafe.Pointer, status *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_memory_write((*C.pk_memory)(object), writer(), user, status, raw)
	})
}

// ---- bubbles ----

// BubbleOptions say what to look for.
type BubbleOptions struct {
	Device       string   // only devices whose name contains it
	StepPattern  string   // whole names that mark a step: a regular expression of RE2
	StepName     string   // only steps whose name contains it
	Step         *uint64  // only this one of each device, from 0
	FromPs, ToPs *int64   // only steps that share an instant with this time
	Thresholds   []string // "NAME=VALUE" each, by the names that the document lists
	Limit        *uint64  // rows of each list of the document; 0: all; nil: the command's default

	WindowPolicy WindowPolicy // where a step begins and ends
	Hooks        Hooks
}

// Bubbles tells why devices wait: the idle gaps of every step, with what is around them.
type Bubbles struct{ h *handle }

// Bubbles runs the detector. A capture without devices is no failure.
func (p *Profile) Bubbles(ctx context.Context, options BubbleOptions) (*Bubbles, error) {
	h, err := analysis(ctx, p, options.Hooks, func(raw unsafe.Pointer) { C.pk_bubbles_free((*C.pk_bubbles)(raw)) },
		func(object *C.pk_profile, memory *arena, hooks *C.pk_hooks, out *unsafe.Pointer, raw **C.pk_error) C.pk_status {
			given := (*C.pk_bubbles_options)(memory.alloc(unsafe.Sizeof(C.pk_bubbles_options{})))
			*given = C.pkgo_bubbles_options()
			given.step_pattern = memory.text(options.StepPattern)
			given.filters = (*C.pk_filters)(filtersOf(memory, filters{Plane: options.Device, Name: options.StepName,
				Step: options.Step, FromPs: options.FromPs, ToPs: options.ToPs}))
			given.thresholds = memory.texts(options.Thresholds)
			given.threshold_count = C.size_t(len(options.Thresholds))
			if options.Limit != nil {
				given.limit = limitOf(*options.Limit)
			}
			given.window_policy = C.int32_t(options.WindowPolicy)
			given.hooks = hooks
			return C.pk_bubbles_open(object, given, (**C.pk_bubbles)(unsafe.Pointer(out)), raw)
		})
	if err != nil {
		return nil, err
	}
	return &Bubbles{h}, nil
}

// Close frees the analysis.
func (b *Bubbles) Close() { b.h.close() }

// Devices are the names of those of the capture: Bubble.Device is a position among them.
func (b *Bubbles) Devices() ([]string, error) {
	var made []string
	err := b.h.use(func(object unsafe.Pointer) error {
		bubbles := (*C.pk_bubbles)(object)
		for at, count := C.size_t(0), C.pk_bubbles_device_count(bubbles); at < count; at++ {
			made = append(made, text(C.pk_bubbles_device_name(bubbles, at)))
		}
		return nil
	})
	return made, err
}

// Steps are by device, then by time.
func (b *Bubbles) Steps() ([]BubbleStep, error) { return allOf(rowsFrom[BubbleStep](b.open)) }

// Gaps are by device and time.
func (b *Bubbles) Gaps() *Rows[Bubble] { return rowsFrom[Bubble](b.open) }

// WriteDocument writes what `profkit bubbles --json` prints.
func (b *Bubbles) WriteDocument(to io.Writer) (DocumentStatus, error) {
	return writeDocument(b.h, to, func(object, user unsafe.Pointer, status *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_bubbles_write((*C.pk_bubbles)(object), writer(), user, status, raw)
	})
}

// ---- kernels ----

// KernelOptions say what to read.
type KernelOptions struct {
	Device    string // only devices whose name contains it
	NoDetails bool   // leave shapes and types out
	Hooks     Hooks
}

// Kernels are what the devices of a capture did: of Ascend tables, Kineto and XLA traces, and XSpace planes.
type Kernels struct{ h *handle }

// Kernels reads the kernels of all devices. A capture without devices is no failure.
func (p *Profile) Kernels(ctx context.Context, options KernelOptions) (*Kernels, error) {
	h, err := analysis(ctx, p, options.Hooks, func(raw unsafe.Pointer) { C.pk_activity_free((*C.pk_activity)(raw)) },
		func(object *C.pk_profile, memory *arena, hooks *C.pk_hooks, out *unsafe.Pointer, raw **C.pk_error) C.pk_status {
			given := (*C.pk_activity_options)(memory.alloc(unsafe.Sizeof(C.pk_activity_options{})))
			*given = C.pkgo_activity_options()
			given.flags = flag(options.NoDetails, C.PK_ACTIVITY_NO_DETAILS)
			given.filters = (*C.pk_filters)(filtersOf(memory, filters{Plane: options.Device}))
			given.hooks = hooks
			return C.pk_activity_open(object, given, (**C.pk_activity)(unsafe.Pointer(out)), raw)
		})
	if err != nil {
		return nil, err
	}
	return &Kernels{h}, nil
}

// Close frees the kernels.
func (k *Kernels) Close() { k.h.close() }

// Devices are those with kernels.
func (k *Kernels) Devices() ([]Device, error) {
	var made []Device
	err := k.h.use(func(object unsafe.Pointer) error {
		activity := (*C.pk_activity)(object)
		for at, count := C.uint32_t(0), C.pk_activity_device_count(activity); at < count; at++ {
			var row C.pk_activity_device
			var raw *C.pk_error
			if err := failure(C.pk_activity_device_get(activity, at, &row, &raw), raw); err != nil {
				return err
			}
			made = append(made, deviceOf(&row))
		}
		return nil
	})
	return made, err
}

// Rows are the kernels of all devices, by device and start.
func (k *Kernels) Rows() *Rows[Kernel] { return rowsFrom[Kernel](k.open) }
