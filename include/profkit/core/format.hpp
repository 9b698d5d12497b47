// A format of a host's own: hand it in with open_options::formats, and its files are opened, totalled, explained and
// exported as those of the formats that profkit knows. examples/own-format is a complete one.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/recording.hpp>
#include <profkit/core/result.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Called from any thread, and for several files at a time: keep no state between calls. Nothing may throw.
class format {
 public:
  virtual ~format() = default;

  /// A short name for people and documents: "span_log".
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  /// Whether a file may be one, by its name alone (without folders, .gz and .zst). In a folder only such
  /// files are opened.
  [[nodiscard]] virtual bool may_be_named(std::string_view file_name) const noexcept = 0;
  /// Whether its first decoded bytes are of this format: up to 64 KiB, all of a shorter file. Be strict: saying yes
  /// takes the file from every other format.
  [[nodiscard]] virtual bool recognises(std::string_view head) const noexcept = 0;
  /// Reads all of it, decoded. What cannot be understood is passed over with recording::pass_over(). A fault says that
  /// the rest is lost: what was added before stays. `host`: ask host.cancel now and then in a long file.
  virtual result<void> read(std::string_view bytes, recording& into, const hooks& host) const = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
