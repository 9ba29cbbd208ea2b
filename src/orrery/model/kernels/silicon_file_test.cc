// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/silicon_file.h"

#include <gtest/gtest.h>

namespace orrery::model {
namespace {

TEST(Silicons, ReadsFiguresOfDevices) {
  const auto read = read_silicons(
      "# comment\n\nh100 architecture=hopper bf16=989e12 fp8=1978e12 memory=3.35e12 clock=1.83e9 "
      "processors=132 # more\n",
      "d.txt");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  const Silicon& is = read->front();
  EXPECT_EQ(is.name, "h100");
  EXPECT_EQ(is.architecture, "hopper");
  EXPECT_EQ(is.rate(graph::Format::fp8_block), 1978e12);
  EXPECT_EQ(is.processors, 132);
  EXPECT_TRUE(is.described);
}

TEST(Silicons, SaysWhichFigureIsWrong) {
  const auto code_of = [](std::string_view text) {
    const auto read = read_silicons(text, "d.txt");
    EXPECT_FALSE(read) << text;
    return read ? Errc::usage : read.error().code;
  };
  EXPECT_EQ(code_of("h100 memory\n"), Errc::config_syntax);
  EXPECT_EQ(code_of("h100 memry=1e12\n"), Errc::config_unknown_key);
  EXPECT_EQ(code_of("h100 memory=1TB\n"), Errc::config_range);
  EXPECT_EQ(code_of("h100 memory=-1\n"), Errc::config_range);
  EXPECT_EQ(code_of("h100 memory=1e12 processors=1e9\n"), Errc::config_range);
  EXPECT_EQ(code_of("h100 clock=1e9\n"), Errc::config_missing_key);
  EXPECT_EQ(code_of("h100 memory=1e12\nh100 memory=2e12\n"), Errc::config_conflict);
}

}  // namespace
}  // namespace orrery::model
