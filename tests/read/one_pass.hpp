// Opens the same bytes twice, to be held in memory and to be read in one pass, and compares what is said of them.
#pragma once
#include <profkit/core/export.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/sink.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace profkit::test {

// Bytes behind a function of the host, which gives few of them at a time.
struct drops {
  std::string_view bytes;
  std::uint64_t at_once = ~std::uint64_t{0};
  static std::int64_t read_at(void* user, std::uint64_t offset, void* into, std::size_t wanted) {
    const drops& from = *static_cast<const drops*>(user);
    if (offset >= from.bytes.size()) return 0;
    const auto count = std::min<std::uint64_t>({wanted, from.bytes.size() - offset, from.at_once});
    std::memcpy(into, from.bytes.data() + offset, count);
    return static_cast<std::int64_t>(count);
  }
  [[nodiscard]] read_at_callbacks callbacks() { return {this, read_at, bytes.size()}; }
};

inline std::string text_of(const fault& f) {
  return std::string("fault ") + fault_name(f.code) + ": " + f.message + " | " + f.path + " | " +
         std::to_string(f.byte_offset) + " | " + f.hint;
}

// The document, or the fault that came instead, also when the profile was not opened.
inline std::string document_text(const result<std::shared_ptr<const profile>>& opened, document which,
                                 const query_filters& o) {
  if (!opened.ok()) return text_of(opened.error());
  std::string text;
  const auto into = memory_sink(text);
  const auto written = write_document(which, trace(**opened), o, *into);
  return written.ok() ? text : text_of(written.error());
}

inline open_options in_one_pass(const open_options& like = {}) {
  open_options o = like;
  o.access = access_mode::one_pass;
  return o;
}

}  // namespace profkit::test
