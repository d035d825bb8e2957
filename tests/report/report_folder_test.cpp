// What a report may do to the folder that it is written to.
#include "report/report_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>

#include "core/hash.h"
#include "report/fixture.h"
#include "report/report.h"

namespace tailwave {
namespace {

using Files = std::map<std::string, std::string>;

class ReportFolderTest : public samples::Fixture {
 protected:
  void put(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((out_ / file).parent_path());
    std::ofstream(out_ / file, std::ios::binary) << text;
  }
  Files files() const {
    Files found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out_))
      if (entry.is_regular_file())
        found[entry.path().lexically_relative(out_).string()] = samples::read_file(entry.path());
    return found;
  }
  std::string error() {
    return samples::error_of([&] { render_report(database_, {{}, out_}); });
  }
  static std::string list_of(const std::string& names) {
    return "# The files that `tailwave report` wrote here. It overwrites and deletes these, and no "
           "others.\n" +
           names;
  }

  std::filesystem::path out_ = folder_ / "out";
};

TEST_F(ReportFolderTest, IsRefusedUntouchedWhereItHasFilesOfAPerson) {
  put("README.md", "mine\n");
  put("charts/mine.svg", "<svg/>");
  put("simulations.md", "mine too\n");
  const Files before = files();
  EXPECT_EQ(error(), out_.string() +
                         ": is not a report's folder, and not empty: 'README.md' is in it\n"
                         "  name a new or an empty folder with --out");
  EXPECT_EQ(files(), before);
}

TEST_F(ReportFolderTest, IsRefusedWhereItIsAFile) {
  std::ofstream(out_) << "mine";
  EXPECT_EQ(error(), out_.string() + ": is a file, not a folder\n  name a new or an empty folder with --out");
  EXPECT_EQ(samples::read_file(out_), "mine");
}

TEST_F(ReportFolderTest, MayBeEmptyAndListsWhatWasWritten) {
  std::filesystem::create_directories(out_);
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(
      files()[".tailwave_report"],
      list_of(
          "README.md\nassets/charts.js\nassets/explorer.css\nassets/explorer.js\nassets/page.js\nassets/style.css\nassets/tables.js\nclaims.html\nclaims.md\ngains.html\ngains.md\n"
          "index.html\njacobi/block_size.html\njacobi/block_size.md\njacobi/study.html\njacobi/study.md\n"
          "nbody/basic_block_size.html\nnbody/basic_block_size.md\nnbody/study.html\nnbody/study.md\nnbody/variants.html\nnbody/variants.md\n"));
}

TEST_F(ReportFolderTest, KeepsWhatAPersonPutBesideAReport) {
  ASSERT_EQ(error(), "no error");
  const Files report = files();
  put("charts/mine.svg", "<svg/>");
  put("nbody/charts/variants/mine.svg", "<svg/>");
  put("simulations.md", "mine\n");
  Files expected = files();
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(files(), expected);
  EXPECT_EQ(expected.size(), report.size() + 3);
}

TEST_F(ReportFolderTest, RefusesToOverwriteAFileThatNoReportWrote) {
  ASSERT_EQ(error(), "no error");
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("later", "2025-05-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), samples::trial("basic", {}, {1e5}));
  put("nbody/later.html", "mine\n");
  const Files before = files();
  EXPECT_EQ(error(), (out_ / "nbody/later.html").string() +
                         ": would be overwritten, and no report wrote it\n"
                         "  move it, or name another folder with --out");
  EXPECT_EQ(files(), before);
}

TEST_F(ReportFolderTest, WithoutAListIsAReportsIfItsIndexIsAndLosesNoFile) {
  ASSERT_EQ(error(), "no error");
  const Files report = files();
  std::filesystem::remove(out_ / ".tailwave_report");
  put("nbody/charts/variants/old.svg", "<svg/>");
  EXPECT_EQ(error(), "no error");
  Files after = files();
  EXPECT_EQ(after.erase("nbody/charts/variants/old.svg"), 1U);
  EXPECT_EQ(after, report);
}

// A database may come from anywhere.
TEST_F(ReportFolderTest, WritesNothingOutsideOfItself) {
  database_.execute("UPDATE run SET experiment = '../../mine' WHERE experiment = 'variants'");
  EXPECT_EQ(error(), (out_ / "nbody/../../mine.html").string() +
                         ": is no file of a report\n"
                         "  a system or experiment in the database has a path for a name");
  EXPECT_EQ(files(), Files{});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "mine.md"));
}

TEST_F(ReportFolderTest, RefusesAFileWhereTheReportHasAFolder) {
  put(".tailwave_report", list_of(""));
  put("nbody", "mine\n");
  EXPECT_EQ(error(), (out_ / "nbody").string() +
                         ": is a file where the report has a folder\n"
                         "  move it, or name another folder with --out");
}

