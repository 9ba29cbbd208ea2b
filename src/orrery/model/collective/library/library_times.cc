// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/library/library_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/model/collective/library/deepep.h"
#include "orrery/model/collective/library/hybridep.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {

using graph::CollectiveType;

namespace {

// Latencies of exchanges (all-to-all, sends), in us: those of the shortest messages measured within
// a node on A100, H100, B200 and RTX PRO 6000 (6.5 to 12 us), and between two nodes on A100 and
// H100 (12 to 24 us: Vidur's send_recv).
constexpr double kExchangeLatencyIntra = 8;
constexpr double kExchangeLatencyInter = 18;

/// Microseconds of an exchange in which each rank keeps 1/n of `bytes` and sends the rest. Bytes to
/// other nodes use its card, bytes within the node concurrently use its links.
double exchange(std::int64_t bytes, const nccl::Shape& shape, const nccl::Hardware& hardware) {
  const double n = static_cast<double>(shape.ranks);
  const double near = static_cast<double>(std::max<std::int64_t>(shape.per_node(), 1));
  const double size = static_cast<double>(bytes);
  const double inside = hardware.intra * nccl::usable_share(hardware) * 1e3;  // bytes per us
  const double between = hardware.inter * 1e3;
  const double links = inside > 0 ? size * (near - 1) / n / inside : 0;
  const double cards = between > 0 ? size * (n - near) / n / between : 0;
  return (shape.nodes > 1 ? kExchangeLatencyInter : kExchangeLatencyIntra) + std::max(links, cards);
}

/// The type whose curves also apply to `type`.
CollectiveType curve_type_of(CollectiveType type) {
  return type == CollectiveType::reduce_scatter_block ? CollectiveType::reduce_scatter : type;
}

std::optional<ErrorBand> band_of(const CollectiveCurve& curve) {
  if (curve.error.points == 0) return std::nullopt;
  return ErrorBand{curve.error.lower, curve.error.upper};
}

/// The smallest band that contains both.
std::optional<ErrorBand> union_of(const std::optional<ErrorBand>& a,
                                  const std::optional<ErrorBand>& b) {
  if (!a || !b) return a ? a : b;
  return ErrorBand{std::min(a->lower, b->lower), std::max(a->upper, b->upper)};
}

Time time_of(double us) {
  const double ps = us * 1e6;
  return Time(ps < 4e18 ? std::max<std::int64_t>(std::llround(ps), 0)
                        : std::numeric_limits<std::int64_t>::max() / 2);
}

// Factors by which bands are widened. Bands are errors at held-out sizes. They also hold for groups
// between two measured ones and for substitute devices. Beyond the measured numbers of GPUs or
// nodes they must be wider by these factors (benchmarks/collective_curves check,
// docs/collectives.md). For nodes with another number of GPUs or other cards the factor is unknown;
// kBeyondNodes is assumed. For another collective it is also unknown; three is assumed.
constexpr double kBeyondInSwitch = 2, kBeyondInPci = 5, kBeyondNodes = 1.5;
constexpr double kOtherKind = 3;

bool same_kind(const CollectiveCurve& a, const CollectiveCurve& b) {
  return a.type == b.type && (a.nodes > 1) == (b.nodes > 1);
}

/// Devices with curves that have the same architecture and the same link bandwidth, ordered by the
/// difference in numbers of SMs.
std::vector<std::string> substitute_devices_of(const std::string& device) {
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
    const std::int64_t sm_difference = std::int64_t{other->sms} - std::int64_t{self->sms};
    found.emplace_back(std::abs(sm_difference), name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [sm_difference, name] : found) names.push_back(std::move(name));
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
      return "measured";
    case LibrarySource::callable:
      break;
  }
  return "callable";
}

LibraryTimes::LibraryTimes(const nccl::Hardware& hardware, const std::string& device,
                           std::vector<CollectiveCurve> own, nccl::Chooser chooser)
    : hardware_(hardware), device_(device), chooser_(std::move(chooser)), curves_(std::move(own)) {
  add_curves(built_in_curves(device));
  for (std::string& name : substitute_devices_of(device)) {
    add_curves(built_in_curves(name));
    substitute_devices_.push_back(std::move(name));
  }
  sort_curves();
}

