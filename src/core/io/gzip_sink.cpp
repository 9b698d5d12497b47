#include <profkit/core/sink.hpp>

#include <base/contained.hpp>
#include <base/thread_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deflate.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr std::size_t dictionary_bytes = std::size_t{32} << 10;

// One block of the stream: compressed apart from the others, with the text before it as its dictionary, and ended at
// a byte, so that blocks can be made on any number of threads and put one after the other.
struct block {
  std::string window;    // the last bytes of the block before, then its own text
  std::size_t from = 0;  // where that begins
  std::string made;
  bool last = false;
  [[nodiscard]] std::string_view text() const noexcept { return std::string_view(window).substr(from); }
};

class compressing_sink final : public sink {
 public:
  compressing_sink(std::unique_ptr<sink> inner, std::uint32_t threads) : inner_(std::move(inner)) {
    host_.threads = std::max<std::uint32_t>(threads, 1);
    blocks_.emplace_back();
  }

  result<void> write(std::string_view bytes) override {
    return contained([&]() -> result<void> {
      if (failed_) return *failed_;
      while (!bytes.empty()) {
        if (blocks_.back().text().size() == block_bytes) {
          if (auto begun = begin_block(); !begun.ok()) return begun;
        }
        block& b = blocks_.back();
        const std::size_t taken = std::min(bytes.size(), block_bytes - b.text().size());
        b.window.append(bytes.substr(0, taken));
        bytes.remove_prefix(taken);
      }
      return {};
    });
  }

  result<void> finish() override {
    return contained([&]() -> result<void> {
      if (failed_) return *failed_;
      if (finished_) return {};
      finished_ = true;
      blocks_.back().last = true;
      if (auto flushed = flush(); !flushed.ok()) return flushed;
      char trailer[8];
      for (int i = 0; i < 4; ++i) trailer[i] = static_cast<char>(checksum_ >> (8 * i));
      for (int i = 0; i < 4; ++i) trailer[4 + i] = static_cast<char>(text_bytes_ >> (8 * i));
      if (auto written = keep(inner_->write({trailer, sizeof trailer})); !written.ok()) return written;
      return keep(inner_->finish());
    });
  }

 private:
  result<void> keep(result<void> done) {
    if (!done.ok() && !failed_) failed_ = done.error();
    return done;
  }

  result<void> begin_block() {
    block next;
    next.window.reserve(dictionary_bytes + block_bytes);
    next.window = blocks_.back().text().substr(block_bytes - dictionary_bytes);
    next.from = dictionary_bytes;
    if (blocks_.size() >= host_.threads) {
      if (auto flushed = flush(); !flushed.ok()) return flushed;
    }
    blocks_.push_back(std::move(next));
    return {};
  }

  result<void> flush() {
    while (coders_.size() < blocks_.size()) coders_.push_back(block_deflater::make());
    auto done = for_each_item(blocks_.size(), host_, [this](std::size_t i) {
      block& b = blocks_[i];
      return coders_[i]->deflate(b.window, b.from, b.last, b.made);
    });
    if (!done.ok()) return keep(std::move(done));
    if (!head_written_) {
      // No time, name or system: equal input gives equal output.
      constexpr char head[] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, '\xff'};
      head_written_ = true;
      if (auto written = keep(inner_->write({head, sizeof head})); !written.ok()) return written;
    }
    for (const block& b : blocks_) {
      checksum_ = gzip_checksum(checksum_, b.text());
      text_bytes_ += b.text().size();
      if (auto written = keep(inner_->write(b.made)); !written.ok()) return written;
    }
    blocks_.clear();
    return {};
  }

  std::unique_ptr<sink> inner_;
  hooks host_;
  std::vector<block> blocks_;  // the last one is being filled
  std::vector<std::unique_ptr<block_deflater>> coders_;  // one a block at work
  std::uint32_t checksum_ = 0;
  std::uint64_t text_bytes_ = 0;
  bool head_written_ = false;
  bool finished_ = false;
  std::optional<fault> failed_;
};

}  // namespace

std::unique_ptr<sink> gzip_sink(std::unique_ptr<sink> inner, std::uint32_t threads) {
  return std::make_unique<compressing_sink>(std::move(inner), threads);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
