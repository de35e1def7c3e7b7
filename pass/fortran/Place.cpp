#include "Place.h"
#include "Copies.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace dvmf;

void Mark::add(bool IsVariable, const std::string &Text) {
  if (!Text.empty() && find(IsVariable, Text) < 0)
    Operands.push_back({IsVariable, Text});
}

int Mark::find(bool IsVariable, const std::string &Text) const {
  for (size_t I = 0; I < Operands.size(); ++I)
    if (Operands[I].IsVariable == IsVariable && squeezed(Operands[I].Text) == squeezed(Text))
      return int(I);
  return -1;
}

// What a program can do in place of a directive that is not judged.
static std::string insteadOf(const std::string &Word) {
  static const struct {
    const char *Word, *Help;
  } Rows[] = {
      {"TEMPLATE_", "give the template its sizes in TEMPLATE itself"},
      {"CP_",
       "the program runs without it; 'dvm run --checkpointable' and 'dvm checkpoint' save programs, 'dvm restart' goes on with them"},
      {"INDIRECT_ACCESS", "write REMOTE_ACCESS, or the clause INDIRECT_ACCESS of PARALLEL, which are judged"},
      {"POINTER", "declare the array ALLOCATABLE or POINTER: its directives are judged"},
      {"HEAP", "declare the array ALLOCATABLE or POINTER: its directives are judged"},
      {"INDEPENDENT", "write PARALLEL, which is judged"},
      {"OWN", "take it out: outside of parallel loops an assignment is its owner's anyway"},
  };
  for (const auto &Row : Rows)
    if (Word.rfind(Row.Word, 0) == 0)
      return Row.Help;
  return "take it out, or compile with '-fdvm=off'";
}

namespace {

struct Insertion {
  std::vector<std::string> Lines; // without indentation
  unsigned At;                    // the line that '#line' names for them
};

struct Placer {
  const std::string &Raw;
  Placed &P;
  Outline O;
  std::map<unsigned, std::vector<Insertion>> Before,
      Behind; // by line of the source
  std::map<int, std::map<std::string, ArrayInfo>> Arrays; // by unit and small name
  std::map<int, std::vector<std::string>> Order;
  std::vector<std::pair<unsigned, unsigned>> Blank; // labels that go elsewhere: line and column
  std::map<unsigned, std::string> LabelAt; // .. onto the first inserted statement before that line
  unsigned Marks = 0, Constructs = 0;

  Placer(const std::string &Raw, Placed &P) : Raw(Raw), P(P), O(outlineOf(P.Statements)) {}
  // The number that what is inserted for the statement bears.
  unsigned lineOf(size_t S) const { return P.Statements[S].File.empty() ? P.Statements[S].Start.Line : P.Statements[S].FirstLine; }
  void run();

  Position place(size_t S, size_t At) const {
    const Statement &St = P.Statements[S];
    return At < St.At.size() ? St.At[At] : St.Start;
  }
  void error(Position At, const std::string &Text, const std::string &Help = "") {
    P.Complaints.push_back({true, At, Text, Help, Included});
  }
  void unjudged(Position At, const std::string &Word, const std::string &Text, const std::string &Help) {
    P.Complaints.push_back({false, At, Text + " [-Wdvm-unjudged]", Help, Included, Word});
  }
  std::string Included; // the file of the directive at hand
  const Directive *Tasks = nullptr; // the task region around it

  void directive(size_t S);
  void declaration(size_t S, const Directive &D);
  void countProcessors(size_t S, Directive &D);
  bool nest(size_t First, const Directive &D, std::vector<int> &Loops);
  void parallel(size_t S, const Directive &D);
  void remoteAccess(size_t S, const Directive &D);
  void standAlone(size_t S, const Directive &D);
  void separate(size_t S, const Directive &D);
  bool insideParallel(unsigned Line) const;
  bool isReady(int Unit, const ArrayInfo &A, const std::vector<std::string> &Placed) const;
  std::vector<std::string> inOrder(int Unit);
  void declareAll();
  void declareInModule(int U, std::vector<Insertion> &Lines);
  void declare(int Unit, const ArrayInfo &A, std::vector<Insertion> &Lines, bool Allocated = false);
  void declareAllocated(size_t S);
  void declareAligned(int Unit, int In, const std::string &Key, std::vector<Insertion> &Lines);
  Mark &mark(MarkKind K, size_t S, const Directive *D);
  std::string call(const Mark &M) const;
  bool nextStatement(size_t S, size_t &Next) const;
  void partEnds(const Loop &L);
  void wrap(size_t First, size_t Last, Mark &Enter, unsigned Line);
  void block(size_t S, const Directive &D);
  size_t endOf(size_t S, const Directive &D);
  bool isArray(int Unit, const std::string &Name) const;
  bool isConstant(int Unit, const std::string &Name) const;
  void dropConstants(size_t S, Directive &D) const;
  void copies(size_t S, size_t End, const Directive &D);
  std::set<size_t> Ends; // directives that end a block

  void refOperands(Mark &M, const Ref &R, bool Variable = true);
  void widthOperands(Mark &M, const std::vector<Width> &W);
  void distOperands(Mark &M, const std::vector<Dist> &D);
  std::vector<std::string> withRules(const Mark &M, const std::vector<Dist> &D, const std::string &Array);
  void countRule(const Mark &Of, const Dist &X, unsigned Dim, const std::string &Array, std::vector<std::string> &Lines);
  void clauseOperands(Mark &M, const Clause &C);
  bool isTemplate(int Unit, const std::string &Name) const;
  void addVariable(Mark &M, int Unit, const std::string &Name);
  int unitOf(size_t S) const { return S < O.UnitOf.size() ? O.UnitOf[S] : -1; }
  int CurrentUnit = -1;
  void write();
  void writeLines(std::string &Out, const Insertion &I, const std::string &Label) const;
};
} // namespace

