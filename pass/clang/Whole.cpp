// What recording needs of values that no access of the source moves: structs and arrays as a whole, bit-fields and members of
// packed structs, initial values.  They are recorded by their scalar parts, when the assignment is over:
//   a[i] = s   becomes   (p = &a[i], *p = s, __dvmm_direct("K w init .. .x", p), __dvmm_direct("K w init .. .y", p), *p)
//   s.bits = 3 becomes   (p = &s, v = (p->bits = 3), __dvmm_direct("K w init .. .bits", p), v)
#include "Whole.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

namespace {
enum { LEAVES_MAX = 256 };

struct Leaf {
  Path P;
  QualType Type;
  SmallVector<std::pair<uint64_t, uint64_t>, 3> Repeat; // count and distance, outermost first
  unsigned Bit = 0, Width = 0;                          // of a bit-field, from P.Offset
};

uint64_t sizeOf(const ASTContext &Ctx, QualType T) { return Ctx.getTypeSizeInChars(T).getQuantity(); }

Path pathOf(const ASTContext &Ctx, const Expr *E) {
  struct Step {
    std::string Text;
    int64_t Offset;
    uint64_t Stride;
  };
  SmallVector<Step, 4> Steps; // innermost first
  Path R;
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      Steps.push_back({"[]", 0, sizeOf(Ctx, A->getType())});
      const Expr *Base = A->getBase()->IgnoreParens();
      const auto *C = dyn_cast<ImplicitCastExpr>(Base);
      if (!C || C->getCastKind() != CK_ArrayToPointerDecay) {
        R.Pointer = Base;
        break;
      }
      E = C->getSubExpr();
    } else if (const auto *M = dyn_cast<MemberExpr>(E)) {
      const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
      if (!F)
        return {};
      const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(F->getParent());
      std::string Name = F->getName().empty() ? "" : (M->isArrow() ? "->" : ".") + F->getName().str();
      Steps.push_back({Name, int64_t(Layout.getFieldOffset(F->getFieldIndex()) / 8), 0});
      if (M->isArrow()) {
        R.Pointer = M->getBase();
        break;
      }
      E = M->getBase();
    } else {
      if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
        R.Pointer = U->getSubExpr();
      break;
    }
  }
  while (!Steps.empty() && Steps.back().Stride) // subscripts of the root itself
    Steps.pop_back();
  for (const Step &S : llvm::reverse(Steps)) {
    R.Text += S.Text;
    R.Offset += S.Offset;
    if (S.Stride)
      R.Strides.push_back(S.Stride);
  }
  return R;
}

// Its scalars.  Of a union nobody knows which member it is.
void findLeaves(const ASTContext &Ctx, QualType T, Leaf L, SmallVectorImpl<Leaf> &Out) {
  T = T.getCanonicalType();
  if (Out.size() == LEAVES_MAX)
    return;
  if (const auto *A = Ctx.getAsConstantArrayType(T)) {
    if (!A->getZExtSize())
      return;
    uint64_t Stride = sizeOf(Ctx, A->getElementType());
    L.Repeat.push_back({A->getZExtSize(), Stride});
    L.P.Strides.push_back(Stride);
    L.P.Text += "[]";
    return findLeaves(Ctx, A->getElementType(), L, Out);
  }
  if (const auto *V = T->getAs<VectorType>()) {
    QualType Element = V->getElementType();
    if (Element->isBooleanType()) // bits
      return;
    L.Repeat.push_back({V->getNumElements(), sizeOf(Ctx, Element)});
    L.P.Strides.push_back(sizeOf(Ctx, Element));
    L.P.Text += "[]";
    return findLeaves(Ctx, Element, L, Out);
  }
  if (const auto *R = T->getAs<RecordType>()) {
    const RecordDecl *D = R->getDecl()->getDefinition();
    if (!D || D->isUnion() || D->isInvalidDecl())
      return;
    const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(D);
    for (const FieldDecl *F : D->fields()) {
      Leaf Field = L;
      uint64_t Bits = Layout.getFieldOffset(F->getFieldIndex());
      if (F->isUnnamedBitField())
        continue;
      Field.P.Offset += Bits / 8;
      if (!F->getName().empty())
        Field.P.Text += "." + F->getName().str();
      if (F->isBitField()) {
        Field.Bit = Bits % 8;
        Field.Width = F->getBitWidthValue(Ctx);
      }
      findLeaves(Ctx, F->getType(), Field, Out);
    }
    return;
  }
  if (T->isIncompleteType() || valueKind(Ctx, T) == "o")
    return;
  L.Type = T;
  Out.push_back(L);
}

