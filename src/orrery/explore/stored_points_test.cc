// SPDX-License-Identifier: Apache-2.0
//
// Stored points are used again only while every file that they were computed from is unchanged.
#include "orrery/core/paths_testing.h"
#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/explore/exploration_testing.h"
#include "orrery/explore/journal/journal.h"

namespace orrery::explore {
namespace {

/// A file of a space, and how it looks after a change.
struct Input {
  const char* name;
  const char* file;
  const char *before, *after;
  const char* device = "h100-sxm";  ///< of the cluster, with more keys
  const char* network = "network: [{block: switch, size: 8, bandwidth: 50 GB/s, latency: 1 us}]";
  const char* collectives = "ideal";
  const char* job = "";
  const char* batches = "[1, 2]";
};

constexpr const char* kTable = "device,operation,pass,a,b,out,traits,m,n,k,us\n";
constexpr const char* kFabric = "9 1 8\n8\n";
const std::string kFabricBefore = [] {
  std::string text = kFabric;
  for (int i = 0; i < 8; ++i) text += fmt::format("{} 8 400Gbps 0.001ms 0\n", i);
  return text;
}();
const std::string kFabricAfter = [] {
  std::string text = kFabric;
  for (int i = 0; i < 8; ++i) text += fmt::format("{} 8 40Gbps 0.001ms 0\n", i);
  return text;
}();
const std::string kTableBefore =
    std::string(kTable) + "h100-sxm,gemm,forward,bf16,bf16,bf16,transposed_b,1024,1024,1024,6\n";
const std::string kTableAfter =
    std::string(kTable) + "h100-sxm,gemm,forward,bf16,bf16,bf16,transposed_b,1024,1024,1024,9\n";

std::string example(const std::string& path) {
  return bytes_of(std::string(core_testing::kSourceFolder) + "/examples/" + path);
}
const std::string kArray = example("kernels/array.cfg"), kArrayAfter = kArray + "# changed\n";

const Input kInputs[] = {
    {"kernel_table", "k.csv", kTableBefore.c_str(), kTableAfter.c_str(),
     "{is: h100-sxm, kernel_table: k.csv}"},
    {"tuner", "t.csv", "allreduce,0,4294967295,ring,simple,2,-1,-1\n",
     "allreduce,0,4294967295,tree,ll,2,-1,-1\n", "h100-sxm",
     "network: [{block: switch, size: 8, link: nvlink4}]",
     "{library: nccl, settings: {NCCL_TUNER_CONFIG_FILE: t.csv}}"},
    {"fabric", "f.txt", kFabricBefore.c_str(), kFabricAfter.c_str(), "h100-sxm",
     "fabric: {file: f.txt}"},
    {"schedule", "s.yaml",
     "chunks: 1\nplacement: round_robin\nstages: [[F0, F1, B0, B1], [F0, B0, F1, B1]]",
     "chunks: 1\nplacement: round_robin\nstages: [[F0, F1, B0, B1], [F0, F1, B0, B1]]", "h100-sxm",
     "network: [{block: switch, size: 2, bandwidth: 50 GB/s, latency: 1 us}]", "ideal",
     ", schedule: {kind: file, file: FOLDER/s.yaml}, parallel: {pp: 2}", "[8]"},
    {"systolic", "a.cfg", kArray.c_str(), kArrayAfter.c_str(),
     "{is: h100-sxm, compute: systolic, systolic: a.cfg}"},
    {"cluster", "c.yaml", "", "# another text\n"},
};

class StoredPoints : public testing::TestWithParam<std::tuple<Input, Evaluation>> {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path + "/" + name) << text;
  }
  [[nodiscard]] std::string cluster(const char* text) const {
    const Input& input = std::get<0>(GetParam());
    return fmt::format("version: 1\ndevice: {}\n{}\ncollectives: {}\n{}", input.device,
                       input.network, input.collectives, text);
  }
  [[nodiscard]] SearchSpace space() const {
    std::string job = std::get<0>(GetParam()).job;
    if (const auto at = job.find("FOLDER"); at != std::string::npos)
      job.replace(at, 6, folder_.path);
    auto read = parse_space(
        "version: 1\njob: {model: {name: small, layers: 4, hidden: 1024, heads: 16, vocab: 32000}, "
        "batch: {global: 16, micro: \"=m\", seq: 1024}" +
            job + "}\ncluster: \"{f}\"\naxes: [{name: m, values: " +
            std::get<0>(GetParam()).batches + "}, {name: f, values: [c.yaml]}]\n",
        folder_.path + "/space.yaml");
    EXPECT_TRUE(read) << to_string(read.error());
    return read ? *std::move(read) : SearchSpace{};
  }
  [[nodiscard]] ExplorationResult search(const std::string& file) const {
    ExploreOptions options;
    options.evaluation = std::get<1>(GetParam());
    options.answers.threads = 1;
    options.answers.file = file.empty() ? "" : folder_.path + "/" + file;
    return explored(space(), options);
  }
  static std::vector<std::int64_t> steps(const ExplorationResult& found) {
    std::vector<std::int64_t> all;
    for (const Point& point : found.points) all.push_back(point.predicted().step);
    return all;
  }

