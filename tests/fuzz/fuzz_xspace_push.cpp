// Pushes any bytes, some at a time: what comes out is what the index of all of them and a scan of each line find.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../read/pushed.hpp"

using namespace profkit;
using namespace profkit::test;

namespace {

[[noreturn]] void differs(const char* what, const std::string& wanted, const std::string& got) {
  std::fprintf(stderr, "%s\nheld:\n%s\npushed:\n%s\n", what, wanted.c_str(), got.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  push_recorder got;
  xspace_push_reader reader(got);
  const auto done = push_all(reader, bytes, std::size_t{data[0]} + 1);
  if (!got.in_order) differs("the calls are out of order", {}, got.said.text);
  // Of packed bytes, and of what is no XSpace, there is nothing to compare.
  if (!done && (done.error().code == fault_code::unrecognised || done.error().code == fault_code::text_mangled)) return 0;
  if (data[1] == 0x1f || data[1] == 0x28 || (data[1] & 0xf0U) == 0x50) return 0;
  const xspace_index held = index_xspace(bytes);
  bool damaged = held.damage.has_value();
  const std::string wanted = held_text(held, damaged);
  if (wanted != got.said.text) differs("events differ", wanted, got.said.text);
  if (done.ok() == damaged) differs("the verdicts differ", damaged ? "damaged" : "sound", done ? "sound" : done.error().message);
  return 0;
}
