// From the ids in programs and the ranks in traces to the devices that call collectives together.
#include "instances.hpp"

#include "base/hash_map.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint32_t no_lane = 0xffffffff;

std::string group_text_of(const std::vector<std::int64_t>& ids) {
  std::string text = "[";
  for (const std::int64_t id : ids) text += (text.size() > 1 ? ", " : "") + std::to_string(id);
  return text + "]";
}

std::string group_text_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  std::string text = "{";
  for (const auto& [source, target] : pairs)
    text += (text.size() > 1 ? ", " : "") + std::to_string(source) + " to " + std::to_string(target);
  return text + "}";
}

class communicator_former {
 public:
  explicit communicator_former(collective_instances& found) : found_(found) {
    for (std::uint32_t lane = 0; lane < found.lanes.size(); ++lane) all_.push_back(lane);
    for (const collective_lane& lane : found.lanes) nodes_.insert(lane.node);
  }

  void form() {
    for (const collective_instance& e : found_.all)
      if (e.members != 0) ran_[programs_of(e.members - 1)].insert(e.lane);
    for (const collective_instance& e : found_.all)
      if (e.members != 0) where_.try_emplace({e.members - 1, e.lane}, 0);
    refuse_outsiders();
    for (auto& [at, communicator] : where_) communicator = find(at.first, at.second);
    for (collective_instance& e : found_.all)
      if (e.members != 0) e.communicator = communicator_of(e);
  }

 private:
  // Programs of equal devices are one: each node's file has its own.
  using program = std::tuple<std::vector<std::int64_t>, bool>;

  const program* programs_of(std::uint32_t membership) {
    if (membership >= program_of_.size()) program_of_.resize(found_.memberships.size(), nullptr);
    if (program_of_[membership] == nullptr) {
      program key;
      if (const auto& devices = found_.memberships[membership]->devices) {
        std::get<0>(key) = devices->ids;
        std::get<1>(key) = devices->assigned;
        std::sort(std::get<0>(key).begin(), std::get<0>(key).end());
      }
      program_of_[membership] = &*programs_.insert(std::move(key)).first;
    }
    return program_of_[membership];
  }

  // The lanes that the ids of a program stand for, as the instances of this node mean them; by id. Empty: it is not known.
  const std::vector<std::uint32_t>& lanes_of(const program* of, std::uint32_t node) {
    const auto [at, is_new] = placed_.try_emplace({of, node});
    if (!is_new) return at->second;
    const std::size_t devices = std::get<0>(*of).size();
    const std::set<std::uint32_t>& ran = ran_[of];
    if (devices == all_.size()) {
      at->second = all_;
    } else if (devices == ran.size()) {
      at->second.assign(ran.begin(), ran.end());
    } else {
      // Each node runs a program of its own devices.
      std::map<std::uint32_t, std::vector<std::uint32_t>> by_node;
      for (const std::uint32_t lane : ran) by_node[found_.lanes[lane].node].push_back(lane);
      if (std::all_of(by_node.begin(), by_node.end(), [&](const auto& each) { return each.second.size() == devices; }))
        at->second = by_node[node];
    }
    return at->second;
  }

  [[nodiscard]] std::uint32_t lane_of(const group_membership& m, const program* of, const std::vector<std::uint32_t>& lanes,
                                      std::int64_t id) {
    if (m.devices == nullptr) return lane_of_rank(id);
    const std::vector<std::int64_t>& ids = std::get<0>(*of);
    const auto at = std::lower_bound(ids.begin(), ids.end(), id);
    const auto place = static_cast<std::size_t>(at - ids.begin());
    return at == ids.end() || *at != id || place >= lanes.size() ? no_lane : lanes[place];
  }

  std::uint32_t lane_of_rank(std::int64_t rank) {
    if (ranks_.empty())
      for (std::uint32_t lane = 0; lane < found_.lanes.size(); ++lane)
        if (found_.lanes[lane].device == 0) ranks_.try_emplace(found_.nodes[found_.lanes[lane].node].id, lane);
    const auto at = ranks_.find(rank);
    return at == ranks_.end() ? no_lane : at->second;
  }

  // A device that runs an instruction but is in none of its groups was placed wrongly.
  void refuse_outsiders() {
    for (const auto& [at, communicator] : where_) {
      const group_membership& m = *found_.memberships[at.first];
      if (m.devices == nullptr || !m.pairs.empty()) continue;
      const program* of = programs_of(at.first);
      const std::vector<std::uint32_t>& lanes = lanes_of(of, found_.lanes[at.second].node);
      if (!lanes.empty() && group_of(m, of, lanes, at.second) == nullptr) refused_.insert(of);
    }
  }

