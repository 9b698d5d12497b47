// Kernel tables: headers, bad rows, duplicates, launches, and the spans of hosts by time.
#include "../io/test_files.hpp"

#include <profkit/core/activity.hpp>
#include <profkit/core/info.hpp>

#include <formats/activity_store.hpp>
#include <formats/ascend/ascend_columns.hpp>
#include <formats/ascend/ascend_names.hpp>
#include <formats/ascend/launches.hpp>

#include "support.hpp"

#include <catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using namespace profkit;

namespace {

struct kernels_of final : kernel_visitor {
  kernels_of(const activity& a, std::size_t device) { REQUIRE(a.visit_kernels(device, *this).ok()); }
  result<void> rows(const kernel_row* first, std::size_t count) override {
    all.insert(all.end(), first, first + count);
    return {};
  }
  std::vector<kernel_row> all;
};

std::shared_ptr<const activity> read_text(std::string_view text, const char* label,
                                          const activity_options& options = {}) {
  auto p = profile::open_buffer(text, label);
  REQUIRE(p.ok());
  auto a = read_activity(*p, options);
  REQUIRE(a.ok());
  return *a;
}

std::map<std::string, std::uint64_t> reasons_of(const activity& a) {
  return {a.inputs().at(0).reject_reasons.begin(), a.inputs().at(0).reject_reasons.end()};
}

const std::string header = "Device_id,Name,Type,Accelerator Core,Stream ID,Start Time(us),Duration(us),Wait Time(us)\n";

}  // namespace

