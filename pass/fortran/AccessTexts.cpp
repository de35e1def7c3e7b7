// Which reference of the text each use is.
#include "Accesses.h"

using namespace dvmf;

void Accesses::findTexts() {
  std::map<Position, std::pair<const Statement *, size_t>> Starts;
  for (const Statement &S : Mo.Main.P->Statements) {
    if (S.IsDirective || S.Text.empty() || !S.File.empty())
      continue;
    auto It = Pieces.lower_bound(S.Start);
    for (; It != Pieces.end() && !(S.At.back() < It->first); ++It) {
      if (It->first == S.Start) {
        It->second.S = &S;
        It->second.From = 0;
        continue;
      }
      for (size_t I = 0; I < S.Text.size(); ++I)
        if (S.At[I] == It->first) {
          It->second.S = &S;
          It->second.From = I;
        }
    }
  }
  for (auto It = Pieces.begin(); It != Pieces.end(); ++It) {
    Piece &P = It->second;
    if (!P.S)
      continue;
    size_t To = P.S->Text.size();
    if (auto Next = std::next(It); Next != Pieces.end() && Next->second.S == P.S)
      To = Next->second.From;
    P.References = referencesIn(*P.S, P.From, To);
    P.Expression = long(P.At.Line) * 1000 + P.At.Column;
  }
}

// The name behind CALL, in small letters.
static std::string calledName(const Statement &S) {
  const std::string T = lower(S.Text);
  size_t At = T.find("call ");
  At = At == std::string::npos ? At : T.find_first_not_of(' ', At + 5);
  size_t End = At;
  while (End < T.size() && isNameChar(T[End]))
    ++End;
  return At == std::string::npos ? "" : T.substr(At, End - At);
}

// Drops references that are whole arguments of what only gets their address, if as many as are wanted remain.
static void dropArguments(std::vector<const Reference *> &Texts, size_t Wanted, llvm::function_ref<bool(const std::string &)> IsPassed) {
  std::vector<const Reference *> Left;
  for (const Reference *R : Texts)
    if (R->Argument.empty() || !IsPassed(R->Argument))
      Left.push_back(R);
  if (Left.size() == Wanted)
    Texts = Left;
}

// Of the descriptor in a component, on the way to what it leads to.
static bool isDescriptor(const Use *U) {
  auto D = mlir::dyn_cast<hlfir::DesignateOp>(U->Op);
  return D && !U->Kind && mlir::isa<fir::BaseBoxType>(fir::unwrapRefType(D.getType()));
}

// A reference through a component uses its descriptor, and then what that leads to: one text for both.
static void repeatForDescriptors(std::vector<const Reference *> &Texts, const std::vector<Use *> &Uses) {
  const auto Reads = size_t(std::count_if(Uses.begin(), Uses.end(), isDescriptor));
  if (!Reads || isDescriptor(Uses.back()) || Texts.size() + Reads != Uses.size())
    return;
  std::vector<const Reference *> All;
  size_t Now = 0;
  for (const Use *U : Uses) {
    All.push_back(Texts[Now]);
    Now += !isDescriptor(U);
  }
  Texts = All;
}

void Accesses::pair(Piece &P) {
  std::map<std::pair<std::string, bool>, std::vector<Use *>> Groups;
  for (Use &U : P.Uses)
    Groups[{U.V->Unique, bool(U.Element)}].push_back(&U);
  for (auto &[Key, Uses] : Groups) {
    std::vector<const Reference *> Texts;
    for (const Reference &R : P.References)
      if (Mo.isNamed(R.Root, *Uses[0]->V) && R.Subscripted == Key.second)
        Texts.push_back(&R);
    // What a procedure gets as it is, is no use: first those of the CALL, then those of the program's functions, then those of all that
    // are no arrays.
    const std::string Name = P.S && squeezed(P.S->Text).find("call") != std::string::npos ? calledName(*P.S) : "";
    if (Texts.size() > Uses.size() && !Name.empty())
      dropArguments(Texts, Uses.size(), [&](const std::string &To) { return To == Name; });
    if (Texts.size() > Uses.size())
      dropArguments(Texts, Uses.size(), [&](const std::string &To) { return Called[P.At].count(To) != 0; });
    if (Texts.size() > Uses.size())
      dropArguments(Texts, Uses.size(), [&](const std::string &To) { return !Arrays.count(To); });
    // Bounds of implied DOs have the place of their statement, though they stand behind its items.
    std::vector<Reference> All;
    if (Texts.empty() && P.S && !P.From) {
      All = referencesIn(*P.S, 0, P.S->Text.size());
      for (Reference &R : All)
        if (Mo.isNamed(R.Root, *Uses[0]->V) && R.Subscripted == Key.second)
          Texts.push_back(&R);
      if (Texts.size() == 1)
        Texts[0] = &P.Others.emplace_back(*Texts[0]);
      else
        Texts.clear();
    }
    if (Texts.size() == 1) // flang has spread it over the elements of a constructor, or takes it twice
      Texts.resize(Uses.size(), Texts[0]);
    repeatForDescriptors(Texts, Uses);
    if (Texts.size() != Uses.size()) {
      Pairs.Unpaired += unsigned(Uses.size());
      Pairs.Kinds.push_back(std::to_string(P.At.Line) + ":" + std::to_string(P.At.Column) + ": '" + Uses[0]->V->Name +
                            "': " + std::to_string(Texts.size()) + " in the text, " + std::to_string(Uses.size()) + " uses");
      continue;
    }
    for (size_t I = 0; I < Uses.size(); ++I)
      Uses[I]->Text = Texts[I];
    Pairs.Exact += unsigned(Uses.size());
  }
}
