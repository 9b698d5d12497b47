// Parts that the memory document and the reference's document have in common.
#pragma once
#include <export/json/document.hpp>

#include <profkit/core/memory.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// Fields of the seed's schema version 2 keep its types: ids, addresses and ns are numbers there.
struct memory_style {
  bool reference = false;  // exactly the reference's fields
  std::uint64_t top = 30;
};

void write_hlo_block(json_writer& out, const hlo_report& h, const memory_result& r, const memory_style& style);
void write_runtime_block(json_writer& out, const runtime_report& t, const memory_result& r, const memory_style& style);
void write_runtime_diagnostics(json_writer& out, const runtime_diagnostics& d, const memory_style& style);

// The options that the filters of a document mean.
[[nodiscard]] memory_options memory_options_of(const anatomy_options& o);
// The whole document.
document_status write_memory(json_writer& out, const profile& p, const memory_options& o, const memory_result& found);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
