// SPDX-License-Identifier: Apache-2.0
//
// Collects Megatron's arguments. Private to this folder.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "orrery/job_formats/exporters/write_megatron.h"

namespace orrery::workload {

class MegatronWriter {
 public:
  explicit MegatronWriter(MegatronJob& job) : job_(job) {}

  void flag(const char* name, bool given = true) {
    if (given) job_.arguments.push_back({name, {}});
  }
  template <class T>
  void add(const char* name, const T& value) {
    job_.arguments.push_back({name, {fmt::format("{}", value)}});
  }
  void add(const char* name, std::vector<std::string> values) {
    job_.arguments.push_back({name, std::move(values)});
  }
  /// Adds `what` to the unsupported properties if `there`.
  void unsupported(std::string what, bool there = true) {
    if (there) job_.unsupported.push_back(std::move(what));
  }

 private:
  MegatronJob& job_;
};

/// Writes the arguments for the shape of the model.
void write_megatron_model(const Spec& spec, MegatronWriter& out);

}  // namespace orrery::workload
