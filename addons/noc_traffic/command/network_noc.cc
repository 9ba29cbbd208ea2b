// SPDX-License-Identifier: Apache-2.0
//
// orrery network noc: synthetic traffic in a network of routers.
#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "addons/noc_traffic/command/router_options.h"
#include "addons/noc_traffic/command/rows.h"
#include "addons/noc_traffic/command/traffic_names.h"
#include "addons/noc_traffic/text/traffic_answer.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/config/document.h"

namespace orrery::commands {

namespace {

struct NocOptions {
  noc::TrafficTopology topology = noc::TrafficTopology::mesh;
  std::string size = "8x8";
  std::int64_t concentration = 1, link_cycles = 1;
  noc::TrafficPattern pattern = noc::TrafficPattern::uniform;
  std::vector<std::string> loads;
  std::int64_t packet = 1;
  std::string trace;
  std::int64_t hot_node = 0;
  double hot_share = 0.1;
  std::int64_t seeds = 3;
  bool saturation = false;
  platform::NocSettings router;
  std::int64_t warm_up = 3, period_cycles = 1000, periods = 10;
  std::optional<double> latency_limit;

  static constexpr auto fields = std::tuple{
      QuestionGroup{"Network"},
      QuestionField{"topology", &NocOptions::topology, "--topology", "TEXT", kAnswer, "torus",
                    kWordsOf<noc::TrafficTopology>}
          .shows_default(),
      QuestionField{"size", &NocOptions::size, "--size", "TEXT", kAnswer, "4x4",
                    "Routers of each dimension; one number for a ring, a crossbar (its nodes) and "
                    "a fully connected network"}
          .shows_default(),
      QuestionField{"concentration", &NocOptions::concentration, "--concentration", "N", kAnswer,
                    "2", "Nodes of each router"}
          .between(1, 64)
          .shows_default(),
      QuestionField{"link_cycles", &NocOptions::link_cycles, "--link-cycles", "N", kAnswer, "2",
                    "Cycles of a link between routers"}
          .between(1, 1024)
          .shows_default(),
      QuestionGroup{"Traffic"},
      QuestionField{"pattern", &NocOptions::pattern, "--pattern", "TEXT", kAnswer, "shuffle",
                    kWordsOf<noc::TrafficPattern>}
          .shows_default(),
      QuestionField{"loads", &NocOptions::loads, "--load", "N", kAnswer, "0.3",
                    "Loads to simulate, in flits per node and cycle; without it: ten steps up to "
                    "the bound of the bisection"}
          .comma_separated(),
      QuestionField{"packet", &NocOptions::packet, "--packet", "N", kAnswer, "4",
                    "Flits of a packet"}
          .between(1, 65536)
          .shows_default(),
      QuestionField{"trace", &NocOptions::trace, "--trace", "FILE", kAnswer, "packets.csv",
                    "--pattern trace: packets, a line each: cycle, source, destination, flits"},
      QuestionField{"hot_node", &NocOptions::hot_node, "--hot-node", "N", kAnswer, "1",
                    "--pattern hot-spot: the node that gets more"}
          .between(0, 65535),
      QuestionField{"hot_share", &NocOptions::hot_share, "--hot-share", "N", kAnswer, "0.2",
                    "--pattern hot-spot: share of the packets that go to it"}
          .shows_default(),
      QuestionField{"seeds", &NocOptions::seeds, "--seeds", "N", kAnswer, "2",
                    "Runs per load, with other random numbers"}
          .between(1, 1000)
          .shows_default(),
      QuestionField{"saturation", &NocOptions::saturation, "--saturation", "", kAnswer, "true",
                    "Find the load with three times the latency without contention, by bisection"},
      QuestionGroup{"Routers"},
      QuestionStruct{"", &NocOptions::router},
      QuestionGroup{"Measurement"},
      QuestionField{"warm_up_periods", &NocOptions::warm_up, "--warm-up-periods", "N", kAnswer, "2",
                    "Periods before the measurement"}
          .between(1, 1'000'000)
          .shows_default(),
      QuestionField{"period_cycles", &NocOptions::period_cycles, "--period-cycles", "N", kAnswer,
                    "500", "Cycles of a period"}
          .between(1, 1'000'000)
          .shows_default(),
      QuestionField{"periods", &NocOptions::periods, "--periods", "N", kAnswer, "8",
                    "Most periods, with the warm-up"}
          .between(2, 1'000'000)
          .shows_default(),
      QuestionField{
          "latency_limit", &NocOptions::latency_limit, "--latency-limit", "N", kAnswer, "300",
          "Mean latency, in cycles, above which a run ends as saturated; without it: 20 times "
          "that without contention"}};
};

Result<std::vector<double>> read_loads(const std::vector<std::string>& words) {
  std::vector<double> made;
  for (const std::string& word : words) {
    double load = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), load);
    if (error != std::errc() || end != word.data() + word.size())
      return fail(Errc::usage, "--load", "'" + word + "' is no number", "for example 0.1,0.2");
    made.push_back(load);
  }
  return made;
}