// ---- operands
// ----------------------------------------------------------------------------------------------------------------

bool Placer::isTemplate(int Unit, const std::string &Name) const {
  auto It = Arrays.find(Unit);
  if (It == Arrays.end())
    return Unit >= 0 && isTemplate(O.Units[Unit].Parent, Name);
  auto A = It->second.find(lower(Name));
  return A != It->second.end() ? A->second.Template != nullptr : isTemplate(O.Units[Unit].Parent, Name);
}

void Placer::addVariable(Mark &M, int Unit, const std::string &Name) {
  if (!isTemplate(Unit, Name))
    M.add(true, Name);
}

void Placer::refOperands(Mark &M, const Ref &R, bool Variable) {
  if (Variable)
    addVariable(M, CurrentUnit, R.Name);
  for (const Axis &X : R.Axes)
    if (X.K != Axis::Other) {
      M.add(false, X.Coef);
      M.add(false, X.Add);
    }
  widthOperands(M, R.Widths);
}

void Placer::widthOperands(Mark &M, const std::vector<Width> &W) {
  for (const Width &X : W) {
    M.add(false, X.Low);
    M.add(false, X.High);
  }
}

void Placer::distOperands(Mark &M, const std::vector<Dist> &Dists) {
  for (const Dist &X : Dists) {
    M.add(X.Kind != "multblock" && X.Kind != "derived", X.Arg);
    M.add(false, X.Arg2);
  }
}

// A rule is counted through by loops over its indices, variables of a BLOCK: 'dvmmgo' says whether there is one more.
void Placer::countRule(const Mark &Of, const Dist &X, unsigned Dim, const std::string &Array, std::vector<std::string> &Lines) {
  const auto Add = [&](MarkKind K, unsigned Level, const std::vector<Operand> &Operands) {
    Mark M = Of;
    M.K = K;
    M.Number = ++Marks;
    M.R = &*X.How;
    M.Level = Level;
    M.Dim = Dim;
    M.Operands.clear();
    for (const Operand &Op : Operands)
      M.add(Op.IsVariable, Op.Text);
    addVariable(M, CurrentUnit, X.How->Target);
    addVariable(M, CurrentUnit, Array);
    P.Marks.push_back(M);
    Lines.push_back(call(M));
  };
  Lines.push_back("block");
  for (const Rule::Index &I : X.How->Indices)
    Lines.push_back("integer :: " + I.Name);
  for (unsigned Level = 0; Level < X.How->Indices.size(); ++Level) {
    Add(MarkKind::RuleOver, Level, {});
    Lines.push_back("do");
    Add(MarkKind::RuleNext, Level, {{true, "dvmmgo"}, {true, "dvmmix"}, {true, X.How->Indices[Level].Name}});
    Lines.push_back("if (dvmmgo .eq. 0) exit");
  }
  for (unsigned Value = 0; Value < X.How->Values.size(); ++Value)
    Add(MarkKind::RuleGive, Value, {{false, X.How->Values[Value].first}, {false, X.How->Values[Value].second}});
  Lines.insert(Lines.end(), X.How->Indices.size(), "end do");
  Lines.push_back("end block");
  Add(MarkKind::RuleEnd, 0, {{true, X.Arg}});
}

// The call of the mark, behind the rules of the array's dimensions.
std::vector<std::string> Placer::withRules(const Mark &M, const std::vector<Dist> &Dists, const std::string &Array) {
  std::vector<std::string> Lines;
  for (const Dist &X : Dists)
    if (X.How)
      Lines.push_back("integer(8) :: " + X.Arg);
  if (Lines.empty())
    return {call(M)};
  Lines.insert(Lines.begin(), {"block", "integer(8) :: dvmmix", "integer(4) :: dvmmgo"});
  for (unsigned Dim = 0; Dim < Dists.size(); ++Dim)
    if (Dists[Dim].How)
      countRule(M, Dists[Dim], Dim, Array, Lines);
  Lines.insert(Lines.end(), {call(M), "end block"});
  return Lines;
}

void Placer::clauseOperands(Mark &M, const Clause &C) {
  for (const Ref &R : C.Refs)
    refOperands(M, R);
  for (const Reduction &R : C.Reductions) {
    M.add(true, R.Var);
    M.add(true, R.Loc);
    M.add(false, R.Len);
  }
}

Mark &Placer::mark(MarkKind K, size_t S, const Directive *D) {
  Mark M;
  M.K = K;
  M.Number = ++Marks;
  M.D = D;
  M.At = place(S, 0);
  M.Line = lineOf(S);
  M.File = P.Statements[S].File;
  const int U = unitOf(S);
  if (U >= 0) {
    M.Unit = O.Units[U].Name;
    M.Function = P.Statements[O.Units[U].Begin].Start;
  }
  P.Marks.push_back(M);
  return P.Marks.back();
}

std::string Placer::call(const Mark &M) const {
  std::string T = std::string("call ") + CallPrefix + std::to_string(M.Number) + "(";
  for (size_t I = 0; I < M.Operands.size(); ++I)
    T += (I ? "," : "") + (M.Operands[I].IsVariable ? "%loc(" + M.Operands[I].Text + ")" : "(" + M.Operands[I].Text + ")+0");
  return T + ")";
}

// ---- directives
// --------------------------------------------------------------------------------------------------------------

// What the directive stands before: the next statement that is none.
bool Placer::nextStatement(size_t S, size_t &Next) const {
  for (Next = S + 1; Next < P.Statements.size(); ++Next)
    if (!P.Statements[Next].IsDirective)
      return true;
  return false;
}

