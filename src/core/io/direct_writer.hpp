// Writing much into a regular file past the page cache.
#pragma once
#include <profkit/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A file that is synced to the disk before it appears has to get there anyway: copying it into the page cache first
// costs more processor time than making it, and drives out what others keep there. Where a file system cannot do
// without the cache, bytes go through it.
class direct_writer {
 public:
  // The descriptor's position must be a multiple of `block_bytes`, and everything before it written. Empty when the
  // file cannot be written past the cache. `label` is the path in messages.
  static std::optional<direct_writer> begin(int number, std::string label);

  result<void> write(std::string_view bytes);
  // Writes the rest. Nothing may be written afterwards.
  result<void> finish();

  static constexpr std::size_t block_bytes = std::size_t{2} << 20;

 private:
  struct released {
    void operator()(char* p) const noexcept;
  };
  direct_writer(int number, std::string label, char* room) : number_(number), label_(std::move(label)), room_(room) {}
  result<void> push();
  void stop_direct() noexcept;

  int number_;
  std::string label_;
  std::unique_ptr<char, released> room_;  // aligned as such writes need it
  std::size_t filled_ = 0;
  bool direct_ = true;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