TEST_CASE("rows that cannot be taken are counted by reason") {
  const std::string text = header +
                           "0,k,T,AI_CORE,1,1000.5,2,0\n"
                           "0,k,T,AI_CORE,1,N/A,2,0\n"
                           "0,k,T,AI_CORE,1,1000,-,0\n"
                           "0,k,T,AI_CORE,1,1000,-2,0\n"
                           "0,k,T,AI_CORE,1,soon,2,0\n"
                           "0,k,T,AI_CORE,1,1000,long,0\n" +
                           header +
                           "0,k,T,AI_CORE\n"
                           "0,k,T,AI_CORE,1,99999999999999,2,0\n"
                           "0,k,T,AI_CORE,N/A,900,0,N/A\n"
                           "0,k,T,AI_CORE,1,9.1,\"2";
  const auto a = read_text(text, "kernel_details.csv");
  REQUIRE(a->devices().size() == 1);
  const activity_input& in = a->inputs().at(0);
  CHECK(in.rows == 11);
  CHECK(in.rejected == 9);
  CHECK(in.first_rejected_line == 3);
  CHECK(reasons_of(*a) == std::map<std::string, std::uint64_t>{{"no start time", 1},
                                                               {"no duration", 1},
                                                               {"the duration is negative", 1},
                                                               {"the start time is no number", 1},
                                                               {"the duration is no number", 1},
                                                               {"a header in the middle of the table", 1},
                                                               {"the row has fewer fields than the header", 1},
                                                               {"the time lies out of reach (106 days)", 1},
                                                               {"the row ends inside a quoted field", 1}});
  const kernels_of rows(*a, 0);
  REQUIRE(rows.all.size() == 2);
  CHECK(rows.all[0].start_ps == 900'000'000);
  CHECK(rows.all[0].duration_ps == 0);
  CHECK((rows.all[0].flags & kernel_has_stream) == 0);
  CHECK(rows.all[0].wait_ps == no_time_ps);
  CHECK(rows.all[1].start_ps == 1'000'500'000);
  CHECK(rows.all[1].source_row == 2);
}

TEST_CASE("missing and unknown columns are named") {
  const auto missing = read_text("Name,Type,Accelerator Core,Duration(us)\nk,T,AI_CORE,1\n", "kernel_details.csv");
  const std::vector<std::string> others = {"Step Id", "Stream ID", "Wait Time(us)", "Input Shapes", "aic_mac_ratio"};
  std::vector<std::string> named = {"Start Time(us)"};
  named.insert(named.end(), others.begin(), others.end());
  CHECK(missing->inputs().at(0).missing_columns == named);
  CHECK_FALSE(missing->inputs().at(0).damage.has_value());
  REQUIRE(missing->devices().size() == 1);
  CHECK(missing->devices()[0].kernels == 0);
  REQUIRE(missing->devices()[0].totals.size() == 1);
  CHECK(missing->devices()[0].totals[0].calls == 1);
  CHECK(missing->devices()[0].totals[0].duration_ps == 1'000'000);
  const auto nameless = read_text("Type,Accelerator Core,Start Time(us)\nT,AI_CORE,1\n", "kernel_details.csv");
  CHECK(nameless->inputs().at(0).missing_columns == std::vector<std::string>{"Name", "Duration(us)"});
  REQUIRE(nameless->inputs().at(0).damage.has_value());
  const auto unknown = read_text("Name,Accelerator Core,Start Time(us),Duration(us),Colour,Name\nk,AI_CORE,1,1,red,x\n",
                                 "kernel_details.csv");
  CHECK(unknown->inputs().at(0).unknown_columns == std::vector<std::string>{"Colour"});
  CHECK(unknown->inputs().at(0).notes.at(0) == "the column \"Name\" is there twice: the first one counts");
  const std::vector<std::string>& notes = unknown->inputs().at(0).notes;
  CHECK(std::find(notes.begin(), notes.end(),
                  "no column \"Wait Time(us)\": wait anchors and polluted waits are not known") != notes.end());
  CHECK(unknown->inputs().at(0).missing_columns.front() == "Step Id");
  CHECK(unknown->devices().at(0).kernels == 1);
  // What holds nothing is told for that before any table is looked for.
  for (const auto& [text, message] : {std::pair{"", "the file is empty"},
                                      std::pair{"\n\n", "the file holds nothing but blanks"}}) {
    const auto nothing = profile::open_buffer(text, "kernel_details.csv");
    REQUIRE_FALSE(nothing.ok());
    CHECK(nothing.error().code == fault_code::unrecognised);
    CHECK(nothing.error().message == message);
  }
}

TEST_CASE("tasks of the hardware are kernels where no other table tells of them") {
  const std::string tasks =
      "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)\n"
      "0,N/A,PROFILING_ENABLE,3,1,0.020,100.380\t,100.400\t\n"
      "0,N/A,EVENT_RECORD,3,2,0.000,100.960\t,100.960\t\n"
      "0,MatMul_1,MIX_AIC,4,3,12.500,101.000\t,113.500\t\n"
      "1,MatMul_1,AI_VECTOR_CORE,4,3,2.500,102.000\t,104.500\t\n";
  const auto alone = read_text(tasks, "task_time_20260605161737.csv");
  REQUIRE(alone->devices().size() == 2);
  CHECK(alone->inputs().at(0).variant == "task_time");
  CHECK(alone->inputs().at(0).rows == 4);
  CHECK(alone->inputs().at(0).rejected == 0);
  CHECK(alone->inputs().at(0).unknown_columns.empty());
  const kernels_of rows(*alone, 0);
  REQUIRE(rows.all.size() == 1);
  CHECK(rows.all[0].start_ps == 101'000'000);
  CHECK(rows.all[0].duration_ps == 12'500'000);
  CHECK(alone->text(rows.all[0].name) == "MatMul_1");
  CHECK(alone->text(rows.all[0].core) == "MIX_AIC");
  CHECK((rows.all[0].flags & kernel_has_stream) != 0);

  const test::temporary_folder both;
  both.write("task_time_1.csv", tasks);
  both.write("op_summary_1.csv",
             "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"
             "0,a,MatMul,AI_CORE,101.000,12.5\n");
  auto p = profile::open(both.path());
  REQUIRE(p.ok());
  auto read = read_activity(*p);
  REQUIRE(read.ok());
  const std::shared_ptr<const activity> a = *read;
  REQUIRE(a->devices().size() == 1);
  CHECK(a->devices()[0].kernels == 1);
  const auto unread = std::find_if(a->inputs().begin(), a->inputs().end(),
                                   [](const activity_input& in) { return in.variant == "task_time"; });
  REQUIRE(unread != a->inputs().end());
  CHECK(unread->rows == 0);
  CHECK(unread->notes.at(0).find("not read") == 0);
  // Nor do its tasks count twice on the timeline.
  CHECK((*p)->what().files.at(0).export_of == -1);
  CHECK((*p)->what().files.at(1).export_of == 0);
  const auto info = analyse_info(trace(*p));
  REQUIRE(info.ok());
  CHECK(info->events == 1);
  CHECK(info->files.at(1).planes.empty());
}

TEST_CASE("units come from the header, and a lost quote costs one row") {
  const auto a = read_text(
      "Name,Accelerator Core,Start Time(ns),Duration(ms)\n\"a,AI_CORE,5,1\nb,AI_CORE,7,0.5\n\"c\",AI_CORE,9,0\n",
      "kernel_details.csv");
  CHECK(a->inputs().at(0).rejected == 1);
  const kernels_of rows(*a, 0);
  REQUIRE(rows.all.size() == 2);
  CHECK(rows.all[0].start_ps == 7'000);
  CHECK(rows.all[0].duration_ps == 500'000'000);
  CHECK(a->text(rows.all[1].name) == "c");
}

TEST_CASE("a line end in a quoted name is part of it, and a quote that is lost is not") {
  const std::string quoted = "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Input Shapes\n";
  for (const std::string line_end : {"\n", "\r\n"}) {
    std::string text = quoted;
    for (const char* start : {"10", "20", "30"}) {
      text += "1,\"a" + line_end + "b, \"\"c\"\" d\",T,AI_CORE," + start + ",2,\"\"\"2,3;4\"\"\"" + line_end;
    }
    const auto whole = read_text(text, "kernel_details.csv");
    CHECK(whole->inputs().at(0).rows == 3);
    CHECK(whole->inputs().at(0).rejected == 0);
    const kernels_of rows(*whole, 0);
    REQUIRE(rows.all.size() == 3);
    CHECK(whole->text(rows.all[2].name) == "a" + line_end + "b, \"c\" d");
    CHECK(rows.all[2].start_ps == 30'000'000);
  }
  // Never closed: the quotes of the shapes below come next, on the same line or on another one.
  for (const char* shapes : {"\"\"\"2,3\"\"\"", "4"}) {
    std::string text = quoted;
    text += std::string("1,k,T,AI_CORE,10,2,") + shapes + "\n1,\"k,T,AI_CORE,20,2," + shapes + "\n";
    for (int i = 3; i < 40; ++i) text += "1,k,T,AI_CORE," + std::to_string(10 * i) + ",2,\"\"\"5,6\"\"\"\n";
    const auto torn = read_text(text, "kernel_details.csv");
    CHECK(torn->inputs().at(0).rejected == 1);
    CHECK(torn->inputs().at(0).first_rejected_line == 3);
    CHECK(torn->devices().at(0).kernels == 38);
  }
}

TEST_CASE("a row that goes on as the next one is damaged; empty fields at its end are not") {
  for (const bool summary : {false, true}) {
    const std::string head = summary ? "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),"
                                       "Task Wait Time(us),Block Dim\n"
                                     : "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),"
                                       "Wait Time(us),Block Dim\n";
    const auto a = read_text(head +
                                 "0,k,T,AI_CORE,10,2,0,8,,,\r\n"
                                 "0,k,T,AI_CORE,20,2,0,80,k,T,AI_CORE,30,2,0,8\n"
                                 "0,k,T,AI_CORE,30,0,k,T,AI_CORE,40,2,0,8\n"
                                 "0,k<1,2>,T,AI_CORE,45,2,0,8\n"
                                 "0,k,T,AI_CORE,50,2,0,8,\"\", \n",
                             summary ? "op_summary_1.csv" : "kernel_details.csv");
    CHECK(reasons_of(*a) == std::map<std::string, std::uint64_t>{{"the row has more fields than the header", 3}});
    CHECK(a->inputs().at(0).first_rejected_line == 3);
    const kernels_of rows(*a, 0);
    REQUIRE(rows.all.size() == 2);
    CHECK(rows.all[1].start_ps == 50'000'000);
  }
}

TEST_CASE("a negative or damaged start is no time, nor the clock of the others") {
  const auto a = read_text(header +
                               "0,k,T,AI_CORE,1,-5,2,0\n"
                               "0,k,T,AI_CORE,1,30,k,T,AI_CORE,1,7,2,0\n"
                               "0,k,T,AI_CORE,1,1736405443863674.4,2,0\n"
                               "0,k,T,AI_CORE,1,1736405443863684.4,2,0\n",
                           "kernel_details.csv");
  CHECK(reasons_of(*a) == std::map<std::string, std::uint64_t>{{"the start time is negative", 1},
                                                               {"the row has more fields than the header", 1}});
  CHECK(a->inputs().at(0).first_rejected_line == 2);
  CHECK(a->devices().at(0).kernels == 2);
}

TEST_CASE("step ids are whole numbers, or what is written") {
  std::string text = "Step Id,Name,Accelerator Core,Start Time(us),Duration(us)\n";
  int at = 0;
  for (const char* id : {"1.0", "1", "2.000", "-1", "2.5", "x.0", "07"}) {
    text += std::string(id) + ",k,AI_CORE," + std::to_string(++at * 10) + ",1\n";
  }
  const auto a = read_text(text, "kernel_details.csv");
  std::vector<std::pair<std::string, std::int64_t>> ids;
  for (const step_marker& m : a->markers()) ids.emplace_back(a->text(m.name), m.number);
  CHECK(ids == std::vector<std::pair<std::string, std::int64_t>>{
                   {"1", 1}, {"2", 2}, {"-1", -1}, {"2.5", -1}, {"x.0", -1}, {"07", 7}});
  CHECK(a->markers().front().end_ps == 21'000'000);
}

TEST_CASE("totals of op types count where nothing better is there") {
  const std::string totals =
      "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Ratio(%)\n"
      "0,Add,AI_CORE,5,100,10,20,70\n"
      "0,Cast,AI_CPU,N/A,100,10,20,70\n"
      "0,Mul,AI_CORE,2,40,10,20\n"
      "1,Add,AI_CORE,1,2.5,1,2,30,4\n"
      "1,Add,AI_VECTOR_CORE,1,2.5,1,2,30\n";
  const test::temporary_folder folder;
  const std::string inner = "PROF_1/mindstudio_profiler_output/";
  const std::string alone = folder.write(inner + "op_statistic_1.csv", totals);
  for (const std::string& path : {alone, folder.path()}) {
    const auto p = profile::open(path);
    REQUIRE(p.ok());
    const auto read = read_activity(*p);
    REQUIRE(read.ok());
    const activity& a = **read;
    REQUIRE(a.devices().size() == 2);
    CHECK(a.devices()[0].kernels == 0);
    REQUIRE(a.devices()[0].totals.size() == 2);
    CHECK(a.text(a.devices()[0].totals[0].op_type) == "Add");
    CHECK(a.devices()[0].totals[0].calls == 5);
    CHECK(a.devices()[0].totals[0].duration_ps == 100'000'000);
    REQUIRE(a.devices()[1].totals.size() == 1);
    CHECK(a.text(a.devices()[1].totals[0].core) == "AI_VECTOR_CORE");
    REQUIRE(a.inputs().size() == 1);
    CHECK(a.inputs()[0].variant == "op_statistic");
    CHECK(a.inputs()[0].unknown_columns.empty());
    CHECK(a.inputs()[0].missing_columns.empty());
    CHECK(reasons_of(a) == std::map<std::string, std::uint64_t>{{"no count of calls", 1},
                                                                {"the row has more fields than the header", 1}});
  }
  for (const char* better : {"Device_id,Op Name,OP Type,Task Type,Task Duration(us)\n3,a,Add,AI_CORE,10\n",
                             "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"
                             "3,a,Add,AI_CORE,5,10\n"}) {
    folder.write(inner + "op_summary_1.csv", better);
    const auto p = profile::open(folder.path());
    REQUIRE(p.ok());
    const auto read = read_activity(*p);
    REQUIRE(read.ok());
    REQUIRE((*read)->devices().size() == 1);
    CHECK((*read)->devices()[0].ordinal == 3);
    CHECK((*read)->inputs().size() == 2);
  }
  const auto useless = read_text("Device_id,Core Type,Total Time(us)\n0,AI_CORE,5\n", "op_statistic.csv");
  CHECK(useless->inputs().at(0).missing_columns == std::vector<std::string>{"OP Type", "Count"});
  CHECK(useless->inputs().at(0).damage);
}

TEST_CASE("a table under any name says which column it lacks") {
  const auto a = read_text(
      "Step Id,Type,Accelerator Core,start time(NS),DURATION(ns),Wait Time(us)\n1,T,AI_CORE,5,1,0\n", "table.csv");
  REQUIRE(a->inputs().at(0).damage);
  CHECK(a->inputs().at(0).damage->message == "the table lacks the columns Name");
  const auto whole = read_text("name,Accelerator Core, Start Time(NS) ,\"DURATION(ns)\"\nk,AI_CORE,5,1\n", "table.csv");
  const kernels_of rows(*whole, 0);
  REQUIRE(rows.all.size() == 1);
  CHECK(rows.all[0].start_ps == 5'000);
}

TEST_CASE("communication is told by its name on any process but the derived one") {
  const test::temporary_folder folder;
  const std::string inner = "a_ascend_pt/ASCEND_PROFILER_OUTPUT/";
  folder.write(inner + "kernel_details.csv", header + "0,k,T,AI_CORE,1,100,2,0\n");
  std::string trace = "[";
  int pid = 0;
  for (const char* process : {"Ascend Hardware", "Overlap Analysis", "Python", "Something new"}) {
    const std::string place = R"(,"pid":)" + std::to_string(++pid) + R"(,"tid":1)";
    trace += (pid > 1 ? "," : "") + std::string(R"({"ph":"M","name":"process_name")") + place + R"(,"args":{"name":")" +
             process + R"("}})";
    for (const char* name : {"hcom_allReduce__1_0_1", "MatMul"}) {
      trace += std::string(R"(,{"ph":"X","ts":"50","dur":5,"args":{"Task Type":"AI_CORE"},"name":")") + name + '"' +
               place + '}';
    }
  }
  folder.write(inner + "trace_view.json", trace + "]");
  const auto p = profile::open(folder.path());
  REQUIRE(p.ok());
  const auto read = read_activity(*p);
  REQUIRE(read.ok());
  struct finder final : host_span_visitor {
    explicit finder(const activity& a) : of(a) {}
    result<void> spans(const host_span* first, std::size_t count) override {
      for (std::size_t i = 0; i < count; ++i)
        found.emplace(of.text(first[i].name), first[i].kind == host_span_kind::device_marker);
      return {};
    }
    const activity& of;
    std::multimap<std::string, bool> found;
  } seen(**read);
  REQUIRE((*read)->visit_host_spans(0, 0, 100'000'000, seen).ok());
  CHECK(seen.found == std::multimap<std::string, bool>{{"MatMul", false},
                                                       {"hcom_allReduce__1_0_1", true},
                                                       {"hcom_allReduce__1_0_1", false},
                                                       {"hcom_allReduce__1_0_1", true}});
}

