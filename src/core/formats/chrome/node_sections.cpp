#include <formats/chrome/node_sections.hpp>

#include <base/affix.hpp>
#include <base/node_sections.hpp>
#include <base/unix_time.hpp>
#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/json_elements.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_header_bytes = 4096;  // of a merged file, before its first section

std::string_view without_tail(std::string_view section) noexcept {
  section = trim_json_space(section);
  if (ends_with(section, ",")) section.remove_suffix(1);
  return trim_json_space(section);
}

// What closes the file after its last event.
std::string_view without_closing(std::string_view section) noexcept {
  std::string_view rest = trim_json_space(section);
  for (const std::string_view bracket : {"}", "]"}) {
    if (!ends_with(rest, bracket)) return section;
    rest.remove_suffix(1);
    rest = trim_json_space(rest);
  }
  return rest;
}

node_section described_section(std::string_view bytes) {
  node_section found;
  found.bytes = bytes;
  const std::string_view args = bytes.substr(section_head.size());
  const json_value_end whole = end_of_value(args.data(), args.data() + args.size(), limits{}.max_nesting);
  if (whole.why != json_end::found) return found;
  const std::string_view said(args.data(), static_cast<std::size_t>(whole.end - args.data()));
  std::string scratch;
  if (const auto node = json_scaled_integer(json_member(said, "node")); node && *node >= 0) found.node = *node;
  found.hostname = std::string(json_text(json_member(said, "hostname"), scratch));
  return found;
}

}  // namespace

std::vector<node_section> find_node_sections(std::string_view file) {
  std::vector<node_section> found;
  const std::string mark = '\n' + std::string(section_head);
  std::size_t at = file.substr(0, max_header_bytes).find(mark);
  if (at == std::string_view::npos || file.substr(0, at).find(sections_key) == std::string_view::npos) return found;
  while (at != std::string_view::npos) {
    const std::size_t next = file.find(mark, at + mark.size());
    const std::string_view section = file.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    found.push_back(described_section(next == std::string_view::npos ? without_closing(section) : without_tail(section)));
    at = next;
  }
  // Text of this kind that no merge wrote.
  if (std::any_of(found.begin(), found.end(), [](const node_section& s) { return s.node < 0; })) found.clear();
  return found;
}

bool section_reader::begins_section(std::string_view text) noexcept {
  return text.substr(0, section_head.size()) == section_head.substr(0, text.size());
}

bool section_reader::open(std::string_view args_json, std::uint64_t byte_offset, chrome_visitor& into) {
  const std::string_view label = json_member(args_json, "label");
  if (label.size() > 2 && label.front() == '"') label_ = "\"name\":" + std::string(label.substr(0, label.size() - 1)) + ": ";
  json_elements processes(json_member(args_json, "processes"));
  while (processes.next()) {
    const std::string_view is = json_member(processes.value(), "pid"), was = json_member(processes.value(), "recorded");
    recorded_pid recorded;
    recorded.is_string = !was.empty() && was.front() == '"';
    recorded.text = was == "null" ? std::string() : std::string(json_text(was, scratch_));
    pids_.insert_or_assign(std::string(is), std::move(recorded));
  }
  // The merged file's time zero counts, not the node's.
  const std::string_view base = json_member(args_json, base_time_key);
  if (!base.empty() && !into.header(base_time_key, base, byte_offset)) return false;
  json_members headers(json_member(args_json, "header"));
  std::string key_scratch;
  while (headers.next()) {
    const std::string key = '"' + std::string(headers.key()) + '"';
    const std::string_view name = json_text(key, key_scratch);
    if (name != base_time_key && !into.header(name, headers.value(), byte_offset)) return false;
  }
  return true;
}

bool section_reader::restore(chrome_event& e) {
  if (e.phase == 'M' && ends_with(e.json, added_event_end)) return false;
  if (const auto known = pids_.find(e.pid.text); known != pids_.end() && !e.pid.is_string) {
    e.pid.text = known->second.text;
    e.pid.is_string = known->second.is_string;
  }
  if (e.phase != 'M' || e.name != "process_name" || label_.empty()) return true;
  const std::size_t at = e.args_json.find(label_);
  if (at == std::string_view::npos) return true;
  scratch_.assign(e.args_json.substr(0, at));
  scratch_ += "\"name\":\"";
  scratch_ += e.args_json.substr(at + label_.size());
  e.args_json = scratch_;
  e.args = {};
  return true;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
