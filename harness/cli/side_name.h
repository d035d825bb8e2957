#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "report/sides.h"
#include "store/database.h"

namespace tailwave {

struct NamedSide {
  SideName name;
  std::shared_ptr<Database> database;  // read only
};

// What side_help() says, in words joined by ','; a ',' within a word is written twice. No word depends on which files
// there are:
//   run:12, device:h200, commit:abc1234, db:before.db    what the key says
//   latest, previous                                     always these
//   a word with '/', or that ends in .db, .sqlite or .sqlite3    always a database file
//   another word                                         a run's number, how a commit begins (4 or more hexadecimal
//                                                        digits), or a device; refused where it may be two of these
// `device` narrows the side down where it names no device itself. Throws Error (bad usage) for a word that is nothing
// of these, for two words of one key and for a database file that there is not, with what is near; and as Database
// does.
NamedSide parse_side(const std::string& text, const std::filesystem::path& database,
                     const std::string& device);

std::string side_help();

}  // namespace tailwave
