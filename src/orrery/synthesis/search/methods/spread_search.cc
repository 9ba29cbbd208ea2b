// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/spread_search.h"

#include <algorithm>
#include <bit>
#include <map>

#include "orrery/core/random.h"
#include "orrery/synthesis/search/methods/round_search.h"

namespace orrery::synthesis {

namespace {

class Spread {
 public:
  Spread(const RouteGraph& route_graph, const SpreadTask& task, const SpreadOptions& options)
      : route_graph_(route_graph),
        task_(task),
        options_(options),
        has_(route_graph.store_count(), task.origin.size()),
        got_(route_graph.store_count(), task.origin.size()),
        holders_(task.origin.size(), 1),
        room_(route_graph.room),
        waiting_(route_graph.room.size()),
        waits_(route_graph.routes.size()),
        tried_(route_graph.routes.size(), -1),
        starts_(route_graph.store_count()),
        lacks_(route_graph.store_count()),
        fastest_(route_graph.store_count()),
        all_in_(route_graph.store_count()),
        first_word_(route_graph.store_count(), 0),
        end_word_(route_graph.store_count(), 0),
        random_(mixed(options.seed)) {
    std::uint32_t regions = 0;
    for (const std::uint32_t region : task.region) regions = std::max(regions, region + 1);
    entered_ = BitRows(regions, task.origin.size());
    std::vector<bool> taken(route_graph.room.size());
    for (const LinkUse& held : route_graph.held) {
      shared_ |= taken[held.wire];
      taken[held.wire] = true;
    }
    for (const std::uint32_t turn : route_graph.turn) turns_ = std::max(turns_, turn + 1);
    set_words();
    set_durations();
    for (std::uint32_t chunk = 0; chunk < task.origin.size(); ++chunk) {
      has_.set(task.origin[chunk], chunk);
      starts_[task.origin[chunk]] = true;
      got_.set(task.origin[chunk], chunk);
      if (!task.region.empty()) entered_.set(task.region[task.origin[chunk]], chunk);
    }
    for (std::uint32_t store = 0; store < route_graph.store_count(); ++store) {
      for (std::size_t word = 0; word < has_.words(); ++word)
        left_ += static_cast<std::size_t>(
            std::popcount(task.wanted.row(store)[word] & ~has_.row(store)[word]));
    }
    set_rates();
    sends_.reserve(left_);
  }

