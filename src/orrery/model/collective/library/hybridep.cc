// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/library/hybridep.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace orrery::model::hybridep {
namespace {

struct Constants {
  double rate;     // share of the links' data-sheet rate, in a domain
  double scan;     // us per token and rank
  double forward;  // share of the links' rate, between domains
  double card;     // share of the card's rate
};

// Dispatch and combine, copied from the output of benchmarks/fit_hybridep.py.
constexpr std::array<Constants, 2> kConstants = {
    {{0.849, 0.000714, 0.504, 0.879}, {0.831, 0.000889, 0.441, 0.875}}};

/// That of DeepEP's kernels, which signal in the same way; the published figures have one number of
/// tokens, which does not separate it.
constexpr double kLatency = 30;

// Errors of the published figures that are not fitted, measured / predicted - 1.
constexpr ErrorBand kInDomain{-0.01, 0.12}, kBetweenDomains{-0.08, 0.07};
constexpr double kOtherDevices = 1.5;  // factor of bands, as in LibraryTimes

}  // namespace

deepep::ExchangeTime exchange_time(const graph::ExpertExchange& exchange, std::int64_t bytes,
                                   const nccl::Shape& shape, const nccl::Hardware& hardware,
                                   std::string_view device) {
  const Constants& constants = kConstants[exchange.is_combine() ? 1 : 0];
  const double row = exchange.token_bytes;
  const double tokens = static_cast<double>(bytes) / (row * exchange.top_k);
  const auto ranks = static_cast<double>(shape.ranks), nodes = static_cast<double>(shape.nodes);
  const auto others = [&](double groups) {  // bytes for other groups than the own one
    const double reached = deepep::groups_reached(groups, exchange.top_k, exchange.experts);
    return tokens * reached * (1 - 1 / groups) * row;
  };
  const double links = hardware.intra * 1e3, card = hardware.inter * 1e3;  // bytes per us
  deepep::ExchangeTime made;
  made.us = kLatency;
  if (shape.nodes <= 1) {
    made.us += tokens * ranks * constants.scan;
    if (links > 0) made.us += others(ranks) / (constants.rate * links);
  } else {
    const double inside = links > 0 ? others(ranks) / (constants.forward * links) : 0;
    const double outside = card > 0 ? others(nodes) / (constants.card * card) : 0;
    made.us += std::max(inside, outside);
  }
  const bool published = shape.nodes <= 1 ? device == "gb200" || device == "b200"
                                          : device == "h100-sxm" && shape.nodes <= 8;
  const ErrorBand band = shape.nodes <= 1 ? kInDomain : kBetweenDomains;
  made.band = published ? band : band.widened(kOtherDevices);
  return made;
}

}  // namespace orrery::model::hybridep
