// Any bytes as a protobuf message: the dump is well-formed, tells damage, and stays within the limits.
#include <profkit/core/chrome.hpp>
#include <profkit/core/dump.hpp>
#include <profkit/wire.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Whether a JSON value is well-formed all the way down.
void check_json(std::string_view value, int depth) {
  require(!value.empty() && depth < 1000);
  if (value.front() == '{') {
    json_members members(value, 10'000);
    while (members.next()) check_json(members.value(), depth + 1);
    require(members.ok() && !members.trailing_comma());
  }
}

}  // namespace

// The first two bytes choose the type, the format and the limits; the rest is the message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t bytes = size - 2;
  const std::unique_ptr<char[]> copy(new char[bytes]);
  std::copy(data + 2, data + size, copy.get());
  const std::string_view message(copy.get(), bytes);

  static constexpr const char* types[] = {
      "XSpace", "HloProto", "OpStats", "raw", "XStat", "ShapeProto", "HloInstructionProto", "XPlane"};
  const char* const type = types[data[0] & 7];
  dump_options options;
  options.limit = data[1] & 3;
  if ((data[1] & 4) != 0) options.bounds.max_nesting = 4;
  if ((data[1] & 8) != 0) options.bounds.max_string_bytes = 16;
  dump_outcome outcomes[2];
  for (const dump_format format : {dump_format::text, dump_format::json}) {
    options.format = format;
    std::string out;
    const auto into = memory_sink(out);
    const auto done = dump_message(message, type, *into, options);
    require(done.ok() && into->finish().ok());
    require((done->status == document_status::ok) == !done->damage.has_value());
    require(!done->damage || done->damage->byte_offset <= bytes);
    if (damage_position(message) != nullptr) require(done->damage.has_value());
    if (format == dump_format::json) check_json(std::string_view(out).substr(0, out.size() - 1), 0);
    outcomes[static_cast<int>(format)] = *done;
  }
  // What the limit leaves out of one rendering but not of the other can hide damage.
  if (options.limit == 0 && options.bounds.max_string_bytes > 16 && type == types[3])
    require(outcomes[0].damage.has_value() == outcomes[1].damage.has_value());
  return 0;
}
