#include "Units.h"
#include <cctype>

using namespace dvmf;

static bool starts(const std::string &S, const char *P) { return S.rfind(P, 0) == 0; }

// Where '=' stands outside of parentheses, and no '==', '=>', '<='; npos:
// nowhere.
static size_t assignment(const std::string &S) {
  int Depth = 0;
  char Quote = 0;
  for (size_t I = 0; I < S.size(); ++I) {
    const char C = S[I];
    if (Quote) {
      Quote = C == Quote ? 0 : Quote;
      continue;
    }
    if (C == '\'' || C == '"')
      Quote = C;
    Depth += C == '(' || C == '[' ? 1 : C == ')' || C == ']' ? -1 : 0;
    if (Depth || C != '=')
      continue;
    const char Before = I ? S[I - 1] : ' ', Behind = I + 1 < S.size() ? S[I + 1] : ' ';
    if (Behind == '=' || Before == '=' || Before == '/' || Before == '<' || Before == '>')
      return std::string::npos;
    return I;
  }
  return std::string::npos;
}

static bool commaBehind(const std::string &S, size_t From) {
  int Depth = 0;
  for (size_t I = From; I < S.size(); ++I) {
    Depth += S[I] == '(' || S[I] == '[' ? 1 : S[I] == ')' || S[I] == ']' ? -1 : 0;
    if (!Depth && S[I] == ',')
      return true;
  }
  return false;
}

// "name:do .." without the name.
static std::string withoutName(const std::string &S) {
  size_t I = 0;
  while (I < S.size() && isNameChar(S[I]))
    ++I;
  return I && I + 1 < S.size() && S[I] == ':' && S[I + 1] != ':' ? S.substr(I + 1) : S;
}

static bool parseDo(const std::string &Whole, Loop &L) {
  const std::string S = withoutName(Whole);
  if (!starts(S, "do"))
    return false;
  size_t I = 2;
  while (I < S.size() && std::isdigit(static_cast<unsigned char>(S[I])))
    L.Label += S[I++];
  if (I < S.size() && S[I] == ',')
    ++I;
  const std::string Rest = S.substr(I);
  if (Rest.empty() || starts(Rest, "while(") || starts(Rest, "concurrent("))
    return true;
  const size_t Is = assignment(S);
  if (Is == std::string::npos || Is <= I || !commaBehind(S, Is) || !isNameStart(S[I]))
    return false;
  L.Index = S.substr(I, Is - I);
  for (char C : L.Index)
    if (!isNameChar(C))
      return false;
  return true;
}

static const char *const Specifications[] = {
    "integer",    "real",     "doubleprecision", "doublecomplex", "complex",  "logical",      "character",   "byte",
    "type",       "class(",   "dimension",       "parameter",     "save",     "common",       "equivalence", "data",
    "implicit",   "external", "intrinsic",       "use",           "include",  "interface",    "allocatable", "pointer",
    "target",     "public",   "private",         "optional",      "intent",   "value",        "volatile",    "asynchronous",
    "contiguous", "bind(",    "protected",       "namelist",      "import",   "procedure",    "enum",        "enumerator",
    "format(",    "entry",    "generic",         "codimension",   "abstract", "endinterface", "endtype",     "endenum",
    "automatic",  "static",   "contains",        "final",         "sequence", "module",       "endmodule"};

static bool isSpecification(const std::string &S) {
  const size_t Is = assignment(S);
  if (Is != std::string::npos && S.find("::") == std::string::npos && !starts(S, "use"))
    return false;
  for (const char *Word : Specifications)
    if (starts(S, Word))
      return true;
  return false;
}

// "f(x,y)=..": a statement function, if no declaration gives f dimensions.
static bool isStatementFunction(const std::string &S, const std::string &Declared) {
  const size_t Is = assignment(S), Open = S.find('(');
  if (Is == std::string::npos || Open == std::string::npos || Open > Is || S[Is - 1] != ')' || !isNameStart(S[0]))
    return false;
  for (size_t I = 0; I + 1 < Is; ++I)
    if (!isNameChar(S[I]) && S[I] != ',' && I != Open)
      return false;
  for (size_t I = Open + 1; I + 1 < Is; ++I)
    if (S[I - 1] != '\0' && (S[I - 1] == '(' || S[I - 1] == ',') && !isNameStart(S[I]))
      return false;
  return Declared.find(S.substr(0, Open + 1)) == std::string::npos;
}

