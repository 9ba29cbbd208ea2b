# What stored answers depend on besides their inputs: the sources of all rooms that compute answers, and the data that the
# build takes in. orrery_models_hash(<room>): kModelsHash in the room's library and namespace, over the room and all rooms
# that it links.
#
# As a script (cmake -DSOURCE=… -DLIST=… -DROOM=… -DOUT=… -P OrreryModelsHash.cmake) this file writes the constant's source.
if(CMAKE_SCRIPT_MODE_FILE)
  file(STRINGS "${LIST}" files)
  set(text "")
  foreach(file IN LISTS files)
    file(SHA256 "${SOURCE}/${file}" hash)
    string(APPEND text "${hash} ${file}\n")
  endforeach()
  string(SHA256 hash "${text}")
  file(WRITE "${OUT}" "// Made by cmake/OrreryModelsHash.cmake.
namespace orrery::${ROOM} {
extern const char* const kModelsHash;
const char* const kModelsHash = \"${hash}\";
}  // namespace orrery::${ROOM}
")
  return()
endif()

set(orrery_models_hash_script "${CMAKE_CURRENT_LIST_FILE}")

# The rooms that a target links, without orrery_<room>_first, which is part of orrery_<room>.
function(orrery_linked_rooms target out)
  set(open ${target})
  set(seen "")
  while(open)
    list(POP_FRONT open one)
    if(one MATCHES "^orrery_" AND NOT one IN_LIST seen)
      list(APPEND seen ${one})
      get_target_property(linked ${one} INTERFACE_LINK_LIBRARIES)
      list(APPEND open ${linked})
    endif()
  endwhile()
  list(TRANSFORM seen REPLACE "^orrery_" "")
  list(TRANSFORM seen REPLACE "_first$" "")
  list(REMOVE_DUPLICATES seen)
  list(SORT seen)
  set(${out} ${seen} PARENT_SCOPE)
endfunction()

function(orrery_models_hash room)
  orrery_linked_rooms(orrery_${room} rooms)
  set(patterns "${CMAKE_SOURCE_DIR}/data/catalog/*" "${CMAKE_SOURCE_DIR}/data/collectives/*" "${CMAKE_SOURCE_DIR}/data/kernels/*"
               "${CMAKE_SOURCE_DIR}/include/orrery/*.h")
  foreach(one ${rooms})
    get_property(folder GLOBAL PROPERTY ORRERY_FOLDER_OF_${one})
    if(folder)
      list(APPEND patterns "${CMAKE_SOURCE_DIR}/${folder}/*.h" "${CMAKE_SOURCE_DIR}/${folder}/*.cc")
    endif()
  endforeach()
  file(GLOB_RECURSE files RELATIVE "${CMAKE_SOURCE_DIR}" CONFIGURE_DEPENDS ${patterns})
  list(FILTER files EXCLUDE REGEX "_(test|testing|fuzz)\\.(cc|h)$|^addons/[^/]+/(text|command|tests)/")
  list(SORT files)
  set(source "${CMAKE_BINARY_DIR}/generated/${room}_models_hash.cc")
  list(JOIN files "\n" text)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/${room}_models_hash.txt" CONTENT "${text}\n" @ONLY)
  list(TRANSFORM files PREPEND "${CMAKE_SOURCE_DIR}/")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DLIST=${CMAKE_BINARY_DIR}/generated/${room}_models_hash.txt"
            "-DROOM=${room}" "-DOUT=${source}" -P "${orrery_models_hash_script}"
    DEPENDS "${orrery_models_hash_script}" "${CMAKE_BINARY_DIR}/generated/${room}_models_hash.txt" ${files}
    COMMENT "Hashing the models and catalogs"
    VERBATIM)
  target_sources(orrery_${room} PRIVATE "${source}")
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
