// A host's own trace: its rows are checked and handed to recordings, one a host, which become a profile.
#include <profkit/core/recording.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "options.hpp"
#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

// What a host numbers over all hosts, in its own host.
struct numbered_part {
  std::uint32_t host, number;
};

constexpr std::size_t most_parts = 65535;
constexpr std::uint64_t standard_bytes = std::uint64_t{8} << 30;

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

struct pk_trace_builder {
  std::string label, recorder;
  std::uint64_t max_bytes = 0;  // 0: no bound
  bool finished = false;
  std::vector<profkit::recorded_file> hosts;
  std::vector<std::uint64_t> rows;  // of each host
  std::vector<profkit::capi::numbered_part> devices, streams, threads, counters, allocators;
  std::vector<std::size_t> streams_of;  // of each device
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

static_assert(static_cast<std::int32_t>(launched_work::kernel) == PK_LAUNCH_KERNEL - 1);
static_assert(static_cast<std::int32_t>(launched_work::copy) == PK_LAUNCH_COPY - 1);
static_assert(static_cast<std::int32_t>(launched_work::graph) == PK_LAUNCH_GRAPH - 1);

using numbered_parts = std::vector<numbered_part>;

bool is_text(pk_str text) noexcept { return text.data || text.size == 0; }
fault no_text(const char* name) { return null_argument((std::string(name) + ".data").c_str()); }

result<void> check_open(const pk_trace_builder* builder) {
  if (!builder) return null_argument("builder");
  if (builder->finished) return invalid_argument("this builder was finished before", "make another");
  return {};
}

fault too_many(const char* what) {
  return {fault_code::limit, std::string("there are ") + std::to_string(most_parts) + " " + what + " already", {}, no_offset, {}};
}

// The options of a part, which a trace that is not finished takes. `name`: of the argument.
template <class Options>
result<Options> read_part(const pk_trace_builder* builder, const Options* options, const char* name, const char* type,
                          const std::uint32_t* out) {
  if (result<void> open = check_open(builder); !open) return std::move(open).error();
  if (!options) return null_argument(name);
  if (!out) return null_argument("out");
  return read_sized_struct<Options>(options, type);
}

// A part of the trace: its options read, `add` gives where it is, which is numbered in `into`.
template <class Options, class Add>
pk_status add_part(pk_trace_builder* builder, const Options* options, const char* type, std::uint32_t* out, pk_error** err,
                   numbered_parts pk_trace_builder::*into, const char* what, Add&& add) noexcept {
  if (out) *out = 0;
  return guard(err, [&]() -> result<pk_status> {
    const result<Options> given = read_part(builder, options, type, type, out);
    if (!given) return given.error();
    numbered_parts& parts = builder->*into;
    if (parts.size() >= most_parts) return too_many(what);
    result<numbered_part> made = add(*given);
    if (!made) return std::move(made).error();
    parts.push_back(*made);
    *out = static_cast<std::uint32_t>(parts.size() - 1);
    return PK_OK;
  });
}

result<std::uint32_t> host_numbered(const pk_trace_builder& builder, std::uint32_t host) {
  if (host >= builder.hosts.size()) return no_such("host", host, builder.hosts.size());
  return host;
}

// Of a device, or of a host, which `flags` say.
struct part_owner {
  std::uint32_t host = 0;
  std::optional<std::uint32_t> device;  // as its host counts
};
result<part_owner> whose(const pk_trace_builder& builder, std::uint32_t flags, std::uint32_t owner, std::uint32_t reserved,
                            const char* type) {
  if ((flags & ~std::uint32_t{PK_TRACE_OF_DEVICE}) != 0) return unknown_flags(type, flags);
  if (reserved != 0) return invalid_argument(std::string(type) + "::reserved is not 0");
  if ((flags & PK_TRACE_OF_DEVICE) != 0) {
    if (owner >= builder.devices.size()) return no_such("device", owner, builder.devices.size());
    return part_owner{builder.devices[owner].host, builder.devices[owner].number};
  }
  result<std::uint32_t> host = host_numbered(builder, owner);
  if (!host) return std::move(host).error();
  return part_owner{*host, std::nullopt};
}

// ---- rows ----

// A row of any release as this one has it; false when it has more that is not 0.
template <class Row>
bool read_row(const void* rows, std::size_t row_size, std::size_t at, Row& into) noexcept {
  const auto* const from = static_cast<const unsigned char*>(rows) + at * row_size;
  std::memcpy(&into, from, sizeof into);
  return std::all_of(from + sizeof into, from + row_size, [](unsigned char byte) { return byte == 0; });
}

fault bad_row(std::size_t at, const std::string& why) {
  return invalid_argument("row " + std::to_string(at) + ": " + why, "nothing of this call was added");
}

// Why `flags` cannot be, or a text that is not there.
std::optional<fault> bad_head(std::size_t at, pk_str text, std::uint32_t flags, std::uint32_t known, const char* type) {
  if (!is_text(text)) return bad_row(at, "its text is NULL, and its size is not 0");
  if ((flags & ~known) == 0) return std::nullopt;
  fault why = unknown_flags(type, flags);
  why.message = "row " + std::to_string(at) + ": " + why.message;
  return why;
}
bool is_outside(std::int32_t n, std::int32_t most) noexcept { return n < 0 || n > most; }

result<recorded_kernel> to_core(std::size_t at, const pk_trace_kernel& k) {
  constexpr std::uint32_t known = 2 * PK_TRACE_KERNEL_HAS_MESSAGE - 1;  // up to the last
  if (auto bad = bad_head(at, k.name, k.flags, known, "pk_trace_kernel")) return std::move(*bad);
  for (const pk_str& text : {k.op, k.module, k.program, k.input_shapes, k.input_types, k.number_type, k.group, k.group_ranks, k.arguments})
    if (!is_text(text)) return bad_row(at, "a text is NULL, and its size is not 0");
  if (k.reserved != 0) return bad_row(at, "reserved is not 0");
  const bool has_kind = (k.flags & PK_TRACE_KERNEL_HAS_KIND) != 0;
  if (has_kind && is_outside(k.kind, PK_KERNEL_OTHER)) return bad_row(at, "there is no kind " + std::to_string(k.kind) + " of kernels");
  recorded_kernel row;
  row.name = text_in(k.name);
  row.start_ps = k.start_ps;
  row.duration_ps = k.duration_ps;
  if (has_kind) row.kind = static_cast<kernel_class>(k.kind);
  if ((k.flags & PK_TRACE_KERNEL_HAS_LAUNCH) != 0) row.launch_ps = k.launch_ps;
  row.correlation = k.correlation;
  row.op = text_in(k.op);
  row.module = text_in(k.module);
  row.program = text_in(k.program);
  row.input_shapes = text_in(k.input_shapes);
  row.input_types = text_in(k.input_types);
  row.group = text_in(k.group);
  row.group_ranks = text_in(k.group_ranks);
  row.arguments = text_in(k.arguments);
  if ((k.flags & PK_TRACE_KERNEL_HAS_WORK) != 0) {
    row.work = kernel_work{k.flops, k.bytes, number_type_named(text_in(k.number_type))};
    if (k.number_type.size != 0 && !row.work->multiplies)
      return bad_row(at, "no type of numbers is called \"" + std::string(text_in(k.number_type)) + "\"");
  }
  if ((k.flags & PK_TRACE_KERNEL_HAS_SEQUENCE) != 0) {
    if (k.group_sequence < 0) return bad_row(at, "its number in its group is negative");
    row.group_sequence = k.group_sequence;
  }
  if ((k.flags & PK_TRACE_KERNEL_HAS_MESSAGE) != 0) {
    if (k.sent_bytes < 0 || k.received_bytes < 0) return bad_row(at, "the bytes that it sent or received are negative");
    row.sent_bytes = k.sent_bytes;
    row.received_bytes = k.received_bytes;
  }
  return row;
}
result<recorded_span> to_core(std::size_t at, const pk_trace_span& s) {
  if (auto bad = bad_head(at, s.name, 0, 0, "pk_trace_span")) return std::move(*bad);
  if (!is_text(s.arguments)) return bad_row(at, "its arguments are NULL, and their size is not 0");
  if (s.reserved != 0) return bad_row(at, "reserved is not 0");
  if (is_outside(s.kind, PK_SPAN_OTHER)) return bad_row(at, "there is no kind " + std::to_string(s.kind) + " of spans");
  if (is_outside(s.launches, PK_LAUNCH_GRAPH)) return bad_row(at, "there is no kind " + std::to_string(s.launches) + " of launches");
  recorded_span row;
  row.name = text_in(s.name);
  row.arguments = text_in(s.arguments);
  row.start_ps = s.start_ps;
  row.duration_ps = s.duration_ps;
  row.kind = static_cast<host_span_kind>(s.kind);
  row.correlation = s.correlation;
  if (s.launches != PK_LAUNCH_BY_NAME) row.launches = static_cast<launched_work>(s.launches - 1);
  return row;
}
result<recorded_step> to_core(std::size_t at, const pk_trace_step& s) {
  if (auto bad = bad_head(at, s.name, s.flags, PK_TRACE_STEP_HAS_NUMBER, "pk_trace_step")) return std::move(*bad);
  recorded_step row;
  row.name = text_in(s.name);
  row.start_ps = s.start_ps;
  row.duration_ps = s.duration_ps;
  if ((s.flags & PK_TRACE_STEP_HAS_NUMBER) == 0) return row;
  if (s.number < 0) return bad_row(at, "its number is negative");
  row.number = s.number;
  return row;
}
result<recorded_value> to_core(std::size_t at, const pk_trace_value& v) {
  if (v.reserved != 0) return bad_row(at, "reserved is not 0");
  recorded_value row;
  row.at_ps = v.at_ps;
  row.value = v.value;
  return row;
}
result<recorded_allocation> to_core(std::size_t at, const pk_trace_allocation& a) {
  if (auto bad = bad_head(at, a.op, a.flags, PK_TRACE_ALLOCATION_IS_FREE, "pk_trace_allocation")) return std::move(*bad);
  recorded_allocation row;
  row.at_ps = a.at_ps;
  row.address = a.address;
  row.bytes = a.bytes;
  row.held_bytes = a.held_bytes;
  row.is_free = (a.flags & PK_TRACE_ALLOCATION_IS_FREE) != 0;
  row.op = text_in(a.op);
  return row;
}

std::uint32_t part_of(const pk_trace_kernel& row) noexcept { return row.stream; }
std::uint32_t part_of(const pk_trace_span& row) noexcept { return row.thread; }
std::uint32_t part_of(const pk_trace_step& row) noexcept { return row.thread; }
std::uint32_t part_of(const pk_trace_value& row) noexcept { return row.counter; }
std::uint32_t part_of(const pk_trace_allocation& row) noexcept { return row.allocator; }

void add_row(recording& to, std::uint32_t of, const recorded_kernel& row) { to.add_kernel(of, row); }
void add_row(recording& to, std::uint32_t of, const recorded_span& row) { to.add_span(of, row); }
void add_row(recording& to, std::uint32_t of, const recorded_step& row) { to.add_step(of, row); }
void add_row(recording& to, std::uint32_t of, const recorded_value& row) { to.add_value(of, row); }
void add_row(recording& to, std::uint32_t of, const recorded_allocation& row) { to.add_allocation(of, row); }

result<void> check_room(const pk_trace_builder& builder) {
  if (builder.max_bytes == 0) return {};
  std::uint64_t held = 0;
  for (const recorded_file& host : builder.hosts) held += host.rows.held_bytes();
  if (held < builder.max_bytes) return {};
  return fault{fault_code::limit,
               "the trace holds " + std::to_string(held) + " bytes, and pk_trace_builder_options::max_bytes is " +
                   std::to_string(builder.max_bytes),
               builder.label, no_offset, "finish it and begin another, or allow more"};
}

// All rows are looked at before the first is added.
template <class Row>
pk_status add_rows(pk_trace_builder* builder, const Row* rows, std::size_t row_size, std::size_t count, const char* type,
                   numbered_parts pk_trace_builder::*parts, const char* part_name, pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (result<void> open = check_open(builder); !open) return std::move(open).error();
    if (!rows && count != 0) return null_argument("rows");
    if (row_size < sizeof(Row))
      return invalid_argument("row_size is " + std::to_string(row_size) + ", and a " + type + " has " + std::to_string(sizeof(Row)) +
                              " bytes", std::string("give sizeof(") + type + ")");
    if (result<void> room = check_room(*builder); !room) return std::move(room).error();
    const numbered_parts& of = builder->*parts;
    const auto read = [&](std::size_t at, Row& row) -> std::optional<fault> {
      if (!read_row(rows, row_size, at, row))
        return fault{fault_code::unsupported, "row " + std::to_string(at) + " has fields that this release does not know", {}, no_offset,
                     "leave newer fields at 0, or load a newer libprofkit"};
      if (part_of(row) >= of.size())
        return bad_row(at, "there is no " + std::string(part_name) + " " + std::to_string(part_of(row)) + ": " + std::to_string(of.size()) +
                               " were added");
      return std::nullopt;
    };
    Row row;
    for (std::size_t at = 0; at < count; ++at) {
      if (auto bad = read(at, row)) return std::move(*bad);
      const auto core = to_core(at, row);
      if (!core) return core.error();
      const numbered_part in = of[part_of(row)];
      if (const char* const why = builder->hosts[in.host].rows.why_not(in.number, *core)) return bad_row(at, why);
    }
    for (std::size_t at = 0; at < count; ++at) {
      read_row(rows, row_size, at, row);
      auto core = to_core(at, row);
      const numbered_part in = of[part_of(row)];
      core->source_row = ++builder->rows[in.host];
      add_row(builder->hosts[in.host].rows, in.number, *core);
    }
    return PK_OK;
  });
}

