// SPDX-License-Identifier: Apache-2.0
//
// Fits curves of measured collectives, and prints errors of predictions.
//
//   collective_curves fit <points.tsv >data/collectives/nccl.yaml
//   collective_curves check <points.tsv
//
// collective_points.py writes points.tsv. `check` prints medians of |predicted / measured - 1|: for
// held-out sizes, for held-out groups and devices, for third-party measurements on machines of the
// same kind, and for NCCL's cost model alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "orrery/core/statistics/statistics.h"
#include "orrery/model/collective/curves/lin_curve.h"
#include "orrery/model/collective/library/library_machine.h"
#include "orrery/platform/catalog/catalog.h"

using namespace orrery;
using model::CollectiveCurve;
using model::SizedTime;

namespace {

struct Measured {
  CollectiveCurve curve;
  std::vector<SizedTime> points;
  bool fitted = true;  ///< false: only compared
};

graph::CollectiveType type_of(const std::string& word) {
  for (const auto type : {graph::CollectiveType::all_reduce, graph::CollectiveType::all_gather,
                          graph::CollectiveType::reduce_scatter, graph::CollectiveType::all_to_all})
    if (graph::name(type) == word) return type;
  std::cerr << "collective_curves: unknown collective " << word << " in points.tsv\n";
  std::exit(2);
}

std::vector<Measured> read_points() {
  std::vector<Measured> all;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> words;
    std::istringstream cells(line);
    for (std::string word; std::getline(cells, word, '\t');) words.push_back(word);
    if (words.size() != 10) continue;
    Measured one;
    one.fitted = words[9] == "fit";
    CollectiveCurve& curve = one.curve;
    curve.device = words[0];
    curve.library = words[1];
    curve.type = type_of(words[2]);
    curve.nodes = std::stoll(words[3]);
    curve.ranks = std::stoll(words[4]);
    curve.intra = std::stod(words[5]);
    curve.inter = std::stod(words[6]);
    curve.source = words[7];
    curve.name = curve.device + ' ' + words[2] + ' ' + words[3] + 'x' +
                 std::to_string(curve.ranks / curve.nodes);
    std::istringstream points(words[8]);
    for (std::string point; std::getline(points, point, ',');) {
      const std::size_t colon = point.find(':');
      one.points.push_back(
          {std::stoll(point.substr(0, colon)), std::stod(point.substr(colon + 1))});
    }
    curve.curve = model::fit_curve(one.points);
    curve.error = model::holdout_curve_error(one.points);
    all.push_back(std::move(one));
  }
  return all;
}

/// Errors of a group, and how many measured times are within their intervals.
struct Tally {
  std::vector<double> off;
  int in_band = 0, banded = 0;
};
using Tallies = std::map<std::string, Tally>;

void print(const char* title, const Tallies& tallies) {
  std::printf("\n%s\n%-34s %7s %8s %8s %8s %8s\n", title, "", "points", "median", "90 %", "signed",
              "inside");
  for (const auto& [name, tally] : tallies) {
    std::vector<double> off = tally.off, sizes;
    for (const double one : off) sizes.push_back(std::abs(one));
    std::printf("%-34s %7zu %7.1f%% %7.1f%% %7.1f%% %7.0f%%\n", name.c_str(), off.size(),
                100 * quantile_nearest(sizes, 0.5), 100 * quantile_nearest(sizes, 0.9),
                100 * quantile_nearest(off, 0.5),
                tally.banded == 0 ? 0.0 : 100.0 * tally.in_band / tally.banded);
  }
}

/// The machine that the curve was measured on.
model::nccl::Hardware machine_of(const CollectiveCurve& curve) {
  platform::Platform platform;
  platform.device.entry = curve.device;
  platform.dims = {
      {platform::Block::switched, curve.ranks / curve.nodes, Bandwidth(curve.intra * 1e9), 0}};
  if (curve.nodes > 1)
    platform.dims.push_back(
        {platform::Block::switched, curve.nodes, Bandwidth(curve.inter * 1e9), 0});
  return model::library_machine(platform).hardware;
}

void add(Tally& tally, const model::LibraryTimes& times, const Measured& of) {
  for (const SizedTime& point : of.points) {
    const auto answer = times(of.curve.type, point.bytes, {of.curve.ranks, of.curve.nodes});
    const double predicted = static_cast<double>(answer.time.count()) / 1e6;
    tally.off.push_back(predicted / point.us - 1);
    if (!answer.band) continue;
    ++tally.banded;
    const double share = point.us / predicted - 1;
    if (share >= answer.band->lower && share <= answer.band->upper) ++tally.in_band;
  }
}

std::string group(const CollectiveCurve& curve) {
  return curve.device + ' ' + std::to_string(curve.nodes) + 'x' +
         std::to_string(curve.ranks / curve.nodes);
}

/// Error of one held-out size: predicted / measured - 1.
struct Held {
  std::int64_t bytes = 0;
  double off = 0;
};

/// Cross-validation with two folds: each curve uses every second size and predicts the others.
std::vector<Held> held_out(const Measured& one) {
  std::vector<Held> all;
  for (const std::size_t odd : {0U, 1U}) {
    std::vector<SizedTime> retained, held;
    for (std::size_t i = 0; i < one.points.size(); ++i) {
      const bool end = i == 0 || i + 1 == one.points.size();
      (end || i % 2 == odd ? retained : held).push_back(one.points[i]);
    }
    CollectiveCurve part = one.curve;
    part.curve = model::fit_curve(retained);
    const model::LibraryTimes times(machine_of(part), "", {part});
    for (const SizedTime& point : held) {
      const auto predicted = times(part.type, point.bytes, {part.ranks, part.nodes}).time;
      all.push_back({point.bytes, static_cast<double>(predicted.count()) / 1e6 / point.us - 1});
    }
  }
  return all;
}

