// What the C ABI reads, against the header-only views and on small captures with every peculiarity of the format.
#include <profkit/xspace.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "handles.hpp"
#include "xspace_writer.hpp"

using namespace profkit::test;

namespace {

struct wanted_stat {
  profkit::resolved_stat resolved;
  std::int32_t origin;
};

// The stats that the views see; PK_ORIGIN_ bits in the order the C ABI gives them.
template <class Range>
void append(std::vector<wanted_stat>& all, const Range& range, std::int32_t origin,
            const profkit::metadata_index& names) {
  for (const profkit::stat_view stat : range)
    all.push_back({profkit::resolve_stat(stat, profkit::stat_origin::event, names), origin});
}

// Reads a list to its end; false at the first difference.
bool same_stats(pk_stat_cursor& cursor, const std::vector<wanted_stat>& wanted) {
  pk_stat stat;
  for (const wanted_stat& w : wanted) {
    if (pk_stat_next(&cursor, &stat, nullptr) != PK_OK) return false;
    const profkit::resolved_stat& r = w.resolved;
    if (stat.metadata_id != r.stat.metadata_id() || stat.kind != static_cast<std::int32_t>(r.stat.kind()) ||
        stat.bits != r.stat.as_uint64() || stat.origin != w.origin || text_of(stat.name) != r.name ||
        text_of(stat.text) != r.text)
      return false;
  }
  return pk_stat_next(&cursor, &stat, nullptr) == PK_END;
}

struct names_of {
  explicit names_of(profkit::plane_view plane)
      : event_slots(profkit::metadata_index::slots_needed(plane.header().event_metadata_count)),
        stat_slots(profkit::metadata_index::slots_needed(plane.header().stat_metadata_count)),
        events(profkit::metadata_index::of_event_metadata(plane, event_slots.data(), event_slots.size())),
        stats(profkit::metadata_index::of_stat_metadata(plane, stat_slots.data(), stat_slots.size())) {}
  std::vector<profkit::metadata_slot> event_slots, stat_slots;
  profkit::metadata_index events, stats;
};

std::uint64_t compare_line(const pk_profile* p, std::uint32_t plane_at, std::uint32_t line_at, profkit::line_view line,
                           const names_of& names) {
  pk_event_cursor cursor;
  REQUIRE(pk_events_begin(p, 0, plane_at, line_at, &cursor, nullptr) == PK_OK);
  std::uint64_t events = 0;
  pk_event row;
  for (const profkit::event_view e : line.events()) {
    INFO("event " << events);
    REQUIRE(pk_event_next(&cursor, &row, nullptr) == PK_OK);
    ++events;
    const bool has_offset = e.data_case() == profkit::event_data_case::offset_ps;
    const bool aggregated = e.data_case() == profkit::event_data_case::num_occurrences;
    std::uint32_t flags = 0;
    if (has_offset) flags |= PK_EVENT_HAS_OFFSET;
    if (aggregated) flags |= PK_EVENT_HAS_OCCURRENCES;
    if (row.metadata_id != e.metadata_id() || row.offset_ps != e.offset_ps() || row.duration_ps != e.duration_ps() ||
        row.num_occurrences != e.num_occurrences() ||
        (row.flags & (PK_EVENT_HAS_OFFSET | PK_EVENT_HAS_OCCURRENCES)) != flags)
      FAIL("the event differs from the view");
    std::vector<wanted_stat> wanted;
    append(wanted, e.stats(), PK_ORIGIN_EVENT, names.stats);
    if (const profkit::metadata_entry entry = names.events.find(e.metadata_id()))
      append(wanted, profkit::event_metadata_view(entry.bytes).stats(), PK_ORIGIN_METADATA, names.stats);
    pk_stat_cursor stats;
    REQUIRE(pk_event_stats(p, 0, plane_at, &row, PK_ORIGIN_EVENT | PK_ORIGIN_METADATA, &stats, nullptr) == PK_OK);
    if (!same_stats(stats, wanted)) FAIL("the stats differ from the views");
  }
  REQUIRE(pk_event_next(&cursor, &row, nullptr) == PK_END);
  return events;
}

struct totals {
  std::uint64_t lines = 0, events = 0;
  std::int64_t duration_ps = 0;
};
bool operator==(const totals& a, const totals& b) {
  return a.lines == b.lines && a.events == b.events && a.duration_ps == b.duration_ps;
}
totals totals_of_views(std::string_view bytes) {
  totals sum;
  for (const profkit::plane_view plane : profkit::xspace_view(bytes).planes())
    for (const profkit::line_view line : plane.lines()) {
      ++sum.lines;
      for (const profkit::event_view event : line.events()) {
        ++sum.events;
        sum.duration_ps += event.duration_ps();
      }
    }
  return sum;
}
// Of what cannot be opened there are none.
totals totals_of_profile(std::string_view bytes) {
  totals sum;
  const auto profile = profkit::lib::profile::open_buffer(bytes, "cut.xplane.pb");
  if (!profile) return sum;
  for (const profkit::lib::plane plane : profile->files()[0].planes())
    for (const profkit::lib::line line : plane.lines()) {
      ++sum.lines;
      for (const pk_event& event : line.events()) {
        ++sum.events;
        sum.duration_ps += event.duration_ps;
      }
    }
  return sum;
}

// Every event, stat and metadata entry of an XSpace through both; gives the number of events.
std::uint64_t compare_with_views(const std::string& path) {
  const auto profile = opened(path);
  const pk_profile* p = profile.get();
  pk_str bytes;
  REQUIRE(pk_file_bytes(p, 0, &bytes, nullptr) == PK_OK);
  std::uint64_t events = 0;
  std::uint32_t plane_at = 0;
  for (const profkit::plane_view plane : profkit::xspace_view(text_of(bytes)).planes()) {
    const profkit::plane_header header = plane.header();
    pk_plane_info info;
    REQUIRE(pk_plane_get(p, 0, plane_at, &info, nullptr) == PK_OK);
    CHECK(info.id == header.id);
    CHECK(text_of(info.name) == header.name);
    CHECK(info.line_count == header.line_count);
    CHECK(info.stat_count == header.stat_count);
    CHECK(info.event_metadata_count == header.event_metadata_count);
    CHECK(info.stat_metadata_count == header.stat_metadata_count);
    const names_of names(plane);

    std::vector<wanted_stat> wanted;
    append(wanted, plane.stats(), PK_ORIGIN_PLANE, names.stats);
    pk_stat_cursor stats;
    REQUIRE(pk_plane_stats(p, 0, plane_at, &stats, nullptr) == PK_OK);
    CHECK(same_stats(stats, wanted));

    for (const profkit::event_metadata_view entry : plane.event_metadata()) {
      pk_event_metadata found;
      REQUIRE(pk_event_metadata_get(p, 0, plane_at, entry.key(), &found, nullptr) == PK_OK);
      if (text_of(found.name) != entry.name() || text_of(found.display_name) != entry.display_name() ||
          text_of(found.metadata) != entry.metadata())
        FAIL("event metadata " << entry.key() << " differs");
    }
    for (const profkit::stat_metadata_view entry : plane.stat_metadata()) {
      pk_stat_metadata found;
      REQUIRE(pk_stat_metadata_get(p, 0, plane_at, entry.key(), &found, nullptr) == PK_OK);
      if (text_of(found.name) != entry.name() || text_of(found.description) != entry.description())
        FAIL("stat metadata " << entry.key() << " differs");
    }

    std::uint32_t line_at = 0;
    for (const profkit::line_view line : plane.lines()) {
      const profkit::line_header line_header = line.header();
      pk_line_info line_info;
      pk_line_summary summary;
      REQUIRE(pk_line_get(p, 0, plane_at, line_at, &line_info, nullptr) == PK_OK);
      REQUIRE(pk_line_summarise(p, 0, plane_at, line_at, &summary, nullptr) == PK_OK);
      CHECK(line_info.id == line_header.id);
      CHECK(line_info.timestamp_ns == line_header.timestamp_ns);
      CHECK(text_of(line_info.name) == (line_header.name.empty() ? line_header.display_name : line_header.name));
      CHECK(summary.event_count == line_header.event_count);
      CHECK(text_of(summary.display_name) == line_header.display_name);
      events += compare_line(p, plane_at, line_at, line, names);
      ++line_at;
    }
    ++plane_at;
  }
  CHECK(plane_at == pk_plane_count(p, 0));
  return events;
}

std::string capture_of(const message& plane) { return message().sub(1, plane).bytes(); }

}  // namespace

