// The fields of a message when only its first bytes are at hand.
#pragma once
#include <profkit/wire.hpp>

#include <base/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A field of a message; perhaps only its first bytes are there.
struct head_field {
  std::uint32_t number = 0;
  wire_type type = wire_type::varint;
  std::string_view bytes;  // what is there of a length-delimited payload
  bool cut = false;        // the payload goes on past the head
};

// Unlike the reader of whole messages, this one treats a message that ends too early as one that goes on.
class head_walk {
 public:
  explicit head_walk(std::string_view head) noexcept
      : begin_(head.data()), field_(head.data()), at_(head.data()), end_(head.data() + head.size()) {}

  // The next field; false at the end of the head or at bytes that are not a field.
  bool next(head_field& field) noexcept {
    if (at_ == end_) return false;
    field_ = at_;
    std::uint32_t tag = 0;
    if (!read_tag(at_, end_, tag)) return stop(more_bytes_needed());
    field = {tag >> 3, static_cast<wire_type>(tag & 7), {}, false};
    if (field.number == 0) return stop(false);
    std::uint64_t value = 0;
    switch (field.type) {
      case wire_type::varint: return read_varint(at_, end_, value) || stop(more_bytes_needed());
      case wire_type::fixed64: return read_fixed(at_, end_, 8, value) || stop(true);
      case wire_type::fixed32: return read_fixed(at_, end_, 4, value) || stop(true);
      case wire_type::length_delimited: return take_payload(field);
      default: return stop(false);  // groups are not used by these messages
    }
  }
  // True while everything seen could be a message.
  [[nodiscard]] bool plausible() const noexcept { return plausible_; }
  // Where the last field begins, or the bytes that are not a field.
  [[nodiscard]] std::size_t field_at() const noexcept { return static_cast<std::size_t>(field_ - begin_); }

 private:
  bool take_payload(head_field& field) noexcept {
    std::uint64_t length = 0;
    if (!read_length(at_, end_, length)) return stop(more_bytes_needed());
    const auto here = static_cast<std::uint64_t>(end_ - at_);
    field.cut = length > here;
    field.bytes = {at_, static_cast<std::size_t>(field.cut ? here : length)};
    at_ += field.bytes.size();
    return true;
  }

  // A varint that cannot be read may only be cut by the end of the head.
  [[nodiscard]] bool more_bytes_needed() const noexcept { return end_ - at_ < 10; }

  bool stop(bool plausible) noexcept {
    plausible_ = plausible_ && plausible;
    at_ = end_;
    return false;
  }

  const char* begin_;
  const char* field_;
  const char* at_;
  const char* end_;
  bool plausible_ = true;
};

// Text without control characters; the last character may be cut.
[[nodiscard]] inline bool is_printable(std::string_view text, bool cut) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const utf8_step step = decode_utf8(text, at);
    if (!step.valid) return cut && text.size() - at < 4;
    if (step.code_point < 0x20 || step.code_point == 0x7f) return false;
    at += step.bytes;
  }
  return true;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
