// A host with an abseil of its own, linked into it: its hash maps and profkit's go on side by side.
//
// abseil_host CAPTURE: prints profkit's report, byte for byte what it is without that abseil.
#include <profkit/profkit.h>

#ifdef HOST_HAS_ABSEIL
#include <absl/container/flat_hash_map.h>
#endif

#include <cstdio>
#include <string>

namespace {

#ifdef HOST_HAS_ABSEIL
using map = absl::flat_hash_map<std::string, int>;

void fill(map& counts, int first) {
  for (int i = first; i < first + 5000; ++i)
    counts["a key too long for the small string buffer " + std::to_string(i)] = i;
  for (int i = first; i < first + 5000; i += 2)
    counts.erase("a key too long for the small string buffer " + std::to_string(i));
}

bool is_whole(const map& counts, int first) {
  for (int i = first; i < first + 5000; ++i) {
    const auto found = counts.find("a key too long for the small string buffer " + std::to_string(i));
    if ((found != counts.end()) != (i % 2 != 0) || (found != counts.end() && found->second != i)) return false;
  }
  return true;
}
#endif

std::int32_t append(void* user, const void* data, std::size_t size) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), size);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
#ifdef HOST_HAS_ABSEIL
  map counts;
  fill(counts, 0);
#endif
  pk_profile* profile = nullptr;
  std::string report;
  bool works = pk_profile_open(argv[1], nullptr, &profile, nullptr) == PK_OK &&
               pk_document_write(profile, PK_DOCUMENT_REPORT, nullptr, append, &report, nullptr, nullptr) == PK_OK;
#ifdef HOST_HAS_ABSEIL
  works = works && is_whole(counts, 0);
  fill(counts, 5000);
#endif
  std::string again;
  works = works && pk_document_write(profile, PK_DOCUMENT_REPORT, nullptr, append, &again, nullptr, nullptr) == PK_OK &&
          again == report;
  pk_profile_free(profile);
#ifdef HOST_HAS_ABSEIL
  works = works && is_whole(counts, 0) && is_whole(counts, 5000);
#endif
  std::fwrite(report.data(), 1, report.size(), stdout);
  return works ? 0 : 1;
}
