// A capture, and the file of it that looking at it has opened.
#pragma once
#include <profkit/core/capture.hpp>
#include <profkit/core/source.hpp>

#include <memory>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Nothing yet, under a path or a label, with what the options say of all files.
[[nodiscard]] capture capture_at(std::string path, const open_options& options);

// open_capture() for callers that read its files next. Where PATH is one file whose bytes lie in memory once it is
// open, `opened` is that file, as open_source_of() would give it; else `opened` stays as it is.
[[nodiscard]] result<capture> open_capture(const std::string& path, const open_options& options,
                                           std::unique_ptr<source>& opened);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
