// --sort of the commands that list totals.
#pragma once
#include "command_line/shared_options.hpp"
#include "command_line/words.hpp"

#include <optional>

namespace profkit_tool {

enum class op_order { total, self, count };

class order_option {
 public:
  op_order value = op_order::total;

  void list(option_list& all) { all.value("--sort", order_.typed, "KEY", "total, self or count (default total)").offer_words(order_.words()); }
  [[nodiscard]] std::optional<profkit::fault> understand() { return order_.understand("--sort", value); }

 private:
  choice<op_order> order_{{"total", op_order::total}, {"self", op_order::self}, {"count", op_order::count}};
};

[[nodiscard]] inline const char* order_text(op_order order) noexcept {
  return order == op_order::self ? "self time" : order == op_order::count ? "count" : "total time";
}

}  // namespace profkit_tool
