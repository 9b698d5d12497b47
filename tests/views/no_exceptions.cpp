// Built without exceptions and RTTI, and run: the views need neither.
#include <profkit/hlo.hpp>
#include <profkit/xspace.hpp>

#ifdef __cpp_exceptions
#error "this file must be built with -fno-exceptions"
#endif

int main() {
  const std::string_view bytes("\x0a\x08\x1a\x06\x22\x04\x08\x05\x18\x07", 10);
  std::int64_t sum = 0;
  for (const profkit::plane_view plane : profkit::xspace_view(bytes).planes())
    for (const profkit::line_view line : plane.lines())
      for (const profkit::event_view event : line.events()) sum += event.metadata_id() + event.duration_ps();
  const profkit::hlo_proto_view program(bytes);
  return sum == 12 && program.ok() && program.hlo_module().computations().count() == 1 ? 0 : 1;
}
