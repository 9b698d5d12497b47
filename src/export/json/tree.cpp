#include <export/json/document.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

// Writes what is visited as it comes: the tree can be larger than memory.
class tree_writer final : public tree_visitor {
 public:
  explicit tree_writer(json_writer& out) : out_(out) {}

  void begin_file(std::uint32_t file, const file_info& header) override {
    file_ = file;
    out_.begin_object();
    out_.field("file", file);
    out_.field("path", std::string_view(header.path));
    write_strings(out_, "hosts", header.hosts);
    write_strings(out_, "errors", header.errors);
    write_strings(out_, "warnings", header.warnings);
    write_optional_id(out_, "origin_unix_ns", header.origin_unix_ns);
    out_.key("planes");
    out_.begin_array(min_notes);
  }
  void begin_plane(const tree_plane& plane) override {
    any_plane_ = true;
    out_.begin_object();
    out_.field("plane", plane.plane);
    out_.field_id("id", plane.id);
    out_.field("name", plane.name);
    out_.field("kind", plane_kind_name(plane.kind));
    out_.field("line_count", plane.lines);
    out_.field("event_metadata", plane.event_metadata);
    out_.field("stat_metadata", plane.stat_metadata);
    write_stat_list(out_, "stats", plane.stats);
    write_plane_process(out_, plane, false);
    if (plane.rows) out_.field("rows", *plane.rows);
    out_.key("lines");
    out_.begin_array();
  }
  void begin_line(const tree_line& line) override {
    const line_header& header = line.header;
    out_.begin_object();
    out_.field("line", line.line);
    out_.field_id("id", header.id);
    out_.field_id("display_id", header.display_id);
    out_.field("name", header.name);
    out_.field("display_name", header.display_name);
    out_.field("kind", line_kind_name(line.kind));
    out_.field_id("timestamp_ns", header.timestamp_ns);
    out_.field("duration_ps", header.duration_ps);
    out_.field("event_count", line.events);
    if (line.thread) {
      out_.field("tid", line.thread->tid);
      write_optional(out_, "sort_index", line.thread->sort_index);
    }
    out_.key("events");
    out_.begin_array();
  }
  void event(const tree_event& e) override {
    out_.begin_object();
    write_optional_id(out_, "metadata_id", of_case(e.has_metadata_id, e.metadata_id));
    out_.field("name", e.name);
    out_.field("display_name", e.display_name);
    if (!e.has_metadata_id) {
      out_.field("category", e.category);
      out_.field("phase", e.phase);
      if (!e.id.empty()) out_.field("id", e.id);
    }
    write_optional(out_, "start_ps", e.start_ps);
    const event_data_case data = e.raw.data_case();
    write_optional(out_, "offset_ps", of_case(data == event_data_case::offset_ps, e.raw.offset_ps()));
    write_optional(out_, "num_occurrences", of_case(data == event_data_case::num_occurrences, e.raw.num_occurrences()));
    write_optional(out_, "duration_ps", e.duration_ps);
    out_.field("stat_count", e.stat_count);
    write_stat_list(out_, "stats", e.stats, e.stat_count - std::min<std::uint64_t>(e.stat_count, e.stats.size()));
    out_.end_object();
  }
  void end_line(std::uint64_t events_left_out) override {
    out_.left_out(events_left_out);
    out_.field("events_left_out", out_.end_array());
    out_.end_object();
  }
  void end_plane(std::uint64_t lines_left_out) override {
    out_.left_out(lines_left_out);
    out_.field("lines_left_out", out_.end_array());
    out_.end_object();
  }
  void end_file(const fault* damage) override {
    out_.end_array();
    out_.end_object();
    if (damage != nullptr) damage_.push_back({file_, *damage});
  }

  [[nodiscard]] const std::vector<file_damage>& damage() const noexcept { return damage_; }
  [[nodiscard]] bool any_plane() const noexcept { return any_plane_; }

 private:
  static std::optional<std::int64_t> of_case(bool holds, std::int64_t n) {
    return holds ? std::optional<std::int64_t>(n) : std::nullopt;
  }

  json_writer& out_;
  std::vector<file_damage> damage_;
  std::uint32_t file_ = 0;
  bool any_plane_ = false;
};

}  // namespace

result<document_status> write_tree(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  begin_document(out, document::tree);
  out.key("files");
  out.begin_array(min_inputs);
  tree_writer writer(out);
  if (result<void> walked = walk_tree(t, writer, o, host); !walked) return std::move(walked).error();
  out.end_array();
  write_damage(out, writer.damage(), checked_by(document::tree, p, o));
  const verdict v = judge(p, writer.any_plane() ? "" : why_no_planes(p), writer.damage());
  write_verdict(out, v);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
