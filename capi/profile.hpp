// The profile handle, and how a file, a plane or a line is found by position.
#pragma once
#include <profkit/profkit.h>
#include <profkit/core/profile.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/core/trace.hpp>

#include "formats/xspace/xspace_index.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>

#include "error.hpp"
#include "text.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// The error object of a file's damage, made when first asked for.
struct damage_slot {
  std::once_flag made;
  pk_error* error = nullptr;
  damage_slot() = default;
  ~damage_slot() { pk_error_free(error); }
  damage_slot(const damage_slot&) = delete;
  damage_slot& operator=(const damage_slot&) = delete;
};

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

struct pk_profile {
  std::atomic<std::uint64_t> references{1};
  std::string copied;                 // the bytes of PK_OPEN_COPY
  std::shared_ptr<const void> owner;  // of bytes that the library made itself
  bool has_paths = false;  // its files lie under their paths, which are labels otherwise
  std::shared_ptr<const profkit::profile> core;
  std::shared_ptr<const profkit::trace> trace;  // of this profile: what traces hold is read once for all callers
  std::unique_ptr<profkit::capi::damage_slot[]> damage;  // one a file
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// Keeps a profile open for as long as a handle that reads it.
class profile_reference {
 public:
  explicit profile_reference(pk_profile* profile) noexcept : profile_(pk_profile_ref(profile)) {}
  ~profile_reference() { pk_profile_free(profile_); }
  profile_reference(const profile_reference&) = delete;
  profile_reference& operator=(const profile_reference&) = delete;
  [[nodiscard]] const profile& core() const noexcept { return *profile_->core; }
  [[nodiscard]] const trace& capture() const noexcept { return *profile_->trace; }

 private:
  pk_profile* profile_;
};

// A handle with one reference.
[[nodiscard]] std::unique_ptr<pk_profile> handle_of(std::shared_ptr<const profile> core);

// Fails if the path is one of the profile's files.
result<void> check_output(const pk_profile& profile, const char* path);
// A file to write to; fails if it is one of the profile's.
result<std::unique_ptr<sink>> output_file(const pk_profile& profile, const char* path);

// nullptr unless profile, file and so on are all there.
[[nodiscard]] const xspace_index* find_xspace(const pk_profile* profile, std::uint32_t file) noexcept;
[[nodiscard]] const plane_index* find_plane(const pk_profile* profile, std::uint32_t file,
                                            std::uint32_t plane) noexcept;
// Fail when profile, file and so on are not all there; the fault says what there is.
result<const profile*> require_file(const pk_profile* profile, std::uint32_t file);
result<const plane_index*> require_plane(const pk_profile* profile, std::uint32_t file, std::uint32_t plane);
result<const line_index*> require_line(const pk_profile* profile, std::uint32_t file, std::uint32_t plane,
                                       std::uint32_t line);

// Damage at a position of a file's bytes.
[[nodiscard]] fault damage_at(const profile& p, std::uint32_t file, const char* at, const char* what);

// No metadata entry (`what`: "event", "stat") has this id.
[[nodiscard]] fault no_entry(const char* what, std::int64_t id, const plane_index& plane);

// Reports, in builds with assertions, that two threads are inside one cursor: its last byte, which no state uses, is
// set while a call is.
template <class Cursor>
class cursor_use {
 public:
#ifdef NDEBUG
  explicit cursor_use(Cursor&) noexcept {}
  [[nodiscard]] static constexpr bool alone() noexcept { return true; }
#else
  explicit cursor_use(Cursor& cursor) noexcept
      : inside_(reinterpret_cast<char*>(&cursor) + sizeof cursor - 1),
        alone_(__atomic_exchange_n(inside_, 1, __ATOMIC_ACQUIRE) == 0) {}
  ~cursor_use() {
    if (alone_) __atomic_store_n(inside_, 0, __ATOMIC_RELEASE);
  }
  cursor_use(const cursor_use&) = delete;
  cursor_use& operator=(const cursor_use&) = delete;
  [[nodiscard]] bool alone() const noexcept { return alone_; }

 private:
  char* inside_;
  bool alone_;
#endif
};
[[nodiscard]] inline fault cursor_of_two_threads() {
  return invalid_argument("two threads use the cursor at once", "give each thread a cursor of its own");
}

// A cursor of the ABI holds the state of ours.
template <class State, class Cursor>
[[nodiscard]] State load_cursor(const Cursor& cursor) noexcept {
  static_assert(std::is_trivially_copyable_v<State> && sizeof(State) <= sizeof(Cursor));
  State state;
  std::memcpy(static_cast<void*>(&state), cursor.priv, sizeof state);
  return state;
}
template <class Cursor, class State>
void store_cursor(Cursor& cursor, const State& state) noexcept {
  static_assert(std::is_trivially_copyable_v<State> && sizeof(State) <= sizeof(Cursor));
  std::memcpy(cursor.priv, &state, sizeof state);
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
