#include <formats/probe_wire.hpp>

#include <formats/head_text.hpp>
#include <formats/head_walk.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// True when the message can begin with a field of one of these: bit n of a mask stands for field number n.
struct field_shape {
  std::uint32_t varints = 0;
  std::uint32_t messages = 0;  // length-delimited
  std::uint32_t doubles = 0;

  [[nodiscard]] constexpr bool allows(const head_field& field) const noexcept {
    if (field.number >= 32) return false;
    const std::uint32_t bit = std::uint32_t{1} << field.number;
    switch (field.type) {
      case wire_type::varint: return (varints & bit) != 0;
      case wire_type::length_delimited: return (messages & bit) != 0;
      case wire_type::fixed64: return (doubles & bit) != 0;
      default: return false;
    }
  }
};

constexpr std::uint32_t field_mask(std::initializer_list<unsigned> numbers) noexcept {
  std::uint32_t mask = 0;
  for (const unsigned n : numbers) mask |= std::uint32_t{1} << n;
  return mask;
}

constexpr field_shape line_shape{field_mask({1, 3, 9, 10}), field_mask({2, 4, 11}), 0};
constexpr field_shape map_entry_shape{field_mask({1}), field_mask({2}), 0};
constexpr field_shape stat_shape{field_mask({1, 3, 4, 7}), field_mask({5, 6}), field_mask({2})};

// True when the message is empty or begins with a field of that shape.
bool begins_like(std::string_view message, const field_shape& shape) noexcept {
  if (message.empty()) return true;
  head_walk walk(message);
  head_field field;
  return walk.next(field) ? shape.allows(field) : walk.plausible();
}

// What was seen of an XSpace so far.
struct xspace_traits {
  bool possible = true;
  unsigned planes = 0;
  unsigned plane_names = 0;
  unsigned plane_parts = 0;  // lines, metadata entries and stats
  unsigned strings = 0;      // errors, warnings, hostnames
};

void look_at_plane(std::string_view plane, xspace_traits& seen) noexcept {
  ++seen.planes;
  head_walk walk(plane);
  head_field field;
  while (seen.possible && walk.next(field)) {
    if (field.number == 1 && field.type == wire_type::varint) continue;
    const bool nested = field.type == wire_type::length_delimited && field.number >= 2 && field.number <= 6;
    if (!nested) {
      seen.possible = false;
    } else if (field.number == 2) {
      seen.possible = is_printable(field.bytes, field.cut);
      seen.plane_names += field.bytes.empty() ? 0 : 1;
    } else {
      const field_shape& shape = field.number == 3 ? line_shape : field.number == 6 ? stat_shape : map_entry_shape;
      seen.possible = begins_like(field.bytes, shape);
      ++seen.plane_parts;
    }
  }
  seen.possible = seen.possible && walk.plausible();
}

// Signs for and against an XSpace, over a whole message. Fields of other numbers a later version may have.
struct xspace_signs {
  std::size_t planes = 0;          // that have parts of the right shape, and fewer of another one
  std::size_t contradictions = 0;  // other planes, and what cannot be a field of an XSpace
  std::size_t unknown = 0;         // fields of other numbers
};

// Whether a part of a plane has a shape, as far as it is there.
bool has_shape(const head_field& part, const field_shape& shape) noexcept {
  if (part.bytes.empty()) return true;
  head_walk walk(part.bytes);
  head_field first;
  if (!walk.next(first)) return part.cut && walk.plausible();
  return shape.allows(first) && (part.cut || !first.cut);
}

void weigh_plane(std::string_view plane, xspace_signs& signs) noexcept {
  std::size_t parts = 0, others = 0;
  bool is_plane = true;
  head_walk walk(plane);
  for (head_field field; walk.next(field);) {
    if (field.number > 6) {
      ++signs.unknown;
    } else if (field.number == 1) {
      is_plane = is_plane && field.type == wire_type::varint;
    } else if (field.type != wire_type::length_delimited) {
      ++others;
    } else {
      const field_shape& shape = field.number == 3 ? line_shape : field.number == 6 ? stat_shape : map_entry_shape;
      const bool fits = field.number == 2 ? is_printable(field.bytes, field.cut) : has_shape(field, shape);
      if (!fits)
        ++others;
      else if (!field.bytes.empty())
        ++parts;
    }
  }
  if (is_plane && parts > others)
    ++signs.planes;
  else if (!is_plane || others != 0)
    ++signs.contradictions;
}

