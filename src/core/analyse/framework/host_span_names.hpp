// What the hosts of traces did: their spans by name.
#pragma once
#include <trace/filters/select.hpp>
#include <analyse/ops/op_totals.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/framework.hpp>

#include <memory>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The stat that stands for host_span::kind.
inline constexpr std::string_view span_kind_stat = "kind";

// Of one thread or line.
void add_sum(framework_name& into, const op_sum& sum);

// Adds names and the first spans of every host of a trace. Not those of an XSpace, which come with its lines.
result<void> add_host_spans(const profile& p, const std::shared_ptr<const activity>& of, const selection& selected,
                            const query_filters& o, const hooks& host, framework_result& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
