// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/explore.h"

#include <cmath>
#include <set>

#include "orrery/core/effort_testing.h"
#include "orrery/core/sanitized_testing.h"
#include "orrery/explore/exploration_testing.h"
#include "orrery/explore/plans/plan_search.h"

namespace orrery::explore {
namespace {

ExploreOptions options_of(Evaluation evaluation, std::uint32_t threads = 1, std::string file = {}) {
  ExploreOptions options;
  options.evaluation = evaluation;
  options.answers.threads = threads;
  options.answers.file = std::move(file);
  return options;
}

/// All that a search says, but for how it came to know it.
std::string all_of(const SearchSpace& space, const ExplorationResult& explored) {
  std::string text;
  for (const Point& point : explored.points) {
    text += fmt::format("{} {} {} {} {} {}", space.words(space.at(point.number)), point.allowed,
                        point.front, point.estimate ? point.estimate->step : -1,
                        point.simulation ? point.simulation->step : -1, point.predicted().why);
    for (const double figure : point.figures.of) text += fmt::format(" {}", figure);
    text += "\n";
  }
  for (const std::size_t i : explored.best) text += fmt::format("{} ", i);
  for (const AxisEffect& effect : explored.effects) {
    text += fmt::format("\n{} {}", effect.name, effect.explains);
    for (const Alternative& other : effect.values)
      text += fmt::format(" {} {}", other.label, other.change);
  }
  return text;
}

TEST(Explore, CountsEveryPointOnce) {
  const auto space = space_of(small_space());
  const auto found = explored(space);
  EXPECT_EQ(found.points.size(), 288u);
  std::uint64_t illegal = 0;
  for (const auto& [rule, number] : found.illegal) illegal += number;
  EXPECT_EQ(found.fitting + illegal + found.too_large + found.needs_simulation + found.failed,
            288u);
  EXPECT_EQ(found.illegal.at("fills-cluster"), 72u + 18u);  // pp 3; 8 x 4 of 16
  EXPECT_GT(found.too_large, 0u);
  EXPECT_GT(found.fitting, 50u);
  EXPECT_EQ(found.failed, 0u);
}

// Where no library runs collectives, estimates are some per cent off (docs/search.md); the best of
// a simulation of all is the best of the few that were simulated.
TEST(Explore, MethodsFindTheSame) {
  const auto space = space_of(small_space());
  const auto estimated = explored(space, options_of(Evaluation::estimate));
  const auto simulated = explored(space, options_of(Evaluation::simulate, 2));
  const auto both = explored(space, options_of(Evaluation::automatic, 2));
  EXPECT_EQ(estimated.simulations, 0u);
  EXPECT_EQ(simulated.simulations, 288u);
  EXPECT_GE(both.simulations, 20u);
  EXPECT_LT(both.simulations, 100u);
  EXPECT_EQ(both.points[both.best.front()].number, simulated.points[simulated.best.front()].number);
  EXPECT_EQ(both.points[both.best.front()].predicted().step,
            simulated.points[simulated.best.front()].predicted().step);
  for (std::size_t i = 0; i < 288; ++i) {
    EXPECT_EQ(estimated.points[i].predicted().state, simulated.points[i].predicted().state);
    if (estimated.points[i].predicted().state != State::fits) continue;
    EXPECT_NEAR(static_cast<double>(estimated.points[i].predicted().step) /
                    static_cast<double>(simulated.points[i].predicted().step),
                1, 0.1)
        << space.words(space.at(i));
  }
  for (const Point& point : both.points) EXPECT_TRUE(point.simulation || !point.front);
}

// The same question by `orrery search --model`.
TEST(Explore, FindsWhatASearchOfPlansFinds) {
  const auto space = space_of(R"(
job:
  model: llama-3-8b
  batch: {global: 128, micro: "=micro", seq: 4096}
  parallel: {tp: "=tp", pp: "=pp", sp: "=tp > 1", sharding: "=sharding"}
cluster: "a100-80gb:16"
axes:
  - {name: tp, values: [1, 2, 4, 8]}
  - {name: pp, values: [1, 2, 4, 8, 16]}
  - {name: micro, values: [1, 2, 4]}
  - {name: sharding, values: [none, zero1, zero3]}
recompute: [none, selective, full]
constraints: [tp * pp <= 16]
)");
  const auto found = explored(space, options_of(Evaluation::estimate));
  PlanQuestion question;
  question.job.model = "llama-3-8b";
  question.job.seq = "4096";
  question.job.global_batch = "128";
  question.job.tp = "1,2,4,8";
  question.job.pp = "1,2,4,8,16";
  question.job.chunks = "1";
  question.job.micro_batch = "1,2,4";
  question.job.sharding = "none,zero1,zero3";
  question.cluster = "a100-80gb:16";
  question.evaluation = Evaluation::estimate;
  question.best = 1000;
  const auto plans = search_plans(question);
  ASSERT_TRUE(plans) << to_string(plans.error());
  std::map<std::string, std::int64_t> wanted, got;
  for (const PlanAnswer& one : plans->best) wanted[plan_label(one.spec)] = one.step().count();
  for (const std::size_t i : found.best) {
    const PointPrediction& predicted = found.points[i].predicted();
    got[predicted.plan] = predicted.step;
    EXPECT_DOUBLE_EQ(
        found.points[i].figures[Figure::mfu],
        plans->model_flops / (static_cast<double>(predicted.step) * 1e-12 * 16 * plans->peak));
  }
  EXPECT_GT(got.size(), 30u);
  for (const auto& [plan, step] : wanted) EXPECT_EQ(got[plan], step) << plan;
}

TEST(Explore, IsTheSameWithAnyNumberOfThreadsAndHoweverItWasBrokenOff) {
  const std::string more = "objectives: [step, memory, cost]\nconstraints: [mfu > 0.05]\n";
  const auto options = [](std::uint32_t threads, std::string path) {
    ExploreOptions made = options_of(Evaluation::automatic, threads, std::move(path));
    made.simulated = core_testing::case_count<std::size_t>(20, 4);
    return made;
  };
  std::vector<double> places{0.0, 0.1, 0.37, 0.8, 0.999, 1.0};
  if (!core_testing::full_effort()) places = {0.37, 0.999};
  for (const char* how : {"all", "random", "latin", "evolve"}) {
    const auto space = space_of(small_space(
        fmt::format("{}sample: {{how: {}, points: {}, seed: 3}}\n", more, how, rounds(80, 24))));
    const std::string wanted = all_of(space, explored(space, options(1, {})));
    const Folder folder;
    const std::string file = folder.path + "/points.jsonl";
    const auto first = explored(space, options(4, file));
    EXPECT_EQ(all_of(space, first), wanted) << how;
    const std::string whole = bytes_of(file);
    const auto lines = static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n'));
    EXPECT_EQ(lines, first.evaluated) << how;
    // Broken off anywhere, also within a line.
    for (const double at : places) {
      const auto bytes = static_cast<std::size_t>(at * static_cast<double>(whole.size()));
      std::ofstream(file, std::ios::binary) << whole.substr(0, bytes);
      const auto stored = static_cast<std::size_t>(
          std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes), '\n'));
      if (bytes > 0 && stored == 0) continue;  // it could be anybody's
      const auto again = explored(space, options(1 + stored % 3, file));
      EXPECT_EQ(all_of(space, again), wanted) << how << " " << at;
      EXPECT_EQ(again.evaluated, lines - stored) << how << " " << at;
      EXPECT_EQ(bytes_of(file), whole) << how << " " << at;
    }
  }
}

