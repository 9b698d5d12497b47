// Bytes that come in pieces, decoded: like a source, but the caller hands it the bytes.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/source.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Finds compression by its magic and undoes it; plain bytes go on as they are. One thread at a time.
class piece_decoder {
 public:
  /// What takes the decoded bytes, which are there during the call only. A fault ends the decoding.
  using taker = std::function<result<void>(std::string_view decoded)>;

  explicit piece_decoder(const limits& bounds = {});
  ~piece_decoder();
  piece_decoder(const piece_decoder&) = delete;
  piece_decoder& operator=(const piece_decoder&) = delete;

  /// The next bytes, of any number. Faults: `damaged` (a compressed stream that cannot go on; what was decoded before it
  /// has been handed on), `limit` (max_decompression_ratio), `unsupported` (a compression that this build lacks), those
  /// of `into`.
  result<void> take(std::string_view piece, const taker& into);
  /// No more bytes come. Faults: `damaged` for a compressed stream that is cut, those of `into`.
  result<void> end(const taker& into);
  [[nodiscard]] compression encoding() const noexcept;  ///< once it is known
  [[nodiscard]] std::uint64_t decoded_bytes() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
