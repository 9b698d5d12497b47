#include "plane_text.hpp"

#include "json_text.hpp"

#include "base/format.hpp"
#include "base/json_writer.hpp"
#include "base/word_list.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// What XLA's converter keeps to itself (tsl/profiler: IsInternalEvent, IsInternalStat).
constexpr std::string_view internal_events[] = {"MemoryAllocation",
                                                "MemoryDeallocation",
                                                "PrefetchProduce",
                                                "PrefetchConsume",
                                                "ParallelInterleaveProduce",
                                                "ParallelInterleaveConsume",
                                                "ParallelInterleaveInitializeInput",
                                                "ParallelMapProduce",
                                                "ParallelMapConsume",
                                                "MapAndBatchProduce",
                                                "MapAndBatchConsume",
                                                "ParseExampleProduce",
                                                "ParseExampleConsume"};
constexpr std::string_view internal_stats[] = {"_pt", "_p", "_ct", "_c", "_r", "flops", "program_id", "symbol_id"};

constexpr std::uint64_t max_exact_integer = std::uint64_t{1} << 53;  // what a JSON reader's double can hold
constexpr std::int64_t max_dense_id = 1 << 16;

// By rank; of equal ranks the last counts.
template <class Item>
void keep_last_of_equal_ranks(std::vector<Item>& items) {
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.rank < b.rank; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i + 1 < items.size() && items[i + 1].rank == items[i].rank) continue;
    if (kept != i) items[kept] = std::move(items[i]);
    ++kept;
  }
  items.resize(kept);
}

template <class Integer>
void append_quoted_integer(std::string& out, Integer n) {
  out += '"';
  append_integer(out, n);
  out += '"';
}

}  // namespace

