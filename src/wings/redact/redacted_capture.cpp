#include <read/redacted_capture.hpp>

#include <base/paths.hpp>
#include <base/progress.hpp>
#include <redact/redact.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view left_out = "left out";  // the bytes of a file that is listed and not read

// A path as seen from the capture, every part of it with aliases.
std::string path_with_aliases(const std::string& path, const std::string& of, const std::string& shown, aliaser& names) {
  if (path == of) return shown;
  const std::string_view below =
      path.compare(0, of.size(), of) == 0 ? std::string_view(path).substr(of.size()) : std::string_view(last_part_of(path));
  const std::string part = names.of_path(below);
  return part.empty() || part[0] == '/' ? shown + part : shown + "/" + part;
}

}  // namespace

result<void> redact_capture(capture& c, std::unique_ptr<source> only) {
  auto done = std::make_shared<redaction>();
  aliaser names(*done);
  std::vector<held_bytes> held;
  const std::string shown = names.of_path(last_part_of(c.path));
  for (std::size_t i = 0; i < c.files.size(); ++i) {
    capture_file& file = c.files[i];
    held_bytes& made = held.emplace_back();
    c.read_from.push_back(file.path);
    const std::string path = path_with_aliases(file.path, c.path, shown, names);
    if (content_of(file.family) == file_content::nothing && is_recognised(file.family)) {
      file.path = path;
      made.bytes = left_out;
      continue;
    }
    result<std::unique_ptr<source>> from = only ? std::move(only) : open_source_of(c, i);
    result<held_bytes> bytes = from ? hold_bytes(std::move(from).value(), c.bounds, c.host) : std::move(from).error();
    if (!bytes) {
      fault why = std::move(bytes).error();
      if (why.code == fault_code::cancelled || c.files.size() == 1) return why;
      why.path.clear();
      made.damage = std::move(why);
      file.path = path;
      continue;
    }
    auto text = std::make_shared<std::string>();
    if (!redact_file(file.family, bytes->bytes, names, *done, *text)) {
      return fault{fault_code::unsupported, "files of this kind cannot be redacted", file.path, no_offset,
                   "Leave it out: traces as XSpace, Chrome JSON and tables of Ascend, and HLO modules can be redacted."};
    }
    made.bytes = *text;
    made.owner = std::move(text);
    made.damage = std::move(bytes->damage);
    if (made.damage) made.damage->path.clear();
    file.path = path;
    file.encoding = compression::none;
  }
  for (capture_file& file : c.files) {
    file.host = names.of(file.host);
    file.run = names.of_path(file.run);
  }
  for (capture_run& run : c.runs) {
    run.path = path_with_aliases(run.path, c.path, shown, names);
    run.name = names.of_path(run.name);
  }
  for (fault& why : c.unread) why.path = path_with_aliases(why.path, c.path, shown, names);
  c.ignored.clear();  // files that were not looked into
  c.path = shown;
  c.held = std::move(held);
  c.stream = nullptr;
  c.redacted = std::move(done);
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