TEST_CASE("a collective listed twice makes one interval, and the row with a stream stays") {
  const auto a = read_text(header +
                               "0,hcom_allReduce__1_0_1,hcom_allReduce_,HCCL,N/A,10,5,0\n"
                               "0,hcom_allReduce__1_0_1,hcom_allReduce_,HCCL,46,10,5,0\n"
                               "0,hcom_allReduce__1_1_1,hcom_allReduce_,HCCL,N/A,20,5,0\n"
                               "1,hcom_allReduce__1_0_1,hcom_allReduce_,HCCL,46,10,5,0\n"
                               "0,mul,Mul,AI_CORE,46,10,5,0\n",
                           "kernel_details.csv");
  REQUIRE(a->devices().size() == 2);
  const kernels_of rows(*a, 0);
  REQUIRE(rows.all.size() == 4);
  std::vector<std::uint64_t> dropped;
  for (const kernel_row& r : rows.all)
    if ((r.flags & kernel_duplicate) != 0) dropped.push_back(r.source_row);
  CHECK(dropped == std::vector<std::uint64_t>{2});
  CHECK(kernels_of(*a, 1).all.size() == 1);
  CHECK(a->text(a->devices()[1].name) == "NPU 1");
}

TEST_CASE("execution units, collectives and op types are told by their names") {
  const auto kind = [](const char* core, const char* type, const char* name) {
    return classify_ascend(core, type, name);
  };
  for (const char* core : {"AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV", "AiCore", "AiVector", "MixAic",
                           "FFTS_PLUS", "DSA_SQE", "DVPP"}) {
    CHECK(kind(core, "Mul", "mul").kind == kernel_class::compute);
  }
  CHECK(kind("AI_CPU", "Cast", "cast").kind == kernel_class::aicpu);
  CHECK(kind("AiCpu", "Cast", "cast").on_aicpu);
  CHECK(kind("HCCL", "x", "y").kind == kernel_class::comm);
  CHECK(kind("COMMUNICATION", "x", "y").kind == kernel_class::comm);
  CHECK(kind("AI_CORE", "x", "hcom_send__1").kind == kernel_class::comm);
  for (const char* name : {"allgatherAicpuKernel", "reduce_scatterAicpuKernel", "hcom_allGather_AicpuKernel_1"}) {
    const ascend_class c = kind("AI_CPU", name, name);
    CHECK(c.kind == kernel_class::comm);
    CHECK(c.on_aicpu);
  }
  CHECK(kind("SDMA_SQE", "x", "y").kind == kernel_class::copy);
  CHECK(kind("NOTHING_KNOWN", "x", "y").kind == kernel_class::other);
  CHECK(kind("N/A", "N/A", "hcom_allReduce__1").kind == kernel_class::comm);
  CHECK(kind("N/A", "N/A", "trans_Cast_18").from_name);
  CHECK(ascend_op_type("aclnnInplaceZero_ZerosLikeAiCore_ZerosLike") == "ZerosLike");
  CHECK(ascend_op_type("trans_Cast_18") == "Cast");
  CHECK(ascend_op_type("hcom_allReduce__586_0_1") == "hcom_allReduce_");
  CHECK(ascend_op_type("MatMulV3") == "MatMulV3");
  CHECK(ascend_op_type("split_qkv_rmsnorm_rope_kernel") == "split_qkv_rmsnorm_rope_kernel");
  CHECK(ascend_op_type("_1_2").empty() == false);
}

