#include "json_survey.hpp"

#include "inputs.hpp"

#include <profkit/core/chrome.hpp>
#include <profkit/core/source.hpp>
#include <profkit/time.hpp>

#include <base/hash_map.hpp>
#include <base/json_writer.hpp>
#include <base/merged_losses.hpp>
#include <base/node_sections.hpp>
#include <base/sound_json.hpp>
#include <base/unix_time.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {


std::optional<std::int64_t> rank_of(std::string_view key, std::string_view json) {
  if (key != "distributedInfo") return std::nullopt;
  const auto rank = json_scaled_integer(json_member(json, "rank"));
  return rank && *rank >= 0 ? rank : std::nullopt;
}

class rank_looker final : public chrome_visitor {
 public:
  bool event(const chrome_event&) override { return false; }
  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    if (const auto found = rank_of(key, json)) rank = found;
    return !rank;
  }
  std::optional<std::int64_t> rank;
};

class json_surveyor final : public chrome_visitor {
 public:
  explicit json_surveyor(json_survey& into) : found_(into) {}

  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    if (key == incomplete_key) return take_losses(json);
    if (!found_.headers.empty()) found_.headers += ',';
    append_json_string(found_.headers, key);
    found_.headers += ':';
    append_sound_json(found_.headers, json);
    std::string scratch;
    if (key == "host_name") found_.hostname = std::string(json_text(json, scratch));
    if (key == base_time_key) base_ns_ = json_scaled_integer(json);
    if (key == sections_key) found_.is_merged = true;
    if (const auto rank = rank_of(key, json)) found_.rank = rank;
    return true;
  }

  bool event(const chrome_event& e) override {
    json_process& process = process_of(e.pid);
    if (e.phase == 'M') take_name(e, process);
    if (!e.ts_ps) return true;
    ++found_.timed_events;
    found_.least_ps = std::min(found_.least_ps, *e.ts_ps);
    found_.most_ps = std::max(found_.most_ps, *e.ts_ps + std::max<std::int64_t>(e.dur_ps.value_or(0), 0));
    return true;
  }

  // Which instant zero of the times is.
  [[nodiscard]] std::optional<std::int64_t> origin_unix_ns(const chrome_summary& read) const {
    const auto zero_ns = checked_mul(read.zero_us, ns_per_us);
    if (!zero_ns || read.zero_us >= min_unix_us) return zero_ns;
    return base_ns_ && *base_ns_ > 0 ? checked_add(*base_ns_, *zero_ns) : std::nullopt;
  }

 private:
  bool take_losses(std::string_view json) {
    const std::vector<std::string> texts = loss_texts(json);
    if (!found_.lost.empty() || texts.empty()) return true;
    found_.lost = loss_of(texts.front());
    return true;
  }

  json_process& process_of(const chrome_ref& pid) {
    key_.assign(1, pid.text.empty() && !pid.is_string ? ' ' : pid.is_string ? '"' : '#');
    key_ += pid.text;
    const auto [at, is_new] = by_pid_.try_emplace(key_, found_.processes.size());
    if (is_new) {
      json_process& added = found_.processes.emplace_back();
      const bool is_number = !pid.is_string && pid.text.find_first_not_of("0123456789") == std::string_view::npos;
      if (is_number)
        added.pid = pid.text.empty() ? std::string("null") : std::string(pid.text);
      else
        append_json_string(added.pid, pid.text);
    }
    return found_.processes[at->second];
  }

  void take_name(const chrome_event& e, json_process& process) {
    if (e.name == "process_name") {
      process.name = std::string(json_text(json_member(e.args_json, "name"), key_));
      process.is_named = true;
    } else if (e.name == "process_sort_index") {
      process.sort_index = json_scaled_integer(json_member(e.args_json, "sort_index"));
    }
  }

  json_survey& found_;
  hash_map<std::string, std::size_t> by_pid_;
  std::string key_;
  std::optional<std::int64_t> base_ns_;
};

}  // namespace

result<chrome_summary> read_trace_json(const trace_input& trace, const merge_options& o, const hooks& host, chrome_visitor& into) {
  const std::string& path = trace.path;
  auto from = open_trace(trace, o);
  if (!from) return std::move(from).error();
  chrome_options how;
  how.bounds = o.bounds;
  how.host = host;
  const auto span = (*from)->span();
  auto read = span ? read_chrome(*span, into, how) : read_chrome(**from, into, how);
  if (!read && read.error().path.empty()) read.error().path = path;
  if (read && read->damage && read->damage->path.empty()) read->damage->path = path;
  return read;
}

result<json_survey> survey_trace_json(const trace_input& trace, const merge_options& o, const hooks& host) {
  const std::string& path = trace.path;
  json_survey found;
  json_surveyor surveyor(found);
  const auto read = read_trace_json(trace, o, host, surveyor);
  if (!read) return read.error();
  found.events = read->events;
  found.nanoseconds = read->nanoseconds;
  found.origin_unix_ns = surveyor.origin_unix_ns(*read);
  found.damage = read->damage;
  if (!found.damage && !read->has_events_key)
    found.damage = fault{fault_code::damaged, "the object has no \"traceEvents\"", path, 0, "the file may be some other JSON, or cut"};
  if (!found.damage) found.damage = damage_of_times(*read);
  if (found.damage && found.damage->path.empty()) found.damage->path = path;
  return found;
}

std::optional<std::int64_t> rank_in_header(const trace_input& trace, const merge_options& o, const hooks& host) {
  rank_looker look;
  hooks quiet = host;
  quiet.progress = nullptr;
  static_cast<void>(read_trace_json(trace, o, quiet, look));
  return look.rank;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
