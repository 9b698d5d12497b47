// Export through the C ABI: the core's own bytes in every format, files, filters, and a caller who stops.
#include <profkit/core/trace_export.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "handles.hpp"

using namespace profkit::test;

namespace {

std::string core_bytes(const std::string& path, const profkit::trace_export_options& o,
                       profkit::trace_export_outcome& told) {
  const auto p = profkit::profile::open(path);
  REQUIRE(p.ok());
  std::string bytes;
  const auto into = profkit::memory_sink(bytes);
  auto outcome = profkit::export_trace(profkit::trace(**p), o, *into);
  REQUIRE(outcome.ok());
  REQUIRE(into->finish().ok());
  told = *outcome;
  return bytes;
}

}  // namespace

TEST_CASE("export: the C ABI writes the core's bytes in every format") {
  for (const std::string& path : {gpu_capture(), tpu_capture()}) {
    const auto profile = opened(path);
    for (const std::int32_t format : {PK_TRACE_JSON, PK_TRACE_PERFETTO, PK_TRACE_XSPACE, PK_TRACE_CSV}) {
      INFO(path << " as " << pk_trace_format_name(format));
      pk_trace_options options = PK_TRACE_OPTIONS_INIT;
      options.format = format;
      pk_trace_outcome outcome;
      error_slot error;
      std::string ours;
      REQUIRE(pk_trace_write(profile.get(), &options, append, &ours, &outcome, error.out()) == PK_OK);
      profkit::trace_export_options o;
      o.format = static_cast<profkit::trace_format>(format);
      profkit::trace_export_outcome told;
      CHECK(ours == core_bytes(path, o, told));
      CHECK(outcome.status == PK_DOCUMENT_STATUS_OK);
      CHECK(outcome.events == told.events);
      CHECK(outcome.tracks == told.tracks);
      CHECK(outcome.lanes == told.lanes);
      CHECK(outcome.flows == told.flows);
      CHECK(outcome.counters == told.counters);
    }
  }
}

TEST_CASE("export: filters, XLA's text and files") {
  const auto profile = opened(tpu_capture());
  pk_trace_options options = PK_TRACE_OPTIONS_INIT;
  options.format = PK_TRACE_CSV;
  pk_filters filters = PK_FILTERS_INIT;
  filters.plane = "TPU:0";
  filters.flags = PK_FILTER_HAS_FROM | PK_FILTER_HAS_TO;
  filters.from_ps = 0;
  filters.to_ps = 20'000'000'000'000;
  options.filters = &filters;
  profkit::trace_export_options o;
  o.format = profkit::trace_format::csv;
  o.filters.plane = "TPU:0";
  o.filters.from_ps = 0;
  o.filters.to_ps = filters.to_ps;
  profkit::trace_export_outcome told;
  const std::string expected = core_bytes(tpu_capture(), o, told);
  error_slot error;
  std::string ours;
  REQUIRE(pk_trace_write(profile.get(), &options, append, &ours, nullptr, error.out()) == PK_OK);
  CHECK(ours == expected);

  const std::string path =
      (std::filesystem::temp_directory_path() / ("profkit-capi-export-" + std::to_string(::getpid()))).string();
  REQUIRE(pk_trace_write_file(profile.get(), &options, path.c_str(), nullptr, error.out()) == PK_OK);
  {
    std::ifstream written(path, std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(written), {}) == expected);
  }
  std::filesystem::remove(path);

  options = PK_TRACE_OPTIONS_INIT;
  options.flags = PK_TRACE_LIKE_XLA;
  ours.clear();
  REQUIRE(pk_trace_write(profile.get(), &options, append, &ours, nullptr, error.out()) == PK_OK);
  CHECK(ours.rfind(R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)", 0) == 0);
  options.filters = &filters;  // XLA's text knows no filters
  CHECK(pk_trace_write(profile.get(), &options, append, &ours, nullptr, error.out()) < 0);
  CHECK_FALSE(error.message().empty());
}

TEST_CASE("export: a caller who stops, a full disk, and arguments that make no sense") {
  const auto profile = opened(tpu_capture());
  error_slot error;
  pk_trace_options options = PK_TRACE_OPTIONS_INIT;
  std::string bytes;
  CHECK(pk_trace_write(profile.get(), &options, refuse, nullptr, nullptr, error.out()) == PK_E_CANCELLED);
  pk_cancel_token* made = nullptr;
  REQUIRE(pk_cancel_token_new(&made, nullptr) == PK_OK);
  const owned<pk_cancel_token> token(made);
  pk_cancel_token_cancel(made);
  pk_hooks hooks = PK_HOOKS_INIT;
  hooks.cancel = made;
  options.hooks = &hooks;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("profkit-capi-stopped-" + std::to_string(::getpid()))).string();
  CHECK(pk_trace_write_file(profile.get(), &options, path.c_str(), nullptr, error.out()) == PK_E_CANCELLED);
  CHECK_FALSE(std::filesystem::exists(path));
  options.hooks = nullptr;
  CHECK(pk_trace_write_file(profile.get(), &options, "/dev/full", nullptr, error.out()) == PK_E_OUTPUT_FULL);

  CHECK(pk_trace_write(nullptr, &options, append, &bytes, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_trace_write(profile.get(), &options, nullptr, nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_trace_write_file(profile.get(), &options, nullptr, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  options.flags = 1U << 30;
  CHECK(pk_trace_write(profile.get(), &options, append, &bytes, nullptr, error.out()) == PK_E_UNSUPPORTED);
  pk_filters filters = PK_FILTERS_INIT;
  filters.flags = PK_FILTER_HAS_STEP;
  filters.step = 1'000'000;
  options.flags = 0;
  options.filters = &filters;
  CHECK(pk_trace_write(profile.get(), &options, append, &bytes, nullptr, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(bytes.empty());
}