// Rows that follow each other without a gap are one row.
std::string repeatText(const Leaf &L) {
  SmallVector<std::pair<uint64_t, uint64_t>, 3> Rows;
  for (auto [Count, Stride] : L.Repeat)
    if (!Rows.empty() && Rows.back().second == Count * Stride)
      Rows.back() = {Rows.back().first * Count, Stride};
    else
      Rows.push_back({Count, Stride});
  std::string Text;
  for (auto [Count, Stride] : Rows)
    Text += " " + std::to_string(Count) + " " + std::to_string(Stride);
  return Text;
}

void addPath(SiteText &T, const Path &P) {
  T.key(DVMRT_TRACE_BEHIND).add((P.Text.empty() ? "." : P.Text) + " " + Twine(P.Offset));
  for (uint64_t Stride : P.Strides)
    T.add(" " + Twine(Stride));
}

// As people say it: without the parentheses that macros bring.
std::string pointerText(const ASTContext &Ctx, const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return pointerText(Ctx, M->getBase()) + (M->isArrow() ? "->" : ".") + M->getMemberDecl()->getName().str();
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return pointerText(Ctx, A->getBase()) + "[" + sourceText(Ctx, A->getIdx()) + "]";
  return sourceText(Ctx, E);
}

// A pointer that is not simply a variable's value: 's->u', of 's->u[i]'.
const Expr *namelessPointer(const Expr *P) {
  while (P) {
    P = P->IgnoreParenCasts();
    if (const auto *A = dyn_cast<BinaryOperator>(P); A && A->isAdditiveOp())
      P = A->getLHS()->getType()->isPointerType() ? A->getLHS() : A->getRHS();
    else
      break;
  }
  return P && isa<MemberExpr>(P) && !P->getType()->isArrayType() ? P : nullptr;
}
} // namespace

// How people name a part of an element, for accesses that are recorded.
void Rewriter::pathText(SiteText &T, const Expr *Access, const Chain &Ch) {
  Path P = pathOf(Ctx, Access);
  if (!P.Text.empty())
    addPath(T, P);
  if (const Expr *Pointer = namelessPointer(P.Pointer))
    T.key(DVMRT_TRACE_POINTER).add(pointerText(Ctx, Pointer));
  QualType Element;
  if (Ch.Root && !Ch.Direct && !Ch.ThroughPointer && Ch.Subs.empty())
    Element = Ch.Root->getType();
  else if (P.Pointer && Ch.Subs.empty())
    Element = P.Pointer->getType()->getPointeeType();
  if (!Element.isNull() && Element->isRecordType() && !Element->isIncompleteType())
    T.key(DVMRT_ACCESS_ELEMENT).add(Twine(sizeOf(Ctx, Element)));
}

