// SPDX-License-Identifier: Apache-2.0
//
// Files, archives and patterns as inputs.
#include <gtest/gtest.h>

#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/io_testing.h"
#include "orrery/trace/nsys/nsys_testing.h"
#include "orrery/trace/rocpd/rocpd_testing.h"

namespace orrery::trace {
namespace {

using testing::gzip;
using testing::slurp;
using testing::tar_end;
using testing::tar_file;
using testing::tar_header;
using testing::TempFolder;
using testing::zstd;

constexpr const char* kKineto = R"({"traceEvents": [{"ph": "X"}]})";
constexpr const char* kExecution = R"({"schema": "1.0.1", "pid": 1, "nodes": []})";

std::string content(const Input& input) {
  auto opened = open(input);
  if (!opened) return to_string(opened.error());
  const auto bytes = slurp(**opened);
  return bytes ? *bytes : to_string(bytes.error());
}

TEST(Inputs, AFileIsItself) {
  const TempFolder folder;
  for (const auto& [file, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"plain.json", kKineto}, {"gz.anything", gzip(kKineto)}, {"z", zstd(kKineto)}}) {
    const std::string path = folder.write(file, bytes);
    const auto inputs = inputs_in(path);
    ASSERT_TRUE(inputs) << to_string(inputs.error());
    ASSERT_EQ(inputs->size(), 1u);
    EXPECT_EQ(inputs->front().path, path);
    EXPECT_EQ(inputs->front().name, path);
    EXPECT_EQ(inputs->front().member, 0u);
    EXPECT_EQ(inputs->front().format, Format::kineto);
    EXPECT_EQ(content(inputs->front()), kKineto);
  }
}

TEST(Inputs, AnArchiveIsItsFiles) {
  const TempFolder folder;
  const std::string archive =
      tar_header("logs/", 0, '5') + tar_file("logs/a.json", kKineto) +
      tar_file("logs/b.json.gz", gzip(kExecution)) + tar_file("../c", zstd(kKineto)) +
      tar_file("notes.py", "import torch") +
      tar_file("inner.tar", tar_file("x", kKineto) + tar_end()) + tar_file("empty", "") +
      tar_file("logs/a.json", kExecution) + tar_end();
  for (const std::string& bytes : {archive, gzip(archive), zstd(archive)}) {
    const std::string path = folder.write("t.bin", bytes);
    const auto inputs = inputs_in(path);
    ASSERT_TRUE(inputs) << to_string(inputs.error());
    ASSERT_EQ(inputs->size(), 7u);
    const std::vector<Format> formats = {Format::kineto,    Format::pytorch_et, Format::kineto,
                                         Format::unknown,   Format::unknown,    Format::unknown,
                                         Format::pytorch_et};
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(name((*inputs)[i].format), name(formats[i])) << (*inputs)[i].name;
      EXPECT_EQ((*inputs)[i].member, i + 1);
    }
    EXPECT_EQ((*inputs)[1].name, path + "!logs/b.json.gz");
    EXPECT_EQ((*inputs)[2].name, path + "!../c");
    EXPECT_EQ(content((*inputs)[0]), kKineto);
    EXPECT_EQ(content((*inputs)[1]), kExecution);  // packed once more inside
    EXPECT_EQ(content((*inputs)[2]), kKineto);
    EXPECT_EQ(content((*inputs)[5]), "");
    EXPECT_EQ(content((*inputs)[6]), kExecution);  // the same name again, another file
  }
}

TEST(Inputs, AnArchiveThatEndsEarlyIsListedSoFar) {
  const TempFolder folder;
  const std::string archive = tar_file("a", kKineto) + tar_file("b", std::string(5000, ' ')) +
                              tar_file("c", kKineto) + tar_end();
  for (const bool packed : {false, true}) {
    const std::string bytes = archive.substr(0, 2600);
    const std::string path = folder.write("t.tar", packed ? gzip(bytes) : bytes);
    const auto inputs = inputs_in(path);
    ASSERT_TRUE(inputs) << to_string(inputs.error());
    ASSERT_EQ(inputs->size(), 2u);
    EXPECT_EQ(content((*inputs)[0]), kKineto);
    auto second = open((*inputs)[1]);
    ASSERT_TRUE(second);
    const auto cut = slurp(**second);
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, Errc::input_truncated);
  }
  // An archive that ends inside a header may have lost anything.
  const auto header = inputs_in(folder.write("h.tar", tar_file("a", kKineto) + "b"));
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code, Errc::input_corrupt);
  EXPECT_EQ(header.error().where, (folder / "h.tar") + ":byte 1025");
}

TEST(Inputs, AMemberThatIsNotThere) {
  const TempFolder folder;
  const std::string path = folder.write("t.tar", tar_file("a", kKineto) + tar_end());
  const auto missing = open({path, path + "!b", Format::kineto, 2});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::input_not_found);
  std::string sparse = tar_file("pax", "22 GNU.sparse.major=1\n", 'x') + tar_file("s", kKineto);
  const auto inputs = inputs_in(folder.write("s.tar", sparse + tar_end()));
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->at(0).format, Format::unknown);
  const auto holes = open(inputs->at(0));
  ASSERT_FALSE(holes);
  EXPECT_EQ(holes.error().code, Errc::input_unsupported);
}

