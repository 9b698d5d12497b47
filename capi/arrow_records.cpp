// Records of a Neutrino map as Arrow.
#include <profkit/neutrino.hpp>

#include <algorithm>
#include <utility>

#include "arrow_tables.hpp"
#include "text.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

using held_records = std::unique_ptr<pk_probe_records, void (*)(pk_probe_records*) noexcept>;

// Records go column by column: there are millions of them.
class record_table final : public arrow_table {
 public:
  record_table(const record_place& place, held_records records, std::vector<pk_probe_field> fields)
      : place_(place),
        columns_(arrow_columns_of(columns_of(table_kind::probe_records))),
        records_(std::move(records)),
        fields_(std::move(fields)) {
    std::sort(fields_.begin(), fields_.end(),
              [](const pk_probe_field& a, const pk_probe_field& b) { return a.declared < b.declared; });
    for (const pk_probe_field& field : fields_)
      columns_.push_back(
          {unused_name(text_in(field.name)), field.bytes == 8 ? column_type::uint64 : column_type::uint32, ""});
  }
  const arrow_columns& columns() const noexcept override { return columns_; }

  result<std::size_t> read(arrow_batch& into, std::size_t most) override {
    rows_.resize(std::min<std::size_t>(most, 1024));
    std::size_t count = 0;
    pk_error* error = nullptr;
    const pk_status status = pk_probe_records_read(records_.get(), rows_.data(), rows_.size(), &count, &error);
    if (status < 0) return take_fault(error);
    if (result<void> put = put_place(into, count); !put) return std::move(put).error();
    for (std::size_t i = 0; i < count; ++i) {
      if (rows_[i].block == PK_PROBE_NO_BLOCK)
        into.at(at_block).put_null();
      else
        into.at(at_block).put_uint64(rows_[i].block);
    }
    auto* const lanes = into.at(at_lane).grow<std::uint64_t>(count);
    for (std::size_t i = 0; i < count; ++i) lanes[i] = rows_[i].lane;
    auto* const places = into.at(at_k).grow<std::uint64_t>(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = rows_[i].k;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (fields_[f].bytes == 8)
        put_field(into.at(first_field + f).grow<std::uint64_t>(count), count, fields_[f].offset);
      else
        put_field(into.at(first_field + f).grow<std::uint32_t>(count), count, fields_[f].offset);
    }
    return count;
  }

 private:
  // In the order of the schema.
  enum column : std::size_t { at_run, at_host, at_file, at_bin, at_block, at_lane, at_k, first_field };

  result<void> put_place(arrow_batch& into, std::size_t count) const {
    for (const auto& [column, text] : {std::pair(at_run, place_.run), std::pair(at_host, place_.host)})
      for (std::size_t i = 0; i < count && into.wants(column); ++i) {
        if (text.empty())
          into.at(column).put_null();
        else if (result<void> put = into.put_name(column, text); !put)
          return put;
      }
    into.at(at_file).put_repeated(place_.file, count);
    into.at(at_bin).put_repeated(place_.bin, count);
    return {};
  }

  template <class T>
  void put_field(T* to, std::size_t count, std::uint32_t offset) const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const char* const at = static_cast<const char*>(rows_[i].data) + offset;
      if constexpr (sizeof(T) == 8)
        to[i] = profkit::detail::probe_u64(at);
      else
        to[i] = profkit::detail::probe_u32(at);
    }
  }
  // Readers look columns up by name: a second one of the same name is numbered.
  [[nodiscard]] std::string unused_name(std::string_view wanted) const {
    const auto is_used = [this](const std::string& name) {
      return std::any_of(columns_.begin(), columns_.end(), [&](const arrow_column& c) { return c.name == name; });
    };
    std::string name(wanted);
    for (unsigned n = 2; is_used(name); ++n) name = std::string(wanted) + "_" + std::to_string(n);
    return name;
  }

  const record_place place_;
  arrow_columns columns_;
  held_records records_;
  std::vector<pk_probe_field> fields_;
  std::vector<pk_probe_record> rows_;
};

}  // namespace

result<std::unique_ptr<arrow_table>> open_records(pk_probe* probe, std::uint32_t map, const record_place& place) {
  const auto bin = static_cast<std::size_t>(place.bin);
  pk_error* error = nullptr;
  pk_probe_map about{};
  if (pk_probe_map_get(probe, bin, map, &about, &error) < 0) return take_fault(error);
  std::vector<pk_probe_field> fields(about.field_count);
  for (std::uint32_t i = 0; i < about.field_count; ++i)
    if (pk_probe_field_get(probe, bin, map, i, &fields[i], &error) < 0) return take_fault(error);
  pk_probe_records* records = nullptr;
  if (pk_probe_records_open(probe, bin, map, &records, &error) < 0) return take_fault(error);
  held_records held(records, pk_probe_records_free);
  return std::unique_ptr<arrow_table>(std::make_unique<record_table>(place, std::move(held), std::move(fields)));
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
