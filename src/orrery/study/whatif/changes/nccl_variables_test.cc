// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/changes/nccl_variables.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/model/collective/library/library_machine.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/whatif/changes/changes.h"

namespace orrery::study {
namespace {

using graph::CollectiveType;
using model::LibraryEstimate;
using platform::LibrarySettings;
using testing::HasSubstr;

TEST(NcclVariables, AreFoundInAnyCase) {
  ASSERT_NE(find_nccl_variable("nccl_algo"), nullptr);
  EXPECT_EQ(find_nccl_variable("Nccl_Algo")->name, "NCCL_ALGO");
  EXPECT_EQ(find_nccl_variable("NCCL_ALG"), nullptr);
  EXPECT_TRUE(is_nccl_variable("nccl_anything"));
  EXPECT_FALSE(is_nccl_variable("ncclalgo"));
}

TEST(NcclVariables, HaveOneRowEach) {
  std::set<std::string_view> names;
  for (const NcclVariable& one : nccl_variables()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_NE(one.is_represented(), !one.missing.empty()) << one.name;
    EXPECT_EQ(one.is_represented(), !one.effect.empty()) << one.name;
    EXPECT_FALSE(one.values.empty() || one.meaning.empty()) << one.name;
  }
}

Error error_of(const std::string& change) {
  const auto parsed = parse_change(change);
  EXPECT_FALSE(parsed.has_value()) << change;
  return parsed ? Error{} : parsed.error();
}

TEST(NcclVariables, EachMistakeHasAnErrorWithWhatToDo) {
  const Error unknown = error_of("NCCL_ALG=ring");
  EXPECT_EQ(unknown.code, Errc::usage);
  EXPECT_THAT(unknown.hint, HasSubstr("NCCL_ALGO"));
  const Error missing = error_of("NCCL_P2P_DISABLE=1");
  EXPECT_EQ(missing.code, Errc::config_conflict);
  EXPECT_THAT(missing.what, HasSubstr("no data for the rate of copies through host memory"));
  for (const char* wrong : {"NCCL_ALGO=star", "NCCL_PROTO=ll256", "NCCL_MIN_CTAS=0",
                            "NCCL_MAX_CTAS=65", "NCCL_NVLS_ENABLE=3", "NCCL_COLLNET_ENABLE=2",
                            "NCCL_ALGO=^ring,tree,collnetdirect,collnetchain,nvls,nvlstree,pat"}) {
    const Error error = error_of(wrong);
    EXPECT_EQ(error.code, Errc::usage) << wrong;
    EXPECT_EQ(error.where, std::string("--change ") + wrong);
  }
}

// NCCL's default of a variable that the model lacks is what the model represents.
TEST(NcclVariables, AcceptTheDefaultOfOthers) {
  for (const NcclVariable& one : nccl_variables()) {
    if (one.is_represented() || one.usual.empty()) continue;
    LibrarySettings settings;
    EXPECT_TRUE(set_nccl_variable(one.name, std::string(one.usual), "here", settings)) << one.name;
    EXPECT_EQ(settings, LibrarySettings{}) << one.name;
  }
}

// Of the two names of one limit, the most restrictive value applies (user guide).
TEST(NcclVariables, TheMostRestrictiveLimitApplies) {
  LibrarySettings settings;
  for (const auto& [name, value] : {std::pair{"NCCL_MAX_CTAS", "16"},
                                    {"NCCL_MAX_NCHANNELS", "8"},
                                    {"NCCL_MIN_CTAS", "4"},
                                    {"NCCL_MIN_NCHANNELS", "2"}})
    ASSERT_TRUE(set_nccl_variable(name, value, "here", settings)) << name;
  EXPECT_EQ(settings.max_channels, 8);
  EXPECT_EQ(settings.min_channels, 4);
  EXPECT_FALSE(set_nccl_variable("NCCL_MIN_CTAS", "9", "here", settings));
}

/// A change, and what must hold of each choice of the library with it.
struct Case {
  std::string change;
  std::function<bool(const model::nccl::Choice&)> holds;
};

std::vector<Case> cases() {
  using model::nccl::Algorithm;
  using model::nccl::Choice;
  using model::nccl::Protocol;
  return {{"NCCL_ALGO=Ring", [](const Choice& one) { return one.algorithm == Algorithm::ring; }},
          {"nccl_algo=allreduce:^NVLS,NVLSTree",
           [](const Choice& one) {
             return one.algorithm != Algorithm::nvls && one.algorithm != Algorithm::nvls_tree;
           }},
          {"NCCL_PROTO=Simple", [](const Choice& one) { return one.protocol == Protocol::simple; }},
          {"NCCL_PROTO=^LL128", [](const Choice& one) { return one.protocol != Protocol::ll128; }},
          {"NCCL_MIN_CTAS=24", [](const Choice& one) { return one.channels >= 24; }},
          {"NCCL_MAX_CTAS=4", [](const Choice& one) { return one.channels <= 4; }},
          {"NCCL_MIN_NCHANNELS=24", [](const Choice& one) { return one.channels >= 24; }},
          {"NCCL_MAX_NCHANNELS=4", [](const Choice& one) { return one.channels <= 4; }},
          {"NCCL_NVLS_ENABLE=0",
           [](const Choice& one) {
             return one.algorithm != Algorithm::nvls && one.algorithm != Algorithm::nvls_tree;
           }},
          {"NCCL_COLLNET_ENABLE=1", [](const Choice&) { return true; }}};
}

// Every variable with every collective and size: the choice obeys the variable. A variable never
// makes NCCL's model expect less time than its free choice, except for more algorithms (CollNet),
// and each changes at least one time.
TEST(NcclVariables, ChangeEveryCollectiveOfEverySize) {
  Findings ignored;
  const auto cluster = platform::read_cluster("h100-sxm:32", ignored);
  ASSERT_TRUE(cluster);
  const auto free_choice = model::make_library_times(*cluster);
  ASSERT_TRUE(free_choice);
  for (const Case& one : cases()) {
    platform::Platform changed = *cluster;
    const auto change = parse_change(one.change);
    ASSERT_TRUE(change) << one.change;
    ASSERT_TRUE(change_cluster(std::vector{*change}, true, changed)) << one.change;
    const auto library = model::make_library_times(changed);
    ASSERT_TRUE(library) << one.change;
    std::size_t different = 0;
    for (const auto type : {CollectiveType::all_reduce, CollectiveType::all_gather,
                            CollectiveType::reduce_scatter, CollectiveType::broadcast}) {
      for (const model::nccl::Shape shape : {model::nccl::Shape{8, 1}, {32, 4}}) {
        for (std::int64_t bytes = 1024; bytes <= std::int64_t{4} << 30; bytes *= 8) {
          const LibraryEstimate was = (**free_choice)(type, bytes, shape);
          const LibraryEstimate is = (**library)(type, bytes, shape);
          ASSERT_TRUE(was.choice) << name(type);
          if (!is.choice) continue;  // no such algorithm is allowed: an error of the simulation
          EXPECT_TRUE(one.holds(*is.choice)) << one.change << " " << name(type) << " " << bytes;
          // CollNet, and more channels than NCCL chooses, may be faster.
          if (one.change != "NCCL_COLLNET_ENABLE=1" && !one.change.starts_with("NCCL_MIN_")) {
            EXPECT_GE(is.choice->us, was.choice->us * (1 - 1e-9))
                << one.change << " " << name(type) << " " << bytes;
          }
          if (is.time != was.time) ++different;
        }
      }
    }
    EXPECT_GT(different, 0U) << one.change;
  }
}

// The algorithms of other clusters are none of NCCL's.
TEST(NcclVariables, NeedNccl) {
  Findings ignored;
  auto cluster = platform::read_cluster("tpu-v4:64", ignored);
  ASSERT_TRUE(cluster);
  const auto change = parse_change("NCCL_ALGO=ring");
  ASSERT_TRUE(change);
  const auto done = change_cluster(std::vector{*change}, true, *cluster);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().what, HasSubstr("NCCL does not run the collectives"));
}

// ORRERY_UPDATE_DOCS=1 writes it anew.
TEST(NcclVariables, ReferencePageIsUpToDate) {
  const std::string path =
      std::string(core_testing::kSourceFolder) + "/docs/reference/nccl-variables.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr)
    std::ofstream(path) << nccl_variables_reference();
  std::ifstream file(path);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), nccl_variables_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace orrery::study
