# Files compiled together read each header once and instantiate each template once, which is most of the work. CMake's own
# unity builds name their files by absolute paths, so that a compiler cache has nothing for a second clone; these do not.
#
# orrery_join(<target>): at the end of the folder's CMakeLists.txt, puts the target's own .cc files into as few units as
# their size allows, in the order of their paths. Not those with the property SKIP_UNITY_BUILD_INCLUSION, nor generated ones.
option(ORRERY_UNITY "Compile several files of a target together" ON)
# A unit of this size takes half a minute and 1.5 GB. Larger ones save little, and one of them alone keeps a build waiting.
set(ORRERY_UNIT_BYTES 320000)

function(orrery_join target)
  if(ORRERY_UNITY)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL orrery_join_now [[${target}]])")
  endif()
endfunction()

function(orrery_join_now target)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(joined "")
  set(alone "")
  set(bytes 0)
  foreach(source IN LISTS sources)
    get_filename_component(path "${source}" ABSOLUTE)
    get_source_file_property(skipped "${source}" SKIP_UNITY_BUILD_INCLUSION)
    string(FIND "${path}" "${CMAKE_BINARY_DIR}/" generated)
    if(skipped OR generated EQUAL 0 OR NOT EXISTS "${path}")
      list(APPEND alone "${source}")
      continue()
    endif()
    file(SIZE "${path}" size)
    math(EXPR bytes "${bytes} + ${size}")
    list(APPEND joined "${path}")
  endforeach()
  # As many units as it takes, all of about the same size.
  math(EXPR units "(${bytes} + ${ORRERY_UNIT_BYTES} - 1) / ${ORRERY_UNIT_BYTES}")
  set(before 0)
  foreach(path IN LISTS joined)
    file(SIZE "${path}" size)
    math(EXPR unit "(2 * ${before} + ${size}) * ${units} / (2 * ${bytes} + 1)")
    math(EXPR before "${before} + ${size}")
    file(RELATIVE_PATH name "${CMAKE_SOURCE_DIR}" "${path}")
    string(APPEND text_${unit} "#include \"${name}\"\n")
  endforeach()
  math(EXPR last "${units} - 1")
  if(units GREATER 0)
    foreach(unit RANGE ${last})
      set(file "${CMAKE_BINARY_DIR}/generated/units/${target}_${unit}.cc")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${text_${unit}}" @ONLY)  # written only when it changes
      list(APPEND alone "${file}")
    endforeach()
    target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}")
  endif()
  set_property(TARGET ${target} PROPERTY SOURCES ${alone})
endfunction()
