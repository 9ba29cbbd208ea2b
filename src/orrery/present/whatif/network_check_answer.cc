// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/network_check_answer.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/answer/number_text.h"

namespace orrery::present {

using report::Value;
using study::CheckedNetwork;
using study::NetworkCheck;

namespace {

std::string model_name(const CheckedNetwork& one) {
  return std::string(network_model(one.kind).name);
}

/// A value of a network that was simulated.
template <class Get>
auto of_simulated(Get get) {
  return [get](const CheckedNetwork& one) { return one.error ? Value() : Value(get(one)); };
}

std::string checked_error_text(const CheckedNetwork& one, const std::optional<double>& error) {
  return one.error ? std::string("-") : error ? report::signed_share(*error) : std::string("-");
}

report::Columns<CheckedNetwork> checked_columns() {
  report::Columns<CheckedNetwork> columns;
  const auto text_of = [](Time CheckedNetwork::*time) {
    return [time](const CheckedNetwork& one) {
      return one.error ? std::string("-") : format_time(one.*time);
    };
  };
  columns.add("network", "network_model", [](const auto& one) { return model_name(one); })
      .add("step time", "step_ns", of_simulated([](const auto& one) { return one.step; }),
           text_of(&CheckedNetwork::step))
      .add(
          "error", "step_error", [](const auto& one) { return Value(one.step_error); },
          [](const auto& one) { return checked_error_text(one, one.step_error); })
      .add("exposed comm", "exposed_comm_ns",
           of_simulated([](const auto& one) { return one.communication; }),
           text_of(&CheckedNetwork::communication))
      .add(
          "its error", "exposed_comm_error",
          [](const auto& one) { return Value(one.communication_error); },
          [](const auto& one) { return checked_error_text(one, one.communication_error); })
      .add("messages", "messages", of_simulated([](const auto& one) { return one.messages; }),
           [](const auto& one) { return one.error ? std::string("-") : count(one.messages); })
      .add("CPU time", "estimated_cpu_s",
           of_simulated([](const auto& one) { return one.cpu_seconds; }),
           [](const auto& one) {
             return one.error ? std::string("-") : report::seconds_text(one.cpu_seconds);
           })
      .field("reason", [](const auto& one) {
        return text_or_null(one.error ? one.error->what : std::string());
      });
  return columns;
}

/// "flow is within 2.1 % on this job"
std::string verdict_text(const NetworkCheck& check) {
  const std::string detailed = model_name(check.networks[*check.reference]);
  if (!check.recommended)
    return fmt::format("no cheaper network is within {:g} % on this job: use {}",
                       100 * NetworkCheck::kClose, detailed);
  const CheckedNetwork& one = check.networks[*check.recommended];
  const double error =
      std::max(std::abs(one.step_error.value_or(0)), std::abs(one.communication_error.value_or(0)));
  return fmt::format("{} is within {} of {} on this job", model_name(one),
                     report::error_text(error), detailed);
}

}  // namespace

void state_network_check(report::Answer& answer, const NetworkCheck& check) {
  answer.title(printable(
      fmt::format("{} on {}, {}", check.workload, check.cluster, plural(check.ranks, "rank"))));
  answer.field("workload_name", check.workload)
      .field("cluster", check.cluster)
      .field("ranks", check.ranks);
  answer.table("network_models", check.networks, checked_columns());
  answer.end_section();
  for (const CheckedNetwork& one : check.networks) {
    if (!one.error) continue;
    answer.line(model_name(one), "not simulated: " + printable(one.error->what));
    if (!one.error->hint.empty()) answer.line("", printable(one.error->hint));
  }
  answer.line("verdict", verdict_text(check));
  answer.line("errors", fmt::format("against {}, the most detailed network here",
                                    model_name(check.networks[*check.reference])));
  if (check.adapters_differ)
    answer.line("adapters",
                fmt::format("analytical and flow divide each message over the network adapters of "
                            "a device, {} uses one: the errors contain that (`routing: spray` "
                            "divides in all)",
                            model_name(check.networks[*check.reference])));
  answer.line("CPU time", "estimated, in order of magnitude, from the work of each simulation");
  answer.field("most_detailed_model", model_name(check.networks[*check.reference]))
      .field("recommended_model",
             text_or_null(check.recommended ? model_name(check.networks[*check.recommended])
                                            : std::string()))
      .field("adapters_differ", check.adapters_differ);
  answer.end_section();
  answer.findings(check.findings);
}

}  // namespace orrery::present