// With 'Elements' what is told is an element of the array.
Rewriter::Whole Rewriter::wholeOf(Expr *LValue, bool Elements) {
  Expr *E = LValue->IgnoreParens();
  Chain Ch = chainOf(E);
  Whole W{E->getBeginLoc(), sourceText(Ctx, E), "", pathOf(Ctx, E), 0};
  SmallVector<QualType, 4> Rest; // dimensions of the array
  for (QualType T = E->getType(); Elements && Ctx.getAsArrayType(T); T = Ctx.getAsArrayType(T)->getElementType())
    Rest.push_back(T);
  if (!(Ch.Root && Ch.OnRoot && (Ch.Direct || !Ch.Subs.empty())))
    Rest.clear();
  W.Rank = Rest.size();
  const SourceManager &SM = Ctx.getSourceManager();
  SiteText T(Ctx, B, W.L);
  T.place(SM, W.L);
  rootText(T, Ch);
  if (Ch.Root && !Ch.Direct && Ch.OnRoot && Decls.isDistributed(Ch.Root, FD))
    T.key(DVMRT_ACCESS_DISTRIBUTED).add("-");
  if (!Ch.Subs.empty() || !Rest.empty()) {
    Shape S;
    if (Ch.Root && Ch.OnRoot)
      S = shapeOf(Ctx, Ch.Root->getType());
    for (unsigned I = 0; I < Ch.Subs.size() + Rest.size(); ++I) {
      const auto *CA = I < S.rank() ? Ctx.getAsConstantArrayType(S.Dims[I]) : nullptr;
      T.key(DVMRT_ACCESS_EXTENT).add(CA ? Twine(CA->getZExtSize()).str() : "*");
    }
    T.key(DVMRT_ACCESS_ELEMENT).add(Twine(sizeOf(Ctx, Rest.empty() ? Ch.Subs.back()->getType() : Ctx.getBaseElementType(Rest[0]))));
  } else if (Ch.Root && !Ch.ThroughPointer && (Ch.Root->getType()->isRecordType() || Ch.Root->getType()->isVectorType())) {
    T.key(DVMRT_ACCESS_ELEMENT).add(Twine(sizeOf(Ctx, Ch.Root->getType())));
  }
  if (const Expr *Pointer = namelessPointer(W.P.Pointer))
    T.key(DVMRT_TRACE_POINTER).add(pointerText(Ctx, Pointer));
  W.Common = T.Text;
  return W;
}

// Calls that record the parts of a value of type 'T' at 'Address', which holds the address of the whole.
void Rewriter::recordLeaves(const Whole &W, QualType T, char Kind, Expr *Address, SmallVectorImpl<Expr *> &Calls) {
  SmallVector<Leaf, 8> Leaves;
  findLeaves(Ctx, T, {}, Leaves);
  for (const Leaf &Part : Leaves) {
    SiteText Text(Ctx, B, W.L);
    Text.key(DVMRT_ANY_KIND).add(Twine(Kind) + " init");
    Text.add("\n" + W.Common);
    Text.key(DVMRT_ACCESS_TEXT).add(W.Text + Part.P.Text);
    Path P = W.P;
    P.Text += StringRef(Part.P.Text).drop_front(2 * W.Rank); // "[]"
    P.Offset += Part.P.Offset;
    P.Strides.append(Part.P.Strides.begin() + W.Rank, Part.P.Strides.end());
    if (!P.Text.empty())
      addPath(Text, P);
    Text.key(DVMRT_ACCESS_SIZE).add(Twine(sizeOf(Ctx, Part.Type))).key(DVMRT_TRACE_VALUE).add(valueKind(Ctx, Part.Type));
    if (Part.P.Offset || !Part.Repeat.empty())
      Text.key(DVMRT_TRACE_REPEAT).add(Twine(Part.P.Offset) + repeatText(Part));
    if (Part.Width)
      Text.key(DVMRT_TRACE_BITS).add(Twine(Part.Bit) + " " + Twine(Part.Width));
    Calls.push_back(B.call(DVMM_DIRECT, {B.string(Text.Text, W.L), Address}, W.L));
  }
}

