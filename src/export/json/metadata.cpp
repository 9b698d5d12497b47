#include <export/json/document.hpp>

#include <deque>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

class metadata_writer final : public metadata_visitor {
 public:
  explicit metadata_writer(json_writer& out) : out_(out) {}

  void file(const metadata_file& facts) override {
    any_ = any_ || !facts.members.empty();
    kept_.emplace_back(facts);
  }
  void begin_plane(const tree_plane& plane) override {
    any_ = true;
    out_.begin_object();
    out_.field("file", plane.file);
    out_.field("plane", plane.plane);
    out_.field_id("id", plane.id);
    out_.field("name", plane.name);
    out_.field("kind", plane_kind_name(plane.kind));
    out_.field("event_metadata", plane.event_metadata);
    out_.field("stat_metadata", plane.stat_metadata);
    write_plane_process(out_, plane, true);
    if (plane.rows) out_.field("rows", *plane.rows);
    out_.key("event_entries");
    out_.begin_array();
  }
  void event_metadata(const metadata_event_row& row) override {
    out_.begin_object();
    write_key(row.has_key, row.key);
    out_.field("name", row.name);
    out_.field("display_name", row.display_name);
    if (!row.has_key) {
      out_.field("category", row.category);
      out_.field("phases", row.phases);
      out_.field("count", row.count);
      out_.key("arguments");
      out_.begin_array(min_notes);
      for (const std::string_view argument : row.arguments) out_.value(argument);
      out_.end_array();
    }
    out_.key("child_ids");
    out_.begin_array(min_notes);
    for (const std::int64_t id : row.child_ids) out_.id(id);
    out_.end_array();
    write_stat_list(out_, "stats", row.stats);
    out_.end_object();
  }
  void end_event_metadata(std::uint64_t left_out) override {
    out_.left_out(left_out);
    out_.field("event_entries_left_out", out_.end_array());
    out_.key("stat_entries");
    out_.begin_array();
  }
  void stat_metadata(const metadata_stat_row& row) override {
    out_.begin_object();
    write_key(row.has_key, row.key);
    out_.field("name", row.name);
    out_.field("description", row.description);
    if (!row.has_key) out_.field("count", row.count);
    out_.end_object();
  }
  void end_stat_metadata(std::uint64_t left_out) override {
    out_.left_out(left_out);
    out_.field("stat_entries_left_out", out_.end_array());
  }
  void end_plane() override { out_.end_object(); }

  // What files that are no XSpace say of themselves.
  void write_facts() {
    if (kept_.empty()) return;
    out_.key("file_facts");
    out_.begin_array(min_inputs);
    for (const kept_facts& kept : kept_) {
      const metadata_file& facts = kept.facts;
      out_.begin_object();
      out_.field("file", facts.file);
      const std::uint64_t left_out = write_objects(out_, "members", facts.members, [&](const metadata_member& member) {
        fields_of_stat(out_, member.value);
        out_.field("bytes", member.bytes);
        out_.field("is_cut", member.is_cut);
      }, 0, facts.members_left_out);
      out_.field("members_left_out", left_out);
      out_.end_object();
    }
    out_.end_array();
  }

  [[nodiscard]] bool any() const noexcept { return any_; }

 private:
  // Facts with texts of their own: they are written after the planes.
  struct kept_facts {
    explicit kept_facts(const metadata_file& of) : facts(of) {
      for (metadata_member& member : facts.members) {
        member.value.name = texts.emplace_back(member.value.name);
        member.value.text = texts.emplace_back(member.value.text);
      }
    }
    std::deque<std::string> texts;
    metadata_file facts;
  };

  void write_key(bool has_key, std::int64_t key) {
    write_optional_id(out_, "metadata_id", has_key ? std::optional<std::int64_t>(key) : std::nullopt);
  }

  json_writer& out_;
  std::deque<kept_facts> kept_;
  bool any_ = false;
};

}  // namespace

result<document_status> write_metadata(json_writer& out, const trace& t, const query_filters& o,
                                       const hooks& host) {
  const profile& p = t.files();
  begin_document(out, document::metadata);
  out.key("planes");
  out.begin_array(min_notes);
  metadata_writer writer(out);
  const result<std::vector<file_damage>> damage = walk_metadata(t, writer, o, host);
  if (!damage) return damage.error();
  out.end_array();
  writer.write_facts();
  write_files(out, p);
  write_damage(out, *damage, checked_by(document::metadata, p, o));
  const verdict v = judge(p, writer.any() ? "" : why_no_planes(p), *damage);
  write_verdict(out, v);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
