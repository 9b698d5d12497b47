// The nodes of a merged trace JSON, each as if it were a file of its own.
#pragma once
#include <profkit/core/chrome.hpp>

#include <base/hash_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct node_section {
  std::int64_t node = -1;
  std::string hostname;    // "" when not known
  std::string_view bytes;  // of its events; its first one says whose they are
};
// Empty for a trace that no merge wrote.
[[nodiscard]] std::vector<node_section> find_node_sections(std::string_view file);

// Gives the events of a section as the node recorded them, but for their times: with the processes of its file.
class section_reader {
 public:
  // Whether text that begins so is a section, as far as that much of it says.
  [[nodiscard]] static bool begins_section(std::string_view text) noexcept;

  // The first event: hands what stood around the events of the node's file to the visitor. False when that stops.
  bool open(std::string_view args_json, std::uint64_t byte_offset, chrome_visitor& into);
  // Whether the node recorded the event, which becomes what it was. Spans are good until the next call.
  bool restore(chrome_event& e);

 private:
  struct recorded_pid {
    std::string text;
    bool is_string = false;
  };
  hash_map<std::string, recorded_pid> pids_;  // by the merged one
  std::string label_;                         // before the names of its processes, as JSON text
  std::string scratch_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
