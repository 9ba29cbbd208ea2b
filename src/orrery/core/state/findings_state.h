// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/core/findings.h"
#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"

namespace orrery {

template <>
struct StateOf<Findings> {
  static void save(StateWriter& to, const Findings& findings) {
    const std::vector<Finding> all = findings.list();
    to(static_cast<std::uint64_t>(all.size()));
    for (const Finding& one : all) to(one);
  }
  static void load(StateReader& from, Findings& findings) {
    findings = {};
    for (std::size_t left = from.count(); left > 0 && !from.failed(); --left) {
      const auto one = from.take<Finding>();
      findings.add(one.code, {}, one.count);
      for (const std::string& place : one.places) findings.add(one.code, place, 0);
    }
  }
};

}  // namespace orrery
