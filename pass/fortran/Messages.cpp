#include "Messages.h"
#include "llvm/ADT/SmallString.h"
#include <cctype>
#include <regex>
#include <set>

using namespace dvmf;

static std::vector<std::string> linesOf(const std::string &Text) {
  std::vector<std::string> Lines;
  for (size_t At = 0, End; At < Text.size(); At = End + 1) {
    End = std::min(Text.find('\n', At), Text.size());
    Lines.push_back(Text.substr(At, End - At));
  }
  return Lines;
}

static std::string small(std::string Text) {
  for (char &C : Text)
    C = char(std::tolower(static_cast<unsigned char>(C)));
  return Text;
}

// The first name of what the carets stand below.
static std::string nameAbove(const std::string &Shown, const std::string &Carets) {
  const size_t From = Carets.find('^'), End = Carets.rfind('^');
  std::smatch Name;
  const std::string Part = From < Shown.size() ? Shown.substr(From, End - From + 1) : "";
  return std::regex_search(Part, Name, std::regex("[A-Za-z]\\w*")) ? Name.str() : "";
}

// In the directive that begins in this line (from 1), which may go on in others; column 0: it does not have the name.
static std::pair<size_t, size_t> findName(const std::vector<std::string> &Lines, size_t Line, const std::string &Name) {
  for (size_t At = Line; !Name.empty() && At && At <= Lines.size(); ++At) {
    const std::string Text = small(Lines[At - 1]);
    const size_t Sentinel = Text.find("dvm$");
    if (Sentinel == std::string::npos)
      break;
    std::smatch Found;
    const std::string Rest = Text.substr(Sentinel + 4);
    if (std::regex_search(Rest, Found, std::regex("\\b" + small(Name) + "\\b")))
      return {At, Sentinel + 5 + size_t(Found.position())};
  }
  return {Line, 0};
}

static std::string ofDirective(const std::smatch &Head, const std::string &Name, const std::vector<std::string> &Lines) {
  auto [Line, Column] = findName(Lines, std::stoul(Head[2]), Name);
  const std::string Shown = Line && Line <= Lines.size() ? Lines[Line - 1] : "";
  const size_t First = small(Shown).find("dvm$");
  if (!Column)
    Column = First == std::string::npos ? 1 : First + 6; // the directive's word
  std::string Text = Head[4], Room;
  if (Text.find("Operands of + must be numeric") != std::string::npos)
    Text = "error: expected an integer expression";
  for (size_t I = 0; I + 1 < Column && I < Shown.size(); ++I)
    Room += Shown[I] == '\t' ? '\t' : ' ';
  return Head[1].str() + ':' + std::to_string(Line) + ':' + std::to_string(Column) + ": " + Text + "\n  " + Shown + "\n  " + Room + "^\n";
}

std::string dvmf::ofDirectives(const std::string &Said, const std::function<std::string(const std::string &)> &Read) {
  static const std::regex Place("^(.*?):([0-9]+):([0-9]+): (.*)$"), Inserted("dvmm[a-z]+_?[0-9]");
  const std::vector<std::string> Lines = linesOf(Said);
  std::set<std::string> Known;
  std::string Out;
  for (size_t I = 0; I < Lines.size(); ++I) {
    std::smatch Head;
    if (I + 2 >= Lines.size() || !std::regex_search(Lines[I + 1], Inserted) || !std::regex_match(Lines[I], Head, Place)) {
      Out += Lines[I] + '\n';
      continue;
    }
    const std::string Message = ofDirective(Head, nameAbove(Lines[I + 1], Lines[I + 2]), linesOf(Read(Head[1])));
    if (Known.insert(Message).second)
      Out += Message;
    I += 2;
  }
  return Out;
}

void Listener::HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &D) {
  llvm::SmallString<128> Text;
  D.FormatDiagnostic(Text);
  Said.push_back({Level, Text.str().str()});
}

void Listener::tell(clang::DiagnosticsEngine &Diags, const std::string &Text, const std::string &Own) const {
  for (auto [Level, Line] : Said) {
    for (size_t At = 0; (At = Line.find(Text, At)) != std::string::npos; At += Own.size())
      Line.replace(At, Text.size(), Own);
    Diags.Report(Diags.getCustomDiagID(Level, "%0")) << Line;
  }
}
