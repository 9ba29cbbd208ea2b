// SPDX-License-Identifier: Apache-2.0
//
// Latency and throughput compared with those that BookSim2 printed for ten configurations (seeds 1
// to 5; commit 28f4329). The limits: without contention, 1 % or 1 cycle; up to 80 % of saturation,
// 3 % of latency (transpose: below saturation); above, two standard deviations of BookSim2's seeds;
// saturated throughput, 1.5 %. Each limit is at least two standard errors of the difference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/network/noc/traffic.h"

namespace orrery::noc::testing {

/// One configuration, as BookSim2's parameters state it.
struct BookSimCase {
  std::string name;
  NocGraph graph;
  platform::NocSettings router;
  TrafficSettings traffic;
  config::Json measured;  ///< of booksim_seeds.json
};

/// One compared figure.
struct Compared {
  std::string name, figure;
  double load = 0;
  double ours = 0, theirs = 0, limit = 0;  ///< limit of the difference
  std::string note{};                      ///< why it is not compared: BookSim2's seeds
  std::int64_t saturated = 0;              ///< runs of ours, where all of BookSim2's are stable
  [[nodiscard]] bool is_within() const {
    return saturated == 0 && std::abs(ours - theirs) <= limit;
  }
};

/// Mean and standard deviation.
struct Sample {
  std::vector<double> values;
  [[nodiscard]] double mean() const { return orrery::mean(values); }
  [[nodiscard]] double variance() const { return values.size() < 2 ? 0 : sample_variance(values); }
  [[nodiscard]] double squared_error() const {
    return variance() / static_cast<double>(values.size());
  }
};

inline BookSimCase booksim_case(const std::string& name, const config::Json& parameters,
                                const config::Json& measured) {
  const auto number = [&](const char* key) { return parameters.at(key).get<std::int64_t>(); };
  const auto is = [&](const char* key, const char* word) {
    return parameters.at(key).get<std::string>() == word;
  };
  BookSimCase made;
  made.name = name;
  made.measured = measured;
  CubeShape shape;
  shape.extents.assign(static_cast<std::size_t>(number("n")),
                       static_cast<std::uint32_t>(number("k")));
  shape.wraps = is("topology", "torus");
  shape.link_cycles = shape.wraps ? 2 : 1;  // a folded torus
  made.graph = *make_cube(shape);
  made.router.channels = number("num_vcs");
  made.router.buffer = number("vc_buf_size");
  made.router.stages = 1 + number("routing_delay") + number("vc_alloc_delay") +
                       number("sw_alloc_delay");  // and one cycle to cross
  made.router.credit = number("credit_delay");
  made.router.speedup = number("input_speedup");
  made.router.iterations = number("alloc_iters");
  made.router.waits_for_tail = number("wait_for_tail_credit") != 0;
  // BookSim2 keeps one choice per priority (outputset.hpp: a set that compares priorities alone),
  // so that its minimal adaptive routing has one direction and the escape channel.
  made.router.routing = is("routing_function", "min_adapt") ? platform::NocRouting::xy_escape
                                                            : platform::NocRouting::xy;
  made.traffic.pattern =
      is("traffic", "transpose") ? TrafficPattern::transpose : TrafficPattern::uniform;
  made.traffic.packet = number("packet_size");
  made.traffic.period = number("sample_period");
  made.traffic.warm_up = number("warmup_periods");
  made.traffic.periods = number("max_samples");
  made.traffic.latency_limit = std::stod(parameters.at("latency_thres").get<std::string>());
  return made;
}

/// All cases; empty: the files are not in `folder`.
inline std::vector<BookSimCase> booksim_cases(const std::string& folder) {
  const auto parameters_text = config::read_text(folder + "booksim_8x8_mesh.json");
  const auto seeds_text = config::read_text(folder + "booksim_seeds.json");
  if (!parameters_text || !seeds_text) return {};
  const auto parameters = config::parse_json(*parameters_text, "booksim_8x8_mesh.json");
  const auto seeds = config::parse_json(*seeds_text, "booksim_seeds.json");
  std::vector<BookSimCase> made;
  for (const auto& [name, one] : (*parameters)["configs"].items())
    made.push_back(booksim_case(name, one["params"], (*seeds)["configs"][name]));
  return made;
}

struct OurRuns {
  Sample latency, hops, accepted;
  std::int64_t stable = 0;
};

inline OurRuns run_seeds(const BookSimCase& one, double load, std::int64_t seeds) {
  OurRuns made;
  const FlitEngine empty = *FlitEngine::make(one.graph, one.router);
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    TrafficSettings traffic = one.traffic;
    traffic.load = load;
    traffic.seed = static_cast<std::uint64_t>(seed);
    FlitEngine engine = empty;
    const TrafficResult result = run_traffic(engine, traffic);
    made.accepted.values.push_back(result.accepted);
    if (!result.is_stable) continue;
    ++made.stable;
    made.latency.values.push_back(result.latency);
    made.hops.values.push_back(result.hops);
  }
  return made;
}