  std::optional<std::vector<ChunkSend>> run() {
    for (std::uint32_t route = 0; route < route_graph_.routes.size(); ++route)
      candidates_.push_back(route);
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
    std::uint32_t route, chunk;
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
    for (std::uint32_t store = 0; store < route_graph_.store_count(); ++store) {
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
    for (const Route& route : route_graph_.routes)
      rates.emplace(route.rate, static_cast<std::uint32_t>(rates.size()));
    for (const std::int64_t bytes : task_.bytes) size_of_.push_back(sizes.at(bytes));
    for (const Route& route : route_graph_.routes) rate_of_.push_back(rates.at(route.rate));
    durations_.assign(sizes.size() * rates.size(), 0);
    rates_ = rates.size();
    for (const auto& [bytes, size] : sizes) {
      for (const auto& [rate, number] : rates)
        durations_[size * rates_ + number] = transfer_duration(bytes, rate).count();
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

  void candidate(std::uint32_t route) {
    if (tried_[route] == round_) return;
    tried_[route] = round_;
    candidates_.push_back(route);
  }
  void release(std::uint32_t wire, std::int64_t rate) {
    room_[wire] += rate;
    for (const std::uint32_t route : waiting_[wire]) {
      waits_[route] = false;
      candidate(route);
    }
    waiting_[wire].clear();
  }
  void happen(Bucket& bucket) {
    candidates_.clear();
    for (const std::uint32_t route : bucket.ended) {
      for (const LinkUse& held : route_graph_.uses_of(route)) {
        if (held.later == Time{}) release(held.wire, route_graph_.routes[route].rate);
      }
    }
    for (const Release& one : bucket.released) release(one.wire, one.rate);
    for (const Arrival& one : bucket.arrived) {
      const std::uint32_t store = route_graph_.to[one.route];
      has_.set(store, one.chunk);
      if (task_.wanted.test(store, one.chunk)) --left_;
      for (std::uint32_t route = route_graph_.out_offsets[store];
           route < route_graph_.out_offsets[store + 1]; ++route) {
        if (!waits_[route]) candidate(route);
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
    const auto place = [&](std::uint32_t route) {
      const std::uint32_t turn = route_graph_.turn[route];
      return turn >= first ? turn - first : turn + turns_ - first;
    };
    for (const std::uint32_t route : candidates_) ++by_turn_[place(route) + std::size_t{1}];
    for (std::size_t turn = 0; turn < turns_; ++turn) by_turn_[turn + 1] += by_turn_[turn];
    ordered_.resize(candidates_.size());
    for (const std::uint32_t route : candidates_) ordered_[by_turn_[place(route)]++] = route;
    candidates_.swap(ordered_);
  }

  void try_candidates(std::int64_t now) {
    // In any order but always the same: who is asked first must not depend on who was freed first.
    for (std::size_t i = candidates_.size(); i > 1; --i)
      std::swap(candidates_[i - 1],
                candidates_[static_cast<std::size_t>((draw() >> 32) * i >> 32)]);
    if (shared_) order_by_turn();
    for (const std::uint32_t route : candidates_) {
      while (!waits_[route] && send(route, now)) {
      }
    }
  }

  /// Whether it sent; else it waits for a wire, or there is nothing to send.
  bool send(std::uint32_t route, std::int64_t now) {
    const std::int64_t rate = route_graph_.routes[route].rate;
    for (const LinkUse& held : route_graph_.uses_of(route)) {
      if (room_[held.wire] >= rate) continue;
      waiting_[held.wire].push_back(route);
      waits_[route] = true;
      return false;
    }
    const std::uint32_t from = route_graph_.from[route], to = route_graph_.to[route];
    if (options_.patient && is_late(route)) return false;
    const std::uint32_t chunk = choose(from, to);
    if (chunk == kNone) return false;
    --lacks_[to];
    got_.set(to, chunk);
    ++holders_[chunk];
    if (!task_.region.empty()) entered_.set(task_.region[to], chunk);
    sends_.push_back({chunk, route, Time(now)});
    const std::int64_t end = now + durations_[size_of_[chunk] * rates_ + rate_of_[route]];
    Bucket& ends = at(end);
    ends.ended.push_back(route);
    for (const LinkUse& held : route_graph_.uses_of(route)) {
      room_[held.wire] -= rate;
      if (held.later != Time{}) at(end + held.later.count()).released.push_back({held.wire, rate});
    }
    at(end + route_graph_.routes[route].latency.count()).arrived.push_back({route, chunk});
    return true;
  }

  static constexpr std::uint32_t kNone = ~0U;

  /// All that the receiver lacks is there sooner over its other links.
  [[nodiscard]] bool is_late(std::uint32_t route) const {
    const std::uint32_t to = route_graph_.to[route];
    const double bytes = static_cast<double>(task_.bytes.front());
    const double own = bytes / static_cast<double>(route_graph_.routes[route].rate);
    return own > 1.001 * bytes / fastest_[to] + bytes * lacks_[to] / all_in_[to];
  }
  /// What comes to each store at most, and over its fastest way.
  void set_rates() {
    std::vector<std::vector<std::uint32_t>> last(route_graph_.store_count());
    for (std::uint32_t route = 0; route < route_graph_.routes.size(); ++route) {
      const std::uint32_t to = route_graph_.to[route],
                          wire = route_graph_.uses_of(route).back().wire;
      fastest_[to] = std::max(fastest_[to], static_cast<double>(route_graph_.routes[route].rate));
      if (std::find(last[to].begin(), last[to].end(), wire) != last[to].end()) continue;
      last[to].push_back(wire);
      all_in_[to] += static_cast<double>(route_graph_.routes[route].rate);
    }
    for (std::uint32_t store = 0; store < route_graph_.store_count(); ++store) {
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

  const RouteGraph& route_graph_;
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

std::optional<std::vector<ChunkSend>> spread(const RouteGraph& route_graph, const SpreadTask& task,
                                             const SpreadOptions& options) {
  if (runs_in_rounds(route_graph, task)) return spread_in_rounds(route_graph, task, options);
  return Spread(route_graph, task, options).run();
}

namespace {

class Rounds {
 public:
  Rounds(const RouteGraph& route_graph, const SpreadTask& task, const SpreadOptions& options)
      : route_graph_(route_graph),
        task_(task),
        options_(options),
        words_(task.useful.words()),
        has_(route_graph.store_count(), task.origin.size()),
        open_(task.useful),
        holders_(task.origin.size(), 1),
        lacks_(route_graph.store_count()),
        arrivals_(route_graph.store_count(), 1),
        in_vain_(route_graph.routes.size()),
        starts_(route_graph.store_count()),
        random_(mixed(options.seed)) {
    for (std::uint32_t chunk = 0; chunk < task.origin.size(); ++chunk) {
      has_.set(task.origin[chunk], chunk);
      starts_[task.origin[chunk]] = true;
      clear(task.origin[chunk], chunk);
    }
    for (std::uint32_t store = 0; store < route_graph.store_count(); ++store) {
      for (std::size_t w = 0; w < words_; ++w) {
        lacks_[store] += static_cast<std::uint32_t>(std::popcount(open_.row(store)[w]));
        left_ += static_cast<std::size_t>(
            std::popcount(task.wanted.row(store)[w] & open_.row(store)[w]));
      }
    }
    sends_.reserve(left_);
  }

  std::optional<std::vector<ChunkSend>> run() {
    const Route& route = route_graph_.routes.front();
    const std::int64_t duration = transfer_duration(task_.bytes.front(), route.rate).count();
    // What was sent in a round may be sent on so many rounds later.
    const auto later =
        static_cast<std::size_t>((duration + route.latency.count() + duration - 1) / duration);
    const auto routes = static_cast<std::uint32_t>(route_graph_.routes.size());
    std::vector<std::size_t> begins;  // by round: its first send
    for (std::int64_t round = 0; left_ > 0; ++round) {
      if (round * duration + duration + route.latency.count() > options_.give_up.count())
        return std::nullopt;
      begins.push_back(sends_.size());
      if (begins.size() > later)
        arrive(begins[begins.size() - 1 - later], begins[begins.size() - later]);
      if (begins.size() > later && begins[begins.size() - 1 - later] == sends_.size())
        return std::nullopt;  // nothing is under way
      const auto first = static_cast<std::uint32_t>(draw(routes));
      for (std::uint32_t i = 0; i < routes; ++i)
        send(i + first < routes ? i + first : i + first - routes, Time(round * duration));
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
      const std::uint32_t store = route_graph_.to[sends_[i].route];
      has_.set(store, sends_[i].chunk);
      ++arrivals_[store];
    }
  }
  void send(std::uint32_t route, Time now) {
    const std::uint32_t from = route_graph_.from[route], to = route_graph_.to[route];
    if (lacks_[to] == 0 || in_vain_[route] == arrivals_[from]) return;
    const std::uint32_t chunk =
        choose(has_.row(from), open_.row(to), options_.rooted && starts_[from]);
    if (chunk == kNone) {
      in_vain_[route] = arrivals_[from];
      return;
    }
    clear(to, chunk);
    --lacks_[to];
    ++holders_[chunk];
    left_ -= task_.wanted.test(to, chunk) ? 1 : 0;
    sends_.push_back({chunk, route, now});
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

  const RouteGraph& route_graph_;
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

bool runs_in_rounds(const RouteGraph& route_graph, const SpreadTask& task) {
  if (route_graph.routes.empty() || task.origin.empty() || !task.region.empty()) return false;
  std::vector<bool> taken(route_graph.room.size());
  const Route& first = route_graph.routes.front();
  for (std::uint32_t route = 0; route < route_graph.routes.size(); ++route) {
    const Route& one = route_graph.routes[route];
    const std::uint32_t wire = route_graph.held[one.first].wire;
    if (one.count != 1 || taken[wire] || one.rate != first.rate || one.latency != first.latency ||
        2 * one.rate <= route_graph.room[wire])
      return false;
    taken[wire] = true;
  }
  return std::all_of(task.bytes.begin(), task.bytes.end(),
                     [&](std::int64_t bytes) { return bytes == task.bytes.front(); });
}

std::optional<std::vector<ChunkSend>> spread_in_rounds(const RouteGraph& route_graph,
                                                       const SpreadTask& task,
                                                       const SpreadOptions& options) {
  return Rounds(route_graph, task, options).run();
}

}  // namespace orrery::synthesis
