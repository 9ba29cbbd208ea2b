// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/scale_down/scale_down.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/graph/reshape/node_growth.h"
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

/// The same ranks with graphs made of theirs; `make` gets graphs by their numbers.
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

/// The last stage sends to the first: ranks have several parts of the model, which take turns.
bool goes_round(const Workload& workload, const analysis::RankAxis& pipelines) {
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
    if (auto done = make_ranks_fewer(); !done) return done;
    if (auto done = make_cluster(); !done) return done;
    found_ = graph::found_shape(small_);
    const auto before = case_.simulate({}, false, watch_, made_.findings);
    if (!before) return tl::unexpected(before.error());
    made_.original = summarize_side(*before, made_.choice.ranks);
    made_.original.shape = shape_of(found_, stages_is_, stages_was_);
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
    foretell();
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
      stages_was_ = axis.original;
      stages_is_ = axis.scaled();
    }
    return {};
  }

  Result<void> make_ranks_fewer() {
    if (made_.choice.ranks.size() == case_.workload().rank_count()) {
      small_ = case_.workload();
      return {};
    }
    graph::RankSubset fewer;
    fewer.ranks = made_.choice.ranks;
    if (question_.keep == ScaleInvariant::volume) fewer.retained = graph::CollectiveScaling::volume;
    if (question_.keep == ScaleInvariant::stated) fewer.retained = graph::CollectiveScaling::stated;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const bool messages = axes_[i].kind == analysis::RankAxisKind::pipeline ||
                            axes_[i].kind == analysis::RankAxisKind::context;
      if (!messages || made_.choice.axes[i].scaled() == made_.choice.axes[i].original) continue;
      if (axes_[i].kind == analysis::RankAxisKind::pipeline &&
          goes_round(case_.workload(), axes_[i]))
        return fail(Errc::input_unsupported, "--ranks " + question_.ranks,
                    "stages have several parts of the model, whose turns depend on how many "
                    "stages there are",
                    fmt::format("keep all of them: pp={}", axes_[i].size()));
      fewer.lines.insert(fewer.lines.end(), axes_[i].lines.begin(), axes_[i].lines.end());
    }
    auto small = graph::select_ranks(case_.workload(), fewer, made_.findings);
    if (!small) return tl::unexpected(small.error());
    small_ = std::move(small->workload);
    made_.left_out = small->left_out;
    if (question_.keep == ScaleInvariant::job) return make_shards_larger();
    return {};
  }

  Result<void> make_shards_larger() {
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

  /// Layers are of all stages together.
  [[nodiscard]] static Shape shape_of(Shape shape, std::uint32_t from, std::uint32_t to) {
    if (shape.layers) shape.layers = *shape.layers / from * to;
    return shape;
  }

  Result<Workload> sized(const Shape& shape, graph::BatchReport& predicted) {
    const Shape known = shape_of(given_structure(case_.question()), stages_was_, stages_is_);
    Workload workload = small_;
    if (shape.layers || shape.microbatches) {
      auto other = graph::reshaped(workload, shape, known, made_.findings);
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
      return fail(Errc::input_mismatch, made_.workload,
                  "made smaller, its ranks wait for each other for ever",
                  "keep all ranks along an axis that has messages");
    return outcome;
  }

  void foretell() {
    const auto passes = [](const ScaledSide& side, std::uint32_t stages) {
      const double layers = std::max(1u, side.shape.layers.value_or(1)) / double(stages);
      return layers * (std::max(1u, side.shape.microbatches.value_or(1)) + stages - 1.0);
    };
    made_.proportional = foretold(static_cast<double>(made_.scaled.step.count()) *
                                  passes(made_.original, stages_was_) /
                                  passes(made_.scaled, stages_is_) / question_.batch.value);
    made_.by_sizes = by_second_size();
  }

  [[nodiscard]] Extrapolation foretold(double picoseconds) const {
    const auto original = static_cast<double>(made_.original.step.count());
    return {Time(std::llround(picoseconds)), original > 0 ? picoseconds / original - 1 : 0};
  }

  std::optional<Extrapolation> by_second_size() {
    const auto whole = extrapolate_by_sizes(
        {question_.layers, question_.microbatches}, found_, stages_is_,
        static_cast<double>(made_.scaled.step.count()),
        [&](const Shape& shape) -> std::optional<double> {
          graph::BatchReport unheard;
          auto workload = sized(shape, unheard);
          if (!workload) return std::nullopt;
          Findings ignored;
          auto outcome = simulate(std::make_shared<const Workload>(*std::move(workload)), ignored);
          if (!outcome) return std::nullopt;
          return static_cast<double>(outcome->result.end.count());
        });
    if (!whole) return std::nullopt;
    const double all = found_.microbatches.value_or(1);
    return foretold(*whole * (all + stages_was_ - 1.0) / (all + stages_is_ - 1.0) /
                    question_.batch.value);
  }

  const ScaleDownQuestion& question_;
  const WhatIfCase& case_;
  Watch& watch_;
  ScaleDown& made_;
  std::vector<analysis::RankAxis> axes_;
  std::uint32_t stages_was_ = 1, stages_is_ = 1;
  Workload small_;  // with fewer ranks, else as it was
  Shape found_;     // of that
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
    return fail(Errc::usage, std::string(where), "is a share of nothing",
                std::string(where) + " 1/4");
  out.value /= *under;
  return {};
}

Result<ScaleDown> scale_down(const ScaleDownQuestion& question, Watch& watch) {
  if (!(question.batch.value > 0) || !std::isfinite(question.batch.value))
    return fail(Errc::usage, "--batch", "is more than 0", "--batch 1/4");
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

// What a larger job's step is, by steps of smaller ones.

namespace {

/// One thing that was made fewer, and a number of it between what it is and what it was.
struct SecondSize {
  std::uint32_t number = 0;
  double far = 0;  ///< to what it was, as so many times the way to `number`
};

/// It was made fewer; `size`: empty where there is nothing between.
struct MadeFewer {
  bool fewer = false;
  std::optional<SecondSize> size;
};

MadeFewer made_fewer(const std::optional<std::uint32_t>& asked,
                     const std::optional<std::uint32_t>& found, std::uint32_t unit) {
  if (!asked || !found || *asked >= *found) return {};
  if (*asked + unit >= *found) return {true, std::nullopt};
  const std::uint32_t number = 2 * *asked < *found ? 2 * *asked : *asked + unit;
  const double way = *found - *asked;
  return {true, SecondSize{number, way / (number - *asked)}};
}

}  // namespace

std::optional<double> extrapolate_by_sizes(const graph::Shape& asked, const graph::Shape& found,
                                           std::uint32_t stages, double step,
                                           const StepOf& step_of) {
  const MadeFewer layers = made_fewer(asked.layers, found.layers, stages);
  const MadeFewer microbatches = made_fewer(asked.microbatches, found.microbatches, 1);
  if (!layers.fewer && !microbatches.fewer) return std::nullopt;
  if (layers.fewer != layers.size.has_value() ||
      microbatches.fewer != microbatches.size.has_value())
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
  const double x = layers.size ? layers.size->far : 0;
  const double y = microbatches.size ? microbatches.size->far : 0;
  const double whole = step + x * (*more_layers - step) + y * (*more_microbatches - step);
  if (!layers.size || !microbatches.size) return whole;
  const auto more_of_both = step_of({with_layers.layers, with_microbatches.microbatches});
  if (!more_of_both) return std::nullopt;
  return whole + x * y * (*more_of_both - *more_layers - *more_microbatches + step);
}

}  // namespace orrery::study
