// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/study/recordings/views/views_testing.h"

namespace orrery::study {
namespace {

using testing::ElementsAre;

/// "kind path own/with children" of each row.
std::vector<std::string> tree_of(const View& view) {
  const ViewTable& table = table_of(view, "tree");
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    lines.push_back(cell(table, row, "node_kind") + " " + cell(table, row, "path") + " " +
                    cell(table, row, "time_ns") + "/" + cell(table, row, "with_children_ns"));
  return lines;
}

void operator_with_kernel(RecordedProducts& recorded, std::string_view name, std::int64_t at,
                          std::int64_t length) {
  recorded.op(name, at, 8, "", "");
  recorded.launch("k", at + 1, at + 1000, length);
}

TEST(ModulesView, NestsModulesOperatorsAndKernels) {
  RecordedProducts recorded;
  recorded.make.python(recorded.main, "nn.Module: Block_0", 0, 50);
  recorded.make.python(recorded.main, "block.py(7): forward", 1, 48);
  operator_with_kernel(recorded, "aten::add", 2, 3);
  recorded.make.python(recorded.main, "nn.Module: Linear_0", 20, 20);
  operator_with_kernel(recorded, "aten::addmm", 22, 10);
  operator_with_kernel(recorded, "aten::copy_", 60, 5);
  const View view = view_of("modules", rank_of(recorded.make.take()));
  EXPECT_THAT(
      tree_of(view),
      ElementsAre("operator aten::copy_ 5 us/5 us", "kernel aten::copy_/k 5 us/5 us",
                  "module Block_0 3 us/13 us", "operator Block_0/aten::add 3 us/3 us",
                  "kernel Block_0/aten::add/k 3 us/3 us", "module Block_0/Linear_0 10 us/10 us",
                  "operator Block_0/Linear_0/aten::addmm 10 us/10 us",
                  "kernel Block_0/Linear_0/aten::addmm/k 10 us/10 us"));
  EXPECT_EQ(cell(table_of(view, "tree"), 5, "name"), "  Linear_0");
  EXPECT_EQ(fact(view, "module_source"), "frames of torch.nn modules");
  EXPECT_EQ(fact(view, "outside_share"), "27.8 %");
}

// The profiler connects a backward operator with its forward operator by sequence number or flow.
TEST(ModulesView, PutsGradientsIntoTheModuleOfTheForwardOperator) {
  RecordedProducts recorded;
  const auto backward = recorded.make.thread(2);
  const auto gradient = [&](std::int64_t at, std::int64_t sequence) {
    const auto op = recorded.make.op(backward, "AddmmBackward0", at, 10);
    recorded.make.op_of(op).sequence = sequence;
    recorded.make.op_of(op).forward_thread = 1;
    recorded.make.op(backward, "aten::mm", at + 1, 8);
    recorded.make.call(backward, "cudaLaunchKernel", at + 2, 1, ++recorded.correlation);
    recorded.make.kernel(recorded.stream, "k", at + 1000, 4, recorded.correlation);
    return op;
  };
  recorded.make.python(recorded.main, "nn.Module: Linear_0", 0, 20);
  recorded.make.op_of(recorded.op("aten::addmm", 2, 8, "", "")).sequence = 5;
  recorded.make.python(recorded.main, "nn.Module: Linear_1", 30, 20);
  const auto forward = recorded.op("aten::addmm", 32, 8, "", "");
  gradient(100, 5);
  recorded.make.profile.forward_backward.emplace_back(forward, gradient(200, -1));
  gradient(300, 77);
  const View view = view_of("modules", rank_of(recorded.make.take()));
  const ViewTable& tree = table_of(view, "tree");
  EXPECT_THAT(
      tree_of(view),
      ElementsAre("operator aten::mm 4 us/4 us", "kernel aten::mm/k 4 us/4 us",
                  "module Linear_0 4 us/4 us", "operator Linear_0/aten::mm 4 us/4 us",
                  "kernel Linear_0/aten::mm/k 4 us/4 us", "module Linear_1 4 us/4 us",
                  "operator Linear_1/aten::mm 4 us/4 us", "kernel Linear_1/aten::mm/k 4 us/4 us"));
  EXPECT_EQ(cell(tree, 3, "pass"), "backward");
}

TEST(ModulesView, UsesAnnotationsWithoutModules) {
  RecordedProducts recorded;
  recorded.make.annotation(recorded.main, "ProfilerStep#3", 0, 100);
  recorded.make.annotation(recorded.main, "## forward ##", 10, 50);
  operator_with_kernel(recorded, "aten::add", 20, 3);
  const View view = view_of("modules", rank_of(recorded.make.take()));
  EXPECT_THAT(tree_of(view), ElementsAre("module ## forward ## 3 us/3 us",
                                         "operator ## forward ##/aten::add 3 us/3 us",
                                         "kernel ## forward ##/aten::add/k 3 us/3 us"));
  EXPECT_EQ(fact(view, "module_source"), "annotations");
}

TEST(ModulesView, ShowsOperatorsIfNothingShowsModules) {
  RecordedProducts recorded;
  operator_with_kernel(recorded, "aten::add", 20, 3);
  const View view = view_of("modules", rank_of(recorded.make.take()));
  EXPECT_THAT(tree_of(view),
              ElementsAre("operator aten::add 3 us/3 us", "kernel aten::add/k 3 us/3 us"));
  EXPECT_EQ(fact(view, "module_source"), "not recorded");
}

}  // namespace
}  // namespace orrery::study
