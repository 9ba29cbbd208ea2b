// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/learning/synthesize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "orrery/core/random.h"
#include "orrery/generative/learning/pass_sampler.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::generative {
namespace {

using workload::Program;
using workload::Role;
using workload::RoleCount;

constexpr double kTolerance = 0.1;  // of a stage's counts

double relative_error(double value, double of) {
  if (of == 0) return value == 0 ? 0 : 1;
  return std::fabs(value - of) / of;
}

CountErrors errors_of(const RoleCount& made, const RoleCount& closed) {
  CountErrors errors;
  errors.nodes = relative_error(static_cast<double>(made.nodes), static_cast<double>(closed.nodes));
  errors.flops = relative_error(workload::to_double(made.flops.all()),
                                workload::to_double(closed.flops.all()));
  errors.bytes = relative_error(workload::to_double(made.bytes), workload::to_double(closed.bytes));
  std::map<std::pair<workload::Axis, std::string>, std::pair<double, double>> traffic;
  for (const auto& one : made.traffic)
    traffic[{one.axis, one.type}].first += workload::to_double(one.payload);
  for (const auto& one : closed.traffic)
    traffic[{one.axis, one.type}].second += workload::to_double(one.payload);
  for (const auto& [key, bytes] : traffic)
    errors.traffic = std::max(errors.traffic, relative_error(bytes.first, bytes.second));
  return errors;
}

void take_larger(CountErrors& errors, const CountErrors& other) {
  errors.nodes = std::max(errors.nodes, other.nodes);
  errors.flops = std::max(errors.flops, other.flops);
  errors.bytes = std::max(errors.bytes, other.bytes);
  errors.traffic = std::max(errors.traffic, other.traffic);
}

/// Messages and bytes from stage to stage, by sender, receiver and id.
using Messages = std::map<std::tuple<std::int64_t, std::int64_t, std::uint32_t>,
                          std::pair<std::uint64_t, std::uint64_t>>;

void add_messages(const Program& program, const Role& role, Messages& sent, Messages& received) {
  for (const workload::Task& task : workload::expand_task_loops(role.tasks)) {
    for (const workload::Segment& segment : role.recipes[task.recipe]) {
      for (const workload::Op& op : program.bodies[segment.body].ops) {
        if (!graph::is_message(op.kind)) continue;
        const std::int64_t own = role.where.stage, peer = own + op.peer_offset;
        const bool sends = op.kind == graph::NodeKind::send;
        auto& sum = sends ? sent[{own, peer, op.message_id}] : received[{peer, own, op.message_id}];
        sum.first += segment.count;
        sum.second += segment.count * static_cast<std::uint64_t>(op.size);
      }
    }
  }
}

class Synthesis {
 public:
  Synthesis(const LearnedTraces& learned, const Program& job, const SynthesisOptions& options)
      : learned_(learned), job_(job), options_(options) {}

