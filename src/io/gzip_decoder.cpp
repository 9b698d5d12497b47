#include "decoder.hpp"

#include <algorithm>
#include <string>

#include <zlib.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t largest_step_bytes = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr int gzip_window_bits = 15 + 16;                         // the largest window, and the gzip wrapper only

// RFC 1952: members one after the other. Zero bytes after the last are the padding of tapes and block devices.
class gzip_decoder final : public decoder {
 public:
  gzip_decoder() noexcept : initialised_(inflateInit2(&stream_, gzip_window_bits) == Z_OK) {}
  ~gzip_decoder() override {
    if (initialised_) inflateEnd(&stream_);
  }
  [[nodiscard]] bool initialised() const noexcept { return initialised_; }

  result<void> decode(std::string_view& in, output_room& out) override {
    for (;;) {
      if (state_ == state::between_members && !in.empty()) {
        if (in.front() == '\x1f') {
          inflateReset(&stream_);
          state_ = state::in_member;
        } else if (in.front() == '\0') {
          state_ = state::in_padding;
        } else {
          return damaged("bytes follow the end of the gzip stream that are neither another member nor zero padding");
        }
      }
      if (state_ == state::in_padding) {
        const auto padding = std::min(in.find_first_not_of('\0'), in.size());
        in.remove_prefix(padding);
        if (!in.empty()) return damaged("bytes that are not zero follow the padding after the gzip stream");
      }
      if (state_ != state::in_member || out.bytes == 0) return {};
      const int status = inflate_some(in, out);
      if (status == Z_STREAM_END) {
        state_ = state::between_members;
      } else if (status == Z_BUF_ERROR || (status == Z_OK && in.empty())) {
        return {};
      } else if (status == Z_MEM_ERROR) {
        return fault{fault_code::out_of_memory, "out of memory", "", no_offset, ""};
      } else if (status != Z_OK) {
        return damaged(std::string("the gzip stream is damaged (") +
                       (stream_.msg != nullptr ? stream_.msg : "unknown reason") + ")");
      }
    }
  }

  [[nodiscard]] bool complete() const noexcept override { return state_ != state::in_member; }

  void reset() noexcept override {
    inflateReset(&stream_);
    state_ = state::in_member;
  }

 private:
  enum class state { in_member, between_members, in_padding };

  int inflate_some(std::string_view& in, output_room& out) noexcept {
    const std::size_t given = std::min(in.size(), largest_step_bytes);
    const std::size_t room = std::min(out.bytes, largest_step_bytes);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(out.at);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(given - stream_.avail_in);
    const std::size_t written = room - stream_.avail_out;
    out.at += written;
    out.bytes -= written;
    return status;
  }

  static fault damaged(std::string what) { return fault{fault_code::damaged, std::move(what), "", no_offset, ""}; }

  z_stream stream_{};
  state state_ = state::in_member;
  bool initialised_;
};

}  // namespace

result<std::unique_ptr<decoder>> make_gzip_decoder() {
  auto made = std::make_unique<gzip_decoder>();
  if (!made->initialised()) return fault{fault_code::out_of_memory, "out of memory", "", no_offset, ""};
  return std::unique_ptr<decoder>(std::move(made));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