// Of one host the label of the trace; of several each has its own.
void label_hosts(pk_trace_builder& builder) {
  std::vector<recorded_file>& hosts = builder.hosts;
  if (hosts.size() == 1) {
    hosts.front().label = builder.label;
    return;
  }
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    const bool is_taken = hosts[at].host.empty() || std::any_of(hosts.begin(), hosts.end(), [&](const recorded_file& other) {
                            return &other != &hosts[at] && other.host == hosts[at].host;
                          });
    hosts[at].label = builder.label + "/" + hosts[at].host;
    if (is_taken) hosts[at].label += (hosts[at].host.empty() ? "host " : " ") + std::to_string(at);
  }
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::recording;
using profkit::result;

pk_status pk_trace_builder_new(const pk_trace_builder_options* options, pk_trace_builder** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    result<pk_trace_builder_options> given = read_sized_struct<pk_trace_builder_options>(options, "pk_trace_builder_options");
    if (!given) return std::move(given).error();
    if (given->flags != 0) return unknown_flags("pk_trace_builder_options", given->flags);
    if (!is_text(given->label)) return no_text("label");
    if (!is_text(given->recorder)) return no_text("recorder");
    auto made = std::make_unique<pk_trace_builder>();
    made->label = given->label.size == 0 ? "recording" : text_in(given->label);
    made->recorder = text_in(given->recorder);
    made->max_bytes = limit_of(given->max_bytes, standard_bytes);
    *out = made.release();
    return PK_OK;
  });
}

