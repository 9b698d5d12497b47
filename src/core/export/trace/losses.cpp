// What files say of events that were lost before they were written.
#include "parts.hpp"

#include <profkit/core/chrome.hpp>

#include "base/merged_losses.hpp"
#include "formats/xspace/xspace_index.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// What stands before the first event.
class loss_reader final : public chrome_visitor {
 public:
  explicit loss_reader(std::vector<std::string>& into) : into_(into) {}
  bool event(const chrome_event&) override { return false; }
  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    if (key == incomplete_key)
      for (std::string& text : loss_texts(json)) into_.push_back(std::move(text));
    return true;
  }

 private:
  std::vector<std::string>& into_;
};

}  // namespace

std::vector<std::string> losses_of_file(const profile& p, std::size_t file) {
  std::vector<std::string> losses;
  for (const std::string_view error : p.xspace(file)->errors) {
    const auto said = text_of_node(error);
    if (is_merged_loss(error))
      losses.emplace_back(error);
    else if (said)
      losses.push_back(std::string(error.substr(0, error.size() - said->second.size())) + reported_by_recorder + std::string(said->second));
    else
      losses.push_back(reported_by_recorder + std::string(error));
  }
  if (content_of(p.what().files[file].family) == file_content::trace_events) {
    loss_reader reader(losses);
    static_cast<void>(read_chrome(p.bytes(file), reader, {p.what().bounds, {}}));
  }
  return losses;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
