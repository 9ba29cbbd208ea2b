// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/library/library_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/model/collective/library/deepep.h"
#include "orrery/platform/catalogue/catalogue.h"

namespace orrery::model {

using graph::CollectiveType;

namespace {

// Exchanges (all-to-all, sends). Latencies are of the shortest messages measured within a node on
// A100, H100, B200 and RTX PRO 6000 (6.5 to 12 us) and between two nodes on A100 and H100 (12 to
// 24 us: Vidur's send_recv).
constexpr double kExchangeInside = 8;
constexpr double kExchangeBetween = 18;

/// Microseconds of an exchange in which each rank keeps 1/n of `bytes` and sends the rest: what
/// goes to other nodes over its card, the rest over its links, at the same time.
double exchange(std::int64_t bytes, const nccl::Shape& shape, const nccl::Hardware& hardware) {
  const double n = static_cast<double>(shape.ranks);
  const double near = static_cast<double>(std::max<std::int64_t>(shape.per_node(), 1));
  const double size = static_cast<double>(bytes);
  const double inside = hardware.intra * nccl::usable_share(hardware) * 1e3;  // bytes per us
  const double between = hardware.inter * 1e3;
  const double links = inside > 0 ? size * (near - 1) / n / inside : 0;
  const double cards = between > 0 ? size * (n - near) / n / between : 0;
  return (shape.nodes > 1 ? kExchangeBetween : kExchangeInside) + std::max(links, cards);
}

/// Of collectives that a curve may stand in for: its own type, then what moves bytes alike.
CollectiveType stands_for(CollectiveType type) {
  return type == CollectiveType::reduce_scatter_block ? CollectiveType::reduce_scatter : type;
}

ErrorBand wider(const ErrorBand& band, double by) {
  return {std::max(-0.95, band.lower * by), band.upper * by};
}

std::optional<ErrorBand> band_of(const MeasuredCollective& curve) {
  if (curve.error.points == 0) return std::nullopt;
  return ErrorBand{curve.error.lower, curve.error.upper};
}

/// Both, as far as either goes.
std::optional<ErrorBand> both(const std::optional<ErrorBand>& a,
                              const std::optional<ErrorBand>& b) {
  if (!a || !b) return a ? a : b;
  return ErrorBand{std::min(a->lower, b->lower), std::max(a->upper, b->upper)};
}

Time time_of(double us) {
  const double ps = us * 1e6;
  return Time(ps < 4e18 ? std::max<std::int64_t>(std::llround(ps), 0)
                        : std::numeric_limits<std::int64_t>::max() / 2);
}

// Bands are of sizes held back. They hold for groups between two that were measured and on devices
// that stand in for others, too; beyond the measured numbers of GPUs or nodes they have to be so
// many times as wide (benchmarks/collective_curves check, docs/collectives.md). Of nodes with
// another number of GPUs, or other cards, it is not known, and taken as beyond; of another
// collective likewise, for three times.
constexpr double kBeyondInSwitch = 2, kBeyondInPci = 5, kBeyondNodes = 1.5;
constexpr double kOtherKind = 3;

bool same_kind(const MeasuredCollective& a, const MeasuredCollective& b) {
  return a.type == b.type && (a.nodes > 1) == (b.nodes > 1);
}

/// Devices of the same architecture whose maker links them as fast: those with curves, the nearest
/// in SMs first.
std::vector<std::string> stand_ins(const std::string& device) {
  const platform::DeviceEntry* self = platform::find_device(device);
  const auto link = [](const platform::DeviceEntry* entry) {
    const platform::LinkEntry* found = entry == nullptr || entry->build.scale_up.empty()
                                           ? nullptr
                                           : platform::find_link(entry->build.scale_up);
    return found == nullptr ? 0.0 : found->bandwidth.count();
  };
  std::vector<std::pair<std::int64_t, std::string>> found;
  if (self == nullptr || !(link(self) > 0)) return {};
  for (const std::string& name : measured_devices()) {
    const platform::DeviceEntry* other = platform::find_device(name);
    if (other == nullptr || other == self || other->architecture != self->architecture ||
        link(other) != link(self))
      continue;
    const std::int64_t apart = std::int64_t{other->sms} - std::int64_t{self->sms};
    found.emplace_back(std::abs(apart), name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [apart, name] : found) names.push_back(std::move(name));
  return names;
}

}  // namespace

std::string_view name(LibrarySource source) {
  switch (source) {
    case LibrarySource::cost_model:
      return "cost model";
    case LibrarySource::scaled:
      return "scaled";
    case LibrarySource::measured:
      break;
  }
  return "measured";
}

LibraryTimes::LibraryTimes(const nccl::Hardware& hardware, const std::string& device,
                           std::vector<MeasuredCollective> own, nccl::Chooser chooser)
    : hardware_(hardware), device_(device), chooser_(std::move(chooser)), curves_(std::move(own)) {
  add_curves(built_in_curves(device));
  for (std::string& name : stand_ins(device)) {
    add_curves(built_in_curves(name));
    substitute_devices_.push_back(std::move(name));
  }
  sort_curves();
}

// Those of which there is no other of their kind yet.
void LibraryTimes::add_curves(std::vector<MeasuredCollective> more) {
  const std::size_t given = curves_.size();
  for (MeasuredCollective& curve : more) {
    const auto end = curves_.begin() + static_cast<std::ptrdiff_t>(given);
    if (std::none_of(curves_.begin(), end, [&](const auto& one) { return same_kind(one, curve); }))
      curves_.push_back(std::move(curve));
  }
}

void LibraryTimes::sort_curves() {
  std::stable_sort(
      curves_.begin(), curves_.end(), [](const MeasuredCollective& a, const MeasuredCollective& b) {
        return std::tuple(a.type, a.nodes, a.ranks) < std::tuple(b.type, b.nodes, b.ranks);
      });
}

LibraryTimes::Base LibraryTimes::base(CollectiveType type, std::int64_t bytes,
                                      const nccl::Shape& shape, const nccl::Hardware& hardware,
                                      const nccl::Chooser& chooser) {
  const nccl::Machine machine = nccl::machine_of(hardware, shape);
  const auto choice = chooser(stands_for(type), bytes, shape, machine);
  if (choice) return {choice->us, choice};
  return {exchange(bytes, shape, hardware), std::nullopt};
}

// Who measured let the library choose.
double LibraryTimes::log_ratio(const MeasuredCollective& curve, std::int64_t bytes) const {
  nccl::Hardware measured = hardware_;
  if (curve.intra > 0) measured.intra = curve.intra;
  if (curve.inter > 0) measured.inter = curve.inter;
  measured.collnet = false;
  const double us = curve.curve(bytes);
  const double predicted = base(curve.type, bytes, {curve.ranks, curve.nodes}, measured, {}).us;
  return us > 0 && predicted > 0 ? exact_log2(us / predicted) : 0;
}

LibraryTimes::MeasuredRatio LibraryTimes::share(CollectiveType type, std::int64_t bytes,
                                                const nccl::Shape& shape) const {
  const bool across = shape.nodes > 1;
  const auto place = [&](const MeasuredCollective& curve) {
    return exact_log2(static_cast<double>(across ? curve.nodes : curve.ranks));
  };
  const double here = exact_log2(static_cast<double>(across ? shape.nodes : shape.ranks));
  CollectiveType wanted = stands_for(type);
  const auto fits = [&](const MeasuredCollective& curve) {
    return curve.type == wanted && (curve.nodes > 1) == across;
  };
  double wider_by = 1;
  if (std::none_of(curves_.begin(), curves_.end(), fits)) {
    // Rings of all kinds go the same ways; exchanges do not.
    if (wanted == CollectiveType::all_to_all) return {};
    wanted = CollectiveType::all_reduce;
    wider_by = kOtherKind;
  }
  const MeasuredCollective *below = nullptr, *above = nullptr;
  for (const MeasuredCollective& curve : curves_) {
    if (!fits(curve)) continue;
    const double at = place(curve);
    if (at <= here && (below == nullptr || at > place(*below))) below = &curve;
    if (at >= here && (above == nullptr || at < place(*above))) above = &curve;
  }
  if (below == nullptr && above == nullptr) return {};
  if (below == nullptr || above == nullptr) {
    wider_by *= across ? kBeyondNodes : hardware_.nvlink ? kBeyondInSwitch : kBeyondInPci;
    (below == nullptr ? below : above) = below == nullptr ? above : below;
  }
  if (across && shape.ranks * below->nodes != below->ranks * shape.nodes) wider_by *= kBeyondNodes;
  MeasuredRatio found;
  const double min_inter = std::min(below->inter, above->inter);
  const bool other_cards = across && std::abs(hardware_.inter - min_inter) > 0.01 * min_inter;
  if (across && hardware_.inter < min_inter) found.inter = min_inter;
  if (other_cards) wider_by *= kBeyondNodes;
  found.log = log_ratio(*below, bytes);
  found.band = both(band_of(*below), band_of(*above));
  if (below != above) {
    const double part = (here - place(*below)) / (place(*above) - place(*below));
    found.log += part * (log_ratio(*above, bytes) - found.log);
  }
  const bool stands_in =
      std::count(substitute_devices_.begin(), substitute_devices_.end(), below->device) > 0;
  const bool same = below == above && below->ranks == shape.ranks && below->nodes == shape.nodes &&
                    wanted == stands_for(type) && !stands_in && !other_cards;
  found.source = same ? LibrarySource::measured : LibrarySource::scaled;
  if (found.band) found.band = wider(*found.band, wider_by);
  const auto outside = [bytes](const MeasuredCollective& curve) {
    return bytes < curve.curve.from() || bytes > curve.curve.to();
  };
  found.extrapolated = wider_by > 1 || outside(*below) || outside(*above);
  return found;
}

bool LibraryTimes::runs(CollectiveType type, std::int64_t bytes, const nccl::Shape& shape) const {
  const bool exchange = !base(type, bytes, shape, hardware_, {}).choice;
  return exchange || base(type, bytes, shape, hardware_, chooser_).choice;
}

std::int32_t LibraryTimes::sms(CollectiveType type, std::int64_t bytes, const nccl::Shape& shape,
                               const graph::ExpertExchange& exchange) const {
  if (exchange) return exchange.way() == graph::ExpertTransport::deepep ? deepep::kSms : 0;
  if (const auto choice = base(type, bytes, shape, hardware_, chooser_).choice)
    return choice->channels;
  return nccl::machine_of(hardware_, shape).ring.count;
}

Time LibraryTimes::slowed(CollectiveType type, std::int64_t bytes, const nccl::Shape& shape,
                          double inside, double between,
                          const graph::ExpertExchange& exchange) const {
  LibraryTimes slow = *this;
  slow.hardware_.intra *= inside;
  slow.hardware_.inter *= between;
  for (MeasuredCollective& curve : slow.curves_) {  // they were measured on links that were whole
    if (curve.intra == 0) curve.intra = hardware_.intra;
    if (curve.inter == 0) curve.inter = hardware_.inter;
  }
  return std::max(slow(type, bytes, shape, exchange).time,
                  (*this)(type, bytes, shape, exchange).time);
}

LibraryEstimate LibraryTimes::expert_exchange_time(const graph::ExpertExchange& exchange,
                                                   std::int64_t bytes,
                                                   const nccl::Shape& shape) const {
  const deepep::ExchangeTime predicted =
      deepep::exchange_time(exchange, bytes, shape, hardware_, device_);
  LibraryEstimate answer;
  answer.time = time_of(predicted.us);
  answer.source = predicted.measured ? LibrarySource::measured
                  : predicted.band   ? LibrarySource::scaled
                                     : LibrarySource::cost_model;
  answer.band = predicted.band;
  return with_step_factor_and_error(CollectiveType::all_to_all, shape, answer);
}

LibraryEstimate LibraryTimes::with_step_factor_and_error(CollectiveType type,
                                                         const nccl::Shape& shape,
                                                         LibraryEstimate answer) const {
  const auto us = [&] { return static_cast<double>(answer.time.count()) / 1e6; };
  if (in_step_ != 1) answer.time = time_of(us() * in_step_);
  if (off_by_) answer.time = time_of(us() * off_by_(type, shape, answer));
  return answer;
}

LibraryTimes LibraryTimes::in_steps(double factor) const {
  LibraryTimes other = *this;
  other.in_step_ = factor;
  return other;
}

LibraryEstimate LibraryTimes::operator()(CollectiveType type, std::int64_t bytes,
                                         const nccl::Shape& shape,
                                         const graph::ExpertExchange& exchange) const {
  LibraryEstimate answer;
  if (shape.ranks < 2) return answer;
  if (exchange) return expert_exchange_time(exchange, bytes, shape);
  const Base predicted = base(type, bytes, shape, hardware_, chooser_);
  const MeasuredRatio put_right = share(type, bytes, shape);
  double us = predicted.us * exact_exp2(put_right.log);
  if (put_right.inter > 0) {
    nccl::Hardware measured = hardware_;
    measured.inter = put_right.inter;
    us = std::max(predicted.us * exact_exp2(std::min(put_right.log, 0.0)),
                  base(type, bytes, shape, measured, chooser_).us * exact_exp2(put_right.log));
  }
  answer.time = time_of(us);
  answer.source = put_right.source;
  answer.choice = predicted.choice;
  answer.band = put_right.band;
  answer.extrapolated = put_right.extrapolated;
  return with_step_factor_and_error(type, shape, answer);
}

LibraryTimes LibraryTimes::with_error(Factor factor) const {
  LibraryTimes other = *this;
  other.off_by_ = std::move(factor);
  return other;
}

}  // namespace orrery::model
