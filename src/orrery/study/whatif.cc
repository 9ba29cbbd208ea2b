// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <tuple>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/core/thread_pool.h"
#include "orrery/graph/transform/costs.h"
#include "orrery/record/record.h"
#include "orrery/study/inputs.h"
#include "orrery/study/opportunities.h"
#include "orrery/study/other_device.h"
#include "orrery/study/outcome.h"
#include "orrery/study/recorded.h"
#include "orrery/study/stage.h"

namespace orrery::study {
namespace {

constexpr std::size_t kPaired = 6;              // of the best changes
constexpr std::int64_t kWorthTelling = 10'000;  // changes that win so much of the whole

/// A cluster of a device and a number has as many as the job then needs where dp is changed; others
/// are as large as they are.
Result<std::string> cluster_for(std::span<const Change> changes, const workload::Program& program,
                                std::string cluster) {
  const bool dp = std::any_of(changes.begin(), changes.end(),
                              [](const Change& change) { return change.path == "parallel.dp"; });
  const std::size_t colon = cluster.rfind(':');
  if (!dp || colon == std::string::npos) return cluster;
  workload::Spec spec = program.spec;
  for (const Change& change : changes) {
    if (change.level != Level::job) continue;
    if (auto done = workload::set(spec, change.path, change.value); !done)
      return tl::unexpected(done.error());
  }
  return fmt::format("{}:{}", cluster.substr(0, colon), ranks_of(spec.parallel));
}

Told told_of(const Outcome& outcome) {
  Told told;
  told.whole = outcome.result.end;
  told.errors = record::error_classes(outcome.result);
  if (!outcome.job) return told;
  told.work = outcome.job->work;
  if (outcome.job->fullest() != nullptr) told.memory = Bytes(outcome.job->fullest()->total());
  told.fits = outcome.findings.count(FindingCode::may_not_fit) == 0;
  return told;
}

/// Says of one rank what it waits for.
Error stalled(const Outcome& outcome, const std::string& where) {
  std::string what = "the ranks wait for each other for ever";
  const auto& nodes = outcome.result.stall->nodes;
  if (!nodes.empty())
    what += fmt::format("; rank {} in '{}', {}", nodes[0].rank,
                        outcome.workload().graph(nodes[0].rank).name(nodes[0].node), nodes[0].why);
  return {Errc::input_mismatch, where, what, "orrery check shows more of traces as they are"};
}

/// Of other devices models know other things.
bool same_models(std::span<const Change> changes) {
  return std::none_of(changes.begin(), changes.end(), [](const Change& change) {
    return change.name == "gpu" || change.name == "cluster";
  });
}

std::optional<analysis::DifferenceBand> band_of(const Told& base, const Told& changed,
                                                std::span<const Change> changes) {
  return analysis::difference_band({base.whole, base.errors}, {changed.whole, changed.errors},
                                   same_models(changes));
}

/// What is read once and changed many times.
class Case {
 public:
  /// Errc: those of reading.
  static Result<Case> read(Question question, const std::string& device, Watch& watch,
                           Findings& findings) {
    Case made;
    made.device_ = device;
    if (auto fine = settle(question); !fine) return tl::unexpected(fine.error());
    const bool replay = question.cluster.empty() && !question.astra() && !question.job.given();
    made.question_ = std::move(question);
    auto done =
        replay ? made.read_to_replay(watch, findings) : made.read_for_cluster(watch, findings);
    if (!done) return tl::unexpected(done.error());
    return made;
  }

  [[nodiscard]] const graph::Workload& workload() const { return load_->workload; }
  [[nodiscard]] const Question& question() const { return question_; }
  /// No cluster was named.
  [[nodiscard]] bool replayed() const { return cluster_->replay; }

  /// What is trained and how, where that is known.
  [[nodiscard]] const workload::Program* program() const { return load_->program.get(); }

