// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_space_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "orrery/config/yaml_writer.h"
#include "orrery/core/text/text.h"
#include "orrery/explore/evaluation/configuration.h"
#include "orrery/present/number_text.h"
#include "orrery/present/search/search_competitors_answer.h"
#include "orrery/present/search/search_space_labels.h"

namespace orrery::present {

using explore::ExplorationResult;
using explore::Figure;
using explore::Point;
using explore::PointPrediction;
using explore::SearchSpace;
using report::PageSpace;

namespace {

std::string yaml_of(const explore::Json& document) {
  const auto tree = config::OrderedJson::parse(document.dump());
  return tree.is_object() ? config::to_yaml(tree) : tree.dump() + "\n";
}

/// "too_large"; "may_not_fit" of what may fit although its estimate is too large.
std::string state_name(const explore::Alternative& other) {
  const bool uncertain =
      other.state == explore::State::too_large && other.fit == MemoryFit::uncertain;
  return std::string(uncertain ? name(MemoryFit::uncertain) : config::enum_name(other.state));
}

class SpacePageBuilder {
 public:
  SpacePageBuilder(const SearchSpace& space, const ExplorationResult& explored)
      : space_(space), explored_(explored) {
    for (const Point& point : explored.points)
      if (point.allowed) points_.push_back(&point);
  }

  Result<PageSpace> make(std::uint32_t threads) {
    add_summary();
    add_axes();
    add_metrics();
    add_points();
    add_effects();
    add_competitors();
    std::vector<std::uint64_t> numbers;
    for (const Point* point : points_) numbers.push_back(point->number);
    const auto done = explore::each_configuration(
        space_, numbers, threads,
        [&](const explore::Configuration& how) { add_configuration(how); });
    if (!done) return tl::unexpected(done.error());
    return std::move(page_);
  }

 private:
  void add_summary() {
    const std::string& title = space_.file.title;
    page_.title = title.empty() ? "Space " + printable(space_.where) : printable(title);
    page_.about = printable(space_.file.about);
    page_.facts = {{"space", space_text(space_)},
                   {"evaluated", evaluated_points_text(explored_)},
                   {"objectives", objectives_text(space_)}};
    if (!space_.file.constraints.empty())
      page_.facts.emplace_back("constraints",
                               fmt::format("{}", fmt::join(space_.file.constraints, "; ")));
    const bool both = std::any_of(points_.begin(), points_.end(), [](const Point* one) {
      return one->estimate_error().has_value();
    });
    if (explored_.simulations > 0)
      page_.facts.emplace_back("simulated",
                               plural(explored_.simulations, "point") +
                                   (both ? fmt::format("; estimates differ by at most {:.2f} %",
                                                       std::abs(explored_.max_estimate_error) * 100)
                                         : ""));
    if (const auto smallest = explored_.smallest; smallest && points_.empty()) {
      const Point& least = explored_.points[*smallest];
      page_.facts.emplace_back(
          "least memory",
          fmt::format("{} per device ({})",
                      explore::format(Figure::memory,
                                      static_cast<double>(least.predicted().memory.total.count())),
                      printable(space_.words(space_.at(least.number)))));
    }
    page_.rejected = rejected_points(explored_);
  }

  /// Of continuous axes only the values that points have.
  void add_axes() {
    page_.at.resize(space_.axes.size());
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      const explore::Axis& axis = space_.axes[a];
      std::vector<bool> shown(axis.values.size(), axis.coarse == 1);
      for (const Point* point : points_) shown[space_.at(point->number)[a]] = true;
      PageSpace::Axis& made = page_.axes.emplace_back();
      made.name = printable(axis.name);
      made.ordered = axis.ordered;
      std::vector<std::uint32_t> places(axis.values.size());
      for (std::size_t v = 0; v < axis.values.size(); ++v) {
        places[v] = static_cast<std::uint32_t>(made.labels.size());
        if (shown[v]) made.labels.push_back(printable(axis.labels[v]));
      }
      for (const Point* point : points_) page_.at[a].push_back(places[space_.at(point->number)[a]]);
    }
  }

