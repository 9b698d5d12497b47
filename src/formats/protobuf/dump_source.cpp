// The one file that `profkit dump` shows.
#include <profkit/core/dump.hpp>
#include <profkit/core/source.hpp>

#include <base/contained.hpp>
#include <formats/registry.hpp>

#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault refused_source(const std::string& path, std::string message, std::string hint) {
  return {fault_code::invalid_argument, std::move(message), path, no_offset, std::move(hint)};
}

}  // namespace

result<dump_source> open_dump_source(const std::string& path, std::string_view type, const open_options& how) {
  return contained([&]() -> result<dump_source> {
    result<capture> found = open_capture(path, how);
    if (!found) return std::move(found).error();
    if (found->files.size() != 1 || !found->runs.empty())
      return refused_source(
          path, "this is a directory: dump shows one file",
          found->files.empty() ? "name a file" : "name a file, for example " + found->files.front().path);
    const file_family family = found->files.front().family;
    if (const std::string what = format_of(family).no_message; !what.empty() && type.empty())
      return refused_source(path, "this is " + what + " and no protobuf",
                            std::string(family == file_family::chrome_trace ? "profkit tree shows it"
                                                                            : "profkit info shows what is in it") +
                                "; --type raw insists on protobuf");
    auto source = open_source_of(*found, 0);
    if (!source) return std::move(source).error();
    auto held = hold_bytes(std::move(source).value(), how.bounds, how.host);
    if (!held) return std::move(held).error();
    return dump_source{std::move(held).value(), found->files.front()};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
