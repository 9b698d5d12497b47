// probe.toml: what was probed where, and what the records hold. Two dialects: [probe.*] and [map.*] since 2025-07;
// before that every table is a probe whose `datamodel` and SAVE statements describe its map.
#include <base/toml_tree.hpp>
#include <formats/neutrino/neutrino_parts.hpp>

#include <charconv>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// A number, or digits in a string.
std::optional<std::uint64_t> unsigned_of(const toml_value* value) noexcept {
  if (value == nullptr) return std::nullopt;
  if (value->kind == toml_kind::integer && value->integer >= 0) return static_cast<std::uint64_t>(value->integer);
  if (value->kind != toml_kind::text || value->text.empty()) return std::nullopt;
  std::uint64_t n = 0;
  const char* const end = value->text.data() + value->text.size();
  const auto read = std::from_chars(value->text.data(), end, n);
  return read.ec == std::errc() && read.ptr == end ? std::optional(n) : std::nullopt;
}

std::string text_of(const toml_value* value) {
  return value != nullptr && value->kind == toml_kind::text ? value->text : std::string();
}
// The value of the first of several names.
std::string text_of(const toml_value& table, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string text = text_of(table.find(name)); !text.empty()) return text;
  return {};
}

probe_level level_of(std::string_view text) noexcept {
  return text == "thread" ? probe_level::thread : text == "warp" ? probe_level::warp : probe_level::unknown;
}

bool names_word(std::string_view text, std::string_view word) noexcept {
  return text.find(word) != std::string_view::npos;
}

struct clocks {
  bool cycles = false, global = false;
  void look(const probe_snippet& snippet) noexcept {
    for (const std::string* text : {&snippet.before, &snippet.after}) {
      cycles = cycles || names_word(*text, "%clock");
      global = global || names_word(*text, "%globaltimer");
    }
  }
  [[nodiscard]] probe_clock only() const noexcept {
    if (cycles == global) return probe_clock::unknown;
    return cycles ? probe_clock::sm_cycles : probe_clock::global_ns;
  }
};

// "SAVE [ name ]", blanks apart.
bool saves_to(std::string_view text, std::string_view map) noexcept {
  for (auto at = text.find("SAVE"); at != std::string_view::npos; at = text.find("SAVE", at + 4)) {
    auto open = text.find_first_not_of(" \t", at + 4);
    if (open == std::string_view::npos || text[open] != '[') continue;
    const auto close = text.find(']', open);
    if (close == std::string_view::npos) continue;
    std::string_view name = text.substr(open + 1, close - open - 1);
    const auto first = name.find_first_not_of(" \t"), last = name.find_last_not_of(" \t");
    if (first != std::string_view::npos && name.substr(first, last - first + 1) == map) return true;
  }
  return false;
}

// From the snippet that feeds the map; registers are shared, so the clock may be read in another one.
probe_clock clock_of(const std::vector<probe_snippet>& probes, std::string_view map) noexcept {
  clocks own, all;
  for (const probe_snippet& each : probes) {
    all.look(each);
    if (saves_to(each.before, map) || saves_to(each.after, map)) own.look(each);
  }
  return own.cycles || own.global ? own.only() : all.only();
}

std::uint32_t order(std::vector<probe_shape_field>& fields) {
  std::vector<probe_field> view(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) view[i] = {fields[i].name, fields[i].type, 0, 0};
  const std::uint32_t bytes = store_order(view.data(), view.size());
  std::vector<probe_shape_field> stored;
  stored.reserve(fields.size());
  for (const probe_field& each : view)
    stored.push_back({std::string(each.name), each.type, each.offset, each.declared});
  fields = std::move(stored);
  return bytes;
}

probe_map_description modern_map(const toml_member& member) {
  const toml_value& table = member.value;
  probe_map_description map;
  map.name = member.name;
  map.level = level_of(text_of(table.find("level")));
  map.size_bytes = unsigned_of(table.find("size")).value_or(0);
  map.cap = unsigned_of(table.find("cap"));
  if (table.find("cap") == nullptr) map.cap = 1;
  if (const toml_value* regs = table.find("regs"); regs != nullptr && regs->kind == toml_kind::table) {
    for (const toml_member& each : regs->members) {
      const toml_value* type = &each.value;
      if (type->kind == toml_kind::array && !type->items.empty()) type = &type->items.front();
      const std::string name = text_of(type);
      if (name != "u64" && name != "u32") {
        map.fields.clear();  // a type that this driver did not have: the record cannot be cut into fields
        break;
      }
      map.fields.push_back({each.name, name == "u64" ? probe_type::u64 : probe_type::u32, 0, 0});
    }
  }
  map.record_bytes = order(map.fields);
  return map;
}