// The statements [First, Last] become the body of a construct: the pass wants
// 'while (enter) { .. leave }'.  The condition is an intrinsic function that
// needs no declaration; Mark.cpp puts 'enter' in its place.
void Placer::wrap(size_t First, size_t Last, Mark &Enter, unsigned Line) {
  const Statement &A = P.Statements[First], &B = P.Statements[Last];
  Enter.FirstLine = A.Start.Line;
  Enter.LastLine = B.At.back().Line;
  Before[A.FirstLine].push_back({{call(Enter), "do while (command_argument_count() .ne. 0)"}, Line});
  if (!A.Label.empty()) {
    LabelAt[A.FirstLine] = A.Label;
    for (size_t I = 0; I < A.Label.size(); ++I)
      Blank.push_back({A.FirstLine, A.Start.Column + unsigned(I)});
  }
  const unsigned Construct = Enter.Construct;
  Mark &Leave = mark(MarkKind::Leave, First, Enter.D);
  Leave.Construct = Construct;
  Leave.Line = Line; // not that of the statement, which is judged
  auto &After = Behind[B.LastLine];
  After.insert(After.begin(), Insertion{{call(Leave), "end do"}, Line});
}

// The third bound of "do i = 1, n, 2", if it is a number.
static std::string stepOf(const std::string &Do) {
  std::vector<std::string> Bounds{""};
  int Depth = 0;
  for (char C : Do.substr(Do.find('=') + 1)) {
    Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
    if (!Depth && C == ',')
      Bounds.push_back("");
    else if (C != ' ')
      Bounds.back() += C;
  }
  if (Bounds.size() < 3)
    return "1";
  const std::string &Step = Bounds[2];
  const size_t Digits = Step.find_first_not_of("+-");
  const bool Number = Digits != std::string::npos && Digits < 2 && Step.find_first_not_of("0123456789", Digits) == std::string::npos;
  return Number ? Step.substr(Step[0] == '+') : "*";
}

// The loops that PARALLEL names, the outermost first; false: an error says why there are not so many.
bool Placer::nest(size_t First, const Directive &D, std::vector<int> &Loops) {
  const auto refuse = [&](const Position &At, const std::string &Text, const std::string &Help = "") {
    error(At, Text, Help);
    return false;
  };
  size_t Next = First;
  for (size_t N = 0; N < D.Names.size(); ++N) {
    if (N && !nextStatement(Next, Next))
      break;
    if (O.LoopAt[Next] < 0)
      return refuse(P.Statements[Next].Start,
                    "the loops of PARALLEL are not tightly nested: expected the DO of '" + D.Names[N] + "', found another statement");
    const Loop &L = O.Loops[O.LoopAt[Next]];
    if (L.Index.empty())
      return refuse(P.Statements[Next].Start, "PARALLEL must stand before a DO with an index, not before this loop",
                    "write the loops of DO CONCURRENT as DO loops");
    if (lower(L.Index) != lower(D.Names[N]))
      return refuse(P.Statements[Next].Start, "the index of this loop is '" + L.Index + "', but PARALLEL names '" + D.Names[N] + "' here",
                    "name the indices in the order of the loops, the outermost first");
    if (!L.End)
      return refuse(P.Statements[Next].Start, "the end of this loop was not found");
    Loops.push_back(O.LoopAt[Next]);
  }
  return true;
}

// "do 20 k = 1, n" around a parallel loop that ends with the same statement: it loses its label, and has an end of its own behind the
// one of the construct.
void Placer::partEnds(const Loop &L) {
  const Statement &Do = P.Statements[L.Do], &End = P.Statements[L.End];
  size_t I = Do.Text.find_first_of("0123456789");
  for (size_t Digits = 0; I < Do.Text.size() && Digits < L.Label.size(); ++I)
    if (Do.Text[I] != ' ') {
      ++Digits;
      Blank.push_back({Do.At[I].Line, Do.At[I].Column});
    }
  I = Do.Text.find_first_not_of(' ', I);
  if (I != std::string::npos && Do.Text[I] == ',')
    Blank.push_back({Do.At[I].Line, Do.At[I].Column});
  auto &After = Behind[End.LastLine];
  After.insert(After.begin() + 1, Insertion{{"end do"}, End.LastLine});
}

void Placer::parallel(size_t S, const Directive &D) {
  size_t First;
  const Position At = place(S, 0);
  if (!nextStatement(S, First) || O.LoopAt[First] < 0)
    return error(At, "PARALLEL must stand before a DO loop",
                 "comments, empty lines and other directives alone may stand between PARALLEL and its loop");
  std::vector<int> Loops;
  if (!nest(First, D, Loops))
    return;
  const Loop &Outer = O.Loops[Loops.front()], &Inner = O.Loops[Loops.back()];
  std::vector<size_t> Alone{Outer.End};
  for (int L : Loops)
    Alone.push_back(O.Loops[L].Do);
  for (size_t I : Alone)
    if (!P.Statements[I].Alone)
      return error(P.Statements[I].Start, "a loop of PARALLEL needs lines of "
                                          "its own: ';' parts statements here");
  const unsigned Construct = ++Constructs;
  const unsigned Line = lineOf(S);
  Mark Enter = mark(MarkKind::Enter, S, &D);
  Enter.Construct = Construct;
  Enter.Loop = P.Statements[First].Start;
  for (int L : Loops) {
    Enter.Indices.push_back(O.Loops[L].Index);
    Enter.Loops.push_back(P.Statements[O.Loops[L].Do].Start);
    Enter.Steps.push_back(stepOf(P.Statements[O.Loops[L].Do].Text));
  }
  if (D.Target)
    refOperands(Enter, *D.Target);
  for (const Clause &C : D.Clauses)
    clauseOperands(Enter, C);
  const size_t Where = P.Marks.size() - 1;
  wrap(First, Outer.End, Enter, Line);
  for (const Loop &L : O.Loops)
    if (L.End == Outer.End && L.Do < Outer.Do)
      partEnds(L);
  P.Marks[Where] = Enter;
  if (Loops.size() > 1) {
    Mark &Row = mark(MarkKind::Row, S, &D);
    Row.Construct = Construct;
    Before[P.Statements[Inner.Do].FirstLine].push_back({{call(Row)}, Line});
  }
  Mark &Iter = mark(MarkKind::Iter, S, &D);
  Iter.Construct = Construct;
  Iter.Indices = Enter.Indices;
  for (const std::string &I : Iter.Indices)
    Iter.add(true, I);
  Behind[P.Statements[Inner.Do].LastLine].push_back({{call(Iter)}, Line});
}

