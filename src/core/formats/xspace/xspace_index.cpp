// The index of an XSpace: planes, lines and metadata entries found by hopping over lengths.
#include <formats/xspace/xspace_index.hpp>

#include <profkit/wire.hpp>
#include <formats/xspace/plane_node.hpp>
#include <formats/xspace/usual_metadata.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_entries =
    metadata_lookup::max_entries;                        // metadata entries and stats of planes, of the file
constexpr std::size_t max_texts = std::size_t{1} << 20;  // errors, warnings and host names

class indexer {
 public:
  indexer(std::string_view bytes, std::shared_ptr<const reduced_from> from) : bytes_(bytes) {
    found_.bytes = bytes;
    found_.from = std::move(from);
  }

  xspace_index run() {
    wire_reader reader(bytes_);
    wire_field field;
    while (reader.next(field)) {
      if (!field.is_bytes(field.number)) continue;
      switch (field.number) {
        case 1: add_plane(field.bytes); break;
        case 2: add_text(found_.errors, field.bytes); break;
        case 3: add_text(found_.warnings, field.bytes); break;
        case 4: add_text(found_.hostnames, field.bytes); break;
        default: break;
      }
    }
    if (!reader.ok()) {
      if (reader.clipped() && field.number == 1 && !field.bytes.empty()) {
        // The message names where the file was cut; what is intact of the last plane is kept.
        note_damage(reader.position(), "the file ends inside a plane");
        add_plane(field.bytes);
      } else {
        note_damage(reader.position(),
                    reader.clipped() ? "the file ends inside a field" : "no protobuf field can start here");
      }
    }
    if (found_.damage) check_text_conversion();
    return std::move(found_);
  }

 private:
  std::uint64_t offset_of(const char* at) const noexcept { return found_.offset_of(at); }

  void note_damage(const char* at, const char* what) {
    if (found_.damage) return;
    fault f;
    f.code = fault_code::damaged;
    f.byte_offset = offset_of(at);
    f.message = std::string("damaged XSpace at byte ") + std::to_string(f.byte_offset) + ": " + what;
    const bool is_first = found_.planes.empty() && !(found_.from && found_.from->after_planes);
    f.hint = is_first ? "No plane comes before it. " : "Everything intact is shown. ";
    f.hint += "Fetch the file again if it was copied; a profile whose writer was stopped ends like this, too.";
    found_.damage = std::move(f);
  }

  // Whether one more is allowed of what there are `used` of; when not, the fault is noted.
  bool allowed(std::size_t used, std::size_t most, const char* what, const char* at) {
    return used < most || refuse(most, what, at);
  }
  bool refuse(std::size_t most, const char* what, const char* at) {
    if (found_.damage) return false;
    fault f;
    f.code = fault_code::limit;
    f.byte_offset = offset_of(at);
    f.message = "more than " + std::to_string(most) + " " + what + "; the others are left out";
    f.hint = "No profiler writes such a file: it is damaged or made up.";
    found_.damage = std::move(f);
    return false;
  }

  void add_text(std::vector<std::string_view>& texts, std::string_view text) {
    if (allowed(texts_++, max_texts, "errors, warnings and host names", text.data())) texts.push_back(text);
  }

  void add_plane(std::string_view body) {
    if (!allowed(found_.planes.size(), max_planes, "planes", body.data())) return;
    plane_index& plane = found_.planes.emplace_back();
    plane.body = body;
    plane.offset = found_.beginning_of(body);
    const plane_header counts = plane_view(body).header();
    plane.id = counts.id;
    plane.name = counts.name;
    plane.kind = classify_plane(plane.name);
    plane.device = plane.kind == plane_kind::device ? device_ordinal(plane.name) : -1;
    plane.lines.reserve(std::min<std::size_t>(counts.line_count, max_lines) + (counts.damage != nullptr ? 1 : 0));
    plane.event_metadata_entries = {body, std::min<std::size_t>(counts.event_metadata_count, max_entries)};
    plane.stat_metadata_entries = {body, std::min<std::size_t>(counts.stat_metadata_count, max_entries)};
    plane.stats.reserve(std::min<std::size_t>(counts.stat_count, max_entries));

    wire_reader reader(body);
    wire_field field;
    for (const char* at = body.data(); reader.next(field); at = reader.position()) {
      if (!field.is_bytes(field.number)) continue;
      switch (field.number) {
        case 3: add_line(plane, field.bytes); break;
        case 4:
          if (!allowed(entries_++, max_entries, "metadata entries", field.bytes.data())) break;
          plane.event_metadata_entries.add(at);
          check_entry(is_usual(field.bytes) || event_metadata_view(field.bytes).ok(), field.bytes);
          break;
        case 5:
          if (!allowed(entries_++, max_entries, "metadata entries", field.bytes.data())) break;
          plane.stat_metadata_entries.add(at);
          check_entry(is_usual(field.bytes) || stat_metadata_view(field.bytes).ok(), field.bytes);
          break;
        case 6:
          if (!allowed(entries_++, max_entries, "metadata entries", field.bytes.data())) break;
          plane.stats.push_back(field.bytes);
          if (!stat_view(field.bytes).ok()) note_damage(field.bytes.data(), "a plane stat is damaged");
          break;
        default: break;
      }
    }
    if (!reader.ok()) {
      note_damage(reader.position(),
                  reader.clipped() ? "a field runs past the end of its plane" : "no field of a plane can start here");
      if (reader.clipped() && field.number == 3 && !field.bytes.empty()) add_line(plane, field.bytes);
    }
    if (is_host_of_merge(plane)) {
      plane.kind = plane_kind::host;
      plane.device = -1;
      for (line_index& line : plane.lines) line.kind = classify_line(plane.kind, line.name(), line.header.id);
    }
    plane.event_metadata = metadata_lookup(plane.event_metadata_entries);
    plane.stat_metadata = metadata_lookup(plane.stat_metadata_entries);
  }

