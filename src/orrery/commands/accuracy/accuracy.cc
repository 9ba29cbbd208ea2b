// SPDX-License-Identifier: Apache-2.0
//
// orrery accuracy: compares predicted steps with measured ones.

#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/present/accuracy/validate_answer.h"
#include "orrery/study/questions/effects.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

struct ValidateOptions {
  std::vector<std::string> files, predict_only;
  validate::PointPredictionOptions predict_points;
  bool effects = false, fit = false;
  std::optional<double> threshold;  ///< in percent
  std::string plot;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"files", &ValidateOptions::files, "FILE", "", kAnswer, "runs.csv",
                    "Measured steps"}
          .required(),
      QuestionStruct{"predict", &ValidateOptions::predict_points},
      QuestionField{"effects", &ValidateOptions::effects, "--effects", "", kAnswer, "true",
                    "Predict all steps again without each effect in turn"},
      QuestionField{
          "fit", &ValidateOptions::fit, "--fit", "", kAnswer, "true",
          "Fit the slowdown of kernels in steps; predict each source with factors of the others"},
      QuestionField{"predict_only", &ValidateOptions::predict_only, "--predict-only", "FILE",
                    kAnswer, "more.csv",
                    "With --fit: measured steps to predict but not to fit to; may be "
                    "repeated"}
          .one_each(),
      QuestionGroup{"Output"},
      QuestionField{"threshold", &ValidateOptions::threshold, "--max-error", "PERCENT", kAnswer,
                    "5", "Exit code 1 if the median error is above this"},
      QuestionField{"plot", &ValidateOptions::plot, "--plot", "FILE", kNothing, "steps.svg",
                    "Plot predicted against measured steps as SVG"}};
};

Result<std::vector<validate::MeasuredPoint>> read_all(const std::vector<std::string>& files,
                                                      Findings& findings) {
  std::vector<validate::MeasuredPoint> all;
  for (const std::string& file : files) {
    auto points = validate::read_points(file, findings);
    if (!points) return points;
    std::move(points->begin(), points->end(), std::back_inserter(all));
  }
  return all;
}

/// Predicts all points again, without one effect at a time.
Result<void> try_without(const validate::PointPredictionOptions& options, present::Validation& v) {
  for (const study::Effect& effect : study::effects()) {
    validate::PointPredictionOptions without = options;
    without.without.emplace_back(effect.name);
    // With --fit, they have other factors.
    if (v.factors.empty()) without.baseline = v.predictions;
    const auto predicted = validate::predict_points(v.points, without);
    if (!predicted) return tl::unexpected(predicted.error());
    present::Validation::Ablation one{std::string(effect.name),
                                      validate::summarize(v.points, *predicted)};
    for (const validate::PointPrediction& prediction : *predicted)
      one.seconds.push_back(prediction.seconds);
    for (std::size_t i = 0; i < predicted->size(); ++i)
      if (one.changes(v.predictions[i], i)) ++one.changed;
    v.without.push_back(std::move(one));
  }
  return {};
}

/// Predicts all points; with --fit, by factors that are fitted to the other sources.
Result<void> predict_all(const ValidateOptions& options,
                         const validate::PointPredictionOptions& how, present::Validation& v) {
  if (options.fit) {
    auto fit = validate::fit_factors(v.points, how);
    if (!fit) return tl::unexpected(fit.error());
    v.factors = std::move(fit->factors);
    v.predictions = std::move(fit->cross_validated);
    v.left_out = std::move(fit->left_out);
    return {};
  }
  auto predicted = validate::predict_points(v.points, how);
  if (!predicted) return tl::unexpected(predicted.error());
  v.predictions = *std::move(predicted);
  return {};
}

int run_validate(const ValidateOptions& options, Context& context) {
  present::Validation v;
  if (options.threshold) v.threshold = *options.threshold / 100;
  if (v.threshold && !(*v.threshold >= 0))
    return context.fail({Errc::usage, "--max-error", "must be a percentage, 0 or more", ""});
  auto points = read_all(options.files, v.findings);
  if (!points) return context.fail(points.error(), v.findings);
  v.points = *std::move(points);
  if (!options.predict_only.empty()) {
    if (!options.fit)
      return context.fail({Errc::usage, "--predict-only", "needs --fit", "use FILE without it"});
    auto more = read_all(options.predict_only, v.findings);
    if (!more) return context.fail(more.error(), v.findings);
    for (validate::MeasuredPoint& point : *more) {
      point.fitted = false;
      v.points.push_back(std::move(point));
    }
  }
  Progress progress(context);
  const Progress::Phase phase{"simulate", "predicting", "points"};
  const std::size_t rounds =
      (options.effects ? study::effects().size() : 0) + (options.fit ? validate::kFitRounds : 1);
  validate::PointPredictionOptions how = options.predict_points;
  std::size_t before = 0;
  progress.begin(phase, v.points.size() * rounds);
  how.progress = [&](std::size_t) { progress.update(phase, ++before, v.points.size() * rounds); };
  if (auto done = predict_all(options, how, v); !done)
    return context.fail(done.error(), v.findings);
  if (options.effects) {
    if (auto done = try_without(how, v); !done) return context.fail(done.error(), v.findings);
  }
  progress.clear();
  v.board = validate::make_scoreboard(v.points, v.predictions);
  if (!options.plot.empty()) {
    if (auto written = write_output(options.plot, present::validate_svg(v), context.force);
        !written)
      return context.fail(written.error(), v.findings);
  }
  return context.deliver([&](report::Answer& answer) { present::state_validation(answer, v); },
                         v.exceeds_threshold() ? kSaysNo : kOk);
}

}  // namespace

Action add_accuracy(CommandOptions& command, Context& context) {
  describe(command,
           "Prints errors by source, device, size and plan, the largest errors, and the\n"
           "steps that cannot be predicted. Files are CSV, YAML or JSON\n"
           "(docs/scoreboard.md). With --max-error: exit code 1 if the median error is above\n"
           "it.\n"
           "\n"
           "Examples:\n"
           "  orrery accuracy runs.csv\n"
           "  orrery accuracy runs.csv --max-error 5 --plot runs.svg\n");
  return action_with_options(command, context, run_validate);
}

}  // namespace orrery::commands
