// Any bytes as a compiled module, and as a profile with allocator events: every answer must obey its invariants.
#include <profkit/core/memory.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool overflowed(const memory_result& r) {
  return std::any_of(r.modules.begin(), r.modules.end(), [](const module_memory& m) {
    return std::any_of(m.problems.begin(), m.problems.end(), [](const memory_problem& p) {
      return p.id == "hlo.size_overflow" || p.id == "hlo.duplicate_id";
    });
  });
}

void analyse(std::string_view bytes, const char* name) {
  const auto opened = profile::open_buffer(bytes, name);
  if (!opened) return;
  memory_options o;
  o.curve_points = 16;
  o.time_samples = 8;
  o.top = 4;
  const auto found = analyse_memory(trace(**opened), o);
  require(found.ok());
  for (const file_damage& d : found->damage)
    require(d.what.byte_offset == no_offset || d.what.byte_offset <= bytes.size());
  // Sums that left 64 bits are told, and are then no sums.
  if (!overflowed(*found))
    for (const memory_invariant& i : found->invariants)
      if (i.id[0] == 'H' || i.id == "R1") require(i.holds.value_or(true));
  if (found->hlo && found->hlo->curve) require(found->hlo->curve->points.size() <= 16);
  std::string text;
  require(write_memory_document(**opened, o, *found, *memory_sink(text)).ok());
  require(!text.empty());
  o.policy = step_policy::last;
  o.include_host_pools = true;
  require(analyse_memory(trace(**opened), o).ok());
  o.host = "node:1";
  require(analyse_memory(trace(**opened), o).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  analyse(bytes, "m.hlo_proto.pb");
  analyse(bytes, "m.xplane.pb");
  return 0;
}
