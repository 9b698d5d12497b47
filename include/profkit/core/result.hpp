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

/// What went wrong. The values are those of pk_status in profkit.h (checked there), in groups of ten.
enum class fault_code : std::int32_t {
  invalid_argument = -1,
  out_of_memory = -2,
  unsupported = -3,
  cancelled = -4,  ///< the caller's progress function or cancel token asked to stop
  internal = -9,
  not_found = -10,
  permission = -11,
  io = -12,             ///< the operating system refused a read
  input_changed = -13,  ///< the input shrank or changed while it was read
  damaged = -20,        ///< bytes that break the format; byte_offset says where
  unrecognised = -21,   ///< no reader knows these bytes
  text_mangled = -22,   ///< a binary file that went through a text conversion (EF BF BD everywhere)
  limit = -30,          ///< a bound of `limits` was hit; the message names it
  output = -40,         ///< the operating system refused a write
  output_full = -41,    ///< no space left for the output
};

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

/// The symbolic name of a code, as it stands in JSON error documents ("damaged", "not_found").
[[nodiscard]] constexpr const char* fault_name(fault_code code) noexcept {
  switch (code) {
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
