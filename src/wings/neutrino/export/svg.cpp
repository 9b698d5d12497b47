// Pictures of a block schedule and of page references, as SVG without scripts.
#include <profkit/core/probe_export.hpp>
#include <profkit/core/text.hpp>

#include <base/contained.hpp>
#include <neutrino/export/parts.hpp>
#include <export/drawing/drawing.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr double plot_width = 1100, plot_left = 90, plot_top = 56, axis_height = 40;
constexpr std::size_t max_drawn_blocks = 20000, max_slot_rows = 1200, max_sms = 1024;

// Pixels of `part` of `whole` on the plot.
double length_on_plot(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole) * plot_width;
}

// From nearly white to dark blue; 0 <= share <= 1.
std::string shade(double share) {
  const auto mix = [&](int from, int to) { return std::to_string(from + static_cast<int>((to - from) * share)); };
  return "rgb(" + mix(237, 8) + ',' + mix(243, 48) + ',' + mix(251, 107) + ')';
}

picture::drawing begun(sink& into, double rows_height, std::string_view title, const std::string& says) {
  return picture::drawing(into, plot_left + plot_width + 20, plot_top + rows_height + axis_height, title, says);
}

// The axis below the rows, with lines through them.
void draw_axis(picture::drawing& out, double rows_height, std::uint64_t length, std::string_view unit) {
  const auto whole = static_cast<std::int64_t>(std::min<std::uint64_t>(length, std::numeric_limits<std::int64_t>::max()));
  for (const picture::tick& t : picture::count_ticks(whole, unit, 8)) {
    const double x = plot_left + length_on_plot(static_cast<std::uint64_t>(t.value), length);
    out.line(x, plot_top, x, plot_top + rows_height + 4, "grid");
    out.text(x, plot_top + rows_height + 18, t.label, picture::drawing::anchor::middle, "soft");
  }
}

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
void draw_blocks(picture::drawing& out, const block_schedule& s, const time_axis& axis, std::uint64_t row_height) {
  double y = plot_top;
  const auto height = static_cast<double>(row_height);
  for (const sm_schedule& sm : s.sms) {
    out.text(plot_left - 8, y + std::max(height * static_cast<double>(sm.slots) / 2 + 4, 8.0), "SM " + std::to_string(sm.sm),
             picture::drawing::anchor::end);
    for (const scheduled_block& b : sm.blocks) {
      const double x = plot_left + length_on_plot(b.start - axis.zero_of(sm), axis.length);
      const auto hue = static_cast<unsigned>(200 + 120 * std::uint64_t{b.block} / std::max<std::uint64_t>(s.blocks, 1));
      out.coloured_box(x, y + static_cast<double>(b.slot) * height, length_on_plot(b.end - b.start, axis.length),
                       std::max(height - 1, 1.0), "hsl(" + std::to_string(hue) + ",60%,55%)",
                       "block " + std::to_string(b.block) + ": " + grouped(b.start) + " to " + grouped(b.end) + " (" +
                           grouped(b.end - b.start) + unit_of(s.clock) + ")");
    }
    y += height * static_cast<double>(sm.slots) + 3;
  }
}

// How full each stretch of time was, one row a multiprocessor.
void draw_occupancy(picture::drawing& out, const block_schedule& s, const time_axis& axis, std::uint64_t row_height) {
  constexpr std::size_t columns = 275;
  double y = plot_top;
  const auto height = static_cast<double>(row_height);
  for (std::size_t at = 0; at < s.sms.size() && at < max_sms; ++at) {
    const sm_schedule& sm = s.sms[at];
    const std::vector<double> busy = schedule_occupancy(sm, axis.zero_of(sm), axis.length, columns);
    out.text(plot_left - 8, y + height - 1, "SM " + std::to_string(sm.sm), picture::drawing::anchor::end, row_height < 10 ? "small" : "");
    for (std::size_t i = 0; i < columns;) {
      // Equal neighbours are one box.
      const auto level = std::lround(busy[i] * 32);
      std::size_t end = i + 1;
      while (end < columns && std::lround(busy[end] * 32) == level) ++end;
      if (level != 0)
        out.coloured_box(plot_left + length_on_plot(i, columns), y, length_on_plot(end - i, columns), height - 1,
                         shade(static_cast<double>(level) / 32),
                         "SM " + std::to_string(sm.sm) + ": " + std::to_string(level * 100 / 32) + " % of its slots busy");
      i = end;
    }
    y += height;
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
    const auto rows_height = static_cast<double>(rows);
    picture::drawing out = begun(
        into, rows_height, title,
        grouped(std::uint64_t{blocks}) + " blocks on " + grouped(std::uint64_t{found.sms.size()}) + " SMs; width " +
            grouped(axis.length) + unit_of(found.clock) + (axis.is_common ? "" : "; each SM from its own first block") +
            (each ? "; colour: number of the block, blue first" : "; darker: more of its slots busy") +
            (!each && drawn < found.sms.size() ? "; the first " + grouped(std::uint64_t{drawn}) + " SMs" : ""));
    draw_axis(out, rows_height, axis.length, unit_of(found.clock));
    if (each)
      draw_blocks(out, found, axis, row);
    else
      draw_occupancy(out, found, axis, row);
    return out.finish();
  });
}

result<void> write_density_svg(const page_density& found, std::string_view title, sink& into) {
  return contained([&]() -> result<void> {
    const std::uint64_t row = std::clamp<std::uint64_t>(600 / std::max<std::uint32_t>(found.height, 1), 2, 40);
    const auto height = static_cast<double>(row), rows_height = height * static_cast<double>(found.height);
    picture::drawing out =
        begun(into, rows_height, title,
              grouped(found.records) + " references to " + grouped(std::uint64_t{found.pages.size()}) +
                  " pages of 64 KiB; up: higher addresses, right: later; darker: more (logarithmic)");
    draw_axis(out, rows_height, found.max_clock, " cycles since the thread began");
    std::uint64_t most = 1;
    for (const std::uint64_t count : found.grid) most = std::max(most, count);
    for (std::uint32_t y = 0; y < found.height; ++y) {
      for (std::uint32_t x = 0; x < found.width; ++x) {
        const std::uint64_t count = found.grid[std::size_t{y} * found.width + x];
        if (count == 0) continue;
        const double share =
            most == 1 ? 1 : 0.15 + 0.85 * std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
        out.coloured_box(plot_left + length_on_plot(x, found.width), plot_top + height * static_cast<double>(found.height - 1 - y),
                         length_on_plot(1, found.width), height, shade(share), grouped(count) + " references");
      }
    }
    if (!found.pages.empty()) {
      const auto hex = [](std::uint64_t address) {
        std::string text;
        for (unsigned shift = 64; shift != 0; shift -= 4) {
          const unsigned digit = address >> (shift - 4) & 15;
          if (digit != 0 || !text.empty() || shift == 4) text += "0123456789abcdef"[digit];
        }
        return "0x" + text;
      };
      out.text(plot_left - 6, plot_top + rows_height, hex(found.pages.front()), picture::drawing::anchor::end, "small");
      out.text(plot_left - 6, plot_top + 9, hex(found.pages.back()), picture::drawing::anchor::end, "small");
    }
    return out.finish();
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
