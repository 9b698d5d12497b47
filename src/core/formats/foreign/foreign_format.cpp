#include <formats/foreign/foreign_format.hpp>

#include <profkit/core/capture.hpp>
#include <base/affix.hpp>
#include <formats/chrome/json_outline.hpp>
#include <formats/foreign/foreign_message.hpp>
#include <formats/foreign/pickle_head.hpp>
#include <formats/foreign/sqlite_schema.hpp>
#include <formats/probe_wire.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using namespace std::string_view_literals;

// So much of a JSON text is looked at; the outer object of a trace is found earlier.
constexpr std::size_t max_json_bytes = max_probe_bytes;

template <sqlite_kind Kind>
bool is_sqlite_of(std::string_view bytes) noexcept {
  return kind_of_sqlite(bytes) == Kind;
}

template <bool (*Is)(const json_outline&) noexcept>
bool is_json_of(std::string_view bytes) noexcept {
  return Is(outline_json(bytes.substr(0, max_json_bytes)));
}
bool is_other_json(const json_outline& of) noexcept { return of.is_json && of.is_whole && !of.has("traceEvents"); }
bool is_cut_json(const json_outline& of) noexcept { return of.is_json && !of.is_whole && !of.has("traceEvents"); }

// The page of a column chunk, or the footer of a file without one, follows: a Thrift struct whose field 1 is a number.
bool is_parquet(std::string_view bytes) noexcept { return bytes.size() > 4 && bytes[4] == '\x15'; }

// A size of blocks, then the first block.
bool is_bzip2_block(std::string_view bytes) noexcept { return bytes.size() > 4 && bytes.substr(4, 6) == "1AY&SY"; }

bool is_tar(std::string_view bytes) noexcept {
  constexpr std::size_t magic_at = 257;
  return bytes.size() > magic_at && bytes.substr(magic_at, 5) == "ustar";
}

bool is_gzip_or_zstd(std::string_view bytes) noexcept {
  return bytes.substr(0, 3) == "\x1f\x8b\x08"sv || bytes.substr(0, 4) == "\x28\xb5\x2f\xfd"sv;
}

bool is_web_page(std::string_view bytes) noexcept {
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const std::string_view from = bytes.substr(start);
  for (const std::string_view tag : {"<!doctype html"sv, "<html"sv}) {
    std::size_t same = 0;
    while (same < tag.size() && same < from.size() && (from[same] | 0x20) == (tag[same] | 0x20)) ++same;
    if (same == tag.size()) return true;
  }
  return false;
}

constexpr const char* unpack = "Unpack it and give what is inside.";
constexpr const char* of_rocm =
    "None of rocprofv3's formats is read: record with torch.profiler (*.pt.trace.json) or jax.profiler (*.xplane.pb), "
    "which work on ROCm too.";
constexpr const char* of_nsys =
    "No report or export of nsys is read: nsys-ui shows its reports; or record with torch.profiler (*.pt.trace.json) "
    "or jax.profiler (*.xplane.pb).";
constexpr const char* of_snapshot =
    "https://docs.pytorch.org/memory_viz shows it, in the browser; nothing is uploaded.";

