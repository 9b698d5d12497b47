// Totals of ops as Arrow.
#include <profkit/core/anatomy.hpp>

#include <algorithm>
#include <utility>

#include "arrow_batch.hpp"
#include "document.hpp"
#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

enum op_column : std::size_t {
  file_of_op,
  plane_of_op,
  line_of_op,
  name_of_op,
  display_name_of_op,
  category_of_op,
  metadata_id_of_op,
  count_of_op,
  total_of_op,
  self_of_op,
  min_of_op,
  max_of_op,
  flops_of_op,
  bytes_of_op,
  program_of_op,
  clock_of_op,
};

const arrow_columns& op_columns() {
  static const arrow_columns columns = {
      {"file", arrow_type::uint32, ""},       {"plane", arrow_type::name, ""},
      {"line", arrow_type::name, ""},         {"name", arrow_type::name, ""},
      {"display_name", arrow_type::name, ""}, {"category", arrow_type::name, ""},
      {"metadata_id", arrow_type::int64, ""}, {"count", arrow_type::uint64, ""},
      {"total_ps", arrow_type::int64, "ps"},  {"self_ps", arrow_type::int64, "ps"},
      {"min_ps", arrow_type::int64, "ps"},    {"max_ps", arrow_type::int64, "ps"},
      {"flops", arrow_type::uint64, "flop"},  {"bytes_accessed", arrow_type::uint64, "bytes"},
      {"program", arrow_type::name, ""},      {"clock", arrow_type::name, ""},
  };
  return columns;
}

class op_table final : public arrow_table {
 public:
  op_table(pk_profile* profile, ops_result found, std::uint64_t limit)
      : profile_(profile), programs_(profile_.core()), found_(std::move(found)), limit_(limit) {}

  const arrow_columns& columns() const noexcept override { return op_columns(); }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    for (; line_ < found_.lines.size(); ++line_, op_ = 0) {
      const ops_line& line = found_.lines[line_];
      const std::size_t end = limit_ == 0 ? line.ops.size() : std::min<std::size_t>(line.ops.size(), limit_);
      const std::size_t count = std::min(most, end - op_);
      if (count == 0) continue;
      for (std::size_t i = 0; i < count; ++i)
        if (result<void> put = put_op(into, line, line.ops[op_ + i]); !put) return std::move(put).error();
      op_ += count;
      return count;
    }
    if (found_.damage.empty()) return std::size_t{0};
    fault first = std::move(found_.damage.front().what);
    found_.damage.clear();
    return first;
  }

 private:
  result<void> put_op(arrow_batch& into, const ops_line& line, const op_row& op) {
    into.at(file_of_op).put_uint32(line.file);
    if (result<void> put = into.put_name(plane_of_op, line.plane_name); !put) return put;
    if (result<void> put = into.put_name(line_of_op, line.line_name); !put) return put;
    if (result<void> put = into.put_name(name_of_op, op.name); !put) return put;
    if (result<void> put = into.put_name(display_name_of_op, op.display_name); !put) return put;
    const std::vector<named_stat> stats = op_stats(profile_.core(), line, op);
    const named_stat* category = find(stats, op.has_metadata_id ? "hlo_category" : "category");
    if (category == nullptr)
      into.at(category_of_op).put_null();
    else if (result<void> put = into.put_name(category_of_op, category->text); !put)
      return put;
    if (op.has_metadata_id)
      into.at(metadata_id_of_op).put_int64(op.metadata_id);
    else
      into.at(metadata_id_of_op).put_null();
    into.at(count_of_op).put_uint64(op.count);
    into.at(total_of_op).put_int64(op.total_ps);
    into.at(self_of_op).put_int64(op.self_ps);
    into.at(min_of_op).put_int64(op.min_ps);
    into.at(max_of_op).put_int64(op.max_ps);
    put_number(into.at(flops_of_op), find(stats, "flops"));
    put_number(into.at(bytes_of_op), find(stats, "bytes_accessed"));
    if (result<void> put = into.put_name(program_of_op, programs_.name_of(line, op)); !put) return put;
    return into.put_name(clock_of_op, ops_clock_name(line.clock));
  }
  // The last of a name counts.
  static const named_stat* find(const std::vector<named_stat>& stats, std::string_view name) noexcept {
    const auto at = std::find_if(stats.rbegin(), stats.rend(), [&](const named_stat& s) { return s.name == name; });
    return at == stats.rend() ? nullptr : &*at;
  }
  static void put_number(arrow_values& into, const named_stat* stat) {
    const bool is_number = stat != nullptr && (stat->kind == stat_kind::uint64_value ||
                                               (stat->kind == stat_kind::int64_value && stat->bits >> 63 == 0));
    if (is_number)
      into.put_uint64(stat->bits);
    else
      into.put_null();
  }

  profile_reference profile_;
  op_programs programs_;
  ops_result found_;
  std::uint64_t limit_;
  std::size_t line_ = 0, op_ = 0;
};

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_arrow_ops(pk_profile* profile, const pk_document_options* filters, const pk_arrow_options* options,
                       struct ArrowArrayStream* out, pk_error** err) noexcept {
  return open_stream(options, out, err, [&]() -> result<std::unique_ptr<arrow_table>> {
    if (!profile) return null_argument("profile");
    result<pk_document_options> given =
        read_sized_struct<pk_document_options>(filters, PK_DOCUMENT_OPTIONS_INIT, "pk_document_options");
    if (!given) return std::move(given).error();
    result<profkit::anatomy_options> asked = read_filters(*given, profkit::document::ops);
    if (!asked) return std::move(asked).error();
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    result<profkit::ops_result> found = profkit::anatomy_ops(profkit::trace(profile->core), *asked, bridge.core());
    if (!found) return std::move(found).error();
    const std::uint64_t limit = given->limit == PK_LIMIT_DEFAULT ? 0 : given->limit;
    return std::unique_ptr<arrow_table>(std::make_unique<op_table>(profile, std::move(*found), limit));
  });
}