TEST(Explore, PartsMakeTheWhole) {
  const Folder folder;
  const std::string file = folder.path + "/points.jsonl";
  for (const char* how : {"all", "latin"}) {
    const auto space = space_of(small_space(fmt::format("sample: {{how: {}, points: 70}}\n", how)));
    std::set<std::uint64_t> seen;
    std::size_t evaluated = 0;
    for (std::uint32_t part = 1; part <= 3; ++part) {
      ExploreOptions options = options_of(Evaluation::automatic, 2, file);
      options.answers.part = part;
      options.answers.parts = 3;
      const auto some = explored(space, options);
      evaluated += some.evaluated;
      for (const Point& point : some.points) EXPECT_TRUE(seen.insert(point.number).second);
      const std::string own = bytes_of(fmt::format("{}.part-{}-of-3", file, part));
      EXPECT_EQ(static_cast<std::size_t>(std::count(own.begin(), own.end(), '\n')), some.evaluated);
    }
    EXPECT_EQ(evaluated, seen.size());
    EXPECT_FALSE(std::filesystem::exists(file));
    const auto wanted = explored(space);
    const auto whole = explored(space, options_of(Evaluation::automatic, 2, file));
    EXPECT_EQ(all_of(space, whole), all_of(space, wanted));
    EXPECT_EQ(whole.evaluated + evaluated, wanted.evaluated);
    std::filesystem::remove(file);
    for (int part = 1; part <= 3; ++part)
      std::filesystem::remove(fmt::format("{}.part-{}-of-3", file, part));
  }
  ExploreOptions options = options_of(Evaluation::automatic, 2, file);
  options.answers.part = options.answers.parts = 1;
  const auto space = space_of(small_space("sample: {how: evolve}\n"));
  EXPECT_EQ(explore(space, options).error().code, Errc::usage);
}

