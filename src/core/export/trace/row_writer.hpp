// Turns rows of events into trace JSON on several threads, in an order that does not depend on them.
#pragma once
#include <profkit/core/sink.hpp>

#include "flow_marks.hpp"
#include "plane_text.hpp"
#include "shown_lines.hpp"

#include "base/thread_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What turns the events of one process into text.
struct row_style {
  row_style(const plane_index& plane, std::size_t file, json_dialect d)
      : text(std::in_place, plane, d), flows(std::in_place, plane, file), dialect(d) {}
  explicit row_style(std::shared_ptr<const track_list> texts) : names(std::move(texts)) {}

  std::optional<plane_text> text;  // of an XSpace
  std::optional<flow_marks> flows;
  std::shared_ptr<const track_list> names;  // of other files
  json_dialect dialect = json_dialect::people;
  std::uint64_t pid = 0;
};

struct trace_row {
  placed_event event;  // xla: its times are unsigned, as its converter has them
  const plane_text::operation* what = nullptr;  // of an XSpace
  std::uint32_t tid = 0;
  bool counter = false;  // people: a "C" event with the numbers among its stats
};

class row_writer {
 public:
  row_writer(sink& into, const hooks& host) : into_(into), host_(host), max_pieces_(4 * std::size_t{std::max(1u, host.threads)}) {
    host_.progress = nullptr;
  }

  result<void> add(const std::shared_ptr<const row_style>& style, const trace_row& row) {
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
    std::shared_ptr<const row_style> style;  // null: text alone
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
