// The index: what lies where, in whole and in damaged files.
#include <catch.hpp>

#include <formats/xspace/xspace_index.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"
#include "xspace_writer.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

message device_plane() {
  message ops;
  ops.number(1, 3).text(2, "XLA Ops").number(3, 100);
  ops.sub(4, event(1, 10, 20).sub(4, stat(1, 7)).sub(4, stat(2, 300)));
  ops.sub(4, event(2, 40, 5)).sub(4, event(1, 50, 0)).sub(4, message().number(1, 2).number(5, 17));
  ops.number(10, 12).text(11, "XLA Ops shown");
  message steps;
  steps.number(1, -559038737).text(2, "Steps").sub(4, event(3, 0, 1000000000000));
  message plane;
  plane.number(1, 2).text(2, "/device:TPU:1").sub(3, steps).sub(3, ops);
  plane.sub(4, metadata_entry_of(1, "fusion.1")).sub(4, metadata_entry_of(2, "copy"));
  plane.sub(4, metadata_entry_of(3, "1")).sub(5, metadata_entry_of(1, "flops")).sub(5, metadata_entry_of(2, "bytes"));
  plane.sub(6, stat(1, 99));
  return plane;
}

message host_plane() {
  message line;
  line.number(1, -77).text(2, "main/77").number(3, 5);
  for (int i = 0; i < 5; ++i) line.sub(4, event(1, i * 10, 4).sub(4, stat(1, i)));
  return message().text(2, "/host:CPU").sub(3, line).sub(4, metadata_entry_of(1, "call"));
}

std::string small_capture() {
  return message()
      .sub(1, device_plane())
      .text(2, "an error")
      .sub(1, host_plane())
      .text(3, "a warning")
      .text(4, "host-0")
      .bytes();
}

// Where every event of a file ends, and the ends of its top-level fields.
struct true_layout {
  std::vector<std::size_t> event_ends, top_level_ends;
};
true_layout layout_of(std::string_view bytes) {
  true_layout out;
  wire_reader top(bytes);
  for (wire_field plane; top.next(plane); out.top_level_ends.push_back(offset_in(bytes, top.position()))) {
    if (!plane.is_bytes(1)) continue;
    for (const line_view line : plane_view(plane.bytes).lines())
      for (const event_view e : line.events())
        out.event_ends.push_back(offset_in(bytes, e.bytes().data() + e.bytes().size()));
  }
  std::sort(out.event_ends.begin(), out.event_ends.end());
  return out;
}

struct outcome {
  std::size_t events = 0;
  bool ok = true;
};
outcome read_everything(std::string_view bytes) {
  outcome out;
  const xspace_index index = index_xspace(bytes);
  out.ok = !index.damage;
  event_row rows[32];
  for (const plane_index& plane : index.planes) {
    for (const line_index& line : plane.lines) {
      event_scanner scan(line.body);
      while (const std::size_t count = scan.next(rows, 32)) {
        out.events += count;
        for (std::size_t i = 0; i < count; ++i) {
          plane.event_name(rows[i].metadata_id);
          for (const stat_view s : message_range<stat_view, 4>(std::string_view(rows[i].stats, rows[i].stats_bytes)))
            plane.stat_name(s.metadata_id());
        }
      }
      out.ok = out.ok && scan.ok();
    }
  }
  return out;
}

void cut_at(const std::string& whole, const true_layout& layout, std::size_t cut) {
  const exact_copy part(std::string_view(whole).substr(0, cut));
  const outcome out = read_everything(part.view());
  INFO("cut at byte " << cut);
  const auto expected = std::upper_bound(layout.event_ends.begin(), layout.event_ends.end(), cut);
  REQUIRE(out.events == static_cast<std::size_t>(expected - layout.event_ends.begin()));
  const auto& ends = layout.top_level_ends;
  REQUIRE(out.ok == (cut == 0 || std::binary_search(ends.begin(), ends.end(), cut)));
}

}  // namespace

