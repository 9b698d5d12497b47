// What the tests of the C ABI share: handles that free themselves, and writers of small captures.
#pragma once
#include <profkit/profkit.hpp>
#include <catch.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"

namespace profkit::test {

struct freed {
  void operator()(pk_profile* p) const noexcept { pk_profile_free(p); }
  void operator()(pk_error* e) const noexcept { pk_error_free(e); }
  void operator()(pk_cancel_token* t) const noexcept { pk_cancel_token_free(t); }
  void operator()(pk_module_list* m) const noexcept { pk_module_list_free(m); }
  void operator()(pk_memory* m) const noexcept { pk_memory_free(m); }
  void operator()(pk_merge* m) const noexcept { pk_merge_free(m); }
  void operator()(pk_clock* c) const noexcept { pk_clock_free(c); }
  void operator()(pk_validation* v) const noexcept { pk_validation_free(v); }
  void operator()(pk_bubbles* b) const noexcept { pk_bubbles_free(b); }
  void operator()(pk_architecture* a) const noexcept { pk_architecture_free(a); }
  void operator()(pk_chrome_reader* r) const noexcept { pk_chrome_free(r); }
};
template <class Handle>
using owned = std::unique_ptr<Handle, freed>;

// Write callbacks: into the std::string that `user` points to, and one that takes nothing.
inline std::int32_t append(void* user, const void* data, std::size_t size) {
  static_cast<std::string*>(user)->append(static_cast<const char*>(data), size);
  return 0;
}
inline std::int32_t refuse(void*, const void*, std::size_t) { return 1; }

[[nodiscard]] inline std::string_view text_of(const pk_str& text) { return {text.data, text.size}; }

// Bindings whose rows borrow from an analysis rely on it; a checker of memory sees where it fails.
template <class Row, class Analysis>
void check_text_outlives_table(const Analysis& analysis, std::initializer_list<pk_str Row::*> fields) {
  std::vector<Row> rows;
  std::vector<std::string> texts;
  for (const Row& row : *analysis.template rows<Row>()) {
    rows.push_back(row);
    for (const auto field : fields) texts.emplace_back(text_of(row.*field));
  }  // the table is freed
  REQUIRE_FALSE(rows.empty());
  auto before = texts.begin();
  for (const Row& row : rows)
    for (const auto field : fields) CHECK(text_of(row.*field) == *before++);
}

// An error slot that frees what was written to it.
class error_slot {
 public:
  ~error_slot() { pk_error_free(error_); }
  error_slot() = default;
  error_slot(const error_slot&) = delete;
  error_slot& operator=(const error_slot&) = delete;
  [[nodiscard]] pk_error** out() {
    pk_error_free(error_);
    error_ = nullptr;
    return &error_;
  }
  [[nodiscard]] const pk_error* get() const { return error_; }
  [[nodiscard]] pk_status code() const { return pk_error_code(error_); }
  [[nodiscard]] std::string message() const { return pk_error_message(error_); }

 private:
  pk_error* error_ = nullptr;
};

[[nodiscard]] inline owned<pk_profile> opened(const std::string& path, const pk_open_options* options = nullptr) {
  pk_profile* profile = nullptr;
  error_slot error;
  const pk_status status = pk_profile_open(path.c_str(), options, &profile, error.out());
  INFO(path << ": " << error.message());
  REQUIRE(status == PK_OK);
  return owned<pk_profile>(profile);
}

// `bytes` must outlive the profile.
[[nodiscard]] inline owned<pk_profile> opened_buffer(std::string_view bytes, const char* label = "test.xplane.pb") {
  pk_profile* profile = nullptr;
  error_slot error;
  const pk_status status = pk_profile_open_buffer(bytes.data(), bytes.size(), label, nullptr, &profile, error.out());
  INFO(error.message());
  REQUIRE(status == PK_OK);
  return owned<pk_profile>(profile);
}

[[nodiscard]] inline std::string tpu_capture() { return data_path("xspace/tpu_v6e_inference.xplane.pb").string(); }
[[nodiscard]] inline std::string gpu_capture() { return data_path("xspace/jax08_gemm_mi300.xplane.pb").string(); }
[[nodiscard]] inline std::string cpu_run() { return data_path("jax/mlp_nohlo").string(); }

}  // namespace profkit::test