// The lvalue whose address a pointer is, null if the source shows none; 'E' becomes the pointer that it is computed from.
static Expr *pointedBy(Expr *&E) {
  for (;;) {
    E = E->IgnoreParens();
    auto *C = dyn_cast<CastExpr>(E);
    if (C && C->getCastKind() == CK_ArrayToPointerDecay)
      return C->getSubExpr();
    if (C && C->getCastKind() != CK_LValueToRValue && C->getSubExpr()->getType()->isPointerType())
      E = C->getSubExpr();
    else if (C && C->getCastKind() != CK_LValueToRValue && C->getSubExpr()->getType()->isArrayType())
      return C->getSubExpr();
    else if (auto *A = dyn_cast<BinaryOperator>(E); A && A->isAdditiveOp())
      E = A->getLHS()->getType()->isPointerType() ? A->getLHS() : A->getRHS();
    else if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
      return U->getSubExpr();
    else
      return nullptr;
  }
}

// Memory of which nobody can tell what it holds: words.
std::string Rewriter::wordsText(SourceLocation L, StringRef Source, const VarDecl *V) {
  SiteText Text(Ctx, B, L);
  Text.key(DVMRT_ANY_KIND).add("given").place(Ctx.getSourceManager(), L).key(DVMRT_ACCESS_TEXT).add(Source);
  if (V) {
    PresumedLoc Q = presumed(Ctx.getSourceManager(), V->getLocation());
    Text.key(DVMRT_ACCESS_VARIABLE).add(V->getName());
    if (Q.isValid())
      Text.key(DVMRT_ACCESS_DECLARED).add(Twine(Q.getLine()) + " " + Twine(Q.getColumn()) + " " + nameOf(Ctx.getSourceManager(), Q));
  }
  Text.key(DVMRT_ACCESS_EXTENT).add("*").key(DVMRT_ACCESS_ELEMENT).add("8").key(DVMRT_ACCESS_SIZE).add("8");
  Text.key(DVMRT_TRACE_VALUE).add("w8").key(DVMRT_TRACE_REPEAT).add("0").key(DVMRT_TRACE_STRIDE).add("8");
  return Text.Text;
}

// Of what a pointer that is given to a call leads to: a text for each scalar of one element, for words where nobody can tell.
std::vector<std::string> Rewriter::givenTexts(Expr *Pointer) {
  Expr *E = Pointer, *LValue = pointedBy(E);
  SourceLocation L = Pointer->getBeginLoc();
  std::string Source = sourceText(Ctx, LValue ? LValue : E);
  QualType Type = LValue ? LValue->getType() : E->getType()->isPointerType() ? E->getType()->getPointeeType() : Ctx.VoidTy;
  QualType Element = Ctx.getBaseElementType(Type);
  SmallVector<Leaf, 8> Leaves;
  if (!Element->isIncompleteType() && !Element->isFunctionType() && !Element->isVariablyModifiedType())
    findLeaves(Ctx, Ctx.getAsConstantArrayType(Type) ? Type : Element, {}, Leaves);
  if (Leaves.empty() || Leaves.size() > 32)
    return {wordsText(L, Source, chainOf(LValue ? LValue : E).Root)};
  if (!LValue) { // as its first element would be told
    auto *Zero = IntegerLiteral::Create(Ctx, llvm::APInt(Ctx.getIntWidth(Ctx.IntTy), 0), Ctx.IntTy, L);
    LValue = new (Ctx) ArraySubscriptExpr(E, Zero, Type, VK_LValue, OK_Ordinary, L);
  }
  Whole W = wholeOf(LValue, true);
  size_t Dims = 0; // of the array, which the number of bytes tells
  for (QualType T = Type; Ctx.getAsConstantArrayType(T); T = Ctx.getAsConstantArrayType(T)->getElementType())
    ++Dims;
  std::vector<std::string> Texts;
  for (Leaf &Part : Leaves) {
    SiteText Text(Ctx, B, L);
    Text.key(DVMRT_ANY_KIND).add("given").add("\n" + W.Common).key(DVMRT_ACCESS_TEXT).add(Source + Part.P.Text);
    Path P = W.P;
    const size_t Told = std::min<size_t>(W.Rank, Part.P.Strides.size()); // rows of variable length are not among those of the part
    P.Text += StringRef(Part.P.Text).drop_front(2 * Told);
    P.Offset += Part.P.Offset;
    P.Strides.append(Part.P.Strides.begin() + Told, Part.P.Strides.end());
    if (!P.Text.empty())
      addPath(Text, P);
    Part.Repeat.erase(Part.Repeat.begin(), Part.Repeat.begin() + Dims);
    Text.key(DVMRT_ACCESS_SIZE).add(Twine(sizeOf(Ctx, Part.Type))).key(DVMRT_TRACE_VALUE).add(valueKind(Ctx, Part.Type));
    Text.key(DVMRT_TRACE_REPEAT).add(Twine(Part.P.Offset) + repeatText(Part));
    if (Part.Width)
      Text.key(DVMRT_TRACE_BITS).add(Twine(Part.Bit) + " " + Twine(Part.Width));
    Text.key(DVMRT_TRACE_STRIDE).add(Twine(sizeOf(Ctx, Element)));
    Texts.push_back(Text.Text);
  }
  return Texts;
}

