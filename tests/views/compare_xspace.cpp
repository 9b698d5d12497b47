#include <map>

#include "compare.hpp"

namespace profkit::test {

namespace pb = oracle::xplane;

namespace {

void same_stat(comparison& c, const stat_view& view, const pb::XStat& message) {
  c.intact("stat", view.ok());
  c.equal("metadata_id", view.metadata_id(), message.metadata_id());
  c.equal("kind", static_cast<int>(view.kind()), static_cast<int>(message.value_case()));
  switch (message.value_case()) {
    case pb::XStat::kDoubleValue: {
      std::uint64_t bits = 0;
      const double value = message.double_value();
      std::memcpy(&bits, &value, sizeof bits);
      c.equal("double bits", view.as_uint64(), bits);
      if (value == value) c.equal("double_value", view.as_double(), value);
      break;
    }
    case pb::XStat::kUint64Value: c.equal("uint64_value", view.as_uint64(), message.uint64_value()); break;
    case pb::XStat::kInt64Value: c.equal("int64_value", view.as_int64(), message.int64_value()); break;
    case pb::XStat::kStrValue: c.equal("str_value", view.as_bytes(), message.str_value()); break;
    case pb::XStat::kBytesValue: c.equal("bytes_value", view.as_bytes(), message.bytes_value()); break;
    case pb::XStat::kRefValue:
      c.equal("ref_value", view.as_ref(), static_cast<std::int64_t>(message.ref_value()));
      break;
    case pb::XStat::VALUE_NOT_SET:
      c.equal("no value", view.as_uint64(), std::uint64_t{0});
      c.equal("no bytes", view.as_bytes(), std::string());
      break;
  }
}

void same_event(comparison& c, const event_view& view, const pb::XEvent& message) {
  c.intact("event", view.ok());
  c.equal("metadata_id", view.metadata_id(), message.metadata_id());
  c.equal("data", static_cast<int>(view.data_case()), static_cast<int>(message.data_case()));
  c.equal("offset_ps", view.offset_ps(), message.offset_ps());
  c.equal("num_occurrences", view.num_occurrences(), message.num_occurrences());
  c.equal("duration_ps", view.duration_ps(), message.duration_ps());
  c.list("stats", view.stats(), message.stats(), [&c](const auto& a, const auto& b) { same_stat(c, a, b); });
}

void same_line(comparison& c, const line_view& view, const pb::XLine& message) {
  const line_header header = view.header();
  c.intact("line", header.damage == nullptr);
  c.equal("id", header.id, message.id());
  c.equal("display_id", header.display_id, message.display_id());
  c.equal("name", header.name, message.name());
  c.equal("display_name", header.display_name, message.display_name());
  c.equal("timestamp_ns", header.timestamp_ns, message.timestamp_ns());
  c.equal("duration_ps", header.duration_ps, message.duration_ps());
  c.equal("event_count", header.event_count, static_cast<std::uint64_t>(message.events_size()));
  c.list("events", view.events(), message.events(), [&c](const auto& a, const auto& b) { same_event(c, a, b); });
}

void same_event_metadata(comparison& c, const event_metadata_view& view, const pb::XEventMetadata& message) {
  c.intact("event_metadata", view.ok());
  c.equal("id", view.id(), message.id());
  c.equal("name", view.name(), message.name());
  c.equal("display_name", view.display_name(), message.display_name());
  c.equal("metadata", view.metadata(), message.metadata());
  c.list("stats", view.stats(), message.stats(), [&c](const auto& a, const auto& b) { same_stat(c, a, b); });
  c.values("child_id", view.child_ids(), message.child_id());
}

void same_stat_metadata(comparison& c, const stat_metadata_view& view, const pb::XStatMetadata& message) {
  c.intact("stat_metadata", view.ok());
  c.equal("id", view.id(), message.id());
  c.equal("name", view.name(), message.name());
  c.equal("description", view.description(), message.description());
}

// The map as protobuf sees it, the index and the linear lookup must agree.
template <class View, class Range, class Map, class Linear, class Same>
void same_map(comparison& c, const Range& range, const Map& message, const metadata_index& index, Linear linear,
              Same same) {
  std::map<std::int64_t, View> last;
  auto it = range.begin();
  for (; it != range.end(); ++it) last[(*it).key()] = *it;
  c.intact("map", it.ok());
  c.intact("index", index.ok());
  c.equal("keys", last.size(), static_cast<std::size_t>(message.size()));
  for (const auto& [key, view] : last) {
    const auto found = message.find(key);
    if (found == message.end()) return c.equal("key", key, std::int64_t{-1});
    same(view, found->second);
    const metadata_entry entry = index.find(key);
    c.equal("index finds", entry.found, true);
    c.equal("index finds the last", entry.bytes.data() == view.bytes().data(), true);
    c.equal("linear finds the last", linear(key).bytes.data() == view.bytes().data(), true);
  }
  c.equal("index misses", index.find(0x5eed5eed).found, message.count(0x5eed5eed) != 0);
}

void same_plane(comparison& c, const plane_view& view, const pb::XPlane& message) {
  const plane_header header = view.header();
  c.intact("plane", view.ok());
  c.equal("id", view.id(), message.id());
  c.equal("name", view.name(), message.name());
  c.equal("line_count", header.line_count, static_cast<std::uint64_t>(message.lines_size()));
  c.equal("stat_count", header.stat_count, static_cast<std::uint64_t>(message.stats_size()));
  c.list("lines", view.lines(), message.lines(), [&c](const auto& a, const auto& b) { same_line(c, a, b); });
  c.list("stats", view.stats(), message.stats(), [&c](const auto& a, const auto& b) { same_stat(c, a, b); });

  std::vector<metadata_slot> slots(metadata_index::slots_needed(header.event_metadata_count));
  c.enter("event_metadata");
  same_map<event_metadata_view>(
      c, view.event_metadata(), message.event_metadata(),
      metadata_index::of_event_metadata(view, slots.data(), slots.size()),
      [&view](std::int64_t key) { return find_event_metadata_linear(view, key); },
      [&c](const auto& a, const auto& b) { same_event_metadata(c, a, b); });
  c.leave();
  c.enter("stat_metadata");
  slots.resize(metadata_index::slots_needed(header.stat_metadata_count));
  same_map<stat_metadata_view>(
      c, view.stat_metadata(), message.stat_metadata(),
      metadata_index::of_stat_metadata(view, slots.data(), slots.size()),
      [&view](std::int64_t key) { return find_stat_metadata_linear(view, key); },
      [&c](const auto& a, const auto& b) { same_stat_metadata(c, a, b); });
  c.leave();
}

}  // namespace

void compare(comparison& c, const xspace_view& view, const pb::XSpace& message) {
  c.intact("space", view.ok());
  c.list("planes", view.planes(), message.planes(), [&c](const auto& a, const auto& b) { same_plane(c, a, b); });
  c.values("errors", view.errors(), message.errors());
  c.values("warnings", view.warnings(), message.warnings());
  c.values("hostnames", view.hostnames(), message.hostnames());
}

}  // namespace profkit::test
