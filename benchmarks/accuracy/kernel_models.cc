// SPDX-License-Identifier: Apache-2.0
//
// Errors of models of kernel times, compared with measured tables.
//
//   kernel_models heuristic DEVICES TABLE.csv...       errors by class and device, and the speed
//   kernel_models general DEVICES TABLE.csv...         … from data sheets and round figures only
//   kernel_models learned MODEL DEVICES TABLE.csv...   … on the held-out tenth
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "orrery/core/statistics/statistics.h"
#include "orrery/model/kernels/data_parts.h"
#include "orrery/model/kernels/heuristic/chip.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"
#include "orrery/model/kernels/learned/kernel_class.h"
#include "orrery/model/kernels/learned/learned_model.h"
#include "orrery/model/kernels/silicon_file.h"
#include "orrery/model/kernels/table/table_file.h"

namespace {

using namespace orrery;
using namespace orrery::model;

std::string whole(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) {
    std::fprintf(stderr, "kernel_models: cannot read %s\n", path);
    std::exit(1);
  }
  return out.str();
}

[[noreturn]] void die(const Error& error) {
  std::fprintf(stderr, "kernel_models: %s\n", to_string(error).c_str());
  std::exit(1);
}

struct Inputs {
  std::vector<Silicon> silicons;
  MeasuredRows measured;
  std::vector<const Silicon*> by_device;
};

Inputs load(int files, char** paths) {
  Inputs is;
  auto silicons = read_silicons(whole(paths[0]), paths[0]);
  if (!silicons) die(silicons.error());
  is.silicons = *std::move(silicons);
  for (int i = 1; i < files; ++i) {
    const auto read = read_measured(paths[i]);
    if (!read) die(read.error());
    append(is.measured, *read);
  }
  for (const std::string& name : is.measured.devices) {
    const auto found = std::find_if(is.silicons.begin(), is.silicons.end(),
                                    [&](const Silicon& silicon) { return silicon.name == name; });
    is.by_device.push_back(found == is.silicons.end() ? nullptr : &*found);
    if (!is.by_device.back())
      std::fprintf(stderr, "kernel_models: unknown device %s\n", name.c_str());
  }
  return is;
}

void print(const std::string& what, std::vector<double>& ratios) {
  std::vector<double> errors;
  for (const double ratio : ratios) errors.push_back(std::abs(ratio - 1));
  std::printf("%-44s %8zu  median %5.1f %%  p90 %6.1f %%  bias %+6.1f %%  80%% in [%.2f, %.2f]\n",
              what.c_str(), ratios.size(), 100 * quantile_lower(errors, 0.5),
              100 * quantile_lower(errors, 0.9), 100 * (quantile_lower(ratios, 0.5) - 1),
              1 / quantile_lower(ratios, 0.9), 1 / quantile_lower(ratios, 0.1));
}

/// The heuristic for unmeasured devices, which the trees for these devices correct.
class GeneralModel final : public KernelModel {
 public:
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override {
    return KernelTime{.seconds =
                          heuristic_seconds(kernel, Chip(silicon, general_architecture(silicon)))};
  }
};

int heuristic(const KernelModel& model, const Inputs& is) {
  std::map<std::string, std::vector<double>> by_device, by_class;
  const auto begin = std::chrono::steady_clock::now();
  std::size_t asked = 0;
  for (const MeasuredKernel& row : is.measured.rows) {
    const Silicon* silicon = is.by_device[row.device];
    if (!silicon) continue;
    double sum = 0;
    for (const auto& kernel : is.measured.kernels_of(row)) {
      const auto time = model.time(kernel, *silicon);
      sum += time ? time->seconds : NAN;
      ++asked;
    }
    const std::string name(class_name(row.kernel));
    const double ratio = sum / row.seconds;
    by_class[name].push_back(ratio);
    by_device[name + " @ " + silicon->name].push_back(ratio);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  for (auto& [name, ratios] : by_device) print(name, ratios);
  std::printf("\n");
  for (auto& [name, ratios] : by_class) print(name, ratios);
  std::printf("\n%zu kernels in %.2f s, including bookkeeping\n", asked, took.count());
  const auto start = std::chrono::steady_clock::now();
  double all = 0;
  for (const MeasuredKernel& row : is.measured.rows)
    if (const Silicon* silicon = is.by_device[row.device]) {
      all += model.time(row.kernel, *silicon)->seconds;
      for (const auto& kernel : is.measured.others_of(row))
        all += model.time(kernel, *silicon)->seconds;
    }
  const std::chrono::duration<double> alone = std::chrono::steady_clock::now() - start;
  std::printf("%.2f million predictions per second, one core (sum of times %.3f s)\n",
              static_cast<double>(asked) / alone.count() / 1e6, all);
  return 0;
}

int learned(const char* path, const Inputs& is) {
  const auto model = LearnedModel::read(whole(path), path);
  if (!model) die(model.error());
  std::map<std::string, std::vector<double>> by_device, by_class;
  std::map<std::string, std::pair<int, int>> inside;
  std::vector<std::vector<graph::Kernel>> of_device(is.measured.devices.size());
  for (const MeasuredKernel& row : is.measured.rows) {
    const Silicon* silicon = is.by_device[row.device];
    const KernelClass kernels = class_of(row.kernel);
    const auto together = is.measured.kernels_of(row);
    const LearnedClass* about = model->find(kernels);
    if (!silicon || !about) continue;
    for (const auto& kernel : together) of_device[row.device].push_back(kernel);
    const bool seen = is_seen(*about, *silicon);
    if (seen && part_of(together, 1) != 0) continue;  // a training row
    double sum = 0;
    ErrorBand band;
    for (const auto& kernel : together) {
      const auto time = model->time(kernel, *silicon);
      sum += time ? time->seconds : NAN;
      if (time) band = time->band;
    }
    const std::string called(name(kernels));
    const double ratio = sum / row.seconds;
    by_class[called + (seen ? "" : ", unseen devices")].push_back(ratio);
    by_device[called + " @ " + silicon->name + (seen ? "" : ", unseen")].push_back(ratio);
    auto& counted = inside[called + (seen ? "" : ", unseen devices")];
    ++counted.second;
    counted.first += 1 / ratio >= 1 + band.lower && 1 / ratio <= 1 + band.upper;
  }
  for (auto& [called, ratios] : by_device) print(called, ratios);
  std::printf("\n");
  for (auto& [called, ratios] : by_class) print(called, ratios);
  for (const auto& [called, counted] : inside)
    std::printf("%-44s %.1f %% of %d within their 80 %% interval\n", called.c_str(),
                100.0 * counted.first / counted.second, counted.second);
  std::size_t asked = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < of_device.size(); ++i) {
    if (!is.by_device[i]) continue;
    std::vector<std::optional<KernelTime>> times(of_device[i].size());
    model->times(of_device[i], *is.by_device[i], times);
    asked += times.size();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%.0f thousand predictions per second, one core\n",
              static_cast<double>(asked) / took.count() / 1e3);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 3 ? words[1] : "";
  if (what == "heuristic") return heuristic(HeuristicModel(), load(count - 2, words + 2));
  if (what == "general") return heuristic(GeneralModel(), load(count - 2, words + 2));
  if (what == "learned") return learned(words[2], load(count - 3, words + 3));
  std::fprintf(stderr, "usage: kernel_models heuristic|general|learned ... (see the source)\n");
  return 2;
}
