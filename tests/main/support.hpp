// What every Catch2 test program shares: where inputs lie, and how a case says that it was skipped.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace profkit::test {

/// Root of the source tree (PROFKIT_SOURCE_ROOT, which the build sets for every test).
std::filesystem::path source_root();

/// A file or folder under tests/data.
std::filesystem::path data_path(const std::string& relative);

/// A file or folder of the large corpus: under PROFKIT_CORPUS, else `../shared` beside the source root.
/// Empty when it is not there; the case then says PROFKIT_SKIP_WITHOUT_CORPUS.
std::optional<std::filesystem::path> corpus_path(const std::string& relative);

/// Counts the running case as skipped and prints why. A case that has failed stays failed.
void note_skip(const std::string& reason);

/// Whether this build has left out that part (an option of meson_options.txt, by its name).
bool is_left_out(const std::string& part);

}  // namespace profkit::test

/// Leaves the running test case (use it in the TEST_CASE's own body) and counts it as skipped.
#define PROFKIT_SKIP(reason)              \
  do {                                    \
    ::profkit::test::note_skip((reason)); \
    return;                               \
  } while (false)

/// The same where files of the large corpus are not there: scripts/count_tests.py knows that reason.
#define PROFKIT_SKIP_WITHOUT_CORPUS PROFKIT_SKIP("needs PROFKIT_CORPUS")

/// Leaves the running test case, skipped, in a build without that part.
#define PROFKIT_NEEDS(part) \
  if (::profkit::test::is_left_out(part)) PROFKIT_SKIP("built without " part)
