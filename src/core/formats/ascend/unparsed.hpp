// Raw data of Ascend's profilers, which their own tools parse before it can be read.
#pragma once
#include <profkit/core/discover.hpp>
#include <profkit/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct unparsed_folder {
  const found_folder* folder = nullptr;
  fault why;  // not_found: whose data it is and how to parse it
};

// The folders of torch_npu, MindSpore and msprof that hold raw data and nothing that was made of it, in the order of the
// folders. `root_name` is the name of the first folder, which may be given as ".".
[[nodiscard]] std::vector<unparsed_folder> find_unparsed_ascend(const discovery& found, std::string_view root_name);

// One fault for all of them, of the path below which they were found: what is the same is said once.
[[nodiscard]] fault unparsed_together(const std::vector<fault>& all, const std::string& path);

// Whether `path` is `folder` or lies below it.
[[nodiscard]] bool is_at_or_below(std::string_view path, std::string_view folder) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
