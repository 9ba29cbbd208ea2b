// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/in_step.h"

#include <algorithm>
#include <bit>

#include "orrery/core/random.h"

namespace orrery::synthesis {

namespace {

class Rounds {
 public:
  Rounds(const Reach& reach, const SpreadTask& task, const SpreadOptions& options)
      : reach_(reach),
        task_(task),
        options_(options),
        words_(task.useful.words()),
        has_(reach.store_count(), task.origin.size()),
        open_(task.useful),
        holders_(task.origin.size(), 1),
        lacks_(reach.store_count()),
        arrivals_(reach.store_count(), 1),
        in_vain_(reach.ways.size()),
        starts_(reach.store_count()),
        random_(mixed(options.seed)) {
    for (std::uint32_t chunk = 0; chunk < task.origin.size(); ++chunk) {
      has_.set(task.origin[chunk], chunk);
      starts_[task.origin[chunk]] = true;
      clear(task.origin[chunk], chunk);
    }
    for (std::uint32_t store = 0; store < reach.store_count(); ++store) {
      for (std::size_t w = 0; w < words_; ++w) {
        lacks_[store] += static_cast<std::uint32_t>(std::popcount(open_.row(store)[w]));
        left_ += static_cast<std::size_t>(
            std::popcount(task.wanted.row(store)[w] & open_.row(store)[w]));
      }
    }
    sends_.reserve(left_);
  }

  std::optional<std::vector<ChunkSend>> run() {
    const Way& way = reach_.ways.front();
    const std::int64_t lasts = passes(task_.bytes.front(), way.rate).count();
    // What was sent in a round may be sent on so many rounds later.
    const auto later = static_cast<std::size_t>((lasts + way.latency.count() + lasts - 1) / lasts);
    const auto ways = static_cast<std::uint32_t>(reach_.ways.size());
    std::vector<std::size_t> begins;  // by round: its first send
    for (std::int64_t round = 0; left_ > 0; ++round) {
      if (round * lasts + lasts + way.latency.count() > options_.give_up.count())
        return std::nullopt;
      begins.push_back(sends_.size());
      if (begins.size() > later)
        arrive(begins[begins.size() - 1 - later], begins[begins.size() - later]);
      if (begins.size() > later && begins[begins.size() - 1 - later] == sends_.size())
        return std::nullopt;  // nothing is under way
      const auto first = static_cast<std::uint32_t>(draw(ways));
      for (std::uint32_t i = 0; i < ways; ++i)
        send(i + first < ways ? i + first : i + first - ways, Time(round * lasts));
    }
    return std::move(sends_);
  }

 private:
  void clear(std::uint32_t store, std::uint32_t chunk) {
    open_.row(store)[chunk / 64] &= ~(std::uint64_t{1} << (chunk % 64));
  }
  /// Below `end`, by a linear congruence (Knuth's MMIX), of which the high bits are good.
  std::size_t draw(std::size_t end) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((random_ >> 32) * end >> 32);
  }
  void arrive(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const std::uint32_t store = reach_.to[sends_[i].way];
      has_.set(store, sends_[i].chunk);
      ++arrivals_[store];
    }
  }
  void send(std::uint32_t way, Time now) {
    const std::uint32_t from = reach_.from[way], to = reach_.to[way];
    if (lacks_[to] == 0 || in_vain_[way] == arrivals_[from]) return;
    const std::uint32_t chunk =
        choose(has_.row(from), open_.row(to), options_.rooted && starts_[from]);
    if (chunk == kNone) {
      in_vain_[way] = arrivals_[from];
      return;
    }
    clear(to, chunk);
    --lacks_[to];
    ++holders_[chunk];
    left_ -= task_.wanted.test(to, chunk) ? 1 : 0;
    sends_.push_back({chunk, way, now});
  }

  static constexpr std::uint32_t kNone = ~0U;
  /// Of what could be sent, from a random one on, the rarest: of some in a word, or of all.
  std::uint32_t choose(const std::uint64_t* has, const std::uint64_t* open, bool all) {
    std::size_t word = draw(words_);
    const int turn = static_cast<int>(random_ >> 26 & 63);
    std::uint32_t best = kNone, fewest = ~0U;
    for (std::size_t looked = 0; looked < words_; ++looked) {
      std::uint64_t turned = std::rotr(has[word] & open[word], turn);
      for (std::uint32_t i = 0; (all || i < options_.samples) && turned != 0; ++i) {
        const int bit = (std::countr_zero(turned) + turn) & 63;
        turned &= turned - 1;
        const std::uint32_t chunk =
            static_cast<std::uint32_t>(word) * 64 + static_cast<std::uint32_t>(bit);
        if (holders_[chunk] >= fewest) continue;
        fewest = holders_[chunk];
        best = chunk;
      }
      if (best != kNone && !all) break;
      word = word + 1 == words_ ? 0 : word + 1;
    }
    return best;
  }

  const Reach& reach_;
  const SpreadTask& task_;
  const SpreadOptions& options_;
  std::size_t words_;
  BitRows has_, open_;  // open: useful, and not got or coming
  std::vector<std::uint32_t> holders_, lacks_;
  std::vector<std::uint32_t> arrivals_;  // by store: so many
  std::vector<std::uint32_t> in_vain_;   // by way: nothing to send with so many
  std::vector<bool> starts_;             // by store: some chunk does
  std::vector<ChunkSend> sends_;
  std::size_t left_ = 0;
  std::uint64_t random_;
};

}  // namespace

bool in_step(const Reach& reach, const SpreadTask& task) {
  if (reach.ways.empty() || task.origin.empty() || !task.region.empty()) return false;
  std::vector<bool> taken(reach.room.size());
  const Way& first = reach.ways.front();
  for (std::uint32_t way = 0; way < reach.ways.size(); ++way) {
    const Way& one = reach.ways[way];
    const std::uint32_t wire = reach.held[one.first].wire;
    if (one.count != 1 || taken[wire] || one.rate != first.rate || one.latency != first.latency ||
        2 * one.rate <= reach.room[wire])
      return false;
    taken[wire] = true;
  }
  return std::all_of(task.bytes.begin(), task.bytes.end(),
                     [&](std::int64_t bytes) { return bytes == task.bytes.front(); });
}

std::optional<std::vector<ChunkSend>> spread_in_step(const Reach& reach, const SpreadTask& task,
                                                     const SpreadOptions& options) {
  return Rounds(reach, task, options).run();
}

}  // namespace orrery::synthesis
