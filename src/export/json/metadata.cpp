#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

class metadata_writer final : public metadata_visitor {
 public:
  explicit metadata_writer(json_writer& out) : out_(out) {}

  void begin_plane(const tree_plane& plane) override {
    any_plane_ = true;
    out_.begin_object();
    out_.field("file", plane.file);
    out_.field("plane", plane.plane);
    out_.field_id("id", plane.id);
    out_.field("name", plane.name);
    out_.field("kind", plane_kind_name(plane.kind));
    out_.field("event_metadata", plane.event_metadata);
    out_.field("stat_metadata", plane.stat_metadata);
    out_.key("event_entries");
    out_.begin_array();
  }
  void event_metadata(const metadata_event_row& row) override {
    out_.begin_object();
    out_.field_id("metadata_id", row.key);
    out_.field("name", row.name);
    out_.field("display_name", row.display_name);
    out_.key("child_ids");
    out_.begin_array();
    for (const std::int64_t id : row.child_ids) out_.id(id);
    out_.end_array();
    write_stat_list(out_, "stats", row.stats);
    out_.end_object();
  }
  void end_event_metadata(std::uint64_t left_out) override {
    out_.end_array();
    out_.field("event_entries_left_out", left_out);
    out_.key("stat_entries");
    out_.begin_array();
  }
  void stat_metadata(const metadata_stat_row& row) override {
    out_.begin_object();
    out_.field_id("metadata_id", row.key);
    out_.field("name", row.name);
    out_.field("description", row.description);
    out_.end_object();
  }
  void end_stat_metadata(std::uint64_t left_out) override {
    out_.end_array();
    out_.field("stat_entries_left_out", left_out);
  }
  void end_plane() override { out_.end_object(); }

  [[nodiscard]] std::string absence() const { return any_plane_ ? "" : "no XSpace plane in this part of the capture"; }

 private:
  json_writer& out_;
  bool any_plane_ = false;
};

}  // namespace

result<document_status> write_metadata(json_writer& out, const profile& p, const anatomy_options& o,
                                       const hooks& host) {
  begin_document(out, document::metadata);
  out.key("planes");
  out.begin_array();
  metadata_writer writer(out);
  const result<std::vector<file_damage>> damage = anatomy_metadata(p, writer, o, host);
  if (!damage) return damage.error();
  out.end_array();
  write_files(out, p);
  write_damage(out, *damage);
  const verdict v = judge(p, writer.absence(), *damage);
  write_verdict(out, v);
  out.end_object();
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
