// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>

#include "orrery/core/collective_type.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/paths_testing.h"
#include "orrery/core/quantity.h"
#include "orrery/core/strings.h"

namespace orrery {
namespace {

TEST(Quantity, TransferTimeRoundsUpToWholePicoseconds) {
  EXPECT_EQ(transfer_time(Bytes(32), Bandwidth(900e9))->count(), 36);
  EXPECT_EQ(transfer_time(Bytes(64 << 20), Bandwidth(50e9))->count(), 1'342'177'280);
  EXPECT_FALSE(transfer_time(Bytes(1), Bandwidth(0)).has_value());
  EXPECT_FALSE(transfer_time(Bytes(1LL << 62), Bandwidth(1)).has_value());
  EXPECT_FALSE(transfer_time(Bytes(-1), Bandwidth(1)).has_value());
}

TEST(Error, ThousandsOfTheCodeAreTheExitCode) {
  EXPECT_EQ(exit_code(Errc::config_range), 2);
  EXPECT_EQ(exit_code(Errc::input_cycle), 3);
  EXPECT_EQ(exit_code(Errc::stall), 4);
  EXPECT_EQ(exit_code(Errc::limit_exceeded), 5);
  EXPECT_EQ(exit_code(Errc::cancelled), 130);
  EXPECT_EQ(exit_code(Errc::defect), 70);
  EXPECT_EQ(to_string(Error{Errc::input_truncated, "a.et:byte 7", "ends inside a record",
                            "copy it again"}),
            "a.et:byte 7: ends inside a record (E2002)\n  hint: copy it again");
}

// Scripts look for names: each enumerator of the header is the name of its code.
TEST(Error, EveryCodeHasItsOwnName) {
  std::ifstream header(std::string(core_testing::kSourceFolder) + "/include/orrery/core/error.h");
  const std::regex enumerator(R"(^ +(\w+) = (\d+),.*)");
  std::size_t codes = 0;
  std::smatch parts;
  for (std::string line; std::getline(header, line);) {
    if (!std::regex_match(line, parts, enumerator)) continue;
    EXPECT_EQ(name(static_cast<Errc>(std::stoi(parts[2]))), parts[1].str());
    ++codes;
  }
  EXPECT_GE(codes, 30u);
  EXPECT_EQ(name(static_cast<Errc>(999)), "unknown");
}

TEST(Findings, KeepsTheFirstThreePlacesAndCountsAll) {
  Findings findings;
  for (const char* place : {"a", "b", "c", "d"}) findings.add(FindingCode::attr_coerced, place);
  Findings more;
  more.add(FindingCode::attr_coerced, "e", 2);
  findings.merge(more);
  ASSERT_EQ(findings.list().size(), 1u);
  EXPECT_EQ(findings.list()[0].count, 6u);
  EXPECT_EQ(findings.list()[0].places, (std::vector<std::string>{"a", "b", "c"}));
}

// The table of sentences is in the order of the codes.
TEST(Findings, EveryCodeHasItsOwnSentence) {
  EXPECT_EQ(describe(FindingCode::duplicate_id_dropped).name, "duplicate_id_dropped");
  EXPECT_EQ(describe(FindingCode::unmatched_send).name, "unmatched_send");
  EXPECT_EQ(describe(FindingCode::chunk_order_resolved).name, "chunk_order_resolved");
  EXPECT_EQ(describe(FindingCode::missing_chunk_raised).name, "missing_chunk_raised");
  EXPECT_EQ(describe(FindingCode::may_not_fit).name, "may_not_fit");
  EXPECT_EQ(describe(FindingCode::time_below_limit).name, "time_below_limit");
  EXPECT_EQ(describe(FindingCode::curve_too_short).name, "curve_too_short");
}

TEST(Findings, AreFoundByTheirNames) {
  const FindingCode code = FindingCode::corrupt_record_dropped;
  EXPECT_EQ(find_finding_code(describe(code).name), code);
  EXPECT_EQ(find_finding_code("no such finding"), std::nullopt);
  std::set<std::string_view> names;
  for (const Severity severity :
       {Severity::info, Severity::warning, Severity::repaired, Severity::data_loss,
        Severity::error})
    EXPECT_TRUE(names.insert(name(severity)).second);
}

TEST(StringPool, GivesEachTextOneId) {
  StringPool pool;
  EXPECT_EQ(pool.intern(""), StringId::empty);
  const StringId id = pool.intern("aten::mm");
  EXPECT_EQ(pool.intern(std::string("aten::") + "mm"), id);
  EXPECT_EQ(pool.view(id), "aten::mm");
  EXPECT_EQ(pool.size(), 2u);
}

TEST(Quantity, SumsOverManyRanksStopAtTheLastTimeThereIs) {
  EXPECT_EQ(saturating_sum(us(1), us(2), 3), us(7));
  EXPECT_EQ(saturating_sum(us(1), Time(-2), 3), Time(999'994));
  EXPECT_EQ(saturating_sum(us(1), Time(std::int64_t{1} << 61), 1 << 20), kTimeMax);
  EXPECT_EQ(saturating_sum(kTimeMax, ps(1)), kTimeMax);
  EXPECT_LT(saturating_sum(Time{}, Time(-(std::int64_t{1} << 61)), 1 << 20), Time{});
}

TEST(CollectiveType, NamesReadBack) {
  for (std::size_t i = 0; i < kCollectiveNames.size(); ++i)
    EXPECT_EQ(collective_type(kCollectiveNames[i]), static_cast<CollectiveType>(i));
  EXPECT_EQ(name(CollectiveType::reduce_scatter), "reduce_scatter");
  EXPECT_EQ(static_cast<int>(CollectiveType::barrier), 9);  // Chakra's number
  EXPECT_EQ(collective_type("send_recv"), std::nullopt);
}

}  // namespace
}  // namespace orrery