void Placer::remoteAccess(size_t S, const Directive &D) {
  size_t First;
  if (!nextStatement(S, First))
    return error(place(S, 0), "REMOTE_ACCESS must stand before a statement");
  size_t Last = O.LoopAt[First] >= 0 ? O.Loops[O.LoopAt[First]].End : O.BlockEnd[First];
  if (Last < First || !P.Statements[First].Alone || !P.Statements[Last].Alone)
    return error(P.Statements[First].Start, "the statement of REMOTE_ACCESS needs lines of its own");
  Mark Enter = mark(MarkKind::Enter, S, &D);
  const size_t Where = P.Marks.size() - 1;
  Enter.Construct = ++Constructs;
  for (const Clause &C : D.Clauses)
    clauseOperands(Enter, C);
  wrap(First, Last, Enter, lineOf(S));
  P.Marks[Where] = Enter;
}

// The directive that ends the block of 'S'; 0: there is none.
size_t Placer::endOf(size_t S, const Directive &D) {
  const std::string Word = lower(D.Word);
  int Depth = 1;
  for (size_t E = S + 1; E < P.Statements.size() && unitOf(E) == unitOf(S); ++E) {
    const std::string T = P.Statements[E].IsDirective ? squeezed(P.Statements[E].Text) : "";
    if (T == "end" + Word)
      --Depth;
    else if (T.rfind(Word, 0) == 0 && (T.size() == Word.size() || !isNameChar(T[Word.size()]) || Word != "on"))
      Depth += T.find('=') == std::string::npos;
    if (!Depth)
      return E;
  }
  return 0;
}

// REGION .. END REGION and their like: what lies between is the body of a construct.
void Placer::block(size_t S, const Directive &D) {
  const size_t End = endOf(S, D);
  if (!End || !P.Statements[End].File.empty())
    return error(place(S, 0), D.Word + " has no END " + D.Word + " in this program unit",
                 "write 'END " + D.Word + "' behind the last statement of the block, in the same file");
  Ends.insert(End);
  Mark Enter = mark(MarkKind::Enter, S, &D);
  const size_t Where = P.Marks.size() - 1;
  const unsigned Line = lineOf(S);
  Enter.Construct = ++Constructs;
  if (D.Target)
    refOperands(Enter, *D.Target, false);
  for (const Clause &C : D.Clauses)
    clauseOperands(Enter, C);
  Enter.FirstLine = Line;
  Enter.LastLine = lineOf(End);
  P.Marks[Where] = Enter;
  auto &Begin = Before[P.Statements[S].FirstLine];
  Begin.push_back({{call(Enter), "do while (command_argument_count() .ne. 0)"}, Line});
  if (D.K == DirectiveKind::On) {
    Mark &Iter = mark(MarkKind::Iter, S, &D);
    Iter.Construct = Enter.Construct;
    Begin.push_back({{call(Iter)}, Line});
  }
  Mark &Leave = mark(MarkKind::Leave, End, &D);
  Leave.Construct = Enter.Construct;
  Before[P.Statements[End].FirstLine].push_back({{call(Leave), "end do"}, lineOf(End)});
  if (D.K == DirectiveKind::Asynchronous)
    copies(S, End, D);
}

// Is the name, in small letters, one that a declaration of the unit, or of one around it, gives dimensions?
bool Placer::isArray(int Unit, const std::string &Name) const {
  for (; Unit >= 0; Unit = O.Units[Unit].Parent) {
    const auto Named = Arrays.find(Unit);
    if (Named != Arrays.end() && Named->second.count(Name))
      return !isTemplate(Unit, Name);
    for (size_t S = O.Units[Unit].Begin + 1; S < O.Units[Unit].FirstExecutable; ++S) {
      const std::string T = P.Statements[S].IsDirective ? "" : squeezed(P.Statements[S].Text);
      const size_t List = T.find("dimension(") != std::string::npos ? 0 : std::string::npos;
      for (size_t At = T.find(Name); At != std::string::npos; At = T.find(Name, At + 1)) {
        const char Next = At + Name.size() < T.size() ? T[At + Name.size()] : 0;
        if ((!At || !isNameChar(T[At - 1])) && !isNameChar(Next) && (Next == '(' || !List))
          return true;
      }
    }
  }
  return false;
}

// Has the name, in small letters, the attribute PARAMETER in the unit, or in one around it?
bool Placer::isConstant(int Unit, const std::string &Name) const {
  for (; Unit >= 0; Unit = O.Units[Unit].Parent)
    for (size_t S = O.Units[Unit].Begin + 1; S < O.Units[Unit].FirstExecutable; ++S) {
      const std::string T = P.Statements[S].IsDirective ? "" : squeezed(P.Statements[S].Text);
      const size_t Attribute = T.find("parameter");
      if (Attribute == std::string::npos || (Attribute && T.find(",parameter") == std::string::npos))
        continue;
      for (size_t At = T.find(Name + "=", Attribute); At != std::string::npos; At = T.find(Name + "=", At + 1))
        if (At && !isNameChar(T[At - 1]))
          return true;
    }
  return false;
}

// Of regions: a constant has no memory, neither here nor there.
void Placer::dropConstants(size_t S, Directive &D) const {
  const auto Drop = [&](std::vector<Ref> &Refs) {
    Refs.erase(std::remove_if(Refs.begin(), Refs.end(), [&](const Ref &R) { return isConstant(unitOf(S), lower(R.Name)); }), Refs.end());
  };
  Drop(D.Refs);
  for (Clause &C : D.Clauses)
    Drop(C.Refs);
}

