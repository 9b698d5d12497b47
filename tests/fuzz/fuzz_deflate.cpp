// Any text through the compressor, in two blocks: zlib gives it back.
#include <io/deflate.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <zlib.h>

using namespace profkit;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::size_t split = (std::size_t{data[0]} << 8 | data[1]) % (size - 1);
  // Repeated, so that there is something to find.
  const std::string piece(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::string text = piece;
  for (int i = 0; i < data[0] % 4; ++i) text += text.substr(text.size() / 3);
  const std::size_t from = split % (text.size() + 1);
  std::string made;
  const auto coder = block_deflater::make();
  const std::size_t window = from < 32768 ? 0 : from - 32768;
  if (!coder->deflate(text.substr(0, from), 0, false, made).ok()) return 0;
  if (!coder->deflate(text.substr(window), from - window, true, made).ok()) return 0;

  std::string back(text.size() + 1, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) std::abort();
  stream.next_in = reinterpret_cast<Bytef*>(made.data());
  stream.avail_in = static_cast<uInt>(made.size());
  stream.next_out = reinterpret_cast<Bytef*>(back.data());
  stream.avail_out = static_cast<uInt>(back.size());
  const int ended = inflate(&stream, Z_FINISH);
  back.resize(back.size() - stream.avail_out);
  inflateEnd(&stream);
  if (ended != Z_STREAM_END || stream.avail_in != 0 || back != text) std::abort();
  return 0;
}
