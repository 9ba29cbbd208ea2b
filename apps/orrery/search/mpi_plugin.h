// SPDX-License-Identifier: Apache-2.0
//
// What the program asks of its module for MPI, which it loads when a search is to run by it: no
// other command loads an MPI library.
#pragma once

#include "orrery/explore/executors/channel.h"

extern "C" {

/// Of the program that it was built with: no other may use it.
const char* orrery_mpi_version();

/// "Open MPI v4.1.4, …"; works before anything begins. Lives as long as the module.
const char* orrery_mpi_library();

/// Joins the processes that a launcher started together; alone, where none did. Null: this cannot
/// be. Once in a process.
orrery::explore::Channel* orrery_mpi_begin();

/// Leaves them: every process does, with nothing on the way any more. A channel that is destroyed
/// by `delete` instead ends all processes.
void orrery_mpi_end(orrery::explore::Channel* channel);
}
