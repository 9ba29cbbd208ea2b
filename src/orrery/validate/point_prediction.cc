// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/point_prediction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "orrery/config/parameters.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/core/text/units.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/jobs/step_errors.h"
#include "orrery/study/questions/effects.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/study.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::validate {

namespace {

constexpr std::array<std::string_view, 18> kTraits = {
    "source",       "device",   "precision", "device and precision",
    "family",       "size",     "kind",      "devices",
    "tp",           "pp",       "cp",        "ep",
    "microbatches", "sequence", "sharding",  "recompute",
    "framework",    "release"};

/// Label of the range that contains the number: "2 to 7".
std::string range_label(std::int64_t number, std::span<const std::int64_t> bounds) {
  std::int64_t low = 1;
  for (const std::int64_t bound : bounds) {
    if (number < bound)
      return low == bound - 1 ? fmt::format("{}", low) : fmt::format("{} to {}", low, bound - 1);
    low = bound;
  }
  return fmt::format("{} and more", low);
}

std::string size_label(double parameters) {
  constexpr std::array<double, 5> kBounds = {2e9, 10e9, 40e9, 100e9, 300e9};
  double low = 0;
  for (const double bound : kBounds) {
    if (parameters < bound) return fmt::format("{:.0f} to {:.0f}B", low / 1e9, bound / 1e9);
    low = bound;
  }
  return fmt::format("{:.0f}B and more", low / 1e9);
}

void add_traits(const MeasuredPoint& point, const study::Outcome& outcome, PointPrediction& made) {
  constexpr std::array<std::int64_t, 5> kMicrobatchBounds = {2, 8, 32, 128, 512};
  constexpr std::array<std::int64_t, 5> kDeviceBounds = {9, 65, 257, 1025, 4097};
  constexpr std::array<std::int64_t, 4> kTokenBounds = {2048, 4096, 8192, 16384};
  const workload::Spec& spec = outcome.inputs.load->program->spec;
  const platform::Device& device = outcome.platform().device;
  const std::string& entry = device.entry.empty() ? device.name : device.entry;
  const workload::Parallel& plan = spec.parallel;
  const auto parameters = static_cast<double>(workload::count_parameters(spec.model).total);
  const std::string products = study::products_text(spec);
  const auto number = [](std::int64_t value) { return fmt::format("{}", value); };
  made.traits = {
      {"source", point.source},
      {"device", entry},
      {"precision", products},
      {"device and precision", entry + " " + products},
      {"family", model_family(point.model.empty() ? spec.model.name : point.model)},
      {"size", size_label(parameters)},
      {"kind", std::string(study::job_kind(spec))},
      {"devices", range_label(outcome.inputs.cluster->ranks, kDeviceBounds)},
      {"tp", number(plan.tp)},
      {"pp", number(plan.pp)},
      {"cp", number(plan.cp)},
      {"ep", number(plan.ep)},
      {"microbatches", range_label(spec.microbatches(), kMicrobatchBounds)},
      {"sequence", range_label(spec.batch.seq, kTokenBounds)},
      {"sharding", std::string(config::enum_name(plan.sharding))},
      {"recompute", std::string(config::enum_name(spec.recompute.kind))},
      {"framework", std::string(config::enum_name(spec.kernels.framework))},
      {"release",
       spec.kernels.release.empty() ? std::string(kUnstatedRelease) : spec.kernels.release},
      {"ranks", number(outcome.inputs.cluster->ranks)},
      {"tokens of a sequence", number(spec.batch.seq)},
  };
}

/// For each point, the first point with an equal question, regardless of the name of its cluster.
/// So a step measured at two sites, or again with a newer release, is simulated once.
std::vector<std::size_t> first_equal_points(std::span<const MeasuredPoint> points) {
  std::vector<study::Question> questions;
  questions.reserve(points.size());
  std::vector<std::size_t> first(points.size());
  std::unordered_multimap<std::string, std::size_t> known;  // by job.set, as text
  for (std::size_t i = 0; i < points.size(); ++i) {
    study::Question& question = questions.emplace_back(points[i].question);
    if (!question.cluster_text.empty()) question.cluster.clear();
    first[i] = i;
    if (!points[i].skip_reason.empty()) continue;
    const std::string key = fmt::format("{}", fmt::join(question.job.set, "\n"));
    const auto [begin, end] = known.equal_range(key);
    const auto same = std::find_if(
        begin, end, [&](const auto& one) { return questions[one.second] == question; });
    if (same == end) {
      known.emplace(key, i);
    } else {
      first[i] = same->second;
    }
  }
  return first;
}

/// Whether disabling the effects leaves the point's job and cluster as they were in `baseline`.
bool has_no_effect(const MeasuredPoint& point, const std::vector<std::string>& without,
                   const PointPrediction& baseline) {
  if (!baseline.skip_reason.empty()) return true;
  for (const std::string& name : without)
    if (study::find_effect(name)->of_job == nullptr) return false;
  const std::int64_t ranks = parse_integer(baseline.trait("ranks")).value_or(0);
  Findings ignored_findings;
  auto spec = study::specify(point.question.job, {ranks, point.place}, ignored_findings);
  if (!spec || !study::switch_off(without, *spec)) return false;
  const auto program = workload::assemble(*spec, ignored_findings);
  return program && workload::to_yaml(program->spec) == baseline.specification;
}

std::optional<std::pair<double, double>> seconds_of(
    const std::optional<analysis::StepInterval>& interval) {
  if (!interval) return std::nullopt;
  return std::pair{static_cast<double>(interval->lower.count()) * 1e-12,
                   static_cast<double>(interval->upper.count()) * 1e-12};
}

PointPrediction predict_one(const MeasuredPoint& point, const PointPredictionOptions& options) {
  PointPrediction made;
  made.skip_reason = point.skip_reason;
  if (!made.skip_reason.empty()) return made;
  study::Question question = point.question;
  question.compute = options.compute;
  question.without = options.without;
  question.work.brief_names = true;
  const auto answer = study::simulate(question);
  if (!answer) {
    made.skip_reason = answer.error().what;
    return made;
  }
  if (answer->stalled()) {
    made.skip_reason = "the ranks deadlock";
    return made;
  }
  const study::Outcome& outcome = answer->outcome();
  made.seconds = static_cast<double>(answer->step().count()) * 1e-12;
  const analysis::Digest digest = study::digest(outcome);
  made.interval = seconds_of(digest.interval);
  std::vector<result::ErrorClass> of_models = digest.errors;
  std::erase_if(of_models, [](const result::ErrorClass& one) { return one.time == Time{}; });
  made.models_interval = seconds_of(analysis::step_interval(of_models, answer->step()));
  if (outcome.job)
    made.tokens = static_cast<double>(outcome.job->work.tokens > 0 ? outcome.job->work.tokens
                                                                   : outcome.job->work.samples);
  made.specification = outcome.inputs.load->specification;
  add_traits(point, outcome, made);
  return made;
}

}  // namespace