static bool isPlainStruct(QualType T) {
  const auto *R = T->getAs<RecordType>();
  return R && !T.isVolatileQualified() && !T->isAtomicType() && T.getAddressSpace() == LangAS::Default && !T->isIncompleteType() &&
         !R->getDecl()->isUnion();
}

static bool isPlainVector(QualType T) { return T->isVectorType() && !T.isVolatileQualified() && T.getAddressSpace() == LangAS::Default; }

// The vector of which an element, or some, is assigned: 'x[2]', 'x.xy'.
static Expr *vectorOf(Expr *E) {
  E = E->IgnoreParens();
  auto *A = dyn_cast<ArraySubscriptExpr>(E);
  auto *X = dyn_cast<ExtVectorElementExpr>(E);
  Expr *Base = A && A->getBase()->getType()->isVectorType() ? A->getBase() : X && !X->isArrow() ? X->getBase() : nullptr;
  return Base && Base->isLValue() && isPlainVector(Base->getType()) ? Base : nullptr;
}

bool Rewriter::traceWhole(Stmt *&Slot) {
  if (std::exchange(AtWhole, false))
    return false;
  if (auto *A = dyn_cast<BinaryOperator>(Slot); A && A->isAssignmentOp()) {
    Expr *To = A->getLHS();
    if (isPlainStruct(To->getType()) || (isPlainVector(To->getType()) && To->getObjectKind() == OK_Ordinary))
      return traceAssign(Slot);
    return vectorOf(To) ? traceComponent(Slot, To) : traceMember(Slot, To, A->isCompoundAssignmentOp() ? 'm' : 'w');
  }
  if (auto *U = dyn_cast<UnaryOperator>(Slot); U && U->isIncrementDecrementOp())
    return vectorOf(U->getSubExpr()) ? traceComponent(Slot, U->getSubExpr()) : traceMember(Slot, U->getSubExpr(), 'm');
  if (auto *C = dyn_cast<ImplicitCastExpr>(Slot); C && C->getCastKind() == CK_LValueToRValue)
    return traceMember(Slot, C->getSubExpr(), 'r');
  return false;
}

bool Rewriter::traceAssign(Stmt *&Slot) {
  auto *A = cast<BinaryOperator>(Slot);
  SourceLocation L = A->getOperatorLoc();
  QualType T = A->getLHS()->getType();
  Whole W = wholeOf(A->getLHS());
  if (T->isVectorType() && isPacked(Ctx, A->getLHS()))
    T = unaligned(Ctx, T, L);
  AtWhole = true;
  walk(Slot);
  auto *Address = new (Ctx) OpaqueValueExpr(L, Ctx.VoidPtrTy, VK_PRValue, OK_Ordinary, B.address(A->getLHS()));
  A->setLHS(B.deref(Address, T));
  SmallVector<Expr *, 8> Steps{Address, A};
  recordLeaves(W, T, 'w', Address, Steps);
  Steps.push_back(B.load(B.deref(Address, T)));
  Slot = PseudoObjectExpr::Create(Ctx, A, Steps, Steps.size() - 1);
  return true;
}