  Result<Synthesized> run() {
    if (auto fine = check_settings(); !fine) return tl::unexpected(fine.error());
    const auto closed = workload::count(job_);
    if (!closed) return tl::unexpected(closed.error());
    made_.program = job_;
    made_.program.bodies.clear();
    for (Role& role : made_.program.roles) role.recipes.assign(role.recipes.size(), {});
    const PassSampler sampler(learned_, job_, settings_.words, options_.temperature);
    for (std::uint32_t role = 0; role < job_.roles.size(); ++role)
      if (auto done = sample_role(sampler, role, closed->roles[role]); !done)
        return tl::unexpected(done.error());
    Messages sent, received;
    for (const Role& role : made_.program.roles) add_messages(made_.program, role, sent, received);
    made_.messages_agree = sent == received;
    if (!made_.messages_agree)
      return fail(Errc::input_mismatch, place(), "neighboring stages send and receive other bytes",
                  "use another seed, or learn from more jobs");
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::string place() const {
    return job_.spec.name.empty() ? "job" : job_.spec.name;
  }

  Result<void> check_settings() {
    if (auto fine = check_learnable(job_); !fine) return fine;
    auto settings = settings_of(job_);
    if (!settings) return tl::unexpected(settings.error());
    settings_ = std::move(*settings);
    for (const std::string& word : settings_.words) {
      if (learned_.conditions.count(word) != 0) continue;
      return fail(Errc::input_unsupported, place(),
                  fmt::format("no job of the corpus has the setting {}", word),
                  "change it, or learn from a corpus with such jobs");
    }
    for (const auto& [path, value] : settings_.numbers) {
      const auto range = learned_.ranges.find(path);
      if (range == learned_.ranges.end()) {
        made_.outside.push_back(fmt::format("{} = {} (not in the corpus)", path, value));
      } else if (value < range->second.least || value > range->second.most) {
        made_.outside.push_back(fmt::format("{} = {} (learned: {} to {})", path, value,
                                            range->second.least, range->second.most));
      }
    }
    return {};
  }

  Result<void> sample_role(const PassSampler& sampler, std::uint32_t role,
                           const RoleCount& closed) {
    ++made_.stages;
    CountErrors errors;
    const std::size_t bodies = made_.program.bodies.size();
    for (std::uint32_t attempt = 0; attempt < options_.attempts; ++attempt) {
      made_.program.bodies.resize(bodies);
      const bool complete = fill(sampler, role, attempt);
      errors = {1, 1, 1, 1};
      if (complete) {
        const auto counted = count_role(role);
        if (!counted) return tl::unexpected(counted.error());
        errors = errors_of(*counted, closed);
      }
      if (attempt == 0) take_larger(made_.first_errors, errors);
      if (errors.largest() > kTolerance) continue;
      if (attempt == 0) ++made_.first_try;
      take_larger(made_.errors, errors);
      return {};
    }
    return fail(
        Errc::input_mismatch, place(),
        fmt::format("{} samples of {} differ by more than {:.0f} % from `orrery job "
                    "count`: nodes {:.1f} %, FLOPs {:.1f} %, bytes {:.1f} %, "
                    "communication {:.1f} %",
                    options_.attempts, job_.roles[role].name, 100 * kTolerance, 100 * errors.nodes,
                    100 * errors.flops, 100 * errors.bytes, 100 * errors.traffic),
        "learn from more jobs with such settings");
  }

  bool fill(const PassSampler& sampler, std::uint32_t number, std::uint32_t attempt) {
    Role& role = made_.program.roles[number];
    for (std::uint32_t recipe = 0; recipe < role.recipes.size(); ++recipe) {
      auto segments =
          sampler.sample({number, recipe}, mix_bits(options_.seed) + 0x10000ULL * attempt);
      if (!segments) return false;
      place_segments(std::move(*segments), number, recipe);
    }
    return true;
  }

  /// Numbers the layers of the segments: ascending in forward passes, else descending.
  void place_segments(std::vector<SampledSegment> segments, std::uint32_t number,
                      std::uint32_t recipe) {
    Role& role = made_.program.roles[number];
    role.recipes[recipe].clear();
    const std::uint32_t chunk = chunk_of(role, recipe);
    std::int32_t first = 0, layers = 0;
    if (chunk < role.chunks.size()) {
      for (const workload::PartRun& run : role.chunks[chunk]) {
        if (!job_.parts[run.part].is_layer) continue;
        if (layers == 0) first = run.layer;
        layers += static_cast<std::int32_t>(run.count);
      }
    }
    const bool ascending = is_forward(role, recipe);
    std::int32_t done = 0;
    for (SampledSegment& segment : segments) {
      workload::Segment placed;
      placed.body = static_cast<std::uint32_t>(made_.program.bodies.size());
      placed.count = segment.count;
      if (segment.per_layer) {
        placed.layer = ascending ? first + done : first + layers - 1 - done;
        placed.layer_step = ascending ? 1 : -1;
        done = std::min(layers - 1, done + static_cast<std::int32_t>(segment.count));
      }
      made_.program.bodies.push_back({"learned", std::move(segment.ops)});
      role.recipes[recipe].push_back(placed);
    }
  }

  static bool is_forward(const Role& role, std::uint32_t recipe) {
    for (const workload::TaskLoop& loop : role.tasks)
      for (const workload::Task& task : loop.tasks)
        if (task.recipe == recipe) return task.kind == workload::TaskKind::forward;
    return true;
  }

  /// The counts of one role; those of roles that are not sampled yet are 0.
  Result<RoleCount> count_role(std::uint32_t role) {
    const auto counted = workload::count(made_.program);
    if (!counted) return tl::unexpected(counted.error());
    return counted->roles[role];
  }

  const LearnedTraces& learned_;
  const Program& job_;
  const SynthesisOptions& options_;
  JobSettings settings_;
  Synthesized made_;
};

}  // namespace

double CountErrors::largest() const { return std::max({nodes, flops, bytes, traffic}); }

Result<Synthesized> synthesize(const LearnedTraces& learned, const Program& job,
                               const SynthesisOptions& options) {
  return Synthesis(learned, job, options).run();
}

}  // namespace orrery::generative