pk_status pk_trace_builder_add_host(pk_trace_builder* builder, const pk_trace_host* host, uint32_t* out, pk_error** err) noexcept {
  if (out) *out = 0;
  return guard(err, [&]() -> result<pk_status> {
    const result<pk_trace_host> given = read_part(builder, host, "host", "pk_trace_host", out);
    if (!given) return given.error();
    constexpr std::uint32_t known = std::uint32_t{PK_TRACE_HOST_HAS_RANK} | std::uint32_t{PK_TRACE_HOST_HAS_ORIGIN};
    if ((given->flags & ~known) != 0) return unknown_flags("pk_trace_host", given->flags);
    if (!is_text(given->name)) return no_text("name");
    const bool has_rank = (given->flags & PK_TRACE_HOST_HAS_RANK) != 0, has_origin = (given->flags & PK_TRACE_HOST_HAS_ORIGIN) != 0;
    if (given->world_size < 0 || (has_rank && given->rank < 0)) return invalid_argument("the rank or the world size is negative");
    if (has_origin && given->origin_unix_ns < 0) return invalid_argument("pk_trace_host::origin_unix_ns is negative");
    if (builder->hosts.size() >= most_parts) return too_many("hosts");
    profkit::recorded_file& made = builder->hosts.emplace_back();
    builder->rows.push_back(0);
    made.host = text_in(given->name);
    made.rows.set_recorder(builder->recorder);
    made.rows.set_rank(has_rank ? given->rank : -1, given->world_size);
    if (has_origin) made.rows.set_origin_unix_ns(given->origin_unix_ns);
    *out = static_cast<std::uint32_t>(builder->hosts.size() - 1);
    return PK_OK;
  });
}

