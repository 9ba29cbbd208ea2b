// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/spread.h"

#include <algorithm>
#include <bit>
#include <map>

#include "orrery/core/random.h"
#include "orrery/synthesis/search/in_step.h"

namespace orrery::synthesis {

namespace {

class Spread {
 public:
  Spread(const Reach& reach, const SpreadTask& task, const SpreadOptions& options)
      : reach_(reach),
        task_(task),
        options_(options),
        has_(reach.store_count(), task.origin.size()),
        got_(reach.store_count(), task.origin.size()),
        holders_(task.origin.size(), 1),
        room_(reach.room),
        waiting_(reach.room.size()),
        waits_(reach.ways.size()),
        tried_(reach.ways.size(), -1),
        starts_(reach.store_count()),
        lacks_(reach.store_count()),
        fastest_(reach.store_count()),
        all_in_(reach.store_count()),
        first_word_(reach.store_count(), 0),
        end_word_(reach.store_count(), 0),
        random_(mixed(options.seed)) {
    std::uint32_t regions = 0;
    for (const std::uint32_t region : task.region) regions = std::max(regions, region + 1);
    entered_ = BitRows(regions, task.origin.size());
    std::vector<bool> taken(reach.room.size());
    for (const Held& held : reach.held) {
      shared_ |= taken[held.wire];
      taken[held.wire] = true;
    }
    for (const std::uint32_t turn : reach.turn) turns_ = std::max(turns_, turn + 1);
    set_words();
    set_durations();
    for (std::uint32_t chunk = 0; chunk < task.origin.size(); ++chunk) {
      has_.set(task.origin[chunk], chunk);
      starts_[task.origin[chunk]] = true;
      got_.set(task.origin[chunk], chunk);
      if (!task.region.empty()) entered_.set(task.region[task.origin[chunk]], chunk);
    }
    for (std::uint32_t store = 0; store < reach.store_count(); ++store) {
      for (std::size_t word = 0; word < has_.words(); ++word)
        left_ += static_cast<std::size_t>(
            std::popcount(task.wanted.row(store)[word] & ~has_.row(store)[word]));
    }
    set_rates();
    sends_.reserve(left_);
  }

  std::optional<std::vector<ChunkSend>> run() {
    for (std::uint32_t way = 0; way < reach_.ways.size(); ++way) candidates_.push_back(way);
    std::int64_t now = 0;
    while (left_ > 0) {
      try_candidates(now);
      if (buckets_.empty()) return std::nullopt;
      auto node = buckets_.extract(buckets_.begin());
      now = node.key();
      if (now > options_.give_up.count()) return std::nullopt;
      happen(node.mapped());
      spare_.push_back(std::move(node.mapped()));
      ++round_;
    }
    return std::move(sends_);
  }

 private:
  struct Arrival {
    std::uint32_t way, chunk;
  };
  struct Release {
    std::uint32_t wire;
    std::int64_t rate;
  };
  struct Bucket {
    std::vector<std::uint32_t> ended;  // ways whose wires are free
    std::vector<Release> released;     // wires that are so later than others of their way
    std::vector<Arrival> arrived;
  };

  // Rows are looked at from the first word to the last in which a store can want something.
  void set_words() {
    for (std::uint32_t store = 0; store < reach_.store_count(); ++store) {
      const std::uint64_t* row = task_.useful.row(store);
      std::size_t first = 0, end = task_.useful.words();
      while (first < end && row[first] == 0) ++first;
      while (end > first && row[end - 1] == 0) --end;
      first_word_[store] = static_cast<std::uint32_t>(first);
      end_word_[store] = static_cast<std::uint32_t>(end);
    }
  }

  // Few sizes and rates: a table of durations.
  void set_durations() {
    std::map<std::int64_t, std::uint32_t> sizes, rates;
    for (const std::int64_t bytes : task_.bytes)
      sizes.emplace(bytes, static_cast<std::uint32_t>(sizes.size()));
    for (const Way& way : reach_.ways)
      rates.emplace(way.rate, static_cast<std::uint32_t>(rates.size()));
    for (const std::int64_t bytes : task_.bytes) size_of_.push_back(sizes.at(bytes));
    for (const Way& way : reach_.ways) rate_of_.push_back(rates.at(way.rate));
    durations_.assign(sizes.size() * rates.size(), 0);
    rates_ = rates.size();
    for (const auto& [bytes, size] : sizes) {
      for (const auto& [rate, number] : rates)
        durations_[size * rates_ + number] = passes(bytes, rate).count();
    }
  }

