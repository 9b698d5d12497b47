// Protobuf's JSON mapping, one message after the other: a pass over a message finds which fields it has, then
// each gets a pass of its own, so that nothing has to be kept.
#include <formats/protobuf/proto_text.hpp>

#include <base/hash_map.hpp>
#include <base/json_writer.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t document_version = 1;

// A message in the spans it was written in: protobuf merges a singular sub-message that occurs several times.
using pieces = std::vector<std::string_view>;

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? digits[group >> (18 - 6 * i) & 63U] : '=';
  }
  return out;
}

const char* wire_type_name(wire_type type) noexcept {
  switch (type) {
    case wire_type::varint: return "varint";
    case wire_type::fixed64: return "fixed64";
    case wire_type::fixed32: return "fixed32";
    case wire_type::group: return "group";
    default: return "bytes";
  }
}

// Remembers that writing failed: the JSON writer reports it only at the end.
class watched_sink final : public sink {
 public:
  explicit watched_sink(sink& into) : into_(into) {}
  result<void> write(std::string_view bytes) override {
    result<void> written = into_.write(bytes);
    failed = failed || !written;
    return written;
  }
  result<void> finish() override { return into_.finish(); }
  bool failed = false;

 private:
  sink& into_;
};

class json_dumper {
 public:
  json_dumper(dump_run& run, sink& into) : run_(run), sink_(into), out_(sink_) {}

  result<void> write(std::string_view message, const proto_message_name* type, dump_outcome& outcome) {
    out_.begin_object();
    out_.field("schema", "profkit.dump");
    out_.field("version", document_version);
    out_.field("type", type == nullptr ? "raw" : type->name.text());
    out_.key("message");
    object({message}, type, 0);
    if (run_.stopped()) return {};
    if (sink_.failed) return out_.finish();
    judge(message, type, outcome);
    verdict(outcome);
    out_.end_object();
    return out_.finish();
  }

 private:
  void verdict(const dump_outcome& outcome) {
    out_.field("status", outcome.status == document_status::ok        ? "ok"
                         : outcome.status == document_status::partial ? "partial"
                                                                      : "error");
    out_.key("reason");
    if (outcome.damage)
      out_.value(std::string_view(outcome.damage->message));
    else
      out_.null();
    out_.key("damage");
    out_.begin_array();
    if (outcome.damage) {
      out_.begin_object();
      out_.field("code", fault_name(outcome.damage->code));
      out_.field("message", std::string_view(outcome.damage->message));
      out_.key("byte_offset");
      if (outcome.damage->byte_offset == no_offset)
        out_.null();
      else
        out_.value(outcome.damage->byte_offset);
      out_.field("hint", std::string_view(outcome.damage->hint));
      out_.end_object();
    }
    out_.end_array();
  }

  // Calls `use(field)` for every field in wire order, also for the part of a cut one that is there. Damage is
  // noted after that, so that damage further in is noted first.
  template <class Use>
  void for_each_field(const pieces& message, Use&& use) {
    for (const std::string_view piece : message) {
      wire_reader reader(piece);
      wire_field f;
      while (reader.next(f)) {
        if (!use(static_cast<const wire_field&>(f), false)) return;
      }
      if (!reader.ok() && reader.clipped()) use(static_cast<const wire_field&>(f), true);
    }
  }

  void note_damage(const pieces& message) {
    for (const std::string_view piece : message) {
      wire_reader reader(piece);
      for (wire_field f; reader.next(f);) {}
      if (!reader.ok()) return run_.damaged(reader);
    }
  }