TEST_CASE("the vendored captures read as the views read them") {
  CHECK(compare_with_views(tpu_capture()) == 26723);
  CHECK(compare_with_views(gpu_capture()) == 3782);
  CHECK(compare_with_views(data_path("jax/mlp_nohlo/plugins/profile/2026_11_21_07_08_37/vm.xplane.pb").string()) ==
        1262);
}

TEST_CASE("the captures of the corpus read as the views read them") {
  const auto corpus = corpus_path("captures/xspace");
  if (!corpus) PROFKIT_SKIP_WITHOUT_CORPUS;
  CHECK(compare_with_views((*corpus / "gpu_tf_2020_8gpu.xplane.pb").string()) > 20000);
  CHECK(compare_with_views((*corpus / "jax08_attention_mi300.xplane.pb").string()) > 4000);
}

TEST_CASE("events: offsets set, zero and absent, aggregates, the least and greatest numbers") {
  message line;
  line.number(1, -559038737).text(2, "Stream").number(3, 1000);
  line.sub(4, message().number(1, 7).number(2, 0).number(3, 5));     // an offset of 0 that is written
  line.sub(4, message().number(1, 7).number(3, 5));                  // none
  line.sub(4, message().number(1, -8).number(5, 17).number(3, 99));  // an aggregate
  line.sub(4, message().number(1, INT64_MIN).number(2, INT64_MAX));  // a start that does not fit
  line.sub(4, message().number(2, -500).number(3, 1));               // before the line's own zero
  const std::string bytes = capture_of(message().text(2, "/device:GPU:3").sub(3, line));
  const auto profile = opened_buffer(bytes);

  pk_line_info info;
  REQUIRE(pk_line_get(profile.get(), 0, 0, 0, &info, nullptr) == PK_OK);
  CHECK(info.id == -559038737);
  CHECK(info.kind == PK_LINE_DERIVED);
  CHECK(info.start_ps == 1000000);
  pk_plane_info plane;
  REQUIRE(pk_plane_get(profile.get(), 0, 0, &plane, nullptr) == PK_OK);
  CHECK(plane.device_ordinal == 3);

  pk_event_cursor cursor;
  REQUIRE(pk_events_begin(profile.get(), 0, 0, 0, &cursor, nullptr) == PK_OK);
  pk_event rows[8];
  std::size_t count = 0;
  REQUIRE(pk_events_read(&cursor, rows, 8, &count, nullptr) == PK_OK);
  REQUIRE(count == 5);
  CHECK(rows[0].flags == (PK_EVENT_HAS_OFFSET | PK_EVENT_HAS_START));
  CHECK(rows[0].start_ps == 1000000);
  CHECK(rows[1].flags == PK_EVENT_HAS_START);
  CHECK(rows[1].start_ps == 1000000);
  CHECK(rows[2].flags == PK_EVENT_HAS_OCCURRENCES);
  CHECK(rows[2].metadata_id == -8);
  CHECK(rows[2].num_occurrences == 17);
  CHECK(rows[2].start_ps == 0);
  CHECK(rows[3].flags == PK_EVENT_HAS_OFFSET);
  CHECK(rows[3].metadata_id == INT64_MIN);
  CHECK(rows[3].offset_ps == INT64_MAX);
  CHECK(rows[4].start_ps == 999500);
  CHECK(rows[4].metadata_id == 0);
  CHECK(pk_events_read(&cursor, rows, 8, &count, nullptr) == PK_END);
  CHECK(count == 0);
}