  Bucket& at(std::int64_t time) {
    const auto [found, is_new] = buckets_.try_emplace(time);
    if (is_new && !spare_.empty()) {
      found->second = std::move(spare_.back());
      spare_.pop_back();
    }
    return found->second;
  }

  void candidate(std::uint32_t way) {
    if (tried_[way] == round_) return;
    tried_[way] = round_;
    candidates_.push_back(way);
  }
  void release(std::uint32_t wire, std::int64_t rate) {
    room_[wire] += rate;
    for (const std::uint32_t way : waiting_[wire]) {
      waits_[way] = false;
      candidate(way);
    }
    waiting_[wire].clear();
  }
  void happen(Bucket& bucket) {
    candidates_.clear();
    for (const std::uint32_t way : bucket.ended) {
      for (const Held& held : reach_.held_by(way)) {
        if (held.later == Time{}) release(held.wire, reach_.ways[way].rate);
      }
    }
    for (const Release& one : bucket.released) release(one.wire, one.rate);
    for (const Arrival& one : bucket.arrived) {
      const std::uint32_t store = reach_.to[one.way];
      has_.set(store, one.chunk);
      if (task_.wanted.test(store, one.chunk)) --left_;
      for (std::uint32_t way = reach_.first_out[store]; way < reach_.first_out[store + 1]; ++way) {
        if (!waits_[way]) candidate(way);
      }
    }
    bucket.ended.clear();
    bucket.released.clear();
    bucket.arrived.clear();
  }

  std::uint64_t draw() { return random_ = mixed(random_); }

  /// Ways of a turn after each other, so that whoever shares links with others finds them free.
  void order_by_turn() {
    by_turn_.assign(turns_ + std::size_t{1}, 0);
    const auto first = static_cast<std::uint32_t>((draw() >> 32) * turns_ >> 32);
    const auto place = [&](std::uint32_t way) {
      const std::uint32_t turn = reach_.turn[way];
      return turn >= first ? turn - first : turn + turns_ - first;
    };
    for (const std::uint32_t way : candidates_) ++by_turn_[place(way) + std::size_t{1}];
    for (std::size_t turn = 0; turn < turns_; ++turn) by_turn_[turn + 1] += by_turn_[turn];
    ordered_.resize(candidates_.size());
    for (const std::uint32_t way : candidates_) ordered_[by_turn_[place(way)]++] = way;
    candidates_.swap(ordered_);
  }

  void try_candidates(std::int64_t now) {
    // In any order but always the same: who is asked first must not depend on who was freed first.
    for (std::size_t i = candidates_.size(); i > 1; --i)
      std::swap(candidates_[i - 1],
                candidates_[static_cast<std::size_t>((draw() >> 32) * i >> 32)]);
    if (shared_) order_by_turn();
    for (const std::uint32_t way : candidates_) {
      while (!waits_[way] && send(way, now)) {
      }
    }
  }

  /// Whether it sent; else it waits for a wire, or there is nothing to send.
  bool send(std::uint32_t way, std::int64_t now) {
    const std::int64_t rate = reach_.ways[way].rate;
    for (const Held& held : reach_.held_by(way)) {
      if (room_[held.wire] >= rate) continue;
      waiting_[held.wire].push_back(way);
      waits_[way] = true;
      return false;
    }
    const std::uint32_t from = reach_.from[way], to = reach_.to[way];
    if (options_.patient && is_late(way)) return false;
    const std::uint32_t chunk = choose(from, to);
    if (chunk == kNone) return false;
    --lacks_[to];
    got_.set(to, chunk);
    ++holders_[chunk];
    if (!task_.region.empty()) entered_.set(task_.region[to], chunk);
    sends_.push_back({chunk, way, Time(now)});
    const std::int64_t end = now + durations_[size_of_[chunk] * rates_ + rate_of_[way]];
    Bucket& ends = at(end);
    ends.ended.push_back(way);
    for (const Held& held : reach_.held_by(way)) {
      room_[held.wire] -= rate;
      if (held.later != Time{}) at(end + held.later.count()).released.push_back({held.wire, rate});
    }
    at(end + reach_.ways[way].latency.count()).arrived.push_back({way, chunk});
    return true;
  }

  static constexpr std::uint32_t kNone = ~0U;

