// What the merge tests share: running a merge into memory, reading the tables of the oracles.
#pragma once
#include <profkit/core/merge.hpp>
#include <profkit/core/profile.hpp>

#include <formats/xspace/xspace_index.hpp>

#include <catch.hpp>

#include "../main/support.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace profkit::test {

struct merged {
  std::string bytes;
  result<merge_result> outcome;
  xspace_index index;
};

inline merged merge_into_memory(const merge_options& o, const hooks& host = {}, merge_observer* observer = nullptr) {
  std::string bytes;
  auto into = memory_sink(bytes);
  auto outcome = merge_traces(o, *into, host, observer);
  merged m{std::move(bytes), std::move(outcome), {}};
  m.index = index_xspace(m.bytes);
  return m;
}

inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

inline std::string decoded_file(const std::filesystem::path& path) {
  auto from = open_file_source(path.string());
  REQUIRE(from);
  auto held = hold_bytes(std::move(*from));
  REQUIRE(held);
  return std::string(held->bytes);
}

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// A folder of its own that goes away with the object.
class scratch_folder {
 public:
  scratch_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "profkit-merge-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The events of a line as the view gives them.
inline std::vector<event_view> events_of(const line_index& line) {
  std::vector<event_view> all;
  for (const event_view e : line_view(line.body).events()) all.push_back(e);
  return all;
}

}  // namespace profkit::test