TEST_CASE("stats: six kinds, origins, names resolved, values in pieces") {
  message plane;
  plane.text(2, "/host:CPU");
  message event;
  event.number(1, 40).number(2, 1);
  double pi = 3.25;
  std::uint64_t pi_bits = 0;
  std::memcpy(&pi_bits, &pi, sizeof pi);
  event.sub(4, message().number(1, 1).fixed64(2, pi_bits));
  event.sub(4, message().number(1, 2).unsigned_number(3, UINT64_MAX));
  event.sub(4, message().number(1, 3).number(4, -5));
  event.sub(4, message().number(1, 4).text(5, "text"));
  event.sub(4, message().number(1, 5).text(6, std::string_view("\0\xff", 2)));
  event.sub(4, message().number(1, 6).number(7, 1));
  event.sub(4, message().number(1, 99).number(7, 98));  // neither id has an entry
  event.sub(4, message().number(1, 1));                 // no value
  plane.sub(3, message().text(2, "main").sub(4, event));
  // The entry's value comes in two pieces, each with a stat.
  plane.sub(4, message()
                   .number(1, 40)
                   .sub(2, message().text(2, "call").sub(5, stat(3, 11)))
                   .sub(2, message().sub(5, stat(3, 12)).number(6, 41).number(6, -42)));
  for (int id = 1; id <= 6; ++id) plane.sub(5, metadata_entry_of(id, "name " + std::to_string(id)));
  plane.sub(5, metadata_entry_of(6, "name six"));  // the last entry of an id counts
  plane.sub(6, stat(2, 77));
  const std::string bytes = capture_of(plane);
  const auto profile = opened_buffer(bytes);
  const pk_profile* p = profile.get();

  pk_event_cursor events;
  pk_event row;
  REQUIRE(pk_events_begin(p, 0, 0, 0, &events, nullptr) == PK_OK);
  REQUIRE(pk_event_next(&events, &row, nullptr) == PK_OK);
  struct expected {
    std::int32_t kind, origin;
    std::uint64_t bits;
    std::string_view name, text;
  };
  const std::vector<expected> all{
      {PK_STAT_DOUBLE, PK_ORIGIN_EVENT, pi_bits, "name 1", ""},
      {PK_STAT_UINT64, PK_ORIGIN_EVENT, UINT64_MAX, "name 2", ""},
      {PK_STAT_INT64, PK_ORIGIN_EVENT, static_cast<std::uint64_t>(-5), "name 3", ""},
      {PK_STAT_STR, PK_ORIGIN_EVENT, 0, "name 4", "text"},
      {PK_STAT_BYTES, PK_ORIGIN_EVENT, 0, "name 5", std::string_view("\0\xff", 2)},
      {PK_STAT_REF, PK_ORIGIN_EVENT, 1, "name six", "name 1"},
      {PK_STAT_REF, PK_ORIGIN_EVENT, 98, "", ""},
      {PK_STAT_NONE, PK_ORIGIN_EVENT, 0, "name 1", ""},
      {PK_STAT_INT64, PK_ORIGIN_METADATA, 11, "name 3", ""},
      {PK_STAT_INT64, PK_ORIGIN_METADATA, 12, "name 3", ""},
      {PK_STAT_INT64, PK_ORIGIN_PLANE, 77, "name 2", ""},
  };
  for (std::uint32_t origins = 0; origins < 8; ++origins) {
    INFO("origins " << origins);
    pk_stat_cursor cursor;
    REQUIRE(pk_event_stats(p, 0, 0, &row, origins, &cursor, nullptr) == PK_OK);
    pk_stat stat;
    for (const expected& want : all) {
      if ((static_cast<std::uint32_t>(want.origin) & origins) == 0) continue;
      REQUIRE(pk_stat_next(&cursor, &stat, nullptr) == PK_OK);
      CHECK(stat.kind == want.kind);
      CHECK(stat.origin == want.origin);
      CHECK(stat.bits == want.bits);
      CHECK(text_of(stat.name) == want.name);
      CHECK(text_of(stat.text) == want.text);
    }
    CHECK(pk_stat_next(&cursor, &stat, nullptr) == PK_END);
    CHECK(pk_stat_next(&cursor, &stat, nullptr) == PK_END);
  }

  pk_event_metadata entry;
  REQUIRE(pk_event_metadata_get(p, 0, 0, 40, &entry, nullptr) == PK_OK);
  CHECK(text_of(entry.name) == "call");
  CHECK(entry.child_count == 2);
  std::int64_t children[1] = {0};
  std::size_t count = 0;
  REQUIRE(pk_event_metadata_children(p, 0, 0, 40, children, 1, &count, nullptr) == PK_OK);
  CHECK(count == 2);
  CHECK(children[0] == 41);

  // An id that was written twice is listed once, as its last entry.
  pk_metadata_cursor cursor;
  REQUIRE(pk_stat_metadata_begin(p, 0, 0, &cursor, nullptr) == PK_OK);
  std::vector<std::string> names;
  for (pk_stat_metadata s; pk_stat_metadata_next(&cursor, &s, nullptr) == PK_OK;) names.emplace_back(text_of(s.name));
  CHECK(names == std::vector<std::string>{"name 1", "name 2", "name 3", "name 4", "name 5", "name six"});
  std::int64_t id = 0;
  CHECK(pk_stat_metadata_find(p, 0, 0, "name six", 8, &id, nullptr) == PK_OK);
  CHECK(id == 6);
  CHECK(pk_stat_metadata_find(p, 0, 0, "name 6", 6, &id, nullptr) == PK_E_NOT_FOUND);
  pk_plane_info info;
  REQUIRE(pk_plane_get(p, 0, 0, &info, nullptr) == PK_OK);
  CHECK(info.stat_metadata_count == 7);
}

