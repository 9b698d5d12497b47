// The filters that documents and tables share.
#pragma once
#include <profkit/core/export.hpp>

#include "options.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// The hooks are left to the caller.
result<anatomy_options> read_filters(const pk_document_options& given, document which);

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
