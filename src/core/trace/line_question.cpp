#include <trace/line_question.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<void> run_questions(const profile& p, const std::vector<line_question*>& questions, const hooks& host) {
  std::vector<line_pass*> first, all;
  bool again = false;
  for (line_question* const one : questions) {
    again = again || one->may_read_again();
    if (line_pass* const pass = one->first_pass()) first.push_back(pass);
  }
  if (!first.empty())
    if (auto read = scan_streamed_lines(p, first, again, host); !read) return read;
  for (line_question* const one : questions) {
    if (auto prepared = one->prepare(); !prepared) return prepared;
    all.push_back(&one->pass());
  }
  if (auto read = scan_lines(p, all, host); !read) return read;
  for (line_question* const one : questions)
    if (auto finished = one->finish(); !finished) return finished;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
