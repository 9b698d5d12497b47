// The error type of the core: a function gives its value or a fault, and never throws across its border.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum fault_code: written by scripts/generate
/// What went wrong, in groups of ten. More may come.
enum class fault_code : std::int32_t {
  /// misuse: NULL, an index out of range, a name that is not there, options that contradict each other
  invalid_argument = -1,
  out_of_memory = -2,    ///< no memory was left
  unsupported = -3,      ///< valid input or an option that this version cannot handle
  cancelled = -4,        ///< a callback or the cancel token asked to stop
  internal = -9,         ///< a bug of the library
  not_found = -10,       ///< no such path, or no such metadata entry
  permission = -11,      ///< the operating system does not let this file be read
  io = -12,              ///< the operating system or the read callback refused a read
  input_changed = -13,   ///< the input shrank or changed while it was read
  damaged = -20,         ///< bytes that break the format; the byte offset says where
  unrecognised = -21,    ///< no reader knows these bytes
  text_mangled = -22,    ///< a binary file that went through a text conversion (EF BF BD everywhere)
  limit = -30,           ///< a bound of the limits was hit; the message names it
  output = -40,          ///< writing failed
  output_full = -41      ///< no space is left for the output
};
[[nodiscard]] constexpr const char* fault_name(fault_code value) noexcept {
  switch (value) {
    case fault_code::invalid_argument: return "invalid_argument";
    case fault_code::out_of_memory: return "out_of_memory";
    case fault_code::unsupported: return "unsupported";
    case fault_code::cancelled: return "cancelled";
    case fault_code::internal: return "internal";
    case fault_code::not_found: return "not_found";
    case fault_code::permission: return "permission";
    case fault_code::io: return "io";
    case fault_code::input_changed: return "input_changed";
    case fault_code::damaged: return "damaged";
    case fault_code::unrecognised: return "unrecognised";
    case fault_code::text_mangled: return "text_mangled";
    case fault_code::limit: return "limit";
    case fault_code::output: return "output";
    case fault_code::output_full: return "output_full";
  }
  return "internal";
}
// end of enum fault_code

/// A byte offset that is not known.
inline constexpr std::uint64_t no_offset = ~std::uint64_t{0};

/// One failure: what happened, where, what was expected (in `message`) and what to do next (`hint`).
struct fault {
  fault_code code = fault_code::internal;
  std::string message;
  std::string path;                       ///< empty when no file is involved
  std::uint64_t byte_offset = no_offset;  ///< in the decoded bytes of `path`
  std::string hint;                       ///< empty when there is nothing to advise
};

/// A value or a fault. `value()` on a fault and `error()` on a value are misuse.
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;
  result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  ///< NOLINT: implicit by design
  result(fault f) : state_(std::in_place_index<1>, std::move(f)) {}      ///< NOLINT
  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] T& value() & noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }
  [[nodiscard]] fault& error() & noexcept { return *std::get_if<1>(&state_); }
  [[nodiscard]] const fault& error() const& noexcept { return *std::get_if<1>(&state_); }
  [[nodiscard]] fault&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, fault> state_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;
  result() noexcept = default;
  result(fault f) : fault_(std::move(f)), ok_(false) {}  ///< NOLINT: implicit by design
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  [[nodiscard]] fault& error() & noexcept { return fault_; }
  [[nodiscard]] const fault& error() const& noexcept { return fault_; }
  [[nodiscard]] fault&& error() && noexcept { return std::move(fault_); }

 private:
  fault fault_;
  bool ok_ = true;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