// Behind END ASYNCHRONOUS: what was copied may not be touched before the wait.
void Placer::copies(size_t S, size_t End, const Directive &D) {
  const auto IsArray = [&](const std::string &Name) { return isArray(unitOf(S), Name); };
  std::vector<Directive> All = copiesBetween(P.Statements, O, S, End, IsArray);
  Directive Begin;
  Begin.K = DirectiveKind::CopyBegin;
  All.insert(All.begin(), Begin);
  for (Directive &One : All) {
    One.Group = D.Group;
    P.Directives.push_back(std::make_unique<Directive>(std::move(One)));
    Mark &M = mark(MarkKind::Direct, S, P.Directives.back().get());
    for (const Ref &R : P.Directives.back()->Refs)
      refOperands(M, R);
    Before[P.Statements[End].FirstLine].push_back({{call(M)}, lineOf(End)});
  }
}

// There nothing is measured or traced by itself.
bool Placer::insideParallel(unsigned Line) const {
  return std::any_of(P.Marks.begin(), P.Marks.end(), [&](const Mark &M) {
    return M.K == MarkKind::Enter && M.D->K == DirectiveKind::Parallel && M.FirstLine <= Line && Line <= M.LastLine;
  });
}

// What a rule gives one array takes: each of a list has its own directive then.
void Placer::separate(size_t S, const Directive &D) {
  for (const Ref &R : D.Refs) {
    P.Directives.push_back(std::make_unique<Directive>(D));
    P.Directives.back()->Refs = {R};
    standAlone(S, *P.Directives.back());
  }
}

void Placer::standAlone(size_t S, const Directive &D) {
  size_t Next;
  const bool Rules = std::any_of(D.Dists.begin(), D.Dists.end(), [](const Dist &X) { return X.How.has_value(); });
  if (Rules && D.K == DirectiveKind::Redistribute && D.Refs.size() > 1)
    return separate(S, D);
  const unsigned Line = lineOf(S);
  Mark M = mark(MarkKind::Direct, S, &D);
  const size_t Where = P.Marks.size() - 1;
  for (const Ref &R : D.Refs)
    refOperands(M, R, D.K != DirectiveKind::Measure);
  if (D.Target)
    refOperands(M, *D.Target, D.K != DirectiveKind::Map);
  if (D.Onto)
    refOperands(M, *D.Onto, false);
  distOperands(M, D.Dists);
  P.Marks[Where] = M;
  if (!nextStatement(S, Next))
    return;
  Before[P.Statements[S].FirstLine].push_back({withRules(M, D.Dists, D.Refs.empty() ? "" : D.Refs[0].Name), Line});
}

// ---- declarations
// ------------------------------------------------------------------------------------------------------------

// The functions that say how many processors there are: outside of directives a program need not have them.
void Placer::countProcessors(size_t S, Directive &D) {
  for (Ref &R : D.Refs)
    for (Axis &X : R.Axes) {
      const std::string All = squeezed(X.Coef + " " + X.Add);
      const char *const Known[] = {"number_of_processors(", "processors_size(", "actual_num_procs("};
      for (const char *Name : Known) {
        if (All.find(Name) == std::string::npos)
          continue;
        bool Own = false;
        for (size_t I = 0; I < P.Statements.size() && !Own; ++I)
          Own = unitOf(I) == unitOf(S) && !P.Statements[I].IsDirective && squeezed(P.Statements[I].Text).find(Name) != std::string::npos;
        if (!Own) {
          X.K = Axis::Value;
          X.Coef.clear();
          X.Add = "1";
        }
      }
    }
}

void Placer::declaration(size_t S, const Directive &D) {
  const int U = unitOf(S);
  if (U < 0) // before the first statement of a unit
    return error(place(S, 0), D.Word + " must stand inside a program unit, after its first statement",
                 "write it among the declarations of its array");
  if (P.Statements[S].File.empty() && O.Units[U].HasExecutable && S > O.Units[U].FirstExecutable)
    return error(place(S, 0), D.Word + " must stand among the declarations of its program unit, before its first executable statement",
                 "move it up; of an array of BLOCK, declare the array in the unit itself");
  for (const Ref &R : D.Refs) {
    const std::string Key = lower(R.Name);
    auto [It, New] = Arrays[U].insert({Key, ArrayInfo()});
    ArrayInfo &A = It->second;
    if (New) {
      A.Name = R.Name;
      A.At = place(S, 0);
      A.Line = lineOf(S);
      A.File = P.Statements[S].File;
      Order[U].push_back(Key);
    }
    const bool Processors = D.K == DirectiveKind::Processors;
    if (D.K == DirectiveKind::Template || D.K == DirectiveKind::Task || Processors) {
      A.Template = &R;
      A.IsTask = D.K == DirectiveKind::Task;
      A.IsProcessors = Processors;
      A.Common = D.Common;
    }
    if (D.HasDist || D.HasAlign) {
      if (A.Placed) {
        error(place(S, R.At), "'" + R.Name + "' is distributed or aligned twice");
        continue;
      }
      A.Placed = &D;
      A.Onto = D.Onto ? &*D.Onto : nullptr;
      A.At = place(S, 0);
      A.Line = lineOf(S);
      A.File = P.Statements[S].File;
    }
    if (D.HasShadow) {
      A.Shadowed = &D;
      A.ShadowAt = place(S, 0);
      A.ShadowFile = P.Statements[S].File;
    }
    A.Dynamic |= D.Dynamic;
    A.Inherited |= D.K == DirectiveKind::Inherit;
  }
}