  Folder folder_;
};

TEST_P(StoredPoints, AreComputedAgainWhenAnInputChanges) {
  const Input& input = std::get<0>(GetParam());
  const bool is_cluster = std::string_view(input.file) == "c.yaml";
  write("c.yaml", cluster(""));
  if (!is_cluster) write(input.file, input.before);
  const ExplorationResult first = search("points.jsonl");
  ASSERT_EQ(first.failed, 0U) << to_string(first.failure.value_or(Error{}));
  ASSERT_GT(first.fitting, 0U);
  EXPECT_EQ(first.out_of_date, 0U);

  const ExplorationResult again = search("points.jsonl");
  EXPECT_EQ(again.evaluated, 0U);
  EXPECT_EQ(again.out_of_date, 0U);
  if (!is_cluster) write(input.file, input.before);  // another time of writing, the same bytes
  EXPECT_EQ(search("points.jsonl").evaluated, 0U);

  write(input.file, is_cluster ? cluster(input.after) : input.after);
  const ExplorationResult changed = search("points.jsonl");
  EXPECT_EQ(changed.out_of_date, changed.points.size());
  EXPECT_GE(changed.evaluated, changed.points.size());  // each by one method, or by two
  EXPECT_EQ(steps(changed), steps(search("")));
  EXPECT_EQ(search("points.jsonl").evaluated, 0U);
  // The lines are those that a search without stored points writes.
  (void)search("fresh.jsonl");
  EXPECT_EQ(bytes_of(folder_.path + "/points.jsonl"), bytes_of(folder_.path + "/fresh.jsonl"));
}

std::string name_of(const testing::TestParamInfo<std::tuple<Input, Evaluation>>& info) {
  constexpr const char* kMethods[] = {"estimate", "simulate", "automatic"};
  return fmt::format("{}_{}", std::get<0>(info.param).name, kMethods[info.index % 3]);
}

INSTANTIATE_TEST_SUITE_P(Inputs, StoredPoints,
                         testing::Combine(testing::ValuesIn(kInputs),
                                          testing::Values(Evaluation::estimate,
                                                          Evaluation::simulate,
                                                          Evaluation::automatic)),
                         name_of);

// A file takes the place of a catalog cluster of its name.
TEST(StoredPointsOf, ACatalogClusterThatAFileReplaces) {
  const Folder folder;
  const std::string name = "h100-sxm:8";
  ASSERT_FALSE(std::filesystem::exists(name));
  const SearchSpace space = space_of(
      "version: 1\njob: {model: gpt2, batch: {global: 16, micro: \"=m\", seq: 128}}\n"
      "cluster: " +
      name + "\naxes: [{name: m, values: [1, 2]}]\n");
  ExploreOptions options;
  options.evaluation = Evaluation::estimate;
  options.answers.file = folder.path + "/points.jsonl";
  EXPECT_EQ(explored(space, options).evaluated, 2U);
  EXPECT_EQ(explored(space, options).evaluated, 0U);
  std::ofstream(name) << "device: h100-sxm\nnetwork: [{block: ring, size: 8, bandwidth: 1 GB/s, "
                         "latency: 1 us}]\n";
  const ExplorationResult again = explored(space, options);
  std::filesystem::remove(name);
  EXPECT_EQ(again.out_of_date, 2U);
}

