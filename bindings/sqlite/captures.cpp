#include "captures.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

namespace profkit_sqlite {
namespace {

namespace fs = std::filesystem;

// Names of files that a folder is searched for, and of folders that are one capture.
constexpr const char* capture_files[] = {"*.xplane.pb", "*.xplane.pb.gz", "*.trace.json", "*.trace.json.gz", "*.pt.trace.json.zst"};
constexpr const char* capture_folders[] = {"*_ascend_pt", "*_ascend_ms", "PROF_*"};

template <class Patterns>
bool matches_any(const std::string& name, const Patterns& patterns) {
  return std::any_of(std::begin(patterns), std::end(patterns),
                     [&](const char* pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; });
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// As `folder` was typed, and a slash before what stands in it.
std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + '/' + name;
}

std::string last_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

struct listing {
  std::vector<std::string> folders, files;
  bool is_whole = true;
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
  found.is_whole = !wrong;
  return found;
}

void add_captures_in(const std::string& folder, std::set<std::string>& into) {
  const listing found = list_folder(folder);
  if (!found.is_whole) into.insert(folder);  // what it holds is not known: opening it says why
  std::set<std::string> spaces;
  for (const std::string& name : found.files)
    if (ends_with(name, ".xplane.pb") || ends_with(name, ".xplane.pb.gz")) spaces.insert(name.substr(0, name.find(".xplane.pb")));
  for (const std::string& name : found.files) {
    if (!matches_any(name, capture_files)) continue;
    // X.trace.json repeats X.xplane.pb, where both are there.
    const std::string stem = ends_with(name, ".trace.json")      ? name.substr(0, name.size() - 11)
                             : ends_with(name, ".trace.json.gz") ? name.substr(0, name.size() - 14)
                                                                 : std::string();
    if (stem.empty() || spaces.count(stem) == 0) into.insert(joined(folder, name));
  }
  for (const std::string& name : found.folders) {
    const std::string path = joined(folder, name);
    if (matches_any(name, capture_folders))
      into.insert(path);
    else
      add_captures_in(path, into);
  }
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
    if (!fs::is_directory(path, ignored) || matches_any(last_name(path), capture_folders)) {
      found.insert(path);
      continue;
    }
    std::set<std::string> inside;
    add_captures_in(path, inside);
    if (inside.empty()) inside.insert(path);
    found.merge(inside);
  }
  return {found.begin(), found.end()};
}

}  // namespace profkit_sqlite