void Placer::declare(int Unit, const ArrayInfo &A, std::vector<Insertion> &Lines, bool Allocated) {
  Mark M = mark(MarkKind::Declare, O.Units[Unit].Begin, A.Placed);
  const size_t Where = P.Marks.size() - 1;
  CurrentUnit = Unit;
  M.At = A.At;
  M.Line = A.Line;
  M.File = A.File;
  M.Array = A;
  M.Allocated = Allocated;
  if (!A.Template)
    M.add(true, A.Name);
  else
    for (const Axis &X : A.Template->Axes) {
      M.add(false, X.Coef);
      M.add(false, X.Add);
    }
  if (A.Placed) {
    distOperands(M, A.Placed->Dists);
    if (A.Placed->Target)
      refOperands(M, *A.Placed->Target);
    if (A.Onto)
      refOperands(M, *A.Onto, false);
  }
  if (A.Shadowed)
    widthOperands(M, A.Shadowed->Widths);
  P.Marks[Where] = M;
  Lines.push_back({A.Placed ? withRules(M, A.Placed->Dists, A.Name) : std::vector<std::string>{call(M)}, A.Line});
}

// What the array is placed by stands before it, if it is of the unit.
bool Placer::isReady(int Unit, const ArrayInfo &A, const std::vector<std::string> &Placed) const {
  const auto Missing = [&](const std::string &Name) {
    const std::vector<std::string> &All = Order.at(Unit);
    return std::count(All.begin(), All.end(), lower(Name)) && !std::count(Placed.begin(), Placed.end(), lower(Name));
  };
  if (!A.Placed)
    return true;
  for (const Dist &X : A.Placed->Dists)
    if (X.How && Missing(X.How->Target))
      return false;
  return !A.Placed->Target || !Missing(A.Placed->Target->Name);
}

// Templates, distributed arrays, aligned ones, each behind what it is placed by; what is placed by itself at last.
std::vector<std::string> Placer::inOrder(int Unit) {
  std::vector<std::string> Out;
  for (size_t Known = size_t(-1); Out.size() != Known;) {
    Known = Out.size();
    for (int Round = 0; Round < 3; ++Round)
      for (const std::string &Key : Order[Unit]) {
        const ArrayInfo &A = Arrays[Unit][Key];
        const int Of = A.Template ? 0 : A.Placed && A.Placed->HasAlign ? 2 : 1;
        if (Of == Round && !std::count(Out.begin(), Out.end(), Key) && isReady(Unit, A, Out))
          Out.push_back(Key);
      }
  }
  for (const std::string &Key : Order[Unit])
    if (!std::count(Out.begin(), Out.end(), Key))
      Out.push_back(Key);
  return Out;
}

void Placer::declareAll() {
  for (auto &[U, Names] : Order) {
    const Unit &Un = O.Units[U];
    if (Un.K == Unit::BlockData) {
      for (const std::string &Key : Names) {
        Included = Arrays[U][Key].File;
        unjudged(Arrays[U][Key].At, "",
                 "a directive of BLOCK DATA has no effect in this version of dvmfc: units that use '" + Arrays[U][Key].Name +
                     "' declare it",
                 "write it into each program unit that has the COMMON block of '" + Arrays[U][Key].Name + "', an included file for one");
      }
      continue;
    }
    std::vector<Insertion> Lines;
    for (const std::string &Key : inOrder(U))
      declare(U, Arrays[U][Key], Lines);
    if (Un.K == Unit::Module)
      declareInModule(U, Lines);
    else if (const Statement &First = P.Statements[Un.FirstExecutable]; !First.Alone)
      error(First.Start, "the first executable statement of a unit with DVM "
                         "directives needs a line of its own");
    else { // before directives that stand there too
      size_t At = Un.FirstExecutable;
      while (At > Un.Begin + 1 && P.Statements[At - 1].IsDirective && P.Statements[At - 1].File.empty())
        --At;
      auto &Where = Before[P.Statements[At].FirstLine];
      Where.insert(Where.begin(), Lines.begin(), Lines.end());
    }
  }
}

// No statement can stand in a module: a procedure of it is called before the
// program begins, and one each behind ALLOCATE, in whichever file (Allocated.cpp).
void Placer::declareInModule(int U, std::vector<Insertion> &Lines) {
  const Unit &Un = O.Units[U];
  const unsigned Line = Lines.front().At;
  const auto Wrap = [&](std::vector<Insertion> &In, const std::string &Name) {
    In.insert(In.begin(), {{"subroutine " + Name}, Line});
    In.push_back({{"end subroutine"}, Line});
  };
  Wrap(Lines, InitPrefix + Un.Name);
  for (const std::string &Key : Order[U]) {
    if (Arrays[U][Key].Template)
      continue;
    std::vector<Insertion> Own;
    declare(U, Arrays[U][Key], Own, true);
    declareAligned(U, U, Key, Own);
    Wrap(Own, AllocatedPrefix + Un.Name + "_" + Key);
    Lines.insert(Lines.end(), Own.begin(), Own.end());
  }
  if (!Un.Contains)
    Lines.insert(Lines.begin(), {{"contains"}, Line});
  auto &Where = Un.Contains ? Behind[P.Statements[Un.Contains].LastLine] : Before[P.Statements[Un.End].FirstLine];
  Where.insert(Where.begin(), Lines.begin(), Lines.end());
}

// Is the array of that name (in small letters) one of those that "allocate(..)" at 'At' lists: 'a(n)', 'real::a(n)', or 'a' with SOURCE= or
// MOLD=?  Names in extents and in 'source=a' are none.
static bool isListed(const std::string &T, const std::string &Key, size_t At) {
  int Depth = 0;
  for (size_t I = T.find('(', At + 1); I < T.size() && (Depth += (T[I] == '(') - (T[I] == ')')); ++I) {
    const bool Begins = Depth == 1 && (T[I] == ',' || T[I] == '(' || (T[I] == ':' && T[I - 1] == ':'));
    if (Begins && T.compare(I + 1, Key.size(), Key) == 0 && I + 1 + Key.size() < T.size() && strchr("(,)", T[I + 1 + Key.size()]))
      return true;
  }
  return false;
}

