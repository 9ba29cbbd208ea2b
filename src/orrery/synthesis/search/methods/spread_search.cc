// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/spread_search.h"

#include <algorithm>
#include <bit>
#include <map>

#include "orrery/core/random.h"

namespace orrery::synthesis {

namespace {

class SpreadSearch {
 public:
  SpreadSearch(const RouteGraph& route_graph, const SpreadTask& task, const SpreadOptions& options)
      : route_graph_(route_graph),
        task_(task),
        options_(options),
        has_(route_graph.store_count(), task.origin.size()),
        assigned_(route_graph.store_count(), task.origin.size()),
        holders_(task.origin.size(), 1),
        free_capacity_(route_graph.capacity),
        waiting_(route_graph.capacity.size()),
        is_blocked_(route_graph.routes.size()),
        last_tried_(route_graph.routes.size(), -1),
        is_origin_(route_graph.store_count()),
        missing_(route_graph.store_count()),
        fastest_(route_graph.store_count()),
        incoming_rate_(route_graph.store_count()),
        first_word_(route_graph.store_count(), 0),
        end_word_(route_graph.store_count(), 0),
        random_(mix_bits(options.seed)) {
    std::uint32_t hosts = 0;
    for (const std::uint32_t host : task.host) hosts = std::max(hosts, host + 1);
    entered_ = BitMatrix(hosts, task.origin.size());
    std::vector<bool> taken(route_graph.capacity.size());
    for (const LinkUse& use : route_graph.link_uses) {
      has_shared_wires_ |= taken[use.wire];
      taken[use.wire] = true;
    }
    for (const std::uint32_t turn : route_graph.receiver_order)
      receiver_orders_ = std::max(receiver_orders_, turn + 1);
    set_words();
    set_durations();
    for (std::uint32_t chunk = 0; chunk < task.origin.size(); ++chunk) {
      has_.set(task.origin[chunk], chunk);
      is_origin_[task.origin[chunk]] = true;
      assigned_.set(task.origin[chunk], chunk);
      if (!task.host.empty()) entered_.set(task.host[task.origin[chunk]], chunk);
    }
    for (std::uint32_t store = 0; store < route_graph.store_count(); ++store) {
      for (std::size_t word = 0; word < has_.words(); ++word)
        remaining_ += static_cast<std::size_t>(
            std::popcount(task.required.row(store)[word] & ~has_.row(store)[word]));
    }
    set_rates();
    sends_.reserve(remaining_);
  }

  std::optional<std::vector<ChunkSend>> run() {
    for (std::uint32_t route = 0; route < route_graph_.routes.size(); ++route)
      candidates_.push_back(route);
    std::int64_t now = 0;
    while (remaining_ > 0) {
      try_candidates(now);
      if (buckets_.empty()) return std::nullopt;
      auto node = buckets_.extract(buckets_.begin());
      now = node.key();
      if (now > options_.time_limit.count()) return std::nullopt;
      handle(node.mapped());
      unused_buckets_.push_back(std::move(node.mapped()));
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
    std::vector<std::uint32_t> ended;  // routes whose wires are free
    std::vector<Release> released;     // wires that become free later than others of their route
    std::vector<Arrival> arrived;
  };

  // Limits each row to the words in which a store can want a chunk.
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

  // Few distinct sizes and rates exist: a table of durations.
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
    if (is_new && !unused_buckets_.empty()) {
      found->second = std::move(unused_buckets_.back());
      unused_buckets_.pop_back();
    }
    return found->second;
  }

  void candidate(std::uint32_t route) {
    if (last_tried_[route] == round_) return;
    last_tried_[route] = round_;
    candidates_.push_back(route);
  }
  void release(std::uint32_t wire, std::int64_t rate) {
    free_capacity_[wire] += rate;
    for (const std::uint32_t route : waiting_[wire]) {
      is_blocked_[route] = false;
      candidate(route);
    }
    waiting_[wire].clear();
  }
  void handle(Bucket& bucket) {
    candidates_.clear();
    for (const std::uint32_t route : bucket.ended) {
      for (const LinkUse& use : route_graph_.uses_of(route)) {
        if (use.extra_delay == Time{}) release(use.wire, route_graph_.routes[route].rate);
      }
    }
    for (const Release& one : bucket.released) release(one.wire, one.rate);
    for (const Arrival& one : bucket.arrived) {
      const std::uint32_t store = route_graph_.to[one.route];
      has_.set(store, one.chunk);
      if (task_.required.test(store, one.chunk)) --remaining_;
      for (std::uint32_t route = route_graph_.out_offsets[store];
           route < route_graph_.out_offsets[store + 1]; ++route) {
        if (!is_blocked_[route]) candidate(route);
      }
    }
    bucket.ended.clear();
    bucket.released.clear();
    bucket.arrived.clear();
  }