  static bool is_usual(std::string_view entry) noexcept {
    usual_metadata read;
    return read_usual_metadata(entry, read);
  }
  void check_entry(bool ok, std::string_view entry) {
    if (!ok) note_damage(entry.data(), "a metadata entry is damaged");
  }

  void add_line(plane_index& plane, std::string_view body) {
    if (!allowed(lines_++, max_lines, "lines", body.data())) return;
    line_index& line = plane.lines.emplace_back();
    line.body = body;
    line.offset = found_.beginning_of(body);
    if (body.size() <= short_line_bytes || !read_leading_header(line)) line.header = line_view(body).header();
    if (line.header.damage != nullptr) note_damage(line.header.damage, "a line is damaged");
    line.kind = classify_line(plane.kind, line.name(), line.header.id);
  }

  // The fields before the first event. False unless id, name and start are among them.
  static bool read_leading_header(line_index& line) noexcept {
    line_header& header = line.header;
    fields_before_events met;
    wire_reader reader(line.body);
    for (wire_field field; reader.next(field);) {
      if (field.is_bytes(4)) return met.are_whole();
      met.take(field);
      take_line_field(field, header);
    }
    return false;
  }

  // A text conversion writes EF BF BD (the replacement character) for every byte it could not decode.
  void check_text_conversion() {
    constexpr std::string_view replacement("\xef\xbf\xbd");
    const std::string_view sample =
        (found_.from ? std::string_view(found_.from->head) : bytes_).substr(0, text_sample_bytes);
    std::size_t times = 0;
    for (std::size_t at = sample.find(replacement); at != std::string_view::npos;
         at = sample.find(replacement, at + replacement.size()))
      ++times;
    if (times < 4 || times < sample.size() / 100) return;
    fault& f = *found_.damage;
    f.code = fault_code::text_mangled;
    f.message = "this file went through a text conversion: EF BF BD stands " + std::to_string(times) +
                " times in its first " + std::to_string(sample.size()) +
                " bytes, where binary bytes were that are not UTF-8; they are lost";
    f.hint =
        "Fetch the original again in binary mode (git: '*.pb binary' in .gitattributes; no text upload, "
        "no copy through an editor or a string).";
    found_.planes.clear();
  }

  std::string_view bytes_;
  xspace_index found_;
  std::size_t lines_ = 0, entries_ = 0, texts_ = 0;
};

std::string_view metadata_text(const metadata_lookup& index, std::int64_t id,
                               std::string_view (event_metadata_view::*text)() const noexcept) noexcept {
  const metadata_entry entry = index.find(id);
  return entry ? (event_metadata_view(entry.bytes).*text)() : std::string_view();
}

}  // namespace

std::string_view plane_index::event_name(std::int64_t metadata_id) const noexcept {
  return metadata_text(event_metadata, metadata_id, &event_metadata_view::name);
}

std::string_view plane_index::event_display_name(std::int64_t metadata_id) const noexcept {
  return metadata_text(event_metadata, metadata_id, &event_metadata_view::display_name);
}

std::string_view plane_index::stat_name(std::int64_t metadata_id) const noexcept {
  const metadata_entry entry = stat_metadata.find(metadata_id);
  return entry ? stat_metadata_view(entry.bytes).name() : std::string_view();
}

std::optional<std::int64_t> plane_index::stat_id(std::string_view wanted) const noexcept {
  for (const std::string_view bytes : stat_metadata_entries) {
    const stat_metadata_view entry(bytes);
    // An entry whose key was written again later does not count.
    if (entry.name() == wanted && stat_metadata.find(entry.key()).bytes.data() == bytes.data()) return entry.key();
  }
  return std::nullopt;
}

std::uint64_t reduced_from::offset_of(std::uint64_t at) const noexcept {
  const auto after =
      std::upper_bound(runs.begin(), runs.end(), at, [](std::uint64_t wanted, const run& r) { return wanted < r.at; });
  return after == runs.begin() ? at : after[-1].was + (at - after[-1].at);
}

std::uint64_t reduced_from::beginning_at(std::uint64_t at) const noexcept {
  const auto first =
      std::lower_bound(runs.begin(), runs.end(), at, [](const run& r, std::uint64_t wanted) { return r.at < wanted; });
  return first != runs.end() && first->at == at ? first->was : offset_of(at);
}

std::uint64_t xspace_index::beginning_of(std::string_view message) const noexcept {
  const std::uint64_t here = offset_in(bytes, message.data());
  return from ? from->beginning_at(here) : here;
}

std::uint64_t xspace_index::offset_of(const char* at) const noexcept {
  const std::uint64_t here = offset_in(bytes, at);
  return from ? from->offset_of(here) : here;
}

xspace_index index_xspace(std::string_view bytes, std::shared_ptr<const reduced_from> from) {
  return indexer(bytes, std::move(from)).run();
}

line_header complete_header(const line_index& line) noexcept { return line_view(line.body).header(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