pk_status pk_trace_builder_add_device(pk_trace_builder* builder, const pk_trace_device* device, uint32_t* out, pk_error** err) noexcept {
  return add_part(builder, device, "pk_trace_device", out, err, &pk_trace_builder::devices, "devices",
                  [&](const pk_trace_device& given) -> result<numbered_part> {
                    if ((given.flags & ~std::uint32_t{PK_TRACE_DEVICE_HAS_ORDINAL}) != 0)
                      return unknown_flags("pk_trace_device", given.flags);
                    if (!is_text(given.name)) return no_text("name");
                    if (!is_text(given.model)) return no_text("model");
                    if (is_outside(given.accelerator, PK_ACCELERATOR_NPU))
                      return invalid_argument("there is no accelerator " + std::to_string(given.accelerator), "use a PK_ACCELERATOR_");
                    const bool has_ordinal = (given.flags & PK_TRACE_DEVICE_HAS_ORDINAL) != 0;
                    if (has_ordinal && given.ordinal < 0) return invalid_argument("pk_trace_device::ordinal is negative");
                    const result<std::uint32_t> host = host_numbered(*builder, given.host);
                    if (!host) return host.error();
                    builder->streams_of.push_back(0);
                    return numbered_part{*host, builder->hosts[*host].rows.add_device(text_in(given.name),
                                                                                       static_cast<profkit::accelerator>(given.accelerator),
                                                                                       has_ordinal ? given.ordinal : -1, text_in(given.model))};
                  });
}

