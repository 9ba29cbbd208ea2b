// SPDX-License-Identifier: Apache-2.0
//
// The reference page is what the code says, and its queries work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "orrery/core/paths_testing.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_file_testing.h"
#include "orrery/result/run_file/table_schema.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::result {
namespace {

using testing::query;
using testing::read_bytes;
using testing::sample_run;
using testing::TemporaryFolder;

const std::string kPage = std::string(core_testing::kSourceFolder) + "/docs/reference/run-file.md";

TEST(RunFileReference, IsUpToDate) {
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr)
    testing::write_bytes(kPage, run_file_reference());
  EXPECT_EQ(read_bytes(kPage), run_file_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

TEST(RunFileReference, EveryQueryAnswers) {
  const TemporaryFolder scratch;
  const std::string file = scratch / "a.orrery";
  auto run = sample_run();
  PacketRecord& packets = run.packets.emplace();
  packets.bin = us(1);
  packets.ports = {{0, {.marked = 1}, {{0, {.marked = 1}}}}};
  packets.message_times = {{.from = 0, .to = 1, .bytes = 9, .start = 5, .end = 8, .ideal = 3}};
  ASSERT_TRUE(write_run(run, file, false));
  const std::string page = read_bytes(kPage);
  constexpr std::string_view kOpen = "```sql\n";
  int count = 0;
  for (std::size_t at = page.find(kOpen); at != std::string::npos; at = page.find(kOpen, at)) {
    at += kOpen.size();
    const std::string sql = page.substr(at, page.find("```", at) - at);
    EXPECT_FALSE(query(file, sql).empty()) << sql;
    ++count;
  }
  EXPECT_EQ(count, 8);
}

TEST(RunFileReference, TablesAndViewsAreInTheFileAsDeclared) {
  const TemporaryFolder scratch;
  const std::string file = scratch / "a.orrery";
  ASSERT_TRUE(write_run(sample_run(), file, false));
  std::set<std::string_view> names;
  const auto columns = [&](const auto& declared) {
    std::vector<std::string> expected;
    for (const Column& column : declared.columns) {
      expected.emplace_back(column.name);
      EXPECT_FALSE(column.meaning.empty()) << declared.name << "." << column.name;
    }
    EXPECT_TRUE(names.insert(declared.name).second) << declared.name;
    EXPECT_FALSE(declared.meaning.empty());
    EXPECT_EQ(
        query(file, "SELECT name FROM pragma_table_xinfo('" + std::string(declared.name) + "')"),
        expected);
  };
  for (const Table& table : stored_tables()) columns(table);
  for (const View& view : views()) columns(view);
  EXPECT_EQ(query(file, "SELECT count(*) FROM sqlite_schema"),
            std::vector<std::string>{std::to_string(names.size())});
}

}  // namespace
}  // namespace orrery::result
