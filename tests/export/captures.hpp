// Small captures for the exporters, written with the writer that users have, and what the exporters make of them.
#pragma once
#include <profkit/core/profile.hpp>
#include <profkit/core/trace_export.hpp>
#include <profkit/core/xspace_writer.hpp>

#include <catch.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

namespace profkit::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The bytes of an XSpace that `fill` writes.
inline std::string written(const std::function<void(xspace_writer&)>& fill) {
  std::string bytes;
  const auto into = memory_sink(bytes);
  xspace_writer writer(*into);
  fill(writer);
  REQUIRE(writer.finish().ok());
  REQUIRE(into->finish().ok());
  return bytes;
}

// `bytes` is borrowed.
inline std::shared_ptr<const profile> opened(std::string_view bytes, const std::string& label = "test.xplane.pb") {
  auto p = profile::open_buffer(bytes, label);
  REQUIRE(p.ok());
  return *p;
}

struct exported {
  std::string text;
  trace_export_outcome told;
};

inline exported export_as(const profile& p, const trace_export_options& how) {
  exported e;
  const auto into = memory_sink(e.text);
  auto told = export_trace(trace(p), how, *into);
  REQUIRE(told.ok());
  REQUIRE(into->finish().ok());
  e.told = std::move(*told);
  return e;
}

inline exported export_as(const profile& p, trace_format format, bool like_xla = false) {
  trace_export_options how;
  how.format = format;
  how.like_xla = like_xla;
  return export_as(p, how);
}

}  // namespace profkit::test
