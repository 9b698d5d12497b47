#include <export/drawing/drawing.hpp>

#include <base/utf8.hpp>
#include <export/markup_text.hpp>
#include <export/drawing/picture_text.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

constexpr std::size_t max_tip_bytes = 160;
constexpr std::size_t flush_bytes = std::size_t{1} << 16;

// Two digits after the point, which is finer than a screen shows.
std::string pixels(double x) {
  const std::int64_t hundredths = std::isfinite(x) ? std::llround(std::clamp(x, -1e6, 1e6) * 100) : 0;
  const std::uint64_t size = static_cast<std::uint64_t>(hundredths < 0 ? -hundredths : hundredths), rest = size % 100;
  std::string text = (hundredths < 0 ? "-" : "") + std::to_string(size / 100);
  if (rest != 0) text += '.' + std::to_string(rest / 10) + (rest % 10 != 0 ? std::to_string(rest % 10) : "");
  return text;
}

std::string attribute(std::string_view name, double x) {
  return ' ' + std::string(name) + "=\"" + pixels(x) + '"';
}

std::string class_of(std::string_view kind) { return kind.empty() ? std::string() : " class=\"" + std::string(kind) + '"'; }

// The end of a box or dot; what a pointer shows of it ends with "…" where it is long.
std::string end_with_tip(const char* name, std::string_view tip) {
  if (tip.empty()) return "/>\n";
  std::string shown(tip.substr(0, character_at(tip, max_tip_bytes)));
  if (shown.size() < tip.size()) shown += "…";
  return "><title>" + markup_text(shown) + "</title></" + name + ">\n";
}

// 1, 2, 5, 10, 20, ... up to the first that is as large as asked for.
std::int64_t round_step(std::int64_t least) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 10;
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t step : {power, 2 * power, 5 * power})
      if (step >= least) return step;
    if (power >= largest / 10) return least;
  }
}

// From `first` on, as far as `last`.
template <class Label>
std::vector<tick> ticks_at(std::int64_t first, std::int64_t last, std::int64_t step, std::size_t most, Label&& label) {
  std::vector<tick> ticks;
  for (std::optional<std::int64_t> at = first; at && *at <= last && ticks.size() < most; at = checked_add(*at, step))
    ticks.push_back({*at, label(*at)});
  return ticks;
}

}  // namespace

std::string round_duration(std::int64_t ps) {
  std::string text = human_duration(ps);
  if (const std::size_t at = text.find(".000 "); at != std::string::npos) text.erase(at, 4);
  return text;
}

std::vector<tick> time_ticks(std::int64_t from_ps, std::int64_t to_ps, std::int64_t zero_ps, std::size_t most) {
  const std::optional<std::int64_t> first = checked_sub(from_ps, zero_ps), last = checked_sub(to_ps, zero_ps);
  if (!first || !last || *last <= *first || !checked_sub(*last, *first) || most < 2) return {};
  const std::int64_t step = round_step((*last - *first) / static_cast<std::int64_t>(most - 1) + 1);
  const std::int64_t over = *first % step;
  std::vector<tick> ticks = ticks_at(over <= 0 ? *first - over : *first - over + step, *last, step, most, round_duration);
  for (tick& t : ticks) t.value += zero_ps;
  return ticks;
}

std::vector<tick> count_ticks(std::int64_t to, std::string_view unit, std::size_t most) {
  if (to < 0 || most < 2) return {};
  std::vector<tick> ticks = ticks_at(0, to, round_step(to / static_cast<std::int64_t>(most - 1) + 1), most,
                                     [](std::int64_t at) { return grouped(at); });
  ticks.back().label += unit;
  return ticks;
}

std::vector<tick> byte_ticks(std::int64_t to_bytes, std::size_t most) {
  if (to_bytes <= 0 || most < 2) return {};
  std::int64_t step = 1;
  while (to_bytes / step >= static_cast<std::int64_t>(most)) step *= 2;
  return ticks_at(0, to_bytes, step, most, [](std::int64_t at) { return human_bytes(static_cast<std::uint64_t>(at)); });
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return grouped(n) + ' ' + std::string(noun) + (n == 1 ? "" : "s");
}

double scale::at(std::int64_t value) const noexcept {
  // The differences are those of a picture's span, which fits.
  const auto part = static_cast<double>(std::clamp(value, from, to)) - static_cast<double>(from);
  const auto whole = static_cast<double>(to) - static_cast<double>(from);
  return whole <= 0 ? first : first + (last - first) * part / whole;
}

drawing::drawing(sink& into, double width, double height, std::string_view title, std::string_view description, picture_form form)
    : into_(into) {
  const std::string size = form == picture_form::file ? attribute("width", width) + attribute("height", height) : std::string();
  out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\"" + size + " viewBox=\"0 0 " + pixels(width) + ' ' +
         pixels(height) + "\">\n<title>" + markup_text(title) + "</title>\n<desc>" + markup_text(description) + "</desc>\n";
  if (form == picture_form::file) {
    out_ += "<style>\n";
    out_ += picture_style;
    out_ += "</style>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n";
    text(16, 24, title, anchor::start, "title");
  }
  text(16, 42, description, anchor::start, "soft");
}

void drawing::text(double x, double y, std::string_view words, anchor at, std::string_view kind) {
  const char* const place = at == anchor::start    ? ""
                            : at == anchor::middle ? " text-anchor=\"middle\""
                                                   : " text-anchor=\"end\"";
  out_ += "<text" + attribute("x", x) + attribute("y", y) + place + class_of(kind) + '>' + markup_text(words) + "</text>\n";
  flush();
}

void drawing::box(double x, double y, double width, double height, std::string_view kind, std::string_view tip) {
  out_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) + attribute("height", height);
  out_ += class_of(kind);
  out_ += end_with_tip("rect", tip);
  flush();
}

void drawing::coloured_box(double x, double y, double width, double height, std::string_view fill, std::string_view tip) {
  out_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) + attribute("height", height);
  out_ += " fill=\"" + std::string(fill) + '"' + end_with_tip("rect", tip);
  flush();
}

void drawing::dot(double x, double y, double radius, std::string_view kind, std::string_view tip) {
  out_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) + class_of(kind);
  out_ += end_with_tip("circle", tip);
  flush();
}

void drawing::line(double x1, double y1, double x2, double y2, std::string_view kind) {
  out_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2);
  out_ += class_of(kind) + "/>\n";
  flush();
}

void drawing::curve(const std::vector<point>& through, std::string_view kind, bool is_area, double base) {
  if (through.empty()) return;
  out_ += "<path" + class_of(kind) + " d=\"";
  char command = 'M';
  for (const point& p : through) {
    out_ += command + pixels(p.x) + ' ' + pixels(p.y);
    command = 'L';
  }
  if (is_area) out_ += 'V' + pixels(base) + 'H' + pixels(through.front().x) + 'Z';
  out_ += "\"/>\n";
  flush();
}

void drawing::flush() {
  if (out_.size() < flush_bytes) return;
  if (state_.ok()) state_ = into_.write(out_);
  out_.clear();
}

result<void> drawing::finish() {
  out_ += "</svg>\n";
  if (state_.ok()) state_ = into_.write(out_);
  out_.clear();
  return state_;
}

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