// Arrays of the unit 'In' that are aligned with what has just been allocated: it was not there when the unit began.  Those that are
// allocated themselves are told there.
void Placer::declareAligned(int Unit, int In, const std::string &Key, std::vector<Insertion> &Lines) {
  std::vector<std::string> Moved{Key};
  for (const std::string &Other : inOrder(In)) {
    const ArrayInfo &A = Arrays[In][Other];
    if (Other == Key || A.Template || !A.Placed || !A.Placed->Target ||
        !std::count(Moved.begin(), Moved.end(), lower(A.Placed->Target->Name)))
      continue;
    declare(Unit, A, Lines);
    Moved.push_back(Other);
  }
}

// "ALLOCATE (A(N), B(0:N))", perhaps behind an IF: arrays with directives of
// this unit, or of a procedure around it, begin to live.
void Placer::declareAllocated(size_t S) {
  const Statement &St = P.Statements[S];
  const std::string T = squeezed(St.Text);
  const bool BehindIf = T.rfind("if(", 0) == 0;
  const size_t At = BehindIf ? T.find(")allocate(") : T.rfind("allocate(", 0) == 0 ? 0 : std::string::npos;
  if (St.IsDirective || At == std::string::npos || T.compare(At, 11, "allocate(=") == 0)
    return;
  std::vector<Insertion> Lines;
  for (int U = unitOf(S); U >= 0 && O.Units[U].K != Unit::Module; U = O.Units[U].Parent) {
    auto Names = Order.find(U);
    for (size_t I = 0; Names != Order.end() && I < Names->second.size(); ++I) {
      const std::string &Key = Names->second[I];
      if (!isListed(T, Key, At) || Arrays[U][Key].Template)
        continue;
      const size_t Mark = P.Marks.size();
      declare(unitOf(S), Arrays[U][Key], Lines, true);
      P.Marks[Mark].Sourced = T.find(",source=", At) != std::string::npos;
      declareAligned(unitOf(S), U, Key, Lines);
    }
  }
  if (Lines.empty())
    return;
  if (!St.Alone)
    return error(St.Start, "an ALLOCATE of arrays with DVM directives needs a line of its own");
  auto &Where = Behind[St.LastLine];
  Where.insert(Where.begin(), Lines.begin(), Lines.end());
}

static bool declares(const Directive &D) {
  return D.K == DirectiveKind::Array || D.K == DirectiveKind::Template || D.K == DirectiveKind::Inherit || D.K == DirectiveKind::Task ||
         D.K == DirectiveKind::Processors;
}

void Placer::directive(size_t S) {
  std::vector<Directive> Ds;
  Mistake M;
  P.HasDirectives = true;
  if (!parseDirective(P.Statements[S].Text, Ds, M))
    return error(place(S, M.At), M.Text, M.Help);
  CurrentUnit = unitOf(S);
  for (Directive &Parsed : Ds) {
    P.Directives.push_back(std::make_unique<Directive>(std::move(Parsed)));
    Directive &D = *P.Directives.back();
    if (D.K == DirectiveKind::Region || D.K == DirectiveKind::Actual || D.K == DirectiveKind::GetActual)
      dropConstants(S, D);
    const bool Moves = D.K == DirectiveKind::Redistribute || D.K == DirectiveKind::Realign;
    if (Moves && S + 1 < P.Statements.size() && P.Statements[S + 1].IsDirective && squeezed(P.Statements[S + 1].Text) == "new_value") {
      D.NewValue = true;
      Ends.insert(S + 1);
    }
    const bool Declares = declares(D);
    if (!Included.empty() && !Declares && D.K != DirectiveKind::Accepted)
      return error(place(S, 0), D.Word + " cannot stand in an included file in this version of dvmfc", "write it into the source itself");
    for (const std::string &Word : D.Unjudged)
      unjudged(place(S, 0), "", "the clause '" + Word + "' of " + D.Word + " is not judged in this version of dvmfc",
               "write it at the PARALLEL inside of the task, where it is judged");
    if (D.K == DirectiveKind::TaskRegion)
      Tasks = &D;
    else if (D.K == DirectiveKind::End && D.Word == "ENDTASK_REGION")
      Tasks = nullptr;
    else if (D.K == DirectiveKind::On && Tasks) // each task adds to the results of the region
      D.Clauses.insert(D.Clauses.end(), Tasks->Clauses.begin(), Tasks->Clauses.end());
    switch (D.K) {
    case DirectiveKind::Array:
    case DirectiveKind::Template:
    case DirectiveKind::Task:
    case DirectiveKind::Processors:
    case DirectiveKind::Inherit: break; // in the first round
    case DirectiveKind::TaskRegion:
    case DirectiveKind::On:
    case DirectiveKind::Region:
    case DirectiveKind::Asynchronous:
    case DirectiveKind::HostSection: block(S, D); break;
    case DirectiveKind::End:
      if (!Ends.count(S))
        error(place(S, 0), "this directive ends nothing that begins in this program unit",
              "take it out, or write the directive that begins the block");
      break;
    case DirectiveKind::Parallel: parallel(S, D); break;
    case DirectiveKind::RemoteAccess: remoteAccess(S, D); break;
    case DirectiveKind::Accepted: break;
    case DirectiveKind::Measure:
      if (!insideParallel(lineOf(S)))
        standAlone(S, D);
      break;
    case DirectiveKind::NewValue:
      if (!Ends.count(S))
        error(place(S, 0), "NEW_VALUE must follow REDISTRIBUTE or REALIGN", "write it on the line behind that directive");
      break;
    case DirectiveKind::Unjudged:
      unjudged(place(S, 0), D.Word, "the directive " + D.Word + " is not judged in this version of dvmfc", insteadOf(D.Word));
      break;
    default: standAlone(S, D); break;
    }
  }
}

// ---- the text
// ----------------------------------------------------------------------------------------------------------------

