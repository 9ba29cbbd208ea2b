// SPDX-License-Identifier: Apache-2.0
//
// A page in the desktop's browser.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "session.h"

namespace orrery::app {

/// `path` as browsers take it: "file:///home/me/a%20page.html".
[[nodiscard]] std::string file_address(const std::string& path);

/// Where a page can stay that nobody has given a place: report.html in a new folder under the
/// temporary one, which only this user may enter. Errc: output_failed.
[[nodiscard]] Result<std::string> temporary_page();

/// Shows the file at `path` and waits for what shows it: the first command of $BROWSER that works
/// (':' stands between them, %s in one for the address), else xdg-open where there is a display. No
/// shell sees any of it. Where nothing shows it, stderr says its address.
void show_page(const std::string& path, const Session& session);

}  // namespace orrery::app
