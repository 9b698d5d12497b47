// Where in the program of a host a call was made: the operators, modules and lines of code around it.
#pragma once
#include <profkit/core/activity.hpp>

#include <base/hash_map.hpp>
#include <base/string_table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The operator of a span of kind op, as autograd numbers it: what runs backward has the number of what ran forward.
struct autograd_number {
  std::size_t span = 0;  // its position in the spans
  std::int64_t number = 0;
};

// A call that gave work to a device.
struct origin_query {
  std::uint32_t thread = no_thread;
  std::int64_t at_ps = 0;  // when it began
  std::size_t kernel = 0;  // whatever the caller knows it by
};

// Finds the origin of each call: found(kernel, origin), the origin 1 + an index into `origins`, 0 where no span lies around it.
// One pass over the spans of each thread in which a call was made, and one more over all where autograd numbers say what belongs
// together.
class call_origins {
 public:
  call_origins(const std::vector<host_span>& spans, const std::vector<autograd_number>& numbers, string_table& strings,
               std::vector<kernel_origin>& origins);
  template <class Found>
  void find(std::vector<origin_query> queries, Found&& found) {
    answer(queries);
    for (std::size_t i = 0; i < queries.size(); ++i) found(queries[i].kernel, answers_[i]);
  }

 private:
  // What a span means to what is called inside it.
  enum class meaning : std::uint8_t { nothing, op, module, frame, backward, optimizer };
  struct known_name {
    meaning what = meaning::nothing;
    string_id shown = 0;  // the name without "nn.Module: "
    bool is_known = false;
  };
  struct open_span {
    std::int64_t end_ps;
    std::uint32_t origin;  // 1 + index of what holds inside it
  };

  void answer(std::vector<origin_query>& queries);
  void sweep(std::size_t first, std::size_t last, const std::vector<origin_query>& queries, std::size_t& query);
  [[nodiscard]] std::uint32_t inside(std::uint32_t around, std::size_t span);
  [[nodiscard]] const known_name& meaning_of(const host_span& s);
  [[nodiscard]] std::uint32_t number_of(const kernel_origin& o);
  void note_forward(std::size_t span, std::uint32_t origin);

  const std::vector<host_span>& spans_;
  string_table& strings_;
  std::vector<kernel_origin>& origins_;
  std::vector<std::size_t> order_;  // of the spans: by thread, then by start, outer ones first
  std::vector<std::int64_t> numbers_;  // by span; empty where none has one
  std::vector<std::uint32_t> answers_;
  std::vector<known_name> names_;
  std::vector<open_span> open_;
  struct forward_op {
    std::uint32_t thread, origin;
    bool is_ambiguous;
  };
  hash_map<std::int64_t, forward_op> forward_;  // by autograd's number
  hash_map<std::array<std::uint32_t, 5>, std::uint32_t> known_;
  bool answers_wait_ = false;  // the pass that looks at what ran forward
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