// x[2] = v   becomes   (p = &x, v = ((*p)[2] = v), __dvmm_direct("K w init ..", p), v): all elements of the vector are recorded.
bool Rewriter::traceComponent(Stmt *&Slot, Expr *Component) {
  Component = Component->IgnoreParens();
  SourceLocation L = Component->getExprLoc();
  Expr *Vector = vectorOf(Component);
  QualType T = Vector->getType();
  Whole W = wholeOf(Vector);
  if (isPacked(Ctx, Vector))
    T = unaligned(Ctx, T, L);
  AtWhole = true;
  walk(Slot);
  auto *Address = new (Ctx) OpaqueValueExpr(L, Ctx.VoidPtrTy, VK_PRValue, OK_Ordinary, B.address(vectorOf(Component)));
  if (auto *A = dyn_cast<ArraySubscriptExpr>(Component))
    A->setLHS(B.deref(Address, T));
  else
    cast<ExtVectorElementExpr>(Component)->setBase(B.deref(Address, T));
  auto *X = cast<Expr>(Slot);
  auto *Value = new (Ctx) OpaqueValueExpr(L, X->getType(), VK_PRValue, OK_Ordinary, X);
  SmallVector<Expr *, 8> Steps{Address, Value};
  recordLeaves(W, T, 'w', Address, Steps);
  Slot = PseudoObjectExpr::Create(Ctx, X, Steps, 1);
  return true;
}

bool Rewriter::traceMember(Stmt *&Slot, Expr *LValue, char Kind) {
  MemberExpr *M = hiddenMember(Ctx, LValue).Member;
  if (!M)
    return false;
  SourceLocation L = M->getExprLoc();
  const auto *F = cast<FieldDecl>(M->getMemberDecl());
  Whole W = wholeOf(M);
  AtWhole = true;
  noteUse(chainOf(LValue->IgnoreParens()), Kind, innermostNest());
  walk(Slot);
  // The struct's address is had once; the member hangs on that.
  Expr *Base = M->getBase();
  QualType Struct = M->isArrow() ? Base->getType()->getPointeeType() : Base->getType();
  auto *Address = new (Ctx) OpaqueValueExpr(L, Ctx.VoidPtrTy, VK_PRValue, OK_Ordinary, M->isArrow() ? B.toVoidPtr(Base) : B.address(Base));
  M->setBase(B.cast(Address, Ctx.getPointerType(unaligned(Ctx, Struct, L)), CK_BitCast));
  M->setArrow(true);
  auto *X = cast<Expr>(Slot);
  auto *Value = new (Ctx) OpaqueValueExpr(L, X->getType(), VK_PRValue, OK_Ordinary, X);
  uint64_t Bits = Ctx.getASTRecordLayout(F->getParent()).getFieldOffset(F->getFieldIndex());
  auto Recorded = [&](char As) {
    SiteText Text(Ctx, B, W.L);
    Text.key(DVMRT_ANY_KIND).add(Twine(As) + " init").add("\n" + W.Common);
    Text.key(DVMRT_ACCESS_TEXT)
        .add(W.Text)
        .key(DVMRT_ACCESS_SIZE)
        .add(Twine(sizeOf(Ctx, M->getType())))
        .key(DVMRT_TRACE_VALUE)
        .add(valueKind(Ctx, M->getType()));
    addPath(Text, W.P);
    Text.key(DVMRT_TRACE_REPEAT).add(Twine(Bits / 8));
    if (F->isBitField())
      Text.key(DVMRT_TRACE_BITS).add(Twine(Bits % 8) + " " + Twine(F->getBitWidthValue(Ctx)));
    return B.call(DVMM_DIRECT, {B.string(Text.Text, W.L), Address}, W.L);
  };
  SmallVector<Expr *, 4> Steps{Address};
  if (Kind == 'm')
    Steps.push_back(Recorded('r'));
  Steps.append({Value, Recorded(Kind == 'r' ? 'r' : 'w')});
  Slot = PseudoObjectExpr::Create(Ctx, X, Steps, Steps.size() - 2);
  return true;
}

