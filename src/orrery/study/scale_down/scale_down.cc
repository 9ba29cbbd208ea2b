// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/scale_down/scale_down.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/graph/reshape/node_scaling.h"
#include "orrery/graph/reshape/reshape.h"
#include "orrery/graph/transform/durations.h"
#include "orrery/platform/placement/device_subset.h"
#include "orrery/study/recordings/replay_platform.h"
#include "orrery/study/scale_down/scale_down_internal.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::study {

namespace {

using graph::Shape;
using graph::Workload;

/// Replaces the graphs of a workload. `make` receives the index of a graph.
template <class Make>
Result<Workload> with_each_graph(const Workload& workload, Make make) {
  Workload made = workload;
  for (std::size_t i = 0; i < made.graphs.size(); ++i) {
    Result<graph::Graph> graph = make(i);
    if (!graph) return tl::unexpected(graph.error());
    made.graphs[i] = std::make_shared<const graph::Graph>(*std::move(graph));
  }
  return made;
}

/// Whether the last stage sends to the first: an interleaved pipeline.
bool is_interleaved(const Workload& workload, const analysis::RankAxis& pipelines) {
  for (const auto& line : pipelines.lines) {
    const graph::Graph& graph = workload.graph(line.back());
    for (graph::NodeId n = 0; n < graph.size() && line.size() > 2; ++n)
      if (graph.kind(n) == graph::NodeKind::send &&
          graph.message(n, line.back()).dst == static_cast<std::int32_t>(line.front()))
        return true;
  }
  return false;
}

class Downscaler {
 public:
  Downscaler(const ScaleDownQuestion& question, const WhatIfCase& read, Watch& watch,
             ScaleDown& made)
      : question_(question), case_(read), watch_(watch), made_(made) {}

  Result<void> run() {
    if (auto done = choose(); !done) return done;
    if (auto done = reduce_ranks(); !done) return done;
    if (auto done = make_cluster(); !done) return done;
    found_ = graph::detect_shape(small_);
    const auto before = case_.simulate({}, false, watch_, made_.findings);
    if (!before) return tl::unexpected(before.error());
    made_.original = summarize_side(*before, made_.choice.ranks);
    made_.original.shape = shape_of(found_, scaled_stages_, original_stages_);
    auto workload = sized({question_.layers, question_.microbatches}, made_.batch_scaling);
    if (!workload) return tl::unexpected(workload.error());
    made_.scaled_workload = std::make_shared<const Workload>(*std::move(workload));
    auto after = simulate(made_.scaled_workload, made_.findings);
    if (!after) return tl::unexpected(after.error());
    std::vector<std::uint32_t> all(made_.scaled_workload->rank_count());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    made_.scaled = summarize_side(*after, all);
    made_.scaled.shape = {question_.layers ? question_.layers : found_.layers,
                          question_.microbatches ? question_.microbatches : found_.microbatches};
    made_.traffic = axis_traffic(case_.workload(), *made_.scaled_workload, axes_, made_.choice);
    predict_original();
    return {};
  }

 private:
  Result<void> choose() {
    axes_ = analysis::rank_axes(case_.workload());
    auto choice = choose_ranks(axes_, case_.workload().rank_count(), question_.ranks);
    if (!choice) return tl::unexpected(choice.error());
    made_.choice = *std::move(choice);
    for (const SelectedAxis& axis : made_.choice.axes) {
      if (axis.kind != analysis::RankAxisKind::pipeline) continue;
      original_stages_ = axis.original;
      scaled_stages_ = axis.scaled();
    }
    return {};
  }

  Result<void> reduce_ranks() {
    if (made_.choice.ranks.size() == case_.workload().rank_count()) {
      small_ = case_.workload();
      return {};
    }
    graph::RankSubset fewer;
    fewer.ranks = made_.choice.ranks;
    if (question_.keep == ScaleInvariant::volume) fewer.scaling = graph::CollectiveScaling::volume;
    if (question_.keep == ScaleInvariant::stated) fewer.scaling = graph::CollectiveScaling::stated;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const bool messages = axes_[i].kind == analysis::RankAxisKind::pipeline ||
                            axes_[i].kind == analysis::RankAxisKind::context;
      if (!messages || made_.choice.axes[i].scaled() == made_.choice.axes[i].original) continue;
      if (axes_[i].kind == analysis::RankAxisKind::pipeline &&
          is_interleaved(case_.workload(), axes_[i]))
        return fail(Errc::input_unsupported, "--keep-ranks " + question_.ranks,
                    "the pipeline is interleaved, and its order depends on the number of stages",
                    fmt::format("retain all stages: pp={}", axes_[i].size()));
      fewer.rings.insert(fewer.rings.end(), axes_[i].lines.begin(), axes_[i].lines.end());
    }
    auto small = graph::select_ranks(case_.workload(), fewer, made_.findings);
    if (!small) return tl::unexpected(small.error());
    small_ = std::move(small->workload);
    made_.left_out = small->dropped;
    if (question_.keep == ScaleInvariant::job) return grow_shards();
    return {};
  }