  // Which fields a message has. Of the members of a oneof the last one counts.
  struct presence {
    std::vector<bool> fields;        // by position in the type
    std::vector<std::int16_t> last;  // by oneof: position of its last member, -1 when there is none
    bool unknown = false;
    bool damaged = false;
  };
  presence look_over(const pieces& message, const proto_message_name* type) {
    const proto_names& names = known_proto_names();
    presence p;
    const std::size_t count = type == nullptr ? 0 : type->field_count;
    p.fields.resize(count);
    for (const std::string_view piece : message) {
      wire_reader reader(piece);
      wire_field f;
      const auto see = [&] {
        const proto_field_name* const name = names.find_field(type, f.number);
        if (form_of(name, f.type) == field_form::unknown) {
          p.unknown = true;
          return;
        }
        const auto at = static_cast<std::size_t>(name - (names.fields + type->first_field));
        p.fields[at] = true;
        if (name->oneof < 0) return;
        if (p.last.size() <= static_cast<std::size_t>(name->oneof))
          p.last.resize(static_cast<std::size_t>(name->oneof) + 1, -1);
        p.last[static_cast<std::size_t>(name->oneof)] = static_cast<std::int16_t>(at);
      };
      while (reader.next(f)) see();
      if (!reader.ok()) {
        p.damaged = true;
        if (reader.clipped() && shows_clipped(names.find_field(type, f.number), f)) see();
      }
    }
    return p;
  }

  static bool shows_clipped(const proto_field_name* name, const wire_field& f) {
    const field_form form = form_of(name, f.type);
    return form == field_form::message || form == field_form::packed;
  }

  void object(const pieces& message, const proto_message_name* type, std::uint32_t depth) {
    out_.begin_object();
    const char* const at = message.empty() ? nullptr : message.front().data();
    if (!sink_.failed && run_.enter(at)) {
      if (depth >= run_.deepest())
        run_.too_nested(at);
      else
        members(message, type, depth);
    }
    out_.end_object();
  }

  void members(const pieces& message, const proto_message_name* type, std::uint32_t depth) {
    const proto_names& names = known_proto_names();
    const presence found = look_over(message, type);
    std::vector<std::pair<const char*, std::uint64_t>> left_out;
    for (std::size_t i = 0; i < found.fields.size() && !run_.stopped(); ++i) {
      if (!found.fields[i]) continue;
      const proto_field_name& name = names.fields[type->first_field + i];
      if (name.oneof >= 0 && found.last[static_cast<std::size_t>(name.oneof)] != static_cast<std::int16_t>(i)) continue;
      out_.key(name.name.text());
      std::uint64_t more = 0;
      if (name.repeated)
        more = repeated(message, type, name, depth);
      else
        singular(message, type, name, depth);
      if (more > 0) left_out.emplace_back(name.name.text(), more);
    }
    if (found.unknown) {
      out_.key("unknown_fields");
      const std::uint64_t more = unknown(message, type, depth);
      if (more > 0) left_out.emplace_back("unknown_fields", more);
    }
    if (found.damaged) note_damage(message);
    if (left_out.empty()) return;
    out_.key("left_out");
    out_.begin_object();
    for (const auto& [name, count] : left_out) {
      out_.field(name, count);
      run_.left_out(count);
    }
    out_.end_object();
  }

  [[nodiscard]] bool shown(std::uint64_t count) const {
    return run_.options().limit == 0 || count <= run_.options().limit;
  }

  // Gives how many elements the limit left out.
  std::uint64_t repeated(const pieces& message, const proto_message_name* type, const proto_field_name& name,
                         std::uint32_t depth) {
    const bool is_message = name.kind() == proto_type::message;
    const proto_message_name* const element = is_message ? known_proto_names().messages + name.index : nullptr;
    const bool is_map = is_message && element->map_entry;
    const last_entries last = is_map ? last_entries_of(message, name, *element) : last_entries();
    if (is_map)
      out_.begin_object();
    else
      out_.begin_array();
    std::uint64_t count = 0;
    for_each_field(message, [&](const wire_field& f, bool cut) {
      if (f.number != name.number || (cut && !shows_clipped(&name, f))) return !run_.stopped();
      switch (form_of(known_proto_names().find_field(type, f.number), f.type)) {
        case field_form::scalar:
          if (shown(++count)) scalar(name, f.value);
          break;
        case field_form::packed: packed(f.bytes, name, count); break;
        case field_form::text:
          if (shown(++count)) text(name, f.bytes);
          break;
        case field_form::message:
          if (is_map)
            entry(f.bytes, *element, last, count, depth);
          else if (shown(++count))
            object({f.bytes}, element, depth + 1);
          break;
        case field_form::unknown: break;
      }
      return !run_.stopped();
    });
    if (is_map)
      out_.end_object();
    else
      out_.end_array();
    return shown(count) ? 0 : count - run_.options().limit;
  }