  /// With these changes. `findings` gets what reading and simulating say.
  [[nodiscard]] Result<Outcome> simulate(std::span<const Change> changes, bool record, Watch& watch,
                                         Findings& findings) const {
    Question question = question_;
    question.record = record;
    question.work.brief_names = !record;
    for (const Change& change : changes) question.changes.push_back(change.text);
    auto outcome = replayed()        ? play(question, changes, watch, findings)
                   : changes.empty() ? study::simulate(question, {cluster_, load_}, watch, findings)
                                     : ask(std::move(question), changes, watch, findings);
    if (outcome && outcome->result.stall)
      return tl::unexpected(stalled(*outcome, question_.workload_name()));
    return outcome;
  }

  /// In short. Threads may ask at the same time.
  [[nodiscard]] Result<Told> tell(std::span<const Change> changes) const {
    Watch nobody;
    Findings unheard;
    auto outcome = simulate(changes, false, nobody, unheard);
    if (!outcome) return tl::unexpected(outcome.error());
    return told_of(*outcome);
  }

 private:
  [[nodiscard]] Result<Outcome> play(const Question& question, std::span<const Change> changes,
                                     Watch& watch, Findings& findings) const {
    if (changes.empty()) return study::simulate(question, {cluster_, load_}, watch, findings);
    auto other = changed_work(changes, findings);
    if (!other) return tl::unexpected(other.error());
    return study::simulate(question, {cluster_, std::make_shared<const Load>(*std::move(other))},
                           watch, findings);
  }

  /// The device first, then the rest in order.
  [[nodiscard]] Result<Load> changed_work(std::span<const Change> changes,
                                          Findings& findings) const {
    Load made;
    made.workload = workload();
    for (const Change& change : changes) {
      if (change.level == Level::work || is_structural(change)) continue;
      if (change.name != "gpu")
        return fail(Errc::config_conflict, "--change " + change.text,
                    "a recording that is played again has no such thing",
                    "--cluster says what it runs on; --spec or --model what it trains");
      auto moved = on_other_device(made.workload, device_, change.value);
      if (!moved) return tl::unexpected(moved.error());
      made.moved = moved->words();
      made.workload = std::move(moved->workload);
    }
    auto changed =
        with_changes(made.workload, changes, {false, known_structure(question_)}, findings);
    if (!changed) return tl::unexpected(changed.error());
    made.workload = *std::move(changed);
    return made;
  }

  /// Read anew, since what it is made of may be other.
  [[nodiscard]] Result<Outcome> ask(Question question, std::span<const Change> changes,
                                    Watch& watch, Findings& findings) const {
    if (program() != nullptr) {
      auto grown = cluster_for(changes, *program(), question.cluster);
      if (!grown) return tl::unexpected(grown.error());
      question.cluster = *std::move(grown);
    }
    return answer(std::move(question), watch, findings);
  }

  Result<void> read_to_replay(Watch& watch, Findings& findings) {
    auto workload = read_workload(question_, 0, watch);
    if (!workload) return tl::unexpected(workload.error());
    const auto has_times = [](const graph::GraphRef& graph) {
      for (graph::NodeId n = 0; n < graph->size(); ++n)
        if (graph->duration(n) > Time{}) return true;
      return false;
    };
    if (std::none_of(workload->graphs.begin(), workload->graphs.end(), has_times))
      return fail(Errc::input_unsupported, question_.workload_name(), "nothing in it has a time",
                  "--cluster says what it is to run on");
    auto load = std::make_shared<Load>();
    load->workload = *std::move(workload);
    findings.merge(load->workload.findings);
    load->workload.findings = {};
    cluster_ = std::make_shared<const Cluster>(stage_cluster(load->workload.rank_count()));
    load_ = std::move(load);
    return {};
  }

