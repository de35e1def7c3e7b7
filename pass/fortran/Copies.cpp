#include "Copies.h"
#include "Cursor.h"

using namespace dvmf;

namespace {

struct Bounds {
  std::string Index, Low, High;
};

// One side of an assignment.
struct Side : Cursor {
  const std::vector<Bounds> &Loops;
  std::vector<std::string> Names;
  Ref R;

  Side(const std::string &Text, const std::vector<Bounds> &Loops, Mistake &M) : Cursor(Text, M), Loops(Loops) {
    for (const Bounds &B : Loops)
      Names.push_back(B.Index);
  }
  bool read();
  bool subscript(Axis &X);
  bool spread(const std::string &Text, Axis &X);
};
} // namespace

static std::string sum(const std::string &A, const std::string &B) { return B.empty() ? "(" + A + ")" : "(" + A + ")+(" + B + ")"; }

// What a subscript with the index of a loop goes through.
bool Side::spread(const std::string &Text, Axis &X) {
  splitAffine(Text, Names, X);
  if (X.K != Axis::Affine)
    return X.K == Axis::Value;
  const Bounds &B = Loops[size_t(X.Index)];
  const bool Down = squeezed(X.Coef) == "-(1)";
  if (!Down && !X.Coef.empty())
    return false;
  X.K = Axis::Range;
  X.Coef = sum(Down ? "-(" + B.High + ")" : B.Low, X.Add);
  X.Add = sum(Down ? "-(" + B.Low + ")" : B.High, X.Add);
  return true;
}

bool Side::subscript(Axis &X) {
  const std::string Low = expression();
  if (!take(':'))
    return !Low.empty() && spread(Low, X);
  const std::string High = expression();
  Axis Ignored;
  for (const std::string *Bound : {&Low, &High}) {
    splitAffine(*Bound, Names, Ignored);
    if (Ignored.K != Axis::Value)
      return false; // a section in a loop
  }
  X.K = Low.empty() && High.empty() ? Axis::Empty : Axis::Range;
  X.Coef = Low;
  X.Add = High;
  return !at(':'); // with a step
}

bool Side::read() {
  if (!name(R.Name, "") || !take('('))
    return !R.Name.empty() && atEnd();
  R.Brackets = true;
  do {
    Axis X;
    if (!subscript(X))
      return false;
    R.Axes.push_back(X);
  } while (take(','));
  return take(')') && atEnd();
}

// Of the '=' of an assignment; npos: it is none.
static size_t assignedAt(const std::string &T) {
  int Depth = 0;
  for (size_t I = 0; I < T.size(); ++I) {
    Depth += T[I] == '(' ? 1 : T[I] == ')' ? -1 : 0;
    if (T[I] == '\'' || T[I] == '"')
      return std::string::npos;
    if (!Depth && T[I] == '=')
      return I && I + 1 < T.size() && T[I + 1] != '=' && T[I + 1] != '>' ? I : std::string::npos;
  }
  return std::string::npos;
}

// "do 5 i = 1, n": false where a step is given, or a bound depends on a loop around it.
static bool boundsOf(const std::string &Do, const std::string &Index, const std::vector<Bounds> &Around, Bounds &B) {
  Mistake M;
  const std::string T = Do.substr(Do.find('=') + 1);
  Cursor C(T, M);
  B.Index = Index;
  B.Low = C.expression();
  if (!C.take(','))
    return false;
  B.High = C.expression();
  std::vector<std::string> Names;
  for (const Bounds &Other : Around)
    Names.push_back(Other.Index);
  Axis Low, High;
  splitAffine(B.Low, Names, Low);
  splitAffine(B.High, Names, High);
  return C.atEnd() && Low.K == Axis::Value && High.K == Axis::Value;
}

static bool loopsAround(const std::vector<Statement> &S, const Outline &O, size_t First, size_t At, std::vector<Bounds> &Out) {
  for (const Loop &L : O.Loops) { // the outermost first
    if (L.Do <= First || L.Do >= At || L.End < At)
      continue;
    Bounds B;
    if (L.Index.empty() || !boundsOf(S[L.Do].Text, L.Index, Out, B))
      return false;
    Out.push_back(B);
  }
  return true;
}

std::vector<Directive> dvmf::copiesBetween(const std::vector<Statement> &S, const Outline &O, size_t First, size_t Last,
                                           const std::function<bool(const std::string &)> &IsArray) {
  std::vector<Directive> Out;
  for (size_t I = First + 1; I < Last; ++I) {
    const size_t Is = S[I].IsDirective || O.LoopAt[I] >= 0 ? std::string::npos : assignedAt(S[I].Text);
    std::vector<Bounds> Loops;
    if (Is == std::string::npos || !loopsAround(S, O, First, I, Loops))
      continue;
    Mistake M;
    const std::string Left = S[I].Text.substr(0, Is), Right = S[I].Text.substr(Is + 1);
    Side To(Left, Loops, M), From(Right, Loops, M);
    const bool IsTo = To.read() && IsArray(lower(To.R.Name)), IsFrom = From.read() && IsArray(lower(From.R.Name));
    for (const Side *X : {IsTo ? &To : nullptr, IsFrom ? &From : nullptr})
      if (X) {
        Directive D;
        D.K = X == &To ? DirectiveKind::CopyTo : DirectiveKind::CopyFrom;
        D.Refs = {X->R};
        Out.push_back(D);
      }
  }
  return Out;
}
