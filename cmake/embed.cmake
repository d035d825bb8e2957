# Writes ${OUTPUT}/${NAME}/embedded.h and ${OUTPUT}/embedded.cpp that hold the files ${INPUTS} ('|'-separated)
# as raw strings under their paths relative to ${BASE}. String literals are cut at 8 KiB for portability.
string(REPLACE "|" ";" inputs "${INPUTS}")
set(entries "")
foreach(input ${inputs})
  file(RELATIVE_PATH path ${BASE} ${input})
  file(READ ${input} hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR bytes "${length} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${hex}")
  # 64 bytes a literal: adjacent literals are joined, and no escape swallows the next digit.
  string(REGEX REPLACE "((\\\\x..)(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?)"
                       "\"\\1\"\n" escaped "${escaped}")
  if(bytes EQUAL 0)
    set(escaped "\"\"")
  endif()
  string(APPEND entries "    {\"${path}\", std::string_view(${escaped}, ${bytes})},\n")
endforeach()
file(WRITE ${OUTPUT}/${NAME}/embedded.h
"#pragma once

#include <map>
#include <string_view>

namespace tailwave::embedded::${NAME} {

// Path -> text of the files compiled into this library.
const std::map<std::string_view, std::string_view>& files();
// Throws std::out_of_range for a path that is not there.
std::string_view file(std::string_view path);

}  // namespace tailwave::embedded::${NAME}
")
file(WRITE ${OUTPUT}/embedded.cpp
"#include \"${NAME}/embedded.h\"

namespace tailwave::embedded::${NAME} {

const std::map<std::string_view, std::string_view>& files() {
  static const std::map<std::string_view, std::string_view> all{
${entries}  };
  return all;
}

std::string_view file(std::string_view path) { return files().at(path); }

}  // namespace tailwave::embedded::${NAME}
")