TEST(Explore, KeepsWhatOtherSpacesFoundAndNobodyElsesFiles) {
  const Folder folder;
  const std::string file = folder.path + "/points.jsonl";
  const auto wide = space_of(small_space());
  const auto first = explored(wide, options_of(Evaluation::estimate, 2, file));
  const auto narrow = space_of(small_space("constraints: [tp == 2]\n"));
  EXPECT_EQ(explored(narrow, options_of(Evaluation::estimate, 2, file)).evaluated, 0u);
  EXPECT_EQ(explored(wide, options_of(Evaluation::estimate, 2, file)).evaluated, 0u);
  EXPECT_EQ(first.evaluated, 288u);
  std::ofstream(folder.path + "/notes.txt") << "milk\nbread\n";
  const auto refused =
      explore(wide, options_of(Evaluation::estimate, 2, folder.path + "/notes.txt"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::output_exists);
  EXPECT_EQ(bytes_of(folder.path + "/notes.txt"), "milk\nbread\n");
}

TEST(Explore, PricesAndPowerCostNoNewAnswers) {
  const Folder folder;
  const std::string file = folder.path + "/points.jsonl";
  const std::string power = "power: {device: 700, extra: 300, overhead: 1.5}\n";
  const auto cheap = space_of(small_space(power + "prices: {device: 2}\n"));
  const auto dear =
      space_of(small_space(power + "prices: {device: '=if(nic > 20, 3, 2)', energy: 0.2}\n"
                                   "objectives: [cost_of_1e9, energy]\n"));
  const auto first = explored(cheap, options_of(Evaluation::estimate, 2, file));
  const auto again = explored(dear, options_of(Evaluation::estimate, 2, file));
  EXPECT_EQ(again.evaluated, 0u);
  for (std::size_t i = 0; i < first.points.size(); ++i) {
    if (!first.points[i].allowed) continue;
    const Figures &a = first.points[i].figures, &b = again.points[i].figures;
    const double step = a[Figure::step];
    EXPECT_DOUBLE_EQ(a[Figure::power], 16 * 1000 * 1.5);
    EXPECT_DOUBLE_EQ(a[Figure::energy], 24000 * step);
    EXPECT_DOUBLE_EQ(a[Figure::rate], 64 * 1024 / step);
    EXPECT_DOUBLE_EQ(a[Figure::cost], step / 3600 * 32);
    const double each = dear.at(again.points[i].number)[4] > 0 ? 3 : 2;
    EXPECT_DOUBLE_EQ(b[Figure::cost], step / 3600 * (16 * each + 24 * 0.2));
    EXPECT_DOUBLE_EQ(b[Figure::unit_cost], b[Figure::cost] / 65536 * 1e9);
    EXPECT_DOUBLE_EQ(b[Figure::work], 65536 / a[Figure::energy]);
  }
  // Unknown figures count as worst: the device is not in the catalog.
  const auto unknown = explored(space_of(small_space("constraints: [power < 1e9]\n")),
                                options_of(Evaluation::estimate));
  EXPECT_TRUE(unknown.best.empty());
}

TEST(Explore, PricesAreNumbers) {
  for (const auto& [wrong, where] :
       {std::pair{"prices: {device: -1}\n", "space.yaml:/prices/device"},
        std::pair{"power: {overhead: '=nic / 100'}\n", "space.yaml:/power/overhead"}}) {
    const auto made = explore(space_of(small_space(wrong)), options_of(Evaluation::estimate));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().where, where);
    EXPECT_NE(made.error().what.find("(at tp 1"), std::string::npos) << made.error().what;
  }
}