TEST_CASE("files on one clock: absolute times and a shift between hosts") {
  const auto write = [](const std::filesystem::path& path, std::int64_t start_ns, std::int64_t line_ns) {
    message environment;
    environment.text(2, "Task Environment").sub(5, metadata_entry_of(1, "profile_start_time"));
    environment.sub(6, message().number(1, 1).number(3, start_ns));
    message host;
    host.text(2, "/host:CPU").sub(3, message().text(2, "main").number(3, line_ns).sub(4, event(1, 7, 1)));
    std::ofstream(path, std::ios::binary) << message().sub(1, environment).sub(1, host).bytes();
  };
  const auto folder = std::filesystem::temp_directory_path() / "profkit_capi_clock";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  constexpr std::int64_t start_ns = 1741722099000000000;
  write(folder / "a.xplane.pb", start_ns, 100);
  write(folder / "b.xplane.pb", start_ns + 5000, start_ns + 6000);  // this recorder wrote Unix times
  const auto profile = opened(folder.string());
  pk_profile_info info;
  REQUIRE(pk_profile_get(profile.get(), &info, nullptr) == PK_OK);
  CHECK(info.flags == PK_PROFILE_HAS_ORIGIN);
  CHECK(info.origin_unix_ns == start_ns);
  pk_event event_row;
  pk_event_cursor cursor;
  pk_file_info b;
  REQUIRE(pk_file_get(profile.get(), 1, &b, nullptr) == PK_OK);
  CHECK(b.shift_ns == 5000);
  CHECK(b.origin_unix_ns == start_ns + 5000);
  CHECK(text_of(b.host) == "b");
  REQUIRE(pk_events_begin(profile.get(), 0, 1, 0, &cursor, nullptr) == PK_OK);
  REQUIRE(pk_event_next(&cursor, &event_row, nullptr) == PK_OK);
  CHECK(event_row.start_ps == 100007);
  REQUIRE(pk_events_begin(profile.get(), 1, 1, 0, &cursor, nullptr) == PK_OK);
  REQUIRE(pk_event_next(&cursor, &event_row, nullptr) == PK_OK);
  CHECK(event_row.start_ps == 6000007);
  std::filesystem::remove_all(folder);
}