TEST_CASE("an arrow to a kernel's stream is taken before one to another") {
  activity_device d;
  d.streams = {{2, 0}, {7, 0}};
  std::vector<kernel_row> rows(3);
  rows[0].start_ps = 10;
  rows[0].stream = 1;
  rows[0].flags = kernel_has_stream;
  rows[1].start_ps = 10;
  rows[2].start_ps = 11;
  std::vector<launch_arrow> arrows{{10, 5, 2}, {10, 6, 7}, {12, 1, 2}};
  CHECK(join_launches(d, rows, arrows) == 2);
  CHECK(rows[0].launch_ps == 6);
  CHECK(rows[1].launch_ps == 5);
  CHECK(rows[2].launch_ps == no_time_ps);
}

TEST_CASE("host spans are found by time, also among very many that overlap") {
  std::vector<host_span> spans;
  std::uint32_t seed = 7;
  for (std::int64_t i = 0; i < 20000; ++i) {
    seed = seed * 1664525 + 1013904223;
    host_span s;
    s.start_ps = static_cast<std::int64_t>(seed >> 8) % 100000;
    s.duration_ps = i % 50 == 0 ? 50000 : static_cast<std::int64_t>(seed >> 20) % 100;
    s.source_row = static_cast<std::uint64_t>(i);
    spans.push_back(s);
  }
  const host_span_list list(spans);
  struct counter final : host_span_visitor {
    result<void> spans(const host_span* first, std::size_t count) override {
      for (std::size_t i = 0; i < count; ++i) rows.push_back(first[i].source_row);
      return {};
    }
    std::vector<std::uint64_t> rows;
  };
  for (const auto& [from, to] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {0, 1}, {0, 200000}, {99990, 99995}, {50000, 50100}, {-5, 0}, {200000, 300000}}) {
    counter found;
    REQUIRE(list.visit(from, to, found, {}).ok());
    std::vector<std::uint64_t> expected;
    for (const host_span& s : spans) {
      const bool touches = s.start_ps < to && (s.start_ps + s.duration_ps > from || s.start_ps >= from);
      if (touches) expected.push_back(s.source_row);
    }
    std::sort(found.rows.begin(), found.rows.end());
    CHECK(found.rows == expected);
  }
}

