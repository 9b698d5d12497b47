// A line on standard error for work that takes longer than a second, when a person is watching.
#pragma once
#include <profkit/core/limits.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace profkit_tool {

class progress_line {
 public:
  // Shows nothing unless `enabled` and standard error is a terminal.
  explicit progress_line(bool enabled);
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  // Hooks whose progress function draws this line. They borrow it.
  [[nodiscard]] profkit::hooks hooks(std::uint32_t threads) noexcept;
  // Draws "read 12 of 1,000 captures".
  void count(std::size_t done, std::size_t total, const char* what);
  void clear();

 private:
  [[nodiscard]] bool is_due() const;
  void draw(const std::string& amount);
  static std::int32_t on_progress(void* user, std::uint64_t done_bytes, std::uint64_t total_bytes);

  const bool visible_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  bool drawn_ = false;
};

}  // namespace profkit_tool