void Placer::writeLines(std::string &Out, const Insertion &I, const std::string &Label) const {
  Out += "#line " + std::to_string(I.At) + " \"" + P.File + "\"\n";
  bool First = true;
  for (const std::string &L : I.Lines) {
    if (!P.F.Fixed) {
      Out += (First && !Label.empty() ? Label + " " : "") + L + "\n";
    } else {
      std::string Head = First && !Label.empty() ? Label + std::string(6 - std::min<size_t>(Label.size(), 5), ' ') : "      ";
      Out += Head.substr(0, 6);
      for (size_t At = 0; At < L.size(); At += 60)
        Out += (At ? "     &" : "") + L.substr(At, 60) + "\n";
    }
    First = false;
    Out += "#line " + std::to_string(I.At) + " \"" + P.File + "\"\n";
  }
}

void Placer::write() {
  std::set<std::pair<unsigned, unsigned>> Blanked(Blank.begin(), Blank.end());
  std::string &Out = P.Text;
  LineMap Map;
  Out = "#line 1 \"" + P.File + "\"\n";
  unsigned Line = 1;
  auto Back = [&](unsigned Number) { Out += "#line " + std::to_string(Number) + " \"" + (Map.File.empty() ? P.File : Map.File) + "\"\n"; };
  for (size_t From = 0; From < Raw.size(); ++Line) {
    size_t End = std::min(Raw.find('\n', From), Raw.size());
    Map.next(std::string_view(Raw).substr(From, End - From));
    if (auto It = Before.find(Line); It != Before.end()) {
      bool First = true;
      for (const Insertion &I : It->second) {
        auto Label = LabelAt.find(Line);
        const bool Takes = Label != LabelAt.end() && I.Lines.size() == 2 && I.Lines[1].rfind("do while", 0) == 0 && First;
        writeLines(Out, I, Takes ? Label->second : "");
        First &= !Takes;
      }
      Back(Map.Line);
    }
    for (size_t I = From; I < End; ++I)
      Out += Blanked.count({Line, unsigned(I - From) + 1}) ? ' ' : Raw[I];
    Out += '\n';
    if (auto It = Behind.find(Line); It != Behind.end()) {
      for (const Insertion &I : It->second)
        writeLines(Out, I, "");
      Back(Map.Line + 1);
    }
    From = End + 1;
  }
}

void Placer::run() {
  for (size_t S = 0; S < P.Statements.size(); ++S) { // declarations of a unit may stand behind each other in any order
    if (!P.Statements[S].IsDirective || O.InInterface[S]) // what the procedure itself says counts
      continue;
    Included = P.Statements[S].File;
    std::vector<Directive> Ds;
    Mistake M;
    if (!parseDirective(P.Statements[S].Text, Ds, M))
      continue; // told in the second round
    for (Directive &Parsed : Ds)
      if (declares(Parsed)) {
        P.Directives.push_back(std::make_unique<Directive>(std::move(Parsed)));
        if (P.Directives.back()->K == DirectiveKind::Processors)
          countProcessors(S, *P.Directives.back());
        declaration(S, *P.Directives.back());
      }
  }
  for (size_t S = 0; S < P.Statements.size(); ++S) {
    Included = P.Statements[S].File;
    if (P.Statements[S].IsDirective)
      directive(S);
  }
  Included.clear();
  for (const Unit &Un : O.Units)
    if (Un.K == Unit::Module)
      P.Modules.insert(Un.Name);
  for (size_t S = 0; S < P.Statements.size() && !Order.empty(); ++S)
    declareAllocated(S);
  declareAll();
  write();
}

// "include 'name'": the name, or nothing.
static std::string includedName(const Statement &S) {
  const std::string T = lower(S.Text);
  if (S.IsDirective || T.rfind("include", 0) != 0)
    return "";
  const size_t Open = T.find_first_of("'\"", 7);
  const size_t Close = Open == std::string::npos ? Open : T.find(T[Open], Open + 1);
  return Close == std::string::npos || T.find_first_not_of(' ', 7) != Open ? "" : S.Text.substr(Open + 1, Close - Open - 1);
}

static bool readFile(const std::string &Name, const std::vector<std::string> &Folders, std::string &Path, std::string &Text) {
  for (size_t I = 0; I < (Name[0] == '/' ? std::min<size_t>(1, Folders.size()) : Folders.size()); ++I) {
    Path = Name[0] == '/' || Folders[I] == "." || Folders[I].empty() ? Name : Folders[I] + "/" + Name;
    std::ifstream In(Path);
    if (!In)
      continue;
    std::stringstream All;
    All << In.rdbuf();
    Text = All.str();
    return true;
  }
  return false;
}

// The directives of included files stand where the INCLUDE does.  flang
// complains of a file that is not there.
static void include(std::vector<Statement> &Out, const Statement &S, const Form &F, const std::vector<std::string> &Folders, int Depth) {
  std::string Path, Text;
  const std::string Name = includedName(S);
  if (Name.empty() || Depth > 20 || !readFile(Name, Folders, Path, Text))
    return;
  for (Statement &In : readStatements(Text, F)) {
    In.FirstLine = S.FirstLine;
    In.LastLine = S.LastLine;
    if (!In.IsDirective) {
      include(Out, In, F, Folders, Depth + 1);
      continue;
    }
    In.File = Path;
    Out.push_back(std::move(In));
  }
}

Placed dvmf::placeDirectives(const std::string &Raw, const std::string &File, const Form &F, const std::vector<std::string> &Folders) {
  Placed P;
  P.F = F;
  std::string Own;
  std::vector<Statement> Read = readStatements(Raw, F, &Own);
  P.File = Own.empty() ? File : Own;
  for (Statement &S : Read) {
    P.Statements.push_back(std::move(S));
    const Statement Last = P.Statements.back();
    include(P.Statements, Last, F, Folders, 0);
  }
  Placer(Raw, P).run();
  return P;
}
