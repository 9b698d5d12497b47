// Files: mapped, read through positioned reads, or streamed when they are pipes and devices.
#include "descriptor.hpp"
#include "encoded_input.hpp"

#include <base/progress.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/vfs.h>
#endif

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// One system call moves at most this much, so that counts fit every platform's ssize_t and signals get a turn.
constexpr std::size_t largest_read_bytes = std::size_t{1} << 30;

// A file whose bytes lie in memory.
class memory_input : public encoded_input {
 public:
  [[nodiscard]] std::optional<std::string_view> span() const noexcept final { return bytes_; }

 protected:
  memory_input(std::string path, const void* at, std::size_t bytes)
      : encoded_input(std::move(path), bytes), bytes_(static_cast<const char*>(at), bytes) {}
  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

 private:
  result<std::size_t> fill(void* into, std::size_t bytes) final {
    const std::size_t count = std::min(bytes, bytes_.size() - at_);
    if (count != 0) std::memcpy(into, bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  result<void> seek_to_start() final {
    at_ = 0;
    return {};
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

class mapped_input final : public memory_input {
 public:
  mapped_input(std::string path, const void* at, std::size_t bytes) : memory_input(std::move(path), at, bytes) {}
  ~mapped_input() override {
    if (!bytes().empty()) ::munmap(const_cast<char*>(bytes().data()), bytes().size());
  }
  // Whole pages only: those at the edges may hold bytes of others.
  void forget(std::string_view part) const noexcept override {
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = static_cast<std::size_t>(part.data() - bytes().data());
    const std::size_t from = (begin + page - 1) / page * page, to = (begin + part.size()) / page * page;
    if (from < to) ::madvise(const_cast<char*>(bytes().data()) + from, to - from, MADV_DONTNEED);
  }
};

class held_input final : public memory_input {
 public:
  held_input(std::string path, std::unique_ptr<char[]> held, std::size_t bytes)
      : memory_input(std::move(path), held.get(), bytes), held_(std::move(held)) {}

 private:
  std::unique_ptr<char[]> held_;
};

class positioned_input final : public encoded_input {
 public:
  positioned_input(std::string path, descriptor file, std::uint64_t bytes)
      : encoded_input(std::move(path), bytes), file_(std::move(file)) {}

 private:
  // Never reads past the size at open: what is appended later is not part of this input.
  result<std::size_t> fill(void* into, std::size_t bytes) override {
    const std::uint64_t left = size_bytes() - at_;
    const auto wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>({std::uint64_t{bytes}, left, std::uint64_t{largest_read_bytes}}));
    if (wanted == 0) return std::size_t{0};
    for (;;) {
      const ::ssize_t count = ::pread(file_.get(), into, wanted, static_cast<::off_t>(at_));
      if (count > 0) {
        at_ += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (count == 0) return shrunk_input(name(), size_bytes(), size_now());
      if (errno != EINTR) return input_fault(errno, "cannot read at byte " + std::to_string(at_), name());
    }
  }
  result<void> seek_to_start() override {
    at_ = 0;
    return {};
  }
  [[nodiscard]] std::uint64_t size_now() const noexcept {
    struct ::stat status {};
    return ::fstat(file_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : at_;
  }

  descriptor file_;
  std::uint64_t at_ = 0;
};

class streamed_input : public encoded_input {
 public:
  streamed_input(std::string name, descriptor file, bool owned)
      : encoded_input(std::move(name), no_offset), file_(std::move(file)), owned_(owned) {}
  ~streamed_input() override {
    if (!owned_) file_.release();
  }

 protected:
  [[nodiscard]] int file() const noexcept { return file_.get(); }
  // Until there is something to read, or the end.
  result<void> wait() {
    if (asked() == nullptr || (asked()->cancel == nullptr && asked()->progress == nullptr)) return {};
    progress_meter meter(*asked());
    for (;;) {
      if (result<void> go_on = meter.step(position()); !go_on) return go_on;
      ::pollfd waited{file_.get(), POLLIN, 0};
      const int ready = ::poll(&waited, 1, static_cast<int>(progress_meter::interval.count()));
      if (ready > 0 || (ready < 0 && errno != EINTR)) return {};  // what is wrong, the read says
    }
  }
  result<std::size_t> fill(void* into, std::size_t bytes) override {
    if (result<void> waited = wait(); !waited) return std::move(waited).error();
    for (;;) {
      const ::ssize_t count = ::read(file_.get(), into, std::min(bytes, largest_read_bytes));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return input_fault(errno, "cannot read", name());
    }
  }

 private:
  result<void> seek_to_start() override {
    return fault{fault_code::unsupported, "a pipe or standard input can be read only once", name(), no_offset,
                 "save it to a file and open that"};
  }
  [[nodiscard]] bool is_read_once() const noexcept override { return true; }

  descriptor file_;
  bool owned_;
};

void let_wait(int file) noexcept {
  const int flags = ::fcntl(file, F_GETFL);
  if (flags >= 0) ::fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
}

// A named pipe, opened without waiting. Once it has a writer, it is read like any stream; without one,
// opening it would wait without end.
class pipe_input final : public streamed_input {
 public:
  pipe_input(std::string path, descriptor file) : streamed_input(std::move(path), std::move(file), true) {}

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds longest_wait{2000};

  result<std::size_t> fill(void* into, std::size_t bytes) override {
    const auto deadline = clock::now() + longest_wait;
    bool hung_up = false;
    while (!has_writer_) {
      const ::ssize_t count = ::read(file(), into, std::min(bytes, largest_read_bytes));
      if (count > 0 || (count < 0 && errno == EAGAIN)) {
        has_writer_ = true;
        let_wait(file());
        if (count > 0) return static_cast<std::size_t>(count);
        break;
      }
      if (count < 0 && errno != EINTR) return input_fault(errno, "cannot read", name());
      if (count == 0 && hung_up) return std::size_t{0};  // the writer has gone, without a byte
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now());
      if (left.count() <= 0)
        return fault{fault_code::io, "no program writes to this pipe: nothing arrived within 2 seconds", name(), no_offset,
                     "start what writes into it first, or save that to a file and open the file"};
      if (asked() != nullptr)
        if (result<void> go_on = progress_meter(*asked()).step(0); !go_on) return std::move(go_on).error();
      ::pollfd waited{file(), POLLIN, 0};
      // poll() looks without the pipe's lock: a writer that is just opening it may look like one that has gone.
      // read() waits for the lock, so what it says next is true.
      hung_up = ::poll(&waited, 1, static_cast<int>(std::min(left, progress_meter::interval).count())) > 0 && (waited.revents & POLLIN) == 0;
    }
    return streamed_input::fill(into, bytes);
  }

  bool has_writer_ = false;
};

// Opens for reading without waiting for the other end of a pipe.
descriptor open_without_waiting(const std::string& path) noexcept {
  descriptor file = open_descriptor(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  // Of a file whose lease another process gives up just now. Pipes do not say this.
  if (file.get() < 0 && errno == EWOULDBLOCK) return open_descriptor(path, O_RDONLY | O_NOCTTY);
  return file;
}

bool is_socket(const std::string& path) noexcept {
  struct ::stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

// File systems of other machines: another machine may truncate the file while it is mapped here.
bool is_remote([[maybe_unused]] int file) noexcept {
#if defined(__linux__)
  struct ::statfs status {};
  if (::fstatfs(file, &status) != 0) return false;
  switch (static_cast<std::uint32_t>(status.f_type)) {
    case 0x6969u:      // NFS
    case 0x517bu:      // SMB
    case 0xff534d42u:  // CIFS
    case 0xfe534d42u:  // SMB2
    case 0x65735546u:  // FUSE
    case 0x01021997u:  // 9P
    case 0x00c36400u:  // Ceph
    case 0x0bd00bd0u:  // Lustre
    case 0x5346414fu:  // AFS
      return true;
    default: return false;
  }
#else
  return false;
#endif
}

// Below this, to read a file costs less than to map it and to take the mapping down again.
constexpr std::size_t max_held_bytes = std::size_t{512} << 10;

// All bytes of a small file; nothing when they cannot be had in one go, because it shrinks or the disk fails.
std::unique_ptr<encoded_input> hold_file(const std::string& path, int file, std::size_t bytes) {
  std::unique_ptr<char[]> held(new char[bytes]);
  if (::pread(file, held.get(), bytes, 0) != static_cast<::ssize_t>(bytes)) return nullptr;
  return std::make_unique<held_input>(path, std::move(held), bytes);
}

// The mapping, or nothing when the system refuses one (errno says why).
std::unique_ptr<encoded_input> map_file(const std::string& path, int file, std::size_t bytes) {
  if (bytes == 0) return std::make_unique<mapped_input>(path, nullptr, 0);
#if defined(MAP_POPULATE)
  // All of a small file is read soon: its pages come at once, not fault by fault.
  constexpr std::size_t small_bytes = std::size_t{4} << 20;
  const bool at_once = bytes <= small_bytes;
  const int flags = MAP_PRIVATE | (at_once ? MAP_POPULATE : 0);
#else
  constexpr bool at_once = false;
  constexpr int flags = MAP_PRIVATE;
#endif
  void* at = ::mmap(nullptr, bytes, PROT_READ, flags, file, 0);
  if (at == MAP_FAILED) return nullptr;
  if (!at_once) ::madvise(at, bytes, MADV_SEQUENTIAL);
  return std::make_unique<mapped_input>(path, at, bytes);
}

}  // namespace

input_result open_file_input(const std::string& path, io_mode mode) {
  if (path == "-")
    return std::unique_ptr<encoded_input>(std::make_unique<streamed_input>(path, descriptor(STDIN_FILENO), false));
  if (path.empty() || path.find('\0') != std::string::npos) {
    return fault{fault_code::invalid_argument, "the path is empty or holds a zero byte", path, no_offset,
                 "give the path of a file or folder, or - for standard input"};
  }
  descriptor file = open_without_waiting(path);
  if (file.get() < 0) {
    const int why = errno;
    if (is_socket(path))
      return fault{fault_code::unsupported, "this is a socket, which is not read", path, no_offset,
                   "give a file, or a pipe that somebody writes into"};
    return input_fault(why, "cannot open", path);
  }
  struct ::stat status {};
  if (::fstat(file.get(), &status) != 0) return input_fault(errno, "cannot look at", path);
  if (S_ISDIR(status.st_mode)) {
    return fault{fault_code::invalid_argument, "this is a folder where a file was expected", path, no_offset,
                 "open it as a capture, or name one of its files"};
  }
  if (!S_ISREG(status.st_mode)) {
    if (S_ISFIFO(status.st_mode))
      return std::unique_ptr<encoded_input>(std::make_unique<pipe_input>(path, std::move(file)));
    let_wait(file.get());
    return std::unique_ptr<encoded_input>(std::make_unique<streamed_input>(path, std::move(file), true));
  }
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const bool fits = bytes <= std::numeric_limits<std::size_t>::max() / 2;
  const bool is_small = bytes != 0 && bytes <= max_held_bytes;
  if (mode == io_mode::map && is_small) {
    if (auto held = hold_file(path, file.get(), static_cast<std::size_t>(bytes))) return held;
  }
  // A small file that could not be held shrinks just now: no mapping of that.
  if (mode == io_mode::map && !is_small && fits && !is_remote(file.get())) {
    if (auto mapped = map_file(path, file.get(), static_cast<std::size_t>(bytes))) return mapped;
  }
  return std::unique_ptr<encoded_input>(std::make_unique<positioned_input>(path, std::move(file), bytes));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
