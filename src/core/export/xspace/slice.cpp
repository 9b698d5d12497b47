// A smaller XSpace: the planes, lines and events that filters keep, copied byte for byte, with the metadata they name.
#include "export/trace/process_titles.hpp"
#include "export/trace/parts.hpp"

#include "base/hash_map.hpp"
#include "base/wire_encode.hpp"

#include <profkit/wire.hpp>

#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Bytes of the input in order; neighbours are joined.
class byte_runs {
 public:
  void add(std::string_view bytes) {
    size_ += bytes.size();
    if (!runs_.empty() && runs_.back().data() + runs_.back().size() == bytes.data())
      runs_.back() = std::string_view(runs_.back().data(), runs_.back().size() + bytes.size());
    else
      runs_.push_back(bytes);
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  result<void> write_to(sink& into) const {
    for (const std::string_view run : runs_)
      if (result<void> written = into.write(run); !written) return written;
    return {};
  }

 private:
  std::vector<std::string_view> runs_;
  std::uint64_t size_ = 0;
};

// Calls use(field, raw bytes of the field) for each field of a message, up to damage.
template <class Use>
void for_each_field(std::string_view message, Use&& use) {
  wire_reader reader(message);
  for (;;) {
    const char* const at = reader.position();
    wire_field field;
    if (!reader.next(field)) return;
    use(field, std::string_view(at, static_cast<std::size_t>(reader.position() - at)));
  }
}

class slicer {
 public:
  explicit slicer(const trace_job& job) : job_(job) {}

  result<void> write() {
    const std::size_t file = xspace_files(job_.p, job_.selected).front();
    const std::string_view bytes = job_.p.bytes(file);
    const xspace_index& space = *job_.p.xspace(file);
    progress_meter progress(job_.o.host, bytes.size());
    std::size_t plane = 0;
    result<void> failed;
    for_each_field(bytes, [&](const wire_field& field, std::string_view raw) {
      if (!failed) return;
      if (!field.is_bytes(1)) {
        failed = job_.into.write(raw);
      } else if (plane < space.planes.size()) {
        failed = write_plane(file, plane++, raw, progress);
      }
    });
    // One that the end of the file or damage cut: what is intact of it.
    for (; failed && plane < space.planes.size(); ++plane) failed = write_plane(file, plane, {}, progress);
    return failed;
  }

 private:
  struct kept_line {
    std::string head;  // tag and length
    byte_runs body;
  };

  // `raw`: the whole field of the plane; empty where it is not whole.
  result<void> write_plane(std::size_t file, std::size_t at, std::string_view raw, progress_meter& progress) {
    const plane_index& plane = job_.p.xspace(file)->planes[at];
    const bool by_line = !job_.o.filters.line.empty();
    const bool is_whole = !raw.empty() && is_intact(plane);
    // Planes with the origin of times or with compiled modules have no events to filter.
    if (plane.kind == plane_kind::environment && is_whole) return job_.into.write(raw);
    if (!job_.selected.plane(plane) && plane.kind != plane_kind::environment) return {};
    if (is_whole && (plane.lines.empty() || (!by_line && !filters_events(job_.o.filters)))) {
      for (const line_index& line : plane.lines) count_whole(line);
      return job_.into.write(raw);
    }
    const event_filter filter = job_.selected.events_of(file, at);
    used_events_.clear();
    used_stats_.clear();
    std::vector<kept_line> lines;
    for (const line_index& line : plane.lines) {
      if (!job_.selected.line(line)) continue;
      if (result<void> step = progress.step(line.offset); !step) return step;
      kept_line kept = keep_events(file, plane, line, filter);
      if (kept.body.size() != 0) lines.push_back(std::move(kept));
    }
    if (lines.empty() && (is_whole || (plane.stats.empty() && !plane.lines.empty()))) return {};
    return put_together(plane, lines);
  }

  // Whether all of its bytes can be read: a copy of others would be as damaged.
  static bool is_intact(const plane_index& plane) {
    wire_reader fields(plane.body);
    for (wire_field field; fields.next(field);) {
      if (!field.is_bytes(3)) continue;
      wire_reader reader(field.bytes);
      for (wire_field of_line; reader.next(of_line);)
        if (of_line.is_bytes(4) && !is_intact_event(of_line.bytes)) return false;
      if (!reader.ok()) return false;
    }
    return fields.ok();
  }
  static bool is_intact_event(std::string_view bytes) {
    wire_reader reader(bytes);
    for (wire_field field; reader.next(field);) {}
    return reader.ok();
  }