TEST_CASE("The index lists planes, lines, entries and stats with their places") {
  const std::string bytes = small_capture();
  const xspace_index index = index_xspace(bytes);
  REQUIRE_FALSE(index.damage);
  REQUIRE(index.planes.size() == 2);
  REQUIRE(index.errors == std::vector<std::string_view>{"an error"});
  REQUIRE(index.warnings == std::vector<std::string_view>{"a warning"});
  REQUIRE(index.hostnames == std::vector<std::string_view>{"host-0"});

  const plane_index& device = index.planes[0];
  REQUIRE(device.id == 2);
  REQUIRE(device.kind == plane_kind::device);
  REQUIRE(device.device == 1);
  REQUIRE(bytes.substr(device.offset, device.body.size()) == device.body);
  REQUIRE(device.lines.size() == 2);
  REQUIRE(device.lines[0].kind == line_kind::steps);
  REQUIRE(device.lines[1].kind == line_kind::ops);
  REQUIRE(device.lines[1].name() == "XLA Ops");
  REQUIRE(device.lines[1].header.timestamp_ns == 100);
  REQUIRE(bytes.substr(device.lines[1].offset, device.lines[1].body.size()) == device.lines[1].body);
  REQUIRE(complete_header(device.lines[1]).display_name == "XLA Ops shown");
  REQUIRE(count_events(device.lines[1].body) == 4);
  REQUIRE(device.event_metadata_entries.size() == 3);
  REQUIRE(device.stat_metadata_entries.size() == 2);
  REQUIRE(device.stats.size() == 1);
  REQUIRE(device.event_name(2) == "copy");
  REQUIRE(device.event_name(4).empty());
  REQUIRE(device.stat_name(2) == "bytes");
  REQUIRE(device.stat_id("flops") == 1);
  REQUIRE_FALSE(device.stat_id("nothing"));

  const plane_index& host = index.planes[1];
  REQUIRE(host.kind == plane_kind::host);
  REQUIRE(host.device == -1);
  REQUIRE(host.lines[0].kind == line_kind::thread);
  REQUIRE(host.lines[0].header.id == -77);
}

