#include <profkit/core/piece_decoder.hpp>

#include "decoder.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t decoded_at_once = std::size_t{256} << 10;

}  // namespace

struct piece_decoder::state {
  limits bounds;
  std::string magic;  // while the compression is not known
  bool known = false;
  compression encoding = compression::none;
  std::unique_ptr<decoder> undo;
  std::vector<char> decoded;
  std::uint64_t encoded_bytes = 0, decoded_bytes = 0;

  // Decides by the first bytes, and hands those on.
  result<void> begin(const taker& into) {
    known = true;
    encoding = compression_of(magic);
    if (encoding != compression::none) {
      auto made = encoding == compression::gzip ? make_gzip_decoder() : make_zstd_decoder();
      if (!made) return std::move(made).error();
      undo = std::move(*made);
      decoded.resize(decoded_at_once);
    }
    return go_on(std::exchange(magic, {}), into);
  }

  result<void> go_on(std::string_view piece, const taker& into) {
    if (!undo) {
      decoded_bytes += piece.size();
      return piece.empty() ? result<void>() : into(piece);
    }
    for (;;) {
      output_room room{decoded.data(), decoded.size()};
      const std::size_t waiting = piece.size();
      auto went = undo->decode(piece, room);
      const std::size_t count = decoded.size() - room.bytes;
      encoded_bytes += waiting - piece.size();
      decoded_bytes += count;
      if (count != 0)
        if (auto taken = into({decoded.data(), count}); !taken) return taken;
      if (went)
        if (auto why = over_ratio(encoded_bytes, decoded_bytes, bounds)) went = std::move(*why);
      if (!went) {
        fault why = std::move(went).error();
        why.message += ", at encoded byte " + std::to_string(encoded_bytes);
        why.byte_offset = decoded_bytes;
        return why;
      }
      if (count == 0 && waiting == piece.size()) return {};
    }
  }
};

piece_decoder::piece_decoder(const limits& bounds) : state_(std::make_unique<state>()) { state_->bounds = bounds; }
piece_decoder::~piece_decoder() = default;

result<void> piece_decoder::take(std::string_view piece, const taker& into) {
  state& s = *state_;
  if (s.known) return s.go_on(piece, into);
  const std::string_view more = piece.substr(0, magic_bytes - s.magic.size());
  s.magic.append(more);
  if (s.magic.size() < magic_bytes) return {};
  if (auto begun = s.begin(into); !begun) return begun;
  piece.remove_prefix(more.size());
  return s.go_on(piece, into);
}

result<void> piece_decoder::end(const taker& into) {
  state& s = *state_;
  if (!s.known)
    if (auto begun = s.begin(into); !begun) return begun;
  if (!s.undo || s.undo->complete()) return {};
  fault why = cut_stream(s.encoding);
  why.message += ", at encoded byte " + std::to_string(s.encoded_bytes);
  why.byte_offset = s.decoded_bytes;
  return why;
}

compression piece_decoder::encoding() const noexcept { return state_->encoding; }
std::uint64_t piece_decoder::decoded_bytes() const noexcept { return state_->decoded_bytes; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
