// Questions about a capture that are answered from the events of XSpace lines, several of them from one scan.
#pragma once
#include <trace/line_scan.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class line_question {
 public:
  virtual ~line_question() = default;
  // Of files that are streamed, before anything is known of their planes. Null: they are not looked at yet.
  virtual line_pass* first_pass() { return nullptr; }
  // Whether it may want a file that is streamed once more after that.
  [[nodiscard]] virtual bool may_read_again() const { return true; }
  // Finds out what has to be known before the lines are read.
  virtual result<void> prepare() = 0;
  // After prepare().
  virtual line_pass& pass() = 0;
  // All lines were read: answers the question.
  virtual result<void> finish() = 0;
};

// Answers the questions in their order, reading each line once for all of them. Stops at the first fault.
result<void> run_questions(const profile& p, const std::vector<line_question*>& questions, const hooks& host);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