TEST_CASE("damage: what was intact is given, then where it ends") {
  message line;
  line.text(2, "main");
  for (int i = 0; i < 300; ++i) line.sub(4, event(1, i, 1));
  const std::string whole = capture_of(message().text(2, "/host:CPU").sub(3, line));
  const std::string cut = whole.substr(0, whole.size() - 3);
  const auto profile = opened_buffer(cut);
  const pk_error* damage = pk_file_damage(profile.get(), 0);
  REQUIRE(damage != nullptr);
  CHECK(pk_error_code(damage) == PK_E_DAMAGED);
  CHECK(std::string(pk_error_path(damage)) == "test.xplane.pb");
  const std::string said = pk_error_message(damage);
  CHECK(said.find("test.xplane.pb") != std::string::npos);
  CHECK(said.find("test.xplane.pb") == said.rfind("test.xplane.pb"));
  CHECK(pk_error_byte_offset(damage) != PK_NO_OFFSET);
  CHECK(std::string(pk_error_hint(damage)) != "");
  CHECK(pk_file_damage(profile.get(), 0) == damage);  // one object, borrowed

  pk_event_cursor cursor;
  REQUIRE(pk_events_begin(profile.get(), 0, 0, 0, &cursor, nullptr) == PK_OK);
  pk_event rows[128];
  std::size_t count = 0, total = 0;
  error_slot error;
  pk_status status;
  while ((status = pk_events_read(&cursor, rows, 128, &count, error.out())) == PK_OK) total += count;
  CHECK(total == 299);
  CHECK(count == 0);
  CHECK(status == PK_E_DAMAGED);
  CHECK(std::string(pk_error_path(error.get())) == "test.xplane.pb");
  CHECK(pk_error_byte_offset(error.get()) == whole.size() - event(1, 299, 1).bytes().size() - 2);
  CHECK(pk_events_read(&cursor, rows, 128, &count, error.out()) == PK_E_DAMAGED);  // and stays there
}