/// Errc::usage: an option that was changed and has no effect with the others.
Result<void> check_effect(const NocOptions& options) {
  const NocOptions defaults;
  const auto changed = [&](auto member) { return options.*member != defaults.*member; };
  struct Option {
    bool is_changed;
    std::string_view name;
  };
  if (options.pattern == noc::TrafficPattern::trace) {
    for (const Option& one : {Option{options.saturation, "--saturation"},
                              {!options.loads.empty(), "--load"},
                              {changed(&NocOptions::packet), "--packet"},
                              {changed(&NocOptions::seeds), "--seeds"},
                              {changed(&NocOptions::warm_up), "--warm-up-periods"},
                              {changed(&NocOptions::period_cycles), "--period-cycles"},
                              {changed(&NocOptions::periods), "--periods"},
                              {changed(&NocOptions::latency_limit), "--latency-limit"}}) {
      if (one.is_changed)
        return fail(Errc::usage, std::string(one.name),
                    "has no effect: a trace has its own packets and times, and runs once",
                    "remove it");
    }
  }
  if (options.pattern != noc::TrafficPattern::hot_spot) {
    for (const Option& one : {Option{changed(&NocOptions::hot_node), "--hot-node"},
                              {changed(&NocOptions::hot_share), "--hot-share"}}) {
      if (one.is_changed)
        return fail(Errc::usage, std::string(one.name), "needs --pattern hot-spot", "give both");
    }
  }
  return {};
}

Result<noc::CurveQuestion> question_of(const NocOptions& options) {
  noc::CurveQuestion made;
  made.topology = options.topology;
  const auto extents = noc::parse_extents(options.size);
  if (!extents) return tl::unexpected(extents.error());
  made.extents = *extents;
  made.concentration = static_cast<std::uint32_t>(options.concentration);
  made.link_cycles = options.link_cycles;
  made.router = options.router;
  made.traffic = {.pattern = options.pattern,
                  .packet = options.packet,
                  .hot_node = static_cast<std::uint32_t>(options.hot_node),
                  .hot_share = options.hot_share,
                  .period = options.period_cycles,
                  .warm_up = options.warm_up,
                  .periods = options.periods};
  made.latency_limit = options.latency_limit;
  made.seeds = options.seeds;
  made.finds_saturation = options.saturation;
  const bool has_trace = options.pattern == noc::TrafficPattern::trace;
  if (has_trace != !options.trace.empty())
    return fail(Errc::usage, "--trace", has_trace ? "is missing" : "needs --pattern trace",
                "give both");
  if (auto fine = check_effect(options); !fine) return tl::unexpected(fine.error());
  if (has_trace) {
    const auto text = config::read_text(options.trace);
    if (!text) return tl::unexpected(text.error());
    auto trace = noc::parse_trace(*text, options.trace);
    if (!trace) return tl::unexpected(trace.error());
    made.traffic.trace = std::move(*trace);
    made.seeds = 1;
    return made;
  }
  auto loads = read_loads(options.loads);
  if (!loads) return tl::unexpected(loads.error());
  made.loads = std::move(*loads);
  if (made.loads.empty()) {
    const auto graph = noc::graph_of(made);
    if (!graph) return tl::unexpected(graph.error());
    const double most = noc::bisection_load(*graph).value_or(1);
    for (int i = 1; i <= 10; ++i) made.loads.push_back(most * i / 10);
  }
  return made;
}

int measure(const NocOptions& options, Context& context) {
  const auto asked = question_of(options);
  if (!asked) return context.fail(asked.error());
  const std::string path = std::exchange(context.output, {});
  if (!path.empty() && asked->traffic.pattern == noc::TrafficPattern::trace)
    return context.fail(
        {Errc::usage, "--output", "shows latency by load, and a trace has one run", "remove it"});
  if (!path.empty())
    if (auto fine = check_absent(path, context.force); !fine) return context.fail(fine.error());
  Progress progress(context);
  const Progress::Phase phase{"measure", "simulating", "runs"};
  const std::size_t runs = asked->loads.size() * static_cast<std::size_t>(asked->seeds);
  const auto curve = noc::run_curve(
      *asked, [&](std::size_t done) { progress.update(phase, done, std::max(done, runs)); });
  progress.clear();
  if (!curve) return context.fail(curve.error());
  if (!path.empty())
    if (auto done = write_output(path, present::latency_svg(*curve), context.force); !done)
      return context.fail(done.error());
  if (path == "-") return kOk;
  return context.deliver(
      [&](report::Answer& answer) { present::state_traffic(answer, *curve, path); });
}

}  // namespace

Action add_network_noc(CommandOptions& command, Context& context) {
  describe(command,
           "Sends synthetic traffic through routers with virtual channels, credits and\n"
           "allocators, and shows the latency of packets by load. Each run warms up, measures\n"
           "until latency and throughput are steady, and lets the measured packets arrive.\n"
           "\n"
           "Examples:\n"
           "  orrery network noc --size 8x8 --channels 8 --load 0.1,0.2,0.3,0.4\n"
           "  orrery network noc --topology torus --size 4x4x4 --saturation -o latency.svg\n"
           "  orrery network noc --pattern trace --trace packets.csv\n");
  const auto options = std::make_shared<NocOptions>();
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] { return measure(*options, context); };
}

}  // namespace orrery::commands
