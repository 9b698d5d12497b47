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
    fields_of_metadata_plane(out_, plane);
    out_.key("event_entries");
    out_.begin_array();
  }
  void event_metadata(const metadata_event_row& row) override {
    out_.begin_object();
    fields_of_metadata_event_entry(out_, row);
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
    fields_of_metadata_stat_entry(out_, row);
    out_.end_object();
  }
  void end_stat_metadata(std::uint64_t left_out) override {
    out_.left_out(left_out);
    out_.field("stat_entries_left_out", out_.end_array());
  }
  void end_plane() override { out_.end_object(); }

  // What files other than XSpaces say of themselves.
  void write_facts() {
    if (kept_.empty()) return;
    write_objects(out_, "file_facts", kept_, [&](const kept_facts& kept) { fields_of_metadata_file_fact(out_, kept.facts); }, min_inputs);
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
