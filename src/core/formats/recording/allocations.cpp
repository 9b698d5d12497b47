// The allocations of a recording as the analysis of memory reads them: MemoryAllocation and MemoryDeallocation of a host.
#include <formats/recording/saved.hpp>

#include <profkit/core/sink.hpp>
#include <profkit/core/xspace_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using recorded_allocator = recording::contents::allocator;

// The ids of the one plane.
struct allocation_ids {
  explicit allocation_ids(xspace_writer& w)
      : allocation(w.event_metadata(allocation_name)),
        deallocation(w.event_metadata(deallocation_name)),
        name(w.stat_metadata("allocator_name")),
        address(w.stat_metadata("addr")),
        requested(w.stat_metadata("requested_bytes")),
        held(w.stat_metadata("allocation_bytes")),
        op(w.stat_metadata("tf_op")) {}
  std::int64_t allocation, deallocation, name, address, requested, held, op;
};

void write_allocator(xspace_writer& into, const allocation_ids& ids, const string_table& texts, const recorded_allocator& of) {
  const std::int64_t named = into.stat_metadata(texts.text(of.name));
  std::vector<recorded_allocator::row> rows = of.rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const recorded_allocator::row& a, const recorded_allocator::row& b) { return a.at_ps < b.at_ps; });
  for (const recorded_allocator::row& row : rows) {
    into.add_event(row.is_free ? ids.deallocation : ids.allocation, row.at_ps, 0);
    into.add_event_stat(ids.name, stat_value::of_ref(named));
    into.add_event_stat(ids.address, stat_value::of_uint64(row.address));
    into.add_event_stat(ids.requested, stat_value::of_int64(row.bytes));
    into.add_event_stat(ids.held, stat_value::of_int64(row.held_bytes));
    if (row.op != 0) into.add_event_stat(ids.op, stat_value::of_ref(into.stat_metadata(texts.text(row.op))));
  }
}

}  // namespace

result<std::string> write_allocations(const recording::contents& from) {
  std::string bytes;
  const bool any = std::any_of(from.allocators.begin(), from.allocators.end(),
                               [](const recorded_allocator& a) { return !a.rows.empty(); });
  if (!any) return bytes;
  const std::unique_ptr<sink> into = memory_sink(bytes);
  xspace_writer writer(*into);
  writer.begin_plane("/host:CPU");
  const allocation_ids ids(writer);
  for (std::size_t at = 0; at < from.allocators.size(); ++at) {
    line_to_write line;
    line.id = static_cast<std::int64_t>(at);
    line.name = from.texts.text(from.allocators[at].name);
    writer.begin_line(line);
    write_allocator(writer, ids, from.texts, from.allocators[at]);
    writer.end_line();
  }
  writer.end_plane();
  if (result<void> done = writer.finish(); !done) return std::move(done).error();
  if (result<void> done = into->finish(); !done) return std::move(done).error();
  return bytes;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
