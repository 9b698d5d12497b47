// Any bytes as a HloProto: no read outside the buffer, bounded work and recursion.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "../views/walk.hpp"

using namespace profkit;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const hlo_proto_view proto(bytes);
  test::view_walker walker;
  walker.hlo_proto(proto);
  const hlo_module_view module = proto.hlo_module();
  for (std::int32_t id = 0; id < 4; ++id) (void)module.stack_frame_index().frame_linear(id);
  std::string_view value;
  (void)module.frontend_attributes().find_linear("mesh", value);
  for (const schedule_sequence_view sequence : module.schedule().sequences())
    if (!module.schedule().find_linear(sequence.computation_id()).present()) std::abort();
  return 0;
}
