package profkit

/*
#include <profkit/profkit.h>
*/
import "C"

import "unsafe"

// TraceBuilder takes what a host recorded of its devices and of itself, in any order, and becomes a profile without a file. Each
// part gives the number by which others name it. Rows are added all or none: an error names the first bad one by its position.
// One goroutine at a time.
type TraceBuilder struct{ h *handle }

// TraceBuilderOptions say what the trace is.
type TraceBuilderOptions struct {
	Label    string // stands for the path in messages and documents; "": "recording"
	Recorder string // who recorded it, for people: "mytracer 1.2"
	MaxBytes uint64 // what rows and names may take in memory; 0: 8 GiB. More is ErrLimit
}

// TraceHost is a process of a run, which becomes a file of the profile: its devices and threads share a clock and a rank.
type TraceHost struct {
	Name         string // of its machine; may be ""
	OriginUnixNs *int64 // Unix ns of time zero of its rows, by which hosts are put on one clock
	Rank         *int32 // in the run
	WorldSize    int32  // ranks of the whole run; 0: not known
}

// TraceDevice is a device of a host.
type TraceDevice struct {
	Host        uint32
	Name        string // "GPU 0"
	Model       string // "NVIDIA H100 80GB HBM3", by which its peaks are known; may be ""
	Accelerator Accelerator
	Ordinal     *int64 // its number on its machine
}

// TraceOwner is a device or a host by its number.
type TraceOwner struct {
	IsDevice bool
	Number   uint32
}

// TraceKernel is one execution of a kernel, a copy or a collective on a stream. What is not known is left out.
type TraceKernel struct {
	Stream        uint32
	Name          string
	StartPs       int64
	DurationPs    int64
	Correlation   uint64 // that of the span of its host that launched it; 0: none
	LaunchPs      *int64 // when the host launched it, where no span has its correlation
	Kind          KernelKind
	Op            string // of the framework that launched it
	Module        string // from outside in: "Net/layer_0/attn"
	Program       string // that was compiled: "jit_step(7)"
	InputShapes   string // "[[8, 4], [4, 4]]"
	InputTypes    string // `["bf16", "bf16"]`
	Work          *TraceWork
	Group         string        // of a collective: its process group
	GroupRanks    string        // the ranks of that group: "[0, 4]"
	GroupSequence *int64        // its number among the collectives of its group
	Message       *TraceMessage // of a collective
	Arguments     string        // a JSON object of what else is known, for exports
}

// TraceWork is what a kernel computes and moves.
type TraceWork struct {
	Flops, Bytes int64
	NumberType   string // which it multiplies: "bf16", …; "": not known
}

// TraceMessage is what a collective sends and receives on this rank.
type TraceMessage struct {
	SentBytes, ReceivedBytes int64
}

// TraceSpan is what a thread did for a while.
type TraceSpan struct {
	Thread      uint32
	Name        string
	StartPs     int64
	DurationPs  int64
	Kind        SpanKind
	Correlation uint64 // of what it launched; 0: nothing
	Launches    LaunchKind
	Arguments   string // a JSON object of what else is known, for exports
}

// TraceStep is a step of the program, as its host saw it. With a duration it ends there, or with the last kernel that it launched;
// without one where the next step begins.
type TraceStep struct {
	Thread     uint32
	Name       string
	StartPs    int64
	DurationPs int64
	Number     *int64
}

// TraceValue is the value of a counter from an instant on.
type TraceValue struct {
	Counter uint32
	AtPs    int64
	Value   float64
}

// TraceAllocation is memory that was given out, or came back.
type TraceAllocation struct {
	Allocator uint32
	AtPs      int64
	Address   uint64
	Bytes     int64 // that were asked for
	HeldBytes int64 // taken for it, rounding included; 0: Bytes
	IsFree    bool
	Op        string
}

// NewTraceBuilder makes one.
func NewTraceBuilder(options TraceBuilderOptions) (*TraceBuilder, error) {
	if err := checkLibrary(uint32(C.pk_version_number())); err != nil {
		return nil, err
	}
	var memory arena
	defer memory.free()
	given := (*C.pk_trace_builder_options)(memory.alloc(unsafe.Sizeof(C.pk_trace_builder_options{})))
	given.struct_size = C.uint32_t(unsafe.Sizeof(C.pk_trace_builder_options{}))
	given.label, given.recorder = memory.str(options.Label), memory.str(options.Recorder)
	given.max_bytes = C.uint64_t(options.MaxBytes)
	var out *C.pk_trace_builder
	var raw *C.pk_error
	if err := failure(C.pk_trace_builder_new(given, &out, &raw), raw); err != nil {
		return nil, err
	}
	return &TraceBuilder{h: newHandle(unsafe.Pointer(out), func(raw unsafe.Pointer) {
		C.pk_trace_builder_free((*C.pk_trace_builder)(raw))
	})}, nil
}

// Close frees the builder. A profile that it became lives on.
func (b *TraceBuilder) Close() { b.h.close() }

