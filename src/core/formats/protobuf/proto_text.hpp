// What the two renderings of a protobuf message share: naming fields, choosing types, noting damage.
#pragma once
#include <profkit/core/dump.hpp>
#include <profkit/wire.hpp>

#include <base/progress.hpp>
#include <formats/protobuf/proto_names.hpp>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// How a field on the wire stands to its name in the schema.
enum class field_form : std::uint8_t {
  unknown,  // no name, or another wire type than the schema says
  scalar,   // varint, fixed
  packed,   // several scalars in one length-delimited field
  text,     // string or bytes
  message,
};
field_form form_of(const proto_field_name* name, wire_type type) noexcept;

// What a length-delimited field without a name looks like.
enum class blob_form : std::uint8_t { text, message, bytes };
blob_form look_of(std::string_view blob) noexcept;

// Appends a scalar in protobuf's text form: "-3", "0.5", "nan", "true", "F32".
void append_scalar(std::string& out, const proto_field_name& field, std::uint64_t raw);

// The number a raw fixed32 or fixed64 stands for.
template <class To>
[[nodiscard]] To bits_as(std::uint64_t raw) noexcept {
  To to;
  const auto low = static_cast<std::uint32_t>(raw);
  if constexpr (sizeof to == sizeof low)
    std::memcpy(&to, &low, sizeof to);
  else
    std::memcpy(&to, &raw, sizeof to);
  return to;
}

// One scalar of a packed field; false at its end or at damage (then p is not the end).
bool next_packed(const proto_field_name& field, const char*& p, const char* end, std::uint64_t& raw) noexcept;

// The state of one dump: where damage was met, how much was left out, whether the host wants it to go on.
class dump_run {
 public:
  dump_run(std::string_view whole, const dump_options& options, dump_outcome& outcome)
      : options_(options), outcome_(outcome), whole_(whole), meter_(options.host, whole.size()) {}

  [[nodiscard]] const dump_options& options() const noexcept { return options_; }
  [[nodiscard]] std::uint32_t deepest() const noexcept;
  [[nodiscard]] bool stopped() const noexcept { return !state_.ok(); }
  [[nodiscard]] result<void>& state() noexcept { return state_; }
  [[nodiscard]] std::uint64_t offset_of(const char* p) const noexcept { return offset_in(whole_, p); }

  // Call for every message. False: stop.
  bool enter(const char* at);
  void left_out(std::uint64_t elements) noexcept { outcome_.left_out += elements; }
  // A reader ended at damage. Gives what to say of it where it was met.
  void damaged(const wire_reader& reader);
  void damaged_at(const char* at, const char* what);
  void too_nested(const char* at);
  // False, and noted, when one value is longer than the limits allow.
  bool fits(std::string_view value);

 private:
  void note(fault_code code, std::string message, const char* at, const char* hint);
  const dump_options& options_;
  dump_outcome& outcome_;
  std::string_view whole_;
  progress_meter meter_;
  std::uint32_t until_progress_ = 0;
  result<void> state_;
};

// The two renderings. `type` is nullptr for a message without names.
result<void> write_text(std::string_view message, const proto_message_name* type, dump_run& run, sink& into);
// Ends the document, status and damage included; `judge` gives the status once all was walked.
result<void> write_json(std::string_view message, const proto_message_name* type, dump_run& run, dump_outcome& outcome,
                        sink& into);
// Sets outcome.status from what was met.
void judge(std::string_view message, const proto_message_name* type, dump_outcome& outcome);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
