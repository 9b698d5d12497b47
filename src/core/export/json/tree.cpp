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
    fields_of_tree_file(out_, header);
    out_.key("planes");
    out_.begin_array(min_notes);
  }
  void begin_plane(const tree_plane& plane) override {
    any_plane_ = true;
    out_.begin_object();
    fields_of_tree_plane(out_, plane);
    out_.key("lines");
    out_.begin_array();
  }
  void begin_line(const tree_line& line) override {
    out_.begin_object();
    fields_of_tree_line(out_, line);
    out_.key("events");
    out_.begin_array();
  }
  void event(const tree_event& e) override {
    out_.begin_object();
    fields_of_tree_event(out_, e);
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
