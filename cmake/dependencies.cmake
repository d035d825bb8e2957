# Everything that is not ours. Debian 12 and Ubuntu 24.04 package all of it; scripts/setup.sh installs it.
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(benchmark REQUIRED)
find_package(Boost REQUIRED COMPONENTS context)

add_library(tailwave_fmt INTERFACE)
target_link_libraries(tailwave_fmt INTERFACE $<IF:$<BOOL:${TAILWAVE_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)

# cuda.h, nvrtc.h and cuda_occupancy.h: a toolkit, or the nvidia wheels that setup puts into .deps/. Nothing of
# CUDA is linked: libcuda and libnvrtc are loaded at run time.
if(NOT TAILWAVE_CUDA_INCLUDE)
  find_path(found_cuda_include cuda_occupancy.h
            HINTS $ENV{CUDA_PATH}/include $ENV{CUDA_HOME}/include /usr/local/cuda/include
                  ${PROJECT_SOURCE_DIR}/.deps/cuda/include)
  if(found_cuda_include)
    set(TAILWAVE_CUDA_INCLUDE ${found_cuda_include})
  endif()
endif()
if(TAILWAVE_CUDA_INCLUDE AND EXISTS ${TAILWAVE_CUDA_INCLUDE}/nvrtc.h AND EXISTS ${TAILWAVE_CUDA_INCLUDE}/cuda.h)
  set(TAILWAVE_WITH_CUDA ON)
  message(STATUS "CUDA headers: ${TAILWAVE_CUDA_INCLUDE}")
else()
  set(TAILWAVE_WITH_CUDA OFF)
  message(STATUS "CUDA headers: none found; this build has the CPU device alone")
endif()
add_library(tailwave_cuda_headers INTERFACE)
if(TAILWAVE_WITH_CUDA)
  target_include_directories(tailwave_cuda_headers SYSTEM INTERFACE ${TAILWAVE_CUDA_INCLUDE})
  target_compile_definitions(tailwave_cuda_headers INTERFACE TAILWAVE_WITH_CUDA)
endif()
