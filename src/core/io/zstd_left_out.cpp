// What stands for zstd_decoder.cpp in a build without zstd.
#include "decoder.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<std::unique_ptr<decoder>> make_zstd_decoder() {
  return fault{fault_code::unsupported, "this profkit was built without zstd", "", no_offset,
               "decompress the file with the zstd command first, or build profkit with -Dzstd=enabled"};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
