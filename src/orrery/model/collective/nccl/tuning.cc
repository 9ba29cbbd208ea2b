// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/nccl/tuning.h"

#include <algorithm>
#include <bit>

namespace orrery::model::nccl {

using graph::CollectiveType;

namespace {

// Rows of the tables below: LL, LL128, Simple; us.
using ByProtocol = std::array<double, kProtocols>;
using ByAlgorithm = std::array<ByProtocol, kAlgorithms>;
// tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat
constexpr ByAlgorithm kBase = {
    {{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {8, 8, 8}}};
constexpr ByAlgorithm kNvlink = {{{0.6, 1.25, 4.0},
                                  {0.6, 1.9, 3.4},
                                  {0, 0, 3.7},
                                  {0, 0, 2.8},
                                  {0, 0, 25},
                                  {0, 0, 25},
                                  {0, 0, 4.0}}};
constexpr ByAlgorithm kPci = {{{1.0, 1.9, 4.0},
                               {1.0, 2.5, 5.7},
                               {0, 0, 3.7},
                               {0, 0, 2.8},
                               {0, 0, 0},
                               {0, 0, 0},
                               {0, 0, 4.0}}};
constexpr ByAlgorithm kNetwork = {{{5.0, 8.5, 14.0},
                                   {2.7, 4.0, 14.0},
                                   {0, 0, 31},
                                   {0, 0, 30},
                                   {0, 0, 18},
                                   {0, 0, 20.9},
                                   {0, 0, 14}}};

// GB/s by generation, for 1, 2 and more nodes. Between nodes, only the first two rows of `kMaxLl`
// are used: for Intel and for AMD hosts.
using ByNodes = std::array<double, 3>;
using ByGeneration = std::array<ByNodes, 4>;
constexpr ByGeneration kMaxLl = {{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
// GB/s per channel.
constexpr ByGeneration kRingLl128 = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
constexpr ByGeneration kTreeLl128 = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
constexpr ByGeneration kTree = {
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
constexpr ByGeneration kNvlsTree = {
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 80}}};
constexpr std::array<double, 4> kNvlsShare = {0, 0, 0.85, 0.74};

// Share of a tree's bandwidth that messages of 64 B, 128 B … 512 MB reach.
using BySize = std::array<double, 24>;
constexpr std::array<BySize, kProtocols> kTreeShare = {
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
      .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};

std::size_t index(Protocol protocol) { return static_cast<std::size_t>(protocol); }
std::size_t index(Algorithm algorithm) { return static_cast<std::size_t>(algorithm); }

double log2_down(std::int64_t value) {
  return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(value)) - 1);
}

/// The input of the model, and values derived from it.
struct Question {
  CollectiveType type;
  const Shape& shape;
  const Machine& machine;
  double ranks = static_cast<double>(shape.ranks);
  double nodes = static_cast<double>(shape.nodes);
  double per_node = static_cast<double>(shape.per_node());
  std::size_t column = static_cast<std::size_t>(std::min<std::int64_t>(shape.nodes, 3) - 1);
  std::size_t row = static_cast<std::size_t>(machine.generation);