TEST_F(ReportFolderTest, IsRefusedUntouchedWhereAFolderIsInThePlaceOfAFile) {
  ASSERT_EQ(error(), "no error");
  std::filesystem::remove(out_ / "claims.md");
  std::filesystem::create_directories(out_ / "claims.md");
  const std::filesystem::file_time_type written = std::filesystem::last_write_time(out_ / "README.md");
  EXPECT_EQ(error(), (out_ / "claims.md").string() +
                         ": is a folder where the report has a file\n"
                         "  move it, or name another folder with --out");
  EXPECT_EQ(std::filesystem::last_write_time(out_ / "README.md"), written);
  std::filesystem::remove(out_ / "claims.md");
  EXPECT_EQ(error(), "no error");
  std::filesystem::remove(out_ / ".tailwave_report");
  std::filesystem::create_directories(out_ / ".tailwave_report");
  EXPECT_NE(error(), "no error");
}

TEST_F(ReportFolderTest, MayHaveAFolderOnAnotherFileSystem) {
  std::string elsewhere = "/dev/shm/tailwave-test-XXXXXX";
  if (mkdtemp(elsewhere.data()) == nullptr) GTEST_SKIP() << "nothing can be written to /dev/shm";
  ASSERT_EQ(error(), "no error");
  std::filesystem::remove_all(out_ / "nbody");
  std::filesystem::create_directory_symlink(elsewhere, out_ / "nbody");
  EXPECT_EQ(error(), "no error");
  const std::string page = samples::read_file(out_ / "nbody/variants.md");
  EXPECT_NE(page, "");
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(samples::read_file(out_ / "nbody/variants.md"), page);
  EXPECT_FALSE(std::filesystem::exists(out_ / "nbody/variants.md.tailwave_tmp"));
  std::filesystem::remove_all(elsewhere);
}

TEST_F(ReportFolderTest, KeepsTheEarlierReportWhereTheNewOneCannotBeWritten) {
  {
    ReportFolder folder(out_);
    folder.begin({"a.md", "b.md"});
    folder.write("a.md", "old");
    folder.write("b.md", "old");
    folder.finish({});
  }
  const Files before = files();
  const std::string why = samples::error_of([&] {
    ReportFolder folder(out_);
    folder.begin({"a.md", "b.md"});
    folder.write("a.md", "new");
    std::filesystem::create_directories(out_ / ".tailwave_new/b.md");
    folder.write("b.md", "new");
  });
  EXPECT_EQ(why, (out_ / "b.md").string() +
                     ": cannot be written: Is a directory\n  name another folder with --out");
  EXPECT_EQ(files(), before);
  EXPECT_FALSE(std::filesystem::exists(out_ / ".tailwave_new"));
}

TEST_F(ReportFolderTest, IsWrittenByOneProgramAtATime) {
  ReportFolder first(out_);
  first.begin({"a.md"});
  first.write("a.md", "first");
  EXPECT_EQ(
      samples::error_of([&] { ReportFolder(out_).begin({"a.md"}); }),
      out_.string() +
          ": another program is writing a report here\n  wait for it, or name another folder with --out");
  first.finish({});
  EXPECT_EQ(files()["a.md"], "first");
}

TEST_F(ReportFolderTest, ThatAnotherProgramWritesToIsRefusedBeforeTheWork) {
  ReportFolder first(out_);
  first.lock();
  std::vector<std::string> doing;
  const auto note = [&](const std::string& what) { doing.push_back(what); };
  EXPECT_NE(samples::error_of([&] {
              render_report(database_, {.out_dir = out_, .doing = note});
            }).find("another program is writing a report here"),
            std::string::npos);
  EXPECT_EQ(doing, std::vector<std::string>{"reading the experiments"});
}

TEST_F(ReportFolderTest, DeletesOnlyWhatIsListedAndReplaced) {
  put(".tailwave_report",
      "# a list\ncharts/old.svg\ncharts/new.svg\nchartsandmore.svg\n../outside.svg\n/abs\n");
  for (const char* const name : {"charts/old.svg", "charts/new.svg", "chartsandmore.svg", "../outside.svg"})
    put(name, "old");
  ReportFolder folder(out_);
  folder.begin({"charts/new.svg", "x/y.md"});
  folder.write("charts/new.svg", "new");
  folder.write("x/y.md", "page");
  folder.finish({"charts", "../outside.svg"});
  EXPECT_EQ(files(), (Files{{".tailwave_report", list_of("charts/new.svg\nchartsandmore.svg\nx/y.md\n")},
                            {"charts/new.svg", "new"},
                            {"chartsandmore.svg", "old"},
                            {"x/y.md", "page"}}));
  EXPECT_EQ(samples::read_file(out_ / "../outside.svg"), "old");
}

