// Folders and compressed bytes for the tests of bytes in and bytes out.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <zlib.h>
#include <zstd.h>

namespace profkit::test {

// A folder that goes away with everything in it.
class temporary_folder {
 public:
  // In the preferred place when it can be written, else among the temporary files.
  explicit temporary_folder(const std::string& preferred = "") {
    for (const std::filesystem::path& place :
         {std::filesystem::path(preferred), std::filesystem::temp_directory_path()}) {
      std::string pattern = (place / "profkit-test-XXXXXX").string();
      if (place.empty() || ::mkdtemp(pattern.data()) == nullptr) continue;
      path_ = pattern;
      return;
    }
    throw std::runtime_error("no temporary folder");
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + "/" + name; }
  // Writes a file, with the folders above it, and gives its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::string path_;
};

inline std::string file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string gzipped(const std::string& bytes, int level = 6) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflate");
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// What zlib reads of one gzip member, and whether that is a whole one with a right checksum and nothing after it.
struct unpacked {
  std::string bytes;
  bool whole = false;
};
inline unpacked unpacked_by_zlib(const std::string& packed) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("inflate");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  unpacked out;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t had = out.bytes.size();
    out.bytes.resize(had + (std::size_t{1} << 16));
    stream.next_out = reinterpret_cast<Bytef*>(out.bytes.data() + had);
    stream.avail_out = 1 << 16;
    status = inflate(&stream, Z_NO_FLUSH);
    out.bytes.resize(out.bytes.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  out.whole = status == Z_STREAM_END && stream.avail_in == 0;
  return out;
}

inline std::string zstandard(const std::string& bytes, int level = 3) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level));
  return out;
}

// Text that compresses, but not to nothing.
inline std::string sample_bytes(std::size_t count, std::uint32_t seed = 1) {
  std::string out;
  std::uint32_t state = seed;
  while (out.size() < count) {
    state = state * 1664525u + 1013904223u;
    out += "event " + std::to_string(state >> 20) + ' ';
  }
  out.resize(count);
  return out;
}

}  // namespace profkit::test
