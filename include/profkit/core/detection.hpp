// What was looked at to detect the format of a file, and the outcome: for users whose file is not recognised.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/sink.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// One format, and whether a file is in it.
struct considered_format {
  std::string format;         ///< a family ("xspace"), or a format that is only named ("a Perfetto trace")
  bool is_read = false;       ///< a family; false: named, with what to do instead
  std::string names;          ///< the names by which it is known: "*.hlo_proto.pb, *.hlo.pb"; "" for none
  bool name_matches = false;
  bool matches = false;       ///< by its contents
  std::string why;            ///< what the contents showed: "shape of an XSpace", "not protobuf: byte 0 is 0x7b"
};

/// considered_format::why of a family whose contents are not asked.
inline constexpr std::string_view detected_by_name_only = "detected by name only";

/// How the format of one file was detected, or why it was not.
struct detection_report {
  std::string path;
  std::uint64_t bytes = 0;  ///< on disk; 0 for what has no size
  compression encoding = compression::none;
  std::string first_bytes;  ///< at most 16, unpacked
  std::vector<considered_format> considered;
  file_family family = file_family::unknown;  ///< what it is read as; unknown when nothing reads it
  std::string verdict;                        ///< "xspace: name *.xplane.pb", "a SavedModel"
  std::string next;                           ///< what to do instead; "" when it is read
  std::optional<fault> damage;                ///< it could not be opened or read
  std::optional<fault> unread;                ///< a folder of raw data that was not parsed
};

/// By a file's name (no folder in it) and its first decoded bytes, or all of them. Pure: `path`, `bytes` and `encoding`
/// of the report stay empty. O(head).
[[nodiscard]] detection_report explain_detection(std::string_view file_name, std::string_view head);

/// Of one file, or of every file below a folder, in the order of paths. A Neutrino trace folder is one entry,
/// and so is a folder of Ascend's raw data. Faults: not_found, permission, io, limit and cancelled for PATH itself; a
/// file that cannot be read says so in its report.
result<std::vector<detection_report>> explain_path(const std::string& path, const limits& bounds = {},
                                                   const hooks& host = {});

/// The captures at a path, each to be opened on its own, in the order of paths: of a folder every file below it that says what
/// happened and when, by what it holds, and every folder that is one capture (of a profiler of Ascend, of probes, with a table of
/// kernels); folders that cannot be looked into are among them. JSON that repeats an XSpace beside it is left out. Anything else,
/// and a folder in which nothing is found, is itself the only one: opening it says why. Faults: cancelled, out_of_memory.
result<std::vector<std::string>> captures_at(const std::string& path, const limits& bounds = {}, const hooks& host = {});

/// The reports as a JSON document, docs/schemas/detection.json. Its status is "error" when nothing was recognised.
/// `limit`: rows of each list; 0: all. Does not finish the sink.
result<void> write_detection_document(const std::string& path, const std::vector<detection_report>& reports, sink& into,
                                      std::uint64_t limit = 0);
/// That document for a path that could not be looked at.
result<void> write_detection_error(const fault& why, sink& into);

/// Why nothing was recognised: the fault of the file, or of a folder without a profile; nothing when something was.
[[nodiscard]] std::optional<fault> why_unrecognised(const std::string& path,
                                                    const std::vector<detection_report>& reports);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