TEST_CASE("a trace with broken parts gives what is intact, and says what was lost") {
  const std::string text = std::string(R"json({"schemaVersion":1,"distributedInfo":{"rank":3},"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"launch","pid":9,"tid":9,"ts":1,"dur":2,"args":{"correlation":5}},
{"ph":"X","cat":"kernel","name":"void ns::gemm<1>(int)","pid":0,"tid":7,"ts":"10.5","dur":4,
 "args":{"device":0,"stream":7,"correlation":5}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum","pid":0,"tid":8,"ts":11,"dur":"x","args":{"device":0}},
{"ph":"X","cat":"kernel","name":"bad)json") +
                           "\x01\xff" + R"json(","pid":0,"tid":8,"ts":12,"dur":-4,"args":{"device":0}},
{"ph":"X","cat":"kernel","name":"late","name":"twice","pid":0,"tid":8,"ts":20,"dur":1,
 "args":{"device":0,"stream":8,"correlation":77}},
{"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#4","pid":0,"tid":7,"ts":10,"dur":20,"args":{}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":9,"tid":9,"ts":0,"dur":3},
{"ph":"X","cat":"kernel","name":"cut","pid":0)json";
  const auto a = read_text(text, "rank3.pt.trace.json");
  REQUIRE(a->devices().size() == 1);
  const activity_device& d = a->devices()[0];
  CHECK(d.rank == 3);
  CHECK(d.type == accelerator::gpu);
  CHECK(d.has_launches);
  const kernels_of rows(*a, 0);
  REQUIRE(rows.all.size() == 2);
  CHECK(a->text(rows.all[0].op_type) == "gemm");
  CHECK(rows.all[0].launch_ps == 1'000'000);
  CHECK(a->text(rows.all[1].name) == "twice");
  CHECK(rows.all[1].launch_ps == no_time_ps);
  const activity_input& in = a->inputs().at(0);
  CHECK(in.rejected == 3);
  CHECK(in.damage.has_value());
  REQUIRE(a->markers().size() == 2);
  CHECK(a->markers()[0].device == -1);
  CHECK(a->markers()[1].device == 0);
  CHECK(a->markers()[1].source == marker_source::device_annotation);
  CHECK(a->markers()[1].end_ps == 30'000'000);
}

TEST_CASE("a trace without an event holds nothing, one without a list of them is none") {
  for (const char* text : {"[]", " [ ]\n", R"({"traceEvents":[]})", R"({"traceEvents":null})"}) {
    for (const char* label : {"x.json", "x.pt.trace.json"}) {
      CAPTURE(text, label);
      const auto p = profile::open_buffer(text, label);
      REQUIRE_FALSE(p.ok());
      CHECK(p.error().code == fault_code::unrecognised);
      CHECK(p.error().message == "the trace has no event");
    }
  }
  const auto none = profile::open_buffer("{}", "x.pt.trace.json");
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == fault_code::unrecognised);
  CHECK(none.error().message.find("this is JSON without \"traceEvents\"") == 0);
  for (const char* text : {R"({"traceEvents":{}})", R"({"traceEvents":"null"})"}) {
    CAPTURE(text);
    const auto p = profile::open_buffer(text, "x.pt.trace.json");
    REQUIRE_FALSE(p.ok());
    CHECK(p.error().code == fault_code::unrecognised);
    CHECK(p.error().message == "this JSON has no list of \"traceEvents\": it is no trace");
  }
}

