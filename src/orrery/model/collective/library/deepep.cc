// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/library/deepep.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "orrery/core/statistics/exact_math.h"

namespace orrery::model::deepep {
namespace {

// Microseconds; rows in 1,000 bytes.
struct Normal {
  double latency, row;        // L, l
  double token, copy, moved;  // a, b, c
  ErrorBand band;
};
struct LowLatency {
  double latency, expert, row;  // L, f, l
  double token, read, sent;     // b, w, c
  ErrorBand band;
};
struct Constants {
  std::string_view device;
  std::int64_t ranks;  // number of ranks in the measured node
  int sms;
  std::array<Normal, 2> normal;           // dispatch, combine
  std::array<LowLatency, 2> low_latency;  // dispatch, combine
};

// Copied from the output of benchmarks/fit_deepep.py.
constexpr std::array<Constants, 5> kMeasured = {
    {{"h100-sxm",
      8,
      132,
      {{{25.24, 0.2626, 0.01911, 0.002444, 0.002288, {-0.063, 0.105}},
        {24.19, 1.659, 0.0425, 0, 0.002268, {-0.135, 0.110}}}},
      {{{7.688, 0.1225, 0.1521, 0.01378, 0.00144, 0.003025, {-0.049, 0.079}},
        {9.44, 0.0481, 0.08436, 0, 0.0002283, 0.003906, {-0.064, 0.073}}}}},
     {"b200",
      8,
      148,
      {{{34.15, 0.3823, 0.02202, 0.004961, 0.001875, {-0.062, 0.076}},
        {32.22, 1.754, 0.05044, 0, 0.001881, {-0.106, 0.081}}}},
      {{{12.49, 0.2233, 0.2031, 0.0166, 0.001921, 0.001248, {-0.056, 0.078}},
        {14.23, 0.1221, 0.1209, 0, 0.0002508, 0.001404, {-0.084, 0.108}}}}},
     {"b300",
      8,
      148,
      {{{35.68, 0.3071, 0.02153, 0.005009, 0.001801, {-0.061, 0.068}},
        {33.07, 1.656, 0.05028, 0, 0.001848, {-0.096, 0.083}}}},
      {{{13.28, 0.2066, 0.192, 0.01665, 0.001835, 0.001275, {-0.062, 0.096}},
        {14.99, 0.1358, 0.0845, 8.549e-05, 0.0002385, 0.001396, {-0.083, 0.109}}}}},
     {"gb200",
      4,
      152,
      {{{31.67, 0.2744, 0.02005, 0.01191, 0.001177, {-0.037, 0.045}},
        {28.87, 1.341, 0.04008, 0.005779, 0.001902, {-0.081, 0.071}}}},
      {{{9.252, 0.1001, 0.1231, 0.01492, 0.002143, 0.001118, {-0.079, 0.111}},
        {9.473, 0.07096, 0.1221, 0, 0.0003608, 0.001245, {-0.094, 0.107}}}}},
     {"gb300",
      4,
      152,
      {{{29.88, 1.143, 0.01984, 0.01203, 0.00105, {-0.084, 0.115}},
        {28.96, 1.224, 0.03999, 0.006009, 0.00184, {-0.076, 0.068}}}},
      {{{9.035, 0.09953, 0.1295, 0.01441, 0.002159, 0.001103, {-0.081, 0.116}},
        {9.439, 0.06993, 0.1121, 0, 0.0003671, 0.001243, {-0.091, 0.122}}}}}}};

constexpr double kForward[] = {243, 208};  // GB/s over links in nodes, between nodes; H100
constexpr double kCardNormal = 0.93, kCardLowLatency = 0.94;
constexpr double kCardManyNodes = 0.44;  // normal kernels on 8 or more nodes
// Errors on 2 and 4 nodes, and on more, where DeepEP's owners reached the full rate
constexpr ErrorBand kFewNodes{-0.01, 0.23}, kManyNodes{-0.5, 0.1};
constexpr double kNodesNormal = 31, kNodesLowLatency = 8;  // us for each doubling of nodes
constexpr double kOtherRanks = 1.5;  // factor of bands for other node sizes, as in LibraryTimes

const Constants& constants_of(std::string_view device, nccl::Generation generation) {
  for (const Constants& known : kMeasured)
    if (known.device == device) return known;
  return generation == nccl::Generation::blackwell ? kMeasured[1] : kMeasured[0];
}

struct Asked {
  double tokens = 0, row = 0;   // row: bytes
  double links = 0, cards = 0;  // bytes per us: usable rate of links, full rate of a card
  double nodes = 1, ranks = 1;
  bool combine = false;
};

/// Share of the card's rate that normal kernels reach: 93 % up to 4 nodes, linear in the logarithm
/// of the number of nodes between 4 and 8.
double card_share(double nodes) {
  const double many = std::clamp(exact_log2(nodes) - 2, 0.0, 1.0);
  return kCardNormal + many * (kCardManyNodes - kCardNormal);
}

/// Time over the network card, in us, if each token has `copies` copies, spread evenly over nodes.
double over_cards(const Asked& asked, double copies, double share) {
  if (asked.nodes < 2 || !(asked.cards > 0)) return 0;
  const double outside = copies * (asked.nodes - 1) / asked.nodes;
  return asked.tokens * outside * asked.row / (share * asked.cards);
}

double normal_us(const Asked& asked, const graph::ExpertExchange& exchange,
                 const Normal& constants) {
  const double reached = groups_reached(asked.ranks, exchange.top_k, exchange.experts);
  const double kilo = asked.row / 1e3;
  const double copying =
      asked.tokens * (constants.token + reached * (constants.copy + kilo * constants.moved));
  double links = asked.links;
  if (asked.nodes > 1) links = std::min(links, kForward[asked.combine ? 1 : 0] * 1e3);
  const double wire = links > 0 ? asked.tokens * reached * asked.row / links : 0;
  const double cards =
      over_cards(asked, groups_reached(asked.nodes, exchange.top_k, exchange.experts),
                 card_share(asked.nodes));
  return constants.latency + constants.row * kilo + kNodesNormal * exact_log2(asked.nodes) +
         std::max({copying, wire, cards});
}

double low_latency_us(const Asked& asked, const graph::ExpertExchange& exchange,
                      const LowLatency& constants, int sms) {
  const double experts = exchange.experts, kilo = asked.row / 1e3, copies = exchange.top_k;
  const double used = experts / std::ceil(experts / sms);
  const double copying = asked.tokens * ((constants.token + kilo * constants.read) * 100 / used +
                                         copies * kilo * constants.sent);
  return constants.latency + constants.expert * experts / asked.ranks + constants.row * kilo +
         kNodesLowLatency * exact_log2(asked.nodes) +
         std::max(copying, over_cards(asked, copies, kCardLowLatency));
}

}  // namespace

double groups_reached(double groups, int top_k, int experts) {
  return groups * graph::probability_any_expert_reached(experts / groups, top_k, experts);
}

ExchangeTime exchange_time(const graph::ExpertExchange& exchange, std::int64_t bytes,
                           const nccl::Shape& shape, const nccl::Hardware& hardware,
                           std::string_view device) {
  const Constants& constants = constants_of(device, hardware.generation);
  Asked asked;
  asked.row = exchange.token_bytes;
  asked.tokens = static_cast<double>(bytes) / (asked.row * exchange.top_k);
  asked.links = hardware.intra * nccl::usable_share(hardware) * 1e3;
  asked.cards = hardware.inter * 1e3;
  asked.nodes = static_cast<double>(shape.nodes);
  asked.ranks = static_cast<double>(shape.ranks);
  asked.combine = exchange.is_combine();
  const std::size_t which = exchange.is_combine() ? 1 : 0;
  const bool normal = exchange.transport() == graph::ExpertTransport::deepep;
  ExchangeTime made;
  made.us = normal ? normal_us(asked, exchange, constants.normal[which])
                   : low_latency_us(asked, exchange, constants.low_latency[which], constants.sms);
  if (constants.device != device) return made;
  if (shape.nodes > 1) {  // only H100 was measured
    if (normal && device == "h100-sxm") made.band = shape.nodes <= 4 ? kFewNodes : kManyNodes;
    return made;
  }
  made.measured = shape.ranks == constants.ranks;
  const ErrorBand band = normal ? constants.normal[which].band : constants.low_latency[which].band;
  made.band = made.measured ? band : band.widened(kOtherRanks);
  return made;
}

}  // namespace orrery::model::deepep
