// Sinks that stay inside the program: a string of the caller, or a function of the host.
#include <profkit/core/sink.hpp>

#include <base/contained.hpp>

#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class string_sink final : public sink {
 public:
  explicit string_sink(std::string& into) : into_(into) {}
  result<void> write(std::string_view bytes) override {
    if (failed_) return *failed_;
    auto written = contained([&]() -> result<void> {
      into_.append(bytes);
      return {};
    });
    if (!written.ok()) failed_ = written.error();
    return written;
  }
  result<void> finish() override {
    if (failed_) return *failed_;
    return {};
  }

 private:
  std::string& into_;
  std::optional<fault> failed_;
};

class function_sink final : public sink {
 public:
  function_sink(write_callback callback, void* user) : callback_(callback), user_(user) {}
  result<void> write(std::string_view bytes) override {
    if (failed_) return *failed_;
    if (callback_ == nullptr) {
      failed_ = fault{fault_code::invalid_argument, "no write function was given", "", no_offset, ""};
    } else if (!bytes.empty() && callback_(user_, bytes.data(), bytes.size()) != 0) {
      failed_ = fault{fault_code::cancelled, "the host's write function asked to stop", "", no_offset, ""};
    }
    return finish();
  }
  result<void> finish() override {
    if (failed_) return *failed_;
    return {};
  }

 private:
  write_callback callback_;
  void* user_;
  std::optional<fault> failed_;
};

}  // namespace

std::unique_ptr<sink> memory_sink(std::string& into) { return std::make_unique<string_sink>(into); }

std::unique_ptr<sink> callback_sink(write_callback callback, void* user) {
  return std::make_unique<function_sink>(callback, user);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