// Adds the curves whose kind (collective; one or several nodes) has no curve yet.
void LibraryTimes::add_curves(std::vector<CollectiveCurve> more) {
  const std::size_t given = curves_.size();
  for (CollectiveCurve& curve : more) {
    const auto end = curves_.begin() + static_cast<std::ptrdiff_t>(given);
    if (std::none_of(curves_.begin(), end, [&](const auto& one) { return same_kind(one, curve); }))
      curves_.push_back(std::move(curve));
  }
}

void LibraryTimes::sort_curves() {
  std::stable_sort(
      curves_.begin(), curves_.end(), [](const CollectiveCurve& a, const CollectiveCurve& b) {
        return std::tuple(a.type, a.nodes, a.ranks) < std::tuple(b.type, b.nodes, b.ranks);
      });
}

LibraryTimes::Base LibraryTimes::base(CollectiveType type, std::int64_t bytes,
                                      const nccl::Shape& shape, const nccl::Hardware& hardware,
                                      const nccl::Chooser& chooser) {
  const nccl::Machine machine = nccl::machine_of(hardware, shape);
  const auto choice = chooser(curve_type_of(type), bytes, shape, machine);
  if (choice) return {choice->us, choice};
  return {exchange(bytes, shape, hardware), std::nullopt};
}

// Uses the unrestricted choice of the library, because measurements did not restrict it.
double LibraryTimes::log_ratio(const CollectiveCurve& curve, std::int64_t bytes) const {
  nccl::Hardware measured = hardware_;
  if (curve.intra > 0) measured.intra = curve.intra;
  if (curve.inter > 0) measured.inter = curve.inter;
  measured.collnet = false;
  const double us = curve.curve(bytes);
  const double predicted = base(curve.type, bytes, {curve.ranks, curve.nodes}, measured, {}).us;
  return us > 0 && predicted > 0 ? exact_log2(us / predicted) : 0;
}

