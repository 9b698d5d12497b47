#include <read/activity_parts.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<void> fill_activity_from_xspace(activity_parts&) { return {}; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
