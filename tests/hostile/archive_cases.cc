// SPDX-License-Identifier: Apache-2.0
//
// Recorded traces in damaged wrappings: gzip, zstd, tar, SQLite.
#include <fmt/format.h>

#include "orrery/trace/nsys/nsys_testing.h"
#include "pytorch_traces.h"

namespace orrery::hostile {

namespace fs = std::filesystem;
using trace::testing::gzip;
using trace::testing::tar_end;
using trace::testing::tar_file;
using trace::testing::tar_header;
using trace::testing::zstd;

namespace {

Case packed(std::string name, std::string bytes, std::vector<std::string> says, int exit_code = 3) {
  return refused("packed_" + std::move(name), kConvertDevice, "k.json", std::move(bytes),
                 std::move(says), exit_code);
}

Case bomb(std::string name, std::function<std::string()> write) {
  return {"bomb_" + std::move(name),
          kConvertDevice,
          5,
          {"k.json:byte ", "E4000"},
          {},
          [write = std::move(write)](const fs::path& folder) { put(folder / "k.json", write()); }};
}

/// What `head` and then so many MiB of `piece` compress to.
std::string gzip_of(std::string_view head, char piece, std::size_t megabytes) {
  return core_testing::gzip_repeated(head, std::string(std::size_t{1} << 20, piece), megabytes);
}

std::string flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(~bytes[at]);
  return bytes;
}

Case archive(std::string name, std::string bytes, std::string reports,
             std::string command = "trace convert t.tar -o t") {
  return survives("tar_" + std::move(name), std::move(command), "t.tar", std::move(bytes),
                  std::move(reports));
}

Case bad_archive(std::string name, std::string bytes, std::string says) {
  return refused("tar_" + std::move(name), "trace convert t.tar -o t", "t.tar", std::move(bytes),
                 {std::move(says)});
}

/// The first header with another size, and a sum to match.
std::string with_size(std::string archive, std::string_view size) {
  archive.replace(124, 12, size);
  archive.replace(148, 8, "        ");
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(archive[i]);
  archive.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return archive;
}

constexpr const char* kExport = R"(
create table StringIds(id integer primary key, value text);
insert into StringIds values(1, 'gemm'), (2, 'cudaLaunchKernel');
create table CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, correlationId,
  globalPid, demangledName, shortName, mangledName);
insert into CUPTI_ACTIVITY_KIND_KERNEL values(100, 200, 0, 1, 7, 5, 1, 1, 1, 1);
create table CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId);
insert into CUPTI_ACTIVITY_KIND_RUNTIME values(50, 60, 0, 281474976710657, 5, 2);
)";

/// A database made by `sql`, of which `change` makes something else.
Case database(std::string name, int exit_code, std::vector<std::string> says, std::string reports,
              std::string sql, std::function<std::string(std::string)> change = {}) {
  return {"nsight_" + std::move(name),
          "trace convert n.sqlite -o t",
          exit_code,
          std::move(says),
          {},
          [sql = std::move(sql), change = std::move(change)](const fs::path& folder) {
            const std::string path = (folder / "n.sqlite").string();
            trace::nsys::testing::Export made(path);
            made.sql(sql).close();
            if (change) put(path, change(trace::nsys::testing::bytes_of(path)));
          },
          std::move(reports)};
}

}  // namespace