/// BookSim2's values of a quantity at one load.
inline Sample booksim_sample(const BookSimCase& one, const char* quantity, std::size_t index) {
  Sample made;
  for (int seed = 1; seed <= 5; ++seed) {
    const config::Json& value = one.measured[quantity]["seed" + std::to_string(seed)][index];
    if (value.is_number()) made.values.push_back(value.get<double>());
  }
  return made;
}

/// Latency at one load; per router at the lowest load.
inline Compared compare_latency(const BookSimCase& one, std::size_t index, const OurRuns& ours) {
  const double load = one.measured["rate"][index].get<double>();
  const Sample latency = booksim_sample(one, "packet_latency", index);
  Compared made{one.name, "latency", load};
  const auto runs = static_cast<std::int64_t>(ours.accepted.values.size());
  if (latency.values.size() < 5) {
    made.note =
        latency.values.empty() ? "saturated in BookSim2" : "some of BookSim2's seeds are saturated";
    if (!latency.values.empty()) made.theirs = latency.mean();
    if (!ours.latency.values.empty()) made.ours = ours.latency.mean();
    return made;
  }
  made.saturated = runs - ours.stable;
  if (ours.stable == 0) {
    made.theirs = latency.mean();
    return made;
  }
  const double standard = 2 * std::sqrt(latency.squared_error() + ours.latency.squared_error());
  made.theirs = latency.mean();
  made.ours = ours.latency.mean();
  const double saturation =
      one.measured["summary"]["saturation_3x_zero_load"]["mean"].get<double>();
  if (index == 0) {
    // With the same number of routers: packets of the seeds go to other nodes.
    const Sample hops = booksim_sample(one, "hops", index);
    made.figure = "latency without contention";
    made.ours *= hops.mean() / ours.hops.mean();
    made.limit = std::max({1.0, 0.01 * made.theirs, standard});
  } else if (load <= (one.traffic.pattern == TrafficPattern::transpose ? 1 : 0.8) * saturation) {
    made.limit = std::max(0.03 * made.theirs, standard);
  } else {
    made.figure = "latency near saturation";
    made.limit = std::max(2 * std::sqrt(latency.variance()), standard);
  }
  return made;
}

/// The largest accepted load; where nothing saturates, the offered one.
inline Compared compare_throughput(const BookSimCase& one, const std::vector<OurRuns>& ours) {
  Compared made{one.name, "saturated throughput", 0};
  double error = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Sample theirs = booksim_sample(one, "accepted_flit_rate", i);
    if (theirs.mean() > made.theirs) {
      made.theirs = theirs.mean();
      error = theirs.squared_error();
    }
  }
  double own_error = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].accepted.mean() <= made.ours) continue;
    made.ours = ours[i].accepted.mean();
    made.load = one.measured["rate"][i].get<double>();
    own_error = ours[i].accepted.squared_error();
  }
  made.limit = std::max(0.015 * made.theirs, 2 * std::sqrt(error + own_error));
  return made;
}

}  // namespace orrery::noc::testing
