// profkit.hpp: the same facts through handles and ranges.
#include <profkit/profkit.hpp>

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handles.hpp"

namespace lib = profkit::lib;
using namespace profkit::test;

TEST_CASE("ranges over files, planes, lines, events and stats") {
  const lib::profile profile = lib::profile::open(tpu_capture()).or_throw();
  CHECK(profile.info().file_count == 1);
  std::uint64_t events = 0, event_stats = 0, plane_stats = 0, entries = 0, names = 0;
  for (const lib::file file : profile.files()) {
    CHECK(file.path() == tpu_capture());
    CHECK_FALSE(file.damage());
    CHECK(file.bytes().size() == 862707);
    CHECK(file.note_count(PK_NOTE_HOSTNAME) == 0);
    for (const lib::plane plane : file.planes()) {
      for ([[maybe_unused]] const pk_stat& stat : plane.stats()) ++plane_stats;
      for (const pk_event_metadata& entry : plane.event_metadata()) {
        ++entries;
        if (!plane.find_event_metadata(entry.id)) FAIL("an entry that was listed is not found");
      }
      for (const pk_stat_metadata& entry : plane.stat_metadata())
        if (!plane.find_stat_metadata(entry.id)) FAIL("an entry that was listed is not found");
      for (const lib::line line : plane.lines()) {
        auto rows = line.events();
        std::uint64_t of_line = 0;
        for (const pk_event& event : rows) {
          ++of_line;
          if (!plane.name_of(event).empty()) ++names;
          for ([[maybe_unused]] const pk_stat& stat : plane.stats_of(event, PK_ORIGIN_EVENT)) ++event_stats;
        }
        CHECK(rows.ok());
        CHECK(of_line == line.summary().event_count);
        events += of_line;
      }
    }
  }
  CHECK(events == 26723);
  CHECK(event_stats == 37200);
  CHECK(plane_stats == 51);
  CHECK(entries == 849);
  CHECK(names == 26723);
}

TEST_CASE("a loop that stopped goes on where it was") {
  const lib::profile profile = lib::profile::open(tpu_capture()).or_throw();
  auto rows = profile.files()[0].planes()[0].lines()[0].events();
  std::uint64_t first = 0, rest = 0;
  for ([[maybe_unused]] const pk_event& event : rows)
    if (++first == 3) break;
  for ([[maybe_unused]] const pk_event& event : rows) ++rest;
  CHECK(first + rest - 1 == profile.files()[0].planes()[0].lines()[0].summary().event_count);
  for ([[maybe_unused]] const pk_event& event : rows) FAIL("the range has ended");
}

TEST_CASE("rows come in batches, too, from where a loop stopped") {
  const lib::profile profile = lib::profile::open(tpu_capture()).or_throw();
  const lib::line line = profile.files()[0].planes()[0].lines()[0];
  std::int64_t by_event = 0, by_batch = 0;
  auto rows = line.events();
  for (const pk_event& event : rows) by_event += event.start_ps;
  auto batches = line.events();
  for (const pk_event& event : batches) {
    by_batch += event.start_ps;
    break;
  }
  std::size_t count = 0;
  for (auto batch = batches.next_batch(); !batch.empty(); batch = batches.next_batch()) {
    if (count == 0) by_batch -= batch.begin()->start_ps;  // the one where the loop stopped
    for (const pk_event& event : batch) by_batch += event.start_ps;
    count += batch.size;
  }
  CHECK(batches.ok());
  CHECK(count == line.summary().event_count);
  CHECK(by_batch == by_event);
  CHECK(batches.next_batch().empty());
}

TEST_CASE("names of constants, and what is not in a row") {
  CHECK(lib::version() == pk_version_string());
  CHECK(lib::version_number() == PK_VERSION_NUMBER);
  CHECK(lib::status_name(PK_E_DAMAGED) == "damaged");
  CHECK(lib::family_name(PK_FAMILY_OWN) == "own");
  CHECK(lib::compression_name(PK_COMPRESSION_ZSTD) == "zstd");
  CHECK(lib::plane_kind_name(PK_PLANE_DEVICE) == "device");
  CHECK(lib::line_kind_name(PK_LINE_STEPS) == "steps");
  CHECK(lib::stat_kind_name(PK_STAT_REF) == "ref");
  CHECK(lib::sibling_state_name(PK_SIBLING_SAME_BYTES) == "same_bytes");
  CHECK(lib::document_name(PK_DOCUMENT_OPS) == "ops");
  CHECK(lib::trace_format_name(PK_TRACE_JSON) == pk_trace_format_name(PK_TRACE_JSON));
  CHECK(lib::probe_flag_name(PK_PROBE_POSSIBLE_OVERFLOW) == "possible_overflow");
  CHECK(lib::table_name(PK_TABLE_GAPS) == "gaps");
  const lib::profile profile = lib::profile::open(tpu_capture()).or_throw();
  const lib::plane plane = profile.files()[0].planes()[0];
  std::size_t children = 0;
  for (const pk_event_metadata& entry : plane.event_metadata()) {
    CHECK(plane.children_of_metadata(entry.id).size() == entry.child_count);
    children += entry.child_count;
  }
  CHECK(plane.children_of_metadata(-5).empty());
}

