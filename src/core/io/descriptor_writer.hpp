// Buffered writing to a descriptor that it does not own: what the descriptor and file sinks share.
#pragma once
#include <profkit/core/result.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Short writes and EINTR are gone on with; a full non-blocking pipe is waited for. The first fault is kept.
class descriptor_writer {
 public:
  // `label` is the path in messages.
  descriptor_writer(int number, std::string label);
  result<void> write(std::string_view bytes);
  result<void> flush();
  // Keeps a fault that happened around the writing (fsync, rename).
  result<void> fail(fault f);
  [[nodiscard]] result<void> state() const;

 private:
  result<void> write_through(std::string_view bytes);

  int number_;
  std::string label_;
  bool raises_sigpipe_;
  std::string buffer_;
  std::optional<fault> failed_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