// str is text in the memory of C.
func (a *arena) str(value string) C.pk_str {
	return C.pk_str{data: a.text(value), size: C.size_t(len(value))}
}

// add runs a call on the builder, with memory that lasts as long.
func (b *TraceBuilder) add(run func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status) error {
	var memory arena
	defer memory.free()
	return b.h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		status := run((*C.pk_trace_builder)(object), &memory, &raw)
		return failure(status, raw)
	})
}

// Host adds a host.
func (b *TraceBuilder) Host(host TraceHost) (uint32, error) {
	var number C.uint32_t
	err := b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		given := C.pk_trace_host{struct_size: C.uint32_t(unsafe.Sizeof(C.pk_trace_host{})), name: memory.str(host.Name),
			world_size: C.int32_t(host.WorldSize)}
		if host.OriginUnixNs != nil {
			given.origin_unix_ns = C.int64_t(*host.OriginUnixNs)
			given.flags |= C.PK_TRACE_HOST_HAS_ORIGIN
		}
		if host.Rank != nil {
			given.rank = C.int32_t(*host.Rank)
			given.flags |= C.PK_TRACE_HOST_HAS_RANK
		}
		return C.pk_trace_builder_add_host(builder, &given, &number, raw)
	})
	return uint32(number), err
}

// Device adds a device of a host.
func (b *TraceBuilder) Device(device TraceDevice) (uint32, error) {
	var number C.uint32_t
	err := b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		given := C.pk_trace_device{struct_size: C.uint32_t(unsafe.Sizeof(C.pk_trace_device{})), name: memory.str(device.Name),
			model: memory.str(device.Model), host: C.uint32_t(device.Host), accelerator: C.int32_t(device.Accelerator)}
		if device.Ordinal != nil {
			given.ordinal, given.flags = C.int64_t(*device.Ordinal), C.PK_TRACE_DEVICE_HAS_ORDINAL
		}
		return C.pk_trace_builder_add_device(builder, &given, &number, raw)
	})
	return uint32(number), err
}

// Stream adds a queue of a device, which runs one kernel after another. The name may be "".
func (b *TraceBuilder) Stream(device uint32, id int64, name string) (uint32, error) {
	var number C.uint32_t
	err := b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		given := C.pk_trace_stream{struct_size: C.uint32_t(unsafe.Sizeof(C.pk_trace_stream{})), device: C.uint32_t(device),
			id: C.int64_t(id), name: memory.str(name)}
		return C.pk_trace_builder_add_stream(builder, &given, &number, raw)
	})
	return uint32(number), err
}

// Thread adds a thread of a host.
func (b *TraceBuilder) Thread(host uint32, process, name string) (uint32, error) {
	var number C.uint32_t
	err := b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		given := C.pk_trace_thread{struct_size: C.uint32_t(unsafe.Sizeof(C.pk_trace_thread{})), host: C.uint32_t(host),
			process: memory.str(process), name: memory.str(name)}
		return C.pk_trace_builder_add_thread(builder, &given, &number, raw)
	})
	return uint32(number), err
}

// Counter adds a number over time. The process is that of a host, whose it is.
func (b *TraceBuilder) Counter(owner TraceOwner, process, name, unit string) (uint32, error) {
	var number C.uint32_t
	err := b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		given := C.pk_trace_counter{struct_size: C.uint32_t(unsafe.Sizeof(C.pk_trace_counter{})),
			flags: flag(owner.IsDevice, C.PK_TRACE_OF_DEVICE), owner: C.uint32_t(owner.Number), process: memory.str(process),
			name: memory.str(name), unit: memory.str(unit)}
		return C.pk_trace_builder_add_counter(builder, &given, &number, raw)
	})
	return uint32(number), err
}

// Allocator adds where memory comes from.
func (b *TraceBuilder) Allocator(owner TraceOwner, name string) (uint32, error) {
	var number C.uint32_t
	err := b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		given := C.pk_trace_allocator{struct_size: C.uint32_t(unsafe.Sizeof(C.pk_trace_allocator{})),
			flags: flag(owner.IsDevice, C.PK_TRACE_OF_DEVICE), owner: C.uint32_t(owner.Number), name: memory.str(name)}
		return C.pk_trace_builder_add_allocator(builder, &given, &number, raw)
	})
	return uint32(number), err
}

// rowsIn are rows in the memory of C: they refer to text there.
func rowsIn[Row, Raw any](memory *arena, rows []Row, fill func(from Row, into *Raw)) (*Raw, C.size_t, C.size_t) {
	var one Raw
	if len(rows) == 0 {
		return nil, C.size_t(unsafe.Sizeof(one)), 0
	}
	first := (*Raw)(memory.alloc(uintptr(len(rows)) * unsafe.Sizeof(one)))
	for at, into := 0, unsafe.Slice(first, len(rows)); at < len(rows); at++ {
		fill(rows[at], &into[at])
	}
	return first, C.size_t(unsafe.Sizeof(one)), C.size_t(len(rows))
}

