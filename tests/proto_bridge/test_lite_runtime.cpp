// The bridge in a host that has nothing but the lite runtime: no descriptors, no libprotobuf.so.
#include <profkit/hlo.hpp>
#include <profkit/proto_bridge.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "host_lite.pb.h"
#include "host_lite_hlo.pb.h"

namespace {

int passed = 0;
int failed = 0;

void check(bool holds, const char* what) {
  ++(holds ? passed : failed);
  if (!holds) std::printf("failed: %s\n", what);
}

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string xspace = read(argv[1]), hlo = read(argv[2]);
  host::lite::XSpace space, parsed;
  check(profkit::bridge::fill(profkit::xspace_view(xspace), space), "an XSpace is filled");
  check(parsed.ParseFromString(xspace) && parsed.planes_size() == space.planes_size() && space.planes_size() > 0,
        "it has the planes that the host's parser sees");
  const profkit::bridge::serialised<profkit::xspace_view> back(space);
  int planes = 0;
  bool same = back.ok();
  for (const profkit::plane_view plane : back->planes()) {
    int lines = 0;
    for ([[maybe_unused]] const profkit::line_view line : plane.lines()) ++lines;
    same = same && plane.name() == parsed.planes(planes).name() && lines == parsed.planes(planes).lines_size();
    ++planes;
  }
  check(same && planes == parsed.planes_size(), "the view of what was serialised has the same planes and lines");

  host::lite_hlo::HloProto module;
  check(profkit::bridge::parse(profkit::hlo_proto_view(hlo), module), "an HLO module is filled");
  const profkit::bridge::serialised<profkit::hlo_proto_view> viewed(module);
  check(viewed.ok() && !module.hlo_module().name().empty() && viewed->hlo_module().name() == module.hlo_module().name(),
        "and viewed back");
  check(!profkit::bridge::parse(profkit::hlo_proto_view(std::string_view(hlo).substr(0, hlo.size() - 3)), module),
        "one that is cut is refused");

  std::ifstream maps("/proc/self/maps");
  bool full_runtime = false;
  for (std::string line; std::getline(maps, line);)
    full_runtime = full_runtime || line.find("libprotobuf.so") != std::string::npos;
  check(!full_runtime, "the full runtime is not loaded");
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
