// An open file descriptor and the faults of the system calls on it.
#pragma once
#include <profkit/core/result.hpp>

#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Closes what it holds; -1 is nothing.
class descriptor {
 public:
  descriptor() noexcept = default;
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { close(); }
  [[nodiscard]] int get() const noexcept { return number_; }
  // 0, or the errno of close(); closing nothing is not an error.
  int close() noexcept;
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

// open() with O_CLOEXEC, again after EINTR; -1 and errno on failure.
descriptor open_descriptor(const std::string& path, int flags, unsigned mode = 0) noexcept;

// The system's text for an errno.
std::string error_text(int error);
// What a failed system call on an input means.
fault input_fault(int error, const std::string& what, const std::string& path);
// What a failed system call on an output means.
fault output_fault(int error, const std::string& what, const std::string& path);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
