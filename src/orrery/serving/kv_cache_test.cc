// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/kv_cache.h"

#include <gtest/gtest.h>

namespace orrery::serving {
namespace {

Request with_prefix(std::int64_t input, std::vector<PrefixRun> prefix) {
  Request one;
  one.input = input;
  one.prefix = std::move(prefix);
  return one;
}

TEST(KvCache, CountsBlocksOfARequest) {
  KvCache cache(10, 16, false);
  const Request one = with_prefix(33, {});
  KvHoldings held;
  EXPECT_TRUE(cache.extend(one, 0, 33, held));
  EXPECT_EQ(held.blocks(), 3);
  EXPECT_EQ(cache.free_blocks(), 7);
  EXPECT_TRUE(cache.extend(one, 0, 48, held));  // still three
  EXPECT_EQ(cache.free_blocks(), 7);
  EXPECT_FALSE(cache.extend(one, 0, 161, held));
  EXPECT_EQ(held.blocks(), 3) << "a failed extension changes nothing";
  cache.release(held);
  EXPECT_EQ(cache.free_blocks(), 10);
}

TEST(KvCache, RequestsWithTheSamePrefixShareItsCompleteBlocks) {
  KvCache cache(20, 16, true);
  const Request first = with_prefix(100, {{7, 50}}), second = with_prefix(90, {{7, 50}});
  KvHoldings a, b;
  EXPECT_EQ(cache.cached_tokens(first, 0, 100), 0);
  ASSERT_TRUE(cache.extend(first, 0, 100, a));
  EXPECT_EQ(cache.cached_tokens(second, 1, 90), 0) << "nothing is computed yet";
  cache.mark_computed(100, a);
  EXPECT_EQ(cache.cached_tokens(second, 1, 90), 48) << "50 tokens are 3 complete blocks";
  cache.hold(second, 1, 48, b);
  ASSERT_TRUE(cache.extend(second, 1, 90, b));
  EXPECT_EQ(b.blocks(), 6);
  EXPECT_EQ(cache.held_blocks(), 7 + 3);
  cache.release(a);
  EXPECT_EQ(cache.held_blocks(), 6) << "the shared blocks stay with the second";
  cache.release(b);
  EXPECT_EQ(cache.held_blocks(), 0);
  EXPECT_EQ(cache.counted_blocks(), 20);
  EXPECT_EQ(cache.cached_tokens(first, 0, 100), 96) << "also its unique part, until it is evicted";
}

TEST(KvCache, TheLastTokenIsAlwaysComputed) {
  KvCache cache(20, 16, true);
  const Request one = with_prefix(64, {{1, 64}});
  KvHoldings held;
  ASSERT_TRUE(cache.extend(one, 0, 64, held));
  cache.mark_computed(64, held);
  EXPECT_EQ(cache.cached_tokens(one, 5, 64), 48);
  EXPECT_EQ(cache.cached_tokens(with_prefix(65, {{1, 64}}), 5, 65), 64);
}

TEST(KvCache, EvictsTheLastBlocksOfTheRequestThatEndedFirst) {
  KvCache cache(8, 16, true);
  const Request first = with_prefix(64, {{1, 64}}), second = with_prefix(64, {{2, 64}});
  KvHoldings a, b, c;
  ASSERT_TRUE(cache.extend(first, 0, 64, a));
  cache.mark_computed(64, a);
  cache.release(a);
  ASSERT_TRUE(cache.extend(second, 1, 64, b));
  cache.mark_computed(64, b);
  cache.release(b);
  ASSERT_TRUE(cache.extend(with_prefix(32, {}), 2, 32, c));
  EXPECT_EQ(cache.cached_tokens(first, 3, 64), 32) << "its last two blocks are gone";
  EXPECT_EQ(cache.cached_tokens(second, 3, 64), 48);
  EXPECT_EQ(cache.counted_blocks(), 8);
}

TEST(KvCache, ARequestAloneMayUseBlocksBehindItsPrefix) {
  KvCache cache(20, 16, true);
  const Request longer = with_prefix(16 * 15, {{7, 16 * 12}}), other = with_prefix(300, {{7, 40}});
  KvHoldings held;
  ASSERT_TRUE(cache.extend(longer, 0, 16 * 15, held));
  cache.mark_computed(16 * 15, held);
  cache.release(held);
  EXPECT_EQ(cache.cached_tokens(other, 1, 300), 32);
  EXPECT_EQ(cache.free_without(other, 1, 32), 20 - 12) << "the part is held as a whole";
  cache.hold(other, 1, 32, held);
  EXPECT_TRUE(cache.extend(other, 1, 300, held)) << "nobody else holds it";
  cache.release(held);
  ASSERT_TRUE(cache.extend(longer, 0, 16 * 15, held));
  cache.mark_computed(16 * 15, held);
  cache.release(held);
  cache.trim(other, 1, 32);
  EXPECT_EQ(cache.free_without(other, 1, 32), 20 - 2);
  EXPECT_EQ(cache.cached_tokens(longer, 2, 16 * 15), 32);
  cache.hold(other, 1, 32, held);
  EXPECT_TRUE(cache.extend(other, 1, 300, held));
  cache.release(held);
  EXPECT_EQ(cache.counted_blocks(), 20);
}

TEST(KvCache, ARequestFindsTheBlocksThatItHeldBefore) {
  KvCache cache(8, 16, true);
  const Request one = with_prefix(40, {});
  KvHoldings held;
  ASSERT_TRUE(cache.extend(one, 3, 40, held));
  cache.mark_computed(40, held);
  cache.release(held);
  EXPECT_EQ(cache.cached_tokens(one, 3, 40), 32);
  EXPECT_EQ(cache.cached_tokens(one, 4, 40), 0) << "another request with the same length";
}

TEST(KvCache, APartComputedByAnotherRequestIsPrivateUntilItEnds) {
  KvCache cache(20, 16, true);
  const Request one = with_prefix(80, {{1, 80}});
  KvHoldings a, b;
  ASSERT_TRUE(cache.extend(one, 0, 80, a));
  cache.mark_computed(32, a);  // a chunk
  EXPECT_EQ(cache.cached_tokens(one, 1, 80), 32);
  cache.hold(one, 1, 32, b);
  ASSERT_TRUE(cache.extend(one, 1, 80, b));
  EXPECT_EQ(cache.held_blocks(), 5 + 3);
  cache.release(b);
  EXPECT_EQ(cache.held_blocks(), 5);
  cache.release(a);
  EXPECT_EQ(cache.counted_blocks(), 20);
}

}  // namespace
}  // namespace orrery::serving