pk_status pk_trace_builder_add_stream(pk_trace_builder* builder, const pk_trace_stream* stream, uint32_t* out, pk_error** err) noexcept {
  if (out) *out = 0;
  return guard(err, [&]() -> result<pk_status> {
    const result<pk_trace_stream> given = read_part(builder, stream, "stream", "pk_trace_stream", out);
    if (!given) return given.error();
    if (!is_text(given->name)) return no_text("name");
    if (given->device >= builder->devices.size()) return no_such("device", given->device, builder->devices.size());
    if (builder->streams_of[given->device] >= most_parts) return too_many("streams of this device");
    const numbered_part device = builder->devices[given->device];
    const std::uint32_t made = builder->hosts[device.host].rows.add_stream(device.number, given->id, text_in(given->name));
    ++builder->streams_of[given->device];
    builder->streams.push_back({device.host, made});
    *out = static_cast<std::uint32_t>(builder->streams.size() - 1);
    return PK_OK;
  });
}

pk_status pk_trace_builder_add_thread(pk_trace_builder* builder, const pk_trace_thread* thread, uint32_t* out, pk_error** err) noexcept {
  return add_part(builder, thread, "pk_trace_thread", out, err, &pk_trace_builder::threads, "threads",
                  [&](const pk_trace_thread& given) -> result<numbered_part> {
                    if (!is_text(given.process)) return no_text("process");
                    if (!is_text(given.name)) return no_text("name");
                    const result<std::uint32_t> host = host_numbered(*builder, given.host);
                    if (!host) return host.error();
                    return numbered_part{*host, builder->hosts[*host].rows.add_thread(text_in(given.process), text_in(given.name))};
                  });
}

