#include <model/architecture/parallelism.hpp>

#include <base/affix.hpp>
#include <base/format.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Words of a folder name such as dp2_tp8_ep_100k_1k_bs10.
std::vector<std::string> words_of(std::string_view label) {
  std::vector<std::string> words(1);
  for (const char c : label) {
    if (c == '_' || c == '-' || c == '.' || c == ' ') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += folded(c);
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 6 && std::all_of(text.begin(), text.end(), is_digit);
}

// `with_sizes`: what the name says of parallelism is wanted, too.
void read_label(std::string_view label, bool with_sizes, std::vector<std::string>& into) {
  struct meaning {
    std::string_view prefix;
    const char* what;
    bool bare;  // may stand without a number
  };
  static constexpr meaning meanings[] = {
      {"bs", "batch size", false},        {"dp", "data parallel", false},  {"tp", "tensor parallel", false},
      {"pp", "pipeline parallel", false}, {"ep", "expert parallel", true}, {"cp", "context parallel", false},
      {"sp", "sequence parallel", true},
  };
  std::vector<std::string> lengths;
  for (const std::string& word : words_of(label)) {
    for (const meaning& m : meanings) {
      if (word.compare(0, m.prefix.size(), m.prefix) != 0) continue;
      if (!with_sizes && m.prefix != "bs") continue;
      const std::string number = word.substr(m.prefix.size());
      if (number.empty() ? !m.bare : !is_number(number)) continue;
      into.push_back(std::string(m.what) + (number.empty() ? "" : ' ' + number) + " (folder name)");
      break;
    }
    if (word.size() >= 2 && word.back() == 'k' && is_number(std::string_view(word).substr(0, word.size() - 1)))
      lengths.push_back(word);
  }
  static constexpr const char* uses[] = {"context of ", "generation of "};
  for (std::size_t i = 0; i < lengths.size() && i < 2; ++i)
    into.push_back(uses[i] + lengths[i] + " tokens (folder name)");
}

using size_list = std::vector<std::pair<std::string, std::int64_t>>;

// "TP 8, PP 2, EP 4, world size 64 (profiler metadata)"; "" when nothing is known by name. Sizes that were set stand
// before the groups, which repeat them.
std::string recorded_sizes(const size_list& sizes) {
  struct spelling {
    const char* title;
    std::vector<std::string_view> names;
  };
  static const std::vector<spelling> known = {
      {"TP", {"tensor_model_parallel_size", "tensor_parallel_size", "tp_size", "group tp"}},
      {"PP", {"pipeline_model_parallel_size", "pipeline_parallel_size", "pp_size", "group pp"}},
      {"DP", {"data_parallel_size", "dp_size", "group dp"}},
      {"CP", {"context_parallel_size", "cp_size", "group cp"}},
      {"EP", {"expert_model_parallel_size", "expert_parallel_size", "ep_size", "group ep", "group exp"}},
      {"sequence parallel", {"sequence_parallel"}},
      {"world size", {"world_size", "group default_group", "group world"}},
  };
  std::string text;
  for (const spelling& s : known) {
    const auto* found = static_cast<const size_list::value_type*>(nullptr);
    for (const std::string_view name : s.names) {
      const auto at = std::find_if(sizes.begin(), sizes.end(), [&](const auto& one) { return one.first == name; });
      if (at == sizes.end()) continue;
      found = &*at;
      break;
    }
    if (found == nullptr) continue;
    const bool is_switch = found->first == "sequence_parallel";
    if (is_switch && found->second == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(s.title) + (is_switch ? "" : ' ' + grouped(found->second));
  }
  return text.empty() ? text : text + " (profiler metadata)";
}

}  // namespace

std::vector<std::string> parallelism_of(const activity& of, const device_kernels& kernels, std::uint32_t device,
                                        bool attends, std::string_view label) {
  std::vector<std::string> found;
  const auto count_of = [&](op_kind kind) {
    std::uint64_t n = 0;
    for (const model_op& op : kernels.ops)
      if (op.kind == kind) n += op.count;
    return n;
  };
  std::string recorded = recorded_sizes(of.devices()[device].parallel_sizes);
  const bool known = !recorded.empty();
  if (known) found.push_back(std::move(recorded));
  read_label(label, !known, found);
  std::set<string_id> groups;
  for (const communication_row& row : of.communication())
    if (row.device == device && row.group != 0) groups.insert(row.group);
  if (!groups.empty())
    found.push_back(counted(groups.size(), "communication group", "communication groups") + " (communication.json)");
  if (of.devices().size() > 1) found.push_back(grouped(std::uint64_t{of.devices().size()}) + " devices in the capture");
  if (!known && count_of(op_kind::point_to_point) > 0 && attends)
    found.push_back("probable: pipeline parallel, the device sends to and receives from others");
  if (!known && count_of(op_kind::all_to_all) > 0)
    found.push_back("probable: expert parallel, there are all-to-all kernels");
  if (found.empty()) found.emplace_back("not determinable");
  return found;
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
