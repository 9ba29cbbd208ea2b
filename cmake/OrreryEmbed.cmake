# Files of data/ as constants in the library, so that the program needs none of them when it runs.
#
# orrery_embed(<room> <constant> <file>…): the files' text, one after another, as the room's std::string_view <constant>
# (declared there by whoever reads it).
#
# As a script (cmake -DFILES=… -DROOM=… -DNAME=… -DOUT=… -P OrreryEmbed.cmake) this file writes the constant's source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  string(REPLACE "|" ";" FILES "${FILES}")
  foreach(file IN LISTS FILES)
    file(READ "${file}" piece)
    string(APPEND text "${piece}")
  endforeach()
  string(FIND "${text}" ")orrery_data\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${FILES} hold what ends a literal")
  endif()
  file(WRITE "${OUT}" "// Made by cmake/OrreryEmbed.cmake.
#include <string_view>
namespace orrery::${ROOM} {
extern const std::string_view ${NAME};
const std::string_view ${NAME} = R\"orrery_data(${text})orrery_data\";
}  // namespace orrery::${ROOM}
")
  return()
endif()

set(orrery_embed_script "${CMAKE_CURRENT_LIST_FILE}")
function(orrery_embed room name)
  set(source "${CMAKE_BINARY_DIR}/generated/${room}_${name}.cc")
  set(files ${ARGN})
  list(TRANSFORM files PREPEND "${CMAKE_SOURCE_DIR}/data/")
  string(REPLACE ";" "|" words "${files}")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${words}" "-DROOM=${room}" "-DNAME=${name}" "-DOUT=${source}" -P "${orrery_embed_script}"
    DEPENDS "${orrery_embed_script}" ${files}
    COMMENT "Taking in ${ARGN}"
    VERBATIM)
  target_sources(orrery_${room} PRIVATE "${source}")
  # By itself: when the data changes, nothing else has to be compiled again.
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
