// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/program/mesh.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>

namespace orrery::workload {
namespace {

using Digit = graph::GroupAxis::Digit;
using Digits = std::vector<Digit>;

constexpr std::array<std::string_view, kDims> kDimNames = {"tp", "cp", "ep", "dp", "pp"};
constexpr std::array<std::string_view, kAxes> kAxisNames = {
    "tp",  "cp",  "dp", "dp_shard",  "dp_replicate", "ep",
    "etp", "edp", "pp", "embedding", "model",        "world"};

/// The dimensions in `order`, innermost first; missing ones follow.
std::vector<Dim> parse(std::string_view order) {
  std::vector<Dim> dims;
  const auto add = [&dims](std::size_t i) {
    const auto dim = static_cast<Dim>(i);
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
  };
  for (std::size_t at = 0; at <= order.size();) {
    const std::size_t end = std::min(order.find('-', at), order.size());
    const auto* const found =
        std::find(kDimNames.begin(), kDimNames.end(), order.substr(at, end - at));
    if (found != kDimNames.end()) add(static_cast<std::size_t>(found - kDimNames.begin()));
    at = end + 1;
  }
  for (std::size_t i = 0; i < kDims; ++i) add(i);
  return dims;
}

/// Removes the innermost `count` ranks from `from` and returns their digits; `from` keeps the rest.
/// Always possible if the product of all digits is a multiple of `count`: each digit gives the
/// largest common factor.
Digits take(Digits& from, std::uint64_t count) {
  Digits taken, left;
  for (const Digit& digit : from) {
    const auto part = static_cast<std::uint32_t>(std::gcd<std::uint64_t>(count, digit.count));
    count /= part;
    if (part > 1) taken.push_back({.stride = digit.stride, .count = part});
    if (part < digit.count)
      left.push_back({.stride = digit.stride * part, .count = digit.count / part});
  }
  from = std::move(left);
  return taken;
}

}  // namespace

std::string_view name(Axis axis) { return kAxisNames[static_cast<std::size_t>(axis)]; }

Mesh::Mesh(const Spec& spec) {
  const Parallel& p = spec.parallel;
  const auto set = [this](Dim dim, std::int64_t size) {
    size_[static_cast<std::size_t>(dim)] = static_cast<std::uint32_t>(size);
  };
  set(Dim::tp, p.tp);
  set(Dim::cp, p.cp);
  set(Dim::ep, p.ep_own_axis ? p.ep : 1);
  set(Dim::dp, p.dp);
  set(Dim::pp, p.pp);
  const std::vector<Dim> order = parse(p.order);
  for (const Dim dim : order) {
    stride_[static_cast<std::size_t>(dim)] = static_cast<std::uint32_t>(world_);
    world_ *= size(dim);
  }

  // Digits of the given dimensions, innermost first.
  const auto digits = [&](std::initializer_list<Dim> dims) {
    Digits out;
    for (const Dim dim : order) {
      if (size(dim) > 1 && std::find(dims.begin(), dims.end(), dim) != dims.end())
        out.push_back({.stride = stride(dim), .count = size(dim)});
    }
    return out;
  };
  const auto name_axis = [this](Axis axis, Digits members) {
    axes_[static_cast<std::size_t>(axis)] = {std::string(name(axis)), std::move(members)};
  };

  name_axis(Axis::tp, digits({Dim::tp}));
  name_axis(Axis::cp, digits({Dim::cp}));
  name_axis(Axis::pp, digits({Dim::pp}));
  name_axis(Axis::dp, digits({Dim::cp, Dim::dp}));
  name_axis(Axis::model, digits({Dim::tp, Dim::ep, Dim::pp}));
  name_axis(Axis::world, digits({Dim::tp, Dim::cp, Dim::ep, Dim::dp, Dim::pp}));

  Digits copies = digits({Dim::cp, Dim::dp});
  const std::int64_t shard = p.shard_size != 0 ? p.shard_size : p.cp * p.dp;
  name_axis(Axis::dp_shard, take(copies, static_cast<std::uint64_t>(shard)));
  name_axis(Axis::dp_replicate, std::move(copies));

  // Experts: first tensor parallelism (all of tp, or none), then ep, innermost ranks first, as in
  // Megatron-Core's rank generator. The remaining ranks hold the same experts.
  const bool cut = p.expert_tp() == p.tp;
  Digits rest = cut ? digits({Dim::cp, Dim::dp}) : digits({Dim::tp, Dim::cp, Dim::dp});
  name_axis(Axis::etp, cut ? digits({Dim::tp}) : Digits{});
  name_axis(Axis::ep,
            p.ep_own_axis ? digits({Dim::ep}) : take(rest, static_cast<std::uint64_t>(p.ep)));
  name_axis(Axis::edp, std::move(rest));

  Digits ends;
  if (p.pp > 1) ends.push_back({.stride = stride(Dim::pp), .count = 2, .step = size(Dim::pp) - 1});
  name_axis(Axis::embedding, std::move(ends));
}

std::uint32_t Mesh::expert_coordinate(std::uint64_t rank) const {
  return axis(Axis::ep).position(static_cast<std::uint32_t>(rank));
}

}  // namespace orrery::workload
