// Probes: how likely it is that some first bytes begin a file of a format. They only read inside the bytes given,
// take one pass, and never fail but for want of memory.
#pragma once
#include <read/detect.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Chrome trace-event JSON: an object with the key traceEvents, or an array of objects with the key ph;
// `possible` where an object of keys goes on behind the head without having told.
[[nodiscard]] probe_result probe_chrome_trace(std::string_view head) noexcept;
// tensorflow.profiler.XSpace by the shape of its fields, also after a text conversion broke it.
[[nodiscard]] probe_result probe_xspace(std::string_view head) noexcept;
// Whether a whole message is of another kind than an XSpace: the fields of its planes do not have the shapes of theirs,
// or there are none of them. Single damaged fields among sound ones do not make it foreign, nor do fields that a later
// version may add; a message without fields, or with empty planes, is none.
[[nodiscard]] bool is_foreign_message(std::string_view bytes) noexcept;
// Whether there is no control character but those of text. Messages always hold some (tags and lengths). Looks at every
// byte.
[[nodiscard]] bool is_plain_text(std::string_view head) noexcept;
// xla.HloProto by the shape of its fields.
[[nodiscard]] probe_result probe_hlo_proto(std::string_view head) noexcept;

// A table of kernels of an Ascend NPU, by its header: kernel_details.csv, op_summary*.csv.
[[nodiscard]] probe_result probe_ascend_kernels(std::string_view head);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
