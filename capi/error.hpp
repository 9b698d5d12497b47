// How faults become pk_error objects, and the one place where exceptions stop.
#pragma once
#include <profkit/profkit.h>
#include <profkit/core/result.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

// Points to texts that live as long as it does. Not polymorphic: the out-of-memory error is a constant.
struct pk_error {
  pk_status code;
  std::uint64_t byte_offset;
  const char* message;  // with the path
  const char* path;
  const char* hint;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// An error that owns its texts.
class owned_error final : public pk_error {
 public:
  explicit owned_error(fault why);
  owned_error(const owned_error&) = delete;
  owned_error& operator=(const owned_error&) = delete;

 private:
  friend fault fault_of(const pk_error& error);
  fault why_;
  std::string message_;  // where it is not why_'s
};

// As it was reported: the message without the path.
[[nodiscard]] fault fault_of(const pk_error& error);
// What happened and to which file: the path stands before a message that does not name it.
[[nodiscard]] std::string message_with_path(const fault& why);

// Writes `*err`, when there is a place for it, and gives the status. Without memory the error is the static one.
pk_status report(pk_error** err, fault&& why) noexcept;
pk_status report_out_of_memory(pk_error** err) noexcept;
pk_status report_exception(pk_error** err, const char* what) noexcept;
// Of the exception that is being handled.
pk_status report_caught(pk_error** err) noexcept;

[[nodiscard]] fault null_argument(const char* name);
[[nodiscard]] fault invalid_argument(std::string message, std::string hint = {});
// There are `count` of what was asked for by position `at`.
[[nodiscard]] fault no_such(const char* what, std::uint64_t at, std::uint64_t count);

// Runs the body of an exported function, which gives a status or a fault.
template <class Body>
pk_status guard(pk_error** err, Body&& body) noexcept {
  if (err) *err = nullptr;
  try {
    result<pk_status> done = body();
    return done ? *done : report(err, std::move(done).error());
  } catch (...) {
    return report_caught(err);
  }
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