TEST(Inputs, MembersOfKnownToolsAreRefusedByName) {
  const TempFolder folder;
  const std::string archive = tar_file("README", "two ranks\n") +
                              tar_file("a.ncu-rep", std::string("NVR\0abc", 7)) +
                              tar_file("b.zip", "PK\3\4x") + tar_end();
  const auto inputs = inputs_in(folder.write("t.tar", archive));
  ASSERT_TRUE(inputs) << to_string(inputs.error());
  ASSERT_EQ(inputs->size(), 3u);
  EXPECT_EQ(inputs->at(0).format, Format::unknown) << "a text describes the others";
  EXPECT_EQ(inputs->at(1).format, Format::foreign);
  EXPECT_NE(inputs->at(1).foreign, nullptr);
  EXPECT_EQ(inputs->at(2).format, Format::archive);
  EXPECT_NE(inputs->at(2).foreign, nullptr);
}

TEST(Inputs, SayWhyAFileIsNone) {
  const TempFolder folder;
  EXPECT_EQ(inputs_in(folder / "none").error().code, Errc::input_not_found);
  EXPECT_EQ(inputs_in(folder / ".").error().code, Errc::input_read);
  EXPECT_EQ(inputs_in(folder.write("empty", "")).error().code, Errc::input_empty);
  EXPECT_EQ(inputs_in(folder.write("empty.gz", gzip(""))).error().code, Errc::input_empty);
  const auto cut = inputs_in(folder.write("cut.gz", gzip(kKineto).substr(0, 8)));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Errc::input_truncated);
  EXPECT_EQ(inputs_in(folder.write("x", "what?")).value().at(0).format, Format::foreign);
  EXPECT_EQ(inputs_in(folder.write("y", "\x01\x02")).value().at(0).format, Format::unknown);
}

TEST(Inputs, NsightsReportsAndExports) {
  const TempFolder folder;
  EXPECT_EQ(inputs_in(folder.write("r.nsys-rep", "\x01\x02\x03")).value().at(0).format,
            Format::nsys_report);
  nsys::testing::Export file(folder / "x.db");
  file.sql("CREATE TABLE notes(a)");
  // So many tables before that the first page does not name Nsight's.
  for (int i = 0; i < 2000; ++i) file.sql("CREATE TABLE padding" + std::to_string(i) + "(a)");
  file.sql("CREATE TABLE NVTX_EVENTS(start)");
  EXPECT_EQ(inputs_in(file.close()).value().at(0).format, Format::nsys_sqlite);
  nsys::testing::Export other(folder / "other.db");
  other.sql("CREATE TABLE notes(a)");
  EXPECT_EQ(inputs_in(other.close()).value().at(0).format, Format::foreign);
}

TEST(Inputs, RocpdIsKnownByItsTables) {
  using namespace rocpd::testing;
  const TempFolder folder;
  const auto direct_set = [](const std::string& suffix) {
    return of_set(std::string(kCommon) + kDirect + kDirectRows, suffix);
  };
  DatabaseFile file(folder / "results.db");
  file.sql(direct_set(""));  // merged files have tables without a suffix
  EXPECT_EQ(inputs_in(file.close()).value().at(0).format, Format::rocpd);
  DatabaseFile late(folder / "late.db");
  late.sql("CREATE TABLE notes(a)");
  for (int i = 0; i < 2000; ++i) late.sql("CREATE TABLE padding" + std::to_string(i) + "(a)");
  late.sql(direct_set("_0000a1_b2"));
  EXPECT_EQ(inputs_in(late.close()).value().at(0).format, Format::rocpd);
}

TEST(Expand, FindsFilesInNaturalOrder) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "rank3.json.d");
  for (const char* file : {"rank10.json", "rank9.json", "rank0.json", "x.json", "rank[1].json"})
    folder.write(file, "");
  using Paths = std::vector<std::string>;
  EXPECT_EQ(expand(folder / "rank?.json").value(),
            (Paths{folder / "rank0.json", folder / "rank9.json"}));
  EXPECT_EQ(expand(folder / "rank*").value(),
            (Paths{folder / "rank0.json", folder / "rank9.json", folder / "rank10.json",
                   folder / "rank[1].json"}));
  EXPECT_EQ(expand(folder / "rank[0-9].json").value().size(), 2u);
  EXPECT_EQ(expand(folder / "x.json").value(), Paths{folder / "x.json"});
  EXPECT_EQ(expand(folder / "rank[1].json").value(), Paths{folder / "rank[1].json"});
  EXPECT_EQ(expand(folder / "y.json").error().code, Errc::input_not_found);
  EXPECT_EQ(expand(folder / "*.et").error().code, Errc::input_not_found);
  EXPECT_EQ(expand(folder / "rank3*").error().code, Errc::input_not_found);
  EXPECT_EQ(expand("").error().code, Errc::input_not_found);
}

TEST(Expand, FoldersOfTensorBoardStandForTheirProfile) {
  const TempFolder folder;
  namespace fs = std::filesystem;
  using Paths = std::vector<std::string>;
  const std::string first = folder / "log/plugins/profile/2026_01_01",
                    second = folder / "log/plugins/profile/2026_01_02";
  fs::create_directories(first);
  folder.write("log/plugins/profile/2026_01_01/b.xplane.pb", "x");
  folder.write("log/plugins/profile/2026_01_01/a.xplane.pb.gz", "x");
  folder.write("log/plugins/profile/2026_01_01/a.trace.json.gz", "x");
  const Paths files{first + "/a.xplane.pb.gz", first + "/b.xplane.pb"};
  EXPECT_EQ(expand(first).value(), files);
  EXPECT_EQ(expand(folder / "log").value(), files);
  EXPECT_EQ(expand(folder / "log/plugins").value(), Paths{folder / "log/plugins"})
      << "another folder";
  fs::create_directories(second);
  folder.write("log/plugins/profile/2026_01_02/a.xplane.pb", "x");
  const auto several = expand(folder / "log");
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().code, Errc::usage);
  EXPECT_EQ(several.error().hint, "give one of them, for example " + second);
}

}  // namespace
}  // namespace orrery::trace
