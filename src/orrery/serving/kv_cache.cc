// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/kv_cache.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/core/random.h"

namespace orrery::serving {

KvCache::KvCache(std::int64_t blocks, std::int64_t block_tokens, bool prefix_caching)
    : total_(blocks), block_tokens_(block_tokens), caching_(prefix_caching), unused_(blocks) {}

template <class Visit>
void KvCache::each_run(const Request& request, std::uint64_t own, const Visit& visit) const {
  std::uint64_t chain = 0;
  std::int64_t tokens = 0, before = 0;
  for (const PrefixRun& part : request.prefix) {
    chain = mix_bits(chain ^ mix_bits(part.content + 1));
    tokens = std::min(tokens + part.tokens, request.input);
    const std::int64_t blocks = tokens / block_tokens_ - before;
    if (blocks > 0 && !visit(chain | 1, blocks)) return;
    before += std::max<std::int64_t>(blocks, 0);
  }
  // Keys of unique parts are even, those of shared ones odd.
  visit((mix_bits(own ^ 0x5eed) & ~std::uint64_t{1}) + 2, std::int64_t{1} << 40);
}

std::uint32_t KvCache::find(std::uint64_t key) const {
  if (!caching_) return kNone;
  const auto found = table_.find(key);
  return found == table_.end() ? kNone : found->second;
}

std::int64_t KvCache::cached_tokens(const Request& request, std::uint64_t own,
                                    std::int64_t tokens) const {
  if (!caching_ || table_.empty()) return 0;
  const std::int64_t most = (tokens - 1) / block_tokens_;
  std::int64_t cached = 0;
  each_run(request, own, [&](std::uint64_t key, std::int64_t blocks) {
    const std::uint32_t run = find(key);
    if (run == kNone) return false;
    const std::int64_t usable = std::min(runs_[run].ready, blocks);
    cached += usable;
    return usable == blocks && cached < most;
  });
  return std::min(cached, most) * block_tokens_;
}

std::int64_t KvCache::free_without(const Request& request, std::uint64_t own,
                                   std::int64_t cached) const {
  std::int64_t rest = cached / block_tokens_, taken = 0;
  if (rest == 0) return free_blocks();
  each_run(request, own, [&](std::uint64_t key, std::int64_t blocks) {
    const std::uint32_t run = find(key);
    if (run == kNone) return false;
    if (runs_[run].holders == 0) taken += runs_[run].blocks;
    rest -= std::min(rest, blocks);
    return rest > 0;
  });
  return free_blocks() - taken;
}

void KvCache::trim(const Request& request, std::uint64_t own, std::int64_t cached) {
  std::int64_t rest = cached / block_tokens_;
  each_run(request, own, [&](std::uint64_t key, std::int64_t blocks) {
    const std::uint32_t run = rest > 0 ? find(key) : kNone;
    if (run == kNone) return false;
    Run& one = runs_[run];
    const std::int64_t used = std::min({rest, blocks, one.ready});
    if (one.holders == 0) {
      const std::int64_t behind = one.blocks - used;
      one.blocks = one.ready = used;
      evictable_ -= behind;
      unused_ += behind;
    }
    rest -= used;
    return used == blocks;
  });
}

std::uint32_t KvCache::add_run(std::uint64_t key) {
  std::uint32_t run = 0;
  if (spare_.empty()) {
    run = static_cast<std::uint32_t>(runs_.size());
    runs_.emplace_back();
  } else {
    run = spare_.back();
    spare_.pop_back();
    runs_[run] = {};
  }
  if (caching_ && key != 0) {
    runs_[run].key = key;
    table_.emplace(key, run);
  }
  return run;
}

void KvCache::take_from_list(std::uint32_t run) {
  Run& one = runs_[run];
  (one.before == kNone ? oldest_ : runs_[one.before].after) = one.after;
  (one.after == kNone ? newest_ : runs_[one.after].before) = one.before;
  one.before = one.after = kNone;
  evictable_ -= one.blocks;
}

void KvCache::append_to_list(std::uint32_t run) {
  Run& one = runs_[run];
  one.before = newest_;
  one.after = kNone;
  (newest_ == kNone ? oldest_ : runs_[newest_].after) = run;
  newest_ = run;
  evictable_ += one.blocks;
}

void KvCache::drop_run(std::uint32_t run) {
  if (runs_[run].key != 0) table_.erase(runs_[run].key);
  runs_[run] = {};
  spare_.push_back(run);
}

void KvCache::evict(std::int64_t blocks) {
  while (unused_ < blocks) {
    ORRERY_CHECK(oldest_ != kNone);
    const std::uint32_t run = oldest_;
    const std::int64_t some = std::min(blocks - unused_, runs_[run].blocks);
    runs_[run].blocks -= some;
    runs_[run].ready = std::min(runs_[run].ready, runs_[run].blocks);
    evictable_ -= some;
    unused_ += some;
    if (runs_[run].blocks > 0) continue;
    take_from_list(run);
    drop_run(run);
  }
}

void KvCache::hold(const Request& request, std::uint64_t own, std::int64_t cached,
                   KvHoldings& held) {
  ORRERY_CHECK(held.parts_.empty());
  std::int64_t rest = cached / block_tokens_;
  if (rest == 0) return;
  each_run(request, own, [&](std::uint64_t key, std::int64_t blocks) {
    const std::uint32_t run = find(key);
    ORRERY_CHECK(run != kNone);
    const std::int64_t used = std::min({rest, blocks, runs_[run].ready});
    if (runs_[run].holders == 0) take_from_list(run);
    ++runs_[run].holders;
    held.parts_.push_back({run, used, false});
    held.blocks_ += used;
    held.filled_ = used;
    rest -= used;
    if (used == blocks) {
      ++held.at_;
      held.filled_ = 0;
    }
    return rest > 0;
  });
}

/// Makes the last part one that this request may extend: of the run `key`, unless another request
/// computes it; otherwise of a private run.
void KvCache::add_writable_part(KvHoldings& held, std::uint64_t key, std::int64_t blocks) {
  if (held.filled_ > 0) {
    KvHoldings::Part& last = held.parts_.back();
    if (last.writes) return;
    if (!runs_[last.run].has_writer) {
      last.writes = runs_[last.run].has_writer = true;
      return;
    }
    key = 0;
  }
  std::uint32_t run = key == 0 ? kNone : find(key);
  // An idle run that this request joins is no longer free, so it must not be longer than needed.
  if (run != kNone && !runs_[run].has_writer && runs_[run].blocks <= blocks) {
    if (runs_[run].holders == 0) take_from_list(run);
  } else {
    run = add_run(run == kNone ? key : 0);
  }
  ++runs_[run].holders;
  runs_[run].has_writer = true;
  held.parts_.push_back({run, 0, true});
}

void KvCache::add_blocks(KvHoldings& held, std::int64_t blocks) {
  KvHoldings::Part& part = held.parts_.back();
  // The run may have blocks that earlier requests computed and this one computes again.
  const std::int64_t present = std::max<std::int64_t>(runs_[part.run].blocks - part.blocks, 0);
  const std::int64_t fresh = std::max<std::int64_t>(blocks - present, 0);
  if (fresh > 0) {
    evict(fresh);
    unused_ -= fresh;
    runs_[part.run].blocks += fresh;
  }
  part.blocks += blocks;
  held.blocks_ += blocks;
  held.filled_ += blocks;
}

/// Frees blocks behind those that a request uses in parts that it alone holds.
void KvCache::free_behind(const KvHoldings& held) {
  for (const KvHoldings::Part& part : held.parts_) {
    Run& run = runs_[part.run];
    if (run.holders > 1 || run.blocks <= part.blocks) continue;
    unused_ += run.blocks - part.blocks;
    run.blocks = part.blocks;
    run.ready = std::min(run.ready, run.blocks);
  }
}

bool KvCache::extend(const Request& request, std::uint64_t own, std::int64_t tokens,
                     KvHoldings& held) {
  std::int64_t missing = blocks_of(tokens) - held.blocks_;
  if (missing <= 0) return true;
  if (missing > free_blocks()) free_behind(held);
  if (missing > free_blocks()) return false;
  std::size_t index = 0;
  each_run(request, own, [&](std::uint64_t key, std::int64_t most) {
    if (index++ < held.at_) return true;
    const std::int64_t some = std::min(missing, most - held.filled_);
    add_writable_part(held, key, some);
    add_blocks(held, some);
    missing -= some;
    if (held.filled_ == most) {
      ++held.at_;
      held.filled_ = 0;
    }
    return missing > 0;
  });
  return true;
}

void KvCache::mark_computed(std::int64_t tokens, KvHoldings& held) {
  if (!caching_) return;
  std::int64_t blocks = tokens / block_tokens_;
  for (KvHoldings::Part& part : held.parts_) {
    const std::int64_t here = std::min(blocks, part.blocks);
    blocks -= here;
    if (part.writes) runs_[part.run].ready = std::max(runs_[part.run].ready, here);
    if (blocks == 0) break;
  }
}

void KvCache::release(KvHoldings& held) {
  for (std::size_t i = held.parts_.size(); i-- > 0;) {
    const KvHoldings::Part& part = held.parts_[i];
    Run& one = runs_[part.run];
    if (part.writes) one.has_writer = false;
    if (--one.holders > 0) continue;
    if (one.key == 0 || one.ready == 0) {
      unused_ += one.blocks;
      drop_run(part.run);
      continue;
    }
    // Blocks that are not computed have no content.
    unused_ += one.blocks - one.ready;
    one.blocks = one.ready;
    append_to_list(part.run);
  }
  held = {};
}

std::int64_t KvCache::counted_blocks() const {
  std::int64_t sum = unused_;
  for (const Run& run : runs_) sum += run.blocks;
  return sum;
}

}  // namespace orrery::serving
