#include "merge_output.hpp"

#include <base/thread_pool.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t bytes_a_thread = std::uint64_t{1} << 20;
constexpr std::uint64_t max_batch_bytes = std::uint64_t{16} << 20;
constexpr std::size_t max_pieces = 4096;
constexpr std::size_t max_rooms = 64;
constexpr std::uint64_t max_room_bytes = std::uint64_t{2} << 20;

}  // namespace

result<void> merge_output::literal(std::string bytes) {
  const std::uint64_t size = bytes.size();
  if (!kept_.empty() && !kept_.back().render && kept_.back().borrowed.empty() && !kept_.back().then) {
    kept_.back().bytes += bytes;
    kept_bytes_ += size;
    return {};
  }
  piece p;
  p.bytes = std::move(bytes);
  return keep(std::move(p), size);
}

result<void> merge_output::copy(std::string_view bytes) {
  piece p;
  p.borrowed = bytes;
  return keep(std::move(p), 0);  // borrowed bytes take no memory
}

result<void> merge_output::render(std::uint64_t bytes, std::function<void(char*)> render) {
  piece p;
  p.borrowed = std::string_view(nullptr, static_cast<std::size_t>(bytes));
  p.render = std::move(render);
  return keep(std::move(p), bytes);
}

result<void> merge_output::when_written(std::function<void()> then) {
  piece p;
  p.then = std::move(then);
  return keep(std::move(p), 0);
}

result<void> merge_output::keep(piece p, std::uint64_t bytes) {
  kept_.push_back(std::move(p));
  kept_bytes_ += bytes;
  const std::uint64_t most = std::min(max_batch_bytes, std::max<std::uint64_t>(host_.threads, 1) * bytes_a_thread);
  return kept_bytes_ >= most || kept_.size() >= max_pieces ? flush() : result<void>();
}

result<void> merge_output::flush() {
  std::vector<std::size_t> to_render;
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (kept_[i].render) to_render.push_back(i);
  if (rooms_.size() < to_render.size()) rooms_.resize(to_render.size());
  auto rendered = for_each_item(to_render.size(), host_, [&](std::size_t item) -> result<void> {
    piece& p = kept_[to_render[item]];
    room& r = rooms_[item];
    const std::uint64_t wanted = p.borrowed.size() + write_slack_bytes;
    if (r.size < wanted) {
      r.bytes.reset(new char[static_cast<std::size_t>(wanted)]);
      r.size = wanted;
    }
    p.render(r.bytes.get());
    p.borrowed = std::string_view(r.bytes.get(), p.borrowed.size());
    return {};
  });
  if (!rendered) return rendered;
  for (piece& p : kept_) {
    if (!p.bytes.empty())
      if (auto ok = copy_now(p.bytes); !ok) return ok;
    if (!p.borrowed.empty())
      if (auto ok = copy_now(p.borrowed); !ok) return ok;
    if (p.then) p.then();
  }
  kept_.clear();
  kept_bytes_ = 0;
  // Rooms for very many small pieces, or for a huge one, are not kept.
  if (rooms_.size() > max_rooms) rooms_.resize(max_rooms);
  for (room& r : rooms_)
    if (r.size > max_room_bytes) r = room{};
  return {};
}

result<void> merge_output::copy_now(std::string_view bytes) {
  written_ += bytes.size();
  return into_.write(bytes);
}

result<std::uint64_t> merge_output::finish() {
  if (auto ok = flush(); !ok) return std::move(ok).error();
  return written_;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
