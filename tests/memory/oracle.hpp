// Expected results of the large corpus: JSON documents and files.
#pragma once
#include <support.hpp>

#include <simdjson.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace profkit::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Bytes that a document gives as MiB; 0 for null.
inline std::int64_t bytes_of_mib(const simdjson::dom::element& value) {
  double mib = 0;
  if (value.get(mib) != simdjson::SUCCESS) return 0;
  return std::llround(mib * 1048576);
}

inline std::int64_t integer_or(const simdjson::dom::element& value, std::int64_t otherwise) {
  std::int64_t n = 0;
  return value.get(n) == simdjson::SUCCESS ? n : otherwise;
}

}  // namespace profkit::test
