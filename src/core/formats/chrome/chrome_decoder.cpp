#include <formats/chrome/chrome_decoder.hpp>

#include <base/format.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_unpaired_names = 4;

chrome_item_kind kind_of(char phase) noexcept {
  switch (phase) {
    case 'X': return chrome_item_kind::complete;
    case 'B': return chrome_item_kind::begin;
    case 'E': return chrome_item_kind::pair;
    case 'i':
    case 'I':
    case 'R': return chrome_item_kind::instant;
    case 'b':
    case 'S': return chrome_item_kind::async_begin;
    case 'e':
    case 'F': return chrome_item_kind::async_pair;
    case 'n': return chrome_item_kind::async_instant;
    case 'C': return chrome_item_kind::counter;
    case 's':
    case 't':
    case 'f': return chrome_item_kind::flow;
    case 'M': return chrome_item_kind::metadata;
    default: return chrome_item_kind::other;
  }
}

bool has_arguments(std::string_view json) noexcept {
  return !json.empty() && json.front() == '{' && json.find('"') != std::string_view::npos;
}

void take_duration(std::optional<std::int64_t> duration_ps, chrome_item& found) noexcept {
  found.duration_ps = duration_ps.value_or(0);
  if (!duration_ps)
    found.defect = chrome_defect::without_duration;
  else if (*duration_ps < 0)
    found.defect = chrome_defect::negative_duration;
  else if (!checked_add(found.start_ps, *duration_ps))
    found.defect = chrome_defect::end_out_of_reach;
}

}  // namespace

bool chrome_decoder::event(const chrome_event& e) {
  chrome_item found;
  found.kind = kind_of(e.phase);
  found.track = tracks_.see(e);
  found.ordinal = e.ordinal;
  found.event = &e;
  if (found.kind == chrome_item_kind::metadata || found.kind == chrome_item_kind::other) return into_.item(found);
  const auto start_ps = e.ts_ps ? checked_add(*e.ts_ps, shift_ps_) : std::nullopt;
  if (!start_ps) {
    found.defect = e.ts_ps ? chrome_defect::start_out_of_reach : chrome_defect::without_time;
    return into_.item(found);
  }
  found.start_ps = *start_ps;
  switch (found.kind) {
    case chrome_item_kind::complete: take_duration(e.dur_ps, found); break;
    case chrome_item_kind::begin: return take_begin(e, found, begins_, found.track);
    case chrome_item_kind::pair: return take_end(e, found, begins_, found.track);
    case chrome_item_kind::async_begin: return take_begin(e, found, async_begins_, async_group_of(e, found.track));
    case chrome_item_kind::async_pair: return take_end(e, found, async_begins_, async_group_of(e, found.track));
    default: break;
  }
  return into_.item(found);
}

bool chrome_decoder::take_begin(const chrome_event& e, chrome_item found, open_begins& begins, std::uint32_t group) {
  begins.push(group, names_.intern(e.name), *e.ts_ps, e.ordinal, e.cat, e.args_json);
  return into_.item(found);
}

bool chrome_decoder::take_end(const chrome_event& e, chrome_item found, open_begins& begins, std::uint32_t group) {
  const open_begins::begin* const begin = begins.pop(group, names_.intern(e.name));
  if (begin == nullptr) {
    ++ends_without_begin_;
    if (end_names_.size() < max_unpaired_names) end_names_.emplace_back(e.name);
    found.defect = chrome_defect::without_begin;
    return into_.item(found);
  }
  const auto length_ps = checked_sub(*e.ts_ps, begin->ts_ps);
  chrome_event whole = e;
  whole.ordinal = begin->ordinal;
  whole.ts_ps = begin->ts_ps;
  whole.dur_ps = length_ps;
  whole.name = names_.text(begin->name);
  whole.cat = begin->cat;
  if (has_arguments(begin->args_json)) {
    args_.clear();
    if (has_arguments(e.args_json)) args_.append(e.args_json.substr(0, e.args_json.rfind('}'))).append(1, ',');
    args_.append(begin->args_json, args_.empty() ? 0 : 1);
    whole.args_json = args_;
    whole.args = {};
  }
  found.start_ps = begin->ts_ps + shift_ps_;  // as when it began
  found.event = &whole;
  if (length_ps)
    take_duration(length_ps, found);
  else
    found.defect = *e.ts_ps < begin->ts_ps ? chrome_defect::negative_duration : chrome_defect::end_out_of_reach;
  return into_.item(found);
}

unpaired_events chrome_decoder::unpaired() const {
  unpaired_events found;
  std::vector<open_begins::open> begins = begins_.all();
  const std::vector<open_begins::open> async = async_begins_.all();
  begins.insert(begins.end(), async.begin(), async.end());
  std::sort(begins.begin(), begins.end(), [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
  found.begins = begins.size();
  found.ends = ends_without_begin_;
  found.end_names = end_names_;
  for (const open_begins::open& begin : begins) {
    found.open_begins += begin.outlived ? 0 : 1;
    if (found.begin_names.size() < max_unpaired_names) found.begin_names.emplace_back(names_.text(begin.name));
  }
  return found;
}

std::uint32_t chrome_decoder::async_group_of(const chrome_event& e, std::uint32_t track) {
  char number[sizeof track];  // the track stands for process and category
  std::memcpy(number, &track, sizeof number);
  key_.assign(number, sizeof number).append(e.id);
  return async_groups_.intern(key_);
}

namespace {

const char* reason_of_defect(chrome_defect defect) noexcept {
  switch (defect) {
    case chrome_defect::none: break;
    case chrome_defect::without_time:
    case chrome_defect::start_out_of_reach: return "no usable time";
    case chrome_defect::without_begin: return no_begin;
    case chrome_defect::without_duration: return "no usable duration";
    case chrome_defect::negative_duration: return "the duration is negative";
    case chrome_defect::end_out_of_reach: return "the time lies out of reach (106 days)";
  }
  return "";
}

}  // namespace

void reject_item(activity_input& input, const chrome_item& item) {
  reject_event(input, reason_of_defect(item.defect), item.ordinal, item.event->byte_offset);
}

void note_unpaired(const unpaired_events& found, activity_input& input) {
  if (found.begins == 0 && found.ends == 0) return;
  input.begins_without_end = found.begins;
  input.begins_open = found.open_begins;
  input.ends_without_begin = found.ends;
  const auto named = [](const std::vector<std::string>& names, std::uint64_t all) {
    std::string text;
    for (const std::string& name : names)
      if (!name.empty()) text += (text.empty() ? " (\"" : ", \"") + name + '"';
    return text.empty() ? text : text + (names.size() < all ? ", …)" : ")");
  };
  std::string text;
  if (found.begins > 0) {
    text = counted(found.begins, "begin has", "begins have") + " no end" + named(found.begin_names, found.begins);
    if (found.open_begins > 0)
      text += ", " + (found.open_begins == found.begins ? std::string(found.begins == 1 ? "which" : "all of which") : grouped(found.open_begins) + " of which") +
              " may have run when the trace ended";
  }
  if (found.ends > 0)
    text += (text.empty() ? "" : "; ") + counted(found.ends, "end has", "ends have") + " no begin" + named(found.end_names, found.ends);
  input.unpaired = text + ": no total has them";
  input.incomplete.push_back(input.unpaired);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