// Where the word behind the prefixes of a procedure begins.
static size_t behindPrefixes(const std::string &S) {
  size_t At = 0;
  auto Skip = [&](const char *Word) {
    const size_t N = std::char_traits<char>::length(Word);
    if (S.compare(At, N, Word) != 0)
      return false;
    At += N;
    return true;
  };
  for (bool More = true; More;) {
    More = false;
    for (const char *Word : {"recursive", "nonrecursive", "impure", "pure", "elemental", "integer", "real", "doubleprecision", "complex",
                             "logical", "character", "type", "class"})
      More |= Skip(Word);
    if (At < S.size() && S[At] == '*') {
      while (At < S.size() && (S[At] == '*' || std::isdigit(static_cast<unsigned char>(S[At]))))
        ++At;
      More = true;
    }
    if (At && At < S.size() && S[At] == '(') {
      int Depth = 0;
      do
        Depth += S[At] == '(' ? 1 : S[At] == ')' ? -1 : 0;
      while (++At < S.size() && Depth);
      More = true;
    }
    if (S.compare(At, 16, "modulesubroutine") == 0 || S.compare(At, 14, "modulefunction") == 0)
      At += 6;
  }
  return At;
}

static bool unitBegin(const std::string &S, Unit::Kind &K, std::string &Name) {
  auto NameAt = [&](size_t I) {
    size_t End = I;
    while (End < S.size() && isNameChar(S[End]))
      ++End;
    Name = S.substr(I, End - I);
    return !Name.empty();
  };
  auto Is = [&](const char *Word, Unit::Kind Kind) {
    K = Kind;
    return starts(S, Word) && (NameAt(std::char_traits<char>::length(Word)) || Kind == Unit::BlockData);
  };
  if (assignment(S) != std::string::npos)
    return false;
  if (Is("program", Unit::Program) || Is("blockdata", Unit::BlockData))
    return true;
  if (starts(S, "submodule(")) {
    K = Unit::Module;
    const size_t Close = S.find(')');
    return Close != std::string::npos && NameAt(Close + 1);
  }
  const size_t At = behindPrefixes(S);
  K = Unit::Procedure;
  if (S.compare(At, 10, "subroutine") == 0)
    return NameAt(At + 10);
  if (S.compare(At, 8, "function") == 0)
    return NameAt(At + 8) && S.find('(', At) != std::string::npos;
  if (!At && starts(S, "moduleprocedure") && S.find(',') == std::string::npos && S.find("::") == std::string::npos)
    return NameAt(15);
  if (!At && starts(S, "module") && S != "moduleprocedure") {
    K = Unit::Module;
    return NameAt(6);
  }
  return false;
}

static bool unitEnd(const std::string &S) {
  if (S == "end")
    return true;
  for (const char *Word : {"endprogram", "endsubroutine", "endfunction", "endmodule", "endsubmodule", "endblockdata", "endprocedure"})
    if (starts(S, Word) && assignment(S) == std::string::npos)
      return true;
  return false;
}

static bool blockBegin(const std::string &Whole) {
  const std::string S = withoutName(Whole);
  const bool Then = S.size() > 6 && S.compare(S.size() - 5, 5, ")then") == 0;
  return (starts(S, "if(") && Then) || starts(S, "selectcase(") || starts(S, "selecttype(") || S == "block" || starts(S, "associate(") ||
         (starts(S, "where(") && S.back() == ')') || (starts(S, "forall(") && S.back() == ')') || S == "critical";
}

static bool blockEnd(const std::string &S) {
  for (const char *Word : {"endif", "endselect", "endblock", "endassociate", "endwhere", "endforall", "endcritical"})
    if (starts(S, Word) && !starts(S, "endblockdata") && assignment(S) == std::string::npos)
      return true;
  return false;
}

namespace {
struct Walk {
  const std::vector<Statement> &S;
  Outline O;
  std::vector<int> Open;         // units
  std::vector<size_t> OpenLoops; // numbers of loops
  std::vector<size_t> OpenBlocks;
  int Hidden = 0; // inside of interfaces, definitions of types
  int Interfaces = 0;
  std::string Declared;

  explicit Walk(const std::vector<Statement> &S) : S(S) {}
  bool isHidden(const std::string &T);
  void statement(size_t I);
  void open(size_t I, Unit::Kind K, const std::string &Name);
  void loopsEnd(size_t I, const std::string &T);
  void executable(size_t I);
  void close(size_t I);
};
} // namespace

void Walk::open(size_t I, Unit::Kind K, const std::string &Name) {
  Unit U;
  U.K = K;
  U.Name = Name;
  U.Parent = Open.empty() ? -1 : Open.back();
  U.Begin = I;
  O.Units.push_back(U);
  Open.push_back(int(O.Units.size()) - 1);
  Declared.clear();
}