LibraryTimes::MeasuredRatio LibraryTimes::measured_ratio(CollectiveType type, std::int64_t bytes,
                                                         const nccl::Shape& shape) const {
  const bool across = shape.nodes > 1;
  const auto log_size = [&](const CollectiveCurve& curve) {
    return exact_log2(static_cast<double>(across ? curve.nodes : curve.ranks));
  };
  const double log_shape = exact_log2(static_cast<double>(across ? shape.nodes : shape.ranks));
  CollectiveType curve_type = curve_type_of(type);
  const auto fits = [&](const CollectiveCurve& curve) {
    return curve.type == curve_type && (curve.nodes > 1) == across;
  };
  double wider_by = 1;
  if (std::none_of(curves_.begin(), curves_.end(), fits)) {
    // All ring collectives use the same paths, so all-reduce can replace them; exchanges do not.
    if (curve_type == CollectiveType::all_to_all) return {};
    curve_type = CollectiveType::all_reduce;
    wider_by = kOtherKind;
  }
  const CollectiveCurve *below = nullptr, *above = nullptr;
  for (const CollectiveCurve& curve : curves_) {
    if (!fits(curve)) continue;
    const double at = log_size(curve);
    if (at <= log_shape && (below == nullptr || at > log_size(*below))) below = &curve;
    if (at >= log_shape && (above == nullptr || at < log_size(*above))) above = &curve;
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
  found.band = union_of(band_of(*below), band_of(*above));
  if (below != above) {
    const double part = (log_shape - log_size(*below)) / (log_size(*above) - log_size(*below));
    found.log += part * (log_ratio(*above, bytes) - found.log);
  }
  const bool is_substitute =
      std::count(substitute_devices_.begin(), substitute_devices_.end(), below->device) > 0;
  const bool same = below == above && below->ranks == shape.ranks && below->nodes == shape.nodes &&
                    curve_type == curve_type_of(type) && !is_substitute && !other_cards;
  found.source = same ? LibrarySource::measured : LibrarySource::scaled;
  if (found.band) found.band = found.band->widened(wider_by);
  const auto outside = [bytes](const CollectiveCurve& curve) {
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
  if (exchange.transport() == graph::ExpertTransport::deepep) return deepep::kSms;
  if (exchange.transport() == graph::ExpertTransport::hybridep) return hybridep::kSms;
  if (exchange) return 0;
  if (const auto choice = base(type, bytes, shape, hardware_, chooser_).choice)
    return choice->channels;
  return nccl::machine_of(hardware_, shape).ring.count;
}

Time LibraryTimes::slowed(CollectiveType type, std::int64_t bytes, const nccl::Shape& shape,
                          double intra_share, double inter_share,
                          const graph::ExpertExchange& exchange) const {
  LibraryTimes slow = *this;
  slow.hardware_.intra *= intra_share;
  slow.hardware_.inter *= inter_share;
  for (CollectiveCurve& curve : slow.curves_) {  // measured on links with their full rate
    if (curve.intra == 0) curve.intra = hardware_.intra;
    if (curve.inter == 0) curve.inter = hardware_.inter;
  }
  return std::max(slow(type, bytes, shape, exchange).time,
                  (*this)(type, bytes, shape, exchange).time);
}

LibraryEstimate LibraryTimes::expert_exchange_time(const graph::ExpertExchange& exchange,
                                                   std::int64_t bytes,
                                                   const nccl::Shape& shape) const {
  const bool hybrid = exchange.transport() == graph::ExpertTransport::hybridep;
  const deepep::ExchangeTime predicted =
      hybrid ? hybridep::exchange_time(exchange, bytes, shape, hardware_, device_)
             : deepep::exchange_time(exchange, bytes, shape, hardware_, device_);
  LibraryEstimate answer;
  answer.time = time_of(predicted.us);
  answer.source = predicted.measured ? LibrarySource::measured
                  : predicted.band   ? LibrarySource::scaled
                                     : LibrarySource::cost_model;
  answer.band = predicted.band;
  return with_changes(CollectiveType::all_to_all, bytes, shape, answer);
}

LibraryEstimate LibraryTimes::with_changes(CollectiveType type, std::int64_t bytes,
                                           const nccl::Shape& shape, LibraryEstimate answer) const {
  const auto us = [&] { return static_cast<double>(answer.time.count()) / 1e6; };
  if (step_factor_ != 1) answer.time = time_of(us() * step_factor_);
  if (error_factor_) answer.time = time_of(us() * error_factor_(type, shape, answer));
  if (!change_) return answer;
  const Time changed = change_(type, bytes, shape, answer.time);
  if (changed == answer.time) return answer;
  answer.time = changed;
  answer.source = LibrarySource::callable;
  answer.band.reset();
  answer.extrapolated = false;
  return answer;
}

LibraryTimes LibraryTimes::in_steps(double factor) const {
  LibraryTimes other = *this;
  other.step_factor_ = factor;
  return other;
}

LibraryEstimate LibraryTimes::operator()(CollectiveType type, std::int64_t bytes,
                                         const nccl::Shape& shape,
                                         const graph::ExpertExchange& exchange) const {
  LibraryEstimate answer;
  if (shape.ranks < 2) return answer;
  if (exchange) return expert_exchange_time(exchange, bytes, shape);
  const Base predicted = base(type, bytes, shape, hardware_, chooser_);
  const MeasuredRatio ratio = measured_ratio(type, bytes, shape);
  double us = predicted.us * exact_exp2(ratio.log);
  if (ratio.inter > 0) {
    nccl::Hardware measured = hardware_;
    measured.inter = ratio.inter;
    us = std::max(predicted.us * exact_exp2(std::min(ratio.log, 0.0)),
                  base(type, bytes, shape, measured, chooser_).us * exact_exp2(ratio.log));
  }
  answer.time = time_of(us);
  answer.source = ratio.source;
  answer.choice = predicted.choice;
  answer.band = ratio.band;
  answer.extrapolated = ratio.extrapolated;
  return with_changes(type, bytes, shape, answer);
}

LibraryTimes LibraryTimes::with_error(Factor factor) const {
  LibraryTimes other = *this;
  other.error_factor_ = std::move(factor);
  return other;
}

LibraryTimes LibraryTimes::with_changed_times(Change change) const {
  LibraryTimes other = *this;
  other.change_ = std::move(change);
  return other;
}

}  // namespace orrery::model