TEST(Explore, SaysWhatAxesDo) {
  const auto space = space_of(small_space());
  const auto found = explored(space, options_of(Evaluation::estimate, 2));
  const Point& best = found.points[found.best.front()];
  ASSERT_EQ(found.effects.size(), 5u);
  double before = 1;
  for (const AxisEffect& effect : found.effects) {
    EXPECT_LE(effect.explains, before);
    before = effect.explains;
    int own = 0;
    for (const Alternative& other : effect.values) {
      own += other.is_best;
      EXPECT_TRUE(!other.is_best || other.change == 0);
      EXPECT_GE(other.change, 0);  // no value is better than the best
      EXPECT_EQ(other.allowed, other.state == State::fits);
    }
    EXPECT_EQ(own, 1);
  }
  EXPECT_TRUE(best.front);
}

// A small sample finds the best through neighbors.
TEST(Explore, LooksBesideTheBest) {
  const auto all = explored(space_of(small_space()), options_of(Evaluation::estimate, 2));
  int same = 0;
  for (int seed = 1; seed <= rounds(10, 3); ++seed) {
    const auto space =
        space_of(small_space(fmt::format("sample: {{how: random, points: 12, seed: {}}}\n", seed)));
    const auto few = explored(space, options_of(Evaluation::estimate, 2));
    EXPECT_LT(few.points.size(), 100u);
    if (few.best.empty()) continue;
    for (const AxisEffect& effect : few.effects)
      for (const Alternative& other : effect.values) EXPECT_GE(other.change, 0);
    same += few.points[few.best.front()].predicted().step ==
            all.points[all.best.front()].predicted().step;
  }
  EXPECT_GE(same, rounds(6, 1));
}

TEST(Explore, FailsWhereEverythingFails) {
  const auto wrong = explore(space_of(small_space("constraints: [tp == 1]\n")), {});
  EXPECT_TRUE(wrong);
  std::string text = small_space();
  text.replace(text.find("micro: \"=micro\""), 15, "micro: \"=nic/3\"");
  const auto failed = explore(space_of(text), {});
  ASSERT_FALSE(failed);
  EXPECT_NE(to_string(failed.error()).find("/batch/micro"), std::string::npos)
      << to_string(failed.error());
  // Where some can be read, the others are counted.
  text.replace(text.find("=nic/3"), 6, "=nic/25");
  const auto some = explored(space_of(text), options_of(Evaluation::estimate));
  EXPECT_EQ(some.failed, 96u);  // 12.5 / 25
  EXPECT_GT(some.best.size(), 0u);
}

}  // namespace
}  // namespace orrery::explore
