// Neutrino traces through the C ABI: the command's own documents, and arguments that make no sense.
#include <profkit/core/probe_export.hpp>

#include <profkit/profkit.hpp>

#include "handles.hpp"

using namespace profkit::test;

namespace {

struct free_probe {
  void operator()(pk_probe* p) const noexcept { pk_probe_free(p); }
};
using probe_handle = std::unique_ptr<pk_probe, free_probe>;

probe_handle open_probe(const char* relative) {
  const auto profile = opened(data_path(relative).string());
  pk_probe* made = nullptr;
  REQUIRE(pk_probe_open(profile.get(), PK_PROBE_TOOL_NONE, &made, nullptr) == PK_OK);
  return probe_handle(made);
}

}  // namespace

TEST_CASE("neutrino: the C ABI writes the documents of the command") {
  const auto probe = open_probe("neutrino/block_sched");
  const auto core = profkit::profile::open(data_path("neutrino/block_sched").string());
  REQUIRE(core.ok());
  for (std::int32_t slice = PK_PROBE_SLICE_SUMMARY; slice <= PK_PROBE_SLICE_LOG; ++slice) {
    pk_probe_query asked = PK_PROBE_QUERY_INIT;
    asked.slice = slice;
    asked.launch = "1";
    asked.limit = 3;
    std::string ours, theirs;
    REQUIRE(pk_probe_write(probe.get(), &asked, append, &ours, nullptr, nullptr) == PK_OK);
    profkit::probe_query query;
    query.slice = static_cast<profkit::probe_slice>(slice);
    query.launch = "1";
    query.limit = 3;
    const auto sink = profkit::memory_sink(theirs);
    REQUIRE(profkit::write_probe_document(**core, query, *sink).ok());
    REQUIRE(sink->finish().ok());
    CHECK(ours == theirs);
  }
}

TEST_CASE("neutrino: tables and pictures") {
  PROFKIT_NEEDS("toml");
  const auto probe = open_probe("neutrino/block_sched");
  const auto core = profkit::profile::open(data_path("neutrino/block_sched").string());
  REQUIRE(core.ok());
  const auto written = [&](const pk_probe_query& asked, pk_status expected) {
    std::string text;
    CHECK(pk_probe_write(probe.get(), &asked, append, &text, nullptr, nullptr) == expected);
    return text;
  };
  pk_probe_query asked = PK_PROBE_QUERY_INIT;
  asked.format = PK_PROBE_CSV;
  written(asked, PK_E_INVALID_ARGUMENT);  // the summary is no table
  for (asked.slice = PK_PROBE_SLICE_LAUNCHES; asked.slice <= PK_PROBE_SLICE_LOG; ++asked.slice) {
    std::string theirs;
    profkit::probe_query query;
    query.slice = static_cast<profkit::probe_slice>(asked.slice);
    const auto sink = profkit::memory_sink(theirs);
    REQUIRE(profkit::write_probe_csv(**core, query, *sink).ok());
    REQUIRE(sink->finish().ok());
    CHECK(written(asked, PK_OK) == theirs);
  }
  asked.format = PK_PROBE_SVG;
  written(asked, PK_E_INVALID_ARGUMENT);  // the last slice is no picture
  asked.slice = PK_PROBE_SLICE_SCHEDULE;
  asked.title = "blocks & <slots>";
  const std::string picture = written(asked, PK_OK);
  CHECK(picture.find("<svg") == 0);
  CHECK(picture.find("blocks &amp; &lt;slots&gt;") != std::string::npos);
  asked.title = nullptr;
  CHECK(written(asked, PK_OK).find("matmul") != std::string::npos);
  asked.slice = PK_PROBE_SLICE_DENSITY;
  CHECK(written(asked, PK_OK).empty());  // no map of addresses
  asked.format = 3;
  written(asked, PK_E_INVALID_ARGUMENT);
}

TEST_CASE("neutrino: damage of a record file, and records before it") {
  const auto probe = open_probe("neutrino/cut");
  const pk_error* damage = pk_probe_bin_damage(probe.get(), 0);
  REQUIRE(damage != nullptr);
  CHECK(pk_error_code(damage) == PK_E_DAMAGED);
  CHECK(pk_error_byte_offset(damage) == 700);
  pk_probe_map map;
  REQUIRE(pk_probe_map_get(probe.get(), 0, 1, &map, nullptr) == PK_OK);
  CHECK((map.flags & PK_PROBE_TRUNCATED) != 0);
  pk_probe_records* records = nullptr;
  REQUIRE(pk_probe_records_open(probe.get(), 0, 1, &records, nullptr) == PK_OK);
  std::uint64_t seen = 0;
  pk_probe_record rows[16];
  std::size_t count = 0;
  while (pk_probe_records_read(records, rows, 16, &count, nullptr) == PK_OK) seen += count;
  CHECK(seen == map.lanes);
  CHECK(seen == (700 - map.offset) / 8);
  pk_probe_records_free(records);
}