TEST_CASE("damage inside a stat is told with its place") {
  message event;
  event.number(1, 1).number(2, 1).sub(4, stat(1, 5));
  event.text(4, std::string_view("\x08\x01\x2a\x7f", 4)).sub(4, stat(1, 6));
  const std::string bytes = capture_of(message().text(2, "/host:CPU").sub(3, message().text(2, "main").sub(4, event)));
  const auto profile = opened_buffer(bytes);
  pk_event_cursor cursor;
  pk_event row;
  REQUIRE(pk_events_begin(profile.get(), 0, 0, 0, &cursor, nullptr) == PK_OK);
  REQUIRE(pk_event_next(&cursor, &row, nullptr) == PK_OK);
  pk_stat_cursor stats;
  pk_stat one;
  error_slot error;
  REQUIRE(pk_event_stats(profile.get(), 0, 0, &row, PK_ORIGIN_EVENT, &stats, nullptr) == PK_OK);
  CHECK(pk_stat_next(&stats, &one, nullptr) == PK_OK);
  CHECK(pk_stat_next(&stats, &one, error.out()) == PK_E_DAMAGED);
  CHECK(pk_error_byte_offset(error.get()) == bytes.find("\x08\x01\x2a\x7f"));
  CHECK(pk_stat_next(&stats, &one, error.out()) == PK_E_DAMAGED);
}

TEST_CASE("cut at every byte: no crash, and the error or the damage is told") {
  message plane;
  plane.number(1, 3).text(2, "/host:CPU").sub(4, metadata_entry_of(1, "call")).sub(5, metadata_entry_of(1, "flops"));
  plane.sub(3, message().text(2, "main").sub(4, event(1, 10, 2).sub(4, stat(1, 9))).sub(4, event(1, 20, 2)));
  plane.sub(6, stat(1, 4));
  const std::string whole = message().sub(1, plane).text(4, "host").bytes();
  const std::size_t first_field = message().sub(1, plane).bytes().size();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    INFO("the first " << size << " bytes");
    const exact_copy bytes(std::string_view(whole).substr(0, size));
    pk_profile* profile = nullptr;
    error_slot error;
    const pk_status status =
        pk_profile_open_buffer(bytes.view().data(), size, "a.xplane.pb", nullptr, &profile, error.out());
    const owned<pk_profile> handle(profile);
    const bool valid = size == first_field || size == whole.size();  // no bytes are no file
    if (status != PK_OK) {
      CHECK_FALSE(valid);
      continue;
    }
    CHECK((pk_file_damage(profile, 0) == nullptr) == valid);
    for (std::uint32_t p = 0; p < pk_plane_count(profile, 0); ++p)
      for (std::uint32_t l = 0; l < pk_line_count(profile, 0, p); ++l) {
        pk_event_cursor cursor;
        REQUIRE(pk_events_begin(profile, 0, p, l, &cursor, nullptr) == PK_OK);
        for (pk_event row; pk_event_next(&cursor, &row, nullptr) == PK_OK;) {
          pk_stat_cursor stats;
          REQUIRE(pk_event_stats(profile, 0, p, &row, 7, &stats, nullptr) == PK_OK);
          for (pk_stat one; pk_stat_next(&stats, &one, nullptr) == PK_OK;) {}
        }
      }
  }
}