void read_modern(const toml_value& root, probe_description& into) {
  into.callback = text_of(root, {"CALLBACK", "callback"});
  if (const toml_value* dynamic = root.find("dynamic")) into.dynamic = dynamic->truth;
  if (const toml_value* probes = root.find("probe"); probes != nullptr && probes->kind == toml_kind::table) {
    for (const toml_member& each : probes->members) {
      if (each.value.kind != toml_kind::table) continue;
      into.probes.push_back({each.name, text_of(each.value.find("level")), text_of(each.value, {"pos", "position"}),
                             text_of(each.value.find("before")), text_of(each.value.find("after"))});
    }
  }
  const toml_value* maps = root.find("map");
  if (maps == nullptr || maps->kind != toml_kind::table) return;
  for (const toml_member& each : maps->members) {
    if (each.value.kind != toml_kind::table) continue;
    into.maps.push_back(modern_map(each));
    into.maps.back().clock = clock_of(into.probes, each.name);
  }
}

// ---- before 2025-07 ----

// The registers of one "SAVE.u64 { %a, %b }" as they are stored, which the engine's expansion decides.
void take_save(std::string_view list, probe_type type, std::vector<probe_shape_field>& fields) {
  std::vector<std::string> names;
  for (auto at = list.find('%'); at != std::string_view::npos; at = list.find('%', at + 1)) {
    const auto end = list.find_first_of(", \t\r\n}", at + 1);
    names.emplace_back(list.substr(at + 1, end == std::string_view::npos ? end : end - at - 1));
  }
  if (type == probe_type::u32 && names.size() == 3) names.erase(names.begin());
  if (type == probe_type::u32 && names.size() == 5) names[4] = names[3];
  for (std::string& name : names) fields.push_back({std::move(name), type, 0, 0});
}

void take_saves(std::string_view text, std::vector<probe_shape_field>& fields) {
  for (auto at = text.find("SAVE.u"); at != std::string_view::npos; at = text.find("SAVE.u", at + 6)) {
    const std::string_view rest = text.substr(at + 6);
    const bool is_u64 = rest.substr(0, 2) == "64";
    if (!is_u64 && rest.substr(0, 2) != "32") continue;
    const auto open = rest.find('{');
    if (open == std::string_view::npos) return;
    const auto close = rest.find('}', open);
    if (close == std::string_view::npos) return;
    take_save(rest.substr(open + 1, close - open - 1), is_u64 ? probe_type::u64 : probe_type::u32, fields);
  }
}

// "<level>:<bytes>[:<cap>|:count]"
bool read_datamodel(std::string_view text, probe_map_description& map) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  map.level = level_of(text.substr(0, colon));
  text.remove_prefix(colon + 1);
  const auto read = [&](std::uint64_t& into) {
    const auto done = std::from_chars(text.data(), text.data() + text.size(), into);
    if (done.ec != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(done.ptr - text.data()));
    return true;
  };
  if (map.level == probe_level::unknown || !read(map.size_bytes)) return false;
  map.cap = 1;
  if (text.empty()) return true;
  if (text == ":count") {
    map.cap.reset();
    return true;
  }
  std::uint64_t cap = 0;
  if (text.front() != ':') return false;
  text.remove_prefix(1);
  if (!read(cap) || !text.empty()) return false;
  map.cap = cap;
  return true;
}

void read_old(const toml_value& root, probe_description& into) {
  into.callback = text_of(root, {"analyze_hook", "trace_hook"});
  if (const toml_value* dynamic = root.find("dynamic")) into.dynamic = dynamic->truth;
  for (const toml_member& each : root.members) {
    if (each.value.kind != toml_kind::table || each.name == "REGS") continue;
    const toml_value& table = each.value;
    into.probes.push_back({each.name, "", text_of(table, {"position", "pos"}), text_of(table.find("before")),
                           text_of(table.find("after"))});
    const std::string model = text_of(table.find("datamodel"));
    probe_map_description map;
    if (model.empty() || !read_datamodel(model, map)) continue;
    map.name = each.name;
    take_saves(into.probes.back().before, map.fields);
    take_saves(into.probes.back().after, map.fields);
    // These drivers store in the order of the statements.
    std::uint32_t offset = 0;
    for (std::size_t i = 0; i < map.fields.size(); ++i) {
      map.fields[i].offset = offset;
      map.fields[i].declared = static_cast<std::uint32_t>(i);
      offset += map.fields[i].type == probe_type::u64 ? 8 : 4;
    }
    map.record_bytes = offset;
    clocks own;
    own.look(into.probes.back());
    map.clock = own.only();
    into.maps.push_back(std::move(map));
  }
  clocks all;
  for (const probe_snippet& each : into.probes) all.look(each);
  for (probe_map_description& map : into.maps)
    if (map.clock == probe_clock::unknown) map.clock = all.only();
}

}  // namespace

probe_description read_probe_description(std::string_view text, const std::string& path) {
  probe_description found;
  found.present = true;
  auto parsed = parse_toml(text, path);
  if (!parsed) {
    found.damage = std::move(parsed).error();
    return found;
  }
  const toml_value& root = *parsed;
  if (root.find("probe") != nullptr || root.find("map") != nullptr)
    read_modern(root, found);
  else
    read_old(root, found);
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
