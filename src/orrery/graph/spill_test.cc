// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/spill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <random>

#include "orrery/graph/builder.h"

namespace orrery::graph {
namespace {

namespace fs = std::filesystem;

class SpillFolder {
 public:
  SpillFolder()
      : path_(fs::path(::testing::TempDir()) /
              (std::string("orrery_spill_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~SpillFolder() { fs::remove_all(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] bool empty() const { return fs::is_empty(path_); }

 private:
  fs::path path_;
};

/// A node of any kind with anything set, waiting for some before it; ids leave gaps of up to `gap`.
NodeSpec any_node(GraphBuilder& builder, std::uint64_t id, const std::vector<std::uint64_t>& before,
                  std::mt19937_64& random) {
  const auto below = [&](std::uint64_t most) { return random() % most; };
  const auto text = [&] { return builder.strings().intern("name " + std::to_string(below(40))); };
  NodeSpec node;
  node.id = id;
  node.kind = static_cast<NodeKind>(below(8));
  node.flags = static_cast<std::uint16_t>(below(1u << 13));
  node.duration = Time(static_cast<std::int64_t>(below(1000)));
  node.name = text();
  node.work = {static_cast<std::int64_t>(below(9)), Bytes(static_cast<std::int64_t>(below(9)))};
  node.collective.size = Bytes(static_cast<std::int64_t>(below(9)));
  node.collective.group = text();
  node.message.dst = static_cast<std::int32_t>(below(5));
  if (below(3) == 0) {
    Kernel kernel;
    kernel.operation = Operation::copy;
    kernel.sizes[0] = static_cast<std::int64_t>(below(5));
    node.kernel = builder.kernels().intern(kernel);
  }
  if (below(3) == 0) node.scope.layer = static_cast<std::int32_t>(below(5));
  for (std::uint64_t i = below(4); i > 0 && !before.empty(); --i)
    node.deps.push_back(before[below(before.size())]);
  for (std::uint64_t i = below(3); i > 1; --i)
    node.tensors.push_back({Bytes(static_cast<std::int64_t>(below(99))), text(), below(2) == 0});
  return node;
}

Graph any_graph(std::uint64_t seed, std::uint64_t nodes, std::uint64_t gap) {
  std::mt19937_64 random(seed);
  GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), Repair::refuse);
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = seed; ids.size() < nodes; id += 1 + random() % gap) {
    builder.add(any_node(builder, id, ids, random));
    ids.push_back(id);
  }
  Findings findings;
  auto graph = std::move(builder).finish(findings);
  EXPECT_TRUE(graph);
  return std::move(*graph);
}

void expect_equal_node(const Graph& a, const Graph& b, NodeId n) {
  ASSERT_EQ(a.id(n), b.id(n));
  ASSERT_EQ(b.find(a.id(n)), n);
  ASSERT_EQ(a.kind(n), b.kind(n));
  for (unsigned flag = 0; flag < 13; ++flag)
    ASSERT_EQ(a.has(n, static_cast<NodeFlag>(1u << flag)),
              b.has(n, static_cast<NodeFlag>(1u << flag)));
  ASSERT_EQ(a.is_cpu(n), b.is_cpu(n));
  ASSERT_EQ(a.duration(n), b.duration(n));
  ASSERT_EQ(a.scope(n), b.scope(n));
  ASSERT_EQ(a.name(n), b.name(n));
  ASSERT_TRUE(std::ranges::equal(a.successors(n), b.successors(n)));
  switch (a.kind(n)) {
    case NodeKind::comp:
    case NodeKind::mem_load:
    case NodeKind::mem_store:
      ASSERT_EQ(a.kernel(n), b.kernel(n));
      ASSERT_EQ(a.kernels(), b.kernels());
      ASSERT_EQ(a.work(n).num_ops, b.work(n).num_ops);
      ASSERT_EQ(a.work(n).tensor_size, b.work(n).tensor_size);
      break;
    case NodeKind::coll:
      ASSERT_EQ(a.collective(n).size, b.collective(n).size);
      ASSERT_EQ(a.collective(n).group, b.collective(n).group);
      ASSERT_EQ(a.string(a.collective(n).group), b.string(b.collective(n).group));
      break;
    case NodeKind::send:
    case NodeKind::recv:
      ASSERT_EQ(a.point_to_point(n).dst, b.point_to_point(n).dst);
      ASSERT_EQ(a.message(n, 3).dst, b.message(n, 3).dst);
      break;
    default:
      break;
  }
  const auto left = a.tensors(n), right = b.tensors(n);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(left[i].size, right[i].size);
    ASSERT_EQ(left[i].is_output, right[i].is_output);
    ASSERT_EQ(a.string(left[i].name), b.string(right[i].name));
  }
}

void expect_equal(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.edge_count(), b.edge_count());
  ASSERT_EQ(a.content_hash(), b.content_hash());
  ASSERT_TRUE(std::ranges::equal(a.kinds(), b.kinds()));
  ASSERT_TRUE(std::ranges::equal(a.in_degrees(), b.in_degrees()));
  for (NodeId n = 0; n < a.size(); ++n) expect_equal_node(a, b, n);
}

