// Any bytes, read by the views and by protobuf: both see damage, or both see the same message.
// The first byte says which message it is.
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../views/compare.hpp"
#include "../views/walk.hpp"

using namespace profkit;

namespace {

template <class Message, class View, class Walk>
void check(std::string_view bytes, Walk walk) {
  // No limit of depth on either side: the two count it from different levels.
  constexpr int deepest = 100'000;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(deepest);
  Message message;
  const bool accepted = message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  test::view_walker walker(deepest);
  walk(walker, View(bytes));
  if (accepted != walker.ok()) {
    std::fprintf(stderr, "protobuf %s, the views %s\n", accepted ? "accepts" : "rejects",
                 walker.ok() ? "see no damage" : "see damage");
    std::abort();
  }
  if (!accepted) return;
  test::comparison difference;
  compare(difference, View(bytes), message);
  if (difference.difference().empty()) return;
  std::fprintf(stderr, "%s\n", difference.difference().c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 4096) return 0;
  // The views' limit of nested groups cannot be lifted.
  if (std::count_if(data, data + size, [](std::uint8_t byte) { return byte % 8 == 3; }) >= max_group_depth) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2)
    check<oracle::hlo::HloProto, hlo_proto_view>(bytes,
                                                 [](test::view_walker& w, const hlo_proto_view& v) { w.hlo_proto(v); });
  else
    check<oracle::xplane::XSpace, xspace_view>(bytes, [](test::view_walker& w, const xspace_view& v) { w.xspace(v); });
  return 0;
}
