// The questions that one scan of the lines answers together. Each keeps its options and a reference to the rest.
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/framework.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/modules.hpp>
#include <profkit/core/ops.hpp>
#include <trace/line_question.hpp>

#include <memory>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::unique_ptr<line_question> info_question(const trace& t, const query_filters& o, const hooks& host, info_result& into);
std::unique_ptr<line_question> ops_question(const trace& t, const query_filters& o, const hooks& host, ops_result& into);
std::unique_ptr<line_question> framework_question(const trace& t, const query_filters& o, const hooks& host,
                                                  framework_result& into);
// Runs by the stats `run_id` and `program_id` of what threads of hosts recorded; by file and program.
std::unique_ptr<line_question> program_runs_question(const trace& t, const query_filters& o, const hooks& host,
                                                     std::vector<program_runs>& into);

// Answers one of them alone.
template <class Result>
result<Result> answer_alone(std::unique_ptr<line_question> (*make)(const trace&, const query_filters&, const hooks&,
                                                                   Result&),
                            const trace& t, const query_filters& o, const hooks& host) {
  Result found;
  const std::unique_ptr<line_question> question = make(t, o, host, found);
  if (result<void> done = run_questions(t.files(), {question.get()}, host); !done) return std::move(done).error();
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
