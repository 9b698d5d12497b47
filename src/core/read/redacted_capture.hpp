// A capture whose files are held in memory with aliases in the place of what is not public.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/source.hpp>

#include <memory>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Reads and redacts all files, sets c.redacted and c.held, and gives paths, hosts and runs aliases, too. `only`: the one file of
// the capture, where it is open already.
[[nodiscard]] result<void> redact_capture(capture& c, std::unique_ptr<source> only = nullptr);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
