// Turns rows of events into trace JSON on several threads, in an order that does not depend on them.
#pragma once
#include <profkit/core/sink.hpp>

#include "flow_marks.hpp"
#include "plane_text.hpp"

#include "base/thread_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Text of a plane and what belongs to it.
struct plane_style {
  plane_style(const plane_index& plane, std::size_t file, json_dialect d) : text(plane, d), flows(plane, file), dialect(d) {}
  plane_text text;
  flow_marks flows;
  json_dialect dialect;
  std::uint64_t pid = 0;
};

struct trace_row {
  const plane_text::operation* what;
  std::uint64_t time_ps;  // xla: unsigned, as its converter has it
  std::uint64_t duration_ps;
  const char* stats;
  std::uint32_t stats_bytes;
  std::uint32_t tid;
  bool counter;  // people: a "C" event with the numbers among its stats
};

class row_writer {
 public:
  row_writer(sink& into, const hooks& host) : into_(into), host_(host), max_pieces_(4 * std::size_t{std::max(1u, host.threads)}) {
    host_.progress = nullptr;
  }

  result<void> add(const std::shared_ptr<const plane_style>& style, const trace_row& row) {
    if (pieces_.empty() || pieces_.back().style != style || pieces_.back().rows.size() == rows_in_piece) {
      if (pieces_.size() == max_pieces_) {
        if (result<void> flushed = flush(); !flushed) return flushed;
      }
      pieces_.emplace_back();
      pieces_.back().style = style;
      pieces_.back().rows.reserve(256);
    }
    pieces_.back().rows.push_back(row);
    return {};
  }
  // Text that stands between rows.
  result<void> add_text(std::string text) {
    if (pieces_.size() >= max_pieces_) {
      if (result<void> flushed = flush(); !flushed) return flushed;
    }
    pieces_.emplace_back();
    pieces_.back().text = std::move(text);
    return {};
  }
  result<void> flush();

  [[nodiscard]] std::uint64_t flows() const noexcept { return flows_; }
  [[nodiscard]] std::uint64_t counters() const noexcept { return counters_; }

 private:
  static constexpr std::size_t rows_in_piece = 4096;
  struct piece {
    std::shared_ptr<const plane_style> style;  // null: text alone
    std::vector<trace_row> rows;
    std::string text;
    std::uint64_t flows = 0, counters = 0;
  };
  static void format(piece& p);

  sink& into_;
  hooks host_;
  std::size_t max_pieces_;
  std::vector<piece> pieces_;
  std::uint64_t flows_ = 0, counters_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