TEST(StoredPointsOf, AnotherBuildAreOutOfDate) {
  const Folder folder;
  const SearchSpace space = space_of(small_space());
  ExploreOptions options;
  options.evaluation = Evaluation::estimate;
  options.answers.file = folder.path + "/points.jsonl";
  EXPECT_EQ(explored(space, options).evaluated, 288U);
  std::string text = bytes_of(options.answers.file);
  const std::string models(models_hash());
  std::size_t lines = 0;
  for (std::size_t at = text.find(models); at != std::string::npos; at = text.find(models, at)) {
    if (++lines <= 100) text.replace(at, models.size(), "0123456789abcdef");
    at += models.size();
  }
  ASSERT_EQ(lines, 288U);
  std::ofstream(options.answers.file) << text;
  const ExplorationResult again = explored(space, options);
  EXPECT_EQ(again.out_of_date, 100U);
  EXPECT_EQ(again.evaluated, 100U);
}

// Version 0.6 stored neither bounds of memory nor intervals.
TEST(StoredPointsOf, AnEarlierVersionAreOutOfDate) {
  const Folder folder;
  const SearchSpace space = space_of(small_space());
  ExploreOptions options;
  options.evaluation = Evaluation::simulate;
  options.answers.file = folder.path + "/points.jsonl";
  const ExplorationResult first = explored(space, options);
  const std::string text = bytes_of(options.answers.file);
  std::string old;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    Json line = Json::parse(text.substr(begin, end - begin));
    for (const char* key : {"memory_low", "memory_high", "capacity", "work_by_format",
                            "interval_ps", "no_interval_reason"})
      line.erase(key);
    old += line.dump() + "\n";
    begin = end + 1;
  }
  std::ofstream(options.answers.file) << old;
  const ExplorationResult again = explored(space, options);
  EXPECT_EQ(again.out_of_date, first.points.size());
  EXPECT_EQ(again.evaluated, first.points.size());
  EXPECT_EQ(bytes_of(options.answers.file), text);
}

TEST(StoredPointsOf, AllThatWasPredicted) {
  const SearchSpace space = space_of(
      "version: 1\njob: {model: llama-3.2-1b, batch: {global: 16, micro: \"=m\", seq: 1024}, "
      "precision: "
      "{products: fp8}}\ncluster: h100-sxm:8\naxes: [{name: m, values: [1, 2]}]\n");
  const auto asked = spec_at(space, space.at(0));
  ASSERT_TRUE(asked);
  const PointPrediction predicted = Evaluator(space).predict(*asked, Evaluation::simulate);
  ASSERT_TRUE(predicted.interval);
  ASSERT_EQ(predicted.work_by_format.size(), 2U);
  const auto read = parse_journal_entry(
      line_of(space, space.at(0), Evaluation::simulate, std::string(64, 'a'), predicted));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->predicted.memory, predicted.memory);
  EXPECT_EQ(read->predicted.capacity, predicted.capacity);
  EXPECT_EQ(read->predicted.work_by_format, predicted.work_by_format);
  EXPECT_EQ(read->predicted.interval->lower, predicted.interval->lower);
  EXPECT_EQ(read->predicted.interval->upper, predicted.interval->upper);
  EXPECT_EQ(read->predicted.interval->unknown, predicted.interval->unknown);
  const Figures before = figures_of(predicted, Rates{}),
                after = figures_of(read->predicted, Rates{});
  for (const FigureDescription& one : figures())
    EXPECT_EQ(format(one.figure, after[one.figure]), format(one.figure, before[one.figure]))
        << one.name;
  // What was cut or changed is another kind of line.
  std::string line =
      line_of(space, space.at(0), Evaluation::simulate, std::string(64, 'a'), predicted);
  const std::string low = "\"memory_low\": ";
  const std::size_t at = line.find(low);
  ASSERT_NE(at, std::string::npos) << line;
  line.insert(at + low.size(), "-");
  EXPECT_FALSE(parse_journal_entry(line));
}

}  // namespace
}  // namespace orrery::explore
