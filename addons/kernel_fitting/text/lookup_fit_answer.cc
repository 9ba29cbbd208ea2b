// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/text/lookup_fit_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

void state_lookup_fit(report::Answer& answer, const study::LookupFit& fit,
                      const std::string& path) {
  using Net = model::DeviceLookupNet;
  answer.first(fmt::format("{}: {} of {}", answer.style().strong(printable(path)),
                           plural(fit.nets.size(), "net"), plural(fit.lookups, "lookup")));
  answer.field("model", path).field("lookups", fit.lookups);
  report::Columns<Net> columns;
  columns.add("device", "device", [](auto& net) { return net.device; })
      .add("pass", "pass", [](auto& net) { return net.backward ? "backward" : "forward"; })
      .add("learned", "training_rows", [](auto& net) { return net.rows; })
      .add("held out", "held_out_rows", [](auto& net) { return net.seen.rows; })
      .add("median error", "median_error",
           [](auto& net) { return report::Share{net.seen.median_error}; })
      .show_number(
          "80 % of measured/predicted",
          [](auto& net) { return fmt::format("{:.3f} to {:.3f}", net.seen.lower, net.seen.upper); })
      .field("low_ratio", [](auto& net) { return net.seen.lower; })
      .field("high_ratio", [](auto& net) { return net.seen.upper; });
  answer.table("nets", fit.nets, columns);
}

}  // namespace orrery::present
