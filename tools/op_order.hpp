// --sort of the commands that list totals.
#pragma once
#include "command_line/shared_options.hpp"
#include "command_line/words.hpp"

#include <optional>

namespace profkit_tool {

class order_option {
 public:
  void list(option_list& all) { all.value("--sort", order_.typed, "KEY", "total, self or count (default total)").offer_words(order_.words()); }
  [[nodiscard]] std::optional<profkit::fault> understand(options& into) const { return order_.understand("--sort", into.order); }

 private:
  choice<op_order> order_{{"total", op_order::total}, {"self", op_order::self}, {"count", op_order::count}};
};

[[nodiscard]] inline const char* order_text(op_order order) noexcept {
  return order == op_order::self ? "self time" : order == op_order::count ? "count" : "total time";
}

}  // namespace profkit_tool
