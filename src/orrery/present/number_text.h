// SPDX-License-Identifier: Apache-2.0
//
// Numbers and short sentences shared by the texts of all commands.
#pragma once

#include "orrery/report/answer/columns.h"
#include "orrery/report/answer/number_text.h"

namespace orrery::present {

using report::count;
using report::difference_interval_text;
using report::error_text;
using report::error_value;
using report::estimate_error_text;
using report::id_value;
using report::magnitude;
using report::out_of_date_text;
using report::plural;
using report::rank_numbers_text;
using report::relative_change;
using report::row_numbers;
using report::scaled_text;
using report::seconds_text;
using report::seconds_value;
using report::share;
using report::signed_share;
using report::signed_time;
using report::text_or_null;
using report::traffic_text;
using report::write_difference_interval;
using report::write_list;
using report::write_step_interval;

}  // namespace orrery::present
