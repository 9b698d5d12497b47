// A host with a protobuf runtime and descriptors of its own, and with its own classes of an XSpace: profkit beside them
// changes nothing for either.
#include <profkit/profkit.h>
#include <profkit/proto_bridge.hpp>

#include <google/protobuf/descriptor.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "host_full.pb.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto* pool = google::protobuf::DescriptorPool::generated_pool();
  pk_profile* profile = nullptr;
  pk_str bytes{};
  host::full::XSpace filled;
  const bool works = pool->FindFileByName("host_full.proto") != nullptr &&
                     pk_profile_open(argv[1], nullptr, &profile, nullptr) == PK_OK &&
                     pk_file_bytes(profile, 0, &bytes, nullptr) == PK_OK &&
                     profkit::bridge::fill(profkit::xspace_view(std::string_view(bytes.data, bytes.size)), filled) &&
                     static_cast<std::uint32_t>(filled.planes_size()) == pk_plane_count(profile, 0) &&
                     pool->FindMessageTypeByName("host.full.XSpace") != nullptr;
  pk_profile_free(profile);
  std::ifstream maps("/proc/self/maps");
  int runtimes = 0;
  std::string last;
  for (std::string line; std::getline(maps, line);) {
    const auto at = line.find("libprotobuf");
    if (at == std::string::npos || line.substr(at) == last) continue;
    last = line.substr(at);
    ++runtimes;
  }
  std::printf("%d passed, %d failed, 0 skipped\n", works && runtimes == 1, !(works && runtimes == 1));
  return works && runtimes == 1 ? 0 : 1;
}