/// The interval of a size comes from the errors of the curve's other sizes.
void check_sizes(const std::vector<Measured>& all) {
  Tallies by_group, by_type, small;
  for (const Measured& one : all) {
    const std::vector<Held> held = held_out(one);
    for (std::size_t i = 0; i < held.size(); ++i) {
      std::vector<double> others;
      for (std::size_t j = 0; j < held.size(); ++j)
        if (j != i) others.push_back(1 / (1 + held[j].off) - 1);
      const auto band = model::eighty_percent_interval(others);
      const double share = 1 / (1 + held[i].off) - 1;
      const auto count = [&](Tally& tally) {
        tally.off.push_back(held[i].off);
        ++tally.banded;
        if (share >= band.first && share <= band.second) ++tally.in_band;
      };
      count(by_group[group(one.curve)]);
      count(by_type[std::string(graph::name(one.curve.type)) +
                    (one.curve.nodes > 1 ? ", between nodes" : "")]);
      count(by_type["all"]);
      if (held[i].bytes <= 16384) count(small[group(one.curve)]);
    }
  }
  print("Held-out sizes, by device and nodes x GPUs", by_group);
  print("Held-out sizes, by collective", by_type);
  print("Held-out sizes up to 16 KiB", small);
}

/// Holds out one group; the other groups of the same device predict it.
void check_groups(const std::vector<Measured>& all, bool across) {
  Tallies tallies;
  for (const Measured& out : all) {
    if ((out.curve.nodes > 1) != across) continue;
    std::vector<CollectiveCurve> others;
    for (const Measured& one : all) {
      const bool same = one.curve.device == out.curve.device && one.curve.type == out.curve.type &&
                        (one.curve.nodes > 1) == across;
      if (same && !(one.curve == out.curve)) others.push_back(one.curve);
    }
    if (others.size() < 2) continue;
    const model::LibraryTimes times(machine_of(out.curve), "", others);
    add(tallies[group(out.curve) + ' ' + std::string(graph::name(out.curve.type))], times, out);
    if (across) add(tallies[out.curve.device + " fabric"], times, out);
  }
  print(across ? "Held-out numbers of nodes" : "Held-out numbers of GPUs in a node", tallies);
}

/// Errors of the eight-parameter curve of Lin et al. and of lines, at the fitted points.
void check_lin(const std::vector<Measured>& all) {
  Tallies tallies;
  for (const Measured& one : all) {
    const double factor = bus_factor(one.curve.type, one.curve.ranks);
    const model::LinCurve lin = model::fit_lin_curve(one.points, factor);
    if (lin.max_bw == 0) continue;
    for (const SizedTime& point : one.points) {
      tallies["Lin et al."].off.push_back(lin(point.bytes, factor) / point.us - 1);
      tallies["lines"].off.push_back(one.curve.curve(point.bytes) / point.us - 1);
    }
  }
  print("Fitted points", tallies);
}

platform::Architecture architecture_of(const std::string& device) {
  const platform::DeviceEntry* entry = platform::find_device(device);
  return entry == nullptr ? platform::Architecture::unknown : entry->architecture;
}

/// Holds out one device; each other device of its architecture predicts it.
void check_devices(const std::vector<Measured>& all) {
  Tallies tallies;
  for (const Measured& out : all) {
    std::map<std::string, std::vector<CollectiveCurve>> others;
    for (const Measured& one : all)
      if (one.curve.device != out.curve.device && one.curve.type == out.curve.type &&
          (one.curve.nodes > 1) == (out.curve.nodes > 1) &&
          architecture_of(one.curve.device) == architecture_of(out.curve.device))
        others[one.curve.device].push_back(one.curve);
    for (const auto& [device, curves] : others) {
      const model::LibraryTimes times(machine_of(out.curve), "", curves);
      add(tallies[out.curve.device + " by " + device], times, out);
    }
  }
  print("Held-out devices, predicted from a device of their architecture", tallies);
}

/// Third-party measurements to which no curve is fitted.
void check_others(const std::vector<Measured>& others) {
  Tallies tallies;
  for (const Measured& one : others) {
    const model::LibraryTimes times(machine_of(one.curve), one.curve.device);
    add(tallies[one.curve.library], times, one);
    add(tallies[one.curve.nodes > 1 ? "all, between nodes" : "all, one node"], times, one);
  }
  print("Third-party measurements", tallies);
}

void check_cost_model(const std::vector<Measured>& all) {
  Tallies tallies;
  for (const Measured& one : all) {
    const model::LibraryTimes times(machine_of(one.curve), "", {});
    add(tallies[group(one.curve)], times, one);
  }
  print("Cost model alone", tallies);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc == 2 ? argv[1] : "";
  if (word != "fit" && word != "check") {
    std::cerr << "usage: collective_curves fit|check <points.tsv\n";
    return 2;
  }
  std::vector<Measured> all = read_points();
  std::vector<Measured> others;
  for (const Measured& one : all)
    if (!one.fitted) others.push_back(one);
  std::erase_if(all, [](const Measured& one) { return !one.fitted; });
  if (word == "fit") {
    std::vector<CollectiveCurve> curves;
    for (const Measured& one : all) curves.push_back(one.curve);
    std::cout << "# SPDX-License-Identifier: Apache-2.0\n#\n"
                 "# Lines fitted to measured collectives, by size: "
                 "benchmarks/accuracy/collective_curves.cc. README.md lists the sources.\n\n"
              << model::write_curves(curves);
    return 0;
  }
  check_sizes(all);
  check_groups(all, false);
  check_groups(all, true);
  check_devices(all);
  check_others(others);
  check_lin(all);
  check_cost_model(all);
  return 0;
}
