// Pictures of a block schedule and of page references, as SVG without scripts.
#include <profkit/core/probe_export.hpp>
#include <profkit/core/text.hpp>

#include <base/contained.hpp>
#include <export/json/neutrino_parts.hpp>
#include <export/markup_text.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t plot_width = 1100, left = 90, top = 54, bottom = 40;
constexpr std::size_t max_drawn_blocks = 20000, max_slot_rows = 1200, max_sms = 1024;

// Position of `part` of `whole` on the plot, in tenths of a pixel as text.
std::string place(std::uint64_t part, std::uint64_t whole) {
  const double at = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole) * plot_width * 10;
  const auto tenths = static_cast<std::uint64_t>(at + 0.5);
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
}

// From nearly white to dark blue; 0 <= share <= 1.
std::string shade(double share) {
  const auto mix = [&](int from, int to) { return std::to_string(from + static_cast<int>((to - from) * share)); };
  return "rgb(" + mix(237, 8) + ',' + mix(243, 48) + ',' + mix(251, 107) + ')';
}

class svg_text {
 public:
  svg_text(sink& into, std::uint64_t height, std::string_view title, const std::string& subtitle) : into_(into) {
    const std::uint64_t width = left + plot_width + 20;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
           std::to_string(height) + "\" viewBox=\"0 0 " + std::to_string(width) + ' ' + std::to_string(height) +
           "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    text(left, 22, title, "start", 15);
    text(left, 40, subtitle, "start", 11);
  }
  void text(std::uint64_t x, std::uint64_t y, std::string_view words, const char* anchor = "start", int size = 11) {
    out_ += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" + anchor +
            "\" font-size=\"" + std::to_string(size) + "\">" + markup_text(words) + "</text>\n";
  }
  void box(const std::string& x, std::uint64_t y, const std::string& width, std::uint64_t height,
           const std::string& fill, const std::string& tip) {
    out_ += "<rect x=\"" + x + "\" y=\"" + std::to_string(y) + "\" width=\"" + width + "\" height=\"" +
            std::to_string(height) + "\" fill=\"" + fill + "\"><title>" + markup_text(tip) + "</title></rect>\n";
    if (out_.size() > (std::size_t{1} << 18)) flush();
  }
  // The field of the plot with its axis of time: lines at the quarters, labels below.
  void time_field(std::uint64_t height, std::uint64_t length, std::string_view unit, std::string_view what = {}) {
    out_ += "<rect x=\"" + std::to_string(left) + "\" y=\"" + std::to_string(top) + "\" width=\"" +
            std::to_string(plot_width) + "\" height=\"" + std::to_string(height) +
            "\" fill=\"#fafafa\" stroke=\"#ddd\"/>\n";
    for (std::uint64_t quarter = 0; quarter <= 4; ++quarter) {
      const std::uint64_t x = left + plot_width * quarter / 4, y = top + height;
      out_ += "<path d=\"M" + std::to_string(x) + ' ' + std::to_string(top) + 'V' + std::to_string(y + 5) +
              "\" stroke=\"#ccc\"/>\n";
      const std::uint64_t at = length / 4 * quarter + length % 4 * quarter / 4;
      std::string label = grouped(at);
      if (quarter == 4) label.append(unit).append(what);
      text(x, y + 18, label, quarter == 0 ? "start" : quarter == 4 ? "end" : "middle");
    }
  }
  void begin_plot() { out_ += "<g transform=\"translate(" + std::to_string(left) + ",0)\">\n"; }
  void end_plot() { out_ += "</g>\n"; }
  result<void> finish() {
    out_ += "</svg>\n";
    flush();
    return state_;
  }

 private:
  void flush() {
    if (state_.ok()) state_ = into_.write(out_);
    out_.clear();
  }
  sink& into_;
  std::string out_;
  result<void> state_;
};

// The span that the picture shows: common to all under one clock, else the longest.
struct time_axis {
  std::uint64_t zero = 0, length = 0;
  bool is_common = false;
  explicit time_axis(const block_schedule& s) noexcept {
    is_common = s.clock == probe_clock::global_ns;
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (const sm_schedule& sm : s.sms) {
      first = std::min(first, sm.first_start);
      last = std::max(last, sm.last_end);
      length = std::max(length, sm.last_end - sm.first_start);
    }
    if (!is_common || s.sms.empty()) return;
    zero = first;
    length = last - first;
  }
  [[nodiscard]] std::uint64_t zero_of(const sm_schedule& sm) const noexcept {
    return is_common ? zero : sm.first_start;
  }
};