TEST_CASE("exports, dumps and the document of an error") {
  const lib::profile profile = lib::profile::open(tpu_capture()).or_throw();
  std::string json, dump, of_file, failed;
  const pk_trace_outcome outcome = profile.write_trace([&](std::string_view bytes) { json += bytes; }).or_throw();
  CHECK(outcome.events == 26723);
  CHECK(json.find("\"traceEvents\"") != std::string::npos);
  CHECK(lib::write_dump(tpu_capture().c_str(), [&](std::string_view bytes) { dump += bytes; }).or_throw() ==
        PK_DOCUMENT_STATUS_OK);
  CHECK(profile.write_dump(0, [&](std::string_view bytes) { of_file += bytes; }).or_throw() == PK_DOCUMENT_STATUS_OK);
  CHECK(dump == of_file);
  const auto absent = lib::profile::open("/no/such/file");
  REQUIRE_FALSE(absent.ok());
  CHECK(lib::write_error_document(PK_DOCUMENT_OPS, absent.error(), [&](std::string_view bytes) { failed += bytes; })
            .or_throw() == PK_DOCUMENT_STATUS_ERROR);
  CHECK(failed.find("not_found") != std::string::npos);
  const auto refused = profile.write_trace_file(tpu_capture().c_str());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == PK_E_INVALID_ARGUMENT);
}

TEST_CASE("a host builds its own trace") {
  auto builder = lib::trace_builder::make().or_throw();
  pk_trace_device gpu = PK_TRACE_DEVICE_INIT;
  gpu.host = builder.add(pk_trace_host(PK_TRACE_HOST_INIT)).or_throw();
  gpu.name = lib::borrowed("GPU 0");
  pk_trace_stream stream = PK_TRACE_STREAM_INIT;
  stream.device = builder.add(gpu).or_throw();
  pk_trace_kernel row{};
  row.stream = builder.add(stream).or_throw();
  row.name = lib::borrowed("gemm");
  row.duration_ps = 5;
  CHECK_FALSE(builder.add(std::vector<pk_trace_kernel>(3, row)));
  row.duration_ps = -5;
  const lib::error refused = builder.add(&row, 1);
  REQUIRE(refused);
  CHECK(refused.message() == "row 0: the duration is negative");
  pk_trace_thread nowhere = PK_TRACE_THREAD_INIT;
  nowhere.host = 7;
  CHECK(builder.add(nowhere).error().code() == PK_E_INVALID_ARGUMENT);
  const lib::profile profile = builder.finish().or_throw();
  std::int64_t sum_ps = 0;
  auto kernels = profile.rows<pk_kernel_row>().or_throw();
  for (const pk_kernel_row& kernel : kernels) sum_ps += kernel.duration_ps;
  CHECK(sum_ps == 15);
  CHECK_FALSE(builder.finish().ok());
}

TEST_CASE("errors are values, or exceptions on demand") {
  auto missing = lib::profile::open("/nonexistent/a.xplane.pb");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == PK_E_NOT_FOUND);
  CHECK_FALSE(missing.error().message().empty());
  CHECK(missing.error().byte_offset() == PK_NO_OFFSET);
  try {
    static_cast<void>(std::move(missing).or_throw());
    FAIL("or_throw() gave a value");
  } catch (const lib::exception& e) {
    CHECK(e.code() == PK_E_NOT_FOUND);
    CHECK(std::string(e.what()).size() > 0);
  }
  const lib::error none;
  CHECK_FALSE(none);
  CHECK(none.code() == PK_OK);
  lib::error from = lib::profile::open("/nonexistent/b").take_error();
  const lib::error to = std::move(from);
  CHECK(to.code() == PK_E_NOT_FOUND);
  CHECK(from.code() == PK_OK);  // NOLINT: a moved-from error is empty
}

TEST_CASE("a damaged line ends its range with the place") {
  std::string bytes("\x0a\x0e\x12\x01p\x1a\x09\x22\x04\x08\x01\x10\x05\x22\x7f\x08", 16);
  const lib::profile profile = lib::profile::open_buffer(bytes, "cut.xplane.pb").or_throw();
  const lib::file file = profile.files()[0];
  CHECK(file.damage().code() == PK_E_DAMAGED);
  auto rows = file.planes()[0].lines()[0].events();
  std::size_t events = 0;
  for ([[maybe_unused]] const pk_event& event : rows) ++events;
  CHECK(events == 1);
  CHECK_FALSE(rows.ok());
  CHECK(rows.error().code() == PK_E_DAMAGED);
  CHECK(rows.error().byte_offset() == 13);
  auto none = file.planes()[0].stats_of_metadata(5);
  for ([[maybe_unused]] const pk_stat& stat : none) FAIL("there is no such entry");
  CHECK(none.error().code() == PK_E_NOT_FOUND);
}