RC_GTEST_PROP(Spill, GraphsAreTheSameInTheFile, (std::uint32_t seed)) {
  const SpillFolder folder;
  std::vector<Graph> in_memory, in_file;
  {
    auto spill = Spill::create(folder.path());
    RC_ASSERT(spill.has_value());
    std::mt19937_64 random(seed);
    for (const std::uint64_t gap : {1ull, 3ull, 1ull << 40}) {
      in_memory.push_back(any_graph(random(), 1 + random() % 3000, gap));
      auto put = spill->put(in_memory.back());
      RC_ASSERT(put.has_value());
      in_file.push_back(std::move(*put));
    }
    RC_ASSERT(spill->bytes() > 0u);
    RC_ASSERT(folder.empty());  // the file has no name
  }
  for (std::size_t i = 0; i < in_file.size(); ++i) {
    expect_equal(in_memory[i], in_file[i]);
    in_file[i].release();
    expect_equal(in_memory[i], in_file[i]);
    RC_ASSERT(!::testing::Test::HasFatalFailure());
  }
}

TEST(Spill, TakesNoMemoryForColumns) {
  const SpillFolder folder;
  auto spill = Spill::create(folder.path());
  ASSERT_TRUE(spill);
  const Graph graph = any_graph(1, 100'000, 1);
  EXPECT_GT(graph.resident_bytes(), std::size_t{100'000} * 20);
  EXPECT_EQ(graph.spilled_bytes(), 0u);
  auto put = spill->put(graph);
  ASSERT_TRUE(put);
  EXPECT_EQ(put->resident_bytes(), sizeof(Graph));
  EXPECT_GT(put->spilled_bytes(), std::size_t{100'000} * 20);
  const std::uint64_t before = spill->bytes();
  auto again = spill->put(*put);  // is there already
  ASSERT_TRUE(again);
  EXPECT_EQ(spill->bytes(), before);
  expect_equal(*again, graph);
}

TEST(Spill, SaysWhichFolderCannotBeWritten) {
  const auto none = Spill::create("/nowhere/at/all");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::output_failed);
  EXPECT_EQ(none.error().where, "/nowhere/at/all");
  EXPECT_THAT(none.error().what, ::testing::HasSubstr("No such file"));
}

/// No file may grow beyond so many bytes for a while, like a disk that fills up.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    (void)std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_{};
};

TEST(Spill, AFullDiskIsAnError) {
  const SpillFolder folder;
  const Graph graph = any_graph(1, 20'000, 1);
  std::optional<Error> error;
  {
    const FullDisk full(1 << 20);
    auto spill = Spill::create(folder.path());
    ASSERT_TRUE(spill);
    for (int i = 0; i < 8 && !error; ++i) {
      auto put = spill->put(graph);
      if (!put) error = put.error();
    }
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Errc::output_failed);
  EXPECT_EQ(error->where, folder.path());
  EXPECT_TRUE(folder.empty());
}

TEST(Spill, GraphsLieInSeveralMapsOfTheFile) {
  const SpillFolder folder;
  std::vector<Graph> in_memory, in_file;
  {
    auto spill = Spill::create(folder.path(), 64 << 10);
    ASSERT_TRUE(spill);
    for (const std::uint64_t nodes : {10, 200, 9000, 10, 500, 500, 1, 3000}) {
      in_memory.push_back(any_graph(7, nodes, 1));
      auto put = spill->put(in_memory.back());
      ASSERT_TRUE(put) << to_string(put.error());
      in_file.push_back(std::move(*put));
    }
    ASSERT_GT(spill->bytes(), 4u * (64 << 10));
  }
  in_file.erase(in_file.begin() + 2);  // its map goes, the others stay
  in_memory.erase(in_memory.begin() + 2);
  for (std::size_t i = 0; i < in_file.size(); ++i) expect_equal(in_memory[i], in_file[i]);
}

// In memory, in a file, and moved there afterwards: the same graph but for its durations.
TEST(Spill, OtherDurationsInTheSameGraph) {
  const SpillFolder folder;
  auto spill = Spill::create(folder.path());
  ASSERT_TRUE(spill);
  std::optional<Graph> graph = any_graph(5, 300, 3);
  std::optional<Graph> in_file = *spill->put(*graph);
  std::vector<Time> durations(graph->size());
  for (NodeId n = 0; n < graph->size(); ++n) durations[n] = Time(7 * std::int64_t{n} + 1);
  const Graph changed = graph->with_durations(durations);
  const Graph changed_in_file = in_file->with_durations(durations);
  const Graph changed_and_moved = *spill->put(changed);
  EXPECT_NE(changed.content_hash(), graph->content_hash());
  EXPECT_EQ(changed.content_hash(), changed_in_file.content_hash());
  EXPECT_GT(changed_in_file.spilled_bytes(), 0u);
  const std::uint64_t id = graph->id(17);
  const std::string name(graph->name(17));
  graph.reset();  // the others stand alone
  in_file.reset();
  for (const Graph* other : {&changed, &changed_in_file, &changed_and_moved}) {
    for (NodeId n = 0; n < other->size(); ++n) ASSERT_EQ(other->duration(n), durations[n]);
    EXPECT_EQ(other->id(17), id);
    EXPECT_EQ(other->name(17), name);
    EXPECT_TRUE(std::equal(other->successors(3).begin(), other->successors(3).end(),
                           changed.successors(3).begin(), changed.successors(3).end()));
    other->release();
    EXPECT_EQ(other->duration(42), durations[42]);
  }
}

}  // namespace
}  // namespace orrery::graph
