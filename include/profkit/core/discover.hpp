// What a path leads to, and the files below a folder in an order that does not depend on the file system.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class path_kind {
  file,  ///< a regular file
  folder,
  stream,  ///< standard input ("-"), a pipe or a device: it can be read once and has no size
};

struct path_facts {
  path_kind kind = path_kind::file;
  std::uint64_t bytes = 0;  ///< of a regular file
  std::string name;         ///< the last part of the path; the real name of a folder given as "." or ".."
};

/// Faults: not_found, permission, io.
result<path_facts> look_at_path(const std::string& path);

struct found_file {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since the Unix epoch
  bool reachable = true;         ///< false for a dangling link, or a file that went away between two looks
};

struct found_folder {
  std::string path;               ///< as the user gave it, joined with '/'
  std::vector<found_file> files;  ///< by name
};

struct discovery {
  std::vector<found_folder> folders;     ///< the folder itself first, then depth first by name
  std::vector<std::string> unreadable;   ///< folders that could not be looked into
  std::vector<std::string> passed_over;  ///< the first 100 pipes and devices, which are never opened
};

/// Walks the folder. Links are followed, and each folder is looked at once however many ways lead to it. Names
/// that begin with a dot, and what is neither file nor folder (pipes, devices), are passed over.
/// Faults: not_found, permission and io for the folder itself; limit past limits::max_files entries; cancelled.
result<discovery> discover(const std::string& folder, const limits& bounds, const hooks& host);

/// Why a pipe, socket or device that was found in a folder is not opened; nothing for anything else. A pipe is read
/// when it is named itself.
[[nodiscard]] std::optional<fault> why_never_opened(const std::string& path);

/// "a" and "b" as "a/b".
[[nodiscard]] std::string joined_path(const std::string& folder, const std::string& name);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
