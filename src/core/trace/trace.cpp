#include <profkit/core/trace.hpp>

#include <base/contained.hpp>
#include <profkit/core/activity.hpp>

#include <mutex>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct trace::state {
  std::mutex reading;
  std::shared_ptr<const activity> all;
};

trace::trace(std::shared_ptr<const profile> of) : of_(std::move(of)), state_(std::make_unique<state>()) {}
trace::trace(const profile& of) : trace(std::shared_ptr<const profile>(std::shared_ptr<const void>(), &of)) {}
trace::~trace() = default;

bool trace::has_traces() const noexcept {
  for (const file_content held : {file_content::trace_events, file_content::kernel_table, file_content::totals_table,
                                  file_content::op_totals, file_content::recording})
    if (!of_->files_with(held).empty()) return true;
  return false;
}

result<std::shared_ptr<const activity>> trace::all_activity(const hooks& host) const {
  return contained([&]() -> result<std::shared_ptr<const activity>> {
    const std::lock_guard<std::mutex> lock(state_->reading);
    if (state_->all == nullptr) {
      auto read = read_activity(of_, {}, host);
      if (!read) return read;
      state_->all = std::move(*read);
    }
    return state_->all;
  });
}

result<std::shared_ptr<const activity>> trace::some_activity(const activity_options& options, const hooks& host) const {
  const bool is_all = options.device.empty() && options.step_pattern.empty() && options.details && !options.operators;
  return is_all ? all_activity(host) : read_activity(of_, options, host);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
