// What is inside a capture: the eight slices of the anatomy, over all files, hosts and planes.
//
// Everything is a pure function of an opened profile. Names and stats in the results are spans of the
// profile's bytes and live as long as it does. Times are ps relative to the capture origin.
#pragma once
#include <profkit/core/communication.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/finding.hpp>
#include <profkit/core/framework.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/modules.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/row_iterator.hpp>
#include <profkit/core/steps.hpp>
#include <profkit/core/tree.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// What the slices say taken together: damage, incompleteness, files on no common clock, modules that differ
/// from their dump, time that devices waited for asynchronous operations. Most recoverable first.
std::vector<finding> analyse_findings(const profile& p, const info_result& info, const modules_result& modules,
                                      const collectives_result& collectives);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
