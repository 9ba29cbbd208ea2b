// SPDX-License-Identifier: Apache-2.0
//
// Our own cluster file: one YAML or JSON document with units, checked against one table of
// parameters.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// The cluster `path` describes ("-" is not accepted here), under Rules::orrery. Where no such file
/// is, "h100-sxm:64" is a cluster of the catalogue: see `catalogue_cluster`.
/// Errc: config_*; places are JSON pointers, e.g. "cluster.yaml:/network/0/bandwidth".
[[nodiscard]] Result<Platform> read_cluster(const std::string& path, Findings& findings);

/// The same from text; `where` names it in errors.
[[nodiscard]] Result<Platform> parse_cluster(std::string_view text, const std::string& where,
                                             Findings& findings);

/// Whether `name` asks for a cluster of the catalogue: a device, a colon and a number. A device
/// alone, or a number after a word that is none, is a mistake of that kind.
[[nodiscard]] bool is_catalogue_cluster(std::string_view name);

/// The cluster file of "h100-sxm:64": so many of the device, in islands and with the network that
/// its maker builds them with (DeviceEntry::build); up to one island there is one dimension, or
/// those of a torus. Counts cluster_from_catalogue, which says what was made. Errc: config_range
/// for devices that are not there and counts that fill no islands or make no torus;
/// config_missing_key where there is no usual network.
[[nodiscard]] Result<std::string> catalogue_cluster(std::string_view name, Findings& findings);

/// Runs collectives by these algorithms, at the links' full rate: one word for every dimension, or
/// one for each with commas between, as the cluster file has them; all-gathers, reduce-scatters and
/// all-to-alls that they cannot run stay as they are, so that switches take all-to-alls only where
/// these carry `tokens` (to experts and back). Errc: config_* for words that an all-reduce
/// cannot be run by on this network.
[[nodiscard]] Result<void> use_algorithms(Platform& platform, std::string_view words,
                                          bool tokens = false);

/// Collectives go at the links' full rate, and their chunks visit the dimensions in this order, a
/// word of the cluster file (`collectives: order`); with `best` they are as many as a model finds
/// the quickest, and the smallest goes first. Errc: config_type.
[[nodiscard]] Result<void> use_chunk_order(Platform& platform, std::string_view word);

/// Some collective goes by switches that sum.
[[nodiscard]] bool uses_switches(const CollectiveConfig& config);

/// The JSON Schema (draft 2020-12) of the cluster file, generated from the same table the reader
/// uses.
[[nodiscard]] std::string cluster_schema();

/// The cluster file a platform corresponds to, every default written out.
[[nodiscard]] std::string resolved_cluster(const Platform& platform);

}  // namespace orrery::platform
