#include <profkit/core/sink.hpp>

#include <base/contained.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <zlib.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t largest_step_bytes = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr int gzip_window_bits = 15 + 16;

class compressing_sink final : public sink {
 public:
  compressing_sink(std::unique_ptr<sink> inner, int level) : inner_(std::move(inner)), out_(std::size_t{64} << 10) {
    const int usable = std::clamp(level, 1, 9);
    initialised_ = deflateInit2(&stream_, usable, Z_DEFLATED, gzip_window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    if (!initialised_) {
      failed_ = fault{fault_code::out_of_memory, "out of memory", "", no_offset, ""};
      return;
    }
    // No time, name or system in the header: equal input gives equal output.
    header_.os = 255;
    deflateSetHeader(&stream_, &header_);
  }
  ~compressing_sink() override {
    if (initialised_) deflateEnd(&stream_);
  }

  result<void> write(std::string_view bytes) override {
    return contained([&] { return compress(bytes, Z_NO_FLUSH); });
  }

  result<void> finish() override {
    return contained([&]() -> result<void> {
      if (finished_) return state();
      finished_ = true;
      if (auto flushed = compress({}, Z_FINISH); !flushed.ok()) return flushed;
      return keep(inner_->finish());
    });
  }

 private:
  [[nodiscard]] result<void> state() const {
    if (failed_) return *failed_;
    return {};
  }

  result<void> keep(result<void> done) {
    if (!done.ok() && !failed_) failed_ = done.error();
    return done;
  }

  result<void> compress(std::string_view bytes, int flush) {
    if (failed_) return *failed_;
    do {
      const std::size_t given = std::min(bytes.size(), largest_step_bytes);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(given);
      if (auto moved = deflate_given(flush); !moved.ok()) return moved;
      bytes.remove_prefix(given);
    } while (!bytes.empty());
    return {};
  }

  // Compresses what the stream was given and hands on what comes out.
  result<void> deflate_given(int flush) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, flush);
      const std::size_t made = out_.size() - stream_.avail_out;
      if (made != 0) {
        if (auto written = keep(inner_->write({out_.data(), made})); !written.ok()) return written;
      }
    } while (stream_.avail_out == 0);
    return {};
  }

  std::unique_ptr<sink> inner_;
  std::vector<char> out_;
  z_stream stream_{};
  gz_header header_{};
  bool initialised_ = false;
  bool finished_ = false;
  std::optional<fault> failed_;
};

}  // namespace

std::unique_ptr<sink> gzip_sink(std::unique_ptr<sink> inner, int level) {
  return std::make_unique<compressing_sink>(std::move(inner), level);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
