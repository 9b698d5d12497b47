#include <profkit/core/discover.hpp>

#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/progress.hpp>

#include "descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct close_folder {
  void operator()(::DIR* folder) const noexcept { ::closedir(folder); }
};
using open_folder = std::unique_ptr<::DIR, close_folder>;

std::int64_t modified_ns(const struct ::stat& status) noexcept {
#if defined(__APPLE__)
  const auto& at = status.st_mtimespec;
#else
  const auto& at = status.st_mtim;
#endif
  return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + static_cast<std::int64_t>(at.tv_nsec);
}

std::string name_at_end(const std::string& path) {
  const auto end = path.find_last_not_of('/');
  if (end == std::string::npos) return path;
  const auto slash = path.rfind('/', end);
  const auto start = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(start, end + 1 - start);
}

// "runs" for "a/runs/", and for "." in that folder.
std::string folder_name(const std::string& path) {
  std::string name = name_at_end(path);
  if (name != "." && name != "..") return name;
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return name;
  name = name_at_end(real);
  std::free(real);
  return name;
}

class folder_walk {
 public:
  folder_walk(const limits& bounds, const hooks& host) : bounds_(bounds), host_(host), meter_(host) {}

  result<discovery> run(const std::string& root) {
    std::vector<std::string> waiting{root};
    while (!waiting.empty()) {
      const std::string path = std::move(waiting.back());
      waiting.pop_back();
      std::vector<std::string> below;
      auto looked = look_into(path, below);
      if (!looked.ok()) {
        fault& f = looked.error();
        const bool stops = f.code == fault_code::limit || f.code == fault_code::cancelled;
        if (stops || path == root) return std::move(f);
        found_.unreadable.push_back(path);
        if (host_.log != nullptr) host_.log(host_.user, log_level::warning, (path + ": " + f.message).c_str());
        continue;
      }
      std::sort(below.begin(), below.end(), std::greater<>());  // the last is taken first
      for (std::string& name : below) waiting.push_back(joined_path(path, name));
    }
    return std::move(found_);
  }

 private:
  // Adds the folder and its files; gives the names of the folders in it.
  result<void> look_into(const std::string& path, std::vector<std::string>& below) {
    descriptor file = open_descriptor(path, O_RDONLY | O_DIRECTORY);
    if (file.get() < 0) return input_fault(errno, "cannot look into the folder", path);
    struct ::stat status {};
    if (::fstat(file.get(), &status) != 0) return input_fault(errno, "cannot look into the folder", path);
    // Links may lead in circles.
    if (!seen_.insert({static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)}).second) {
      return {};
    }
    const open_folder folder(::fdopendir(file.get()));
    if (folder == nullptr) return input_fault(errno, "cannot look into the folder", path);
    file.release();
    found_folder found{path, {}};
    for (;;) {
      errno = 0;
      const ::dirent* const entry = ::readdir(folder.get());
      if (entry == nullptr) {
        if (errno != 0) return input_fault(errno, "cannot look into the folder", path);
        break;
      }
      if (entry->d_name[0] == '.') continue;
      if (auto counted = count_entry(path); !counted.ok()) return counted;
      add_entry(::dirfd(folder.get()), entry->d_name, found, below, found_.passed_over);
    }
    std::sort(found.files.begin(), found.files.end(),
              [](const found_file& a, const found_file& b) { return a.name < b.name; });
    found_.folders.push_back(std::move(found));
    return {};
  }

  static void add_entry(int folder, const char* name, found_folder& found, std::vector<std::string>& below,
                        std::vector<std::string>& passed_over) {
    struct ::stat status {};
    if (::fstatat(folder, name, &status, 0) != 0) {
      found.files.push_back({name, 0, 0, false});
    } else if (S_ISDIR(status.st_mode)) {
      below.emplace_back(name);
    } else if (S_ISREG(status.st_mode)) {
      found.files.push_back({name, static_cast<std::uint64_t>(status.st_size), modified_ns(status), true});
    } else if (passed_over.size() < 100) {
      passed_over.push_back(joined_path(found.path, name));
    }
  }

  result<void> count_entry(const std::string& path) {
    if (++entries_ > bounds_.max_files) {
      return fault{fault_code::limit,
                   "there are more than " + std::to_string(bounds_.max_files) + " files here and below (max_files)",
                   path, no_offset, "name the run directory itself"};
    }
    return meter_.step(0);
  }

  const limits& bounds_;
  const hooks& host_;
  progress_meter meter_;
  discovery found_;
  hash_set<std::pair<std::uint64_t, std::uint64_t>> seen_;
  std::uint64_t entries_ = 0;
};

}  // namespace

std::string joined_path(const std::string& folder, const std::string& name) {
  return !folder.empty() && folder.back() == '/' ? folder + name : folder + '/' + name;
}

result<path_facts> look_at_path(const std::string& path) {
  return contained([&]() -> result<path_facts> {
    if (path == "-") return path_facts{path_kind::stream, 0, path};
    if (path.empty() || path.find('\0') != std::string::npos) {
      return fault{fault_code::invalid_argument, "the path is empty or holds a zero byte", path, no_offset,
                   "give the path of a file or folder, or - for standard input"};
    }
    struct ::stat status {};
    if (::stat(path.c_str(), &status) != 0) return input_fault(errno, "cannot open", path);
    if (S_ISDIR(status.st_mode)) return path_facts{path_kind::folder, 0, folder_name(path)};
    if (!S_ISREG(status.st_mode)) return path_facts{path_kind::stream, 0, name_at_end(path)};
    return path_facts{path_kind::file, static_cast<std::uint64_t>(status.st_size), name_at_end(path)};
  });
}

std::optional<fault> why_never_opened(const std::string& path) {
  struct ::stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return std::nullopt;
  const bool is_pipe = S_ISFIFO(status.st_mode);
  const char* const kind = is_pipe ? "a named pipe" : S_ISSOCK(status.st_mode) ? "a socket" : "a device";
  return fault{fault_code::unsupported, std::string(kind) + " in a folder, which is not read", path, no_offset,
               is_pipe ? "name the pipe itself, which is then read once, or save to a file what comes out of it"
                       : "take it out of the folder, or name the files that are meant"};
}

result<discovery> discover(const std::string& folder, const limits& bounds, const hooks& host) {
  return contained([&] { return folder_walk(bounds, host).run(folder); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
