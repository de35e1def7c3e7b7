// Which branches of '#if' are compiled: flang's preprocessor says so, by the names that each branch of a copy begins with.
#include "Conditional.h"
#include "llvm/Support/Path.h"
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using namespace dvmf;

static std::vector<std::string_view> linesOf(std::string_view Text) {
  std::vector<std::string_view> Out;
  for (size_t From = 0; From < Text.size();) {
    const size_t End = std::min(Text.find('\n', From), Text.size());
    Out.push_back(Text.substr(From, End - From));
    From = End + 1;
  }
  return Out;
}

// Does a branch begin or end there?
static bool bounds(std::string_view Line) {
  size_t At = Line.find_first_not_of(" \t");
  if (At == std::string_view::npos || Line[At] != '#' || (At = Line.find_first_not_of(" \t", At + 1)) == std::string_view::npos)
    return false;
  const std::string_view Word = Line.substr(At);
  return Word.rfind("if", 0) == 0 || Word.rfind("el", 0) == 0 || Word.rfind("endif", 0) == 0;
}

// No name of a program begins so, and none ends with the letter behind the number.
static std::string probe(size_t Branch) { return "dvmprobe" + std::to_string(Branch) + "x"; }

static bool writeAll(int FD, const std::string &Text) {
  for (size_t At = 0; At < Text.size();) {
    const ssize_t N = write(FD, Text.data() + At, Text.size() - At);
    if (N < 0)
      return false;
    At += size_t(N);
  }
  return true;
}

// What the preprocessor leaves of the text, as the parser gets it; nothing if it has something to complain of: flang will tell.
static std::string preprocessed(const std::string &Text, const std::string &Name, Fortran::parser::Options Options) {
  const int FD = memfd_create("dvm", 0);
  if (FD < 0)
    return "";
  const llvm::StringRef Folder = llvm::sys::path::parent_path(Name);
  Options.searchDirectories.insert(Options.searchDirectories.begin(), Folder.empty() ? "." : Folder.str());
  std::string Out;
  if (writeAll(FD, Text)) {
    Fortran::parser::AllSources Sources;
    Fortran::parser::AllCookedSources Cooked(Sources);
    Fortran::parser::Parsing Parsing(Cooked);
    if (Parsing.Prescan("/proc/self/fd/" + std::to_string(FD), Options) && !Parsing.messages().AnyFatalError())
      Out = Parsing.cooked().AsCharBlock().ToString();
  }
  close(FD);
  return Out;
}

std::string dvmf::onlyCompiled(const std::string &Raw, const std::string &Name, const Fortran::parser::Options &Options) {
  const std::vector<std::string_view> Lines = linesOf(Raw);
  std::string Probed;
  size_t Branches = 0;
  for (std::string_view Line : Lines) {
    Probed += std::string(Line) + "\n";
    if (bounds(Line))
      Probed += "      " + probe(Branches++) + "\n";
  }
  const std::string Left = Branches ? preprocessed(Probed, Name, Options) : "";
  if (Left.empty())
    return Raw;
  std::string Out;
  bool Compiled = true;
  size_t Branch = 0;
  for (std::string_view Line : Lines) {
    Out += (Compiled || bounds(Line) ? std::string(Line) : std::string()) + "\n";
    if (bounds(Line))
      Compiled = Left.find(probe(Branch++)) != std::string::npos;
  }
  return Out;
}
