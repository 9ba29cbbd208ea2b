// SPDX-License-Identifier: Apache-2.0
//
// The interface of the MPI module, which the program loads only for a search with MPI. No other
// command loads an MPI library.
#pragma once

#include "orrery/explore/executors/channel.h"

// The module exports only these names.
#pragma GCC visibility push(default)
extern "C" {

/// The version of the program that it was built with. Other versions must not use it.
const char* orrery_mpi_version();

/// "Open MPI v4.1.4, …"; may be called before orrery_mpi_begin(). Lives as long as the module.
const char* orrery_mpi_library();

/// Joins the processes that a launcher started, or forms a single process without a launcher. Null
/// if MPI cannot be started. Call it once per process.
orrery::explore::Channel* orrery_mpi_begin();

/// Leaves the other processes. All processes call it, when no message is in flight. Deleting the
/// channel instead ends all processes.
void orrery_mpi_end(orrery::explore::Channel* channel);
}
#pragma GCC visibility pop
