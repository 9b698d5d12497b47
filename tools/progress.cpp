#include "progress.hpp"

#include "interrupt.hpp"

#include <profkit/core/text.hpp>

#include <unistd.h>

#include <cstdio>

namespace profkit_tool {

progress_line::progress_line(bool enabled)
    : visible_(enabled && isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

profkit::hooks progress_line::hooks(std::uint32_t threads) noexcept {
  profkit::hooks h;
  h.user = this;
  h.progress = &progress_line::on_progress;
  h.cancel = &interrupted();
  h.threads = threads;
  return h;
}

std::int32_t progress_line::on_progress(void* user, std::uint64_t done_bytes, std::uint64_t total_bytes) {
  auto& self = *static_cast<progress_line*>(user);
  if (!self.is_due()) return 0;
  std::string text = profkit::human_bytes(done_bytes);
  if (total_bytes > 0) text += " of " + profkit::human_bytes(total_bytes);
  self.draw(text);
  return 0;
}

void progress_line::count(std::size_t done, std::size_t total, const char* what) {
  if (is_due()) draw(profkit::grouped(std::uint64_t{done}) + " of " + profkit::grouped(std::uint64_t{total}) + ' ' + what);
}

bool progress_line::is_due() const {
  return visible_ && std::chrono::steady_clock::now() - start_ >= std::chrono::seconds(1);
}

void progress_line::draw(const std::string& amount) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::fprintf(stderr, "\r\033[Kprofkit: read %s", amount.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void progress_line::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace profkit_tool
