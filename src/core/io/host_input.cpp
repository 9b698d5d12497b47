// Inputs that the host program holds: a buffer in memory, or a function that reads for us.
#include "encoded_input.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class buffer_input final : public encoded_input {
 public:
  buffer_input(std::string_view bytes, std::string label)
      : encoded_input(std::move(label), bytes.size()), bytes_(bytes) {}
  [[nodiscard]] std::optional<std::string_view> span() const noexcept override { return bytes_; }

 private:
  result<std::size_t> fill(void* into, std::size_t bytes) override {
    const std::size_t count = std::min(bytes, bytes_.size() - at_);
    if (count != 0) std::memcpy(into, bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  result<void> seek_to_start() override {
    at_ = 0;
    return {};
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

class callback_input final : public encoded_input {
 public:
  callback_input(const read_at_callbacks& callbacks, std::string label)
      : encoded_input(std::move(label), callbacks.size_bytes), callbacks_(callbacks) {}

 private:
  result<std::size_t> fill(void* into, std::size_t bytes) override {
    const bool size_known = size_bytes() != no_offset;
    std::uint64_t wanted = std::min<std::uint64_t>(bytes, std::uint64_t{1} << 30);
    if (size_known) wanted = std::min(wanted, size_bytes() - at_);
    if (wanted == 0) return std::size_t{0};
    const std::int64_t count = callbacks_.read_at(callbacks_.user, at_, into, static_cast<std::size_t>(wanted));
    if (count < 0) {
      return fault{fault_code::io, "the host's read function failed at byte " + std::to_string(at_), name(), no_offset,
                   ""};
    }
    if (static_cast<std::uint64_t>(count) > wanted) {
      return fault{fault_code::invalid_argument,
                   "the host's read function says it gave " + std::to_string(count) + " bytes where " +
                       std::to_string(wanted) + " were asked for",
                   name(), no_offset, "give back the number of bytes written, never more than asked for"};
    }
    if (count == 0 && size_known) return shrunk_input(name(), size_bytes(), at_);
    at_ += static_cast<std::uint64_t>(count);
    return static_cast<std::size_t>(count);
  }
  result<void> seek_to_start() override {
    at_ = 0;
    return {};
  }

  read_at_callbacks callbacks_;
  std::uint64_t at_ = 0;
};

}  // namespace

input_result open_buffer_input(std::string_view bytes, std::string label) {
  if (bytes.data() == nullptr && !bytes.empty()) {
    return fault{fault_code::invalid_argument, "a null buffer of " + std::to_string(bytes.size()) + " bytes", label,
                 no_offset, ""};
  }
  return std::unique_ptr<encoded_input>(std::make_unique<buffer_input>(bytes, std::move(label)));
}

input_result open_callback_input(const read_at_callbacks& callbacks, std::string label) {
  if (callbacks.read_at == nullptr) {
    return fault{fault_code::invalid_argument, "no read function was given", label, no_offset, ""};
  }
  return std::unique_ptr<encoded_input>(std::make_unique<callback_input>(callbacks, std::move(label)));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
