// A field that a record names once is in its message, its row, its JSON and its key.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>

#include "core/hash.h"
#include "device/wire.h"
#include "interchange/recorded_format.h"
#include "json/json.h"
#include "json/members_json.h"
#include "store/record_row.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

struct Corner {
  std::int64_t x = 0;

  bool operator==(const Corner&) const = default;
  static constexpr auto members() { return std::tuple{member("x", &Corner::x)}; }
};

struct Shape {
  std::string name;
  Corner first;
  std::optional<Corner> last;
  Outcome outcome = Outcome::correct;
  Values properties;
  double added = 0;

  bool operator==(const Shape&) const = default;
  static constexpr auto members() {
    return std::tuple{member("name", &Shape::name),
                      member("first_", &Shape::first),
                      member<kNotKey>("last_", &Shape::last),
                      member("outcome", &Shape::outcome),
                      member<kNotKey>("properties", &Shape::properties),
                      member("added", &Shape::added)};
  }
};

const Shape kShape{"square", {1}, Corner{2}, Outcome::timeout, {{"flat", true}}, 0.5};

TEST(ARecordsFields, TravelToAnotherProcess) {
  Packet packet;
  packet << kShape << Shape{};
  EXPECT_EQ(take<Shape>(packet), kShape);
  EXPECT_EQ(take<Shape>(packet), Shape{});
}

TEST(ARecordsFields, ComeBackFromTheirRowAndFromItsJson) {
  Database database(kInMemory, Database::Mode::read_write);
  database.execute("CREATE TABLE shape (name, first_x, last_x, outcome, properties, added)");
  RowInsert<Shape> rows(database, "shape");
  for (const Shape& shape : {kShape, Shape{}}) {
    rows.add(shape);
    Statement statement = database.prepare("SELECT * FROM shape ORDER BY rowid DESC LIMIT 1");
    ASSERT_TRUE(statement.step());
    const nlohmann::json row = row_object(statement, nested_columns<Shape>());
    EXPECT_EQ(read_record<Shape>(Json(row, "file")), shape);
    EXPECT_EQ(read_row<Shape>(statement), shape);
    nlohmann::json written = nlohmann::json::object();
    write_members(written, shape);
    EXPECT_EQ(written, row);
  }
}

TEST(ARecordsFields, DecideItsKey) {
  const auto key = [](const Shape& shape) {
    FieldHasher hasher;
    add_members(hasher, shape);
    return hasher.digest();
  };
  Shape other = kShape;
  EXPECT_EQ(key(other), key(kShape));
  other.added = 0.25;
  EXPECT_NE(key(other), key(kShape));
  other = kShape;
  other.first.x = 9;
  EXPECT_NE(key(other), key(kShape));
  other = kShape;
  other.properties.clear();
  EXPECT_EQ(key(other), key(kShape));
}

}  // namespace
}  // namespace tailwave