// A binary file that a tool took for text: what was not UTF-8 became U+FFFD, that is EF BF BD.
bool looks_text_mangled(std::string_view head) noexcept {
  if (head.substr(0, 1) != "\x0a") return false;
  const bool names_a_plane =
      head.find("/device:") != std::string_view::npos || head.find("/host:") != std::string_view::npos;
  unsigned replaced = 0;
  for (auto at = head.find("\xef\xbf\xbd"); at != std::string_view::npos && replaced < 8;
       at = head.find("\xef\xbf\xbd", at + 3)) {
    ++replaced;
  }
  return names_a_plane && replaced >= 8;
}

// A length-delimited field of this number whose payload begins with a printable string in field 1.
bool is_named_message(const head_field& field, std::uint32_t number) noexcept {
  if (field.number != number || field.type != wire_type::length_delimited) return false;
  head_walk walk(field.bytes);
  head_field name;
  return walk.next(name) && name.number == 1 && name.type == wire_type::length_delimited &&
         is_printable(name.bytes, name.cut);
}

const char* type_text(wire_type type) noexcept {
  switch (type) {
    case wire_type::varint: return "a number";
    case wire_type::fixed64: return "8 bytes";
    case wire_type::fixed32: return "4 bytes";
    default: return "a message or text";
  }
}

}  // namespace

bool is_plain_text(std::string_view head) noexcept {
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f) return false;
  }
  return true;
}

probe_result probe_xspace(std::string_view head) noexcept {
  xspace_traits seen;
  head_walk walk(head);
  head_field field;
  while (seen.possible && walk.next(field)) {
    if (field.type != wire_type::length_delimited || field.number > 4) {
      seen.possible = false;
    } else if (field.number == 1) {
      look_at_plane(field.bytes, seen);
    } else {
      seen.possible = is_printable(field.bytes, field.cut);
      ++seen.strings;
    }
  }
  if (!seen.possible || !walk.plausible()) {
    if (looks_text_mangled(head) && !is_plain_text(head)) {
      return {detection_confidence::likely, "XSpace after a text conversion (EF BF BD)"};
    }
    return {};
  }
  if (is_plain_text(head)) return {};
  if (seen.plane_names != 0 && seen.plane_parts != 0) return {detection_confidence::certain, "shape of an XSpace"};
  if (seen.plane_names != 0 || seen.plane_parts != 0) return {detection_confidence::likely, "shape of an XSpace"};
  if (seen.planes != 0 || seen.strings != 0) return {detection_confidence::possible, "could be an XSpace"};
  return {};
}

bool is_foreign_message(std::string_view bytes) noexcept {
  xspace_signs signs;
  head_walk walk(bytes);
  for (head_field field; walk.next(field);) {
    if (field.number > 4)
      ++signs.unknown;
    else if (field.type != wire_type::length_delimited)
      ++signs.contradictions;
    else if (field.number == 1)
      weigh_plane(field.bytes, signs);
    else if (!is_printable(field.bytes, field.cut))
      ++signs.contradictions;
  }
  if (signs.planes != 0) return signs.planes < signs.contradictions;
  return signs.contradictions != 0 || signs.unknown != 0;
}

probe_result probe_hlo_proto(std::string_view head) noexcept {
  head_walk walk(head);
  head_field module;
  if (!walk.next(module) || !is_named_message(module, 1) || is_plain_text(head)) return {};
  // HloModuleProto: name, entry_computation_name, then computations, each with a name and instructions.
  head_walk inside(module.bytes);
  head_field field;
  bool entry = false, computation = false;
  while (inside.next(field)) {
    if (field.number == 2 && field.type == wire_type::length_delimited) {
      if (!is_printable(field.bytes, field.cut)) return {};
      entry = true;
    } else if (field.number == 3) {
      if (!is_named_message(field, 3)) return {};
      computation = true;
    } else if ((field.number == 5 || field.number == 6) && field.type != wire_type::varint) {
      return {};  // its id and that of its entry
    }
  }
  if (!inside.plausible()) return {};
  for (head_field other; walk.next(other);)
    if (other.number == 1) return {};  // a list of nodes or the like: there is one module
  if (entry && computation) return {detection_confidence::certain, "shape of an HloProto"};
  if (entry) return {detection_confidence::likely, "shape of an HloProto"};
  return {detection_confidence::possible, "could be an HloProto"};
}

std::string why_no_message(std::string_view head, std::uint32_t last_field, const char* parts) {
  head_walk walk(head);
  head_field field;
  std::string misfit;
  while (walk.next(field))
    if (misfit.empty() && (field.number > last_field || field.type != wire_type::length_delimited))
      misfit = "field " + std::to_string(field.number) + " at byte " + std::to_string(walk.field_at()) + " is " +
               type_text(field.type) + ", which it does not have";
  if (!walk.plausible()) return "not protobuf: " + byte_text(head, walk.field_at());
  if (is_plain_text(head)) return "text, not protobuf";
  return misfit.empty() ? std::string("a message, but not of ") + parts : misfit;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
