#include "options.hpp"

using namespace profkit::capi;

pk_status pk_cancel_token_new(pk_cancel_token** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> profkit::result<pk_status> {
    if (!out) return null_argument("out");
    *out = new pk_cancel_token;
    return PK_OK;
  });
}

void pk_cancel_token_cancel(pk_cancel_token* token) noexcept {
  if (token) token->cancelled.store(true, std::memory_order_relaxed);
}

void pk_cancel_token_free(pk_cancel_token* token) noexcept { delete token; }