  Result<void> grow_shards() {
    made_.optimizer_growth = shard_growth(case_.workload(), made_.choice, axes_);
    if (made_.optimizer_growth == 1) return {};
    const graph::DraftTables tables;
    auto grown = with_each_graph(small_, [&](std::size_t i) {
      const graph::Graph& graph = *small_.graphs[i];
      const auto grows = graph::optimizer_nodes(graph);
      graph::GraphDraft draft(graph, made_.workload, tables);
      for (graph::NodeId n = 0; n < graph.size(); ++n)
        if (grows[n]) graph::scale_node(draft.nodes()[n], made_.optimizer_growth, *tables.kernels);
      return std::move(draft).finish(made_.findings);
    });
    if (!grown) return tl::unexpected(grown.error());
    small_ = *std::move(grown);
    return {};
  }

  Result<void> make_cluster() {
    if (case_.replayed()) {
      made_.scaled_cluster = std::make_shared<const Cluster>(replay_cluster(small_.rank_count()));
      return {};
    }
    Cluster cluster = case_.cluster();
    if (small_.rank_count() < case_.workload().rank_count()) {
      auto platform = platform::restrict_to_devices(cluster.platform, made_.choice.devices);
      if (!platform) return tl::unexpected(platform.error());
      cluster.platform = *std::move(platform);
      cluster.ranks = small_.rank_count();
    }
    made_.scaled_cluster = std::make_shared<const Cluster>(std::move(cluster));
    return {};
  }

  /// Scales the number of layers, which counts all stages.
  [[nodiscard]] static Shape shape_of(Shape shape, std::uint32_t from, std::uint32_t to) {
    if (shape.layers) shape.layers = *shape.layers / from * to;
    return shape;
  }

  Result<Workload> sized(const Shape& shape, graph::BatchReport& predicted) {
    const Shape known =
        shape_of(given_structure(case_.question()), original_stages_, scaled_stages_);
    Workload workload = small_;
    if (shape.layers || shape.microbatches) {
      auto other = graph::reshape(workload, shape, known, made_.findings);
      if (!other) return other;
      workload = *std::move(other);
    }
    if (question_.batch.value == 1) return workload;
    const auto activations = activation_collectives(workload);
    const graph::DraftTables tables;
    return with_each_graph(workload, [&](std::size_t i) {
      return graph::with_batch(*workload.graphs[i], {question_.batch.value, activations[i]},
                               made_.workload, tables, predicted, made_.findings);
    });
  }

  Result<Outcome> simulate(std::shared_ptr<const Workload> workload, Findings& findings) {
    Question question = case_.question();
    question.job = {};
    question.workload = made_.workload;
    Load load;
    load.workload = *workload;
    auto outcome = study::simulate(
        question, {made_.scaled_cluster, std::make_shared<const Load>(std::move(load))}, watch_,
        findings);
    if (outcome) findings = outcome->findings;
    if (outcome && outcome->result.stall)
      return fail(Errc::input_mismatch, made_.workload, "the scaled-down ranks deadlock",
                  "retain all ranks along an axis with messages");
    return outcome;
  }

  void predict_original() {
    const auto passes = [](const ScaledSide& side, std::uint32_t stages) {
      const double layers = std::max(1u, side.shape.layers.value_or(1)) / double(stages);
      return layers * (std::max(1u, side.shape.microbatches.value_or(1)) + stages - 1.0);
    };
    made_.proportional = extrapolate(static_cast<double>(made_.scaled.step.count()) *
                                     passes(made_.original, original_stages_) /
                                     passes(made_.scaled, scaled_stages_) / question_.batch.value);
    made_.by_sizes = by_second_size();
  }

  [[nodiscard]] Extrapolation extrapolate(double picoseconds) const {
    const auto original = static_cast<double>(made_.original.step.count());
    return {Time(std::llround(picoseconds)), original > 0 ? picoseconds / original - 1 : 0};
  }