  [[nodiscard]] bool all_reduce() const { return type == CollectiveType::all_reduce; }
  [[nodiscard]] bool halves() const {  // one half of an all-reduce
    return type == CollectiveType::all_gather || type == CollectiveType::reduce_scatter;
  }
  [[nodiscard]] double steps() const {
    return all_reduce() ? 2 * (ranks - 1) : halves() ? ranks - 1 : ranks;
  }
  /// Whether every GPU has its own card to switches that reduce.
  [[nodiscard]] bool card_each() const { return shape.per_node() <= machine.collnet.count; }
  [[nodiscard]] double most_ll() const {
    return kMaxLl[shape.nodes == 1 ? row : machine.amd_host ? 1 : 0][column];
  }
};

const Channels& channels_of(Algorithm algorithm, const Machine& machine) {
  switch (algorithm) {
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return machine.nvls;
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
      return machine.collnet;
    case Algorithm::tree:
    case Algorithm::ring:
    case Algorithm::pat:
      break;
  }
  return machine.ring;
}

bool runs(const Question& ask, Algorithm algorithm, Protocol protocol) {
  if (channels_of(algorithm, ask.machine).count == 0) return false;
  if (protocol != Protocol::simple && algorithm != Algorithm::tree && algorithm != Algorithm::ring)
    return false;
  if (protocol == Protocol::ll128 && !ask.machine.ll128) return false;
  const bool one_node = ask.shape.nodes == 1;
  switch (algorithm) {
    case Algorithm::ring:
      return true;
    case Algorithm::tree:
      return ask.all_reduce();
    case Algorithm::collnet_direct:
      return !one_node && ask.machine.nvlink &&
             (ask.all_reduce() || (ask.halves() && ask.card_each()));
    case Algorithm::collnet_chain:
      return !one_node && ask.all_reduce();
    case Algorithm::nvls:  // between nodes only with switches that reduce
      return (ask.all_reduce() || (ask.halves() && (one_node || ask.card_each()))) &&
             ask.shape.per_node() > 2 && ask.machine.nvls.count > 1 &&
             (one_node || ask.machine.collnet.count > 0);
    case Algorithm::nvls_tree:
      return ask.all_reduce() && !one_node && ask.shape.per_node() > 1 &&
             ask.machine.nvls.count > 1;
    case Algorithm::pat:
      return ask.halves() && !one_node && ask.shape.per_node() == 1;
  }
  return false;
}

// GB/s of CollNet direct: each GPU of a node uses one card, or a part of one if they share cards.
double collnet_direct_bus(const Question& ask) {
  const Channels& found = ask.machine.collnet;
  if (ask.halves()) return ask.per_node * std::min(found.intra, 0.9 * found.inter);
  const double gpus = ask.per_node / found.count;
  const double shared = found.count * found.intra / (gpus - (gpus - 1) / 2);
  return ask.machine.generation >= Generation::hopper ? 0.85 * shared : shared;
}

// GB/s that all channels together carry along the algorithm's path.
double bus(const Question& ask, Algorithm algorithm, Protocol protocol) {
  const Channels& found = channels_of(algorithm, ask.machine);
  const double count = found.count;
  const bool collnet =
      algorithm == Algorithm::collnet_direct || algorithm == Algorithm::collnet_chain;
  double each = ask.shape.nodes <= 2 || collnet ? found.intra : found.inter;
  if (algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree) {
    each = found.intra * kNvlsShare[ask.row] * (count - 1) / count *
           (ask.all_reduce() ? 2 : (ask.per_node - 1) / ask.per_node);
    const bool twice = algorithm == Algorithm::nvls_tree && ask.shape.nodes <= 2;
    if (ask.shape.nodes > 1) each = std::min(each, found.inter * (twice ? 2 : 1));
    if (algorithm == Algorithm::nvls_tree) each = std::min(each, kNvlsTree[ask.row][ask.column]);
  }
  double all = count * each;
  if (algorithm == Algorithm::collnet_direct) return collnet_direct_bus(ask);
  if (algorithm == Algorithm::pat) return all * 0.75;
  if (algorithm == Algorithm::ring && protocol == Protocol::ll)
    return std::min(ask.most_ll(), all * 0.5);
  if (algorithm == Algorithm::ring && protocol == Protocol::ll128)
    return std::min(all * 0.92, count * kRingLl128[ask.row][ask.column]);
  if (algorithm != Algorithm::tree) return all;
  all = std::min(all * 0.92, count * kTree[ask.row][ask.column]);
  if (protocol == Protocol::ll) return std::min(all / 3.8, ask.most_ll());
  if (protocol == Protocol::ll128)
    return std::min(all * (ask.shape.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                    count * kTreeLl128[ask.row][ask.column]);
  return all;
}

// Bytes of the buffer per time, in GB/s (NCCL's algorithm bandwidth).
double bandwidth(const Question& ask, Algorithm algorithm, Protocol protocol, std::int64_t bytes) {
  double rate = bus(ask, algorithm, protocol);
  const bool in_steps = algorithm == Algorithm::ring || algorithm == Algorithm::nvls ||
                        algorithm == Algorithm::nvls_tree;
  if (algorithm == Algorithm::ring || !ask.halves())
    rate *= in_steps ? ask.ranks / ask.steps() : 0.5;
  if (algorithm == Algorithm::tree && ask.all_reduce() && bytes >= 64) {
    const auto size = static_cast<std::size_t>(log2_down(bytes >> 6));
    if (size < kTreeShare[index(protocol)].size()) rate *= kTreeShare[index(protocol)][size];
  }
  return rate;
}

double ring_latency(const Question& ask, Protocol protocol, double inside, double between) {
  const bool one_node = ask.shape.nodes == 1;
  // Broadcast and reduce have the latency of one hop.
  if (!ask.all_reduce() && !ask.halves()) return one_node ? inside : between;
  double host = 0;
  if (!one_node) host = (ask.machine.amd_host ? 2.0 : 1.0) * (protocol == Protocol::simple ? 3 : 1);
  const double crossing = one_node ? 0 : (ask.all_reduce() ? 2 : 1) * (ask.nodes - 1);
  return (ask.steps() - crossing) * std::max(inside, host) + crossing * between;
}

double latency(const Question& ask, Algorithm algorithm, Protocol protocol) {
  const std::size_t a = index(algorithm), p = index(protocol);
  const double inside = (ask.machine.nvlink ? kNvlink : kPci)[a][p];
  const std::size_t path = ask.shape.per_node() == 1 ? index(Algorithm::tree) : a;
  const double between =
      kNetwork[path][p] + ask.machine.nic_us * (protocol == Protocol::simple ? 2 : 1);
  const double levels = log2_down(ask.shape.nodes);
  const double base = kBase[a][p];
  const double others = ask.per_node - 1;
  switch (algorithm) {
    case Algorithm::ring:
      return base + ring_latency(ask, protocol, inside, between);
    case Algorithm::tree:
      return base + 2 * (others * inside + levels * between);
    case Algorithm::collnet_direct:
      return base + 2 * (std::min(1.0, others) * inside + others * 0.4) + between;
    case Algorithm::collnet_chain:
      return base + 2 * others * inside + between;
    case Algorithm::nvls:
      return inside + (ask.shape.nodes > 1 ? between : 0);
    case Algorithm::nvls_tree:
      return base + inside + 2 * levels * between;
    case Algorithm::pat:
      break;
  }
  return base + levels * between / 3.5 + ask.ranks * 2.8;
}

}  // namespace

std::string_view name(Algorithm algorithm) {
  constexpr std::array<std::string_view, kAlgorithms> kNames = {
      "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
  return kNames[index(algorithm)];
}

std::string_view name(Protocol protocol) {
  constexpr std::array<std::string_view, kProtocols> kNames = {"ll", "ll128", "simple"};
  return kNames[index(protocol)];
}

std::string setting_name(Algorithm algorithm) {
  std::string bare(name(algorithm));
  std::erase(bare, '_');
  return bare;
}

std::optional<Algorithm> algorithm_named(std::string_view word) {
  for (std::size_t a = 0; a < kAlgorithms; ++a)
    if (name(static_cast<Algorithm>(a)) == word) return static_cast<Algorithm>(a);
  return std::nullopt;
}

std::optional<Protocol> protocol_named(std::string_view word) {
  for (std::size_t p = 0; p < kProtocols; ++p)
    if (name(static_cast<Protocol>(p)) == word) return static_cast<Protocol>(p);
  return std::nullopt;
}

Costs costs(CollectiveType type, std::int64_t bytes, const Shape& shape, const Machine& machine) {
  Costs all;
  for (auto& row : all) row.fill(-1);
  if (!tuned_index(type) || shape.ranks < 2 || shape.nodes < 1) return all;
  const Question ask{.type = type, .shape = shape, .machine = machine};
  for (std::size_t a = 0; a < kAlgorithms; ++a) {
    for (std::size_t p = 0; p < kProtocols; ++p) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      if (!runs(ask, algorithm, protocol)) continue;
      const double rate = bandwidth(ask, algorithm, protocol, bytes);
      if (!(rate > 0)) continue;
      double wait = latency(ask, algorithm, protocol);
      const bool ring = algorithm == Algorithm::ring;
      const double share = static_cast<double>(bytes) / (machine.ring.count * ask.ranks);
      if (ring && protocol == Protocol::simple && shape.nodes > 1 && ask.all_reduce() &&
          share >= 64)
        wait *= machine.generation == Generation::volta ? 1.9 : 1.4;  // NCCL's "plateau effect"
      all[a][p] = wait + static_cast<double>(bytes) / (1000 * rate);
    }
  }
  return all;
}

std::optional<std::size_t> tuned_index(CollectiveType type) {
  const auto* const found = std::find(kTunedCollectives.begin(), kTunedCollectives.end(), type);
  if (found == kTunedCollectives.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kTunedCollectives.begin());
}

Allowed Allowed::only(Algorithm algorithm, Protocol protocol) {
  Allowed one;
  one.algorithms.fill(static_cast<std::uint8_t>(1U << index(algorithm)));
  one.protocols.fill(static_cast<std::uint8_t>(1U << index(protocol)));
  return one;
}

bool Allowed::allows(CollectiveType type, Algorithm algorithm, Protocol protocol) const {
  const auto tuned = tuned_index(type);
  return tuned && (algorithms[*tuned] >> index(algorithm) & 1U) != 0 &&
         (protocols[*tuned] >> index(protocol) & 1U) != 0;
}

std::optional<Choice> choose(CollectiveType type, std::int64_t bytes, const Shape& shape,
                             const Machine& machine, const Allowed& allowed) {
  Machine limited = machine;
  for (Channels* found : {&limited.ring, &limited.nvls, &limited.collnet}) {
    if (found->count == 0) continue;
    if (allowed.max_channels > 0) found->count = std::min(found->count, allowed.max_channels);
    if (allowed.min_channels <= found->count) continue;
    const double share = static_cast<double>(found->count) / allowed.min_channels;
    *found = {allowed.min_channels, found->intra * share, found->inter * share};
  }
  const Costs all = costs(type, bytes, shape, limited);
  std::optional<Choice> best;
  for (std::size_t a = 0; a < kAlgorithms; ++a) {
    for (std::size_t p = 0; p < kProtocols; ++p) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      const double us = all[a][p];
      if (us < 0 || !allowed.allows(type, algorithm, protocol) || (best && best->us <= us))
        continue;
      best = Choice{algorithm, protocol, channels_of(algorithm, limited).count, us};
    }
  }
  return best;
}

}  // namespace orrery::model::nccl