  // By membership and node: the group of each lane.
  const std::vector<std::int64_t>* group_of(const group_membership& m, const program* of,
                                            const std::vector<std::uint32_t>& lanes, std::uint32_t lane) {
    auto& groups = groups_[{&m, lanes.empty() ? no_lane : lanes.front()}];
    if (groups.empty())
      for (const std::vector<std::int64_t>& group : m.groups)
        for (const std::int64_t id : group)
          if (const std::uint32_t found = lane_of(m, of, lanes, id); found != no_lane) groups.try_emplace(found, &group);
    const auto at = groups.find(lane);
    return at == groups.end() ? nullptr : at->second;
  }

  // 1 + index; 0: it is not known who takes part, or only this device does.
  std::uint32_t find(std::uint32_t membership, std::uint32_t lane) {
    const group_membership& m = *found_.memberships[membership];
    const program* const of = programs_of(membership);
    static const std::vector<std::uint32_t> none;
    if (m.devices != nullptr && refused_.count(of) != 0) return 0;
    const std::vector<std::uint32_t>& lanes = m.devices == nullptr ? none : lanes_of(of, found_.lanes[lane].node);
    if (m.devices != nullptr && lanes.empty()) return 0;
    communicator made;
    std::vector<std::int64_t> ids;
    if (m.pairs.empty()) {
      const std::vector<std::int64_t>* const group = group_of(m, of, lanes, lane);
      if (group == nullptr) return 0;
      ids = *group;
      if (m.devices != nullptr) made.root = ids.front();  // a broadcast comes from the first of its group
    } else {
      std::set<std::int64_t> both;
      for (const auto& [source, target] : m.pairs) both.insert({source, target});
      ids.assign(both.begin(), both.end());
      made.pairs = m.pairs;
      made.channel = m.channel;
    }
    std::sort(ids.begin(), ids.end());
    made.size = static_cast<std::int64_t>(ids.size());
    bool member = false;
    for (const std::int64_t id : ids) {
      const std::uint32_t at = lane_of(m, of, lanes, id);
      member = member || at == lane;
      if (at != no_lane) made.members.push_back({at, id});
    }
    if (!member || made.members.size() < 2) return 0;
    made.everyone = made.pairs.empty() && made.members.size() == ids.size() && made.members.size() == all_.size();
    const std::string text = m.pairs.empty() ? group_text_of(ids) : group_text_of(m.pairs);
    if (!made.everyone || m.devices == nullptr) made.name = found_.texts.intern(text);
    if (m.devices != nullptr) {
      made.numbered_by_place = true;
      made.devices_counted = !m.devices->assigned;
    }
    // Of one node each, groups of equal numbers are different ones.
    std::vector<std::uint32_t> key{made.name, static_cast<std::uint32_t>(m.channel), made.pairs.empty() ? 0U : 1U};
    key.push_back(static_cast<std::uint32_t>(made.root));
    for (const communicator::member& each : made.members) key.push_back(each.lane);
    const auto [at, is_new] = known_.try_emplace(std::move(key), static_cast<std::uint32_t>(found_.communicators.size()));
    if (is_new) found_.communicators.push_back(std::move(made));
    return 1 + at->second;
  }

  // Ranks have a name for their group besides.
  std::uint32_t communicator_of(const collective_instance& e) {
    const std::uint32_t plain = where_[{e.members - 1, e.lane}];
    if (plain == 0 || found_.memberships[e.members - 1]->devices != nullptr) return plain;
    const auto [at, is_new] =
        named_.try_emplace({plain, e.group}, static_cast<std::uint32_t>(found_.communicators.size()));
    if (is_new) {
      communicator named = found_.communicators[plain - 1];
      named.name = named.everyone ? 0 : e.group;
      found_.communicators.push_back(std::move(named));
    }
    return 1 + at->second;
  }

  collective_instances& found_;
  std::vector<std::uint32_t> all_;
  std::set<std::uint32_t> nodes_;
  std::set<program> programs_;
  std::vector<const program*> program_of_;
  std::map<const program*, std::set<std::uint32_t>> ran_;
  std::map<std::pair<const program*, std::uint32_t>, std::vector<std::uint32_t>> placed_;
  std::set<const program*> refused_;
  std::map<std::pair<const group_membership*, std::uint32_t>, hash_map<std::uint32_t, const std::vector<std::int64_t>*>> groups_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> where_;  // by membership and lane
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> named_;
  hash_map<std::int64_t, std::uint32_t> ranks_;  // lanes by rank
};

}  // namespace

void form_communicators(collective_instances& found) { communicator_former(found).form(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
