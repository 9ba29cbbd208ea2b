// SPDX-License-Identifier: Apache-2.0
//
// orrery validate: measured steps beside predicted ones.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "command.h"
#include "orrery/present/accuracy/validate_text.h"
#include "orrery/study/questions/effects.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  validate::PointPredictionOptions predict_points;
  bool effects = false, fit = false;
  std::optional<double> threshold;  ///< in per cent
  std::string plot;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"files", &ValidateOptions::files, "FILE", "", kAnswer, "runs.csv",
                    "Measured steps"}
          .required(),
      QuestionStruct{"predict", &ValidateOptions::predict_points},
      QuestionField{"effects", &ValidateOptions::effects, "--effects", "", kAnswer, "true",
                    "All again without each effect in turn"},
      QuestionField{"fit", &ValidateOptions::fit, "--fit", "", kAnswer, "true",
                    "Fit how much longer kernels take in steps than alone, and predict each\n"
                    "source by what others say"},
      QuestionGroup{"Output"},
      QuestionField{"threshold", &ValidateOptions::threshold, "--threshold", "PERCENT", kAnswer,
                    "5", "Exit code 1 if the median error is above this"},
      QuestionField{"plot", &ValidateOptions::plot, "--plot", "FILE", kNothing, "steps.svg",
                    "Draw predicted against measured steps into an SVG"}};
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

/// All points again, without one effect at a time.
Result<void> try_without(const validate::PointPredictionOptions& options, present::Validation& v) {
  for (const study::Effect& effect : study::effects()) {
    validate::PointPredictionOptions without = options;
    without.without.emplace_back(effect.name);
    const auto predicted = validate::predict_points(v.points, without);
    if (!predicted) return tl::unexpected(predicted.error());
    present::Validation::Ablation one{std::string(effect.name),
                                      validate::summarize(v.points, *predicted)};
    for (std::size_t i = 0; i < predicted->size(); ++i)
      if (std::abs((*predicted)[i].seconds - v.predictions[i].seconds) >
          1e-3 * v.predictions[i].seconds)
        ++one.changed;
    v.without.push_back(std::move(one));
  }
  return {};
}

/// Predicts, by factors fitted to other sources if that is asked for.
Result<void> tell(const ValidateOptions& options, const validate::PointPredictionOptions& how,
                  present::Validation& v) {
  if (options.fit) {
    auto fit = validate::fit_factors(v.points, how);
    if (!fit) return tl::unexpected(fit.error());
    v.factors = std::move(fit->factors);
    v.predictions = std::move(fit->left_out);
    return {};
  }
  auto predicted = validate::predict_points(v.points, how);
  if (!predicted) return tl::unexpected(predicted.error());
  v.predictions = *std::move(predicted);
  return {};
}

int run_validate(const ValidateOptions& options, Session& session) {
  present::Validation v;
  if (options.threshold) v.threshold = *options.threshold / 100;
  if (v.threshold && !(*v.threshold >= 0))
    return session.fail({Errc::usage, "--threshold", "give per cent, 0 or more", ""});
  auto points = read_all(options.files, v.findings);
  if (!points) return session.fail(points.error(), v.findings);
  v.points = *std::move(points);
  Progress progress(session);
  const Progress::Phase phase{"simulate", "predicting", "points"};
  const std::size_t rounds =
      (options.effects ? study::effects().size() : 0) + (options.fit ? validate::kFitRounds : 1);
  validate::PointPredictionOptions how = options.predict_points;
  std::size_t before = 0;
  progress.begin(phase, v.points.size() * rounds);
  how.progress = [&](std::size_t) { progress.tell(phase, ++before, v.points.size() * rounds); };
  if (auto done = tell(options, how, v); !done) return session.fail(done.error(), v.findings);
  if (options.effects) {
    if (auto done = try_without(how, v); !done) return session.fail(done.error(), v.findings);
  }
  progress.clear();
  v.board = validate::make_scoreboard(v.points, v.predictions);
  if (!options.plot.empty()) {
    if (auto written = write_output(options.plot, present::validate_svg(v), session.force);
        !written)
      return session.fail(written.error(), v.findings);
  }
  return session.deliver(
      present::validate_text(v, session.out_style()), [&] { return present::validate_json(v); },
      v.exceeds_threshold() ? kSaysNo : kOk);
}

}  // namespace

Action add_validate(CLI::App& command, Session& session) {
  describe(command,
           "Errors by source, device, size and plan, with the largest ones and the steps that\n"
           "cannot be predicted. Files are CSV, YAML or JSON (docs/scoreboard.md). With a\n"
           "threshold: exit code 1 if the median is above it.\n"
           "\n"
           "Examples:\n"
           "  orrery validate runs.csv\n"
           "  orrery validate runs.csv --threshold 5 --plot runs.svg\n");
  const auto options = std::make_shared<ValidateOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return run_validate(*options, session); };
}

}  // namespace orrery::app