TEST_CASE("Entries are found by key as the views find them") {
  std::mt19937_64 random(7);
  std::uint64_t inverse = 1;  // of the hash's multiplier: with it keys are made that fall on one slot
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9e3779b97f4a7c15U * inverse;
  struct {
    const char* what;
    std::function<std::uint64_t(std::uint64_t)> key;
  } const kinds[] = {
      {"in a row", [](std::uint64_t i) { return i - 100; }},
      {"few and often", [&](std::uint64_t) { return random() % 64; }},
      {"anywhere", [&](std::uint64_t) { return random() & (random() % 8 != 0 ? ~std::uint64_t{0} : 0xff); }},
      {"on one slot",
       [&](std::uint64_t i) {
         const std::uint64_t mixed = inverse * (i / 2 + 1);
         return mixed ^ mixed >> 32;
       }},
  };
  for (const auto& kind : kinds) {
    INFO(kind.what);
    message plane;
    std::vector<std::int64_t> keys{-1, 1'000'000'007};
    for (std::uint64_t i = 0; i < 3000; ++i) {
      keys.push_back(static_cast<std::int64_t>(kind.key(i)));
      plane.sub(4, metadata_entry_of(keys.back(), std::to_string(i)));
    }
    const std::string bytes = message().sub(1, plane).bytes();
    const xspace_index index = index_xspace(bytes);
    const plane_index& found = index.planes.at(0);
    std::vector<metadata_slot> slots(metadata_index::slots_needed(3000));
    const auto truth = metadata_index::of_event_metadata(plane_view(found.body), slots.data(), slots.size());
    for (const std::int64_t key : keys) {
      const metadata_entry wanted = truth.find(key), entry = found.event_metadata.find(key);
      REQUIRE(entry.found == wanted.found);
      REQUIRE(entry.bytes.data() == wanted.bytes.data());
      const auto position = found.event_metadata.position(key);
      REQUIRE(position.has_value() == wanted.found);
      if (position) REQUIRE(found.event_metadata_entries[*position].data() == wanted.bytes.data());
    }
  }
  REQUIRE_FALSE(metadata_lookup().find(0).found);
}

TEST_CASE("Planes and lines are told by their names") {
  REQUIRE(classify_plane("/device:TPU:0") == plane_kind::device);
  REQUIRE(classify_plane("/device:TPU:0 SparseCore 1") == plane_kind::device);
  REQUIRE(classify_plane("/device:GPU:7") == plane_kind::device);
  REQUIRE(classify_plane("/device:CUSTOM:Megascale Trace") == plane_kind::custom);
  REQUIRE(classify_plane("/host:metadata") == plane_kind::metadata);
  REQUIRE(classify_plane("/host:CPU") == plane_kind::host);
  REQUIRE(classify_plane("/host:python-tracer") == plane_kind::host);
  REQUIRE(classify_plane("Task Environment") == plane_kind::environment);
  REQUIRE(classify_plane("") == plane_kind::other);
  // As merges name them.
  REQUIRE(classify_plane("/node:3/device:GPU:7") == plane_kind::device);
  REQUIRE(classify_plane("/node:3/host:metadata") == plane_kind::metadata);
  REQUIRE(classify_plane("/device:GPU:50101_misc_host:metadata") == plane_kind::metadata);
  REQUIRE(classify_plane("/device:GPU:50102_misc_host:python-tracer") == plane_kind::host);
  REQUIRE(classify_plane("/device:GPU:50101_misc_Task Environment") == plane_kind::other);
  REQUIRE(classify_plane("/node:3") == plane_kind::other);
  REQUIRE(classify_plane("/node:/device:GPU:7") == plane_kind::other);
  REQUIRE(classify_plane("/node:99999999999999999999/device:GPU:7") == plane_kind::other);

  REQUIRE(device_ordinal("/device:TPU:12") == 12);
  REQUIRE(device_ordinal("/device:TPU:3 SparseCore 1") == 3);
  REQUIRE(device_ordinal("/device:CUSTOM:Megascale Trace") == -1);
  REQUIRE(device_ordinal("/device:TPU") == -1);
  REQUIRE(device_ordinal("/device:TPU:") == -1);
  REQUIRE(device_ordinal("/device:GPU:99999999999999999999") == -1);
  REQUIRE(device_ordinal("/host:CPU") == -1);

  const auto on_device = [](std::string_view name, std::int64_t id) {
    return classify_line(plane_kind::device, name, id);
  };
  REQUIRE(on_device("Steps", 1) == line_kind::steps);
  REQUIRE(on_device("Steps", -559038737) == line_kind::steps);
  REQUIRE(on_device("XLA Modules", 2) == line_kind::modules);
  REQUIRE(on_device("XLA Ops", 3) == line_kind::ops);
  REQUIRE(on_device("Async XLA Ops", 4) == line_kind::async);
  REQUIRE(on_device("Overlay", 7) == line_kind::derived);
  REQUIRE(on_device("TC Overlay", 7) == line_kind::derived);
  REQUIRE(on_device("TensorFlow Ops", -559038734) == line_kind::derived);
  REQUIRE(on_device("Framework Name Scope", 9) == line_kind::derived);
  REQUIRE(on_device("Stream #16(Kernel)", 16) == line_kind::stream);
  REQUIRE(on_device("XLA Ops", -559038732) == line_kind::derived);
  REQUIRE(on_device("_counters_", 5) == line_kind::counter);
  REQUIRE(on_device("counters_0", 5) == line_kind::counter);
  REQUIRE(on_device("XLA TraceMe", 6) == line_kind::other);
  REQUIRE(on_device("Scalar Unit", 6) == line_kind::other);
  REQUIRE(classify_line(plane_kind::host, "python", -1200673656407615233) == line_kind::thread);
  REQUIRE(classify_line(plane_kind::host, "XLA Ops", -559038700) == line_kind::derived);
  REQUIRE(classify_line(plane_kind::custom, "XLA Ops", 1) == line_kind::other);
}

TEST_CASE("What is no device has no number of one, and what is damaged says how") {
  const std::string custom = message().sub(1, message().text(2, "/device:CUSTOM:3")).bytes();
  REQUIRE(index_xspace(custom).planes.at(0).kind == plane_kind::custom);
  REQUIRE(index_xspace(custom).planes.at(0).device == -1);
  const std::string device = message().sub(1, message().text(2, "/device:GPU:3")).bytes();
  REQUIRE(index_xspace(device).planes.at(0).device == 3);
  const std::string host = device + message().text(4, "host-0").bytes();
  const auto damage_of = [](std::string_view bytes) {
    const xspace_index index = index_xspace(bytes);
    REQUIRE(index.damage);
    return index.damage->message;
  };
  const std::string at = std::to_string(device.size());
  REQUIRE(damage_of(std::string_view(host).substr(0, host.size() - 1)) ==
          "damaged XSpace at byte " + at + ": the file ends inside a field");
  REQUIRE(damage_of(device + "\x0f") == "damaged XSpace at byte " + at + ": no protobuf field can start here");
  REQUIRE(damage_of(std::string_view(device).substr(0, device.size() - 1)) ==
          "damaged XSpace at byte 0: the file ends inside a plane");
}

TEST_CASE("A header that stands behind the events is found") {
  message line;
  for (int i = 0; i < 20; ++i) line.sub(4, event(1, i, 1));
  line.text(2, "XLA Ops").number(1, 5).number(3, 44);
  const std::string bytes = message().sub(1, message().sub(3, line).text(2, "/device:TPU:0")).bytes();
  const xspace_index index = index_xspace(bytes);
  REQUIRE(index.planes.at(0).lines.at(0).kind == line_kind::ops);
  REQUIRE(index.planes[0].lines[0].header.timestamp_ns == 44);

  // Also in a line too long to be read twice for nothing.
  message longer;
  for (int i = 0; i < 20000; ++i) longer.sub(4, event(1, i, 1));
  longer.text(2, "XLA Ops").number(3, 45);
  const std::string more = message().sub(1, message().text(2, "/device:TPU:0").sub(3, longer)).bytes();
  const xspace_index long_index = index_xspace(more);
  REQUIRE(long_index.planes.at(0).lines.at(0).kind == line_kind::ops);
  REQUIRE(long_index.planes[0].lines[0].header.timestamp_ns == 45);
}

TEST_CASE("Of entries with one key the last counts, and any key works") {
  message plane;
  plane.text(2, "/host:metadata");
  plane.sub(4, metadata_entry_of(-8800332967749297542, "old")).sub(4, metadata_entry_of(0, "zero"));
  plane.sub(4, metadata_entry_of(-8800332967749297542, "new"));
  plane.sub(5, metadata_entry_of(4, "twice"))
      .sub(5, metadata_entry_of(4, "renamed"))
      .sub(5, metadata_entry_of(5, "twice"));
  const std::string bytes = message().sub(1, plane).bytes();
  const xspace_index index = index_xspace(bytes);
  const plane_index& p = index.planes.at(0);
  REQUIRE(p.event_name(-8800332967749297542) == "new");
  REQUIRE(p.event_name(0) == "zero");
  REQUIRE(p.stat_id("twice") == 5);
  REQUIRE(p.stat_id("renamed") == 4);
}

TEST_CASE("No bytes are an empty XSpace") {
  const xspace_index index = index_xspace({});
  REQUIRE_FALSE(index.damage);
  REQUIRE(index.planes.empty());
}

TEST_CASE("A file cut at any byte gives every event in front of the cut, and is never called whole") {
  const std::string whole = small_capture();
  const true_layout layout = layout_of(whole);
  REQUIRE(layout.event_ends.size() == 10);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) cut_at(whole, layout, cut);
}

