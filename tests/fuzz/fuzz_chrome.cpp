// Any text as a trace. However it is cut into chunks and whichever parser reads it, the same comes out.
#include "../chrome/recorded.hpp"

#include <cstdint>
#include <cstdlib>
#include <memory>

using namespace profkit;
using namespace profkit::test;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool inside(std::string_view part, std::string_view whole) {
  return part.empty() || whole.find(part) != std::string_view::npos;
}

void check_reading(const recorded_trace& t, std::string_view text) {
  if (t.refused) return;
  require(t.summary.bytes == text.size());
  require(t.summary.events == t.events.size());
  require(t.summary.broken_events == 0 || t.summary.damage);
  require(!t.summary.damage || t.summary.damage->byte_offset <= text.size());
  std::uint64_t end = 0;
  for (const recorded_event& e : t.events) {
    require(e.byte_offset >= end);
    end = e.byte_offset + e.json.size();
    require(end <= text.size() && text.substr(e.byte_offset, e.json.size()) == e.json);
    require(inside(e.args, e.json));
    for (json_members members(e.args); members.next();)
      require(inside(members.key(), e.args) && inside(members.value(), e.args));
  }
}

}  // namespace

// The first two bytes choose the chunks and the limits; the rest is the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // A copy of its own: reading past it is seen.
  const std::size_t bytes = size - 2;
  const std::unique_ptr<char[]> copy(new char[bytes]);
  std::copy(data + 2, data + size, copy.get());
  const std::string_view text(copy.get(), bytes);

  chrome_options options;
  if ((data[1] & 1) != 0) options.bounds.max_string_bytes = 64;
  if ((data[1] & 2) != 0) options.bounds.max_nesting = 3;
  const recorded_trace whole = record(text, options);
  check_reading(whole, text);
  options.chunk_bytes = data[0] + std::size_t{1};
  require(same_reading(record(text, options), whole));
  options.tolerant_only = true;
  require(same_reading(record(text, options), whole));
  options.chunk_bytes = std::size_t{1} << 20;
  require(same_reading(record(text, options), whole));
  static_cast<void>(read_chrome_clock(text, options));
  return 0;
}
