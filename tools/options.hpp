// The options that several commands share, as plain values. Each command keeps its own beside itself.
#pragma once
#include "gates.hpp"

#include <profkit/core/source.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace profkit_tool {

enum class color_mode { automatic, always, never };

struct options {
  std::string path;  // "-" is standard input

  std::string run;  // "" the newest, "all", or a run folder's name
  profkit::io_mode io = profkit::io_mode::map;
  std::uint32_t threads = 1;
  bool strict = false;
  bool redact = false;
  std::string aliases_path;  // where to write what aliases stand for
  gates fail_on;

  std::string host, plane, line, name;  // substrings; empty matches all
  std::optional<std::uint64_t> step;
  std::optional<std::int64_t> from_ps, to_ps;
  std::optional<std::uint64_t> limit;  // 0: all

  std::string output_path;  // "" is standard output
  std::string svg_path, csv_path, offsets_path;  // written beside it
  bool json = false;
  bool wide = false;  // names in full
  bool quiet = false;
  color_mode color = color_mode::automatic;
};

}  // namespace profkit_tool
