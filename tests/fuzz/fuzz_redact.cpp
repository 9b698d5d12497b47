// Any bytes as a file that is redacted. What comes out has nothing left to replace, and is as sound as what went in.
#include <profkit/wire.hpp>

#include <redact/redact.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool is_whole_message(std::string_view bytes) {
  wire_reader reader(bytes);
  wire_field f;
  while (reader.next(f)) {
  }
  return reader.ok();
}

}  // namespace

// The first byte chooses the format; the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr file_family families[] = {file_family::xspace, file_family::chrome_trace, file_family::hlo_proto, file_family::op_stats,
                                      file_family::ascend_kernels};
  const file_family family = families[data[0] % std::size(families)];
  // A copy of its own: reading past it is seen.
  const std::size_t bytes = size - 1;
  const std::unique_ptr<char[]> copy(new char[bytes]);
  std::copy(data + 1, data + size, copy.get());
  const std::string_view file(copy.get(), bytes);

  redaction done, again;
  std::string out, twice;
  aliaser names(done), other_names(again);
  require(redact_file(family, file, names, done, out));
  require(redact_file(family, out, other_names, again, twice));
  for (const replaced_word& w : again.words) require(w.word.compare(0, 2, "xx") == 0);
  require(again.secrets.empty() && again.blobs == 0 && again.constants == 0);
  const bool is_message = family == file_family::xspace || family == file_family::hlo_proto || family == file_family::op_stats;
  require(!is_message || is_whole_message(file) == is_whole_message(out));
  return 0;
}
