// The pass: the bytes of a source go through a walk, and what that keeps, an XSpace without events, is read by the index
// as any other.
#include <formats/xspace/xspace_stream.hpp>

#include <profkit/core/capture.hpp>

#include <base/asking.hpp>
#include <base/growing_bytes.hpp>
#include <base/progress.hpp>
#include <formats/foreign/foreign_format.hpp>
#include <formats/xspace/xspace_walk.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t window_bytes = std::size_t{1} << 20;
constexpr const char* open_mapped = "raise max_materialised_bytes, or decompress the file and open it mapped";

// Reads the source up to its end, or to where the walk wants no more.
result<void> drive(source& from, xspace_walk& walk, const hooks& host, std::string& head, std::optional<fault>& damage) {
  progress_meter meter(host, from.encoded_bytes() == no_offset ? 0 : from.encoded_bytes());
  growing_bytes window;
  if (!window.resize_capacity(window_bytes))
    return fault{fault_code::out_of_memory, "no memory for " + std::to_string(window_bytes) + " decoded bytes", "", no_offset,
                 open_mapped};
  std::uint64_t bytes = 0;
  while (!walk.is_over()) {
    if (auto going = meter.step(from.encoded_position()); !going) return going;
    auto count = from.read(window.data(), window_bytes);
    if (!count && !leaves_bytes_usable(count.error(), bytes)) return std::move(count).error();
    if (!count) damage = std::move(count).error();
    if (damage || *count == 0) break;
    head.append(window.data(), std::min(*count, text_sample_bytes - head.size()));
    bytes += *count;
    if (auto went = walk.take({window.data(), *count}); !went) return went;
  }
  return walk.end();
}

}  // namespace

result<streamed_xspace> stream_xspace(source& from, stream_visitor& visitor, const limits& bounds, const hooks& host) {
  const asking asked(from, host);
  if (auto back = from.rewind(); !back) return std::move(back).error();
  const std::uint64_t most = bounds.max_materialised_bytes;
  xspace_walk walk(visitor, {std::max<std::uint64_t>(window_bytes, most), most, most, open_mapped});
  streamed_xspace done;
  std::string head;
  if (auto went = drive(from, walk, host, head, done.damage); !went) {
    fault why = std::move(went).error();
    if (why.path.empty()) why.path = from.name();
    return why;
  }
  done.bytes = walk.position();
  std::string_view bytes;
  const std::shared_ptr<reduced_from> kept = walk.take_kept(bytes, done.owner);
  kept->head = std::move(head);
  done.index = index_xspace(bytes, kept);
  done.foreign = done.damage && done.index.planes.empty() ? why_not_begun_xspace(kept->head) : why_not_xspace(kept->head);
  if ((done.damage || done.index.damage) && done.index.planes.empty())
    if (auto other = why_another(kept->head)) {
      done.foreign = std::move(other);
      done.is_another = true;
    }
  kept->head = {};
  return done;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