TEST_CASE("what lies on a device and is no kernel is no host activity either") {
  const auto a = read_text(
      R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{"device":0,"stream":7}},)"
      R"({"ph":"X","cat":"cuda_event","name":"record","pid":0,"tid":7,"ts":3,"dur":1},)"
      R"({"ph":"X","cat":"brand_new","name":"what","pid":0,"tid":7,"ts":3,"dur":1},)"
      R"({"ph":"X","cat":"mtia_insight","name":"i","pid":0,"tid":8,"ts":3,"dur":1},)"
      R"({"ph":"X","cat":"brand_new","name":"host","pid":99,"tid":7,"ts":3,"dur":1}])",
      "x.pt.trace.json");
  REQUIRE(a->devices().size() == 1);
  CHECK(a->devices()[0].kernels == 1);
  struct names final : host_span_visitor {
    explicit names(const activity& of) : of_(of) {}
    result<void> spans(const host_span* first, std::size_t count) override {
      for (std::size_t i = 0; i < count; ++i) all.emplace_back(of_.text(first[i].name));
      return {};
    }
    const activity& of_;
    std::vector<std::string> all;
  } found(*a);
  REQUIRE(a->visit_host_spans(a->devices()[0].host_group, 0, 100'000'000, found).ok());
  CHECK(found.all == std::vector<std::string>{"host"});
  const std::vector<std::string>& notes = a->inputs().at(0).notes;
  CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& n) {
    return n.find("neither for kernels nor for hosts: 1") != std::string::npos;
  }));
}