// A struct that is copied, or an array that foreign code fills, before all of it is assigned would differ from run to run: they begin as
// zeros.
void Rewriter::traceUnset(VarDecl *V) {
  QualType T = V->getType();
  if (!St.attached(V) && !V->hasInit() && V->hasLocalStorage() && !isa<ParmVarDecl>(V) &&
      (isPlainStruct(T) || isPlainVector(T) || Ctx.getAsConstantArrayType(T)) && sizeOf(Ctx, T) <= 1024)
    V->setInit(new (Ctx) ImplicitValueInitExpr(T.getUnqualifiedType()));
}

// An object where its initial value stands.
Rewriter::Whole Rewriter::declaredWhole(SourceLocation L, StringRef Name, QualType T) {
  const SourceManager &SM = Ctx.getSourceManager();
  PresumedLoc P = presumed(SM, L);
  Whole W{L, Name.str(), "", {}, 0};
  SiteText Text(Ctx, B, L);
  Text.place(SM, L).key(DVMRT_ACCESS_VARIABLE).add(Name);
  if (P.isValid())
    Text.key(DVMRT_ACCESS_DECLARED).add(Twine(P.getLine()) + " " + Twine(P.getColumn()) + " " + nameOf(Ctx.getSourceManager(), P));
  Text.key(DVMRT_ACCESS_ROOT).add("l");
  Shape S = shapeOf(Ctx, T);
  W.Rank = S.Pointer ? 0 : S.rank();
  for (unsigned D = 0; D < W.Rank; ++D)
    Text.key(DVMRT_ACCESS_EXTENT).add(Twine(Ctx.getAsConstantArrayType(S.Dims[D])->getZExtSize()));
  if (T->isArrayType() || T->isRecordType() || T->isVectorType())
    Text.key(DVMRT_ACCESS_ELEMENT).add(Twine(sizeOf(Ctx, S.Element)));
  W.Common = Text.Text;
  return W;
}

// double x = f();   becomes   double x = f(); int dvm_register = (__dvmm_direct("K w init ..", &x), 0);
VarDecl *Rewriter::traceInit(VarDecl *V) {
  QualType T = V->getType();
  if (T->isIncompleteType() || V->getStorageClass() == SC_Register || V->isImplicit() || T->isVariableArrayType() ||
      T.getAddressSpace() != LangAS::Default || (Header && Header->indexNumber(V) >= 0) || isOfLibrary(Ctx, V))
    return nullptr;
  SourceLocation L = V->getLocation();
  Whole W = declaredWhole(L, V->getName(), T);
  SmallVector<Expr *, 8> Calls;
  recordLeaves(W, T, 'w', B.address(B.ref(V, L)), Calls);
  if (Calls.empty())
    return nullptr;
  auto *Record = VarDecl::Create(Ctx, V->getDeclContext(), L, L, &Ctx.Idents.get("dvm_register"), Ctx.IntTy,
                                 Ctx.getTrivialTypeSourceInfo(Ctx.IntTy, L), SC_None);
  Expr *Value = IntegerLiteral::Create(Ctx, llvm::APInt(32, 0), Ctx.IntTy, L);
  for (Expr *Call : llvm::reverse(Calls))
    Value = B.comma(Call, Value);
  Record->setInit(Value);
  Record->setImplicit();
  Record->addAttr(UnusedAttr::CreateImplicit(Ctx));
  return Record;
}
