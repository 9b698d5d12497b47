#include "error.hpp"

#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

constexpr pk_error out_of_memory{PK_E_OUT_OF_MEMORY, PK_NO_OFFSET, "out of memory", "",
                                 "close other handles, or lower pk_limits::max_materialised_bytes"};

constexpr pk_status status_of(fault_code code) noexcept { return static_cast<pk_status>(code); }

static_assert(no_offset == PK_NO_OFFSET);

bool is_part_of_path(char c) noexcept {
  const bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  return is_word || c == '-' || c == '.' || c == '/';
}

// Whether `path` stands in a message by itself, not as a part of a longer path or word.
bool names_path(const std::string& message, const std::string& path) {
  for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path, at + 1)) {
    const std::size_t end = at + path.size();
    const bool begins = at == 0 || !is_part_of_path(message[at - 1]);
    // A full stop ends a sentence as well as a path.
    const bool ends = end == message.size() || !is_part_of_path(message[end]) || (message[end] == '.' && (end + 1 == message.size() || message[end + 1] == ' '));
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

owned_error::owned_error(fault why)
    : pk_error{status_of(why.code), why.byte_offset, nullptr, nullptr, nullptr}, why_(std::move(why)) {
  message = why_.message.c_str();
  try {
    message_ = message_with_path(why_);
    message = message_.c_str();
  } catch (...) {  // without memory for both, what happened is enough
  }
  path = why_.path.c_str();
  hint = why_.hint.c_str();
}

fault fault_of(const pk_error& error) {
  if (&error == &out_of_memory) return {fault_code::out_of_memory, error.message, {}, no_offset, error.hint};
  return static_cast<const owned_error&>(error).why_;
}

std::string message_with_path(const fault& why) {
  if (why.path.empty() || names_path(why.message, why.path)) return why.message;
  return why.path + ": " + why.message;
}

pk_status report(pk_error** err, fault&& why) noexcept {
  const pk_status status = status_of(why.code);
  if (!err) return status;
  if (status == PK_E_OUT_OF_MEMORY) return report_out_of_memory(err);
  // Moving the fault cannot fail; only the object itself may.
  *err = new (std::nothrow) owned_error(std::move(why));
  if (!*err) report_out_of_memory(err);
  return status;
}

pk_status report_out_of_memory(pk_error** err) noexcept {
  // Never written to: pk_error_free() knows it, and every other function only reads.
  if (err) *err = const_cast<pk_error*>(&out_of_memory);
  return PK_E_OUT_OF_MEMORY;
}

pk_status report_exception(pk_error** err, const char* what) noexcept {
  try {
    return report(err, fault{fault_code::internal,
                             std::string("a bug of profkit: ") + what,
                             {},
                             no_offset,
                             "please report it with the input that shows it"});
  } catch (...) {
    report_out_of_memory(err);
    return PK_E_INTERNAL;
  }
}

pk_status report_caught(pk_error** err) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return report_out_of_memory(err);
  } catch (const std::length_error&) {  // more than any container can hold
    return report_out_of_memory(err);
  } catch (const std::exception& e) {
    return report_exception(err, e.what());
  } catch (...) {
    return report_exception(err, "an exception of unknown type");
  }
}

fault null_argument(const char* name) {
  return {fault_code::invalid_argument, std::string(name) + " is NULL", {}, no_offset, {}};
}

fault invalid_argument(std::string message, std::string hint) {
  return {fault_code::invalid_argument, std::move(message), {}, no_offset, std::move(hint)};
}

fault no_such(const char* what, std::uint64_t at, std::uint64_t count) {
  return invalid_argument(std::string("there is no ") + what + ' ' + std::to_string(at) + ": the number is " +
                          std::to_string(count));
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;

const char* pk_status_name(pk_status status) noexcept {
  if (status == PK_OK) return "ok";
  if (status == PK_END) return "end";
  return profkit::fault_name(static_cast<profkit::fault_code>(status));
}

pk_status pk_error_code(const pk_error* error) noexcept { return error ? error->code : PK_OK; }
const char* pk_error_message(const pk_error* error) noexcept { return error ? error->message : ""; }
const char* pk_error_path(const pk_error* error) noexcept { return error ? error->path : ""; }
uint64_t pk_error_byte_offset(const pk_error* error) noexcept { return error ? error->byte_offset : PK_NO_OFFSET; }
const char* pk_error_hint(const pk_error* error) noexcept { return error ? error->hint : ""; }

void pk_error_free(pk_error* error) noexcept {
  if (error != &out_of_memory) delete static_cast<owned_error*>(error);
}
