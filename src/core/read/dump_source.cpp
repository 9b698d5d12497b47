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

result<void> check_dump(const capture_file& file, std::string_view type) {
  const std::string what = format_of(file.family).no_message;
  if (what.empty() || !type.empty()) return {};
  return refused_source(file.path, "this is " + what + " and no protobuf",
                        std::string(file.family == file_family::chrome_trace ? "profkit tree shows it"
                                                                             : "profkit info shows what is in it") +
                            "; --type raw insists on protobuf");
}

result<dump_source> open_dump_source(const std::string& path, std::string_view type, const open_options& how) {
  return contained([&]() -> result<dump_source> {
    result<capture> found = open_capture(path, how);
    if (!found) return std::move(found).error();
    if (found->files.size() != 1 || !found->runs.empty())
      return refused_source(
          path, "this is a directory: dump shows one file",
          found->files.empty() ? "name a file" : "name a file, for example " + found->files.front().path);
    if (result<void> is_message = check_dump(found->files.front(), type); !is_message) {
      is_message.error().path = path;
      return std::move(is_message).error();
    }
    auto source = open_source_of(*found, 0);
    if (!source) return std::move(source).error();
    auto held = hold_bytes(std::move(source).value(), how.bounds, how.host);
    if (!held) return std::move(held).error();
    return dump_source{std::move(held).value(), found->files.front()};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
