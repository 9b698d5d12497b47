#include <algorithm>
#include <utility>

#include <zlib.h>

#include "deflate.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t largest_zlib_bytes = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr int largest_window = 15, gzip_wrapper = 16, raw = -1;
constexpr int fastest = 1, usual_memory = 8;

fault zlib_out_of_memory() { return fault{fault_code::out_of_memory, "out of memory", "", no_offset, ""}; }

class zlib_member final : public member_inflater {
 public:
  zlib_member() noexcept : initialised_(inflateInit2(&stream_, largest_window + gzip_wrapper) == Z_OK) {}
  ~zlib_member() override {
    if (initialised_) inflateEnd(&stream_);
  }
  [[nodiscard]] bool initialised() const noexcept { return initialised_; }

  result<bool> inflate(std::string_view& in, output_room& out) override {
    const std::size_t given = std::min(in.size(), largest_zlib_bytes);
    const std::size_t room = std::min(out.bytes, largest_zlib_bytes);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(out.at);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(given - stream_.avail_in);
    const std::size_t written = room - stream_.avail_out;
    out.at += written;
    out.bytes -= written;
    if (status == Z_STREAM_END) return true;
    if (status == Z_OK || status == Z_BUF_ERROR) return false;
    if (status == Z_MEM_ERROR) return zlib_out_of_memory();
    return fault{fault_code::damaged, stream_.msg != nullptr ? stream_.msg : "unknown reason", "", no_offset, ""};
  }

  void reset() noexcept override { inflateReset(&stream_); }

 private:
  z_stream stream_{};
  bool initialised_;
};

class zlib_deflater final : public block_deflater {
 public:
  result<void> deflate(std::string_view window, std::size_t from, bool last, std::string& out) override {
    z_stream stream{};
    if (deflateInit2(&stream, fastest, Z_DEFLATED, raw * largest_window, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
      return zlib_out_of_memory();
    if (from != 0)
      deflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(window.data()), static_cast<uInt>(from));
    const std::size_t text_bytes = window.size() - from, had = out.size();
    out.resize(had + deflateBound(&stream, static_cast<uLong>(text_bytes)) + 16);  // and the mark of a flush
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(window.data() + from));
    stream.avail_in = static_cast<uInt>(text_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + had);
    stream.avail_out = static_cast<uInt>(out.size() - had);
    ::deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return {};
  }
};

}  // namespace

result<std::unique_ptr<member_inflater>> member_inflater::make() {
  auto made = std::make_unique<zlib_member>();
  if (!made->initialised()) return zlib_out_of_memory();
  return std::unique_ptr<member_inflater>(std::move(made));
}

std::unique_ptr<block_deflater> block_deflater::make() { return std::make_unique<zlib_deflater>(); }

std::uint32_t gzip_checksum(std::uint32_t before, std::string_view bytes) noexcept {
  uLong sum = before;
  while (!bytes.empty()) {
    const std::size_t step = std::min(bytes.size(), largest_zlib_bytes);
    sum = crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(step));
    bytes.remove_prefix(step);
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
