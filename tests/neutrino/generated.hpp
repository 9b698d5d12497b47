// Trace folders with known truth, made by the corpus's generator into a folder that goes with the test.
#pragma once
#include <main/support.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <unistd.h>

namespace profkit::test {

class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "profkit-neutrino-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// Runs the generator; false when the corpus or python is not there.
inline bool generate_traces(const std::filesystem::path& into, unsigned seed, const std::string& only = {}) {
  const auto generator = corpus_path("oracles/neutrino/gen_neutrino.py");
  if (!generator) return false;
  const std::string command = "python3 '" + generator->string() + "' '" + into.string() + "' --seed " +
                              std::to_string(seed) + (only.empty() ? "" : " --only " + only) + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

}  // namespace profkit::test
