// SPDX-License-Identifier: Apache-2.0
//
// Traces that PyTorch's profiler wrote on other people's machines. They are not part of the
// project; without them these tests skip.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "orrery/core/paths_testing.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/kineto/reader.h"

namespace orrery::trace::kineto {
namespace {

namespace fs = std::filesystem;
using profile::Kind;
using profile::Profile;

class RealKinetoTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(traces())) GTEST_SKIP() << "no real traces at ../shared/data/traces";
  }
  static fs::path traces() {
    return fs::path(core_testing::kSourceFolder) / "../shared/data/traces";
  }
  static Result<Profile> read_input(const Input& input, Findings& findings) {
    auto source = open(input);
    if (!source) return tl::unexpected(source.error());
    return kineto::read(std::move(*source), {input.name, std::make_shared<StringPool>()}, findings);
  }
  static Profile read_file(const std::string& path, Findings& findings) {
    const auto inputs = inputs_in((traces() / path).string());
    EXPECT_TRUE(inputs.has_value()) << path;
    auto profile = read_input(inputs->front(), findings);
    EXPECT_TRUE(profile.has_value()) << path;
    return std::move(*profile);
  }
};

/// How many records of each category another program counted.
std::map<std::string, std::map<std::string, std::uint64_t>> counted(const fs::path& folder) {
  std::map<std::string, std::map<std::string, std::uint64_t>> out;
  std::ifstream file(folder / "index.json");
  const auto index = nlohmann::json::parse(file);
  for (const auto& entry : index["entries"]) {
    for (const auto& member : entry["members"]) {
      if (member.value("kind", "") != "kineto") continue;
      auto& cats = out[member["file"].get<std::string>()];
      for (const auto& [name, count] : member["cats"].items())
        cats[name] = count.get<std::uint64_t>();
      cats["(all)"] = member["events"].get<std::uint64_t>();
    }
  }
  return out;
}

std::uint64_t at(const std::map<std::string, std::uint64_t>& cats,
                 std::initializer_list<const char*> names) {
  std::uint64_t sum = 0;
  for (const char* name : names) {
    const auto found = cats.find(name);
    sum += found == cats.end() ? 0 : found->second;
  }
  return sum;
}

TEST_F(RealKinetoTraces, EveryRecordIsAccountedFor) {
  std::size_t read_files = 0;
  for (const auto& [file, cats] : counted(traces())) {
    const auto inputs = inputs_in((traces() / file.substr(0, file.find('!'))).string());
    ASSERT_TRUE(inputs.has_value()) << file;
    for (const Input& input : *inputs) {
      if (file.find('!') != std::string::npos &&
          input.name.substr(input.name.find('!')) != file.substr(file.find('!')))
        continue;
      EXPECT_EQ(input.format, Format::kineto) << file;
      Findings findings;
      const auto profile = read_input(input, findings);
      ASSERT_TRUE(profile.has_value()) << to_string(profile.error());
      ++read_files;
      std::map<Kind, std::uint64_t> kinds;
      for (std::size_t e = 0; e < profile->events.size(); ++e) ++kinds[profile->events[e].kind];
      EXPECT_EQ(profile->account.records, at(cats, {"(all)"})) << file;
      EXPECT_EQ(kinds[Kind::op], at(cats, {"cpu_op"})) << file;
      EXPECT_EQ(kinds[Kind::annotation], at(cats, {"user_annotation"})) << file;
      EXPECT_EQ(kinds[Kind::python], at(cats, {"python_function"})) << file;
      EXPECT_EQ(kinds[Kind::kernel], at(cats, {"kernel"})) << file;
      EXPECT_EQ(kinds[Kind::memcpy], at(cats, {"gpu_memcpy"})) << file;
      EXPECT_EQ(kinds[Kind::memset], at(cats, {"gpu_memset"})) << file;
      EXPECT_EQ(kinds[Kind::call], at(cats, {"cuda_runtime", "cuda_driver", "mtia_runtime"}))
          << file;
      EXPECT_EQ(kinds[Kind::sync], at(cats, {"cuda_sync"})) << file;
      EXPECT_EQ(kinds[Kind::device_other], at(cats, {"mtia_ccp_events"})) << file;
      EXPECT_EQ(kinds[Kind::device_range], at(cats, {"gpu_user_annotation"})) << file;
      EXPECT_EQ(profile->account.mapped, at(cats, {"M", "ac2g", "fwdbwd", "async_cpu_to_gpu",
                                                   "async_gpu", "async", "cpu_instant_event"}))
          << file;
      EXPECT_EQ(profile->memory.size(), at(cats, {"cpu_instant_event"})) << file;
      EXPECT_EQ(findings.count(FindingCode::event_dropped), 0u) << file;
      EXPECT_EQ(findings.count(FindingCode::corrupt_record_dropped), 0u) << file;
      EXPECT_EQ(findings.count(FindingCode::json_repaired), 0u) << file;
    }
  }
  EXPECT_GE(read_files, 30u);
}

TEST_F(RealKinetoTraces, DdpOnTwoRanksSaysAllOfItsCollectives) {
  Findings findings;
  const Profile profile = read_file("hta/nccl_data.a100_2rank.rank0.json.gz", findings);
  EXPECT_EQ(profile.rank, 0u);
  EXPECT_EQ(profile.world_size, 2u);
  EXPECT_EQ(profile.backend, "nccl");
  EXPECT_EQ(profile.devices.size(), 8u);
  EXPECT_EQ(profile.origin_ns, 1'716'423'322'416'788'066);
  ASSERT_EQ(profile.groups.size(), 1u);
  EXPECT_EQ(profile.groups[0].description, "default_pg");
  EXPECT_EQ(profile.groups[0].ranks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(profile.forward_backward.size(), 543u);
  std::size_t kernels = 0;
  for (profile::EventId e = 0; e < profile.events.size(); ++e) {
    if (profile.events[e].kind != Kind::kernel || profile.comm(e) == nullptr) continue;
    ++kernels;
    EXPECT_GT(profile.comm(e)->bytes(), 0);
    EXPECT_EQ(profile.comm(e)->group_size, 2);
  }
  EXPECT_EQ(kernels, 21u);
}

TEST_F(RealKinetoTraces, SynchronizationsAreRead) {
  Findings findings;
  const Profile profile = read_file("hta/cp_cuda_event_sync.a100.json.gz", findings);
  EXPECT_TRUE(profile.has_sync_events);
  ASSERT_EQ(profile.syncs.size(), 4u);
  EXPECT_EQ(profile.syncs[0].kind, profile::SyncKind::stream);
  EXPECT_EQ(profile.syncs[1].kind, profile::SyncKind::event);
  EXPECT_EQ(profile.syncs[1].record_correlation, 1533u);
  EXPECT_EQ(profile.syncs[1].wait_on_stream, 7);
  EXPECT_EQ(profile.syncs[3].kind, profile::SyncKind::context);
}

TEST_F(RealKinetoTraces, MtiaWorkHasItsCorrelations) {
  Findings findings;
  const Profile profile = read_file("hta/mtia_rank_0.json.gz", findings);
  std::size_t correlated = 0;
  for (std::size_t w = 0; w < profile.works.size(); ++w)
    correlated += profile.works[w].correlation != profile::kNoId ? 1 : 0;
  EXPECT_EQ(correlated, 3453u);
}

}  // namespace
}  // namespace orrery::trace::kineto
