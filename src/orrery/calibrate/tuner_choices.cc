// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/tuner_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "orrery/calibrate/maker_hardware.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/text.h"
#include "orrery/model/collective/curves/size_curve.h"

namespace orrery::calibrate {
namespace {

using model::nccl::Algorithm;
using model::nccl::Choice;
using model::nccl::Protocol;
using model::nccl::TunerLine;

/// The algorithm and the protocol, if both settings name exactly one.
std::optional<std::pair<Algorithm, Protocol>> named_choice(const CalibratedCurve& curve) {
  const auto protocol = model::nccl::protocol_named(curve.protocol);
  for (std::size_t a = 0; protocol && a < model::nccl::kAlgorithms; ++a) {
    const auto algorithm = static_cast<Algorithm>(a);
    if (model::nccl::setting_name(algorithm) == curve.algorithm)
      return std::pair(algorithm, *protocol);
  }
  return std::nullopt;
}

struct SizeChoice {
  Choice choice;
  double us = std::numeric_limits<double>::infinity();
};

class TunerChooser {
 public:
  TunerChooser(const CalibratedCurve& curve, const model::nccl::Hardware& hardware)
      : curve_(curve.curve),
        shape_{curve.curve.ranks, curve.curve.nodes},
        machine_(model::nccl::machine_of(hardware, shape_)) {
    made_.name = curve_.name;
  }

  TunerChoices by_cost_model(const CalibratedCurve& curve) {
    made_.basis = "cost model";
    for (const model::SizedTime& point : curve.points)
      if (const auto choice = model::nccl::choose(curve_.type, point.bytes, shape_, machine_))
        choices_[point.bytes] = {*choice, choice->us};
    return lines();
  }

  TunerChoices by_measurement(const std::vector<const CalibratedCurve*>& forced) {
    made_.basis = "measured";
    std::map<std::int64_t, double> cost_model_times;  // measured times of the cost model's choices
    for (const CalibratedCurve* one : forced) {
      const auto [algorithm, protocol] = *named_choice(*one);
      for (const model::SizedTime& point : one->points) {
        SizeChoice& best = choices_[point.bytes];
        if (point.us < best.us) best = {choice_of(algorithm, protocol, point.bytes), point.us};
        const auto own = model::nccl::choose(curve_.type, point.bytes, shape_, machine_);
        if (own && own->algorithm == algorithm && own->protocol == protocol)
          cost_model_times[point.bytes] = point.us;
      }
    }
    std::vector<double> gains;
    for (const auto& [bytes, us] : cost_model_times)
      if (us > choices_[bytes].us) gains.push_back(us / choices_[bytes].us - 1);
    made_.median_speedup = median(std::move(gains));
    return lines();
  }

 private:
  [[nodiscard]] Choice choice_of(Algorithm algorithm, Protocol protocol, std::int64_t bytes) const {
    const auto only = model::nccl::Allowed::only(algorithm, protocol);
    const auto found = model::nccl::choose(curve_.type, bytes, shape_, machine_, only);
    return found.value_or(Choice{algorithm, protocol, std::max(machine_.ring.count, 1), 0});
  }

  TunerChoices lines() {
    for (auto at = choices_.begin(); at != choices_.end(); ++at) {
      const auto& [bytes, best] = *at;
      ++made_.sizes;
      const auto own = model::nccl::choose(curve_.type, bytes, shape_, machine_);
      if (own && own->algorithm == best.choice.algorithm && own->protocol == best.choice.protocol)
        ++made_.agree;
      const auto next = std::next(at);
      const std::int64_t upper = next == choices_.end() ? std::numeric_limits<std::int64_t>::max()
                                                        : geometric_mean(bytes, next->first);
      TunerLine line{curve_.type, made_.lines.empty() ? 0 : made_.lines.back().upper + 1, upper};
      line.algorithm = best.choice.algorithm;
      line.protocol = best.choice.protocol;
      line.channels = best.choice.channels;
      line.nodes = shape_.nodes;
      line.ranks = shape_.ranks;
      TunerLine* const last = made_.lines.empty() ? nullptr : &made_.lines.back();
      if (last != nullptr && last->algorithm == line.algorithm && last->protocol == line.protocol &&
          last->channels == line.channels) {
        last->upper = upper;
      } else {
        made_.lines.push_back(line);
      }
    }
    return std::move(made_);
  }

  const model::CollectiveCurve& curve_;
  model::nccl::Shape shape_;
  model::nccl::Machine machine_;
  std::map<std::int64_t, SizeChoice> choices_;
  TunerChoices made_;
};

bool same_group(const model::CollectiveCurve& a, const model::CollectiveCurve& b) {
  return a.device == b.device && a.type == b.type && a.nodes == b.nodes && a.ranks == b.ranks;
}

}  // namespace

std::string TunerExport::text() const {
  std::string text = "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n";
  for (const TunerChoices& one : choices) {
    text += fmt::format("# {}: {}\n", printable(one.name),
                        one.basis == "measured" ? "the fastest measured choice"
                                                : "choice of NCCL's cost model, not measured");
    text += model::nccl::write_tuner(one.lines);
  }
  return text;
}

Result<TunerExport> tuner_choices(const NetworkCalibration& calibration) {
  TunerExport made;
  for (const CalibratedCurve& curve : calibration.curves) {
    const auto hardware = maker_hardware(curve.curve.device);
    if (!hardware)
      return fail(
          Errc::usage, "--write-tuner", in_quotes(curve.curve.device) + " is not in the catalog",
          "give a device of the catalog with --device: NCCL's number of channels depends on it");
    std::vector<const CalibratedCurve*> forced;
    for (const CalibratedCurve& one : calibration.forced)
      if (same_group(one.curve, curve.curve) && named_choice(one)) forced.push_back(&one);
    TunerChooser choosing(curve, *hardware);
    TunerChoices choices =
        forced.size() > 1 ? choosing.by_measurement(forced) : choosing.by_cost_model(curve);
    if (choices.lines.empty()) {
      made.skipped_groups.push_back(curve.curve.name);
    } else {
      made.choices.push_back(std::move(choices));
    }
  }
  if (made.choices.empty())
    return fail(Errc::input_empty, "--write-tuner", "no measured collective can be tuned",
                "a tuner chooses for all-reduce, all-gather, reduce-scatter, broadcast and reduce");
  return made;
}

}  // namespace orrery::calibrate