  std::uint64_t next_random() { return random_ = mix_bits(random_); }

  /// Orders routes turn by turn, so that routes that share links find them free.
  void sort_by_receiver_order() {
    order_offsets_.assign(receiver_orders_ + std::size_t{1}, 0);
    const auto first = static_cast<std::uint32_t>((next_random() >> 32) * receiver_orders_ >> 32);
    const auto place = [&](std::uint32_t route) {
      const std::uint32_t turn = route_graph_.receiver_order[route];
      return turn >= first ? turn - first : turn + receiver_orders_ - first;
    };
    for (const std::uint32_t route : candidates_) ++order_offsets_[place(route) + std::size_t{1}];
    for (std::size_t turn = 0; turn < receiver_orders_; ++turn)
      order_offsets_[turn + 1] += order_offsets_[turn];
    ordered_.resize(candidates_.size());
    for (const std::uint32_t route : candidates_) ordered_[order_offsets_[place(route)]++] = route;
    candidates_.swap(ordered_);
  }

  void try_candidates(std::int64_t now) {
    // Any order, but deterministic: it must not depend on the order in which links became free.
    for (std::size_t i = candidates_.size(); i > 1; --i)
      std::swap(candidates_[i - 1],
                candidates_[static_cast<std::size_t>((next_random() >> 32) * i >> 32)]);
    if (has_shared_wires_) sort_by_receiver_order();
    for (const std::uint32_t route : candidates_) {
      while (!is_blocked_[route] && send(route, now)) {
      }
    }
  }

  /// Returns whether it sent. Otherwise it waits for a wire, or has nothing to send.
  bool send(std::uint32_t route, std::int64_t now) {
    const std::int64_t rate = route_graph_.routes[route].rate;
    for (const LinkUse& use : route_graph_.uses_of(route)) {
      if (free_capacity_[use.wire] >= rate) continue;
      waiting_[use.wire].push_back(route);
      is_blocked_[route] = true;
      return false;
    }
    const std::uint32_t from = route_graph_.from[route], to = route_graph_.to[route];
    if (options_.defer_slow_links && is_late(route)) return false;
    const std::uint32_t chunk = choose(from, to);
    if (chunk == kNone) return false;
    --missing_[to];
    assigned_.set(to, chunk);
    ++holders_[chunk];
    if (!task_.host.empty()) entered_.set(task_.host[to], chunk);
    sends_.push_back({chunk, route, Time(now)});
    const std::int64_t end = now + durations_[size_of_[chunk] * rates_ + rate_of_[route]];
    Bucket& ends = at(end);
    ends.ended.push_back(route);
    for (const LinkUse& use : route_graph_.uses_of(route)) {
      free_capacity_[use.wire] -= rate;
      if (use.extra_delay != Time{})
        at(end + use.extra_delay.count()).released.push_back({use.wire, rate});
    }
    at(end + route_graph_.routes[route].latency.count()).arrived.push_back({route, chunk});
    return true;
  }

  static constexpr std::uint32_t kNone = ~0U;

  /// Whether the receiver gets all missing chunks sooner over its other links.
  [[nodiscard]] bool is_late(std::uint32_t route) const {
    const std::uint32_t to = route_graph_.to[route];
    const double bytes = static_cast<double>(task_.bytes.front());
    const double own = bytes / static_cast<double>(route_graph_.routes[route].rate);
    return own > 1.001 * bytes / fastest_[to] + bytes * missing_[to] / incoming_rate_[to];
  }
  /// Computes the maximum incoming rate of each store, and the rate of its fastest route.
  void set_rates() {
    std::vector<std::vector<std::uint32_t>> last(route_graph_.store_count());
    for (std::uint32_t route = 0; route < route_graph_.routes.size(); ++route) {
      const std::uint32_t to = route_graph_.to[route],
                          wire = route_graph_.uses_of(route).back().wire;
      fastest_[to] = std::max(fastest_[to], static_cast<double>(route_graph_.routes[route].rate));
      if (std::find(last[to].begin(), last[to].end(), wire) != last[to].end()) continue;
      last[to].push_back(wire);
      incoming_rate_[to] += static_cast<double>(route_graph_.routes[route].rate);
    }
    for (std::uint32_t store = 0; store < route_graph_.store_count(); ++store) {
      for (std::size_t word = 0; word < has_.words(); ++word)
        missing_[store] += static_cast<std::uint32_t>(
            std::popcount(task_.useful.row(store)[word] & ~assigned_.row(store)[word]));
    }
  }

