// SPDX-License-Identifier: Apache-2.0
//
// Words of job options that stand for several keys of the specification.
#pragma once

#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// The words of --precision.
[[nodiscard]] std::vector<std::string_view> precision_words();

/// Sets the keys of a word of --precision. Errc: usage.
[[nodiscard]] Result<void> set_precision(workload::Spec& spec, std::string_view word);

/// Shards over the data-parallel ranks of each host of 8 devices, as HSDP usually does, unless the
/// specification has a shard_size. Precondition: the defaults of `spec` are resolved. Finding:
/// default_assumed.
void shard_in_hosts(workload::Spec& spec, Findings& findings);

}  // namespace orrery::study
