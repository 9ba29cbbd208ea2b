// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/text/lookup_fit_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using report::percent;

std::string lookup_fit_text(const study::LookupFit& fit, const std::string& path,
                            report::Style style) {
  std::string text = fmt::format("{}: {} of {}\n\n", style.strong(printable(path)),
                                 plural(fit.nets.size(), "net"), plural(fit.lookups, "lookup"));
  report::Table table({{"device"},
                       {"pass"},
                       {"learned", true},
                       {"held back", true},
                       {"median error", true},
                       {"80 % of measured/told", true}});
  for (const model::DeviceLookupNet& is : fit.nets)
    table.row({printable(is.device), is.backward ? "backward" : "forward", format_count(is.rows),
               format_count(is.seen.rows), percent(is.seen.median_error),
               fmt::format("{:.3f} to {:.3f}", is.seen.lower, is.seen.upper)});
  return text + table.text(style);
}

std::string lookup_fit_json(const study::LookupFit& fit, const std::string& path) {
  return report::envelope("embeddings", {}, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("model", path)
        .field("lookups", fit.lookups)
        .key("nets")
        .begin_array();
    for (const model::DeviceLookupNet& is : fit.nets)
      json.begin_object()
          .field("device", is.device)
          .field("pass", is.backward ? "backward" : "forward")
          .field("training_rows", is.rows)
          .field("held_out_rows", is.seen.rows)
          .field("median_error", is.seen.median_error)
          .field("low_ratio", is.seen.lower)
          .field("high_ratio", is.seen.upper)
          .end_object();
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