TEST_CASE("handles move, share and free") {
  lib::profile first = lib::profile::open(gpu_capture()).or_throw();
  const lib::profile second = first.share();
  CHECK(first.get() == second.get());
  const std::string_view name = second.files()[0].planes()[1].name();
  {
    const lib::profile moved = std::move(first);
    CHECK(moved.get() == second.get());
  }
  CHECK(name == "/device:GPU:0");  // second still holds it
  const lib::cancel_token token = lib::cancel_token::make().or_throw();
  CHECK(token.get() != nullptr);
}

TEST_CASE("documents as text, piece by piece, stopped and with an exception") {
  const lib::profile profile = lib::profile::open(gpu_capture()).or_throw();
  const std::string info = profile.document_text(PK_DOCUMENT_INFO).or_throw();
  CHECK(info.find("\"planes\"") != std::string::npos);
  std::string pieces;
  const auto status = profile.write_document(PK_DOCUMENT_INFO, [&](std::string_view bytes) { pieces += bytes; });
  REQUIRE(status.ok());
  CHECK(*status == PK_DOCUMENT_STATUS_OK);
  CHECK(pieces == info);
  std::string entry;
  const lib::profile compiled = lib::profile::open(tpu_capture()).or_throw();
  pk_document_options about = PK_DOCUMENT_OPTIONS_INIT;
  about.of = "jit_f";
  REQUIRE(compiled.write_document(PK_DOCUMENT_MODULES, [&](std::string_view bytes) { entry += bytes; }, &about).ok());
  CHECK(entry.find("\"entry\"") != std::string::npos);
  about.of = "no such module";
  const auto no_module = compiled.write_document(PK_DOCUMENT_MODULES, [](std::string_view) {}, &about);
  CHECK(no_module.error().code() == PK_E_NOT_FOUND);
  std::string finding, page;
  about.of = "bubbles.idle";
  REQUIRE(compiled.write_document(PK_DOCUMENT_EXPLAIN, [&](std::string_view bytes) { finding += bytes; }, &about).ok());
  CHECK(finding.find("\"neighbours\"") != std::string::npos);
  about.of = "no such finding";
  CHECK(compiled.write_document(PK_DOCUMENT_EXPLAIN, [](std::string_view) {}, &about).error().code() == PK_E_NOT_FOUND);
  CHECK(compiled.write_document(PK_DOCUMENT_OPS, [](std::string_view) {}, &about).error().code() == PK_E_INVALID_ARGUMENT);
  REQUIRE(compiled.write_page([&](std::string_view bytes) { page += bytes; }).ok());
  CHECK(page.substr(0, 15) == "<!doctype html>");
  const auto stopped = profile.write_document(PK_DOCUMENT_INFO, [](std::string_view) { return false; });
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code() == PK_E_CANCELLED);
  CHECK_THROWS_AS(static_cast<void>(profile.write_document(PK_DOCUMENT_INFO,
                                                           [](std::string_view) { throw std::length_error("full"); })),
                  std::length_error);
}

TEST_CASE("modules and Chrome events") {
  const lib::profile tpu = lib::profile::open(tpu_capture()).or_throw();
  const lib::module_list modules = tpu.modules().or_throw();
  REQUIRE(modules.size() == 4);
  CHECK(lib::view(modules[0].module_name) == "jit_f");
  CHECK_FALSE(modules.damage(0));

  const lib::profile run = lib::profile::open(cpu_run()).or_throw();
  std::map<char, int> phases;
  for (const lib::file file : run.files()) {
    if (file.info().family != PK_FAMILY_CHROME_TRACE) continue;
    lib::chrome_range events = run.chrome_events(file.position()).or_throw();
    for (const pk_chrome_event& event : events) ++phases[static_cast<char>(event.phase)];
    CHECK(events.ok());
    CHECK(events.reader().summary().event_count > 0);
  }
  CHECK(phases['X'] > 100);
  CHECK(phases['M'] > 1);
}

TEST_CASE("numbers of stats") {
  pk_stat stat{};
  stat.kind = PK_STAT_INT64;
  stat.bits = static_cast<std::uint64_t>(-3);
  CHECK(lib::as_int64(stat) == -3);
  CHECK(lib::as_double(stat) == -3.0);
  stat.kind = PK_STAT_UINT64;
  stat.bits = std::uint64_t{1} << 63;
  CHECK(lib::as_double(stat) == 9223372036854775808.0);
  stat.kind = PK_STAT_DOUBLE;
  const double value = 1.5;
  std::memcpy(&stat.bits, &value, sizeof value);
  CHECK(lib::as_double(stat) == 1.5);
  CHECK(lib::as_int64(stat) == 0);
  stat.kind = PK_STAT_STR;
  CHECK(lib::as_double(stat) == 0);
}
