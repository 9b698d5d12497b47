// Any bytes as a snapshot of a run. What is read is written and read again as the same, and compared with itself nothing changed.
#include <profkit/core/diff.hpp>
#include <profkit/core/sink.hpp>

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

std::string kept(const run_snapshot& s) {
  std::string bytes;
  require(bool(write_snapshot(s, *memory_sink(bytes))));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of its own: reading past it is seen.
  const std::unique_ptr<char[]> copy(new char[size]);
  std::copy(data, data + size, copy.get());
  const auto found = read_snapshot({copy.get(), size}, "fuzz");
  if (!found) return 0;
  const std::string once = kept(*found);
  const auto again = read_snapshot(once, "fuzz");
  require(bool(again) && kept(*again) == once);
  const auto same = compare_captures({*again}, {*again});
  require(bool(same) && same->found.step.change_ps() == 0 && same->found.op_time.change_ps() == 0);
  for (const use_delta& part : same->found.time) require(part.time.change_ps() == 0);
  return 0;
}
