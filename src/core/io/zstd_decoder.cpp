#include "decoder.hpp"

#include <algorithm>
#include <string>

#include <zstd.h>
#include <zstd_errors.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Where the whole frame and room for all of it are at hand, the library decodes in one go and gives nothing when
// the frame is damaged. With less room it goes block by block, and what is intact comes out.
constexpr std::size_t largest_step_bytes = std::size_t{64} << 10;

// RFC 8878: frames one after the other, skippable ones among them.
class zstd_decoder final : public decoder {
 public:
  zstd_decoder() noexcept : stream_(ZSTD_createDStream()) {}
  ~zstd_decoder() override { ZSTD_freeDStream(stream_); }
  [[nodiscard]] bool initialised() const noexcept { return stream_ != nullptr; }

  result<void> decode(std::string_view& in, output_room& out) override {
    // Asked once more after the last frame, the library would begin a new one.
    if (complete_ && in.empty()) return {};
    while (out.bytes != 0) {
      ZSTD_inBuffer from{in.data(), in.size(), 0};
      ZSTD_outBuffer to{out.at, std::min(out.bytes, largest_step_bytes), 0};
      const std::size_t status = ZSTD_decompressStream(stream_, &to, &from);
      in.remove_prefix(from.pos);
      out.at += to.pos;
      out.bytes -= to.pos;
      if (ZSTD_isError(status) != 0) return failed(status);
      complete_ = status == 0;
      if (in.empty()) return {};
    }
    return {};
  }

  [[nodiscard]] bool complete() const noexcept override { return complete_; }

  void reset() noexcept override {
    ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only);
    complete_ = false;
  }

 private:
  static fault failed(std::size_t status) {
    const std::string reason = ZSTD_getErrorName(status);
    switch (ZSTD_getErrorCode(status)) {
      case ZSTD_error_frameParameter_windowTooLarge:
        return fault{fault_code::limit, "the zstd stream wants a window of more than 128 MiB", "", no_offset,
                     "compress it again without --long"};
      case ZSTD_error_memory_allocation: return fault{fault_code::out_of_memory, "out of memory", "", no_offset, ""};
      case ZSTD_error_dictionary_wrong:
      case ZSTD_error_version_unsupported:
      case ZSTD_error_frameParameter_unsupported:
        return fault{fault_code::unsupported, "the zstd stream needs what is not supported (" + reason + ")", "",
                     no_offset, "decompress it with the zstd command first"};
      default: return fault{fault_code::damaged, "the zstd stream is damaged (" + reason + ")", "", no_offset, ""};
    }
  }

  ZSTD_DStream* stream_;
  bool complete_ = false;
};

}  // namespace

result<std::unique_ptr<decoder>> make_zstd_decoder() {
  auto made = std::make_unique<zstd_decoder>();
  if (!made->initialised()) return fault{fault_code::out_of_memory, "out of memory", "", no_offset, ""};
  return std::unique_ptr<decoder>(std::move(made));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
