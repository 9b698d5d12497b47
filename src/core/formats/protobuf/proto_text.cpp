#include <formats/protobuf/proto_text.hpp>

#include <formats/xspace/xspace_index.hpp>

#include <base/contained.hpp>
#include <base/format.hpp>
#include <base/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint32_t most_nesting = 1000;     // bound of the call stack, whatever the limits say
constexpr std::uint32_t messages_a_step = 1024;  // between two looks at progress and cancellation

wire_type wire_type_of(proto_type kind) noexcept {
  switch (kind) {
    case proto_type::double_value:
    case proto_type::fixed64:
    case proto_type::sfixed64: return wire_type::fixed64;
    case proto_type::float_value:
    case proto_type::fixed32:
    case proto_type::sfixed32: return wire_type::fixed32;
    case proto_type::string:
    case proto_type::bytes:
    case proto_type::message: return wire_type::length_delimited;
    case proto_type::group: return wire_type::group;
    default: return wire_type::varint;
  }
}

template <class Float>
void append_float(std::string& out, Float value) {
  if (std::isnan(value)) {
    out += "nan";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
  } else {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    out.append(text, static_cast<std::size_t>(end - text));
  }
}

std::int64_t unzigzag(std::uint64_t raw) noexcept {
  return static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
}

}  // namespace

// ---- names -----------------------------------------------------------------------------------------------

const proto_message_name* proto_names::find_message(std::string_view name) const noexcept {
  for (;;) {
    const auto* const found =
        std::find_if(messages, messages + message_count, [&](const proto_message_name& m) { return name == m.name.text(); });
    if (found != messages + message_count) return found;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return nullptr;
    name.remove_prefix(dot + 1);
  }
}

const proto_field_name* proto_names::find_field(const proto_message_name* m, std::uint32_t number) const noexcept {
  if (m == nullptr) return nullptr;
  const proto_field_name* const first = fields + m->first_field;
  const proto_field_name* const last = first + m->field_count;
  const auto* const found = std::lower_bound(
      first, last, number, [](const proto_field_name& f, std::uint32_t wanted) { return f.number < wanted; });
  return found != last && found->number == number ? found : nullptr;
}

const char* proto_names::find_value(std::int16_t enumeration, std::int32_t number) const noexcept {
  if (enumeration < 0) return nullptr;
  const proto_enum_name& e = enums[enumeration];
  const proto_enum_value* const first = values + e.first_value;
  const proto_enum_value* const last = first + e.value_count;
  const auto* const found = std::lower_bound(
      first, last, number, [](const proto_enum_value& v, std::int32_t wanted) { return v.number < wanted; });
  return found != last && found->number == number ? found->name.text() : nullptr;
}

// ---- forms -----------------------------------------------------------------------------------------------

field_form form_of(const proto_field_name* name, wire_type type) noexcept {
  if (name == nullptr) return field_form::unknown;
  const wire_type expected = wire_type_of(name->kind());
  if (type == expected) {
    if (name->kind() == proto_type::message) return field_form::message;
    if (expected == wire_type::length_delimited) return field_form::text;
    return expected == wire_type::group ? field_form::unknown : field_form::scalar;
  }
  const bool packable = expected != wire_type::length_delimited && expected != wire_type::group;
  return type == wire_type::length_delimited && name->repeated && packable ? field_form::packed : field_form::unknown;
}

blob_form look_of(std::string_view blob) noexcept {
  bool printable = true;
  for (std::size_t at = 0; at < blob.size() && printable;) {
    const utf8_step step = decode_utf8(blob, at);
    const bool blank = step.code_point == '\n' || step.code_point == '\t' || step.code_point == '\r';
    printable = step.valid && (blank || !is_terminal_control(step.code_point));
    at += step.bytes;
  }
  if (printable) return blob_form::text;
  return damage_position(blob) == nullptr ? blob_form::message : blob_form::bytes;
}

void append_scalar(std::string& out, const proto_field_name& field, std::uint64_t raw) {
  switch (field.kind()) {
    case proto_type::double_value: return append_float(out, bits_as<double>(raw));
    case proto_type::float_value: return append_float(out, bits_as<float>(raw));
    case proto_type::int64:
    case proto_type::sfixed64: return append_integer(out, static_cast<std::int64_t>(raw));
    case proto_type::int32:
    case proto_type::sfixed32: return append_integer(out, std::int64_t{static_cast<std::int32_t>(raw)});
    case proto_type::uint32:
    case proto_type::fixed32: return append_integer(out, std::uint64_t{static_cast<std::uint32_t>(raw)});
    case proto_type::sint32:
      return append_integer(out, std::int64_t{static_cast<std::int32_t>(unzigzag(raw & 0xffffffffU))});
    case proto_type::sint64: return append_integer(out, unzigzag(raw));
    case proto_type::boolean: out += raw != 0 ? "true" : "false"; return;
    case proto_type::enumeration: {
      const auto number = static_cast<std::int32_t>(raw);
      const char* const name = known_proto_names().find_value(field.index, number);
      if (name != nullptr)
        out += name;
      else
        append_integer(out, std::int64_t{number});
      return;
    }
    default: return append_integer(out, raw);
  }
}

