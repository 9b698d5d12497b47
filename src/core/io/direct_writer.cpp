#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // O_DIRECT
#endif
#include "direct_writer.hpp"

#include "descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t alignment_bytes = 4096;  // no less than what disks ask for

#ifdef O_DIRECT
bool set_direct(int number, bool wanted) noexcept {
  const int flags = ::fcntl(number, F_GETFL);
  return flags >= 0 && ::fcntl(number, F_SETFL, wanted ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}
#else
bool set_direct(int, bool) noexcept { return false; }
#endif

}  // namespace

void direct_writer::released::operator()(char* p) const noexcept { std::free(p); }

std::optional<direct_writer> direct_writer::begin(int number, std::string label) {
  void* room = nullptr;
  if (::posix_memalign(&room, alignment_bytes, block_bytes) != 0) return std::nullopt;
  direct_writer made(number, std::move(label), static_cast<char*>(room));
  if (!set_direct(number, true)) return std::nullopt;
  return made;
}

result<void> direct_writer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), block_bytes - filled_);
    std::memcpy(room_.get() + filled_, bytes.data(), taken);
    filled_ += taken;
    bytes.remove_prefix(taken);
    if (filled_ < block_bytes) break;
    if (auto pushed = push(); !pushed) return pushed;
  }
  return {};
}

result<void> direct_writer::finish() {
  // The end of a file is seldom a whole number of blocks.
  stop_direct();
  return push();
}

result<void> direct_writer::push() {
  for (std::size_t done = 0; done < filled_;) {
    const ::ssize_t count = ::write(number_, room_.get() + done, filled_ - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EINVAL && direct_) {
      stop_direct();  // it was promised and cannot be done, or a short write has left an odd rest
    } else if (errno != EINTR) {
      return output_fault(errno, "cannot write", label_);
    }
  }
  filled_ = 0;
  return {};
}

void direct_writer::stop_direct() noexcept {
  if (direct_) set_direct(number_, false);
  direct_ = false;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
