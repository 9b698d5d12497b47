// Calls the host's progress function and looks at its cancel token, at a bearable rate.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One piece of work. step() is cheap enough for every chunk of 64 KiB or more; not thread-safe.
class progress_meter {
 public:
  static constexpr std::chrono::milliseconds interval{50};

  // total_bytes is 0 when unknown.
  explicit progress_meter(const hooks& host, std::uint64_t total_bytes = 0) noexcept
      : host_(host), total_bytes_(total_bytes), last_(std::chrono::steady_clock::now()) {}

  // Fails with `cancelled` when the host asks to stop.
  result<void> step(std::uint64_t done_bytes) {
    if (host_.cancel != nullptr && host_.cancel->load(std::memory_order_relaxed)) return stopped();
    if (host_.progress == nullptr) return {};
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval) return {};
    last_ = now;
    if (host_.progress(host_.user, done_bytes, total_bytes_) != 0) return stopped();
    return {};
  }

  [[nodiscard]] static fault stopped() {
    return fault{fault_code::cancelled, "stopped, as the caller asked", "", no_offset, ""};
  }

 private:
  const hooks host_;
  std::uint64_t total_bytes_;
  std::chrono::steady_clock::time_point last_;
};

// Progress of several threads through one host function.
class shared_meter {
 public:
  shared_meter(const hooks& host, std::uint64_t total_bytes) : meter_(host, total_bytes) {}
  // This many bytes more are done.
  result<void> advance(std::uint64_t bytes) {
    const std::lock_guard<std::mutex> hold(mutex_);
    done_bytes_ += bytes;
    return meter_.step(done_bytes_);
  }

 private:
  std::mutex mutex_;
  progress_meter meter_;
  std::uint64_t done_bytes_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