// Kernels adds rows.
func (b *TraceBuilder) Kernels(rows []TraceKernel) error {
	return b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		first, size, count := rowsIn(memory, rows, func(from TraceKernel, into *C.pk_trace_kernel) {
			into.name, into.stream = memory.str(from.Name), C.uint32_t(from.Stream)
			into.start_ps, into.duration_ps = C.int64_t(from.StartPs), C.int64_t(from.DurationPs)
			into.correlation = C.uint64_t(from.Correlation)
			if from.LaunchPs != nil {
				into.launch_ps, into.flags = C.int64_t(*from.LaunchPs), C.PK_TRACE_KERNEL_HAS_LAUNCH
			}
			if from.Kind != KernelByName {
				into.kind = C.int32_t(from.Kind - 1)
				into.flags |= C.PK_TRACE_KERNEL_HAS_KIND
			}
			into.op, into.module, into.program = memory.str(from.Op), memory.str(from.Module), memory.str(from.Program)
			into.input_shapes, into.input_types = memory.str(from.InputShapes), memory.str(from.InputTypes)
			into.group, into.group_ranks = memory.str(from.Group), memory.str(from.GroupRanks)
			into.arguments = memory.str(from.Arguments)
			if from.Work != nil {
				into.flops, into.bytes = C.int64_t(from.Work.Flops), C.int64_t(from.Work.Bytes)
				into.number_type = memory.str(from.Work.NumberType)
				into.flags |= C.PK_TRACE_KERNEL_HAS_WORK
			}
			if from.GroupSequence != nil {
				into.group_sequence = C.int64_t(*from.GroupSequence)
				into.flags |= C.PK_TRACE_KERNEL_HAS_SEQUENCE
			}
			if from.Message != nil {
				into.sent_bytes, into.received_bytes = C.int64_t(from.Message.SentBytes), C.int64_t(from.Message.ReceivedBytes)
				into.flags |= C.PK_TRACE_KERNEL_HAS_MESSAGE
			}
		})
		return C.pk_trace_builder_add_kernels(builder, first, size, count, raw)
	})
}

// Spans adds rows.
func (b *TraceBuilder) Spans(rows []TraceSpan) error {
	return b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		first, size, count := rowsIn(memory, rows, func(from TraceSpan, into *C.pk_trace_span) {
			into.name, into.thread = memory.str(from.Name), C.uint32_t(from.Thread)
			into.start_ps, into.duration_ps = C.int64_t(from.StartPs), C.int64_t(from.DurationPs)
			into.correlation = C.uint64_t(from.Correlation)
			into.kind, into.launches = C.int32_t(from.Kind), C.int32_t(from.Launches)
			into.arguments = memory.str(from.Arguments)
		})
		return C.pk_trace_builder_add_spans(builder, first, size, count, raw)
	})
}

// Steps adds rows.
func (b *TraceBuilder) Steps(rows []TraceStep) error {
	return b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		first, size, count := rowsIn(memory, rows, func(from TraceStep, into *C.pk_trace_step) {
			into.name, into.thread = memory.str(from.Name), C.uint32_t(from.Thread)
			into.start_ps, into.duration_ps = C.int64_t(from.StartPs), C.int64_t(from.DurationPs)
			if from.Number != nil {
				into.number, into.flags = C.int64_t(*from.Number), C.PK_TRACE_STEP_HAS_NUMBER
			}
		})
		return C.pk_trace_builder_add_steps(builder, first, size, count, raw)
	})
}

// Values adds rows.
func (b *TraceBuilder) Values(rows []TraceValue) error {
	return b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		first, size, count := rowsIn(memory, rows, func(from TraceValue, into *C.pk_trace_value) {
			into.counter, into.at_ps, into.value = C.uint32_t(from.Counter), C.int64_t(from.AtPs), C.double(from.Value)
		})
		return C.pk_trace_builder_add_values(builder, first, size, count, raw)
	})
}

// Allocations adds rows.
func (b *TraceBuilder) Allocations(rows []TraceAllocation) error {
	return b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		first, size, count := rowsIn(memory, rows, func(from TraceAllocation, into *C.pk_trace_allocation) {
			into.allocator, into.at_ps, into.address = C.uint32_t(from.Allocator), C.int64_t(from.AtPs), C.uint64_t(from.Address)
			into.bytes, into.held_bytes, into.op = C.int64_t(from.Bytes), C.int64_t(from.HeldBytes), memory.str(from.Op)
			into.flags = flag(from.IsFree, C.PK_TRACE_ALLOCATION_IS_FREE)
		})
		return C.pk_trace_builder_add_allocations(builder, first, size, count, raw)
	})
}

// Finish makes a profile of what was added. The builder takes nothing more: Close it.
func (b *TraceBuilder) Finish() (*Profile, error) {
	var out *C.pk_profile
	err := b.add(func(builder *C.pk_trace_builder, memory *arena, raw **C.pk_error) C.pk_status {
		return C.pk_trace_builder_finish(builder, &out, raw)
	})
	if err != nil {
		return nil, err
	}
	return profileOf(out), nil
}