const char* unit_of(probe_clock clock) noexcept {
  return clock == probe_clock::global_ns ? " ns" : clock == probe_clock::sm_cycles ? " cycles" : " ticks";
}

// Every block, one row a slot.
void draw_blocks(svg_text& svg, const block_schedule& s, const time_axis& axis, std::uint64_t row_height) {
  std::uint64_t y = top;
  for (const sm_schedule& sm : s.sms) {
    svg.text(left - 8, y + std::max<std::uint64_t>(row_height * sm.slots / 2 + 4, 8), "SM " + std::to_string(sm.sm),
             "end");
    svg.begin_plot();
    for (const scheduled_block& b : sm.blocks) {
      const std::uint64_t from = b.start - axis.zero_of(sm);
      const auto hue = static_cast<unsigned>(200 + 120 * std::uint64_t{b.block} / std::max<std::uint64_t>(s.blocks, 1));
      svg.box(place(from, axis.length), y + b.slot * row_height, place(b.end - b.start, axis.length),
              std::max<std::uint64_t>(row_height - 1, 1), "hsl(" + std::to_string(hue) + ",60%,55%)",
              "block " + std::to_string(b.block) + ": " + grouped(b.start) + " to " + grouped(b.end) + " (" +
                  grouped(b.end - b.start) + unit_of(s.clock) + ")");
    }
    svg.end_plot();
    y += row_height * sm.slots + 3;
  }
}

// How full each stretch of time was, one row a multiprocessor.
void draw_occupancy(svg_text& svg, const block_schedule& s, const time_axis& axis, std::uint64_t row_height) {
  constexpr std::size_t columns = 275;
  std::uint64_t y = top;
  for (std::size_t at = 0; at < s.sms.size() && at < max_sms; ++at) {
    const sm_schedule& sm = s.sms[at];
    const std::vector<double> busy = schedule_occupancy(sm, axis.zero_of(sm), axis.length, columns);
    svg.text(left - 8, y + row_height - 1, "SM " + std::to_string(sm.sm), "end", row_height < 10 ? 6 : 11);
    svg.begin_plot();
    for (std::size_t i = 0; i < columns;) {
      // Equal neighbours are one box.
      const auto level = std::lround(busy[i] * 32);
      std::size_t end = i + 1;
      while (end < columns && std::lround(busy[end] * 32) == level) ++end;
      if (level != 0)
        svg.box(place(i, columns), y, place(end - i, columns), row_height - 1, shade(static_cast<double>(level) / 32),
                "SM " + std::to_string(sm.sm) + ": " + std::to_string(level * 100 / 32) + " % of its slots busy");
      i = end;
    }
    svg.end_plot();
    y += row_height;
  }
}

}  // namespace

std::vector<double> schedule_occupancy(const sm_schedule& sm, std::uint64_t zero, std::uint64_t length,
                                       std::size_t columns) {
  std::vector<double> busy(columns);
  if (length == 0 || columns == 0 || sm.slots == 0) return busy;
  const double scale = static_cast<double>(columns) / static_cast<double>(length);
  for (const scheduled_block& b : sm.blocks) {
    const double from = static_cast<double>(b.start - zero) * scale, to = static_cast<double>(b.end - zero) * scale;
    const auto first = static_cast<std::size_t>(std::min(from, static_cast<double>(columns - 1)));
    const auto last = static_cast<std::size_t>(std::min(to, static_cast<double>(columns - 1)));
    for (std::size_t i = first; i <= last; ++i)
      busy[i] += std::max(0.0, std::min(to, static_cast<double>(i + 1)) - std::max(from, static_cast<double>(i)));
  }
  for (double& share : busy) share = std::min(1.0, share / sm.slots);
  return busy;
}