plane_text::plane_text(const plane_index& plane, json_dialect dialect) : plane_(plane), dialect_(dialect) {
  hash_map<std::string_view, std::uint32_t> key_by_name;
  std::vector<std::string_view> names;
  const auto key_named = [&](std::string_view name) {
    const auto [at, is_new] = key_by_name.try_emplace(name, static_cast<std::uint32_t>(names.size()));
    if (is_new) names.push_back(name);
    return at->second;
  };
  key_named("");
  long_name_key_ = key_named("long_name");
  for (const std::string_view bytes : plane.stat_metadata_entries) {
    const stat_metadata_view entry(bytes);
    stat_name named{key_named(entry.name()), {}};
    quote(named.quoted, entry.name());
    if (entry.key() >= 0 && entry.key() < max_dense_id) {
      const auto id = static_cast<std::size_t>(entry.key());
      if (id >= dense_.size()) {
        dense_.resize(id + 1);
        is_dense_.resize(id + 1);
      }
      dense_[id] = std::move(named);
      is_dense_[id] = true;
    } else {
      sparse_.insert_or_assign(entry.key(), std::move(named));
    }
  }
  std::vector<std::uint32_t> by_name(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) by_name[i] = static_cast<std::uint32_t>(i);
  std::sort(by_name.begin(), by_name.end(), [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
  keys_.resize(names.size());
  for (std::size_t rank = 0; rank < by_name.size(); ++rank) {
    key_text& key = keys_[by_name[rank]];
    const std::string_view name = names[by_name[rank]];
    key.rank = static_cast<std::uint32_t>(rank);
    key.left_out = dialect_ == json_dialect::xla && is_one_of(name, internal_stats);
    key.is_step_name = dialect_ == json_dialect::xla && name == "step_name";
    quote(key.text, name);
    key.text += ':';
  }
}

void plane_text::quote(std::string& out, std::string_view text) const {
  if (dialect_ == json_dialect::xla)
    append_xla_string(out, text);
  else
    append_json_string(out, text);
}

const plane_text::stat_name* plane_text::find_stat(std::int64_t id) const noexcept {
  if (id >= 0 && static_cast<std::uint64_t>(id) < dense_.size()) {
    const auto at = static_cast<std::size_t>(id);
    return is_dense_[at] ? &dense_[at] : nullptr;
  }
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? nullptr : &found->second;
}

std::uint32_t plane_text::key_of(std::int64_t stat_id) const noexcept {
  const stat_name* const named = find_stat(stat_id);
  return named != nullptr ? named->key : 0;
}

void plane_text::append_value(std::string& out, const stat_view& stat, bool as_text) const {
  switch (stat.kind()) {
    case stat_kind::none: out += "null"; break;
    case stat_kind::double_value: {
      const double value = stat.as_double();
      if (dialect_ == json_dialect::xla) {
        out += '"';
        append_g6(out, value);
        out += '"';
      } else {
        if (as_text || !std::isfinite(value)) out += '"';
        append_shortest(out, value);
        if (as_text || !std::isfinite(value)) out += '"';
      }
      break;
    }
    case stat_kind::uint64_value:
      if (as_text || stat.as_uint64() > max_exact_integer)
        append_quoted_integer(out, stat.as_uint64());
      else
        append_integer(out, stat.as_uint64());
      break;
    case stat_kind::int64_value:
      if (as_text || stat.as_int64() > static_cast<std::int64_t>(max_exact_integer) ||
          stat.as_int64() < -static_cast<std::int64_t>(max_exact_integer))
        append_quoted_integer(out, stat.as_int64());
      else
        append_integer(out, stat.as_int64());
      break;
    case stat_kind::str_value: quote(out, stat.as_bytes()); break;
    case stat_kind::bytes_value:
      if (dialect_ == json_dialect::xla) {
        out += "\"<opaque bytes>\"";
      } else {
        out += "\"<";
        append_integer(out, static_cast<std::uint64_t>(stat.as_bytes().size()));
        out += " bytes>\"";
      }
      break;
    case stat_kind::ref_value: {
      const stat_name* const named = find_stat(stat.as_ref());
      if (named != nullptr)
        out += named->quoted;
      else
        out += "\"\"";
      break;
    }
  }
}

plane_text::argument plane_text::argument_of(const stat_view& stat) const {
  argument a{0, key_of(stat.metadata_id()), {}, {}};
  a.rank = keys_[a.key].rank;
  append_value(a.value, stat, dialect_ == json_dialect::xla);
  if (keys_[a.key].is_step_name) a.step_name = a.value;
  return a;
}

const plane_text::operation& plane_text::prepare(std::int64_t metadata_id) {
  const auto [at, is_new] = operations_.try_emplace(metadata_id, nullptr);
  if (!is_new) return *at->second;
  operation& op = storage_.emplace_back();
  at->second = &op;
  std::string_view name;
  if (const metadata_entry found = plane_.event_metadata.find(metadata_id)) {
    const event_metadata_view entry(found.bytes);
    name = entry.name();
    op.left_out = dialect_ == json_dialect::xla && is_one_of(name, internal_events);
    if (!entry.display_name().empty()) {
      argument long_name{keys_[long_name_key_].rank, long_name_key_, {}, {}};
      quote(long_name.value, name);
      op.arguments.push_back(std::move(long_name));
      name = entry.display_name();
    }
    for (const stat_view stat : entry.stats()) {
      if (stat.kind() == stat_kind::none || keys_[key_of(stat.metadata_id())].left_out) continue;
      op.arguments.push_back(argument_of(stat));
    }
    keep_last_of_equal_ranks(op.arguments);
  }
  quote(op.name, name);
  for (const argument& a : op.arguments)
    if (!a.step_name.empty()) op.name = a.step_name;
  append_event_tail(op.bare, op, {});
  return op;
}

void plane_text::append_numbers(std::string& out, const message_range<stat_view, 4>& stats,
                                std::uint64_t& count) const {
  for (const stat_view stat : stats) {
    const bool number = stat.kind() == stat_kind::uint64_value || stat.kind() == stat_kind::int64_value ||
                        (stat.kind() == stat_kind::double_value && std::isfinite(stat.as_double()));
    if (!number) continue;
    if (!out.empty()) out += ',';
    out += keys_[key_of(stat.metadata_id())].text;
    append_value(out, stat, false);
    ++count;
  }
}

template <class Use>
void plane_text::with_own_arguments(const message_range<stat_view, 4>& stats, Use&& use) const {
  // The few arguments that events have are put in their places at once; many are sorted.
  constexpr std::size_t usual = 24;
  own_argument few[usual];
  std::vector<own_argument> many;
  std::size_t count = 0;
  for (const stat_view stat : stats) {
    if (stat.kind() == stat_kind::none) continue;
    const std::uint32_t key = key_of(stat.metadata_id());
    if (keys_[key].left_out) continue;
    const own_argument mine{keys_[key].rank, key, stat};
    if (!many.empty()) {
      many.push_back(mine);
      continue;
    }
    std::size_t place = count;
    while (place > 0 && few[place - 1].rank > mine.rank) --place;
    if (place > 0 && few[place - 1].rank == mine.rank) {
      few[place - 1] = mine;
    } else if (count == usual) {
      many.assign(few, few + count);
      many.push_back(mine);
    } else {
      for (std::size_t i = count; i > place; --i) few[i] = few[i - 1];
      few[place] = mine;
      ++count;
    }
  }
  if (many.empty()) return use(static_cast<const own_argument*>(few), count);
  keep_last_of_equal_ranks(many);
  use(static_cast<const own_argument*>(many.data()), many.size());
}

void plane_text::append_event_tail(std::string& out, const operation& op,
                                   const message_range<stat_view, 4>& stats) const {
  with_own_arguments(stats, [&](const own_argument* own, std::size_t count) {
    if (count == 0 && !op.bare.empty())
      out += op.bare;
    else
      append_tail_with(out, op, own, count);
  });
}

void plane_text::append_arguments(std::string& out, const operation& op,
                                  const message_range<stat_view, 4>& stats) const {
  with_own_arguments(stats, [&](const own_argument* own, std::size_t count) {
    out += '{';
    append_members(out, op, own, count);
    out += '}';
  });
}

void plane_text::append_tail_with(std::string& out, const operation& op, const own_argument* own,
                                  std::size_t count) const {
  const own_argument* step_name = nullptr;
  for (std::size_t i = 0; i < count; ++i)
    if (keys_[own[i].key].is_step_name) step_name = &own[i];
  out += "\"name\":";
  if (step_name != nullptr)
    append_value(out, step_name->stat, true);
  else
    out += op.name;
  if (count == 0 && op.arguments.empty()) {
    out += '}';
    return;
  }
  out += ",\"args\":{";
  append_members(out, op, own, count);
  out += "}}";
}

void plane_text::append_members(std::string& out, const operation& op, const own_argument* own,
                                std::size_t count) const {
  std::size_t shared = 0, mine = 0;
  const char* comma = "";
  while (shared < op.arguments.size() || mine < count) {
    out += comma;
    comma = ",";
    const bool take_shared =
        mine == count || (shared < op.arguments.size() && op.arguments[shared].rank < own[mine].rank);
    if (take_shared) {
      out += keys_[op.arguments[shared].key].text;
      out += op.arguments[shared].value;
      ++shared;
      continue;
    }
    if (shared < op.arguments.size() && op.arguments[shared].rank == own[mine].rank) ++shared;
    out += keys_[own[mine].key].text;
    append_value(out, own[mine].stat, dialect_ == json_dialect::xla);
    ++mine;
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
