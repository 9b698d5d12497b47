package profkit

/*
#include <profkit/profkit.h>

static pk_merge_options pkgo_merge_options(void) { pk_merge_options o = PK_MERGE_OPTIONS_INIT; return o; }
*/
import "C"

import (
	"context"
	"io"
	"unsafe"
)

// MergeOptions say what to merge.
type MergeOptions struct {
	Traces      []string
	Profiles    []*Profile // open captures, after the traces: each of their files that can be merged is one
	Snapshots   []string   // one a trace, or none
	Offsets     string
	RunMetadata string
	RunDir      string // find what is not named in this folder
	Correction  Correction
	Zero        Zero
	Planes      PlaneNames
	Format      MergedFormat
	PlanePrefix string // before the names of PlanesNode, which it means
	IO          IO
	Limits      Limits

	KeepGoing         bool // what is missing or damaged is told and left out
	KeepOrder         bool // the events of a line are not sorted
	ScaleDurations    bool // the ends of events are mapped, too
	TracerHostThreads bool // "Host Threads/N" of /host:ROCTRACER are stamped by the tracer clock
	NoDriftSlope      bool // beyond the offsets their own slope counts, not their drift
	Hooks             Hooks
}

// Merge is what a merge did.
type Merge struct{ h *handle }

// MergeFile merges traces of several nodes into one XSpace file, which appears when it is complete.
func MergeFile(ctx context.Context, output string, options MergeOptions) (*Merge, error) {
	return merged(ctx, output, nil, options)
}

// MergeTo merges traces of several nodes into one XSpace.
func MergeTo(ctx context.Context, to io.Writer, options MergeOptions) (*Merge, error) {
	return merged(ctx, "", to, options)
}

func merged(ctx context.Context, output string, to io.Writer, options MergeOptions) (*Merge, error) {
	named := append([]string{options.Offsets, options.RunMetadata, options.RunDir, output}, options.Traces...)
	if err := checkPaths(append(named, options.Snapshots...)...); err != nil {
		return nil, err
	}
	if err := checkLibrary(uint32(C.pk_version_number())); err != nil {
		return nil, err
	}
	profiles := make([]*C.pk_profile, len(options.Profiles))
	for at, profile := range options.Profiles {
		if profile == nil {
			return nil, ErrClosed
		}
		raw, err := profile.h.enter()
		if err != nil {
			return nil, err
		}
		defer profile.h.leave()
		profiles[at] = (*C.pk_profile)(raw)
	}
	var out *C.pk_merge
	err := calling(ctx, options.Hooks, to, func(memory *arena, hooks *C.pk_hooks, user unsafe.Pointer) error {
		given := (*C.pk_merge_options)(memory.alloc(unsafe.Sizeof(C.pk_merge_options{})))
		*given = C.pkgo_merge_options()
		given.flags = flag(options.KeepGoing, C.PK_MERGE_KEEP_GOING) | flag(options.KeepOrder, C.PK_MERGE_KEEP_ORDER) |
			flag(options.ScaleDurations, C.PK_MERGE_SCALE_DURATIONS) |
			flag(options.TracerHostThreads, C.PK_MERGE_TRACER_HOST_THREADS) |
			flag(options.NoDriftSlope, C.PK_MERGE_NO_DRIFT_SLOPE)
		given.traces, given.trace_count = memory.texts(options.Traces), C.size_t(len(options.Traces))
		if len(profiles) > 0 {
			given.profiles = (**C.pk_profile)(memory.alloc(uintptr(len(profiles)) * unsafe.Sizeof(profiles[0])))
			given.profile_count = C.size_t(copy(unsafe.Slice(given.profiles, len(profiles)), profiles))
		}
		given.snapshots, given.snapshot_count = memory.texts(options.Snapshots), C.size_t(len(options.Snapshots))
		given.offsets = memory.text(options.Offsets)
		given.run_metadata, given.run_dir = memory.text(options.RunMetadata), memory.text(options.RunDir)
		given.output = memory.text(output)
		given.correction, given.zero = C.int32_t(options.Correction), C.int32_t(options.Zero)
		given.planes, given.plane_prefix = C.int32_t(options.Planes), memory.text(options.PlanePrefix)
		given.format = C.int32_t(options.Format)
		given.io, given.limits = C.int32_t(options.IO), (*C.pk_limits)(limitsOf(memory, options.Limits))
		given.hooks = hooks
		var write C.pk_write_callback
		if to != nil {
			write = writer()
		}
		var raw *C.pk_error
		return failure(C.pk_merge_run(given, write, user, &out, &raw), raw)
	})
	if err != nil {
		return nil, err
	}
	return &Merge{newHandle(unsafe.Pointer(out), func(raw unsafe.Pointer) { C.pk_merge_free((*C.pk_merge)(raw)) })}, nil
}

// Close frees what is known of the merge.
func (m *Merge) Close() { m.h.close() }

// Nodes are those that were merged, and those that could not be.
func (m *Merge) Nodes() ([]MergeNode, error) {
	var made []MergeNode
	err := m.h.use(func(object unsafe.Pointer) error {
		merge := (*C.pk_merge)(object)
		for at, count := C.size_t(0), C.pk_merge_node_count(merge); at < count; at++ {
			var row C.pk_merge_node
			var raw *C.pk_error
			if err := failure(C.pk_merge_node_get(merge, at, &row, &raw), raw); err != nil {
				return err
			}
			made = append(made, mergeNodeOf(&row))
		}
		return nil
	})
	return made, err
}

// OriginNs is the Unix ns of time zero of the merged trace.
func (m *Merge) OriginNs() int64 {
	var origin int64
	_ = m.h.use(func(object unsafe.Pointer) error {
		origin = int64(C.pk_merge_origin_ns((*C.pk_merge)(object)))
		return nil
	})
	return origin
}

// WriteDocument writes what `profkit merge --json` prints.
func (m *Merge) WriteDocument(to io.Writer) error {
	_, err := writeDocument(m.h, to, func(object, user unsafe.Pointer, _ *C.int32_t, raw **C.pk_error) C.pk_status {
		return C.pk_merge_write((*C.pk_merge)(object), writer(), user, raw)
	})
	return err
}