TEST_CASE("of a cut file the views give what the library gives") {
  std::ifstream capture(gpu_capture(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(capture), {}};
  for (std::size_t cut = 3; cut < bytes.size(); cut += 97) {
    const std::string_view part = std::string_view(bytes).substr(0, cut);
    CHECK(totals_of_views(part) == totals_of_profile(part));
  }
  const std::string_view part = std::string_view(bytes).substr(0, bytes.size() - 1);
  CHECK(totals_of_views(part).events > 0);
  CHECK_FALSE(profkit::xspace_view(part).planes().ok());
}

TEST_CASE("one stat of an event by its name") {
  const profkit::lib::profile profile = profkit::lib::profile::open(gpu_capture()).or_throw();
  std::size_t looked = 0;
  for (const profkit::lib::plane plane : profile.files()[0].planes())
    for (const profkit::lib::line line : plane.lines())
      for (const pk_event& event : line.events()) {
        std::vector<std::string> seen;
        for (const pk_stat& stat : plane.stats_of(event)) {
          const std::string name(text_of(stat.name));
          if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
          seen.push_back(name);
          const auto found = plane.find_stat(event, name);
          REQUIRE(found);
          CHECK(std::memcmp(&*found, &stat, sizeof stat) == 0);
          ++looked;
        }
        CHECK_FALSE(plane.find_stat(event, "no such stat"));
      }
  CHECK(looked > 100);
}

TEST_CASE("a file that went through a text conversion is refused with the reason") {
  const auto path = corpus_path("captures/xspace/MUST_REJECT_tpu_text_mangled.xplane.pb");
  if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
  pk_profile* profile = nullptr;
  error_slot error;
  CHECK(pk_profile_open(path->c_str(), nullptr, &profile, error.out()) == PK_E_TEXT_MANGLED);
  CHECK(profile == nullptr);
  CHECK(std::string(pk_error_hint(error.get())) != "");
}

TEST_CASE("a read that waits for a pipe ends when it is cancelled, from the first byte on and in the middle") {
  std::ifstream capture(tpu_capture(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(capture), {}};
  for (const std::size_t written : {std::size_t{0}, std::size_t{3}, std::size_t{60000}}) {
    INFO(written);
    const std::string path = (std::filesystem::temp_directory_path() / ("profkit-capi-pipe-" + std::to_string(::getpid()))).string();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    pk_cancel_token* made = nullptr;
    REQUIRE(pk_cancel_token_new(&made, nullptr) == PK_OK);
    const owned<pk_cancel_token> token(made);
    std::thread writer([&] {
      const int to = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      const bool is_written = ::write(to, bytes.data(), written) == static_cast<::ssize_t>(written);
      std::this_thread::sleep_for(std::chrono::milliseconds(is_written ? 200 : 0));
      pk_cancel_token_cancel(token.get());
      // The pipe stays open: what waits for more bytes would wait without end.
      std::this_thread::sleep_for(std::chrono::seconds(2));
      ::close(to);
    });
    pk_hooks hooks = PK_HOOKS_INIT;
    hooks.cancel = token.get();
    pk_open_options options = PK_OPEN_OPTIONS_INIT;
    options.hooks = &hooks;
    pk_profile* profile = nullptr;
    error_slot error;
    CHECK(pk_profile_open(path.c_str(), &options, &profile, error.out()) == PK_E_CANCELLED);
    CHECK(profile == nullptr);
    writer.join();
    ::unlink(path.c_str());
  }
}

TEST_CASE("standard input is read where that is allowed") {
  pk_profile* profile = nullptr;
  error_slot error;
  CHECK(pk_profile_open("-", nullptr, &profile, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(std::string(pk_error_hint(error.get())).find("PK_OPEN_STANDARD_INPUT") != std::string::npos);
  const int own = ::dup(STDIN_FILENO), file = ::open(tpu_capture().c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::dup2(file, STDIN_FILENO) == STDIN_FILENO);
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  options.flags = PK_OPEN_STANDARD_INPUT;
  CHECK(pk_profile_open("-", &options, &profile, error.out()) == PK_OK);
  pk_profile_free(profile);
  ::close(file);
  REQUIRE(::dup2(own, STDIN_FILENO) == STDIN_FILENO);
  ::close(own);
}