TEST_CASE("neutrino: arguments that make no sense") {
  const auto other = opened(tpu_capture());
  pk_probe* made = reinterpret_cast<pk_probe*>(1);
  error_slot error;
  CHECK(pk_probe_open(other.get(), PK_PROBE_TOOL_NONE, &made, error.out()) == PK_E_NOT_FOUND);
  CHECK(made == nullptr);
  CHECK(pk_probe_open(nullptr, PK_PROBE_TOOL_NONE, &made, error.out()) == PK_E_INVALID_ARGUMENT);
  const auto traces = opened(data_path("neutrino/block_sched").string());
  CHECK(pk_probe_open(traces.get(), 9, &made, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_probe_open(traces.get(), PK_PROBE_TOOL_NONE, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  const auto probe = open_probe("neutrino/block_sched");
  pk_table* table = nullptr;
  CHECK(pk_probe_table(nullptr, nullptr, &table, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_probe_table(probe.get(), nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_probe_records_table(probe.get(), 5, 0, nullptr, &table, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_probe_field field;
  CHECK(pk_probe_field_get(probe.get(), 0, 0, 3, &field, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_probe_records* records = nullptr;
  CHECK(pk_probe_records_open(probe.get(), 5, 0, &records, error.out()) == PK_E_INVALID_ARGUMENT);
  std::string text;
  pk_probe_query query = PK_PROBE_QUERY_INIT;
  query.slice = 11;
  CHECK(pk_probe_write(probe.get(), &query, append, &text, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  query.slice = PK_PROBE_SLICE_RECORDS;
  query.map = "nothing";
  CHECK(pk_probe_write(probe.get(), &query, append, &text, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(error.message().find("nothing") != std::string::npos);
  query.map = nullptr;
  query.flags = 1u << 20;
  CHECK(pk_probe_write(probe.get(), &query, append, &text, nullptr, error.out()) < 0);
  query.flags = 0;
  query.width = 1u << 20;
  CHECK(pk_probe_write(probe.get(), &query, append, &text, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
}

TEST_CASE("neutrino: a probe trace through profkit.hpp") {
  PROFKIT_NEEDS("toml");
  using namespace profkit;
  std::optional<lib::probe_trace> opened;
  {
    const lib::profile profile = lib::profile::open(data_path("neutrino/block_sched").string()).or_throw();
    opened = profile.open_probes().or_throw();
  }  // the trace keeps its profile
  const lib::probe_trace& trace = *opened;
  std::vector<pk_probe_launch> launches;
  for (const pk_probe_launch& launch : *trace.launches()) launches.push_back(launch);
  REQUIRE(launches.size() == 2);
  std::size_t at = 0;
  for (const pk_probe_launch& again : *trace.launches())  // text outlives its table
    CHECK(lib::view(again.kernel) == lib::view(launches[at++].kernel));
  REQUIRE(trace.bin_count() == 2);
  CHECK(launches[0].outcome == PK_PROBE_OUTCOME_OK);
  CHECK(trace.bin(static_cast<std::size_t>(launches[1].bin_position)).launch == 1);
  CHECK_FALSE(trace.damage(0));
  const pk_probe_map map = trace.map(0, 0);
  const auto start = trace.find_field(0, 0, "start"), elapsed = trace.find_field(0, 0, "elapsed");
  REQUIRE((start && elapsed));
  CHECK_FALSE(trace.find_field(0, 0, "no such field"));
  auto records = trace.records(0, 0).or_throw();
  std::uint64_t rows = 0, last_end = 0;
  for (const pk_probe_record& record : records) {
    ++rows;
    last_end = std::max(last_end, lib::value_of(record, *start) + lib::value_of(record, *elapsed));
  }
  CHECK(records.ok());
  CHECK(rows == map.lanes * map.capacity);
  CHECK(last_end > 0);
  CHECK_FALSE(trace.records(0, 99));
  std::string text;
  CHECK(*trace.write_document([&](std::string_view bytes) { text.append(bytes); }) == PK_DOCUMENT_STATUS_OK);
  CHECK(text.find("\"launches\"") != std::string::npos);

  const lib::profile other = lib::profile::open(tpu_capture()).or_throw();
  CHECK(other.open_probes().error().code() == PK_E_NOT_FOUND);
  const lib::profile cut = lib::profile::open(data_path("neutrino/cut").string()).or_throw();
  CHECK(cut.open_probes().or_throw().damage(0).code() == PK_E_DAMAGED);
}
