#include "Lines.h"
#include <algorithm>
#include <cctype>

using namespace dvmf;

bool dvmf::isNameStart(char C) { return std::isalpha(static_cast<unsigned char>(C)) || C == '_'; }
bool dvmf::isNameChar(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '$'; }

std::string dvmf::lower(std::string_view S) {
  std::string Out(S);
  for (char &C : Out)
    C = static_cast<char>(std::tolower(static_cast<unsigned char>(C)));
  return Out;
}

std::string dvmf::squeezed(std::string_view S) {
  std::string Out;
  char Quote = 0;
  for (char C : S) {
    if (Quote) {
      Quote = C == Quote ? 0 : Quote;
      Out += C;
    } else if (C == '\'' || C == '"') {
      Quote = C;
      Out += C;
    } else if (C != ' ' && C != '\t') {
      Out += static_cast<char>(std::tolower(static_cast<unsigned char>(C)));
    }
  }
  return Out;
}

namespace {
enum class LineKind { Blank, Comment, Statement, Directive, Preprocessor };

struct RawLine {
  std::string_view S;
  unsigned Number, Raw; // as line markers say; in the text
  const std::string &File;
};

struct Reader {
  const Form &F;
  std::vector<Statement> Out;
  Statement Now;
  bool Open = false,
       MayGoOn = false;    // free form: the line before ended with '&'
  char Quote = 0;          // inside of a character constant
  unsigned LastOfLine = 0; // last line on which a statement ended

  explicit Reader(const Form &F) : F(F) {}
  void line(const RawLine &L);
  void fixedLine(const RawLine &L);
  void freeLine(const RawLine &L);
  void begin(bool Directive, const RawLine &L, size_t From);
  void take(const RawLine &L, size_t From, size_t To);
  void close();
  void add(char C, unsigned Line, size_t Offset);
};
} // namespace

// '!DVM$', '!$DVM' and their like begin at 'From'.
static bool isSentinel(std::string_view S, size_t From, bool Fixed) {
  if (S.size() < From + 5)
    return false;
  const char First = S[From];
  if (First != '!' && !(Fixed && (First == 'c' || First == 'C' || First == '*')))
    return false;
  const std::string Word = lower(S.substr(From + 1, 4));
  return Word == "dvm$" || Word == "$dvm";
}

void Reader::begin(bool Directive, const RawLine &L, size_t From) {
  close();
  Now = Statement();
  Now.IsDirective = Directive;
  Now.FirstLine = Now.LastLine = L.Raw;
  Now.File = L.File;
  Now.Start = {L.Number, unsigned(From) + 1};
  Open = true;
  Quote = 0;
}

void Reader::add(char C, unsigned Line, size_t Offset) {
  if (Now.Text.empty() && (C == ' ' || C == '\t'))
    return;
  if (Now.Text.empty() && Now.Label.empty())
    Now.Start = {Line, unsigned(Offset) + 1};
  Now.Text += C == '\t' ? ' ' : C;
  Now.At.push_back({Line, unsigned(Offset) + 1});
}

void Reader::close() {
  if (!Open)
    return;
  Open = MayGoOn = false;
  while (!Now.Text.empty() && Now.Text.back() == ' ') {
    Now.Text.pop_back();
    Now.At.pop_back();
  }
  if (Now.Text.empty() && Now.Label.empty() && !Now.IsDirective)
    return;
  Position End = Now.At.empty() ? Now.Start : Now.At.back();
  Now.At.push_back({End.Line, End.Column + 1});
  if (!Out.empty() && !Out.back().IsDirective && Out.back().LastLine == Now.FirstLine)
    Out.back().Alone = Now.Alone = false;
  Out.push_back(std::move(Now));
}

// The characters [From, To) of the line, up to a comment; ';' parts statements.
void Reader::take(const RawLine &L, size_t From, size_t To) {
  Now.LastLine = L.Raw;
  MayGoOn = false;
  for (size_t I = From; I < To; ++I) {
    const char C = L.S[I];
    if (Quote) {
      if (!F.Fixed && C == '&' && L.S.find_first_not_of(" \t", I + 1) == std::string_view::npos) {
        MayGoOn = true;
        return;
      }
      Quote = C == Quote ? 0 : Quote;
      add(C, L.Number, I);
    } else if (C == '\'' || C == '"') {
      Quote = C;
      add(C, L.Number, I);
    } else if (C == '!') {
      return;
    } else if (C == ';' && !Now.IsDirective) {
      begin(false, L, I + 1);
    } else if (C == '&' && !F.Fixed) {
      size_t Next = L.S.find_first_not_of(" \t", I + 1);
      MayGoOn = Next == std::string_view::npos || L.S[Next] == '!';
      if (MayGoOn)
        return;
    } else {
      add(C, L.Number, I);
    }
  }
}

