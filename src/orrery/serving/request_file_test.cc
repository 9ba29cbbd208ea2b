// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/request_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::serving {
namespace {

using testing::HasSubstr;

Result<RequestStream> parse(std::string_view text) {
  Findings findings;
  return parse_requests(text, "r", findings);
}

TEST(RequestFile, ReadsEachFormat) {
  const struct {
    const char* text;
    Time second;
    std::int64_t input, output;
  } cases[] = {
      {"{\"arrival\": 1, \"input\": 5, \"output\": 6}\n{\"arrival\": 1.5, \"input\": 7, "
       "\"output\": 8}\n",
       us(500'000), 7, 8},
      {"{\"timestamp\": 3000, \"input_length\": 5, \"output_length\": 6, \"hash_ids\": [1]}\n"
       "{\"timestamp\": 3250, \"input_length\": 7, \"output_length\": 8, \"hash_ids\": [1, 2]}\n",
       us(250'000), 7, 8},
      {"{\"input_toks\": 5, \"output_toks\": 6, \"arrival_time_ns\": 1000}\n{\"input_toks\": 7, "
       "\"output_toks\": 8, \"arrival_time_ns\": 3000}\n",
       us(2), 7, 8},
      {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,5,6\n2023-11-16 "
       "18:17:04.4799600,7,8\n",
       us(500'000), 7, 8},
      {"request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_size"
       "\n0,2,0,0.25,1,5,6\n1,2,0,1.25,1,7,8\n",
       us(1'000'000), 7, 8},
      {"arrived_at,num_prefill_tokens,num_decode_tokens\n0,5,6\n2,7,8\n", us(2'000'000), 7, 8},
  };
  for (const auto& one : cases) {
    const auto stream = parse(one.text);
    ASSERT_TRUE(stream) << one.text << to_string(stream.error());
    ASSERT_EQ(stream->requests.size(), 2u);
    EXPECT_EQ(stream->requests[0].arrival, Time{});
    EXPECT_NEAR(seconds(stream->requests[1].arrival), seconds(one.second), 1e-6) << one.text;
    EXPECT_EQ(stream->requests[1].input, one.input);
    EXPECT_EQ(stream->requests[1].output, one.output);
  }
}

TEST(RequestFile, ReadsSharedPrefixes) {
  const auto stream = parse(
      R"({"input": 100, "output": 1, "prefix": 7, "prefix_tokens": 64}
{"input": 1000, "output": 1, "hash_ids": [3, 4]})");
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->requests[0].prefix, (std::vector<PrefixRun>{{7, 64}}));
  EXPECT_EQ(stream->requests[1].prefix, (std::vector<PrefixRun>{{3, 512}, {4, 512}}));
  const auto table = parse("input,output,hash_ids\n1000,1,3 4\n");
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_EQ(table->requests[0].prefix, stream->requests[1].prefix);
}

TEST(RequestFile, CountsTheCharactersOfConversations) {
  const auto stream = parse(
      R"({"conversations": [{"from": "human", "value": "123456789"}, {"from": "gpt", "value": "ok"}]})");
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->requests[0].input, 3);
  EXPECT_EQ(stream->requests[0].output, 1);
}

TEST(RequestFile, SortsByArrival) {
  const auto stream = parse("arrival,input,output\n9,1,1\n8,2,1\n8,3,1\n");
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->requests[0].input, 2);
  EXPECT_EQ(stream->requests[1].input, 3);
  EXPECT_EQ(stream->requests[2].arrival, us(1'000'000));
}

TEST(RequestFile, ReadsTimeZones) {
  const auto stream = parse(
      "TIMESTAMP,input,output\n2023-11-16 18:00:00Z,1,1\n2023-11-16T20:00:01.5+02:00,2,1\n"
      "2023-11-16 10:00:02-08:00,3,1\n2023-11-16 23:30:03+0530,4,1\n2023-11-16 18:00:04+00,5,1\n");
  ASSERT_TRUE(stream) << to_string(stream.error());
  const std::int64_t arrivals[] = {0, 1'500'000, 2'000'000, 3'000'000, 4'000'000};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(stream->requests[i].arrival, us(arrivals[i])) << i;
    EXPECT_EQ(stream->requests[i].input, static_cast<std::int64_t>(i) + 1);
  }
}

TEST(RequestFile, RefusesHostileFiles) {
  const struct {
    const char* text;
    Errc code;
    const char* where;
    const char* what;
  } cases[] = {
      {"", Errc::input_empty, "r", "no requests"},
      {"arrival,input,output\n", Errc::input_empty, "r", "no requests"},
      {"a,b\n1,2\n", Errc::input_corrupt, "r:1", "no known column"},
      {"input,output\n1\n", Errc::input_corrupt, "r:2", "does not have 2 cells"},
      {"input,output\n1,x\n", Errc::input_corrupt, "r:2", "not a number"},
      {"input,output\n1,-2\n", Errc::input_range, "r:2", "whole number"},
      {"input,output\n1,1.5\n", Errc::input_range, "r:2", "whole number"},
      {"input,output\n1,1e300\n", Errc::input_range, "r:2", "whole number"},
      {"input,output\n1,99999999999\n", Errc::input_range, "r:2", "whole number"},
      {"arrival,input,output\nnan,1,1\n", Errc::input_corrupt, "r:2", "not a number"},
      {"arrival,input,output\n-1,1,1\n", Errc::input_range, "r:2", "between 0"},
      {"input\n1\n", Errc::input_missing_attr, "r:2", "no output"},
      {"arrival,input,output\n1,1,1\n,1,1\n", Errc::input_missing_attr, "r:3", "no arrival"},
      {"arrival,input,output\n,1,1\n1,1,1\n", Errc::input_missing_attr, "r:3", "has an arrival"},
      {"arrival,input,output\n0,1,1\n1e11,1,1\n", Errc::limit_exceeded, "r:3", "from the first"},
      {"TIMESTAMP,input,output\n2023-11-16 18:17:03+1,1,1\n", Errc::input_corrupt, "r:2",
       "not a date"},
      {"TIMESTAMP,input,output\n2023-13-16 18:17:03,1,1\n", Errc::input_corrupt, "r:2",
       "not a date"},
      {"{\"input\": 1, \"output\": 1}\n[1]\n", Errc::input_corrupt, "r:2", "not a JSON object"},
      {"{\"input\": 1, \"output\"", Errc::input_corrupt, "r:1", ""},
      {"{\"input\": \"1\", \"output\": 1}", Errc::input_corrupt, "r:1", "not a number"},
      {"{\"input\": 1, \"output\": 1, \"hash_ids\": [1.5]}", Errc::input_corrupt, "r:1",
       "whole numbers"},
      {"{\"conversations\": [{\"value\": \"a\"}]}", Errc::input_corrupt, "r:1", "two turns"},
  };
  for (const auto& one : cases) {
    const auto stream = parse(one.text);
    ASSERT_FALSE(stream) << one.text;
    EXPECT_EQ(stream.error().code, one.code) << one.text << to_string(stream.error());
    EXPECT_THAT(stream.error().where, HasSubstr(one.where)) << one.text;
    EXPECT_THAT(stream.error().what, HasSubstr(one.what)) << one.text;
  }
}

TEST(RequestFile, RequestsWithoutTokensHaveOne) {
  Findings findings;
  const auto stream = parse_requests("input,output\n0,5\n3,0\n", "r", findings);
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->requests[0].input, 1);
  EXPECT_EQ(stream->requests[1].output, 1);
  EXPECT_EQ(findings.count(FindingCode::value_clamped), 2u);
}

}  // namespace
}  // namespace orrery::serving
