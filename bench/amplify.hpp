// Grows a real XSpace to any size: copies of it follow each other in time. Three arrangements:
//   bodies_shuffled  every copy of a line gets the bodies of its events in a new random order, while the offsets stay
//                    sorted; a small capture repeated as it is would let the branch predictor learn it and flatter
//                    every reader. Durations land anywhere: what was apart overlaps, and planes drift apart.
//   as_recorded      every event keeps its duration, its stats and its place, and all planes keep to one clock: what a
//                    longer recording of the same program looks like.
//   out_of_order     the same events, those of a copy of a line written in random order: every line has to be sorted.
#pragma once
#include <profkit/xspace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit::bench {

enum class arrangement { bodies_shuffled, as_recorded, out_of_order };

class amplifier {
 public:
  // The result will have about `target_bytes`.
  amplifier(std::string_view capture, std::uint64_t target_bytes, arrangement as = arrangement::bodies_shuffled)
      : as_(as) {
    std::uint64_t event_bytes = 0;
    for_each_field(capture, [&](const wire_field& field, std::string_view raw) {
      if (!field.is_bytes(1)) {
        rest_ += raw;
        return;
      }
      plane& p = planes_.emplace_back();
      for_each_field(field.bytes, [&](const wire_field& inner, std::string_view inner_raw) {
        if (inner.is_bytes(3))
          event_bytes += add_line(p, inner.bytes);
        else
          p.rest += inner_raw;
      });
    });
    if (as_ != arrangement::bodies_shuffled) {
      std::uint64_t span_ps = 0;
      for (const plane& p : planes_) span_ps = std::max(span_ps, p.span_ps);
      for (plane& p : planes_) p.span_ps = span_ps + (latest_ns_ - earliest_ns_) * 1000;
    }
    copies_ = event_bytes == 0 ? 1 : std::max<std::uint64_t>(1, target_bytes / (event_bytes + event_bytes / 25));
  }

  [[nodiscard]] std::uint64_t copies() const noexcept { return copies_; }

  // Writes the grown capture through append(std::string_view), piece by piece.
  template <class Append>
  void write(Append&& append) const {
    std::string piece;
    const auto hand_over = [&](std::size_t from_size) {
      if (piece.size() < from_size) return;
      append(std::string_view(piece));
      piece.clear();
    };
    for (const plane& p : planes_) {
      std::vector<std::uint64_t> line_bytes;
      std::uint64_t plane_bytes = p.rest.size();
      for (const line& l : p.lines) {
        std::uint64_t bytes = l.before.size() + l.after.size();
        for_each_event(p, l, [&](const event& e, std::uint64_t offset) {
          const std::uint64_t body = body_bytes(e, offset);
          bytes += 1 + varint_bytes(body) + body;
        });
        line_bytes.push_back(bytes);
        plane_bytes += 1 + varint_bytes(bytes) + bytes;
      }
      piece += '\x0a';
      put_varint(piece, plane_bytes);
      for (std::size_t i = 0; i < p.lines.size(); ++i) {
        const line& l = p.lines[i];
        piece += '\x1a';
        put_varint(piece, line_bytes[i]);
        piece += l.before;
        for_each_event(p, l, [&](const event& e, std::uint64_t offset) {
          piece += '\x22';
          put_varint(piece, body_bytes(e, offset));
          piece += e.before;
          if (e.has_offset) {
            piece += '\x10';
            put_varint(piece, offset);
          }
          piece += e.after;
          hand_over(std::size_t{1} << 20);
        });
        piece += l.after;
      }
      piece += p.rest;
    }
    piece += rest_;
    hand_over(0);
  }

  [[nodiscard]] std::string in_memory() const {
    std::string all;
    write([&](std::string_view piece) { all += piece; });
    return all;
  }

 private:
  struct event {
    std::string before, after;  // the fields around offset_ps
    std::uint64_t offset = 0;
    bool has_offset = false;
  };
  struct line {
    std::string before, after;  // the fields around the events
    std::vector<event> events;
    std::uint32_t seed = 0;
  };
  struct plane {
    std::string rest;
    std::vector<line> lines;
    std::uint64_t span_ps = 1000;
  };

  template <class Use>
  static void for_each_field(std::string_view message, Use&& use) {
    wire_reader reader(message);
    const char* at = reader.position();
    for (wire_field field; reader.next(field); at = reader.position())
      use(field, std::string_view(at, static_cast<std::size_t>(reader.position() - at)));
  }

  std::uint64_t add_line(plane& p, std::string_view body) {
    line& l = p.lines.emplace_back();
    l.seed = ++seeds_;
    std::uint64_t bytes = 0, timestamp_ns = 0;
    for_each_field(body, [&](const wire_field& field, std::string_view raw) {
      if (!field.is_bytes(4)) {
        (l.events.empty() ? l.before : l.after) += raw;
        if (field.is_varint(3)) timestamp_ns = field.value;
        return;
      }
      bytes += raw.size();
      event& e = l.events.emplace_back();
      std::uint64_t duration = 0;
      for_each_field(field.bytes, [&](const wire_field& inner, std::string_view inner_raw) {
        if (inner.is_varint(3)) duration = inner.value;
        if (inner.is_varint(2)) {
          e.offset = inner.value;
          e.has_offset = true;
        } else {
          (e.has_offset ? e.after : e.before) += inner_raw;
        }
      });
      p.span_ps = std::max(p.span_ps, e.offset + duration + 1000);
    });
    if (!l.events.empty()) {
      earliest_ns_ = std::min(earliest_ns_, timestamp_ns);
      latest_ns_ = std::max(latest_ns_, timestamp_ns);
    }
    return bytes;
  }

  template <class Use>
  void for_each_event(const plane& p, const line& l, Use&& use) const {
    std::vector<std::uint32_t> order(l.events.size());
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      std::iota(order.begin(), order.end(), 0U);
      if (as_ == arrangement::as_recorded) {
        for (const event& e : l.events) use(e, e.offset + copy * p.span_ps);
        continue;
      }
      std::minstd_rand random(static_cast<std::uint32_t>(l.seed * 7919U + copy));
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const event& body = l.events[order[i]];
        use(body, (as_ == arrangement::out_of_order ? body : l.events[i]).offset + copy * p.span_ps);
      }
    }
  }

  static std::uint64_t varint_bytes(std::uint64_t value) noexcept {
    std::uint64_t bytes = 1;
    while (value >>= 7) ++bytes;
    return bytes;
  }
  static std::uint64_t body_bytes(const event& e, std::uint64_t offset) noexcept {
    return e.before.size() + e.after.size() + (e.has_offset ? 1 + varint_bytes(offset) : 0);
  }
  static void put_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }

  std::vector<plane> planes_;
  std::string rest_;
  arrangement as_;
  std::uint64_t copies_ = 1, earliest_ns_ = UINT64_MAX, latest_ns_ = 0;  // of the lines with events
  std::uint32_t seeds_ = 0;
};

}  // namespace profkit::bench
