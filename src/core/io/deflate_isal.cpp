#include <algorithm>
#include <array>
#include <utility>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "deflate.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t largest_isal_bytes = std::size_t{1} << 30;  // isa-l counts in 32 bits
constexpr std::size_t longest_copy_bytes = 258;

fault damaged(const char* reason) { return fault{fault_code::damaged, reason, "", no_offset, ""}; }

const char* reason_of(int status) noexcept {
  switch (status) {
    case ISAL_INVALID_WRAPPER: return "incorrect header";
    case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
    case ISAL_INVALID_BLOCK: return "invalid block";
    case ISAL_INVALID_SYMBOL: return "invalid code";
    case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
    case ISAL_INCORRECT_CHECKSUM: return "incorrect checksum or length";
    default: return "unknown reason";
  }
}

class isal_member final : public member_inflater {
 public:
  isal_member() noexcept {
    isal_inflate_init(&state_);
    reset();
  }

  result<bool> inflate(std::string_view& in, output_room& out) override {
    if (failed_ == ISAL_DECOMP_OK) {
      const std::size_t before_in = in.size(), before_out = out.bytes, before_rest = rest();
      failed_ = step(in, out);
      if (failed_ == ISAL_INVALID_LOOKBACK || failed_ == ISAL_INVALID_SYMBOL)
        take_back_a_copy(before_out - out.bytes + rest() - before_rest, out);
      if (failed_ == ISAL_DECOMP_OK && state_.block_state == ISAL_BLOCK_FINISH) return true;
      // Some damaged streams make isa-l stand still instead of reporting an error.
      const bool stands_still = in.size() == before_in && out.bytes == before_out && !in.empty() && out.bytes != 0;
      if (failed_ == ISAL_DECOMP_OK && stands_still) failed_ = ISAL_INVALID_BLOCK;
    }
    if (failed_ == ISAL_DECOMP_OK) return false;
    hand_out_rest(out);
    if (rest() != 0) return false;
    return damaged(reason_of(failed_));
  }

  void reset() noexcept override {
    isal_inflate_reset(&state_);
    isal_gzip_header_init(&header_);
    // The header is read apart: isal_inflate() forgets the flags of one that comes in pieces.
    state_.crc_flag = ISAL_GZIP_NO_HDR_VER;
    in_header_ = true;
    failed_ = ISAL_DECOMP_OK;
  }

 private:
  int step(std::string_view& in, output_room& out) noexcept {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(in.data());
    auto* const to = reinterpret_cast<std::uint8_t*>(out.at);
    state_.next_in = const_cast<std::uint8_t*>(from);
    state_.avail_in = static_cast<std::uint32_t>(std::min(in.size(), largest_isal_bytes));
    state_.next_out = to;
    state_.avail_out = static_cast<std::uint32_t>(std::min(out.bytes, largest_isal_bytes));
    int status = ISAL_DECOMP_OK;
    if (in_header_) {
      status = isal_read_gzip_header(&state_, &header_);
      in_header_ = status == ISAL_END_INPUT;
    }
    if (!in_header_ && status == ISAL_DECOMP_OK) status = isal_inflate(&state_);
    // By the pointers: after an error avail_in and avail_out are too small, even below zero.
    in.remove_prefix(static_cast<std::size_t>(state_.next_in - from));
    const auto written = static_cast<std::size_t>(state_.next_out - to);
    out.at += written;
    out.bytes -= written;
    return status == ISAL_END_INPUT ? ISAL_DECOMP_OK : status;
  }

  // What isa-l decoded before an error and had no room for.
  [[nodiscard]] std::size_t rest() const noexcept {
    return static_cast<std::size_t>(state_.tmp_out_valid - state_.tmp_out_processed);
  }
  void hand_out_rest(output_room& out) noexcept {
    const std::size_t count = std::min(rest(), out.bytes);
    out.at = std::copy_n(state_.tmp_out_buffer + state_.tmp_out_processed, count, out.at);
    out.bytes -= count;
    state_.tmp_out_processed += static_cast<std::int32_t>(count);
  }

  // isa-l counts the bytes of a copy before it knows that the distance is invalid; what they hold was in memory before.
  void take_back_a_copy(std::size_t decoded, output_room& out) noexcept {
    const std::size_t count = std::min(decoded, longest_copy_bytes), of_rest = std::min(count, rest());
    state_.tmp_out_valid -= static_cast<std::int32_t>(of_rest);
    out.at -= count - of_rest;
    out.bytes += count - of_rest;
  }

  inflate_state state_;
  isal_gzip_header header_;
  bool in_header_ = true;
  int failed_ = ISAL_DECOMP_OK;
};

class isal_deflater final : public block_deflater {
 public:
  result<void> deflate(std::string_view window, std::size_t from, bool last, std::string& out) override {
    const auto* const text = reinterpret_cast<const std::uint8_t*>(window.data());
    isal_zstream stream;
    isal_deflate_init(&stream);
    stream.level = 1;
    stream.level_buf = level_room_.data();
    stream.level_buf_size = static_cast<std::uint32_t>(level_room_.size());
    stream.flush = last ? NO_FLUSH : SYNC_FLUSH;
    stream.end_of_stream = last ? 1 : 0;
    if (from != 0) isal_deflate_set_dict(&stream, const_cast<std::uint8_t*>(text), static_cast<std::uint32_t>(from));
    stream.next_in = const_cast<std::uint8_t*>(text + from);
    stream.avail_in = static_cast<std::uint32_t>(window.size() - from);
    std::size_t used = out.size();
    do {
      out.resize(used + stream.avail_in / 4 + 4096);
      stream.next_out = reinterpret_cast<std::uint8_t*>(out.data() + used);
      stream.avail_out = static_cast<std::uint32_t>(out.size() - used);
      isal_deflate(&stream);
      used = out.size() - stream.avail_out;
    } while (stream.avail_out == 0);
    out.resize(used);
    return {};
  }

 private:
  std::array<std::uint8_t, ISAL_DEF_LVL1_DEFAULT> level_room_;
};

}  // namespace

result<std::unique_ptr<member_inflater>> member_inflater::make() {
  return std::unique_ptr<member_inflater>(std::make_unique<isal_member>());
}

std::unique_ptr<block_deflater> block_deflater::make() { return std::make_unique<isal_deflater>(); }

std::uint32_t gzip_checksum(std::uint32_t before, std::string_view bytes) noexcept {
  return crc32_gzip_refl(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