TEST_CASE("times of kernels are exact past nanoseconds, with a base and from strings") {
  const auto a =
      read_text(R"({"displayTimeUnit":"ns","baseTimeNanoseconds":1700000000123456789,"traceEvents":[)"
                R"({"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":"2345678.123456789","dur":"0.000001",)"
                R"("args":{"device":0,"stream":7}},)"
                R"({"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":2345678.1234574,"dur":1e-3,)"
                R"("args":{"device":0,"stream":7}}]})",
                "x.pt.trace.json");
  REQUIRE(a->devices().size() == 1);
  const kernels_of rows(*a, 0);
  REQUIRE(rows.all.size() == 2);
  CHECK(rows.all[0].start_ps == 2'345'678'123'457);
  CHECK(rows.all[0].duration_ps == 1);
  CHECK(rows.all[1].start_ps == 2'345'678'123'457);
  CHECK(rows.all[1].duration_ps == 1'000);
  CHECK(a->origin_unix_ns() == 1'700'000'000'123'456'789);
}

TEST_CASE("a user's own pattern marks steps, and a broken one is refused") {
  PROFKIT_NEEDS("re2");
  const std::string text =
      R"([{"ph":"X","cat":"cpu_op","name":"train_step_12","pid":1,"tid":1,"ts":5,"dur":7},)"
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":1,"ts":6,"dur":1,"args":{"device":0,"stream":1}}])";
  activity_options options;
  options.step_pattern = "train_step_[0-9]+";
  const auto a = read_text(text, "x.pt.trace.json", options);
  REQUIRE(a->markers().size() == 1);
  CHECK(a->markers()[0].number == 12);
  CHECK(a->markers()[0].source == marker_source::pattern);
  auto p = profile::open_buffer(text, "x.pt.trace.json");
  options.step_pattern = "(";
  const auto refused = read_activity(*p, options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == fault_code::invalid_argument);
}

TEST_CASE("the folders of two ranks are one run, each with its hosts, steps and communication") {
  const char* const root = std::getenv("PROFKIT_SOURCE_ROOT");
  REQUIRE(root != nullptr);
  auto p = profile::open(std::string(root) + "/tests/data/ascend/two_ranks");
  REQUIRE(p.ok());
  CHECK((*p)->what().runs.size() == 1);
  CHECK((*p)->what().files.size() == 12);
  auto read = read_activity(*p);
  REQUIRE(read.ok());
  const activity& a = **read;
  REQUIRE(a.devices().size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const activity_device& d = a.devices()[i];
    CHECK(d.rank == static_cast<std::int32_t>(i));
    CHECK(d.ordinal == static_cast<std::int64_t>(i));
    CHECK(d.host_group == i);
    CHECK(d.recorded_shapes == true);
    CHECK(d.recorded_stacks == false);
    CHECK(a.has_host_spans(d.host_group));
    const kernels_of rows(a, i);
    REQUIRE(rows.all.size() == 10);
    for (const kernel_row& r : rows.all) CHECK(r.launch_ps != no_time_ps);
    const kernel_row& first = rows.all.front();
    CHECK(first.start_ps == 200'000'000 + static_cast<std::int64_t>(i) * 500'000'000);
    CHECK(first.duration_ps == 80'123'000);
    CHECK(first.launch_ps == first.start_ps - 30'000'000);
    REQUIRE(first.details != 0);
    const kernel_details& details = d.details[first.details - 1];
    CHECK(a.text(details.input_shapes) == "32,64;64,128");
    CHECK(details.block_dim == 24);
    REQUIRE(details.counters.size() == 1);
    CHECK(a.text(details.counters[0].first) == "aic_mac_ratio");
    CHECK(details.counters[0].second == Approx(0.824));
    CHECK(rows.all[2].kind == kernel_class::comm);
    CHECK(rows.all[3].kind == kernel_class::aicpu);
  }
  std::vector<std::string> markers;
  for (const step_marker& m : a.markers()) {
    markers.push_back(std::to_string(m.host_group) + ":" + std::to_string(m.device) + ":" +
                      std::string(a.text(m.name)));
  }
  CHECK(markers == std::vector<std::string>{"0:-1:ProfilerStep#7", "0:-1:ProfilerStep#8", "0:0:7", "0:0:8",
                                            "1:-1:ProfilerStep#7", "1:-1:ProfilerStep#8", "1:1:7", "1:1:8"});
  REQUIRE(a.communication().size() == 4);
  CHECK(a.text(a.communication()[0].group) == "42");
  CHECK(a.communication()[0].elapsed_ps == 90'500'000);
  CHECK(a.communication()[3].device == 1);
  REQUIRE(a.step_trace().size() == 4);
  CHECK(a.step_trace()[1].device == 0);
  CHECK(a.step_trace()[1].preparing_ps == 200'000'000);
  CHECK(a.step_trace()[1].free_ps == 104'450'000);
}

namespace {

struct names_of_spans final : host_span_visitor {
  explicit names_of_spans(const activity& a) : of(a) {}
  result<void> spans(const host_span* first, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      found.push_back(std::to_string(first[i].start_ps) + " " + std::string(of.text(first[i].name)) + " of thread " +
                      std::to_string(first[i].thread));
    }
    return {};
  }
  const activity& of;
  std::vector<std::string> found;
};

// Everything that the reading of tables and traces decides, as text.
std::vector<std::string> story_of(const std::string& folder, std::uint32_t threads) {
  const auto p = profile::open(folder);
  REQUIRE(p.ok());
  hooks host;
  host.threads = threads;
  const auto read = read_activity(*p, {}, host);
  REQUIRE(read.ok());
  const activity& a = **read;
  std::vector<std::string> story;
  for (std::size_t d = 0; d < a.devices().size(); ++d) {
    for (const kernel_row& r : kernels_of(a, d).all) {
      story.push_back(std::to_string(r.start_ps) + " " + std::string(a.text(r.name)) + " " +
                      std::string(a.text(r.op_type)) + " launched " + std::to_string(r.launch_ps) + " name " +
                      std::to_string(r.name));
    }
  }
  for (const step_marker& m : a.markers()) story.emplace_back(a.text(m.name));
  for (std::uint32_t group = 0; a.has_host_spans(group); ++group) {
    names_of_spans spans(a);
    REQUIRE(a.visit_host_spans(group, INT64_MIN, INT64_MAX, spans).ok());
    story.insert(story.end(), spans.found.begin(), spans.found.end());
  }
  for (const activity_input& input : a.inputs()) {
    story.push_back(input.path + " " + std::to_string(input.rows) + " rows" + (input.is_fallback ? " stand in" : ""));
    story.insert(story.end(), input.notes.begin(), input.notes.end());
  }
  return story;
}

}  // namespace

