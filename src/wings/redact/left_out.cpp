// What stands for redaction in a build without it.
#include <profkit/core/export.hpp>
#include <profkit/core/redaction.hpp>

#include <base/left_out.hpp>
#include <read/redacted_capture.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<void> redact_capture(capture& c, std::unique_ptr<source>) { return built_without("redaction", "redact", c.path); }
result<void> write_redaction(const redaction&, sink&) { return built_without("redaction", "redact"); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
