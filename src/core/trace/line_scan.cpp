#include <trace/line_scan.hpp>

#include <base/progress.hpp>
#include <base/thread_pool.hpp>
#include <formats/xspace/event_stats.hpp>

#include <array>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t batch_events = 256;

// The readers of one line, which take its events together.
class line_readers {
 public:
  void begin(line_pass& pass, const line_place& place, std::uint64_t bytes) {
    open_reader added{&pass, pass.begin(place, bytes)};
    readers_.insert(added.reader->changes_rows() ? readers_.end() : readers_.begin(), std::move(added));
  }
  [[nodiscard]] bool empty() const noexcept { return readers_.empty(); }

  void take(const line_rows& rows) {
    for (std::size_t from = 0; from < rows.count; from += batch_events) {
      line_rows some = rows;
      some.rows = rows.rows + from;
      some.count = std::min(batch_events, rows.count - from);
      // Those that change the rows come last, each with its own; the last one of all with those that were read.
      for (std::size_t i = 0; i < readers_.size(); ++i) {
        line_rows own = some;
        if (i + 1 < readers_.size() && readers_[i].reader->changes_rows()) {
          std::copy(some.rows, some.rows + some.count, copied_.begin());
          own.rows = copied_.data();
        }
        readers_[i].reader->take(own);
      }
    }
  }

  // Gives the passes that want the line once more.
  [[nodiscard]] std::vector<line_pass*> end(const line_end& end) {
    std::vector<line_pass*> again;
    for (const open_reader& open : readers_)
      if (open.reader->end(end)) again.push_back(open.pass);
    readers_.clear();
    return again;
  }

 private:
  struct open_reader {
    line_pass* pass;
    std::unique_ptr<line_reader> reader;
  };
  std::vector<open_reader> readers_;
  std::array<event_row, batch_events> copied_;
};

// A line and the passes that want it.
struct wanted_line {
  line_place place;
  std::vector<line_pass*> by;
};

result<void> read_for_all(const profile& p, const wanted_line& wanted, shared_meter& meter) {
  const line_index& line = line_at(p, wanted.place);
  constexpr std::uint64_t bytes_between_steps = std::uint64_t{1} << 20;
  line_readers readers;
  for (std::vector<line_pass*> by = wanted.by; !by.empty();) {
    for (line_pass* const pass : by) readers.begin(*pass, wanted.place, line.body.size());
    std::array<event_row, batch_events> rows;
    line_rows read{rows.data(), 0, end_of(p.bytes(wanted.place.file)), line.body.data(), 0};
    event_scanner scan(line.body);
    std::uint64_t reported = 0;
    while ((read.count = scan.next(rows.data(), rows.size())) != 0) {
      readers.take(read);
      if (scan.offset() - reported < bytes_between_steps) continue;
      if (result<void> stepped = meter.advance(scan.offset() - reported); !stepped) return stepped;
      reported = scan.offset();
    }
    if (result<void> stepped = meter.advance(scan.offset() - reported); !stepped) return stepped;
    line_end end;
    end.damaged = !scan.ok();
    end.damage_offset = scan.offset();
    end.header = scan.ok() ? scan.header() : complete_header(line);
    by = readers.end(end);
  }
  return {};
}

// Hands the events of a file that is streamed to the passes that want them, and keeps those that want a line once more.
class streamed_readers final : public stream_visitor {
 public:
  // Null: asks each pass whether it wants a line.
  streamed_readers(std::uint32_t file, const std::vector<line_pass*>& passes,
                   const by_line<std::vector<line_pass*>>* wanted)
      : file_(file), passes_(passes), wanted_(wanted) {}

  bool begin_line(stream_place place, std::uint64_t bytes) override {
    place_ = {file_, static_cast<std::int32_t>(place.plane), static_cast<std::int32_t>(place.line)};
    if (wanted_ == nullptr) {
      for (line_pass* const pass : passes_)
        if (pass->wants(place_)) readers_.begin(*pass, place_, bytes);
    } else if (const std::vector<line_pass*>* const by = wanted_->find(place_)) {
      for (line_pass* const pass : *by) readers_.begin(*pass, place_, bytes);
    }
    return !readers_.empty();
  }
  void events(const line_rows& rows) override { readers_.take(rows); }
  void end_line(const line_end& end) override {
    if (readers_.empty()) return;
    std::vector<line_pass*> by = readers_.end(end);
    if (!by.empty()) again_.add(place_) = std::move(by);
  }

  [[nodiscard]] by_line<std::vector<line_pass*>> take_again() noexcept { return std::move(again_); }

 private:
  const std::uint32_t file_;
  const std::vector<line_pass*>& passes_;
  const by_line<std::vector<line_pass*>>* wanted_;
  by_line<std::vector<line_pass*>> again_;
  line_place place_;
  line_readers readers_;
};

}  // namespace

result<void> scan_lines(const profile& p, const std::vector<line_pass*>& passes, const hooks& host) {
  std::vector<wanted_line> in_memory;
  std::vector<std::pair<std::uint32_t, by_line<std::vector<line_pass*>>>> streamed;
  std::uint64_t bytes = 0;
  for (std::uint32_t file = 0; file < p.file_count(); ++file) {
    const xspace_index* const space = p.outline(file);
    const bool is_streamed = p.is_streamed(file);
    by_line<std::vector<line_pass*>> of_file;
    for (std::size_t plane = 0; plane < space->planes.size(); ++plane)
      for (std::size_t line = 0; line < space->planes[plane].lines.size(); ++line) {
        wanted_line wanted{{file, static_cast<std::int32_t>(plane), static_cast<std::int32_t>(line)}, {}};
        for (line_pass* const pass : passes)
          if (pass->wants(wanted.place)) wanted.by.push_back(pass);
        if (wanted.by.empty()) continue;
        if (is_streamed) {
          of_file.add(wanted.place) = std::move(wanted.by);
        } else {
          bytes += space->planes[plane].lines[line].body.size();
          in_memory.push_back(std::move(wanted));
        }
      }
    if (!of_file.empty()) streamed.emplace_back(file, std::move(of_file));
  }
  std::stable_sort(in_memory.begin(), in_memory.end(), [&](const wanted_line& a, const wanted_line& b) {
    return line_at(p, a.place).body.size() > line_at(p, b.place).body.size();
  });
  shared_meter meter(host, bytes);
  if (auto read = for_each_item(in_memory.size(), host,
                                [&](std::size_t item) { return read_for_all(p, in_memory[item], meter); });
      !read)
    return read;
  for (auto& [file, wanted] : streamed)
    while (!wanted.empty()) {
      streamed_readers visitor(file, passes, &wanted);
      if (auto read = p.stream(file, visitor, host, true); !read) return read;
      wanted = visitor.take_again();
    }
  return {};
}

result<void> scan_streamed_lines(const profile& p, const std::vector<line_pass*>& passes, bool again, const hooks& host) {
  for (std::uint32_t file = 0; file < p.file_count(); ++file) {
    if (!p.is_streamed(file)) continue;
    streamed_readers visitor(file, passes, nullptr);
    if (auto read = p.stream(file, visitor, host, again); !read) return read;
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