TEST_CASE("a table and its trace read side by side tell the same as one after the other", "[threads]") {
  const char* const root = std::getenv("PROFKIT_SOURCE_ROOT");
  REQUIRE(root != nullptr);
  const std::string two_ranks = std::string(root) + "/tests/data/ascend/two_ranks";
  const std::vector<std::string> alone = story_of(two_ranks, 1);
  CHECK(alone.size() > 30);
  CHECK(story_of(two_ranks, 2) == alone);

  // A table without rows: the kernels have to come from the trace.
  const test::temporary_folder folder;
  const std::string inner = "rank_0_ascend_pt/ASCEND_PROFILER_OUTPUT/";
  folder.write(inner + "kernel_details.csv", header);
  folder.write(inner + "trace_view.json", test::file_bytes(two_ranks + "/" + inner + "trace_view.json"));
  const std::vector<std::string> from_trace = story_of(folder.path(), 1);
  CHECK(std::count(from_trace.begin(), from_trace.end(), "kernels are taken from this trace") == 1);
  CHECK(story_of(folder.path(), 2) == from_trace);
}

TEST_CASE("a real Kineto trace: kernels by launch, a step's window on the device, frames and ops of the host") {
  const char* const root = std::getenv("PROFKIT_SOURCE_ROOT");
  REQUIRE(root != nullptr);
  auto p = profile::open(std::string(root) + "/tests/data/kineto/h100_bert_small.pt.trace.json.gz");
  REQUIRE(p.ok());
  auto read = read_activity(*p);
  REQUIRE(read.ok());
  const activity& a = **read;
  REQUIRE(a.devices().size() == 1);
  const kernels_of rows(a, 0);
  CHECK(rows.all.size() == 61);
  CHECK(std::count_if(rows.all.begin(), rows.all.end(),
                      [](const kernel_row& r) { return r.kind == kernel_class::copy; }) == 1);
  CHECK(a.devices()[0].has_launches);
  CHECK(a.devices()[0].has_shapes);
  REQUIRE(a.markers().size() == 2);
  CHECK(a.markers()[0].source == marker_source::profiler_step);
  CHECK(a.markers()[1].source == marker_source::device_annotation);
  CHECK(a.markers()[1].number == 6);
  CHECK(a.markers()[1].end_ps - a.markers()[1].start_ps == 3'907'827'000);
}