TEST_CASE("A real capture cut anywhere gives every event in front of the cut") {
  const std::string whole = read_file(data_path("jax/mlp_nohlo/plugins/profile/2026_11_21_07_08_37/vm.xplane.pb"));
  const true_layout layout = layout_of(whole);
  REQUIRE(layout.event_ends.size() == 1262);
  for (std::size_t cut = 0; cut < whole.size(); cut += 61) cut_at(whole, layout, cut);
}

TEST_CASE("Damage in one plane leaves the other planes alone") {
  const std::string broken("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12);  // a varint of eleven bytes
  const std::string bytes =
      message().sub(1, host_plane()).text(1, device_plane().bytes() + broken).sub(1, host_plane()).bytes();
  const xspace_index index = index_xspace(bytes);
  REQUIRE(index.damage);
  REQUIRE(index.damage->code == fault_code::damaged);
  REQUIRE(bytes.substr(index.damage->byte_offset, broken.size()) == broken);
  REQUIRE(index.planes.size() == 3);
  REQUIRE(index.planes[1].lines.size() == 2);
  REQUIRE(count_events(index.planes[2].lines.at(0).body) == 5);
}

TEST_CASE("A damaged metadata entry is told, and the others work") {
  const std::string entry = message().number(1, 9).text(2, std::string_view("\x12\x20x", 3)).bytes();
  const std::string bytes = message().sub(1, message().text(4, entry).sub(4, metadata_entry_of(1, "fine"))).bytes();
  const xspace_index index = index_xspace(bytes);
  REQUIRE(index.damage);
  REQUIRE(index.planes.at(0).event_name(1) == "fine");
}

TEST_CASE("Flipped bytes never make the index read outside, crash or hang") {
  std::mt19937_64 random(99);
  const std::string small = small_capture();
  const std::string real = read_file(data_path("jax/mlp_nohlo/plugins/profile/2026_11_21_07_08_37/vm.xplane.pb"));
  const auto flip = [&](const std::string& bytes, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      exact_copy copy(bytes);
      for (std::uint64_t flips = random() % 8 + 1; flips > 0; --flips)
        copy.data()[random() % bytes.size()] = static_cast<char>(random());
      read_everything(copy.view());
    }
  };
  flip(small, 20000);
  flip(real, 200);
}