result<void> write_schedule_svg(const block_schedule& found, std::string_view title, sink& into) {
  return contained([&]() -> result<void> {
    const time_axis axis(found);
    std::size_t blocks = 0, slots = 0;
    for (const sm_schedule& sm : found.sms) {
      blocks += sm.blocks.size();
      slots += sm.slots;
    }
    const bool each = blocks <= max_drawn_blocks && slots <= max_slot_rows;
    const std::uint64_t row = each
                                  ? std::clamp<std::uint64_t>(800 / std::max<std::size_t>(slots, 1), 4, 16)
                                  : std::clamp<std::uint64_t>(1200 / std::max<std::size_t>(found.sms.size(), 1), 5, 14);
    const std::size_t drawn = std::min(found.sms.size(), max_sms);
    const std::uint64_t rows = each ? row * slots + 3 * found.sms.size() : row * drawn;
    svg_text svg(
        into, top + rows + bottom, title,
        grouped(std::uint64_t{blocks}) + " blocks on " + grouped(std::uint64_t{found.sms.size()}) + " SMs; width " +
            grouped(axis.length) + unit_of(found.clock) + (axis.is_common ? "" : "; each SM from its own first block") +
            (each ? "; colour: number of the block, blue first" : "; darker: more of its slots busy") +
            (!each && drawn < found.sms.size() ? "; the first " + grouped(std::uint64_t{drawn}) + " SMs" : ""));
    svg.time_field(rows, axis.length, unit_of(found.clock));
    if (each)
      draw_blocks(svg, found, axis, row);
    else
      draw_occupancy(svg, found, axis, row);
    return svg.finish();
  });
}

result<void> write_density_svg(const page_density& found, std::string_view title, sink& into) {
  return contained([&]() -> result<void> {
    const std::uint64_t row = std::clamp<std::uint64_t>(600 / std::max<std::uint32_t>(found.height, 1), 2, 40);
    const std::uint64_t rows = row * found.height;
    svg_text svg(into, top + rows + bottom, title,
                 grouped(found.records) + " references to " + grouped(std::uint64_t{found.pages.size()}) +
                     " pages of 64 KiB; up: higher addresses, right: later; darker: more (logarithmic)");
    svg.time_field(rows, found.max_clock, " cycles", " since the thread began");
    std::uint64_t most = 1;
    for (const std::uint64_t count : found.grid) most = std::max(most, count);
    svg.begin_plot();
    for (std::uint32_t y = 0; y < found.height; ++y) {
      for (std::uint32_t x = 0; x < found.width; ++x) {
        const std::uint64_t count = found.grid[std::size_t{y} * found.width + x];
        if (count == 0) continue;
        const double share =
            most == 1 ? 1 : 0.15 + 0.85 * std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
        svg.box(place(x, found.width), top + row * (found.height - 1 - y), place(1, found.width), row, shade(share),
                grouped(count) + " references");
      }
    }
    svg.end_plot();
    if (!found.pages.empty()) {
      const auto hex = [](std::uint64_t address) {
        std::string text;
        for (unsigned shift = 64; shift != 0; shift -= 4) {
          const unsigned digit = address >> (shift - 4) & 15;
          if (digit != 0 || !text.empty() || shift == 4) text += "0123456789abcdef"[digit];
        }
        return "0x" + text;
      };
      svg.text(left - 6, top + rows, hex(found.pages.front()), "end", 9);
      svg.text(left - 6, top + 9, hex(found.pages.back()), "end", 9);
    }
    return svg.finish();
  });
}

result<document_status> write_probe_svg(const profile& p, const probe_query& query, std::string_view title, sink& into,
                                        const hooks& host) {
  return contained([&]() -> result<document_status> {
    if (query.slice != probe_slice::schedule && query.slice != probe_slice::density)
      return fault{fault_code::invalid_argument, "only schedule and density are pictures", {}, no_offset, {}};
    auto target = find_probe_target(p, query);
    if (!target) return std::move(target).error();
    if (target->trace == nullptr || target->maps.empty()) return document_status::absent;
    auto held = json::hold_map(*target);
    if (!held) return std::move(held).error();
    std::string own_title;
    if (title.empty()) {
      const std::int32_t kernel = held->bin->kernel;
      own_title = (kernel < 0 ? "(unknown)" : target->trace->kernels[static_cast<std::size_t>(kernel)].name()) + ", " +
                  held->bin->name + ", map " + held->map->shape->name;
      title = own_title;
    }
    const auto draw = [&](auto found, auto write) -> result<document_status> {
      if (!found && found.error().code == fault_code::unsupported) return document_status::absent;
      if (!found) return std::move(found).error();
      if (result<void> written = write(*found, title, into); !written) return std::move(written).error();
      return target->trace->first_damage() != nullptr ? document_status::partial : document_status::ok;
    };
    if (query.slice == probe_slice::schedule)
      return draw(analyse_block_schedule(*held->map, held->held.bytes, {}, host), write_schedule_svg);
    density_options options;
    options.width = query.width;
    options.height = query.height;
    return draw(analyse_page_density(*held->map, held->held.bytes, options, host), write_density_svg);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