// The first that matches is the one. A row goes when its format gets a reader.
constexpr foreign_format foreign_table[] = {
    // SQLite: https://www.sqlite.org/fileformat2.html, 1.3. Tables of Nsight Systems: its User Guide, "Exporter SQLite
    // Schema"; of rocprofv3: rocprofiler-sdk, source/share/rocprofiler-sdk-rocpd/rocpd_tables.sql; of RocmProfileData:
    // https://github.com/ROCm/rocmProfileData; of Ascend: the files of torch_npu and msprof themselves.
    {"an SQLite export of Nsight Systems",
     "tables StringIds and CUPTI_ACTIVITY_KIND_*, TARGET_INFO_SYSTEM_ENV or the like",
     of_nsys, "SQLite format 3\0"sv, is_sqlite_of<sqlite_kind::nsys>, ""},
    {"a rocpd database of rocprofv3", "tables rocpd_info_*", of_rocm, "SQLite format 3\0"sv,
     is_sqlite_of<sqlite_kind::rocprofv3>, ""},
    {"a database of RocmProfileData", "tables rocpd_api and rocpd_op",
     "`rpd2tracing.py FILE.rpd FILE.json` of RocmProfileData converts it to a Chrome trace: open that.",
     "SQLite format 3\0"sv,
     is_sqlite_of<sqlite_kind::rpd>, ""},
    {"a database of the Ascend profiler", "tables NPU_INFO and SESSION_TIME_INFO",
     "Give the folder with kernel_details.csv and trace_view.json: torch_npu writes them with export_type Text, msprof "
     "with --export=on --type=text.",
     "SQLite format 3\0"sv, is_sqlite_of<sqlite_kind::ascend>, ""},
    {"an SQLite database", "begins with \"SQLite format 3\"",
     "Export it as text or JSON with the profiler that wrote it.",
     "SQLite format 3\0"sv, nullptr, ""},
    // https://github.com/google/riegeli/blob/master/doc/riegeli_records_file_format.md
    {"a Riegeli file", "begins with 83 af 70 d1 0d 88 4a 3f", "Unpack its records: each may be an XSpace.",
     "\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"sv, nullptr, ""},
    // https://parquet.apache.org/docs/file-format/, https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format,
    // https://docs.hdfgroup.org/hdf5/develop/_f_m_t3.html
    {"a Parquet table", "begins with PAR1 and a page of Thrift", "Give the capture that the table was made from.",
     "PAR1"sv,
     is_parquet, ""},
    {"an Arrow file", "begins with ARROW1", "Give the capture that the table was made from.", "ARROW1\0\0"sv, nullptr,
     ""},
    {"an HDF5 file", "begins with 89 HDF", "Give the capture that it was made from.", "\x89HDF\r\n\x1a\n"sv, nullptr,
     ""},
    // https://docs.python.org/3/library/pickletools.html; torch/cuda/memory.py, _dump_snapshot()
    {"a snapshot of PyTorch's memory, as a pickle",
     "a pickle of a dict with \"segments\" first, then \"total_size\" or \"device_traces\"",
     of_snapshot, "\x80"sv, is_memory_snapshot, ""},
    {"a Python pickle", "opcodes of protocol 2 to 5",
     "It is never loaded, for it may run code. Give what the profiler wrote itself.", "\x80"sv, is_pickle, ""},
    // https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, POSIX.1 ustar, and the pages of the others
    {"a ZIP archive", "begins with PK 03 04", unpack, "PK\x03\x04"sv, nullptr, ""},
    {"a 7z archive", "begins with 7z bc af 27 1c", unpack, "7z\xbc\xaf\x27\x1c"sv, nullptr, ""},
    {"a file packed with xz", "begins with fd 7zXZ 00", "Unpack it: only gzip and zstd are read as they are.",
     "\xfd" "7zXZ\0"sv, nullptr, ""},
    {"a file packed with bzip2", "begins with BZh and a block", "Unpack it: only gzip and zstd are read as they are.",
     "BZh"sv,
     is_bzip2_block, ""},
    {"a tar archive", "ustar at byte 257", unpack, "", is_tar, ""},
    {"a file that was packed twice", "begins with the signature of gzip or zstd after it was unpacked",
     "Unpack it once.", "",
     is_gzip_or_zstd, ""},
    {"a program", "begins with 7f ELF", "Give what its profiler wrote.", "\x7f" "ELF"sv, nullptr, ""},
    // https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
    {"a pointer of Git LFS", "begins with \"version https://git-lfs\"", "`git lfs pull` fetches the file itself.",
     "version https://git-lfs.github.com/spec/"sv, nullptr, ""},
    {"a web page", "begins with <!doctype html> or <html>",
     "If it came in place of a download, fetch the file again.", "", is_web_page, ""},
    // tensorflow/core/util/event.proto, tensorflow/core/lib/io/record_writer.cc
    {"a file of TensorFlow events", "a record with \"brain.Event:\"",
     "The profile lies beside it, in plugins/profile: give that folder, or an *.xplane.pb.", "", is_events_file, ""},
    // tensorflow/core/protobuf/saved_model.proto, meta_graph.proto
    {"a SavedModel", "a version, then a graph with its tags or TensorFlow's version, and nodes",
     "That is a model, not a profile: record one with tf.profiler or jax.profiler (*.xplane.pb).", "",
     is_saved_model,
     ""},
    // https://github.com/google/pprof/blob/main/proto/profile.proto
    {"a pprof profile", "kinds of samples, and a table of strings whose first is empty",
     "pprof shows it; of a run of JAX give the folder with its *.xplane.pb.", "", is_pprof, ""},
    // https://perfetto.dev/docs/reference/trace-packet-proto
    {"a Perfetto trace", "nothing but packets with a time or a sequence",
     "Open it on ui.perfetto.dev, or give the capture that it was exported from.", "", is_perfetto, ""},
    // https://www.speedscope.app/file-format-schema.json; Chrome DevTools Protocol, Profiler.Profile;
    // torch/cuda/_memory_viz.py; pytorch/torch/csrc/profiler/standalone/execution_trace_observer.cpp;
    // rocprofiler-sdk, "Using rocprofv3", output formats
    {"a Speedscope profile", "JSON whose $schema is Speedscope's",
     "https://www.speedscope.app shows it; a sampled stack has no times of devices.", "", is_json_of<is_speedscope>,
     ""},
    {"a CPU profile of Chrome or Node.js", "JSON with nodes that have a callFrame, startTime and endTime",
     "The developer tools of Chrome show it; it has no times of devices.", "", is_json_of<is_cpu_profile>, ""},
    {"a snapshot of PyTorch's memory, as JSON", "JSON with segments and device_traces",
     "Give the trace of torch.profiler (*.pt.trace.json); memory_viz shows snapshots that are pickles.", "",
     is_json_of<is_memory_snapshot>, ""},
    {"an execution trace of PyTorch", "JSON with nodes whose schema is Chakra's",
     "Give the trace of torch.profiler that was recorded with it (*.pt.trace.json).", "",
     is_json_of<is_execution_trace>,
     ""},
    {"JSON of rocprofv3", "JSON with rocprofiler-sdk-tool", of_rocm, "", is_json_of<is_rocprofv3>, ""},
    {"JSON without \"traceEvents\"", "whole JSON, of no kind above",
     "Give the trace that the profiler wrote (*.trace.json, *.pt.trace.json, trace_view.json).", "",
     is_json_of<is_other_json>, ""},
    {"JSON that ends early, without \"traceEvents\" so far", "JSON whose last bracket is missing",
     "Fetch or export the file again.", "", is_json_of<is_cut_json>, ""},
    // Nothing public says how such a file begins. https://docs.nvidia.com/nsight-systems/UserGuide/
    {"a report of Nsight Systems", "name *.nsys-rep", of_nsys, "", nullptr, ".nsys-rep"},
    {"a report of Nsight Systems", "name *.qdrep", of_nsys, "", nullptr, ".qdrep"},
};

