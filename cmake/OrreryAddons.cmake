# Add-ons: libraries and commands outside the core (addons/README.md). The core builds, tests and installs without them.
set(ORRERY_ADDONS all CACHE STRING "Add-ons to build: all, or a list of folders in addons/; empty: none")

# ORRERY_ALL_ADDONS: in the order data flows, so that an add-on may use those before it. ORRERY_ENABLED_ADDONS: to build.
set(ORRERY_ALL_ADDONS "")
if(EXISTS "${CMAKE_SOURCE_DIR}/addons/order.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/addons/order.txt")
  file(STRINGS "${CMAKE_SOURCE_DIR}/addons/order.txt" ORRERY_ALL_ADDONS)
endif()
set(ORRERY_ENABLED_ADDONS ${ORRERY_ALL_ADDONS})
if(NOT ORRERY_ADDONS STREQUAL "all")
  foreach(addon IN LISTS ORRERY_ADDONS)
    if(NOT addon IN_LIST ORRERY_ALL_ADDONS)
      message(FATAL_ERROR "ORRERY_ADDONS: there is no add-on '${addon}'. Use 'all', or some of ${ORRERY_ALL_ADDONS}.")
    endif()
  endforeach()
  foreach(addon IN LISTS ORRERY_ALL_ADDONS)
    if(NOT addon IN_LIST ORRERY_ADDONS)
      list(REMOVE_ITEM ORRERY_ENABLED_ADDONS ${addon})
    endif()
  endforeach()
endif()

# orrery_addon(<name> <arguments of orrery_room>…): the folder addons/<name> as a library orrery_<name>, as orrery_room()
# makes one. Its folders text/ and command/, if there are any, form the library orrery_<name>_command, which the program
# links, and tests/CMakeLists.txt adds more tests.
function(orrery_addon name)
  set(dir "${CMAKE_SOURCE_DIR}/addons/${name}")
  foreach(target IN LISTS ARGN)
    string(REGEX REPLACE "^orrery_" "" other "${target}")
    if(other IN_LIST ORRERY_ALL_ADDONS AND NOT other IN_LIST ORRERY_ENABLED_ADDONS)
      message(FATAL_ERROR "ORRERY_ADDONS: the add-on '${name}' needs '${other}'. Add it to the list.")
    endif()
  endforeach()
  orrery_room(${name} FOLDER addons/${name} EXCEPT text/.* command/.* tests/.* ${ARGN})
  target_include_directories(orrery_${name} PUBLIC "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>")

  file(GLOB sources CONFIGURE_DEPENDS "${dir}/text/*.cc" "${dir}/command/*.cc")
  if(sources)
    add_library(orrery_${name}_command STATIC ${sources})
    target_link_libraries(orrery_${name}_command PUBLIC orrery_${name} orrery_commands)
    target_compile_options(orrery_${name}_command PRIVATE $<$<CONFIG:Release>:-Og>)
    orrery_join(orrery_${name}_command)
  endif()

  if(ORRERY_TESTS AND EXISTS "${dir}/tests/CMakeLists.txt")
    add_subdirectory(tests)
  endif()
endfunction()

# What users may type of an add-on, from its command/rows.h: commands with their old names, modes and options of commands
# of the core, for instance "study calculon", "calculon", "kernels fit", "kernels --by".
function(orrery_words_of_addon rows result)
  file(STRINGS "${rows}" lines REGEX "[.](name|old_names|mode|options) = \"")
  set(words "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "[.](name|old_names|mode|options) = \"([^\"]*)\"" line "${line}")
    set(text "${CMAKE_MATCH_2}")
    if(CMAKE_MATCH_1 STREQUAL "options")
      string(REPLACE " " ";" options "${text}")
      foreach(option IN LISTS options)
        list(APPEND words "${command} ${option}")
      endforeach()
    elseif(CMAKE_MATCH_1 STREQUAL "old_names")
      string(REPLACE ", " ";" names "${text}")
      list(APPEND words ${names})
    else()
      list(APPEND words "${text}")
      string(REGEX REPLACE " [^ ]*$" "" command "${text}")  # of a mode
    endif()
  endforeach()
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

function(orrery_add_addons)
  foreach(addon IN LISTS ORRERY_ENABLED_ADDONS)
    add_subdirectory("addons/${addon}")
  endforeach()
endfunction()

# The libraries of the commands of add-ons that are built.
set(ORRERY_ADDON_COMMANDS "")
foreach(addon IN LISTS ORRERY_ENABLED_ADDONS)
  if(EXISTS "${CMAKE_SOURCE_DIR}/addons/${addon}/command/rows.h")
    list(APPEND ORRERY_ADDON_COMMANDS orrery_${addon}_command)
  endif()
endforeach()

# orrery_command_table(<file> [FIRST <table>] [LAST <table>] [INCLUDE <header>]): generates a source with the table of all
# commands: FIRST, those of the core, those of the add-ons that are built, LAST; of the other add-ons, what users may type.
function(orrery_command_table file)
  cmake_parse_arguments(TABLE "" "FIRST;LAST;INCLUDE" "" ${ARGN})
  set(includes "")
  set(tables ${TABLE_FIRST} kCoreCommands)
  set(modes "")
  set(missing "")
  if(TABLE_INCLUDE)
    string(APPEND includes "#include \"${TABLE_INCLUDE}\"\n")
  endif()
  foreach(addon IN LISTS ORRERY_ALL_ADDONS)
    set(rows "${CMAKE_SOURCE_DIR}/addons/${addon}/command/rows.h")
    if(NOT EXISTS "${rows}")
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${rows}")
    if(NOT addon IN_LIST ORRERY_ENABLED_ADDONS)
      orrery_words_of_addon("${rows}" words)
      foreach(word IN LISTS words)
        string(APPEND missing "    {\"${word}\", \"${addon}\"},\n")
      endforeach()
      continue()
    endif()
    file(READ "${rows}" text)
    string(APPEND includes "#include \"addons/${addon}/command/rows.h\"\n")
    if(text MATCHES "auto kCommands =")
      list(APPEND tables addons::${addon}::kCommands)
    endif()
    if(text MATCHES "auto kModes =")
      list(APPEND modes addons::${addon}::kModes)
    endif()
  endforeach()
  list(APPEND tables ${TABLE_LAST})
  list(JOIN tables ", " tables)
  list(JOIN modes ", " modes)
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT "// Generated by cmake/OrreryAddons.cmake.
#include \"orrery/commands/command_table.h\"
${includes}namespace orrery::commands {
constexpr auto kAllCommands = by_group(${tables});
constexpr auto kAllModes = joined(${modes});
std::span<const Command> all_commands() { return kAllCommands; }
std::span<const AddedMode> added_modes() { return kAllModes; }
std::span<const MissingPart> missing_parts() {
  static constexpr MissingPart kMissing[] = {
${missing}    {}};
  return std::span(kMissing).first(std::size(kMissing) - 1);
}
}  // namespace orrery::commands
")
endfunction()
