// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a simulation: a workload and a cluster, in our own form or ASTRA-sim's.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "recorded.h"
#include "session.h"
#include "spec_options.h"
#include "stream_option.h"

namespace orrery::app {

/// What was typed.
struct InputOptions {
  std::string workload;  ///< prefix of `<prefix>.<rank>.et`
  std::string positional_workload;
  std::string groups;  ///< process groups, JSON
  std::string cluster;
  std::string astra_network, astra_system, astra_memory;
  std::string logging_configuration, logging_folder;
  std::string network, rules;  ///< overrides; empty = as the inputs say
  bool repair = false;
  bool replicate = false;    ///< every rank runs rank 0's file
  RecordedOptions recorded;  ///< the workload as recorded traces
  SpecOptions spec;          ///< the workload as a model and a plan
  StreamOptions stream;
  std::int64_t queues_per_dim = 1;
  double compute_scale = 1, comm_scale = 1, injection_scale = 1;
  std::string rendezvous = "false";

  /// What to call the workload.
  [[nodiscard]] const std::string& name() const {
    if (spec.given()) return spec.name();
    return recorded.traces.empty() ? workload : recorded.traces.front();
  }
  [[nodiscard]] bool astra() const {
    return !astra_network.empty() || !astra_system.empty() || !astra_memory.empty();
  }
};

struct Inputs {
  graph::Workload workload;
  platform::Platform platform;
  Findings findings;                                 ///< of reading both
  std::string specification;                         ///< of a generated workload: resolved, YAML
  std::shared_ptr<const workload::Program> program;  ///< … as it was assembled; else null
};

/// Adds the options above. With `needed`, help shows the workload as required.
void add_input_options(CLI::App& command, InputOptions& options);

/// Settles contradictions and words: Errc::usage and config_conflict.
[[nodiscard]] Result<void> check_input_options(InputOptions& options, Session& session);

/// The cluster alone. `findings` gets what was ignored or assumed.
[[nodiscard]] Result<platform::Platform> read_platform(const InputOptions& options,
                                                       const Session& session, Findings& findings);

/// The workload for `ranks` ranks (0 = as many as there are files). With 0 or 1, or with
/// --replicate, it may also be one file's own name.
[[nodiscard]] Result<graph::Workload> read_workload(const InputOptions& options,
                                                    std::uint32_t ranks, const Session& session);

/// The workload from recorded traces, converted in memory; for `ranks` ranks (0 = as many as there
/// are).
[[nodiscard]] Result<graph::Workload> read_recorded_workload(const InputOptions& options,
                                                             std::uint32_t ranks,
                                                             const Session& session);

/// The workload of a model and a plan, for exactly as many ranks as `platform` has; sets
/// `specification` and `program` of `inputs`. `where` names the cluster.
[[nodiscard]] Result<graph::Workload> make_workload(const SpecOptions& options,
                                                    const platform::Platform& platform,
                                                    const std::string& where, Inputs& inputs,
                                                    Findings& findings);

/// Reads the traces of custom collective algorithms that `platform` names.
[[nodiscard]] Result<void> read_custom_collectives(const InputOptions& options,
                                                   const platform::Platform& platform,
                                                   graph::Workload& workload);

/// Under Orrery rules a cluster must not be smaller than the workload: Errc::config_conflict.
[[nodiscard]] Result<void> check_sizes(const InputOptions& options,
                                       const platform::Platform& platform);

/// All of it, checked against each other.
[[nodiscard]] Result<Inputs> read_inputs(InputOptions& options, Session& session,
                                         Findings& findings);

[[nodiscard]] std::string_view name(platform::Rules rules);
[[nodiscard]] std::string_view name(platform::NetworkModelKind network);

}  // namespace orrery::app
