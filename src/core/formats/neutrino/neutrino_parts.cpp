// Names and small texts of a Neutrino trace folder, and the shape that a map's records have.
#include <formats/neutrino/neutrino_parts.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <charconv>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

bool all_digits(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

template <class Number>
std::optional<Number> number_of(std::string_view text) noexcept {
  Number n{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, n);
  return read.ec == std::errc() && read.ptr == end ? std::optional(n) : std::nullopt;
}

// Cuts the next line off, without its end.
std::optional<std::string_view> next_line(std::string_view& text) noexcept {
  if (text.empty()) return std::nullopt;
  const auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

constexpr std::size_t max_infos = 4096;

// ---- shapes ----

constexpr std::uint64_t max_raw_words = 1024;

std::shared_ptr<const probe_shape> raw_shape(probe_map& place) {
  auto shape = std::make_shared<probe_shape>();
  shape->name = "map" + std::to_string(place.index);
  place.flags |= probe_raw_words;
  if (place.lane_bytes == 0) return shape;
  // A lane of very many words is shown as that many records of one word.
  const std::uint64_t words = place.lane_bytes / 8 > max_raw_words ? 1 : place.lane_bytes / 8;
  std::uint32_t offset = 0;
  const auto add = [&](probe_type type) {
    const auto at = static_cast<std::uint32_t>(shape->fields.size());
    shape->fields.push_back({"w" + std::to_string(at), type, offset, at});
    offset += type == probe_type::u64 ? 8 : 4;
  };
  for (std::uint64_t i = 0; i < words; ++i) add(probe_type::u64);
  if (place.lane_bytes / 8 <= max_raw_words && place.lane_bytes % 8 >= 4) add(probe_type::u32);
  shape->record_bytes = offset;
  return shape;
}

std::shared_ptr<const probe_shape> described_shape(const probe_map_description& map) {
  auto shape = std::make_shared<probe_shape>();
  shape->name = map.name;
  shape->fields = map.fields;
  shape->record_bytes = map.record_bytes;
  shape->clock = map.clock;
  return shape;
}

bool fits(const probe_map_description& map, const probe_map& place) noexcept {
  if (map.size_bytes == 0) return place.lane_bytes == 0;
  if (!map.cap) return place.lane_bytes % map.size_bytes == 0;
  return place.lane_bytes % map.size_bytes == 0 && place.lane_bytes / map.size_bytes == *map.cap;
}

}  // namespace

trace_folder_name read_trace_folder_name(std::string_view name) noexcept {
  trace_folder_name found;
  const auto last = name.rfind('_');
  if (last == std::string_view::npos || !all_digits(name.substr(last + 1))) return found;
  found.pid = number_of<std::uint64_t>(name.substr(last + 1));
  std::string_view date = name.substr(0, last);
  const auto digits_at_end = [&](std::size_t count) {
    if (date.size() < count + 1 || !all_digits(date.substr(date.size() - count))) return false;
    date.remove_suffix(count);
    return true;
  };
  const auto separator = [&] {
    if (date.empty() || date.back() != '_') return false;
    date.remove_suffix(1);
    return true;
  };
  // The month is a word of the writer's language.
  const auto is_word = [&] { return !date.empty() && std::none_of(date.begin(), date.end(), is_digit); };
  const std::string_view whole = date;
  if (digits_at_end(6) && separator() && digits_at_end(2) && is_word() && date.find('_') == std::string_view::npos) {
    found.is_one = true;
    return found;
  }
  date = whole;
  found.is_one = found.is_v0 = digits_at_end(2) && separator() && digits_at_end(2) && separator() && digits_at_end(2) &&
                               separator() && digits_at_end(2) && separator() && is_word();
  return found;
}

std::optional<std::int64_t> elapsed_us_of(std::string_view name) noexcept {
  constexpr std::string_view suffix = ".bin";
  if (name.size() <= suffix.size() || name.substr(name.size() - suffix.size()) != suffix) return std::nullopt;
  name.remove_suffix(suffix.size());
  const auto point = name.find('.');
  if (point == std::string_view::npos || name.size() - point != 7) return std::nullopt;
  const std::string_view whole = name.substr(0, point), part = name.substr(point + 1);
  if (!all_digits(whole) || !all_digits(part)) return std::nullopt;
  const auto seconds = number_of<std::int64_t>(whole), micro = number_of<std::int64_t>(part);
  constexpr std::int64_t max_seconds = 9'000'000'000;  // in ns, int64 holds this much
  if (!seconds || !micro || *seconds > max_seconds) return std::nullopt;
  return *seconds * 1'000'000 + *micro;
}

std::optional<probe_kernel_info> read_kernel_info(std::string_view text) {
  probe_kernel_info info;
  const auto name = next_line(text), params = next_line(text), maps = next_line(text);
  if (!name || !params || !maps) return std::nullopt;
  const auto param_count = number_of<std::int64_t>(trimmed(*params)),
             map_count = number_of<std::int64_t>(trimmed(*maps));
  if (!param_count || !map_count || *map_count < 0) return std::nullopt;
  info.name = std::string(*name);
  info.param_count = *param_count;
  const auto pair_of = [](std::string_view line) { return line.find(','); };
  for (std::int64_t i = 0; i < *map_count; ++i) {
    const auto line = next_line(text);
    if (!line || info.maps.size() >= max_infos) break;
    const auto comma = pair_of(*line);
    if (comma == std::string_view::npos) break;
    const auto level = number_of<int>(trimmed(line->substr(0, comma)));
    const auto bytes = number_of<std::int64_t>(trimmed(line->substr(comma + 1)));
    if (!level || !bytes) break;
    info.maps.emplace_back(*level == 0   ? probe_level::thread
                           : *level == 1 ? probe_level::warp
                                         : probe_level::unknown,
                           *bytes);
  }
  // Then a line with the hook's path, or the parameters, or both, or nothing.
  bool first = true;
  while (const auto line = next_line(text)) {
    const auto comma = line->rfind(',');
    if (comma != std::string_view::npos && comma != 0 && info.params.size() < max_infos)
      info.params.emplace_back(std::string(line->substr(0, comma)), std::string(line->substr(comma + 1)));
    else if (first)
      info.hook = std::string(*line);
    first = false;
  }
  return info;
}

probe_engine_log read_engine_log(std::string_view text) {
  probe_engine_log found;
  while (const auto line = next_line(text)) {
    const std::string_view said = trimmed(*line);
    if (said.empty()) continue;
    found.reason = std::string(said.substr(0, 400));
    constexpr std::string_view used = "Used ", registers = " registers";
    const auto at = said.find(used);
    if (at == std::string_view::npos) continue;
    const auto end = said.find(registers, at);
    if (end == std::string_view::npos) continue;
    const auto count = number_of<std::int64_t>(said.substr(at + used.size(), end - at - used.size()));
    if (!count) continue;
    // The probed kernel is assembled first.
    if (!found.probed_registers)
      found.probed_registers = count;
    else if (!found.pruned_registers)
      found.pruned_registers = count;
  }
  return found;
}

std::optional<probe_tool> probe_tool_of(std::string_view name) noexcept {
  for (const probe_tool t : {probe_tool::block_sched, probe_tool::gmem_bytes, probe_tool::tensorop,
                             probe_tool::program_progress, probe_tool::dmat})
    if (name == probe_tool_name(t)) return t;
  return std::nullopt;
}

std::optional<probe_map_description> probe_tool_record(probe_tool t) {
  probe_map_description record;
  record.name = probe_tool_name(t);
  record.level = t == probe_tool::block_sched ? probe_level::warp : probe_level::thread;
  record.cap = 1;
  const auto add = [&](const char* name, probe_type type) {
    const auto at = static_cast<std::uint32_t>(record.fields.size());
    record.fields.push_back({name, type, record.record_bytes, at});
    record.record_bytes += type == probe_type::u64 ? 8 : 4;
  };
  switch (t) {
    case probe_tool::none: return std::nullopt;
    case probe_tool::block_sched:
      add("start", probe_type::u64);
      add("elapsed", probe_type::u32);
      add("cuid", probe_type::u32);
      break;
    case probe_tool::gmem_bytes:
      add("sync_bytes", probe_type::u32);
      add("async_bytes", probe_type::u32);
      break;
    case probe_tool::tensorop: add("count", probe_type::u64); break;
    case probe_tool::program_progress:
      add("clock", probe_type::u64);
      record.cap.reset();
      break;
    case probe_tool::dmat:
      add("clock", probe_type::u64);
      add("addr", probe_type::u64);
      record.cap.reset();
      break;
  }
  record.size_bytes = record.record_bytes;
  return record;
}

std::shared_ptr<const probe_shape> shape_of(const probe_description& description, probe_map& place,
                                            std::size_t map_count, probe_tool assume) {
  if (description.maps.size() != map_count && !description.maps.empty()) place.flags |= probe_maps_mismatch;
  const std::optional<probe_map_description> tool = probe_tool_record(assume);
  const probe_map_description* map = nullptr;
  if (place.index < description.maps.size()) {
    map = &description.maps[place.index];
    const bool same_level =
        map->level == place.level || map->level == probe_level::unknown || place.level == probe_level::unknown;
    if (!fits(*map, place) || !same_level) place.flags |= probe_shape_mismatch;
    const bool usable = map->record_bytes != 0 && place.lane_bytes >= map->record_bytes &&
                        (fits(*map, place) || place.lane_bytes % map->record_bytes == 0);
    if (!usable && place.lane_bytes != 0) map = nullptr;
  } else if (tool && fits(*tool, place) && place.lane_bytes != 0 &&
             (tool->level == place.level || place.level == probe_level::unknown)) {
    map = &*tool;
    place.flags |= probe_shape_assumed;
  }
  if (map == nullptr) return raw_shape(place);
  if (map->record_bytes != 0 && place.lane_bytes % map->record_bytes != 0) place.flags |= probe_slack;
  return described_shape(*map);
}

const probe_shape_field* probe_shape::find(std::string_view field) const noexcept {
  const auto at =
      std::find_if(fields.begin(), fields.end(), [&](const probe_shape_field& f) { return f.name == field; });
  return at == fields.end() ? nullptr : &*at;
}

const std::string& probe_kernel::name() const noexcept {
  if (!engine_name.empty()) return engine_name;
  return found_name.empty() ? module_name : found_name;
}

probe_records records_of(const probe_bin_map& map, std::string_view file) noexcept {
  return {file, map.place, map.shape->record_bytes};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