bool next_packed(const proto_field_name& field, const char*& p, const char* end, std::uint64_t& raw) noexcept {
  if (p == end) return false;
  switch (wire_type_of(field.kind())) {
    case wire_type::fixed64: return read_fixed(p, end, 8, raw);
    case wire_type::fixed32: return read_fixed(p, end, 4, raw);
    default: return read_varint(p, end, raw);
  }
}

// ---- one run ---------------------------------------------------------------------------------------------

std::uint32_t dump_run::deepest() const noexcept { return std::min(options_.bounds.max_nesting, most_nesting); }

bool dump_run::enter(const char* at) {
  if (stopped()) return false;
  if (until_progress_-- > 0) return true;
  until_progress_ = messages_a_step;
  state_ = meter_.step(offset_of(at));
  return !stopped();
}

void dump_run::note(fault_code code, std::string message, const char* at, const char* hint) {
  if (outcome_.damage) return;
  outcome_.damage = fault{code, std::move(message), "", offset_of(at), hint};
}

void dump_run::damaged(const wire_reader& reader) {
  damaged_at(reader.position(), reader.clipped() ? "a field runs past the end of its message"
                                                 : "no protobuf field starts here, or it is cut");
}

void dump_run::damaged_at(const char* at, const char* what) {
  note(fault_code::damaged, what, at, "the file is cut or no protobuf; everything before was written");
}

void dump_run::too_nested(const char* at) {
  note(fault_code::limit, "messages nest deeper than limits::max_nesting", at, "raise max_nesting");
}

bool dump_run::fits(std::string_view value) {
  if (value.size() <= options_.bounds.max_string_bytes) return true;
  note(fault_code::limit, "a value is longer than limits::max_string_bytes", value.data(), "raise max_string_bytes");
  return false;
}

void judge(std::string_view message, const proto_message_name* type, dump_outcome& outcome) {
  if (!outcome.damage) return;
  // The index of an XSpace knows what a text conversion does to a file.
  if (type != nullptr && type->name.text() == std::string_view("XSpace")) {
    const xspace_index index = index_xspace(message);
    if (index.damage && index.damage->code == fault_code::text_mangled) {
      outcome.damage = index.damage;
      outcome.status = document_status::error;
      return;
    }
  }
  const bool nothing = outcome.damage->byte_offset == 0 && outcome.damage->code == fault_code::damaged;
  outcome.status = nothing ? document_status::error : document_status::partial;
}

// ---- public ----------------------------------------------------------------------------------------------

std::vector<std::string_view> dump_types() {
  const proto_names& names = known_proto_names();
  std::vector<std::string_view> types;
  for (std::size_t i = 0; i < names.message_count; ++i)
    if (!names.messages[i].map_entry) types.emplace_back(names.messages[i].name.text());
  return types;
}

std::string_view dump_type_of(file_family family) noexcept {
  switch (family) {
    case file_family::xspace: return "XSpace";
    case file_family::hlo_proto: return "HloProto";
    case file_family::op_stats: return "OpStats";
    default: return "raw";
  }
}

result<dump_outcome> dump_message(std::string_view bytes, std::string_view type, sink& into,
                                  const dump_options& options) {
  return contained([&]() -> result<dump_outcome> {
    const proto_message_name* root = nullptr;
    if (type != "raw") {
      root = known_proto_names().find_message(type);
      if (root == nullptr) {
        return fault{
            fault_code::invalid_argument, "no message type '" + std::string(type) + "' is known", "", no_offset,
            "XSpace, HloProto and OpStats are, with every type inside them; 'raw' shows any message by number"};
      }
    }
    dump_outcome outcome;
    if (root != nullptr) outcome.type = root->name.text();
    dump_run run(bytes, options, outcome);
    result<void> written = options.format == dump_format::text ? write_text(bytes, root, run, into)
                                                               : write_json(bytes, root, run, outcome, into);
    if (run.stopped()) return std::move(run.state()).error();
    if (!written) return std::move(written).error();
    if (options.format == dump_format::text) judge(bytes, root, outcome);
    return outcome;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