  /// Figures that at least one point has.
  void add_metrics() {
    page_.tokens = points_.empty() || points_.front()->predicted().tokens > 0;
    page_.currency = currency();
    std::map<Figure, std::uint32_t> places;
    for (const explore::FigureDescription& one : explore::figures()) {
      const auto known = [&](const Point* point) {
        return std::isfinite(point->figures[one.figure]);
      };
      const auto& wanted = space_.objectives;
      if (std::none_of(points_.begin(), points_.end(), known) &&
          std::find(wanted.begin(), wanted.end(), one.figure) == wanted.end())
        continue;
      places[one.figure] = static_cast<std::uint32_t>(page_.metrics.size());
      const analysis::MetricInfo& metric = one.figure == Figure::rate && !page_.tokens
                                               ? *analysis::find_metric("samples_rate")
                                               : explore::metric_of(one.figure);
      page_.metrics.push_back({std::string(one.name), figure_title(one.figure, page_.tokens),
                               std::string(metric.meaning), metric.more_is_better,
                               std::string(metric.title)});
      std::vector<double>& values = page_.values.emplace_back();
      for (const Point* point : points_) values.push_back(point->figures[one.figure]);
    }
    for (const Figure one : space_.objectives) page_.objectives.push_back(places.at(one));
  }

  /// The unit of costs: without prices, a device hour costs 1.
  std::string currency() const {
    const explore::Prices& prices = space_.file.prices;
    if (!prices.currency.empty()) return printable(prices.currency);
    return prices.device.value.is_null() && prices.energy.value.is_null() ? "device hours" : "";
  }

  void add_points() {
    for (const explore::StepPart& part : explore::kStepParts)
      page_.parts.list.push_back({std::string(part.name), std::string(part.title),
                                  std::string(part.about), part.more_is_better,
                                  std::string(part.color)});
    page_.parts.shares.resize(page_.parts.list.size());
    std::map<std::string, std::uint32_t> plans;
    double least = 0;
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      const Point& point = *points_[i];
      page_.estimated.push_back(Time(point.estimate ? point.estimate->step : 0));
      page_.simulated.push_back(Time(point.simulation ? point.simulation->step : 0));
      if (const PointPrediction* predicted = point.simulation ? &*point.simulation : nullptr;
          predicted != nullptr && predicted->shares) {
        page_.parts.points.push_back(i);
        for (std::size_t part = 0; part < predicted->shares->size(); ++part)
          page_.parts.shares[part].push_back((*predicted->shares)[part]);
      }
      const auto [plan, is_new] = plans.try_emplace(point.predicted().plan, page_.plans.size());
      if (is_new) page_.plans.push_back(printable(plan->first));
      page_.plan.push_back(plan->second);
      if (point.front) page_.front.push_back(i);
      if (point.predicted().fit() == MemoryFit::uncertain) page_.may_not_fit.push_back(i);
      const double score = explore::scores_of(space_, point.figures)[0];
      if (i > 0 && score >= least) continue;
      least = score;
      page_.best = i;
    }
  }

  void add_effects() {
    for (const explore::AxisEffect& effect : explored_.effects) {
      PageSpace::Effect& made = page_.effects.emplace_back();
      for (std::uint32_t a = 0; a < space_.axes.size(); ++a)
        if (space_.axes[a].name == effect.name) made.axis = a;
      made.explains = effect.explains;
      for (const explore::Alternative& other : effect.values)
        made.values.push_back({printable(other.label), state_name(other), other.is_best,
                               other.allowed, other.change});
    }
  }

  void add_competitors() {
    for (const explore::Competitor& competitor : explored_.competitors) {
      const auto place = std::find_if(points_.begin(), points_.end(), [&](const Point* point) {
        return point->number == competitor.number;
      });
      if (place == points_.end()) continue;
      PageSpace::Competitor& made = page_.competitors.emplace_back();
      made.point = static_cast<std::uint32_t>(place - points_.begin());
      made.with = printable(competitor.axis) + " " + printable(competitor.value);
      made.behind = competitor.relative_gap;
      for (const explore::BreakEven& one : competitor.break_even)
        made.needs.push_back(need_text(one));
    }
  }

  void add_configuration(const explore::Configuration& how) {
    page_.command.add("orrery run --spec job.yaml --cluster " +
                      (how.named.empty() ? "cluster.yaml" : shell_word(how.named)));
    page_.cluster.add(how.named.empty() ? yaml_of(how.cluster) : "");
    page_.job.add(yaml_of(how.job));
    page_.megatron.add(how.megatron.text());
    page_.without.add(fmt::format("{}", fmt::join(how.megatron.unsupported, "\n")));
  }

  const SearchSpace& space_;
  const ExplorationResult& explored_;
  std::vector<const Point*> points_;
  PageSpace page_;
};

}  // namespace

Result<PageSpace> search_space_page(const SearchSpace& space, const ExplorationResult& explored,
                                    std::uint32_t threads) {
  return SpacePageBuilder(space, explored).make(threads);
}

}  // namespace orrery::present
