#include "descriptor_writer.hpp"

#include "descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <utility>

#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
constexpr std::size_t largest_write_bytes = std::size_t{1} << 30;

// Holds SIGPIPE back on this thread, and takes away the one that a write raised meanwhile, so that a
// reader that went away is a fault and does not end the host program. The host's handlers are left alone.
class without_sigpipe {
 public:
  explicit without_sigpipe(bool wanted) noexcept : active_(wanted) {
    if (!active_) return;
    sigset_t waiting;
    sigpending(&waiting);
    was_waiting_ = sigismember(&waiting, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    active_ = pthread_sigmask(SIG_BLOCK, &pipe_, &before_) == 0;
  }
  without_sigpipe(const without_sigpipe&) = delete;
  without_sigpipe& operator=(const without_sigpipe&) = delete;
  ~without_sigpipe() {
    if (!active_) return;
    const int kept = errno;
    sigset_t waiting;
    sigpending(&waiting);
    if (!was_waiting_ && sigismember(&waiting, SIGPIPE) == 1) {
      int which;
      sigwait(&pipe_, &which);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = kept;
  }

 private:
  bool active_;
  bool was_waiting_ = false;
  sigset_t pipe_{};
  sigset_t before_{};
};

bool is_pipe_or_socket(int number) noexcept {
  struct ::stat status {};
  return ::fstat(number, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace

descriptor_writer::descriptor_writer(int number, std::string label)
    : number_(number), label_(std::move(label)), raises_sigpipe_(is_pipe_or_socket(number)) {
  buffer_.reserve(buffer_bytes);
}

result<void> descriptor_writer::state() const {
  if (failed_) return *failed_;
  return {};
}

result<void> descriptor_writer::fail(fault f) {
  if (!failed_) failed_ = std::move(f);
  return *failed_;
}

result<void> descriptor_writer::write(std::string_view bytes) {
  if (failed_) return *failed_;
  if (buffer_.size() + bytes.size() <= buffer_bytes) {
    buffer_.append(bytes);
    return {};
  }
  if (auto flushed = flush(); !flushed.ok()) return flushed;
  if (bytes.size() >= buffer_bytes) return write_through(bytes);
  buffer_.append(bytes);
  return {};
}

result<void> descriptor_writer::flush() {
  if (failed_) return *failed_;
  auto written = write_through(buffer_);
  buffer_.clear();
  return written;
}

result<void> descriptor_writer::write_through(std::string_view bytes) {
  const without_sigpipe guard(raises_sigpipe_ && !bytes.empty());
  while (!bytes.empty()) {
    const ::ssize_t count = ::write(number_, bytes.data(), std::min(bytes.size(), largest_write_bytes));
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      ::pollfd ready{number_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return fail(output_fault(errno, "cannot write", label_));
    }
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
