#include <profkit/core/limits.hpp>
#include <profkit/wire.hpp>
#include <profkit/xspace.hpp>

#include <base/affix.hpp>
#include <base/wire_encode.hpp>
#include <formats/probe_wire.hpp>
#include <formats/protobuf/proto_names.hpp>
#include <formats/protobuf/proto_text.hpp>
#include <redact/redact.hpp>

#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint32_t deepest_message = limits().max_nesting;
constexpr std::size_t max_constant_bytes = 8;  // a count or a limit, and not what a model has learned
constexpr char damage_mark = '\x07';           // a tag of no wire type: readers end there

class message_redactor {
 public:
  message_redactor(aliaser& names, redaction& into) : names_(names), into_(into) {
    const proto_names& known = known_proto_names();
    plane_ = known.find_message("XPlane");
    plane_stats_ = find(plane_, "stats");
    event_ = known.find_message("XEvent");
    literal_ = known.find_message("LiteralProto");
    program_ = known.find_message("HloProto");
  }

  void fields(std::string_view message, const proto_message_name* type, std::uint32_t depth, std::string& out) {
    const proto_names& known = known_proto_names();
    const bool is_environment = type == plane_ && is_environment_plane(message);
    if (is_environment) ++into_.environment_dumps;
    wire_reader reader(message);
    wire_field f;
    while (reader.next(f)) {
      const proto_field_name* name = known.find_field(type, f.number);
      // Of the environment only what is a number, as the times at which the profile began and ended.
      if (is_environment && name == plane_stats_ && !is_number(f.bytes)) continue;
      field(f, name, type, depth, out);
    }
    if (reader.ok()) return;
    const proto_field_name* name = known.find_field(type, f.number);
    if (reader.clipped() && form_of(name, f.type) == field_form::message) field(f, name, type, depth, out);
    out += damage_mark;
  }

 private:
  static const proto_field_name* find(const proto_message_name* type, std::string_view name) {
    const proto_names& known = known_proto_names();
    for (std::size_t i = 0; type != nullptr && i < type->field_count; ++i) {
      const proto_field_name& field = known.fields[type->first_field + i];
      if (field.name.text() == name) return &field;
    }
    return nullptr;
  }

  static bool is_environment_plane(std::string_view plane) noexcept {
    return contains(plane_view(plane).name(), "Task Environment");  // of a node, too, when traces were merged
  }

  void field(const wire_field& f, const proto_field_name* name, const proto_message_name* type, std::uint32_t depth, std::string& out) {
    switch (form_of(name, f.type)) {
      case field_form::scalar: scalar(f, out); break;
      case field_form::packed:
        if (type == literal_ && f.bytes.size() > max_constant_bytes)
          ++into_.constants;
        else
          append_bytes_field(out, f.number, f.bytes);
        break;
      case field_form::text:
        if (name->kind() == proto_type::string)
          text(f, out);
        else
          blob(f, type, depth, out);
        break;
      case field_form::message:
        nested(f, known_proto_names().messages + name->index, depth, out);
        break;
      case field_form::unknown:
        if (f.type == wire_type::length_delimited || f.type == wire_type::group)
          left_out(f.bytes);
        else
          scalar(f, out);
        break;
    }
  }

  static void scalar(const wire_field& f, std::string& out) {
    if (f.type == wire_type::varint) return append_varint_field(out, f.number, f.value);
    if (f.type == wire_type::fixed64) return append_fixed64_field(out, f.number, f.value);
    append_varint(out, tag_of(f.number, wire_type::fixed32));
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(f.value >> shift);
  }

  void text(const wire_field& f, std::string& out) {
    text_.clear();
    names_.append(text_, f.bytes);
    append_bytes_field(out, f.number, text_);
  }

  void nested(const wire_field& f, const proto_message_name* type, std::uint32_t depth, std::string& out) {
    if (depth == deepest_message) return left_out(f.bytes);
    if (type == event_ && has_numbers_only(f.bytes)) return append_bytes_field(out, f.number, f.bytes);
    append_varint(out, tag_of(f.number, wire_type::length_delimited));
    // Its length stands before it and is known after it.
    const std::size_t at = out.size();
    out.append(max_varint_bytes, '\0');
    fields(f.bytes, type, depth + 1, out);
    char length[max_varint_bytes];
    const std::size_t bytes = out.size() - at - max_varint_bytes;
    const auto used = static_cast<std::size_t>(put_varint(length, bytes) - length);
    std::memmove(out.data() + at + used, out.data() + at + max_varint_bytes, bytes);
    std::memcpy(out.data() + at, length, used);
    out.resize(at + used + bytes);
  }

  static bool is_number(std::string_view stat) noexcept {
    constexpr std::uint32_t double_field = 2, text_field = 5, bytes_field = 6, last_field = 7;
    wire_reader reader(stat);
    wire_field f;
    while (reader.next(f)) {
      if (f.number == text_field || f.number == bytes_field || f.number > last_field) return false;
      if (f.type != (f.number == double_field ? wire_type::fixed64 : wire_type::varint)) return false;
    }
    return reader.ok();
  }
  // Whether an event has nothing but numbers, as most have: it stays as it is.
  static bool has_numbers_only(std::string_view event) noexcept {
    constexpr std::uint32_t stats_field = 4, last_field = 5;
    wire_reader reader(event);
    wire_field f;
    while (reader.next(f)) {
      if (f.number == stats_field ? f.type != wire_type::length_delimited || !is_number(f.bytes)
                                  : f.number > last_field || f.type != wire_type::varint)
        return false;
    }
    return reader.ok();
  }

  // Bytes: a program, a text, or anything.
  void blob(const wire_field& f, const proto_message_name* type, std::uint32_t depth, std::string& out) {
    if (type == literal_) {
      if (f.bytes.size() <= max_constant_bytes) return append_bytes_field(out, f.number, f.bytes);
      ++into_.constants;
      return;
    }
    if (is_program(f.bytes)) return nested(f, program_, depth, out);
    if (is_plain_text(f.bytes)) return text(f, out);
    left_out(f.bytes);
    append_bytes_field(out, f.number, {});
  }

  [[nodiscard]] bool is_program(std::string_view bytes) const noexcept {
    const proto_field_name* module = find(program_, "hlo_module");
    wire_reader reader(bytes);
    wire_field f;
    bool found = false;
    while (reader.next(f)) found = found || (module != nullptr && f.number == module->number && f.type == wire_type::length_delimited);
    return found && reader.ok();
  }

  void left_out(std::string_view bytes) {
    if (bytes.empty()) return;
    ++into_.blobs;
    into_.blob_bytes += bytes.size();
  }

  aliaser& names_;
  redaction& into_;
  std::string text_;
  const proto_message_name *plane_, *event_, *literal_, *program_;
  const proto_field_name* plane_stats_;
};

}  // namespace

void redact_message(std::string_view bytes, std::string_view type, aliaser& names, redaction& into, std::string& out) {
  out.reserve(out.size() + bytes.size());
  message_redactor(names, into).fields(bytes, known_proto_names().find_message(type), 0, out);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