constexpr const char* readable = "an XSpace, a Chrome trace, an HLO module, an Ascend table or a Neutrino trace";

fault fault_of(const foreign_format& known) {
  fault f;
  f.code = fault_code::unrecognised;
  f.message = std::string("this is ") + known.name + ", which is not read: expected " + readable;
  f.hint = known.next + std::string(" `profkit info --why FILE` says what was looked at.");
  return f;
}

}  // namespace

foreign_format_list foreign_formats() noexcept { return {foreign_table, sizeof foreign_table / sizeof *foreign_table}; }

bool is_of(const foreign_format& format, std::string_view bytes, std::string_view file_name) noexcept {
  if (!format.suffix.empty()) return ends_with(file_name, format.suffix);
  return bytes.substr(0, format.begins.size()) == format.begins && (format.is == nullptr || format.is(bytes));
}

const foreign_format* find_foreign_format(std::string_view bytes, std::string_view file_name) noexcept {
  for (const foreign_format& known : foreign_table)
    if (is_of(known, bytes, file_name)) return &known;
  return nullptr;
}

fault unrecognised(std::string_view bytes, std::string_view file_name) {
  if (const foreign_format* const known = find_foreign_format(bytes, file_name)) return fault_of(*known);
  fault f;
  f.code = fault_code::unrecognised;
  f.message =
      "no reader knows these bytes: not an XSpace, a Chrome trace, an HLO module, an Ascend table or a Neutrino trace";
  f.hint = "If they are another protobuf message, `profkit dump --type raw` shows it. `profkit info --why FILE` says "
           "what was looked at.";
  return f;
}

std::optional<fault> why_another(std::string_view bytes) {
  constexpr std::size_t long_enough = 4;  // no message, and no text of a trace, begins so
  for (const foreign_format& known : foreign_table)
    if (known.begins.size() >= long_enough && is_of(known, bytes, {})) return fault_of(known);
  if (is_web_page(bytes)) return unrecognised(bytes);
  return std::nullopt;
}

std::optional<fault> why_not_begun_xspace(std::string_view bytes) {
  if (probe_xspace(bytes.substr(0, probe_bytes)).sure >= detection_confidence::likely) return std::nullopt;
  return unrecognised(bytes);
}

std::optional<fault> why_not_xspace(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, probe_bytes);
  if (probe_xspace(head).sure >= detection_confidence::likely || !is_foreign_message(bytes)) return std::nullopt;
  return unrecognised(bytes);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
