# Flags and the two functions that every folder uses.

add_library(tailwave_flags INTERFACE)
target_include_directories(tailwave_flags INTERFACE ${PROJECT_SOURCE_DIR}/harness ${PROJECT_SOURCE_DIR})
target_compile_options(tailwave_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wno-sign-conversion -Wno-missing-field-initializers)
# GCC 12 warns of overlapping and overlong copies inside std::string (GCC bug 105651) and of uninitialised text in variants
# that hold none (GCC bug 105562); neither can happen.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tailwave_flags INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                                                  -Wno-maybe-uninitialized)
endif()
# GCC collects its garbage whenever a third more is there than the precompiled header alone brings: a tenth of its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(tailwave_flags INTERFACE --param=ggc-min-heapsize=300000)
endif()
# See core/program_identity.h.
target_link_options(tailwave_flags INTERFACE -Wl,--build-id)
if(TAILWAVE_WERROR)
  target_compile_options(tailwave_flags INTERFACE -Werror)
endif()
# Of what is sanitized, harness/ alone: a target with TAILWAVE_UNSANITIZED is linked with it.
# null, alignment and object-size are a third of the compilers' time: AddressSanitizer finds null pointers and objects that
# are too small itself, and alignment is checked together with null.
if(TAILWAVE_SANITIZE)
  set(sanitize -fsanitize=${TAILWAVE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined -g1
               -fno-sanitize=null,alignment,object-size)
  target_compile_options(tailwave_flags
                         INTERFACE "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TAILWAVE_UNSANITIZED>>>:${sanitize}>")
  target_link_options(tailwave_flags INTERFACE -fsanitize=${TAILWAVE_SANITIZE})
  target_compile_definitions(tailwave_flags INTERFACE TAILWAVE_SANITIZE="${TAILWAVE_SANITIZE}")
  if(TAILWAVE_SANITIZE MATCHES address)
    target_compile_definitions(tailwave_flags INTERFACE TAILWAVE_ADDRESS_SANITIZER)
  endif()
endif()
if(TAILWAVE_ALONE)
  target_compile_options(tailwave_flags INTERFACE -flto)
endif()
if(TAILWAVE_PORTABLE)
  target_link_options(tailwave_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()

# What most files include, compiled once: tailwave_precompile(pch FLAGS HEADERS...) makes the target that others reuse. It only
# saves time: every file includes what it uses, which of this project's `make alone` checks.
function(tailwave_precompile name)
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cpp "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE tailwave_flags nlohmann_json::nlohmann_json tailwave_fmt)
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional>
    <map> <memory> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <utility> <variant> <vector>
    <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp> ${ARGN})
endfunction()

# tailwave_library(core DEPENDS fmt::fmt): the library tailwave_core of all the .cpp in this folder and those below.
function(tailwave_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;SOURCES" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB_RECURSE ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_library(tailwave_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(tailwave_${name} PUBLIC tailwave_flags ${ARG_DEPENDS})
  target_precompile_headers(tailwave_${name} REUSE_FROM tailwave_headers)
endfunction()

# tailwave_embed(store schema.sql): compiles text files into tailwave_<name>; "store/embedded.h" declares
#   namespace tailwave::embedded::<name> { std::string_view file(std::string_view name); files() }
# Names are paths below this folder, or below FROM. INTO names the library where it is another; files may be binary. AFTER is
# a target that makes them.
function(tailwave_embed name)
  cmake_parse_arguments(ARG "" "FROM;INTO;AFTER" "" ${ARGN})
  if(NOT ARG_FROM)
    set(ARG_FROM ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  if(NOT ARG_INTO)
    set(ARG_INTO ${name})
  endif()
  set(inputs)
  foreach(file ${ARG_UNPARSED_ARGUMENTS})
    get_filename_component(path ${file} ABSOLUTE)
    list(APPEND inputs ${path})
  endforeach()
  set(directory ${PROJECT_BINARY_DIR}/embedded/${name})
  set(output ${directory}/embedded.cpp)
  string(REPLACE ";" "|" joined "${inputs}")
  add_custom_command(
    OUTPUT ${output} ${directory}/${name}/embedded.h
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} "-DINPUTS=${joined}" -DOUTPUT=${directory}
            -DBASE=${ARG_FROM} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${inputs} ${ARG_AFTER} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(tailwave_${ARG_INTO} PRIVATE ${output} ${directory}/${name}/embedded.h)
  target_include_directories(tailwave_${ARG_INTO} PRIVATE ${directory})
endfunction()
