// A file that is replaced as a whole or not at all.
#include <profkit/core/sink.hpp>

#include <base/contained.hpp>
#include <base/paths.hpp>

#include "descriptor.hpp"
#include "descriptor_writer.hpp"
#include "direct_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Removes the temporary file unless it was renamed away.
class temporary_file {
 public:
  temporary_file(std::string path, descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  temporary_file(temporary_file&& other) noexcept
      : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
  temporary_file& operator=(temporary_file&&) = delete;
  ~temporary_file() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  [[nodiscard]] int number() const noexcept { return file_.get(); }
  int close() noexcept { return file_.close(); }
  // 0 or an errno.
  int rename_to(const std::string& target) noexcept {
    if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

 private:
  std::string path_;
  descriptor file_;
};

// A new file beside the target: renaming within a folder cannot fail half-way. The name does not grow with
// the target's, which may already be as long as names may be.
result<temporary_file> make_temporary(const std::string& target) {
  const std::string folder(folder_of(target));
  auto seed = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
              (static_cast<std::uint64_t>(::getpid()) << 32);
  for (int attempt = 0; attempt < 100; ++attempt) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    std::string path = (folder == "/" ? "" : folder) + "/.profkit-" + std::to_string(seed >> 16) + ".tmp";
    descriptor file = open_descriptor(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file.get() >= 0) return temporary_file(std::move(path), std::move(file));
    if (errno != EEXIST) return output_fault(errno, "cannot create a file in the folder", target);
  }
  return output_fault(EEXIST, "cannot create a temporary file in the folder", target);
}

// Files up to this size stay in the page cache, because what is small is soon read again.
constexpr std::uint64_t direct_from_bytes = std::uint64_t{32} << 20;
static_assert(direct_from_bytes % direct_writer::block_bytes == 0);

class replacing_sink final : public sink {
 public:
  replacing_sink(std::string target, temporary_file file)
      : target_(std::move(target)), file_(std::move(file)), out_(file_.number(), target_) {}

  result<void> write(std::string_view bytes) override {
    return contained([&]() -> result<void> {
      if (auto good = out_.state(); !good) return good;
      if (cached_bytes_ < direct_from_bytes) {
        const auto taken =
            static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), direct_from_bytes - cached_bytes_));
        if (auto written = out_.write(bytes.substr(0, taken)); !written) return written;
        cached_bytes_ += taken;
        bytes.remove_prefix(taken);
        if (bytes.empty()) return {};
        if (auto flushed = out_.flush(); !flushed) return flushed;
        direct_ = direct_writer::begin(file_.number(), target_);
      }
      return direct_ ? keep(direct_->write(bytes)) : out_.write(bytes);
    });
  }

  result<void> finish() override {
    return contained([&]() -> result<void> {
      if (finished_) return out_.state();
      finished_ = true;
      if (auto flushed = out_.flush(); !flushed.ok()) return flushed;
      if (direct_)
        if (auto written = keep(direct_->finish()); !written) return written;
      // The contents must be on the disk before the name points to them.
      if (::fsync(file_.number()) != 0 && errno != EINVAL) return fail(errno, "cannot write");
      if (const int error = file_.close(); error != 0) return fail(error, "cannot write");
      if (const int error = file_.rename_to(target_); error != 0) return fail(error, "cannot put the file in place");
      const descriptor folder = open_descriptor(std::string(folder_of(target_)), O_RDONLY | O_DIRECTORY);
      // Not every file system can do this for a folder; only a real write error counts.
      if (folder.get() >= 0 && ::fsync(folder.get()) != 0 && errno == EIO)
        return fail(errno, "cannot write the folder");
      return {};
    });
  }

 private:
  result<void> keep(result<void> done) { return done ? done : out_.fail(std::move(done).error()); }
  result<void> fail(int error, const std::string& what) { return out_.fail(output_fault(error, what, target_)); }

  std::string target_;
  temporary_file file_;
  descriptor_writer out_;
  std::optional<direct_writer> direct_;  // of what follows the first direct_from_bytes
  std::uint64_t cached_bytes_ = 0;
  bool finished_ = false;
};

// Devices and pipes cannot be replaced: they are written to.
class device_sink final : public sink {
 public:
  device_sink(descriptor file, const std::string& path) : file_(std::move(file)), out_(file_.get(), path) {}
  result<void> write(std::string_view bytes) override {
    return contained([&] { return out_.write(bytes); });
  }
  result<void> finish() override {
    return contained([&] { return out_.flush(); });
  }

 private:
  descriptor file_;
  descriptor_writer out_;
};

using sink_result = result<std::unique_ptr<sink>>;

sink_result open_device(const std::string& path) {
  descriptor file = open_descriptor(path, O_WRONLY | O_NOCTTY);
  if (file.get() < 0) return output_fault(errno, "cannot open", path);
  return std::unique_ptr<sink>(std::make_unique<device_sink>(std::move(file), path));
}

// Where the bytes go in the end: a symbolic link is followed, so that it stays a link.
std::string link_target(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string target = real;
  std::free(real);
  return target;
}

sink_result open_replacing(const std::string& path) {
  struct ::stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return fault{fault_code::output, "this is a folder where an output file was expected", path, no_offset,
                 "name a file in it"};
  }
  if (exists && !S_ISREG(status.st_mode)) return open_device(path);
  const std::string target = exists ? link_target(path) : path;
  auto made = make_temporary(target);
  if (!made.ok()) return std::move(made).error();
  // The file keeps the permissions it had; where that is refused, the new ones are those of any new file.
  if (exists) static_cast<void>(::fchmod(made->number(), status.st_mode & 07777) == 0);
  return std::unique_ptr<sink>(std::make_unique<replacing_sink>(target, std::move(*made)));
}

}  // namespace

bool is_same_file(const std::string& output, const std::string& input) noexcept {
  struct stat a {
  }, b{};
  return !output.empty() && stat(output.c_str(), &a) == 0 && stat(input.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

sink_result atomic_file_sink(const std::string& path) {
  return contained([&]() -> sink_result {
    if (path.empty() || path.back() == '/' || path.find('\0') != std::string::npos) {
      return fault{fault_code::output, "this is not the path of a file", path, no_offset, "name an output file"};
    }
    return open_replacing(path);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