  Result<void> read_for_cluster(Watch& watch, Findings& findings) {
    auto cluster = read_cluster(question_, findings);
    if (!cluster) return tl::unexpected(cluster.error());
    cluster_ = std::make_shared<const Cluster>(*std::move(cluster));
    auto load = read_load(question_, *cluster_, watch, findings);
    if (!load) return tl::unexpected(load.error());
    load_ = std::make_shared<const Load>(*std::move(load));
    return {};
  }

  Question question_;
  std::string device_;  ///< that it was recorded on; empty: as the recording says
  std::shared_ptr<const Cluster> cluster_;
  std::shared_ptr<const Load> load_;
};

/// To try changes with: as many as were asked for, else all cores.
std::uint32_t threads_for(const Question& question) {
  const std::int64_t threads = question.recorded.threads.value_or(0);
  return threads > 0 ? static_cast<std::uint32_t>(threads)
                     : std::max(1u, std::thread::hardware_concurrency());
}

/// Made of words that are known.
Change known_change(const std::string& text) {
  auto change = parse_change(text);
  ORRERY_CHECK(change.has_value());
  return *std::move(change);
}

Change factor_of(const Opportunity& one, double factor) {
  return known_change(one.value.empty() ? fmt::format("{}={}", one.name, factor)
                                        : one.name + "=" + one.value);
}

std::vector<Opportunity> worth_trying(const Case& read) {
  std::vector<Opportunity> made;
  if (read.program() == nullptr) made = opportunities(read.workload());
  if (read.replayed()) return made;
  const auto add = [&](std::vector<Opportunity> more) {
    for (Opportunity& one : more) {
      const bool known = std::any_of(made.begin(), made.end(), [&](const Opportunity& other) {
        return other.name == one.name && other.value == one.value;
      });
      if (!known) made.push_back(std::move(one));
    }
  };
  add(modelled_opportunities(read.workload()));
  if (read.program() != nullptr) add(plan_opportunities(*read.program()));
  return made;
}

/// Errc: of the first that could not be simulated.
Result<std::vector<Tried>> try_all(const Case& read, const Told& told) {
  const Time base = told.whole;
  const std::vector<Opportunity> found = worth_trying(read);
  std::vector<Tried> made(found.size());
  std::vector<std::optional<Error>> errors(found.size());
  ThreadPool(threads_for(read.question()))
      .share(static_cast<std::uint32_t>(found.size()), [&](std::uint32_t i) {
        const Opportunity& one = found[i];
        const Change change = factor_of(one, 0.5);
        const auto half = read.tell(std::span(&change, 1));
        auto free = half;
        if (half && one.value.empty()) {
          const Change gone = factor_of(one, 0);
          free = read.tell(std::span(&gone, 1));
        }
        if (half && free) {
          made[i] = {change.text, one.kind,
                     one.what,    change.basis,
                     one.time,    half->whole,
                     free->whole, half->memory,
                     half->fits,  band_of(told, *half, std::span(&change, 1))};
        } else if (change.level == Level::job) {  // it breaks a rule
          made[i].whole = made[i].free = base;
        } else {
          errors[i] = !half ? half.error() : free.error();
        }
      });
  for (const auto& error : errors)
    if (error) return tl::unexpected(*error);
  std::erase_if(made, [&](const Tried& tried) {
    return (base - std::min(tried.whole, tried.free)) * kWorthTelling < base;
  });
  std::stable_sort(made.begin(), made.end(), [](const Tried& a, const Tried& b) {
    return std::tuple(!a.fits, a.whole, a.free) < std::tuple(!b.fits, b.whole, b.free);
  });
  return made;
}

Together together(Time base, Time first, Time second, Time both) {
  const double a = static_cast<double>((base - first).count());
  const double b = static_cast<double>((base - second).count());
  const double won = static_cast<double>((base - both).count());
  if (won > 1.05 * (a + b)) return Together::reinforce;
  if (won >= 0.95 * (a + b)) return Together::add_up;
  return won <= 1.05 * std::max(a, b) ? Together::exclude : Together::in_part;
}

Result<std::vector<TriedPair>> try_pairs(const Case& read, Time base,
                                         const std::vector<Tried>& list) {
  std::vector<TriedPair> made;
  const std::size_t best = std::min(kPaired, list.size());
  for (std::size_t a = 0; a < best; ++a)
    for (std::size_t b = a + 1; b < best; ++b) made.push_back({a, b});
  std::vector<std::optional<Error>> errors(made.size());
  ThreadPool(threads_for(read.question()))
      .share(static_cast<std::uint32_t>(made.size()), [&](std::uint32_t i) {
        TriedPair& pair = made[i];
        const std::array<Change, 2> both = {known_change(list[pair.first].change),
                                            known_change(list[pair.second].change)};
        const auto told = read.tell(both);
        if (!told) {
          errors[i] = told.error();
          return;
        }
        pair.whole = told->whole;
        pair.together = together(base, list[pair.first].whole, list[pair.second].whole, pair.whole);
      });
  for (const auto& error : errors)
    if (error) return tl::unexpected(*error);
  return made;
}

}  // namespace

std::string_view name(Together together) {
  switch (together) {
    case Together::add_up:
      return "add up";
    case Together::in_part:
      return "in part";
    case Together::exclude:
      return "exclude each other";
    case Together::reinforce:
      return "reinforce each other";
  }
  return "";
}

Result<WhatIf> what_if(const WhatIfQuestion& question, Watch& watch) {
  WhatIf made;
  auto changes = parse_changes(question.changes);
  if (!changes) return tl::unexpected(changes.error());
  made.changes = *std::move(changes);
  Question base_question = question.base;
  if (base_question.job.given() && !base_question.recorded.traces.empty()) {
    RecordedTraces alone;  // what is left of them is how many threads there are
    alone.threads = base_question.recorded.threads;
    const auto step =
        recorded_step(std::exchange(base_question.recorded, alone), made.findings, watch);
    if (!step) return tl::unexpected(step.error());
    made.recorded = *step;
  }
  const auto read = Case::read(std::move(base_question), question.device, watch, made.findings);
  if (!read) return tl::unexpected(read.error());
  made.workload = read->question().workload_name();
  made.ranks = read->workload().rank_count();
  made.replayed = read->replayed();
  for (Change& change : made.changes)
    if (is_structural(change) && read->program() == nullptr) change.basis = Basis::recorded;
  if (!made.recorded) made.recorded = read->workload().recorded;
  Findings of_base = made.findings;
  auto base = read->simulate({}, question.base.record && made.changes.empty(), watch, of_base);
  if (!base) return tl::unexpected(base.error());
  made.base = told_of(*base);
  if (made.changes.empty()) {
    made.findings = of_base;
    made.answer.emplace(std::make_shared<const Outcome>(*std::move(base)));
  } else {
    auto changed = read->simulate(made.changes, question.base.record, watch, made.findings);
    if (!changed) return tl::unexpected(changed.error());
    made.changed = told_of(*changed);
    made.band = band_of(made.base, *made.changed, made.changes);
    made.moved = changed->inputs.load->moved;
    if (read->program() != nullptr && made.recorded)
      made.predicted =
          graph::times(*made.recorded, static_cast<double>(made.changed->whole.count()) /
                                           static_cast<double>(made.base.whole.count()));
    made.findings = changed->findings;
    made.answer.emplace(std::make_shared<const Outcome>(*std::move(changed)));
  }
  if (question.list || question.combine) {
    auto list = try_all(*read, made.base);
    if (!list) return tl::unexpected(list.error());
    made.list = *std::move(list);
    if (question.most > 0 && made.list.size() > question.most) {
      made.left_out = made.list.size() - question.most;
      made.list.resize(question.most);
    }
  }
  if (question.combine) {
    auto pairs = try_pairs(*read, made.base.whole, made.list);
    if (!pairs) return tl::unexpected(pairs.error());
    made.pairs = *std::move(pairs);
  }
  return made;
}

}  // namespace orrery::study
