#include <export/json/document.hpp>

#include <base/contained.hpp>
#include <base/hash_map.hpp>

#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

double double_of(std::uint64_t bits) noexcept {
  double value = 0;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::string files_text(std::size_t damaged, std::size_t all) {
  if (all == 1) return "the file is damaged";
  return std::to_string(damaged) + " of " + std::to_string(all) + " files " + (damaged == 1 ? "is" : "are") +
         " damaged";
}

}  // namespace

std::string hex_text(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

const char* status_name(document_status s) noexcept {
  switch (s) {
    case document_status::ok: return "ok";
    case document_status::partial: return "partial";
    case document_status::absent: return "absent";
    case document_status::error: return "error";
  }
  return "error";
}

verdict judge(const profile& p, const std::string& absent, const std::vector<file_damage>& damage) {
  if (damage.empty()) {
    if (absent.empty()) return {};
    return {document_status::absent, absent, nullptr};
  }
  const fault& first = damage.front().what;
  if (!anything_intact(p)) return {document_status::error, first.message, &first};
  return {document_status::partial, files_text(damage.size(), p.file_count()) + ": " + first.message, nullptr};
}

void write_verdict(json_writer& out, const verdict& v) {
  out.field("status", status_name(v.status));
  out.key("reason");
  if (v.reason.empty())
    out.null();
  else
    out.value(std::string_view(v.reason));
  if (v.status == document_status::error && v.why != nullptr) fields_of_fault(out, *v.why);
}

void write_files(json_writer& out, const profile& p) {
  write_objects(out, "files", p.what().files, [&](const capture_file& file) { fields_of_file(out, file); }, min_inputs);
}

std::vector<file_damage> damage_of(const activity& of) {
  std::vector<file_damage> all;
  for (const activity_input& in : of.inputs())
    if (in.damage) add_damage(all, in.file, *in.damage);
  return all;
}

std::vector<file_damage> damage_of(const bubbles_report& of) {
  std::vector<file_damage> all = damage_of(*of.of);
  for (const file_damage& d : of.found.damage) add_damage(all, d.file, d.what);
  return all;
}

void write_damage(json_writer& out, const std::vector<file_damage>& damage) {
  write_objects(out, "damage", damage, [&](const file_damage& d) { fields_of_file_damage(out, d); }, min_inputs);
}

void write_damage(json_writer& out, const std::vector<file_damage>& damage, events_checked checked) {
  out.field("events_checked", events_checked_name(checked));
  write_damage(out, damage);
}

void write_text_or_null(json_writer& out, std::string_view key, std::string_view text) {
  out.key(key);
  if (text.empty())
    out.null();
  else
    out.value(text);
}

void write_strings(json_writer& out, std::string_view key, const std::vector<std::string>& strings) {
  write_rows(out, key, strings, [&](const std::string& s) { out.value(std::string_view(s)); }, min_notes);
}

void write_optional(json_writer& out, std::string_view key, const std::optional<std::int64_t>& n) {
  out.key(key);
  if (n)
    out.value(*n);
  else
    out.null();
}

void write_optional(json_writer& out, std::string_view key, const std::optional<std::uint64_t>& n) {
  out.key(key);
  if (n)
    out.value(*n);
  else
    out.null();
}

void write_optional(json_writer& out, std::string_view key, const std::optional<double>& n) {
  out.key(key);
  if (n)
    out.number(*n);
  else
    out.null();
}

void write_optional_id(json_writer& out, std::string_view key, const std::optional<std::int64_t>& n) {
  out.key(key);
  if (n)
    out.id(*n);
  else
    out.null();
}

void write_stat_value(json_writer& out, const named_stat& s) {
  switch (s.kind) {
    case stat_kind::double_value: return out.number(double_of(s.bits));
    case stat_kind::uint64_value: return out.id(s.bits);
    case stat_kind::int64_value: return out.id(static_cast<std::int64_t>(s.bits));
    case stat_kind::bytes_value: return out.value(std::string_view(hex_text(s.text)));
    case stat_kind::str_value:
    case stat_kind::ref_value: return out.value(s.text);
    case stat_kind::none: return s.from == named_stat::origin::argument ? out.value(s.text) : out.null();
  }
}

void write_stat_map(json_writer& out, const std::vector<named_stat>& stats) {
  std::vector<std::string> nameless(stats.size());
  hash_map<std::string_view, std::size_t> last;
  const auto key_of = [&](std::size_t i) -> std::string_view {
    if (!stats[i].name.empty()) return stats[i].name;
    if (nameless[i].empty()) nameless[i] = "#" + std::to_string(stats[i].metadata_id);
    return nameless[i];
  };
  for (std::size_t i = 0; i < stats.size(); ++i) last[key_of(i)] = i;
  out.begin_map();
  for (std::size_t i = 0; i < stats.size(); ++i) {
    if (last[key_of(i)] != i) continue;
    out.key(key_of(i));
    write_stat_value(out, stats[i]);
  }
  out.end_object();
}

std::optional<std::int64_t> metadata_id_of(const named_stat& s) noexcept {
  return s.from == named_stat::origin::argument ? std::nullopt : std::optional(s.metadata_id);
}

std::optional<std::uint64_t> ref_of(const named_stat& s) noexcept {
  return s.kind == stat_kind::ref_value ? std::optional(s.bits) : std::nullopt;
}

void write_kinds(json_writer& out, std::uint8_t kinds) {
  out.begin_tuple();
  for (unsigned kind = 0; kind < 8; ++kind)
    if ((kinds >> kind & 1u) != 0) out.value(stat_kind_name(static_cast<stat_kind>(kind)));
  out.end_array();
}

std::optional<double> rate_of(const recorded_link& link) noexcept {
  return link.transit_ps > 0 ? std::optional(bytes_per_s(link.bytes, link.transit_ps)) : std::nullopt;
}

document_status write_steps(json_writer& out, const profile& p, const steps_result& found, const query_filters& o) {
  return write_framed(out, document::steps, p, o, found.absent, found.damage, [&] { fields_of_steps(out, found); });
}

document_status write_framework(json_writer& out, const profile& p, const framework_result& found, const query_filters& o) {
  return write_framed(out, document::framework, p, o, found.absent, found.damage, [&] { fields_of_framework(out, found); });
}

document_status write_collectives(json_writer& out, const profile& p, const collectives_result& found, const query_filters& o) {
  return write_framed(out, document::collectives, p, o, found.absent, found.damage, [&] { fields_of_collectives(out, found); });
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