  void count_whole(const line_index& line) {
    const std::uint64_t events = count_events(line.body);
    job_.outcome.events += events;
    if (events != 0) ++job_.outcome.tracks;
  }

  kept_line keep_events(std::size_t file, const plane_index& plane, const line_index& line,
                        const event_filter& filter) {
    kept_line kept;
    const line_clock clock(job_.p, file, line, complete_header(line));
    std::uint64_t events = 0;
    wire_reader reader(line.body);
    for (;;) {
      const char* const at = reader.position();
      wire_field field;
      if (!reader.next(field)) break;
      if (field.is_bytes(4) && !is_intact_event(field.bytes)) {
        note_broken(file, plane, line, field.bytes.data());
        continue;
      }
      if (field.is_bytes(4)) {
        const event_view event(field.bytes, line.body.data() + line.body.size());
        event_row row{};
        row.metadata_id = event.metadata_id();
        row.offset_ps = event.offset_ps();
        row.duration_ps = event.duration_ps();
        row.flags = event.data_case() == event_data_case::num_occurrences ? event_has_occurrences : event_has_offset;
        if (!filter.keeps_all() && !filter.keeps(row, clock.start_of(row))) {
          if ((row.flags & event_has_occurrences) != 0) ++job_.outcome.aggregated_left_out;
          continue;
        }
        used_events_.insert(event.metadata_id());
        for (const stat_view stat : event.stats()) use_stat(stat);
        ++events;
      }
      kept.body.add(std::string_view(at, static_cast<std::size_t>(reader.position() - at)));
    }
    if (!reader.ok()) note_broken(file, plane, line, reader.position());
    if (events == 0) return {};
    job_.outcome.events += events;
    ++job_.outcome.tracks;
    append_delimited_head(kept.head, 3, kept.body.size());
    return kept;
  }

  void note_broken(std::size_t file, const plane_index& plane, const line_index& line, const char* at) {
    job_.damage.note_line(file, plane, line, static_cast<std::uint64_t>(at - line.body.data()), "an event breaks the protobuf format");
  }

  void use_stat(const stat_view& stat) {
    used_stats_.insert(stat.metadata_id());
    if (stat.kind() == stat_kind::ref_value) used_stats_.insert(stat.as_ref());
  }

  // Operations that kept events name, and those that these name in turn.
  void follow_children(const plane_index& plane) {
    std::vector<std::int64_t> open(used_events_.begin(), used_events_.end());
    while (!open.empty()) {
      const std::int64_t id = open.back();
      open.pop_back();
      const metadata_entry found = plane.event_metadata.find(id);
      if (!found) continue;
      const event_metadata_view entry(found.bytes);
      for (const stat_view stat : entry.stats()) use_stat(stat);
      for (const std::uint64_t child : entry.child_ids())
        if (used_events_.insert(static_cast<std::int64_t>(child)).second) open.push_back(static_cast<std::int64_t>(child));
    }
    for (const std::string_view stat : plane.stats) use_stat(stat_view(stat));
  }

  result<void> put_together(const plane_index& plane, const std::vector<kept_line>& lines) {
    follow_children(plane);
    byte_runs rest;  // everything but the lines
    for_each_field(plane.body, [&](const wire_field& field, std::string_view raw) {
      if (field.is_bytes(3)) return;
      if (field.is_bytes(4) && !used_events_.contains(detail::int64_map_entry(field.bytes).key)) return;
      if (field.is_bytes(5) && !used_stats_.contains(detail::int64_map_entry(field.bytes).key)) return;
      rest.add(raw);
    });
    std::uint64_t size = rest.size();
    for (const kept_line& line : lines) size += line.head.size() + line.body.size();
    std::string head;
    append_delimited_head(head, 1, size);
    if (result<void> written = job_.into.write(head); !written) return written;
    for (const kept_line& line : lines) {
      if (result<void> written = job_.into.write(line.head); !written) return written;
      if (result<void> written = line.body.write_to(job_.into); !written) return written;
    }
    return rest.write_to(job_.into);
  }

  const trace_job& job_;
  hash_set<std::int64_t> used_events_, used_stats_;
};

}  // namespace

result<void> write_xspace_slice(const trace_job& job) { return slicer(job).write(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
