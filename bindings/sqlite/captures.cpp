#include "captures.hpp"

#include <fnmatch.h>
#include <profkit/profkit.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <set>
#include <system_error>
#include <utility>

namespace profkit_sqlite {
namespace {

namespace fs = std::filesystem;

// As `folder` was typed, and a slash before what stands in it.
std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + '/' + name;
}

struct listing {
  std::vector<std::string> folders, files;
};

// Links to folders are not followed: they may lead back.
listing list_folder(const std::string& folder) {
  listing found;
  std::error_code wrong;
  fs::directory_iterator at(folder.empty() ? "." : folder, wrong);
  for (; !wrong && at != fs::directory_iterator(); at.increment(wrong)) {
    std::error_code ignored;
    if (!at->is_directory(ignored))
      found.files.push_back(at->path().filename().string());
    else if (!at->is_symlink(ignored))
      found.folders.push_back(at->path().filename().string());
  }
  return found;
}

std::int32_t take_paths(void* user, const void* data, std::size_t size) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), size);
  return 0;
}

void add_captures_at(const std::string& path, std::set<std::string>& into) {
  std::string found;
  if (pk_captures_write(path.c_str(), take_paths, &found, nullptr) != PK_OK) throw std::bad_alloc();
  for (std::size_t at = 0; at < found.size(); at = found.find('\0', at) + 1) into.insert(found.c_str() + at);
}

bool has_wildcard(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

// What fits the parts of a pattern from `at` on, below `path`. "**" stands for any number of folders.
void add_fitting(const std::string& path, const std::vector<std::string>& parts, std::size_t at, std::set<std::string>& into) {
  std::error_code ignored;
  if (at == parts.size()) {
    if (fs::exists(path, ignored)) into.insert(path);
    return;
  }
  const std::string& part = parts[at];
  if (!has_wildcard(part)) return add_fitting(joined(path, part), parts, at + 1, into);
  const listing found = list_folder(path);
  const bool any_depth = part == "**";
  if (any_depth) {
    if (at + 1 < parts.size()) add_fitting(path, parts, at + 1, into);
    for (const std::string& name : found.folders)
      if (name.front() != '.') add_fitting(joined(path, name), parts, at, into);
  }
  for (const std::vector<std::string>* names : {&found.folders, &found.files})
    for (const std::string& name : *names) {
      if (any_depth ? name.front() == '.' || at + 1 < parts.size() : fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
      add_fitting(joined(path, name), parts, at + 1, into);
    }
}

void add_pattern(const std::string& pattern, std::set<std::string>& into) {
  std::vector<std::string> parts;
  const std::string root = pattern.front() == '/' ? "/" : "";
  for (std::size_t from = root.size(); from <= pattern.size();) {
    const std::size_t slash = std::min(pattern.find('/', from), pattern.size());
    if (slash != from) parts.push_back(pattern.substr(from, slash - from));
    from = slash + 1;
  }
  add_fitting(root, parts, 0, into);
}

}  // namespace

std::vector<std::string> captures_at(const std::vector<std::string>& where) {
  std::set<std::string> found;
  for (const std::string& path : where) {
    std::error_code ignored;
    if (has_wildcard(path) && !fs::exists(path, ignored)) {
      add_pattern(path, found);
      continue;
    }
    add_captures_at(path, found);
  }
  return {found.begin(), found.end()};
}

}  // namespace profkit_sqlite
