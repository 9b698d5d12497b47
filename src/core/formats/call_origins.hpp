// Where in the program of a host a call was made: the operators, modules and lines of code around it.
#pragma once
#include <profkit/core/activity.hpp>

#include <base/hash_map.hpp>
#include <base/open_calls.hpp>
#include <base/string_table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A line of code of the user's, or of a library that is written with PyTorch: "model.py(31): forward".
[[nodiscard]] bool is_source_line(std::string_view name) noexcept;

// The operator of a span of kind op, as autograd numbers it: what runs backward has the number of what ran forward.
struct autograd_number {
  std::size_t span = 0;  // its position in the spans
  std::int64_t number = 0;
};

// The line of code that called an operator, where the recorder wrote it into the operator's record.
struct calling_line {
  std::size_t span = 0;
  string_id line = 0;
};

// What is known of spans beside their names.
struct origin_evidence {
  std::vector<autograd_number> numbers;
  std::vector<calling_line> lines;
  // Operators without "::" in their names are calls of the device's library, which operators of the framework make.
  bool has_library_calls = false;
};

// A call that gave work to a device.
struct origin_query {
  std::uint32_t thread = no_thread;
  std::int64_t at_ps = 0;  // when it began
  std::size_t kernel = 0;  // whatever the caller knows it by
  std::uint32_t origin = 0;  // the answer: 1 + an index into `origins`, 0 where no span lies around it
  std::size_t operation = 0;  // likewise: 1 + the position of the span of its innermost operator
};

// Finds the origin of each call.
// One pass over the spans, and one more where autograd numbers say what belongs together.
class call_origins {
 public:
  call_origins(const std::vector<host_span>& spans, const origin_evidence& evidence, string_table& strings,
               std::vector<kernel_origin>& origins);
  // Answers them all, in an order of its own.
  void find(std::vector<origin_query>& queries);
  // That origin with the ranges of another; 0: none.
  [[nodiscard]] std::uint32_t with_ranges_of(std::uint32_t origin, std::uint32_t other);

 private:
  // What a span means to what is called inside it.
  enum class meaning : std::uint8_t { nothing, op, library_call, module, range, frame, backward, optimizer };
  struct known_name {
    meaning what = meaning::nothing;
    string_id shown = 0;  // the name without "nn.Module: "
    bool is_known = false;
  };
  // What holds inside a span.
  struct holding {
    std::uint32_t origin = 0;
    std::size_t operation = 0;
    bool is_frame = false;
    std::int64_t node = -1;  // autograd's number of the innermost node around that runs backward
  };

  // Goes through all spans of each thread: before(span) when it begins, after(span, its origin) once it is open, end(thread).
  template <class Before, class After, class End>
  void sweep(Before&& before, After&& after, End&& end);
  [[nodiscard]] std::uint32_t inside(const holding& around, std::size_t span);
  [[nodiscard]] const known_name& meaning_of(const host_span& s);
  [[nodiscard]] meaning meaning_of_operator(std::string_view name) const;
  [[nodiscard]] string_id line_of(std::size_t span) const { return lines_.empty() ? 0 : lines_[span]; }
  void answer(origin_query& query);
  void find_ranges_of_callers(std::vector<origin_query>& queries);
  void leave_frames(const host_span& s);
  [[nodiscard]] std::uint32_t number_of(const kernel_origin& o);
  [[nodiscard]] bool begins_again(const holding& around, std::size_t span) const;
  [[nodiscard]] string_id within(string_id around, std::string_view separator, string_id name);
  [[nodiscard]] string_id module_within(string_id around, string_id name);
  void note_forward(std::size_t span, std::uint32_t origin);

  const std::vector<host_span>& spans_;
  string_table& strings_;
  std::vector<kernel_origin>& origins_;
  std::vector<std::size_t> order_;  // of the spans: by thread, then by start, outer ones first
  bool has_library_calls_;
  std::vector<std::int64_t> numbers_;  // by span; empty where none has one
  std::vector<string_id> lines_;       // likewise
  std::vector<known_name> names_;
  open_calls<holding> open_;  // of the thread
  // The ranges that were open from then on.
  struct open_range {
    std::int64_t start_ps, end_ps;
    std::uint32_t thread, origin;
  };
  std::vector<open_range> ranges_;
  struct forward_op {
    std::uint32_t thread, origin;
    bool is_ambiguous;
  };
  hash_map<std::int64_t, forward_op> forward_;  // by autograd's number
  hash_set<std::int64_t> backward_;              // numbers of what runs backward
  hash_set<string_id> forward_modules_;
  hash_map<std::array<std::uint32_t, 7>, std::uint32_t> known_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