  std::optional<Extrapolation> by_second_size() {
    const auto whole = extrapolate_by_sizes(
        {question_.layers, question_.microbatches}, found_, scaled_stages_,
        static_cast<double>(made_.scaled.step.count()),
        [&](const Shape& shape) -> std::optional<double> {
          graph::BatchReport ignored_report;
          auto workload = sized(shape, ignored_report);
          if (!workload) return std::nullopt;
          Findings ignored;
          auto outcome = simulate(std::make_shared<const Workload>(*std::move(workload)), ignored);
          if (!outcome) return std::nullopt;
          return static_cast<double>(outcome->result.end.count());
        });
    if (!whole) return std::nullopt;
    const double all = found_.microbatches.value_or(1);
    return extrapolate(*whole * (all + original_stages_ - 1.0) / (all + scaled_stages_ - 1.0) /
                       question_.batch.value);
  }

  const ScaleDownQuestion& question_;
  const WhatIfCase& case_;
  Watch& watch_;
  ScaleDown& made_;
  std::vector<analysis::RankAxis> axes_;
  std::uint32_t original_stages_ = 1, scaled_stages_ = 1;
  Workload small_;  // with the remaining ranks only
  Shape found_;     // structure of `small_`
};

}  // namespace

std::string field_text(const Ratio& ratio) { return config::field_text(ratio.value); }

Result<void> set_field(const std::string& text, std::string_view where, Ratio& out) {
  const std::size_t slash = text.find('/');
  const auto over = parse_number(text.substr(0, slash), std::string(where));
  if (!over) return tl::unexpected(over.error());
  out.value = *over;
  if (slash == std::string::npos) return {};
  const auto under = parse_number(text.substr(slash + 1), std::string(where));
  if (!under) return tl::unexpected(under.error());
  if (!(*under > 0))
    return fail(Errc::usage, std::string(where), "divides by zero", std::string(where) + " 1/4");
  out.value /= *under;
  return {};
}

Result<ScaleDown> scale_down(const ScaleDownQuestion& question, Watch& watch) {
  if (!(question.batch.value > 0) || !std::isfinite(question.batch.value))
    return fail(Errc::usage, "--keep-batch", "must be more than 0", "--keep-batch 1/4");
  ScaleDown made;
  made.keep = question.keep;
  made.batch = question.batch.value;
  made.workload = question.base.workload_name();
  const auto read = WhatIfCase::read(question.base, "", watch, made.findings);
  if (!read) return tl::unexpected(read.error());
  made.replayed = read->replayed();
  if (auto done = Downscaler(question, *read, watch, made).run(); !done)
    return tl::unexpected(done.error());
  return made;
}

// Extrapolates the step time of a larger job from smaller ones.

namespace {

/// A reduced number of layers or microbatches: a second size between the reduced and the original
/// one.
struct SecondSize {
  std::uint32_t number = 0;
  double distance = 0;  ///< distance to the original, relative to the distance to `number`
};

/// Whether the number is reduced; `size`: empty if no number lies between.
struct Reduction {
  bool reduced = false;
  std::optional<SecondSize> size;
};

Reduction reduction_of(const std::optional<std::uint32_t>& asked,
                       const std::optional<std::uint32_t>& found, std::uint32_t unit) {
  if (!asked || !found || *asked >= *found) return {};
  if (*asked + unit >= *found) return {true, std::nullopt};
  const std::uint32_t number = 2 * *asked < *found ? 2 * *asked : *asked + unit;
  const double distance = *found - *asked;
  return {true, SecondSize{number, distance / (number - *asked)}};
}

}  // namespace

std::optional<double> extrapolate_by_sizes(const graph::Shape& asked, const graph::Shape& found,
                                           std::uint32_t stages, double step,
                                           const StepOf& step_of) {
  const Reduction layers = reduction_of(asked.layers, found.layers, stages);
  const Reduction microbatches = reduction_of(asked.microbatches, found.microbatches, 1);
  if (!layers.reduced && !microbatches.reduced) return std::nullopt;
  if (layers.reduced != layers.size.has_value() ||
      microbatches.reduced != microbatches.size.has_value())
    return std::nullopt;
  graph::Shape with_layers = asked, with_microbatches = asked;
  std::optional<double> more_layers = step, more_microbatches = step;
  if (layers.size) {
    with_layers.layers = layers.size->number;
    more_layers = step_of(with_layers);
  }
  if (microbatches.size) {
    with_microbatches.microbatches = microbatches.size->number;
    more_microbatches = step_of(with_microbatches);
  }
  if (!more_layers || !more_microbatches) return std::nullopt;
  const double x = layers.size ? layers.size->distance : 0;
  const double y = microbatches.size ? microbatches.size->distance : 0;
  const double whole = step + x * (*more_layers - step) + y * (*more_microbatches - step);
  if (!layers.size || !microbatches.size) return whole;
  const auto more_of_both = step_of({with_layers.layers, with_microbatches.microbatches});
  if (!more_of_both) return std::nullopt;
  return whole + x * y * (*more_of_both - *more_layers - *more_microbatches + step);
}

}  // namespace orrery::study
