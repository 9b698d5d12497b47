#include "command_line/command_options.hpp"
#include "command_line/words.hpp"

#include <profkit/core/source.hpp>

#include <string_view>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::fault;

// A small text file as a whole.
profkit::result<std::string> read_text_file(const std::string& path) {
  profkit::limits bounds;
  bounds.max_materialised_bytes = std::uint64_t{16} << 20;
  auto from = profkit::open_file_source(path, profkit::io_mode::read, bounds);
  if (!from) return std::move(from).error();
  auto held = profkit::hold_bytes(std::move(from).value(), bounds);
  if (!held) return std::move(held).error();
  if (held->damage) return std::move(*held->damage);
  return std::string(held->bytes);
}

class bubbles_options final : public command_options {
 public:
  void list(option_list& all, options& into) override {
    list_path(all, into);
    all.group("Bubbles");
    all.value("--plane,--device", into.bubbles.device, "TEXT", "Only devices whose name contains TEXT");
    all.value("--window-policy", windows_, "HOW",
              "Where steps end: guide (next marker), marker, or device (last kernel)");
    all.value("--step-pattern", into.bubbles.step_pattern, "REGEX", "Whole names of events that mark a step");
    all.repeated("--threshold", thresholds_, "NAME=VALUE", "One threshold, may be repeated; --json lists them all");
    all.value("--thresholds", threshold_file_, "FILE", "A TOML file with a table [bubbles] of thresholds");
    all.value("--compat", compat_, "WHAT", "'reference': tags by the letter of the reference script");
    output_.list(all, into);
    input_.list(all, into);
  }

  [[nodiscard]] std::optional<fault> understand(options& into) const override {
    using profkit::window_policy;
    if (auto wrong = understand_word<window_policy>(
            "--window-policy", windows_, into.bubbles.windows,
            {{"guide", window_policy::guide}, {"marker", window_policy::marker}, {"device", window_policy::device}}))
      return wrong;
    if (auto wrong = understand_word<bool>("--compat", compat_, into.bubbles.reference, {{"reference", true}}))
      return wrong;
    if (auto wrong = understand_thresholds(into.bubbles)) return wrong;
    if (auto wrong = input_.understand(into)) return wrong;
    return output_.understand(into);
  }

 private:
  [[nodiscard]] std::optional<fault> understand_thresholds(profkit::bubble_options& into) const {
    if (!threshold_file_.empty()) {
      const auto read = read_text_file(threshold_file_);
      if (!read) return read.error();
      auto thresholds = profkit::read_thresholds(*read, threshold_file_);
      if (!thresholds) return std::move(thresholds).error();
      into.thresholds = *thresholds;
    }
    for (const std::string& one : thresholds_) {
      const std::size_t equals = one.find('=');
      if (equals == std::string::npos)
        return wrong_value("--threshold", one, "no NAME=VALUE", "write it as in idle_ratio=0.25");
      const std::string_view words = one;
      if (auto set = profkit::set_threshold(into.thresholds, words.substr(0, equals), words.substr(equals + 1)); !set)
        return std::move(set).error();
    }
    return std::nullopt;
  }

  std::string windows_, threshold_file_, compat_;
  std::vector<std::string> thresholds_;
  output_words output_;
  input_words input_;
};

}  // namespace

std::unique_ptr<command_options> bubbles_command_options() { return std::make_unique<bubbles_options>(); }

}  // namespace profkit_tool
