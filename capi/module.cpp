#include <profkit/core/filters.hpp>
#include <profkit/core/modules.hpp>

#include <utility>
#include <vector>

#include "options.hpp"
#include "profile.hpp"
#include "tables/rows_of_list.hpp"

struct pk_module_list {
  explicit pk_module_list(pk_profile* of) : profile(of) {}
  profkit::capi::profile_reference profile;
  profkit::modules_result found;
  std::vector<std::unique_ptr<profkit::capi::owned_error>> damage;  // one a module; null: it is sound
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {


}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_module_list_open(pk_profile* profile, const pk_hooks* hooks, pk_module_list** out,
                              pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!out) return null_argument("out");
    hook_bridge bridge;
    if (result<void> taken = bridge.take(hooks); !taken) return std::move(taken).error();
    auto list = std::make_unique<pk_module_list>(profile);
    profkit::query_filters all;
    all.limit = 0;
    result<profkit::modules_result> found = profkit::analyse_modules(list->profile.capture(), all, bridge.core());
    if (!found) return std::move(found).error();
    list->found = std::move(*found);
    list->damage.resize(list->found.modules.size());
    for (std::size_t i = 0; i < list->damage.size(); ++i)
      if (const auto& why = list->found.modules[i].damage) list->damage[i] = std::make_unique<owned_error>(*why);
    *out = list.release();
    return PK_OK;
  });
}

size_t pk_module_count(const pk_module_list* modules) noexcept { return modules ? modules->found.modules.size() : 0; }

pk_status pk_module_get(const pk_module_list* modules, size_t module, pk_module_info* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!modules) return null_argument("modules");
    if (!out) return null_argument("out");
    const std::size_t there = modules->found.modules.size();
    if (module >= there)
      return invalid_argument("there is no module " + std::to_string(module) + ": the number of modules is " +
                              std::to_string(there));
    profkit::rows::modules row{};
    profkit::fill(modules->found.modules[module], row);
    *out = row;
    return PK_OK;
  });
}

const pk_error* pk_module_damage(const pk_module_list* modules, size_t module) noexcept {
  return module < pk_module_count(modules) ? modules->damage[module].get() : nullptr;
}

void pk_module_list_free(pk_module_list* modules) noexcept { delete modules; }