void Reader::fixedLine(const RawLine &L) {
  std::string_view S = L.S;
  const bool Directive = isSentinel(S, 0, true);
  if (!Directive && !S.empty() && std::string_view("cC*!dD").find(S[0]) != std::string_view::npos)
    return;
  const size_t Tab = S.substr(0, 6).find('\t');
  size_t End = Tab == std::string_view::npos ? std::min<size_t>(S.size(), F.Columns) : S.size();
  if (Directive) {
    const bool GoesOn = S.size() > 5 && S[5] != ' ' && S[5] != '0' && S[5] != '\t' && Open && Now.IsDirective;
    if (!GoesOn)
      begin(true, L, 0);
    else if (!Now.At.empty() && Now.At.back().Column < 72) // shorter lines are filled up with blanks
      add(' ', L.Number, 0);
    take(L, GoesOn || (S.size() > 5 && (S[5] == '0')) ? 6 : 5, S.size());
    return;
  }
  if (S.find_first_not_of(" \t") == std::string_view::npos)
    return;
  size_t From = 6;
  bool GoesOn = false;
  if (Tab != std::string_view::npos) {
    GoesOn = Tab + 1 < S.size() && S[Tab + 1] >= '1' && S[Tab + 1] <= '9';
    From = Tab + 1 + GoesOn;
  } else {
    if (size_t First = S.find_first_not_of(' '); S[First] == '!' && First != 5)
      return;
    GoesOn = S.size() > 5 && S[5] != ' ' && S[5] != '0';
  }
  if (!(GoesOn && Open && !Now.IsDirective)) {
    begin(false, L, S.find_first_not_of(" \t"));
    for (size_t I = 0; I < std::min(From, std::min(S.size(), size_t(5))); ++I)
      if (std::isdigit(static_cast<unsigned char>(S[I]))) {
        if (Now.Label.empty())
          Now.Start = {L.Number, unsigned(I) + 1};
        Now.Label += S[I];
      }
  }
  if (From < End)
    take(L, From, End);
}

void Reader::freeLine(const RawLine &L) {
  std::string_view S = L.S;
  size_t First = S.find_first_not_of(" \t");
  if (First == std::string_view::npos)
    return;
  if (isSentinel(S, First, false)) {
    size_t From = First + 5;
    const bool Star = From < S.size() && (S[From] == '*' || S[From] == '&');
    if (!(Open && Now.IsDirective && (MayGoOn || Star)))
      begin(true, L, First);
    else if (size_t Next = S.find_first_not_of(" \t", From); Next != std::string_view::npos && (S[Next] == '&' || Star))
      From = Next + 1;
    take(L, From, S.size());
    return;
  }
  if (S[First] == '!')
    return;
  if (Open && MayGoOn && !Now.IsDirective) {
    if (S[First] == '&') {
      ++First;
    } else if (!Quote) {
      First = 0;
      add(' ', L.Number, 0); // a name does not go on without '&'
    }
    take(L, First, S.size());
    return;
  }
  begin(false, L, First);
  size_t At = First;
  while (At < S.size() && std::isdigit(static_cast<unsigned char>(S[At])))
    ++At;
  if (At > First && At < S.size() && (S[At] == ' ' || S[At] == '\t')) {
    Now.Label = S.substr(First, At - First);
    First = At;
  }
  take(L, First, S.size());
}

void Reader::line(const RawLine &L) { F.Fixed ? fixedLine(L) : freeLine(L); }

bool LineMap::next(std::string_view S) {
  ++Line;
  if (S.empty() || S[0] != '#') {
    Any = true;
    return true;
  }
  size_t At = S.find_first_not_of(" \t", 1);
  if (At != std::string_view::npos && S.compare(At, 4, "line") == 0)
    At = S.find_first_not_of(" \t", At + 4);
  unsigned Number = 0;
  size_t End = At;
  while (End < S.size() && std::isdigit(static_cast<unsigned char>(S[End])))
    Number = Number * 10 + unsigned(S[End++] - '0');
  if (At == std::string_view::npos || End == At)
    return false;
  Line = Number - 1;
  const size_t Open = S.find('"', End), Close = Open == std::string_view::npos ? Open : S.find('"', Open + 1);
  if (Close == std::string_view::npos)
    return false;
  const std::string Name(S.substr(Open + 1, Close - Open - 1));
  if (!Any && Own.empty() && !Name.empty() && Name[0] != '<')
    Own = Name;
  File = Name == Own ? "" : Name;
  return false;
}

std::vector<Statement> dvmf::readStatements(std::string_view Raw, const Form &F, std::string *Own) {
  Reader R(F);
  LineMap Map;
  unsigned Number = 0;
  for (size_t From = 0; From < Raw.size();) {
    size_t End = std::min(Raw.find('\n', From), Raw.size());
    std::string_view S = Raw.substr(From, End - From);
    if (!S.empty() && S.back() == '\r')
      S.remove_suffix(1);
    ++Number;
    if (Map.next(S))
      R.line({S, Map.Line, Number, Map.File});
    From = End + 1;
  }
  R.close();
  if (Own)
    *Own = Map.Own;
  return std::move(R.Out);
}