TEST_F(ReportFolderTest, OfAReportThatWasKilledBeforeItMovedAnythingIsRemovedByTheNext) {
  put(".tailwave_new/charts/a.svg", "half");
  EXPECT_EQ(error(), "no error");
  EXPECT_FALSE(std::filesystem::exists(out_ / ".tailwave_new"));
}

// As the list is while files move: a.md was moved, b.md was not, nor was old.svg deleted; then a person came.
TEST_F(ReportFolderTest, OfAReportThatWasKilledOwnsWhatHasTheContentsThatItWrote) {
  put("a.md", "moved");
  put("charts/old.svg", "old");
  put(".tailwave_report", list_of("") + "? " + content_hash("moved") + " a.md\n? " +
                              content_hash("not moved") + " b.md\n? " + content_hash("old") +
                              " charts/old.svg\n? " + content_hash("gone") + " charts/gone.svg\n");
  put("charts/gone.svg", "mine");
  {
    ReportFolder folder(out_);
    folder.begin({"a.md", "b.md"});
    folder.write("a.md", "new");
    folder.write("b.md", "new");
    folder.finish({"charts"});
  }
  const Files expected{{".tailwave_report", list_of("a.md\nb.md\n")},
                       {"a.md", "new"},
                       {"b.md", "new"},
                       {"charts/gone.svg", "mine"}};
  EXPECT_EQ(files(), expected);
}

TEST_F(ReportFolderTest, OfAReportThatWasKilledDoesNotOverwriteWhatAPersonPutThere) {
  put(".tailwave_report", list_of("") + "? " + content_hash("not moved") + " b.md\n");
  put("b.md", "mine");
  EXPECT_EQ(samples::error_of([&] { ReportFolder(out_).begin({"b.md"}); }),
            (out_ / "b.md").string() +
                ": would be overwritten, and no report wrote it\n"
                "  move it, or name another folder with --out");
  EXPECT_EQ(files()["b.md"], "mine");
}

TEST_F(ReportFolderTest, MovesNothingThatIsNotListed) {
  {
    ReportFolder folder(out_);
    folder.begin({"a.md", "b.md"});
    folder.write("a.md", "moved");
    folder.write("b.md", "not moved");
    std::filesystem::create_directories(out_ /
                                        ".tailwave_new/.tailwave_report");  // the list cannot be written
    EXPECT_NE(samples::error_of([&] { folder.finish({}); }), "no error");
    EXPECT_EQ(files().count("a.md"), 0U) << "no file is in its place before the list names it";
  }
  EXPECT_EQ(files(), Files{});
}

TEST_F(ReportFolderTest, KeepsFilesWhoseContentsAreTheSame) {
  const auto write = [&](const std::string& changing) {
    ReportFolder folder(out_);
    folder.begin({"same.md", "changing.md"});
    folder.write("same.md", "the same");
    folder.write("changing.md", changing);
    folder.finish({});
  };
  write("one");
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
  for (const char* file : {"same.md", "changing.md"}) std::filesystem::last_write_time(out_ / file, long_ago);
  write("two");
  EXPECT_EQ(std::filesystem::last_write_time(out_ / "same.md"), long_ago);
  EXPECT_NE(std::filesystem::last_write_time(out_ / "changing.md"), long_ago);
  EXPECT_EQ(samples::read_file(out_ / "changing.md"), "two");
  EXPECT_FALSE(std::filesystem::exists(out_ / ".tailwave_new"));
  std::filesystem::last_write_time(out_ / ".tailwave_report", long_ago);
  write("two");
  EXPECT_EQ(std::filesystem::last_write_time(out_ / ".tailwave_report"), long_ago);
}

TEST_F(ReportFolderTest, KnowsWhatItWasMadeOfUntilAFileOfItChanges) {
  {
    ReportFolder folder(out_);
    folder.begin({"a.md"});
    folder.write("a.md", "text");
    folder.finish({}, "inputs");
  }
  put("mine.txt", "beside it");
  EXPECT_TRUE(ReportFolder(out_).is_made_of("inputs"));
  EXPECT_FALSE(ReportFolder(out_).is_made_of("others"));
  EXPECT_FALSE(ReportFolder(out_).is_made_of(""));
  put("a.md", "mine");
  EXPECT_FALSE(ReportFolder(out_).is_made_of("inputs"));
  put("a.md", "text");
  EXPECT_TRUE(ReportFolder(out_).is_made_of("inputs"));
  std::filesystem::remove(out_ / "a.md");
  EXPECT_FALSE(ReportFolder(out_).is_made_of("inputs"));
}

}  // namespace
}  // namespace tailwave