void Walk::executable(size_t I) {
  Unit &U = O.Units[Open.back()];
  if (U.FirstExecutable)
    return;
  U.FirstExecutable = I;
  U.HasExecutable = true;
}

void Walk::close(size_t I) {
  Unit &U = O.Units[Open.back()];
  U.End = I;
  if (!U.FirstExecutable)
    U.FirstExecutable = U.Contains ? U.Contains : I;
  Open.pop_back();
  OpenLoops.clear();
  OpenBlocks.clear();
}

static std::string_view withoutZeros(std::string_view Label) { return Label.substr(std::min(Label.find_first_not_of('0'), Label.size())); }

void Walk::loopsEnd(size_t I, const std::string &T) {
  const bool EndDo = starts(T, "enddo") && assignment(T) == std::string::npos;
  bool Closed = false;
  while (!OpenLoops.empty() && !S[I].Label.empty() && !O.Loops[OpenLoops.back()].Label.empty() &&
         withoutZeros(O.Loops[OpenLoops.back()].Label) == withoutZeros(S[I].Label)) {
    O.Loops[OpenLoops.back()].End = I;
    OpenLoops.pop_back();
    Closed = true;
  }
  if (EndDo && !Closed && !OpenLoops.empty()) {
    O.Loops[OpenLoops.back()].End = I;
    OpenLoops.pop_back();
  }
}

// The index as its statement writes it: the outline has it in small letters.
static std::string asWritten(const std::string &Index, const std::string &Whole) {
  const std::string Small = lower(Whole);
  size_t End = Small.find('=');
  while (End && !isNameChar(Small[End - 1]))
    --End;
  size_t From = End;
  while (From && isNameChar(Small[From - 1]))
    --From;
  return End - From >= Index.size() ? Whole.substr(End - Index.size(), Index.size()) : Index;
}

// In an interface or the definition of a type.
bool Walk::isHidden(const std::string &T) {
  const bool Type = starts(T, "type") && !starts(T, "type(") && !starts(T, "typeis(") && assignment(T) == std::string::npos;
  const bool Interface = starts(T, "interface") || starts(T, "abstractinterface");
  Interfaces += Interface;
  if (Interface || Type)
    ++Hidden;
  if (Hidden == 0)
    return false;
  Interfaces -= starts(T, "endinterface");
  if (starts(T, "endinterface") || starts(T, "endtype"))
    --Hidden;
  return true;
}

void Walk::statement(size_t I) {
  O.UnitOf.push_back(Open.empty() ? -1 : Open.back());
  O.LoopAt.push_back(-1);
  O.BlockEnd.push_back(I);
  O.InInterface.push_back(Interfaces > 0);
  if (S[I].IsDirective)
    return;
  const std::string T = squeezed(S[I].Text);
  if (isHidden(T))
    return;
  Unit::Kind K;
  std::string Name;
  if (unitBegin(T, K, Name)) {
    open(I, K, Name);
    O.UnitOf.back() = Open.back();
    return;
  }
  if (Open.empty()) {
    open(I, Unit::Program, "");
    O.UnitOf.back() = Open.back();
  }
  if (unitEnd(T)) {
    close(I);
    return;
  }
  if (T == "contains") {
    Unit &U = O.Units[Open.back()];
    if (!U.Contains)
      U.Contains = I;
    if (!U.FirstExecutable)
      U.FirstExecutable = I;
    return;
  }
  Loop L;
  if (parseDo(T, L)) {
    executable(I);
    L.Do = I;
    if (!L.Index.empty())
      L.Index = asWritten(L.Index, S[I].Text);
    O.LoopAt.back() = int(O.Loops.size());
    OpenLoops.push_back(O.Loops.size());
    O.Loops.push_back(L);
    return;
  }
  if (!isSpecification(T) && !(!O.Units[Open.back()].FirstExecutable && isStatementFunction(T, Declared)))
    executable(I);
  else if (!O.Units[Open.back()].FirstExecutable)
    Declared += T + "\n";
  if (blockBegin(T))
    OpenBlocks.push_back(I);
  else if (blockEnd(T) && !OpenBlocks.empty()) {
    O.BlockEnd[OpenBlocks.back()] = I;
    OpenBlocks.pop_back();
  }
  loopsEnd(I, T);
}

Outline dvmf::outlineOf(const std::vector<Statement> &S) {
  Walk W(S);
  for (size_t I = 0; I < S.size(); ++I)
    W.statement(I);
  while (!W.Open.empty())
    W.close(S.empty() ? 0 : S.size() - 1);
  return std::move(W.O);
}