TEST_CASE("Millions of empty planes, lines or entries do not fill the memory") {
  const auto repeated = [](std::string_view field, std::size_t times) {
    std::string bytes;
    for (std::size_t i = 0; i < times; ++i) bytes += field;
    return bytes;
  };
  const std::string planes = repeated(std::string_view("\x0a\x00", 2), 70000);
  const xspace_index of_planes = index_xspace(planes);
  REQUIRE(of_planes.damage);
  REQUIRE(of_planes.damage->code == fault_code::limit);
  REQUIRE(of_planes.damage->byte_offset == 2 * 65536 + 2);
  REQUIRE(of_planes.planes.size() == 65536);
  const std::string lines = message().text(1, repeated(std::string_view("\x1a\x00", 2), 1100000)).bytes();
  const xspace_index of_lines = index_xspace(lines);
  REQUIRE(of_lines.damage);
  REQUIRE(of_lines.damage->code == fault_code::limit);
  REQUIRE(of_lines.planes.at(0).lines.size() == std::size_t{1} << 20);
}

TEST_CASE("A file that went through a text conversion is told as such") {
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes += std::string("\x0a\xef\xbf\xbd\xef\xbf\xbd\x07text", 12);
  const xspace_index index = index_xspace(bytes);
  REQUIRE(index.damage);
  REQUIRE(index.damage->code == fault_code::text_mangled);
  REQUIRE(index.damage->message.find("text conversion") != std::string::npos);
  REQUIRE(index.damage->hint.find("binary") != std::string::npos);
  REQUIRE(index.planes.empty());

  // A whole file may hold such characters in its names.
  message plane;
  for (int i = 0; i < 100; ++i) plane.sub(4, metadata_entry_of(i, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
  REQUIRE_FALSE(index_xspace(message().sub(1, plane).bytes()).damage);
}

TEST_CASE("The mangled capture of the corpus is told as such") {
  const auto path = corpus_path("captures/xspace/MUST_REJECT_tpu_text_mangled.xplane.pb");
  if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
  const std::string bytes = read_file(*path);
  const xspace_index index = index_xspace(bytes);
  REQUIRE(index.damage);
  REQUIRE(index.damage->code == fault_code::text_mangled);
}

namespace {

// One row of capture_counts.tsv: what protobuf's own Python reader finds on a line.
struct line_counts {
  std::string path;
  std::size_t plane = 0, line = 0;
  std::uint64_t events = 0, metadata_ids = 0, offsets = 0, durations = 0, stats = 0;
};

std::vector<line_counts> read_counts() {
  std::ifstream in(source_root() / "tests" / "read" / "capture_counts.tsv");
  REQUIRE(in.good());
  std::vector<line_counts> rows;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    std::istringstream fields(text);
    line_counts row;
    fields >> row.path >> row.plane >> row.line >> row.events >> row.metadata_ids >> row.offsets >> row.durations >>
        row.stats;
    REQUIRE_FALSE(fields.fail());
    rows.push_back(row);
  }
  return rows;
}

// The vendored copy, else the one of the large corpus.
std::optional<std::filesystem::path> find_capture(const std::string& name) {
  if (std::filesystem::exists(data_path(name))) return data_path(name);
  return corpus_path("captures/" + name);
}

}  // namespace

TEST_CASE("Every line of every capture sums up as protobuf's own reader sums it") {
  std::set<std::string> missing;
  std::string loaded;
  std::string bytes;
  xspace_index index;
  std::size_t checked = 0;
  for (const line_counts& row : read_counts()) {
    if (row.path != loaded) {
      const auto path = find_capture(row.path);
      loaded = row.path;
      if (!path) missing.insert(row.path);
      if (path) bytes = read_file(*path);
      if (path) index = index_xspace(bytes);
    }
    if (missing.count(row.path) != 0) continue;
    INFO(row.path << " plane " << row.plane << " line " << row.line);
    REQUIRE_FALSE(index.damage);
    const std::string_view body = index.planes.at(row.plane).lines.at(row.line).body;
    line_counts found;
    event_scanner scan(body);
    event_row rows[256];
    while (const std::size_t count = scan.next(rows, 256)) {
      found.events += count;
      for (std::size_t i = 0; i < count; ++i) {
        found.metadata_ids += static_cast<std::uint64_t>(rows[i].metadata_id);
        found.offsets += static_cast<std::uint64_t>(rows[i].offset_ps);
        found.durations += static_cast<std::uint64_t>(rows[i].duration_ps);
        found.stats += message_range<stat_view, 4>(std::string_view(rows[i].stats, rows[i].stats_bytes)).count();
      }
    }
    REQUIRE(scan.ok());
    REQUIRE(found.events == row.events);
    REQUIRE(found.metadata_ids == row.metadata_ids);
    REQUIRE(found.offsets == row.offsets);
    REQUIRE(found.durations == row.durations);
    REQUIRE(found.stats == row.stats);
    REQUIRE(count_events(body) == row.events);
    ++checked;
  }
  REQUIRE(checked > 20);
  for (const std::string& path : missing) note_skip("needs PROFKIT_CORPUS: " + path);
}
