// The command line as plain values. Only command_line/parser.cpp knows the library that parses it.
#pragma once
#include "gates.hpp"

#include <profkit/core/architecture.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/capture.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/merge.hpp>
#include <profkit/core/probe_export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace profkit_tool {

struct command_description;

enum class color_mode { automatic, always, never };
enum class op_order { total, self, count };

struct options {
  std::string path;  // "-" is standard input

  std::string run;  // "" the newest, "all", or a run folder's name
  profkit::io_mode io = profkit::io_mode::automatic;
  std::uint32_t threads = 1;
  bool strict = false;
  bool redact = false;
  std::string group_by;      // ops --by
  std::string aliases_path;  // where to write what aliases stand for
  gates fail_on;

  std::string host, plane, line, name;  // substrings; empty matches all
  std::optional<std::uint64_t> step;
  std::optional<std::int64_t> from_ps, to_ps;
  std::optional<std::uint64_t> limit;  // 0: all

  std::string output_path;  // "" is standard output
  bool json = false;
  bool wide = false;  // names in full
  bool quiet = false;
  color_mode color = color_mode::automatic;

  bool why = false;    // info --why
  bool brief = false;  // report --brief
  op_order order = op_order::total;  // ops, framework
  std::string module_to_dump;        // modules --dump
  std::string finding_id;            // explain
  std::string message_type;          // dump --type
  profkit::memory_options memory;    // memory, but for host and top
  std::optional<std::uint64_t> memory_top;
  profkit::bubble_options bubbles;
  profkit::architecture_options architecture;  // but for limit
  bool markdown = false;                       // architecture --markdown
  std::string export_format;                   // export --format, as typed
  std::string table;                           // rows
  std::vector<std::string> captures;           // sql, fleet
  std::string query;                           // sql
  std::vector<std::string> questions;          // fleet --question; none: those of the screen
  bool list_tables = false;                    // sql --tables
  std::vector<std::string> columns;            // rows --columns; none: all
  bool compat_xla = false, waits = false;      // export --compat xla, --waits
  profkit::merge_options merge;                // merge, but for io
  bool trace_json = false, validate_merged = false, print_events = false, print_collectives = false;  // merge
  bool scheme_chosen = false;  // merge: the names of planes were asked for
  std::string offsets_path;    // merge --write-offsets

  std::vector<std::string> traces;  // validate
  std::string csv_path;
  bool align_collectives = false;
  bool fail_on_violations = false;
  std::optional<std::int64_t> bound_ps;
  std::int64_t max_bound_ps = 1000000000;
  profkit::probe_query probes;  // neutrino, but for limit
  std::string svg_path;         // --svg
  bool csv = false;             // neutrino --csv, sql
};

// Either a command to run with its options, or the text and exit status with which the program ends at once (help,
// version, usage errors).
struct parsed_command_line {
  const command_description* command = nullptr;
  options asked;
  std::string text;
  int exit_status = 0;
};
parsed_command_line parse_command_line(int count, const char* const* arguments);

}  // namespace profkit_tool
