# Everything that is not ours. Debian 12 and Ubuntu 24.04 package all of it; cmake/setup.sh (make setup) installs it.

# A binary that needs only glibc: static archives, and the Google Benchmark that `cmake/setup.sh portable` builds,
# since the distributions ship only a shared one.
if(TAILWAVE_PORTABLE)
  set(Boost_USE_STATIC_LIBS ON)
  find_library(SQLite3_LIBRARY NAMES libsqlite3.a REQUIRED)
  find_library(ZLIB_LIBRARY NAMES libz.a REQUIRED)
  set(own_benchmark PATHS ${PROJECT_SOURCE_DIR}/.deps/benchmark NO_DEFAULT_PATH)
  set(cmark_prefix lib)
  set(cmark_suffix .a)
  set(re2_prefix lib)
  set(re2_suffix .a)
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(benchmark REQUIRED ${own_benchmark})
find_package(Boost REQUIRED COMPONENTS context)

# cmark-gfm, with its extensions: Markdown to HTML.
find_path(CMARK_GFM_INCLUDE cmark-gfm-core-extensions.h REQUIRED)
find_library(CMARK_GFM_LIBRARY NAMES ${cmark_prefix}cmark-gfm${cmark_suffix} REQUIRED)
find_library(CMARK_GFM_EXTENSIONS_LIBRARY NAMES ${cmark_prefix}cmark-gfm-extensions${cmark_suffix} REQUIRED)
mark_as_advanced(CMARK_GFM_INCLUDE CMARK_GFM_LIBRARY CMARK_GFM_EXTENSIONS_LIBRARY)
add_library(tailwave_cmark INTERFACE)
target_include_directories(tailwave_cmark SYSTEM INTERFACE ${CMARK_GFM_INCLUDE})
target_link_libraries(tailwave_cmark INTERFACE ${CMARK_GFM_EXTENSIONS_LIBRARY} ${CMARK_GFM_LIBRARY})

# RE2: regular expressions that take no longer than the text is long. Both distributions' static archive needs threads alone.
find_path(RE2_INCLUDE re2/re2.h REQUIRED)
find_library(RE2_LIBRARY NAMES ${re2_prefix}re2${re2_suffix} REQUIRED)
mark_as_advanced(RE2_INCLUDE RE2_LIBRARY)
add_library(tailwave_re2 INTERFACE)
target_include_directories(tailwave_re2 SYSTEM INTERFACE ${RE2_INCLUDE})
target_link_libraries(tailwave_re2 INTERFACE ${RE2_LIBRARY} Threads::Threads)

add_library(tailwave_fmt INTERFACE)
target_link_libraries(tailwave_fmt INTERFACE $<IF:$<BOOL:${TAILWAVE_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)
if(TAILWAVE_PORTABLE)
  set_property(TARGET SQLite::SQLite3 APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)
endif()

# cuda.h, nvrtc.h, cuda_occupancy.h and libnvrtc: a toolkit, or the nvidia wheels that setup puts into .deps/cuda.
# The caller's choice, else setup's, else what is found. Nothing of CUDA is linked: libcuda and libnvrtc are loaded
# at run time. Sets TAILWAVE_WITH_CUDA, TAILWAVE_CUDA_INCLUDE and TAILWAVE_CUDA_LIBRARY, the folder of libnvrtc (empty when
# it is not known: the program then searches the usual places).
if(NOT TAILWAVE_CUDA_INCLUDE)
  set(setup_choice ${PROJECT_SOURCE_DIR}/.deps/cuda.cmake)
  if(EXISTS ${setup_choice})
    include(${setup_choice})
  else()
    find_path(found_cuda_include cuda_occupancy.h
              HINTS $ENV{CUDA_PATH}/include $ENV{CUDA_HOME}/include /usr/local/cuda/include)
    mark_as_advanced(found_cuda_include)
    if(found_cuda_include)
      set(TAILWAVE_CUDA_INCLUDE ${found_cuda_include})
    endif()
  endif()
endif()

if(EXISTS "${TAILWAVE_CUDA_INCLUDE}/nvrtc.h" AND EXISTS "${TAILWAVE_CUDA_INCLUDE}/cuda.h")
  set(TAILWAVE_WITH_CUDA ON)
  if(NOT TAILWAVE_CUDA_LIBRARY)
    file(GLOB nvrtc ${TAILWAVE_CUDA_INCLUDE}/../lib64/libnvrtc.so* ${TAILWAVE_CUDA_INCLUDE}/../lib/libnvrtc.so*)
    if(nvrtc)
      list(GET nvrtc 0 nvrtc)
      get_filename_component(TAILWAVE_CUDA_LIBRARY ${nvrtc} DIRECTORY)
      get_filename_component(TAILWAVE_CUDA_LIBRARY ${TAILWAVE_CUDA_LIBRARY} ABSOLUTE)
    endif()
  endif()
  message(STATUS "CUDA headers: ${TAILWAVE_CUDA_INCLUDE}; libnvrtc: ${TAILWAVE_CUDA_LIBRARY}")
  # CUPTI's headers are beside the others, or where toolkits from NVIDIA's installer have them. libcupti is loaded at
  # run time, too.
  foreach(folder ${TAILWAVE_CUDA_INCLUDE} ${TAILWAVE_CUDA_INCLUDE}/../extras/CUPTI/include)
    if(EXISTS "${folder}/cupti_range_profiler.h" AND NOT TAILWAVE_CUPTI_INCLUDE)
      set(TAILWAVE_CUPTI_INCLUDE ${folder})
    endif()
  endforeach()
  if(NOT TAILWAVE_CUPTI_INCLUDE)
    message(STATUS "CUPTI headers: none (CUDA 12.6 Update 2 has the first that do); this build counts nothing")
  endif()
else()
  set(TAILWAVE_WITH_CUDA OFF)
  message(STATUS "CUDA headers: none; this build has the CPU device alone")
endif()

add_library(tailwave_cuda_headers INTERFACE)
if(TAILWAVE_WITH_CUDA)
  target_include_directories(tailwave_cuda_headers SYSTEM INTERFACE ${TAILWAVE_CUDA_INCLUDE})
  target_compile_definitions(tailwave_cuda_headers INTERFACE TAILWAVE_WITH_CUDA)
  if(TAILWAVE_CUPTI_INCLUDE)
    target_include_directories(tailwave_cuda_headers SYSTEM INTERFACE ${TAILWAVE_CUPTI_INCLUDE})
    target_compile_definitions(tailwave_cuda_headers INTERFACE TAILWAVE_WITH_CUPTI)
  endif()
endif()
