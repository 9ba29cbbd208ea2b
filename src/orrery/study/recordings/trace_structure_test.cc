// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/trace_structure.h"

#include <gtest/gtest.h>

namespace orrery::study {
namespace {

TEST(TraceStructure, WhatIsWrittenIsRead) {
  for (const graph::Shape shape : {graph::Shape{12, 4}, graph::Shape{0, 1}, graph::Shape{}}) {
    const auto read = parse_trace_structure(to_yaml(shape), "job.yaml");
    ASSERT_TRUE(read.has_value()) << to_string(read.error());
    EXPECT_EQ(read->layers.value_or(0), shape.layers.value_or(0));
    EXPECT_EQ(read->microbatches.value_or(0), shape.microbatches.value_or(0));
  }
}

TEST(TraceStructure, SaysWhatIsWrong) {
  for (const char* const text : {"layers: 0", "layers: many", "layrs: 12", "- 12", "layers: 1e9",
                                 "microbatches: 2.5", "layers: [12]"}) {
    const auto read = parse_trace_structure(text, "job.yaml");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().where.rfind("job.yaml", 0), 0u) << read.error().where;
  }
  EXPECT_FALSE(read_trace_structure("there/is/none.yaml").has_value());
}

}  // namespace
}  // namespace orrery::study
