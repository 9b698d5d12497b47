// Shows every event of a merge to an observer.
#pragma once
#include "merge_plan.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<void> observe_events(const merge_plan& plan, merge_observer& observer);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
