// SPDX-License-Identifier: Apache-2.0
//
// Exports tables through Arrow's C data interface.
// Source: https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include "orrery/orrery.h"
#include "orrery/result/run_file/run_columns.h"

namespace orrery::c_interface {

/// Fills `schema` and `array`, which then own the table. Copies no values.
void export_table(result::DataTable table, ArrowSchema& schema, ArrowArray& array);

}  // namespace orrery::c_interface
