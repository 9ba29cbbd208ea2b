// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/embeddings/embedding_tables.h"

#include <gtest/gtest.h>

namespace orrery::study {
namespace {

TEST(EmbeddingTables, AreRead) {
  const auto tables = read_embedding_tables(
      "# ours\n"
      "rows,name,pooling,features,format,reuse\n"
      "1000000,user,1,64,fp16,\n"
      "1e3,item,20.5,128,,0.5 0.5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
      "tables.csv");
  ASSERT_TRUE(tables.has_value()) << to_string(tables.error());
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ((*tables)[0].name, "user");
  EXPECT_EQ((*tables)[0].bytes(), 128e6);
  EXPECT_FALSE((*tables)[0].reuse);
  EXPECT_EQ((*tables)[1].rows, 1000);
  EXPECT_EQ((*tables)[1].pooling, 20.5);
  ASSERT_TRUE((*tables)[1].reuse);
  EXPECT_EQ((*(*tables)[1].reuse)[1], 0.5);
}

TEST(EmbeddingTables, WhatIsWrongIsSaidWithItsLine) {
  const auto error = [](const std::string& rows) {
    const auto tables = read_embedding_tables("name,rows,features,pooling\n" + rows, "t.csv");
    EXPECT_FALSE(tables.has_value()) << rows;
    return tables ? Error{} : tables.error();
  };
  EXPECT_EQ(error("a,0,64,1").code, Errc::input_range);
  EXPECT_EQ(error("a,10,64,1\nb,1.5,64,1").where, "t.csv:3");
  EXPECT_EQ(error("a,10,64,-1").code, Errc::input_range);
  EXPECT_EQ(error("a,10,64").code, Errc::input_corrupt);
  EXPECT_EQ(error("a,10,64,1\na,10,64,1").code, Errc::input_duplicate_id);
  EXPECT_EQ(error("").code, Errc::input_empty);
  EXPECT_EQ(read_embedding_tables("name,rows\n", "t.csv").error().code, Errc::input_missing_attr);
  EXPECT_EQ(read_embedding_tables("name,rows,features,pooling,format\na,1,1,1,fp5\n", "t.csv")
                .error()
                .code,
            Errc::input_range);
}

}  // namespace
}  // namespace orrery::study