  void packed(std::string_view bytes, const proto_field_name& name, std::uint64_t& count) {
    const char* p = bytes.data();
    const char* const end = p + bytes.size();
    for (std::uint64_t raw = 0; next_packed(name, p, end, raw);)
      if (shown(++count)) scalar(name, raw);
    if (p != end) run_.damaged_at(p, "a packed value is cut");
  }

  // Where the entry of each key starts that counts: of several the last.
  using last_entries = hash_map<std::string, const char*>;
  last_entries last_entries_of(const pieces& message, const proto_field_name& name, const proto_message_name& type) {
    last_entries last;
    for_each_field(message, [&](const wire_field& f, bool cut) {
      if (f.number != name.number || form_of(&name, f.type) != field_form::message) return true;
      if (cut)
        last.try_emplace(entry_key(f.bytes, type), f.bytes.data());
      else
        last.insert_or_assign(entry_key(f.bytes, type), f.bytes.data());
      return true;
    });
    return last;
  }

  // The key and the value of a map's entry are fields 1 and 2, absent when they have the default.
  std::string entry_key(std::string_view bytes, const proto_message_name& type) {
    const proto_field_name& key = *known_proto_names().find_field(&type, 1);
    std::string text;
    if (key.kind() != proto_type::string) append_scalar(text, key, 0);
    for_each_field({bytes}, [&](const wire_field& f, bool cut) {
      if (f.number != 1 || cut) return true;
      const field_form form = form_of(&key, f.type);
      if (form == field_form::text && run_.fits(f.bytes)) text = f.bytes;
      if (form == field_form::scalar) {
        text.clear();
        append_scalar(text, key, f.value);
      }
      return true;
    });
    return text;
  }

  void entry(std::string_view bytes, const proto_message_name& type, const last_entries& last, std::uint64_t& count,
             std::uint32_t depth) {
    const std::string key = entry_key(bytes, type);
    const auto last_of_key = last.find(key);
    if (last_of_key == last.end() || last_of_key->second != bytes.data() || !shown(++count)) return;
    const proto_field_name& value = *known_proto_names().find_field(&type, 2);
    bool has_value = false;
    for_each_field({bytes}, [&](const wire_field& f, bool cut) {
      has_value |=
          f.number == 2 && form_of(&value, f.type) != field_form::unknown && (!cut || shows_clipped(&value, f));
      return true;
    });
    out_.key(key);
    if (has_value)
      singular({bytes}, &type, value, depth + 1);
    else if (value.kind() == proto_type::message)
      object({}, known_proto_names().messages + value.index, depth + 1);
    else if (value.kind() == proto_type::string || value.kind() == proto_type::bytes)
      out_.value(std::string_view());
    else
      scalar(value, 0);
    note_damage({bytes});
  }

  void singular(const pieces& message, const proto_message_name* type, const proto_field_name& name,
                std::uint32_t depth) {
    const proto_names& names = known_proto_names();
    pieces parts;
    wire_field last;
    for_each_field(message, [&](const wire_field& f, bool cut) {
      const proto_field_name* const met = names.find_field(type, f.number);
      const bool known = form_of(met, f.type) != field_form::unknown;
      if (known && met == &name && (!cut || shows_clipped(&name, f))) {
        last = f;
        if (name.kind() == proto_type::message) parts.push_back(f.bytes);
      } else if (known && name.oneof >= 0 && met->oneof == name.oneof) {
        parts.clear();  // another member of the oneof takes its place
      }
      return true;
    });
    if (name.kind() == proto_type::message) return object(parts, names.messages + name.index, depth + 1);
    if (form_of(&name, last.type) == field_form::text) return text(name, last.bytes);
    scalar(name, last.value);
  }

  void text(const proto_field_name& name, std::string_view bytes) {
    if (!run_.fits(bytes)) return out_.null();
    if (name.kind() == proto_type::string) return out_.value(bytes);
    out_.value(std::string_view(base64(bytes)));
  }