pk_status pk_trace_builder_add_counter(pk_trace_builder* builder, const pk_trace_counter* counter, uint32_t* out,
                                       pk_error** err) noexcept {
  return add_part(builder, counter, "pk_trace_counter", out, err, &pk_trace_builder::counters, "counters",
                  [&](const pk_trace_counter& given) -> result<numbered_part> {
                    if (!is_text(given.process)) return no_text("process");
                    if (!is_text(given.name)) return no_text("name");
                    if (!is_text(given.unit)) return no_text("unit");
                    const result<part_owner> owner = whose(*builder, given.flags, given.owner, given.reserved, "pk_trace_counter");
                    if (!owner) return owner.error();
                    recording& rows = builder->hosts[owner->host].rows;
                    const std::string_view name = text_in(given.name), unit = text_in(given.unit);
                    return numbered_part{owner->host, owner->device ? rows.add_counter(*owner->device, name, unit)
                                                                    : rows.add_process_counter(text_in(given.process), name, unit)};
                  });
}

pk_status pk_trace_builder_add_allocator(pk_trace_builder* builder, const pk_trace_allocator* allocator, uint32_t* out,
                                         pk_error** err) noexcept {
  return add_part(builder, allocator, "pk_trace_allocator", out, err, &pk_trace_builder::allocators, "allocators",
                  [&](const pk_trace_allocator& given) -> result<numbered_part> {
                    if (!is_text(given.name)) return no_text("name");
                    const result<part_owner> owner = whose(*builder, given.flags, given.owner, given.reserved, "pk_trace_allocator");
                    if (!owner) return owner.error();
                    return numbered_part{owner->host, builder->hosts[owner->host].rows.add_allocator(owner->device, text_in(given.name))};
                  });
}

pk_status pk_trace_builder_add_kernels(pk_trace_builder* builder, const pk_trace_kernel* rows, size_t row_size, size_t count,
                                       pk_error** err) noexcept {
  return add_rows(builder, rows, row_size, count, "pk_trace_kernel", &pk_trace_builder::streams, "stream", err);
}
pk_status pk_trace_builder_add_spans(pk_trace_builder* builder, const pk_trace_span* rows, size_t row_size, size_t count,
                                     pk_error** err) noexcept {
  return add_rows(builder, rows, row_size, count, "pk_trace_span", &pk_trace_builder::threads, "thread", err);
}
pk_status pk_trace_builder_add_steps(pk_trace_builder* builder, const pk_trace_step* rows, size_t row_size, size_t count,
                                     pk_error** err) noexcept {
  return add_rows(builder, rows, row_size, count, "pk_trace_step", &pk_trace_builder::threads, "thread", err);
}
pk_status pk_trace_builder_add_values(pk_trace_builder* builder, const pk_trace_value* rows, size_t row_size, size_t count,
                                      pk_error** err) noexcept {
  return add_rows(builder, rows, row_size, count, "pk_trace_value", &pk_trace_builder::counters, "counter", err);
}
pk_status pk_trace_builder_add_allocations(pk_trace_builder* builder, const pk_trace_allocation* rows, size_t row_size, size_t count,
                                           pk_error** err) noexcept {
  return add_rows(builder, rows, row_size, count, "pk_trace_allocation", &pk_trace_builder::allocators, "allocator", err);
}

pk_status pk_trace_builder_finish(pk_trace_builder* builder, pk_profile** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (result<void> open = check_open(builder); !open) return std::move(open).error();
    if (!out) return null_argument("out");
    if (builder->hosts.empty()) return invalid_argument("the trace has no host", "add one with pk_trace_builder_add_host()");
    label_hosts(*builder);
    builder->finished = true;
    result<std::shared_ptr<const profkit::profile>> made = profkit::profile::open_recordings(std::exchange(builder->hosts, {}));
    if (!made) return std::move(made).error();
    *out = handle_of(std::move(*made)).release();
    return PK_OK;
  });
}

void pk_trace_builder_free(pk_trace_builder* builder) noexcept { delete builder; }