  /// All that the receiver lacks is there sooner over its other links.
  [[nodiscard]] bool is_late(std::uint32_t way) const {
    const std::uint32_t to = reach_.to[way];
    const double bytes = static_cast<double>(task_.bytes.front());
    const double own = bytes / static_cast<double>(reach_.ways[way].rate);
    return own > 1.001 * bytes / fastest_[to] + bytes * lacks_[to] / all_in_[to];
  }
  /// What comes to each store at most, and over its fastest way.
  void set_rates() {
    std::vector<std::vector<std::uint32_t>> last(reach_.store_count());
    for (std::uint32_t way = 0; way < reach_.ways.size(); ++way) {
      const std::uint32_t to = reach_.to[way], wire = reach_.held_by(way).back().wire;
      fastest_[to] = std::max(fastest_[to], static_cast<double>(reach_.ways[way].rate));
      if (std::find(last[to].begin(), last[to].end(), wire) != last[to].end()) continue;
      last[to].push_back(wire);
      all_in_[to] += static_cast<double>(reach_.ways[way].rate);
    }
    for (std::uint32_t store = 0; store < reach_.store_count(); ++store) {
      for (std::size_t word = 0; word < has_.words(); ++word)
        lacks_[store] += static_cast<std::uint32_t>(
            std::popcount(task_.useful.row(store)[word] & ~got_.row(store)[word]));
    }
  }

  /// A chunk that `from` has and `to` can use.
  std::uint32_t choose(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t* has = has_.row(from);
    const std::uint64_t* useful = task_.useful.row(to);
    const std::uint64_t* got = got_.row(to);
    const std::uint64_t* entered = task_.region.empty() || task_.region[from] == task_.region[to]
                                       ? nullptr
                                       : entered_.row(task_.region[to]);
    const std::uint32_t first = first_word_[to], words = end_word_[to] - first;
    if (words == 0) return kNone;
    const bool all = options_.rooted && starts_[from];
    const std::uint64_t bits = draw();
    const int turn = static_cast<int>(bits & 63);
    auto word = static_cast<std::uint32_t>((bits >> 32) * words >> 32);
    std::uint32_t best = kNone, fewest = ~0U;
    for (std::uint32_t looked = 0; looked < words; ++looked) {
      const std::uint32_t w = first + word;
      std::uint64_t open = has[w] & useful[w] & ~got[w];
      if (entered != nullptr) open &= ~entered[w];
      open = std::rotr(open, turn);
      for (std::uint32_t i = 0; (all || i < options_.samples) && open != 0; ++i) {
        const int bit = (std::countr_zero(open) + turn) & 63;
        open &= open - 1;
        const std::uint32_t chunk = w * 64 + static_cast<std::uint32_t>(bit);
        if (holders_[chunk] >= fewest) continue;
        fewest = holders_[chunk];
        best = chunk;
      }
      if (best != kNone && !all) break;
      word = word + 1 == words ? 0 : word + 1;
    }
    return best;
  }

  const Reach& reach_;
  const SpreadTask& task_;
  const SpreadOptions& options_;
  BitRows has_, got_, entered_;
  std::vector<std::uint32_t> holders_;
  std::vector<std::int64_t> room_;
  std::vector<std::vector<std::uint32_t>> waiting_;  // by wire: ways
  std::vector<bool> waits_;
  std::vector<std::int64_t> tried_;
  std::vector<bool> starts_;  // by store: some chunk does
  std::vector<std::uint32_t> lacks_;
  std::vector<double> fastest_, all_in_;  // by store: bytes per second
  std::vector<std::uint32_t> first_word_, end_word_;
  std::vector<std::uint32_t> size_of_, rate_of_;
  std::vector<std::int64_t> durations_;
  std::size_t rates_ = 0;
  std::map<std::int64_t, Bucket> buckets_;
  std::vector<Bucket> spare_;
  std::vector<std::uint32_t> candidates_, ordered_, by_turn_;
  std::uint32_t turns_ = 0;
  bool shared_ = false;  // some link is of several ways
  std::vector<ChunkSend> sends_;
  std::size_t left_ = 0;
  std::int64_t round_ = 0;
  std::uint64_t random_;
};

}  // namespace

std::optional<std::vector<ChunkSend>> spread(const Reach& reach, const SpreadTask& task,
                                             const SpreadOptions& options) {
  if (in_step(reach, task)) return spread_in_step(reach, task, options);
  return Spread(reach, task, options).run();
}

}  // namespace orrery::synthesis
