// What comes out of a capture that is pushed, and what a profile that holds all of it has, in the same words.
#pragma once
#include <profkit/core/xspace_push.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace profkit::test {

// Texts of planes; the names of events are looked up when their plane is whole.
class capture_text {
 public:
  void line(std::int64_t id, std::string_view name, std::string_view display_name, std::int64_t timestamp_ns) {
    rows_.push_back({"  line " + std::to_string(id) + " \"" + std::string(name) + "\" \"" + std::string(display_name) + "\" at " +
                         std::to_string(timestamp_ns),
                     0, false});
  }
  void event(const event_row& e) {
    rows_.push_back({"    " + std::to_string(e.offset_ps) + " for " + std::to_string(e.duration_ps) + " times " +
                         std::to_string(e.num_occurrences) + " flags " + std::to_string(e.flags) + " stats " +
                         std::string(e.stats, e.stats_bytes),
                     e.metadata_id, true});
  }
  void plane(const plane_index& p) {
    text += "plane " + std::to_string(p.id) + " \"" + std::string(p.name) + "\", " + std::to_string(p.lines.size()) + " lines\n";
    for (const auto& r : rows_) {
      text += r.text;
      if (r.is_event)
        text += " id " + std::to_string(r.id) + " \"" + std::string(p.event_name(r.id)) + "\" \"" +
                std::string(p.event_display_name(r.id)) + "\"";
      text += "\n";
    }
    rows_.clear();
    for (const std::string_view entry : p.stat_metadata_entries)
      text += "  stat \"" + std::string(stat_metadata_view(entry).name()) + "\"\n";
    for (const std::string_view entry : p.stats) text += "  has " + std::string(entry) + "\n";
  }
  std::string text;

 private:
  struct row {
    std::string text;
    std::int64_t id;
    bool is_event;
  };
  std::vector<row> rows_;
};

struct push_recorder final : xspace_push_visitor {
  capture_text said;
  std::vector<fault> damages;
  std::vector<std::string> notes;
  std::vector<pushed_line> lines;  // as line_end() had them; texts are gone
  std::vector<pushed_line> heads;  // as line_begin() had them
  std::uint64_t events_out = 0, planes_begun = 0, planes_out = 0;
  std::string last_plane_name;
  bool in_order = true;

  bool plane_begin(const pushed_plane& plane) override {
    in_order = in_order && planes_begun == planes_out;
    ++planes_begun;
    last_plane_name = plane.name;
    return true;
  }
  bool line_begin(const pushed_line& line) override {
    in_order = in_order && planes_begun == planes_out + 1 && heads.size() == lines.size() && line.event_count == 0;
    events_of_line_.clear();
    heads.push_back(line);
    return true;
  }
  bool events(const pushed_line& line, const event_row* rows, std::size_t count) override {
    in_order = in_order && heads.size() == lines.size() + 1 && line.event_count == events_of_line_.size() && count != 0;
    for (std::size_t i = 0; i < count; ++i) {
      events_of_line_.push_back(rows[i]);
      stats_.emplace_back(rows[i].stats, rows[i].stats_bytes);
    }
    events_out += count;
    return true;
  }
  bool line_end(const pushed_line& line) override {
    in_order = in_order && line.event_count == events_of_line_.size();
    said.line(line.id, line.name, line.display_name, line.timestamp_ns);
    for (std::size_t i = 0; i < events_of_line_.size(); ++i) {
      event_row row = events_of_line_[i];
      row.stats = stats_[i].data();
      said.event(row);
    }
    events_of_line_.clear();
    stats_.clear();
    lines.push_back(line);
    return true;
  }
  bool plane_end(std::uint32_t plane, const held_bytes& rest) override {
    in_order = in_order && ++planes_out == planes_begun && heads.size() == lines.size() && plane + 1 >= planes_out;
    const xspace_index index = index_xspace(rest.bytes);
    in_order = in_order && index.planes.size() == 1 && rest.owner != nullptr && index.damage.has_value() == rest.damage.has_value();
    if (in_order) said.plane(index.planes.front());
    return true;
  }
  bool note(note_kind kind, std::string_view text) override {
    notes.push_back(std::to_string(static_cast<int>(kind)) + std::string(text));
    return true;
  }
  bool damage(const fault& why) override {
    damages.push_back(why);
    return true;
  }

 private:
  std::vector<event_row> events_of_line_;
  std::vector<std::string> stats_;
};

// Pushes all of it in pieces of so many bytes, each in a block of its own.
inline result<void> push_all(xspace_push_reader& reader, std::string_view bytes, std::size_t piece_bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
    const std::vector<char> piece(bytes.data() + at, bytes.data() + at + std::min(piece_bytes, bytes.size() - at));
    if (auto pushed = reader.push({piece.data(), piece.size()}); !pushed) return pushed;
  }
  return reader.finish();
}

// What the index of the whole file and a scan of each of its lines have. `damaged`: a line was found to be.
inline std::string held_text(const xspace_index& index, bool& damaged) {
  capture_text said;
  std::array<event_row, 100> rows;
  for (const plane_index& plane : index.planes) {
    for (const line_index& line : plane.lines) {
      const line_header header = complete_header(line);
      said.line(header.id, header.name, header.display_name, header.timestamp_ns);
      event_scanner scan(line.body, scan_variant::portable);
      while (const std::size_t count = scan.next(rows.data(), rows.size()))
        for (std::size_t i = 0; i < count; ++i) said.event(rows[i]);
      damaged = damaged || !scan.ok();
    }
    said.plane(plane);
  }
  return said.text;
}

}  // namespace profkit::test
