#include "Cursor.h"
#include <cctype>

using namespace dvmf;

void Cursor::blanks() {
  while (At < S.size() && S[At] == ' ')
    ++At;
}

bool Cursor::atEnd() {
  blanks();
  return At >= S.size();
}

bool Cursor::at(char C) {
  blanks();
  return At < S.size() && S[At] == C;
}

bool Cursor::take(char C) {
  if (!at(C))
    return false;
  ++At;
  return true;
}

bool Cursor::fail(size_t Where, const std::string &Text, const std::string &Help) {
  M = {Where, Text, Help};
  return false;
}
bool Cursor::fail(const std::string &Text, const std::string &Help) { return fail(position(), Text, Help); }

std::string Cursor::found() {
  if (atEnd())
    return "found the end of the directive";
  std::string Word = peekWord();
  return "found '" + (Word.empty() ? std::string(1, S[At]) : S.substr(At, Word.size())) + "'";
}

bool Cursor::expect(char C, const std::string &Where) {
  return take(C) || fail(std::string("expected '") + C + "' " + Where + ", " + found());
}

std::string Cursor::peekWord() {
  blanks();
  size_t End = At;
  if (End < S.size() && isNameStart(S[End]))
    while (End < S.size() && isNameChar(S[End]))
      ++End;
  return lower(std::string_view(S).substr(At, End - At));
}

bool Cursor::takeWord(const char *Word) {
  if (peekWord() != Word)
    return false;
  At += std::char_traits<char>::length(Word);
  return true;
}

bool Cursor::name(std::string &Out, const std::string &What) {
  size_t N = peekWord().size();
  if (!N)
    return fail("expected " + What + ", " + found());
  Out = S.substr(At, N);
  At += N;
  return true;
}

std::string Cursor::expression() {
  blanks();
  size_t From = At;
  int Depth = 0;
  char Quote = 0;
  for (; At < S.size(); ++At) {
    const char C = S[At];
    if (Quote) {
      Quote = C == Quote ? 0 : Quote;
      continue;
    }
    if (C == '\'' || C == '"')
      Quote = C;
    if (!Depth && (C == ',' || C == ':' || C == ')'))
      break;
    Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
  }
  size_t End = At;
  while (End > From && S[End - 1] == ' ')
    --End;
  return S.substr(From, End - From);
}

// ---- affine
// ----------------------------------------------------------------------------------------------------------------

// Pieces of the text between the operators in 'Operators' outside of
// parentheses; the sign before each.
static std::vector<std::pair<char, std::string>> parts(const std::string &T, const char *Operators) {
  std::vector<std::pair<char, std::string>> Out{{'+', ""}};
  int Depth = 0;
  for (char C : T) {
    Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
    if (!Depth && std::char_traits<char>::find(Operators, std::char_traits<char>::length(Operators), C)) {
      if (Out.size() == 1 && Out[0].second.empty())
        Out[0].first = C;
      else
        Out.push_back({C, ""});
    } else if (C != ' ') {
      Out.back().second += C;
    }
  }
  return Out;
}

static int indexIn(const std::string &T, const std::vector<std::string> &Names, bool &Several) {
  int Found = -1;
  for (size_t I = 0; I < T.size();) {
    if (!isNameStart(T[I])) {
      ++I;
      continue;
    }
    size_t End = I;
    while (End < T.size() && isNameChar(T[End]))
      ++End;
    const std::string Word = lower(std::string_view(T).substr(I, End - I));
    for (size_t N = 0; N < Names.size(); ++N)
      if (lower(Names[N]) == Word) {
        Several |= Found >= 0;
        Found = int(N);
      }
    I = End;
  }
  return Found;
}

void dvmf::splitAffine(const std::string &Text, const std::vector<std::string> &Names, Axis &X) {
  bool Several = false;
  const int Index = indexIn(Text, Names, Several);
  X.Add = Text;
  X.K = Index < 0 ? Axis::Value : Axis::Other;
  if (Index < 0 || Several)
    return;
  std::string Add, Coef;
  char CoefSign = '+';
  for (auto &[Sign, Part] : parts(Text, "+-")) {
    bool Ignored = false;
    if (indexIn(Part, Names, Ignored) < 0) {
      Add += (Add.empty() && Sign == '+' ? "" : std::string(1, Sign)) + Part;
      continue;
    }
    auto Factors = parts(Part, "*");
    if (Factors.size() > 2 || Part.find('/') != std::string::npos)
      return;
    for (size_t I = 0; I < Factors.size(); ++I)
      if (lower(Factors[I].second) == lower(Names[Index]) && (Factors.size() == 1 || indexIn(Factors[1 - I].second, Names, Ignored) < 0)) {
        Coef = Factors.size() == 1 ? "" : Factors[1 - I].second;
        CoefSign = Sign;
        X.K = Axis::Affine;
        break;
      }
    if (X.K != Axis::Affine)
      return;
  }
  X.Index = Index;
  X.Add = Add;
  X.Coef = CoefSign == '-' ? "-(" + (Coef.empty() ? "1" : Coef) + ")" : Coef;
}