std::vector<Case> packed_cases() {
  const std::string whole = device_trace();
  const std::string gz = gzip(whole), zst = zstd(whole);
  const std::string events = whole.substr(0, whole.size() - 2);
  return {
      survives("packed_gzip_cut", kConvertDevice, "k.json", gz.substr(0, gz.size() - 20),
               "truncated_tail_dropped"),
      packed("gzip_cut_in_its_head", gz.substr(0, 5), {"k.json:byte 5", "E2002"}),
      packed("gzip_with_a_wrong_sum", flipped(gz, gz.size() - 6), {"k.json:byte ", "E2003"}),
      packed("gzip_and_junk", gz + repeated("junk", 100), {"k.json:byte ", "E2003"}),
      packed("gzip_of_gzip", gzip(gz), {"E2004", "hint"}),
      packed("gzip_of_zstd", gzip(zst), {"E2004"}),
      packed("gzip_of_nothing", gzip(""), {"E2011"}),
      packed("zstd_of_gzip", zstd(gz), {"E2004"}),
      packed("zstd_cut", zst.substr(0, zst.size() - 20), {"k.json:byte ", "E2002"}),
      packed("zstd_cut_in_its_head", zst.substr(0, 6), {"k.json:byte 6", "E2002"}),
      packed("zstd_and_junk", zst + repeated("junk", 100), {"k.json:byte ", "E2003"}),
      packed("zstd_with_a_huge_window", std::string("\x28\xB5\x2F\xFD\x00\xF8\x01\x00\x00", 9),
             {"k.json:byte ", "window"}, 5),
      bomb("gzip_spaces", [=] { return gzip_of(R"({"traceEvents": [)", ' ', 300); }),
      bomb("gzip_string", [=] { return gzip_of(R"({"traceEvents": [")", 'a', 100); }),
      bomb("zstd_spaces",
           [=] { return zstd(events + std::string(std::size_t{300} << 20, ' '), 1); }),
      bomb("zstd_events",
           [=] {
             return zstd(events + repeated(",\n" + complete("a", "cpu_op", 9, 1), 1'000'000), 1);
           }),
      {"bomb_zeros",
       kConvertDevice,
       3,
       {"k.json", "E2004"},
       {},
       [](const fs::path& folder) {
         put(folder / "k.json", zstd(std::string(std::size_t{300} << 20, '\0'), 1));
       }},
  };
}

std::vector<Case> archive_cases() {
  const std::string first = device_trace(), second = device_trace("", 1);
  const std::string both = tar_file("r0.json", first) + tar_file("r1.json", second) + tar_end();
  const auto size = [&](std::string name, std::string_view digits) {
    return bad_archive("size_" + std::move(name), with_size(both, digits), "E2003");
  };
  std::vector<Case> cases = {
      archive("leaves_its_folder",
              tar_file("../../r0.json", first) + tar_file("/r1.json", second) + tar_end(),
              "t.*.et"),
      archive("with_links",
              tar_header("passwd.json", 0, '2') + tar_header("hard.json", 0, '1') +
                  tar_header("null", 0, '3') + tar_header("pipe", 0, '6') +
                  tar_file("r0.json", first) + tar_end(),
              "t.0.et"),
      archive("with_notes",
              tar_file("README", "hello") + tar_file("r0.json", first) +
                  tar_file("x.bin", std::string(700, '\xFE')) + tar_end(),
              "t.0.et"),
      archive("cut_in_a_member", both.substr(0, 512 + first.size() - 60), "truncated_tail_dropped"),
      bad_archive("of_links_only", tar_header("a.json", 0, '2') + tar_end(), "E2004"),
      bad_archive("of_nothing", tar_end(), "E2004"),
      bad_archive("of_an_archive", tar_file("in.tar", both) + tar_end(), "E2004"),
      bad_archive("of_notes", tar_file("README", "hello") + tar_end(), "E2004"),
      size("negative", std::string(12, '\xFF')),
      size("of_2_to_63", std::string_view("\x80\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 12)),
      size("a_word", std::string_view("abcdefghijk\0", 12)),
      size("too_small", std::string_view("00000000100\0", 12)),
      archive("size_too_large", with_size(both, std::string_view("77777777777\0", 12)),
              "corrupt_record_dropped"),
  };
  Case outside = bad_archive("cut_leaves_its_folder",
                             tar_file("..", first) + tar_file("a", second) + tar_end(), "out");
  outside.command = "trace slice t.tar --iteration 1 -o out";
  outside.exit_code = 2;
  outside.says = {"out/..", "E1010"};
  cases.push_back(outside);
  Case same = bad_archive("cut_into_one_file",
                          tar_file("a/r.json", first) + tar_file("b/r.json", second) + tar_end(),
                          "would both be written there");
  same.command = "trace slice t.tar --iteration 1 -o out";
  same.exit_code = 2;
  cases.push_back(same);
  Case rank =
      bad_archive("one_rank_twice",
                  tar_file("a.json", first) + tar_file("b.json", first) + tar_end(), "rank 0");
  rank.exit_code = 2;
  cases.push_back(rank);
  return cases;
}

std::vector<Case> nsight_cases() {
  const std::string sound = kExport;
  const std::string lost = "event_dropped";
  const auto first_page = [](const std::string& bytes) { return bytes.substr(0, 4096); };
  const auto zeros = [](const std::string& bytes) {
    return bytes.substr(0, 4096) + std::string(bytes.size() - 4096, '\0');
  };
  const auto noise = [](std::string bytes) {
    for (std::size_t i = 100; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37 + 11);
    return bytes;
  };
  const std::string endless =
      "create view CUPTI_ACTIVITY_KIND_KERNEL as with recursive c(x) as (select 1 union all select "
      "x + 1 from c) select x as start, x + 1 as end, 0 as deviceId, 7 as streamId, x as "
      "correlationId, 1 as globalPid, 1 as demangledName, 1 as shortName from c;";
  return {
      database("of_something_else", 3, {"n.sqlite", "E2004"}, "",
               "create table t(a); insert into t values(1);"),
      database("without_events", 3, {"n.sqlite", "E2011"}, "",
               "create table StringIds(id integer primary key, value text);"),
      database("without_columns", 3, {"n.sqlite", "E2011"}, "",
               "create table StringIds(id integer primary key, value text);"
               "create table CUPTI_ACTIVITY_KIND_KERNEL(a, b);"
               "insert into CUPTI_ACTIVITY_KIND_KERNEL values(1, 2);"),
      database("cut_to_a_page", 3, {"n.sqlite", "E2003"}, "", sound, first_page),
      database("of_zeros", 3, {"n.sqlite", "E2003"}, "", sound, zeros),
      database("of_noise", 3, {"n.sqlite", "E2004"}, "", sound, noise),
      database("cut_to_its_header", 3, {"n.sqlite", "E2004"}, "", sound,
               [](const std::string& bytes) { return bytes.substr(0, 100); }),
      database("cut_in_its_last_page", 3,
               {"n.sqlite", "is truncated", "hint: copy it again", "E2003"}, "", sound,
               [](const std::string& bytes) { return bytes.substr(0, bytes.size() - 100); }),
      database("virtual_table_for_a_table", 3, {"n.sqlite", "E2011"}, "",
               "create table StringIds(id integer primary key, value text); pragma writable_schema "
               "= 1; insert into sqlite_schema values('table', 'CUPTI_ACTIVITY_KIND_KERNEL', "
               "'CUPTI_ACTIVITY_KIND_KERNEL', 2, 'CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL "
               "USING fts5(start, end)');"),
      database("view_for_a_table", 3, {"n.sqlite", "E2011"}, "",
               sound + "alter table CUPTI_ACTIVITY_KIND_KERNEL rename to k; create view "
                       "CUPTI_ACTIVITY_KIND_KERNEL as select * from k;"),
      database("view_without_end", 3, {"n.sqlite", "E2011"}, "",
               "create table StringIds(id integer primary key, value text);" + endless),
      database("trigger_for_a_table", 0, {}, "t.0.et",
               sound + "create trigger CUPTI_ACTIVITY_KIND_MEMCPY after insert on StringIds begin "
                       "delete from StringIds; end;"),
      database("values_of_other_types", 0, {}, lost,
               sound +
                   "insert into CUPTI_ACTIVITY_KIND_KERNEL values('x', 'y', 'z', null, x'00ff', "
                   "'a', 'b', 'c', 'd', 'e'), (null, null, null, null, null, null, null, null, "
                   "null, null), (1e308, 1e400, 0, 0, 0, 0, 0, 0, 0, 0), (9223372036854775807, "
                   "-9223372036854775808, -1, -1, -1, -1, -1, -1, -1, -1);"),
      database("name_of_50_MB", 0, {}, "string_cut",
               sound + "update StringIds set value = printf('%.*c', 50000000, 'x') where id = 1;"),
      refused("nsight_report", "trace convert a.nsys-rep -o t", "a.nsys-rep",
              repeated("\x01\x02NSYS", 1000), {"E2004", "nsys export"}),
      refused("nsight_old_report", "trace info --traces a.qdrep", "a.qdrep", "QUADD",
              {"nsys export"}),
      refused("nsight_report_empty", "trace convert a.nsys-rep -o t", "a.nsys-rep", "", {"E2011"}),
  };
}

}  // namespace orrery::hostile