const std::string& PointPrediction::trait(std::string_view name) const {
  static const std::string kNone;
  for (const auto& [known, value] : traits)
    if (known == name) return value;
  return kNone;
}

std::string model_family(std::string_view name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const std::size_t digit = name.find_first_of("0123456789");
  name = name.substr(0, digit);
  if (digit != std::string_view::npos && name.size() > 1) {
    const char last = name.back(), before = name[name.size() - 2];
    const bool apart = !lower(before) && !upper(before);
    if ((apart && (lower(last) || upper(last))) || (upper(last) && lower(before)))
      name.remove_suffix(1);
  }
  std::string family;
  for (const char c : name) family += upper(c) ? static_cast<char>(c | 0x20) : lower(c) ? c : ' ';
  family.erase(family.find_last_not_of(' ') + 1);
  return family;
}

std::span<const std::string_view> trait_names() { return kTraits; }

Result<std::vector<PointPrediction>> predict_points(std::span<const MeasuredPoint> points,
                                                    const PointPredictionOptions& options) {
  if (auto fine = study::check_effects(options.without); !fine) return tl::unexpected(fine.error());
  std::vector<PointPrediction> all(points.size());
  std::uint32_t threads = options.threads;
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1u);
  const auto max_threads = static_cast<std::uint32_t>(std::max<std::size_t>(points.size(), 1));
  const std::vector<std::size_t> first = first_equal_points(points);
  std::mutex progress_mutex;
  std::size_t done = 0;
  ThreadPool(std::min(threads, max_threads))
      .parallel_for(static_cast<std::uint32_t>(points.size()), [&](auto i) {
        if (first[i] == i) {
          const bool same = !options.baseline.empty() &&
                            has_no_effect(points[i], options.without, options.baseline[i]);
          all[i] = same ? options.baseline[i] : predict_one(points[i], options);
        }
        const std::lock_guard<std::mutex> lock(progress_mutex);
        ++done;
        if (options.progress) options.progress(done);
      });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (first[i] == i) continue;
    all[i] = all[first[i]];
    for (auto& [trait, value] : all[i].traits)
      if (trait == "source") value = points[i].source;
  }
  return all;
}

}  // namespace orrery::validate
