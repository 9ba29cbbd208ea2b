// SPDX-License-Identifier: Apache-2.0
//
// The cache of keys and values of one instance: blocks of tokens, shared by requests whose prompts
// begin equally.
//
// Blocks are counted in runs, not stored one by one. A run is a part of a prompt with one content
// (PrefixRun), or the unique tokens of one request. Blocks of a run are computed, shared and
// evicted in order, so that counting them gives the same hits and evictions as a table of hashed
// blocks with LRU order (vLLM, v1/core/block_pool.py, kv_cache_manager.py: a freed request returns
// its last block first).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "orrery/serving/requests.h"

namespace orrery::serving {

/// What a request holds in the cache.
class KvHoldings {
 public:
  /// Number of blocks.
  [[nodiscard]] std::int64_t blocks() const { return blocks_; }

 private:
  friend class KvCache;
  struct Part {
    std::uint32_t run = 0;
    std::int64_t blocks = 0;
    bool writes = false;  ///< this request computes the run's next blocks
  };
  std::vector<Part> parts_;
  std::int64_t blocks_ = 0;
  std::size_t at_ = 0;       ///< the run of the prompt to which the last part belongs
  std::int64_t filled_ = 0;  ///< blocks held of it
};

class KvCache {
 public:
  /// `prefix_caching`: blocks stay usable for others after a request has ended, until they are
  /// needed.
  KvCache(std::int64_t blocks, std::int64_t block_tokens, bool prefix_caching);

  [[nodiscard]] std::int64_t blocks() const { return total_; }
  [[nodiscard]] std::int64_t block_tokens() const { return block_tokens_; }
  /// Blocks that no request holds.
  [[nodiscard]] std::int64_t free_blocks() const { return unused_ + evictable_; }
  [[nodiscard]] std::int64_t held_blocks() const { return total_ - free_blocks(); }
  [[nodiscard]] std::int64_t blocks_of(std::int64_t tokens) const {
    return (tokens + block_tokens_ - 1) / block_tokens_;
  }

  /// Computed tokens of the prompt that are in the cache, in complete blocks; less than `tokens`,
  /// because the last token is always computed. `own`: the request's number, for blocks that it
  /// held before.
  [[nodiscard]] std::int64_t cached_tokens(const Request& request, std::uint64_t own,
                                           std::int64_t tokens) const;
  /// Free blocks, without those that a request with `cached` cached tokens would hold.
  [[nodiscard]] std::int64_t free_without(const Request& request, std::uint64_t own,
                                          std::int64_t cached) const;
  /// Frees blocks behind the `cached` tokens in the parts that those are of, unless a request holds
  /// them. A part is held as a whole, so a request that needs almost all blocks may need these.
  void trim(const Request& request, std::uint64_t own, std::int64_t cached);
  /// Starts to hold the `cached` tokens that cached_tokens() returned. `held` must be empty.
  void hold(const Request& request, std::uint64_t own, std::int64_t cached, KvHoldings& held);
  /// Extends the holdings to `tokens` tokens. False, and no change: too few blocks are free.
  [[nodiscard]] bool extend(const Request& request, std::uint64_t own, std::int64_t tokens,
                            KvHoldings& held);
  /// The first `tokens` tokens are computed: others may use their complete blocks.
  void mark_computed(std::int64_t tokens, KvHoldings& held);
  /// Ends all holdings.
  void release(KvHoldings& held);

  /// Sum of the blocks of all runs and of unused blocks, for tests: always blocks(). O(runs).
  [[nodiscard]] std::int64_t counted_blocks() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Run {
    std::uint64_t key = 0;  ///< 0: not in the table
    std::int64_t blocks = 0;
    std::int64_t ready = 0;  ///< leading blocks that are computed
    std::int64_t holders = 0;
    bool has_writer = false;
    std::uint32_t before = kNone, after = kNone;  ///< in the LRU list, if no request holds it
  };
  /// The runs of a request in order: complete blocks of each, then the unique part.
  template <class Visit>
  void each_run(const Request& request, std::uint64_t own, const Visit& visit) const;
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const;
  std::uint32_t add_run(std::uint64_t key);
  void take_from_list(std::uint32_t run);
  void append_to_list(std::uint32_t run);
  void drop_run(std::uint32_t run);
  void evict(std::int64_t blocks);
  void free_behind(const KvHoldings& held);
  void add_writable_part(KvHoldings& held, std::uint64_t key, std::int64_t blocks);
  void add_blocks(KvHoldings& held, std::int64_t blocks);

  std::int64_t total_, block_tokens_;
  bool caching_;
  std::int64_t unused_, evictable_ = 0;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> spare_;
  std::unordered_map<std::uint64_t, std::uint32_t> table_;
  std::uint32_t oldest_ = kNone, newest_ = kNone;
};

}  // namespace orrery::serving