  void scalar(const proto_field_name& name, std::uint64_t raw) {
    std::string text;
    append_scalar(text, name, raw);
    switch (name.kind()) {
      case proto_type::boolean: return out_.value(raw != 0);
      case proto_type::double_value: return real(bits_as<double>(raw));
      case proto_type::float_value: return real(shortest(bits_as<float>(raw), text));
      case proto_type::enumeration:
        if (known_proto_names().find_value(name.index, static_cast<std::int32_t>(raw)) != nullptr)
          return out_.value(text.c_str());
        return out_.value(static_cast<std::int32_t>(raw));
      case proto_type::int32:
      case proto_type::sfixed32:
      case proto_type::sint32: return out_.value(signed32(name, raw));
      case proto_type::uint32:
      case proto_type::fixed32: return out_.value(static_cast<std::uint64_t>(static_cast<std::uint32_t>(raw)));
      default: return out_.value(std::string_view(text));  // 64 bits: text, as the mapping says
    }
  }

  static std::int32_t signed32(const proto_field_name& name, std::uint64_t raw) {
    const auto bits = static_cast<std::uint32_t>(raw);
    if (name.kind() != proto_type::sint32) return static_cast<std::int32_t>(bits);
    return static_cast<std::int32_t>(bits >> 1) ^ -static_cast<std::int32_t>(bits & 1);
  }

  // The double that prints as the float does: 0.1 and not 0.10000000149011612.
  static double shortest(float value, const std::string& text) {
    double wide = static_cast<double>(value);
    if (std::isfinite(value)) std::from_chars(text.data(), text.data() + text.size(), wide);
    return wide;
  }

  // Not a number and infinities are strings in the mapping.
  void real(double value) {
    if (std::isnan(value)) return out_.value("NaN");
    if (std::isinf(value)) return out_.value(value < 0 ? "-Infinity" : "Infinity");
    out_.number(value);
  }

  // Without names, what repeats is a run of one number.
  std::uint64_t unknown(const pieces& message, const proto_message_name* type, std::uint32_t depth) {
    out_.begin_array();
    std::uint64_t left_out = 0, run = 0;
    std::uint32_t run_number = 0;
    for_each_field(message, [&](const wire_field& f, bool cut) {
      if (cut || form_of(known_proto_names().find_field(type, f.number), f.type) != field_form::unknown)
        return !run_.stopped();
      run = f.number == run_number ? run + 1 : 1;
      run_number = f.number;
      if (shown(run))
        unnamed(f, depth);
      else
        ++left_out;
      return !run_.stopped();
    });
    out_.end_array();
    return left_out;
  }

  void unnamed(const wire_field& f, std::uint32_t depth) {
    out_.begin_object();
    out_.field("number", f.number);
    const bool is_blob = f.type == wire_type::length_delimited;
    const blob_form look = is_blob ? look_of(f.bytes) : blob_form::bytes;
    if (is_blob && look == blob_form::text) {
      out_.field("type", "string");
      out_.key("value");
      if (run_.fits(f.bytes))
        out_.value(f.bytes);
      else
        out_.null();
    } else if (is_blob && look == blob_form::bytes) {
      out_.field("type", "bytes");
      out_.key("value");
      if (run_.fits(f.bytes))
        out_.value(std::string_view(base64(f.bytes)));
      else
        out_.null();
    } else if (is_blob || f.type == wire_type::group) {
      out_.field("type", is_blob ? "message" : "group");
      out_.key("fields");
      if (!run_.enter(f.bytes.data()) || depth + 1 >= run_.deepest()) {
        if (!run_.stopped()) run_.too_nested(f.bytes.data());
        out_.begin_array();
        out_.end_array();
      } else {
        const std::uint64_t more = unknown({f.bytes}, nullptr, depth + 1);
        if (more > 0) {
          out_.field("left_out", more);
          run_.left_out(more);
        }
      }
    } else {
      out_.field("type", wire_type_name(f.type));
      out_.field_id("value", f.value);
    }
    out_.end_object();
  }

  dump_run& run_;
  watched_sink sink_;
  json_writer out_;
};

}  // namespace

result<void> write_json(std::string_view message, const proto_message_name* type, dump_run& run, dump_outcome& outcome,
                        sink& into) {
  return json_dumper(run, into).write(message, type, outcome);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
