#include <formats/foreign/foreign_message.hpp>

#include <profkit/wire.hpp>
#include <formats/head_walk.hpp>

#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Calls use(field) for the first fields of a message; true when it did for one. Ends at bytes that are not a field.
template <class Use>
bool any_field(std::string_view message, std::size_t most, Use&& use) noexcept {
  wire_reader reader(message);
  wire_field field;
  for (std::size_t seen = 0; seen < most && reader.next(field); ++seen)
    if (use(field)) return true;
  return false;
}

bool is_text_field(const head_field& field) noexcept {
  return field.type == wire_type::length_delimited && !field.bytes.empty() && is_printable(field.bytes, field.cut);
}

// Whether a field of a Profile has the type that it has there.
bool fits_pprof(const wire_field& field) noexcept {
  switch (field.number) {
    case 7: case 8: case 9: case 10: case 12: case 14: case 15: return field.type == wire_type::varint;
    case 13: return field.type == wire_type::varint || field.type == wire_type::length_delimited;
    default: return field.number <= 11 && field.type == wire_type::length_delimited;
  }
}

// What a MetaInfoDef says of its graph: texts and lists, one of them the tags (4) or TensorFlow's version (5).
bool is_meta_info(const head_field& message) noexcept {
  if (message.number != 1 || message.type != wire_type::length_delimited || message.cut) return false;
  constexpr std::uint32_t tags = 4, version = 5, stripped_defaults = 7, last = 8;
  bool has_sign = false;
  head_walk walk(message.bytes);
  for (head_field field; walk.next(field);) {
    if (field.number > last) return false;
    if ((field.type == wire_type::varint) != (field.number == stripped_defaults)) return false;
    has_sign = has_sign || ((field.number == tags || field.number == version) && is_text_field(field));
  }
  return has_sign && walk.plausible();
}

// A GraphDef that begins with a node: its name (1) and its op (2).
bool is_graph_def(const head_field& message) noexcept {
  if (message.number != 2 || message.type != wire_type::length_delimited) return false;
  head_walk nodes(message.bytes);
  head_field node, name, op;
  if (!nodes.next(node) || node.number != 1 || node.type != wire_type::length_delimited) return false;
  head_walk inside(node.bytes);
  return inside.next(name) && name.number == 1 && is_text_field(name) && inside.next(op) && op.number == 2 && is_text_field(op) &&
         !op.cut;
}

}  // namespace

// A Trace: nothing but packets in field 1. Every packet has a sequence (10), or a time (8) beside its data.
bool is_perfetto(std::string_view bytes) noexcept {
  constexpr std::size_t packets_looked_at = 64;
  bool any = false;
  const bool others = any_field(bytes, packets_looked_at, [&](const wire_field& field) {
    any = true;
    return !field.is_bytes(1) || !any_field(field.bytes, 32, [](const wire_field& inside) {
      return inside.type == wire_type::varint && (inside.number == 8 || inside.number == 10);
    });
  });
  return any && !others;
}

// A Profile: kinds of samples, which are pairs of indices into the table of strings, and that table, empty text first.
bool is_pprof(std::string_view bytes) noexcept {
  bool kinds = false, fits = true;
  std::size_t strings = 0;
  const bool has_strings = any_field(bytes, ~std::size_t{0}, [&](const wire_field& field) {
    fits = fits && fits_pprof(field);
    if (!fits) return true;
    if (field.is_bytes(1)) {
      kinds = any_field(field.bytes, 2, [](const wire_field& inside) {
        return inside.number <= 2 && inside.type == wire_type::varint;
      });
      fits = kinds;
    }
    if (!field.is_bytes(6)) return false;
    fits = fits && field.bytes.empty() == (strings == 0) && is_printable(field.bytes, false);
    return ++strings == 2;
  });
  return has_strings && fits && kinds;
}

// A SavedModel: its version, which is 1, and a MetaGraphDef of what it says of itself and its graph.
bool is_saved_model(std::string_view bytes) noexcept {
  if (bytes.substr(0, 2) != "\x08\x01") return false;
  head_walk walk(bytes.substr(2));
  head_field graph, part;
  if (!walk.next(graph) || graph.number != 2 || graph.type != wire_type::length_delimited) return false;
  head_walk inside(graph.bytes);
  return inside.next(part) && is_meta_info(part) && inside.next(part) && is_graph_def(part);
}

// Records of a length, its checksum, an Event that begins with its time, and a checksum; the first of them names the
// version of the format.
bool is_events_file(std::string_view bytes) noexcept {
  constexpr std::size_t head = 12, tail = 4, time_bytes = 9;
  constexpr char wall_time_tag = 0x09;
  if (bytes.size() <= head + tail || bytes[head] != wall_time_tag) return false;
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  if (length <= time_bytes || length > bytes.size() - head - tail) return false;
  const std::string_view event = bytes.substr(head + time_bytes, static_cast<std::size_t>(length) - time_bytes);
  return any_field(event, 4, [](const wire_field& field) {
    return field.is_bytes(3) && field.bytes.substr(0, 12) == "brain.Event:";
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
