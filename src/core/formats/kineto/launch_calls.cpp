#include <formats/kineto/launch_calls.hpp>
#include <formats/launch_names.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

void launch_calls::join(const std::vector<const std::vector<launch_link>*>& links, const string_table& names) {
  std::size_t count = 0;
  bool needs_operations = !operations_.empty();
  for (const auto* const of_device : links) count += of_device->size();
  by_correlation_.reserve(count);
  kernels_ = count;
  for (const auto* const of_device : links) {
    for (const launch_link& link : *of_device) {
      if (link.correlation != no_launch_id) by_correlation_.try_emplace(link.correlation, none);
      some_without_correlation_ = some_without_correlation_ || link.correlation == no_launch_id;
      needs_operations = needs_operations || (link.correlation == no_launch_id && link.external != no_launch_id);
    }
  }
  hash_map<string_id, calls_of_name> by_name;
  for (std::size_t i = 0; i < calls_.size() && !by_correlation_.empty(); ++i) {
    if (calls_[i].correlation == no_launch_id) continue;
    calls_of_name& alike = by_name[calls_[i].name];
    ++alike.calls;
    const auto found = by_correlation_.find(calls_[i].correlation);
    if (found == by_correlation_.end()) continue;
    ++alike.with_kernel;
    if (found->second == none) found->second = i;
  }
  find_launches(by_name, names);
  if (!needs_operations) return;
  for (const auto* const of_device : links) {
    for (const launch_link& link : *of_device) {
      if (link.external != no_launch_id) by_external_.try_emplace(link.external);
    }
  }
  for (std::size_t i = 0; i < calls_.size() && !by_external_.empty(); ++i) {
    if (calls_[i].external == no_launch_id) continue;
    const auto found = by_external_.find(calls_[i].external);
    if (found != by_external_.end() && found->second.call == none) found->second.call = i;
  }
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const auto found = by_external_.find(operations_[i].external);
    if (found != by_external_.end()) found->second.operation = i;
  }
}

// Runtimes are many and name their calls as they like; what launches has kernels.
void launch_calls::find_launches(const hash_map<string_id, calls_of_name>& by_name, const string_table& names) {
  hash_map<string_id, launched_work> found;
  for (const auto& [name, of] : by_name) {
    const std::string_view text = names.text(name);
    if (of.with_kernel * 2 <= of.calls || work_launched_by(text) || may_lack_record(text)) continue;
    found.emplace(name, is_copy_call(text) ? launched_work::copy : launched_work::kernel);
  }
  if (found.empty()) return;
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (const auto known = found.find(calls_[i].name); known != found.end() && calls_[i].correlation != no_launch_id)
      launches_.push_back({i, known->second});
  std::sort(launches_.begin(), launches_.end(), [](const launch& a, const launch& b) { return a.call < b.call; });
}

void launch_calls::join_captured() {
  hash_set<std::uint64_t> added;
  for (const std::size_t number : captured_) {
    const std::uint64_t external = calls_[number].external;
    if (external != no_launch_id && by_external_.try_emplace(external).second) added.insert(external);
  }
  for (std::size_t i = 0; i < operations_.size() && !added.empty(); ++i)
    if (added.find(operations_[i].external) != added.end()) by_external_.find(operations_[i].external)->second.operation = i;
}

const launch_calls::call* launch_calls::launcher_of(const launch_link& link) const {
  std::size_t at = none;
  if (link.correlation != no_launch_id) {
    const auto found = by_correlation_.find(link.correlation);
    if (found != by_correlation_.end()) at = found->second;
  } else if (link.external != no_launch_id) {
    const auto found = by_external_.find(link.external);
    if (found != by_external_.end()) at = found->second.call;
  }
  return at == none ? nullptr : &calls_[at];
}

bool launch_calls::is_graph(const call& c) const {
  return std::binary_search(graphs_.begin(), graphs_.end(), static_cast<std::size_t>(&c - calls_.data()));
}

void launch_calls::list_unrecorded(activity_host& into) const {
  if (kernels_ > 0 && by_correlation_.empty()) return;
  for (const launch& l : launches_) {
    const call& c = calls_[l.call];
    if (c.correlation == no_launch_id || captured_.find(l.call) != captured_.end()) continue;
    ++into.launches[static_cast<std::size_t>(l.work)];
    if (by_correlation_.find(c.correlation) != by_correlation_.end()) continue;
    if (some_without_correlation_ && by_external_.find(c.external) != by_external_.end()) continue;
    into.unrecorded.push_back({c.start_ps, c.end_ps, c.name, c.thread, l.work});
  }
  std::stable_sort(into.unrecorded.begin(), into.unrecorded.end(),
                   [](const unrecorded_launch& a, const unrecorded_launch& b) { return a.start_ps < b.start_ps; });
}

const launch_calls::operation* launch_calls::operation_of(const launch_link& link) const {
  if (link.external == no_launch_id) return nullptr;
  const auto found = by_external_.find(link.external);
  return found == by_external_.end() || found->second.operation == none ? nullptr
                                                                        : &operations_[found->second.operation];
}

const launch_calls::operation* launch_calls::operation_at(std::size_t span) const {
  const auto found = std::lower_bound(operations_.begin(), operations_.end(), span,
                                      [](const operation& o, std::size_t wanted) { return o.span < wanted; });
  return found == operations_.end() || found->span != span ? nullptr : &*found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
