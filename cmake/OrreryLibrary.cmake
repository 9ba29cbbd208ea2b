# The shared library liborrery: every command of the core and of the add-ons that are built, behind the C interface
# (include/orrery/orrery.h). It exports the functions of that header and nothing else. The number in its name is
# ORRERY_API_VERSION.
file(STRINGS "${CMAKE_SOURCE_DIR}/include/orrery/orrery.h" line REGEX "^#define ORRERY_API_VERSION [0-9]+$")
string(REGEX REPLACE ".* " "" orrery_api_version "${line}")

orrery_room(c_interface OPTIMIZE g DEPS orrery_commands)
orrery_command_table("${CMAKE_BINARY_DIR}/generated/library_commands.cc")
add_library(orrery_library SHARED "${CMAKE_BINARY_DIR}/generated/library_commands.cc" $<TARGET_OBJECTS:orrery_c_interface>)
target_include_directories(orrery_library INTERFACE "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>"
                                                    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(orrery_library PRIVATE ${ORRERY_ADDON_COMMANDS} orrery_c_interface)
target_link_options(orrery_library PRIVATE "LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/library.map"
                                           LINKER:--gc-sections)
if(NOT ORRERY_SANITIZE)  # whose runtime only programs link
  target_link_options(orrery_library PRIVATE LINKER:-z,defs)
endif()
if(ORRERY_PORTABLE)
  orrery_make_portable(orrery_library)
  # Debian's archives are compiled for programs: one of their objects reaches a variable of the C library directly.
  target_sources(orrery_library PRIVATE "${CMAKE_SOURCE_DIR}/packaging/threads.cc")
endif()
set_target_properties(orrery_library PROPERTIES OUTPUT_NAME orrery VERSION "${orrery_api_version}.${PROJECT_VERSION}"
                      SOVERSION "${orrery_api_version}" EXPORT_NAME orrery LINK_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/library.map")

install(TARGETS orrery_library EXPORT OrreryTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/orrery.pc" @ONLY CONTENT "prefix=\${pcfiledir}/../..
includedir=\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@

Name: orrery
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -I\${includedir}
Libs: -L\${libdir} -lorrery
")
install(FILES "${CMAKE_BINARY_DIR}/generated/orrery.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
