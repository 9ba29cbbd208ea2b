// SPDX-License-Identifier: Apache-2.0
//
// Databases of rocprofv3 and Perfetto's packets, damaged and made up.
#include "orrery/trace/pftrace/pftrace_testing.h"
#include "orrery/trace/rocpd/rocpd_testing.h"
#include "pytorch_traces.h"

namespace orrery::hostile {

namespace fs = std::filesystem;
using trace::pftrace::testing::File;
using trace::pftrace::testing::integer;
using trace::pftrace::testing::two_kernels;

namespace {

/// A database of two layouts' parts made by `sql`, in which "@" stands for a suffix.
Case rocpd(std::string name, int exit_code, std::vector<std::string> says, std::string reports,
           std::string sql, std::function<std::string(std::string)> change = {}) {
  return {"rocpd_" + std::move(name),
          "trace convert r.db -o t",
          exit_code,
          std::move(says),
          {},
          [sql = trace::rocpd::testing::of_set(std::move(sql)),
           change = std::move(change)](const fs::path& folder) {
            const std::string path = (folder / "r.db").string();
            trace::tables::testing::DatabaseFile made(path);
            made.sql(sql).close();
            if (change) put(path, change(trace::tables::testing::bytes_of(path)));
          },
          std::move(reports)};
}

std::string numbered_packets(std::size_t count) {
  File file = two_kernels();
  for (std::size_t i = 0; i < count; ++i) file.begin(5000 + i, i, i);
  return file.bytes;
}

/// Names that say they are many more than there are, and tables for each of as many sequences.
std::string sequences(std::size_t count) {
  File file = two_kernels();
  for (std::size_t i = 0; i < count; ++i) {
    std::string entry, interned;
    protozero::pbf_writer about(entry);
    about.add_uint64(trace::pftrace::kIid, ~std::uint64_t{0} - i);
    about.add_string(trace::pftrace::kText, "x");
    protozero::pbf_writer(interned).add_message(trace::pftrace::kEventNames, entry);
    std::string message = File::of(trace::pftrace::kInterned, interned);
    protozero::pbf_writer(message).add_uint32(trace::pftrace::kSequence,
                                              static_cast<std::uint32_t>(i * 7919));
    file.packet(message);
  }
  return file.bytes;
}

std::string nested(std::size_t levels) {
  std::string deep = integer("x", 1);
  for (std::size_t i = 0; i < levels; ++i) deep = File::of(trace::pftrace::kDictEntries, deep);
  return two_kernels().begin(5000, 4, 1, {integer("stream", 7), deep}).bytes;
}

}  // namespace

std::vector<Case> rocpd_cases() {
  const std::string common = trace::rocpd::testing::kCommon;
  const std::string direct =
      common + trace::rocpd::testing::kDirect + trace::rocpd::testing::kDirectRows;
  const std::string indirect =
      common + trace::rocpd::testing::kByReference + trace::rocpd::testing::kReferenceRows;
  return {
      rocpd("without_events", 3, {"r.db", "E2011"}, "", common + trace::rocpd::testing::kDirect),
      rocpd("without_columns", 3, {"r.db", "E2011"}, "",
            "create table rocpd_kernel_dispatch@(a, b); insert into rocpd_kernel_dispatch@ "
            "values(1, 2);"),
      rocpd("cut_to_a_page", 3, {"r.db", "E2003"}, "", direct,
            [](const std::string& bytes) { return bytes.substr(0, 4096); }),
      rocpd("view_for_a_table", 3, {"r.db", "E2011"}, "",
            "create table rocpd_string@(id integer primary key, string text); create view "
            "rocpd_region@ as with recursive c(x) as (select 1 union all select x + 1 from c) "
            "select x as start, x + 1 as end from c;"),
      rocpd("values_of_other_types", 0, {}, "event_dropped",
            direct +
                "insert into rocpd_kernel_dispatch@(start, end, agent_id, stream_id, kernel_id, "
                "grid_size_x, workgroup_size_x, event_id) values('x', 'y', x'00ff', null, 'a', "
                "1e308, 0, -1), (9223372036854775807, -9223372036854775808, -1, -1, -1, -1, -1, "
                "-1);"),
      rocpd("ids_to_nothing", 0, {}, "event_dropped",
            indirect +
                "insert into rocpd_kernel_dispatch@(track_id, start_id, end_id, event_id) values"
                "(9223372036854775807, -1, 0, 77), (2, null, null, null);"
                "update rocpd_info_process@ set pid = id; update rocpd_track@ set pid = id;"),
      rocpd("half_a_million_processes", 0, {}, "t.0.et",
            direct +
                "with recursive c(x) as (select 10 union all select x + 1 from c where x < 500000) "
                "insert into rocpd_info_process@ select x, 1, (x % 3) * 4294967296 + 77 from c;"),
      rocpd("name_of_50_MB", 0, {}, "string_cut",
            direct + "update rocpd_info_kernel_symbol@ set display_name = printf('%.*c', 50000000, "
                     "'x');"),
  };
}

std::vector<Case> perfetto_cases() {
  const std::string whole = two_kernels().bytes;
  const std::string command = "trace convert p.pftrace -o t";
  const auto odd = [&](std::string name, std::string bytes, std::string reports) {
    return survives("perfetto_" + std::move(name), command, "p.pftrace", std::move(bytes),
                    std::move(reports));
  };
  const auto bad = [&](std::string name, std::string bytes, std::string says, int exit_code = 3) {
    return refused("perfetto_" + std::move(name), command, "p.pftrace", std::move(bytes),
                   {std::move(says)}, exit_code);
  };
  return {
      odd("cut", whole.substr(0, whole.size() - 3), "truncated_tail_dropped"),
      odd("and_junk", whole + repeated("junk", 100), "corrupt_record_dropped"),
      odd("broken_packet", two_kernels().packet("\x5A\x05\x01").bytes, "corrupt_record_dropped"),
      odd("and_another_field", whole + "\x12\x01x", "t.0.et"),
      odd("ends_only", two_kernels().end(1, 4).end(2, 9).bytes, "event_dropped"),
      odd("nested_100000_deep", nested(100'000), "event_unfinished"),
      bad("packet_too_large", whole + "\x0A\xFF\xFF\xFF\xFF\x7F", "E4000", 5),
      bad("of_tracks_only", File().thread(2, 0, 7, 8, "main").bytes, "E2011"),
      made(
          "perfetto_200000_tracks", command, "p.pftrace", [] { return numbered_packets(200'000); },
          "event_dropped"),
      made(
          "perfetto_300000_sequences", command, "p.pftrace", [] { return sequences(300'000); },
          "t.0.et"),
  };
}

}  // namespace orrery::hostile
