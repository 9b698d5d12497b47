// A capture as analyses look at it: its files, and what its devices and hosts did, read once for all of them.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/result.hpp>

#include <memory>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class activity;           ///< profkit/core/activity.hpp
struct activity_options;  ///< profkit/core/activity.hpp

/// A trace shares what is read among the analyses that are given it. It reads lazily, at the first call that needs
/// something. Thread-safe: concurrent callers wait for the one that reads.
class trace {
 public:
  explicit trace(std::shared_ptr<const profile> of);
  /// Borrows the profile, which must outlive the trace and everything that it gave.
  explicit trace(const profile& of);
  ~trace();
  trace(const trace&) = delete;
  trace& operator=(const trace&) = delete;

  [[nodiscard]] const profile& files() const noexcept { return *of_; }
  /// Whether anything but an XSpace says what devices or hosts did: trace JSON that is not an export of an XSpace, or
  /// tables.
  [[nodiscard]] bool has_traces() const noexcept;
  /// Kernels, host spans and step markers of the whole capture; read at the first call that gets that far. Faults: those
  /// of read_activity(), which are not kept: the next call reads again.
  result<std::shared_ptr<const activity>> all_activity(const hooks& host = {}) const;
  /// The same under options. Only without any is it shared.
  result<std::shared_ptr<const activity>> some_activity(const activity_options& options, const hooks& host = {}) const;

 private:
  struct state;
  std::shared_ptr<const profile> of_;
  std::unique_ptr<state> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