  /// A chunk that `from` has and `to` can use.
  std::uint32_t choose(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t* has = has_.row(from);
    const std::uint64_t* useful = task_.useful.row(to);
    const std::uint64_t* assigned = assigned_.row(to);
    const std::uint64_t* entered = task_.host.empty() || task_.host[from] == task_.host[to]
                                       ? nullptr
                                       : entered_.row(task_.host[to]);
    const std::uint32_t first = first_word_[to], words = end_word_[to] - first;
    if (words == 0) return kNone;
    const bool all = options_.prefer_rarest_at_origin && is_origin_[from];
    const std::uint64_t bits = next_random();
    const int turn = static_cast<int>(bits & 63);
    auto word = static_cast<std::uint32_t>((bits >> 32) * words >> 32);
    std::uint32_t best = kNone, fewest = ~0U;
    for (std::uint32_t evaluated = 0; evaluated < words; ++evaluated) {
      const std::uint32_t w = first + word;
      std::uint64_t open = has[w] & useful[w] & ~assigned[w];
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
  BitMatrix has_, assigned_, entered_;
  std::vector<std::uint32_t> holders_;
  std::vector<std::int64_t> free_capacity_;
  std::vector<std::vector<std::uint32_t>> waiting_;  // routes by wire
  std::vector<bool> is_blocked_;
  std::vector<std::int64_t> last_tried_;
  std::vector<bool> is_origin_;  // by store: whether a chunk starts there
  std::vector<std::uint32_t> missing_;
  std::vector<double> fastest_, incoming_rate_;  // by store: bytes per second
  std::vector<std::uint32_t> first_word_, end_word_;
  std::vector<std::uint32_t> size_of_, rate_of_;
  std::vector<std::int64_t> durations_;
  std::size_t rates_ = 0;
  std::map<std::int64_t, Bucket> buckets_;
  std::vector<Bucket> unused_buckets_;
  std::vector<std::uint32_t> candidates_, ordered_, order_offsets_;
  std::uint32_t receiver_orders_ = 0;
  bool has_shared_wires_ = false;  // a link belongs to several routes
  std::vector<ChunkSend> sends_;
  std::size_t remaining_ = 0;
  std::int64_t round_ = 0;
  std::uint64_t random_;
};

/// The search of spread() for identical links: it proceeds in rounds.
class RoundSearch {
 public:
  RoundSearch(const RouteGraph& route_graph, const SpreadTask& task, const SpreadOptions& options)
      : route_graph_(route_graph),
        task_(task),
        options_(options),
        words_(task.useful.words()),
        has_(route_graph.store_count(), task.origin.size()),
        missing_chunks_(task.useful),
        holders_(task.origin.size(), 1),
        missing_(route_graph.store_count()),
        arrivals_(route_graph.store_count(), 1),
        idle_since_arrival_(route_graph.routes.size()),
        is_origin_(route_graph.store_count()),
        random_(mix_bits(options.seed)) {
    for (std::uint32_t chunk = 0; chunk < task.origin.size(); ++chunk) {
      has_.set(task.origin[chunk], chunk);
      is_origin_[task.origin[chunk]] = true;
      clear(task.origin[chunk], chunk);
    }
    for (std::uint32_t store = 0; store < route_graph.store_count(); ++store) {
      for (std::size_t w = 0; w < words_; ++w) {
        missing_[store] += static_cast<std::uint32_t>(std::popcount(missing_chunks_.row(store)[w]));
        remaining_ += static_cast<std::size_t>(
            std::popcount(task.required.row(store)[w] & missing_chunks_.row(store)[w]));
      }
    }
    sends_.reserve(remaining_);
  }

  std::optional<std::vector<ChunkSend>> run() {
    const Route& route = route_graph_.routes.front();
    const std::int64_t duration = transfer_duration(task_.bytes.front(), route.rate).count();
    // The number of rounds after which a sent chunk may be forwarded.
    const auto rounds_until_arrival =
        static_cast<std::size_t>((duration + route.latency.count() + duration - 1) / duration);
    const auto routes = static_cast<std::uint32_t>(route_graph_.routes.size());
    std::vector<std::size_t> round_begins;  // first send of each round
    for (std::int64_t round = 0; remaining_ > 0; ++round) {
      if (round * duration + duration + route.latency.count() > options_.time_limit.count())
        return std::nullopt;
      round_begins.push_back(sends_.size());
      if (round_begins.size() > rounds_until_arrival)
        arrive(round_begins[round_begins.size() - 1 - rounds_until_arrival],
               round_begins[round_begins.size() - rounds_until_arrival]);
      if (round_begins.size() > rounds_until_arrival &&
          round_begins[round_begins.size() - 1 - rounds_until_arrival] == sends_.size())
        return std::nullopt;  // no chunk is in flight
      const auto first = static_cast<std::uint32_t>(next_random(routes));
      for (std::uint32_t i = 0; i < routes; ++i)
        send(i + first < routes ? i + first : i + first - routes, Time(round * duration));
    }
    return std::move(sends_);
  }

 private:
  void clear(std::uint32_t store, std::uint32_t chunk) {
    missing_chunks_.row(store)[chunk / 64] &= ~(std::uint64_t{1} << (chunk % 64));
  }
  /// A random number below `end`, by a linear congruential generator (Knuth's MMIX), whose high
  /// bits are good.
  std::size_t next_random(std::size_t end) {
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
    if (missing_[to] == 0 || idle_since_arrival_[route] == arrivals_[from]) return;
    const std::uint32_t chunk = choose(has_.row(from), missing_chunks_.row(to),
                                       options_.prefer_rarest_at_origin && is_origin_[from]);
    if (chunk == kNone) {
      idle_since_arrival_[route] = arrivals_[from];
      return;
    }
    clear(to, chunk);
    --missing_[to];
    ++holders_[chunk];
    remaining_ -= task_.required.test(to, chunk) ? 1 : 0;
    sends_.push_back({chunk, route, now});
  }

  static constexpr std::uint32_t kNone = ~0U;
  /// The rarest candidate from a random position on: among some in one word, or among all.
  std::uint32_t choose(const std::uint64_t* has, const std::uint64_t* open, bool all) {
    std::size_t word = next_random(words_);
    const int turn = static_cast<int>(random_ >> 26 & 63);
    std::uint32_t best = kNone, fewest = ~0U;
    for (std::size_t evaluated = 0; evaluated < words_; ++evaluated) {
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
  BitMatrix has_,
      missing_chunks_;  // useful chunks that have not arrived and are not in flight
  std::vector<std::uint32_t> holders_, missing_;
  std::vector<std::uint32_t> arrivals_;            // by store: number of arrivals
  std::vector<std::uint32_t> idle_since_arrival_;  // by route: it had nothing to send at this
                                                   // number of arrivals
  std::vector<bool> is_origin_;                    // by store: whether a chunk starts there
  std::vector<ChunkSend> sends_;
  std::size_t remaining_ = 0;
  std::uint64_t random_;
};

/// Whether each route is one separate link, and all links and chunks are identical: all links then
/// start together, round after round.
bool runs_in_rounds(const RouteGraph& route_graph, const SpreadTask& task) {
  if (route_graph.routes.empty() || task.origin.empty() || !task.host.empty()) return false;
  std::vector<bool> taken(route_graph.capacity.size());
  const Route& first = route_graph.routes.front();
  for (std::uint32_t route = 0; route < route_graph.routes.size(); ++route) {
    const Route& one = route_graph.routes[route];
    const std::uint32_t wire = route_graph.link_uses[one.first].wire;
    if (one.count != 1 || taken[wire] || one.rate != first.rate || one.latency != first.latency ||
        2 * one.rate <= route_graph.capacity[wire])
      return false;
    taken[wire] = true;
  }
  return std::all_of(task.bytes.begin(), task.bytes.end(),
                     [&](std::int64_t bytes) { return bytes == task.bytes.front(); });
}

}  // namespace

std::optional<std::vector<ChunkSend>> spread(const RouteGraph& route_graph, const SpreadTask& task,
                                             const SpreadOptions& options) {
  if (runs_in_rounds(route_graph, task)) return RoundSearch(route_graph, task, options).run();
  return SpreadSearch(route_graph, task, options).run();
}

}  // namespace orrery::synthesis
