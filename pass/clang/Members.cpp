#include "Members.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace dvm;

namespace {
enum { UNITS_MAX = 64, REPEATED_MAX = 8 };

// One datum, or so many in a row: a value of any part is enough.
struct Unit {
  uint64_t Offset, Bytes, Count, Stride;
  std::string Name;
};

class Units {
  const ASTContext &Ctx;
  const bool Each; // every datum that can be assigned by itself, whatever it is for
  void array(const ConstantArrayType *A, uint64_t At, const Twine &Name);
  void fields(const RecordDecl *D, uint64_t At, const std::string &Name);
  void bits(RecordDecl::field_iterator &F, RecordDecl::field_iterator End, const ASTRecordLayout &L, uint64_t At, const std::string &Name);
  void one(uint64_t At, uint64_t Bytes, const Twine &Name) { Found.push_back({At, Bytes, 1, Bytes, Name.str()}); }

public:
  std::vector<Unit> Found;
  explicit Units(const ASTContext &C, bool Each = false) : Ctx(C), Each(Each) {}
  void add(QualType T, uint64_t At, const std::string &Name);
};

uint64_t bytesOf(const ASTContext &Ctx, QualType T) { return Ctx.getTypeSizeInChars(T).getQuantity(); }

// What the program puts between members itself, or keeps for later, is written as it is.
bool isFiller(StringRef Name) {
  if (Name.empty() || Name.starts_with("__"))
    return true;
  std::string Word = Name.trim("_0123456789").lower();
  static const llvm::StringSet<> Words = {"pad",   "padding", "reserved", "unused",    "spare", "fill", "filler",
                                          "dummy", "align",   "rsvd",     "alignment", "gap",   "hole", "notused"};
  return Word.empty() || Words.contains(Word) || StringRef(Word).starts_with("pad_") || StringRef(Word).starts_with("reserved");
}

// An array at the end that the allocation makes longer, or leaves out.
bool isOpenEnd(const ASTContext &Ctx, QualType T) {
  const auto *A = Ctx.getAsArrayType(T);
  const auto *C = dyn_cast_or_null<ConstantArrayType>(A);
  return A && (!C || C->getZExtSize() <= 1);
}

bool endsOpen(const ASTContext &Ctx, const RecordDecl *D) {
  const FieldDecl *Last = nullptr;
  for (const FieldDecl *F : D->fields())
    Last = F;
  return Last && isOpenEnd(Ctx, Last->getType());
}
} // namespace

// Of the rows of a matrix of scalars one after the other, of structs each if they are few.
void Units::array(const ConstantArrayType *A, uint64_t At, const Twine &Name) {
  QualType E = A->getElementType();
  const uint64_t Count = A->getZExtSize(), Stride = bytesOf(Ctx, E);
  if (!Count || !Stride)
    return;
  if (!Each && E->isAnyCharacterType())
    return one(At, Count * Stride, Name); // a text ends before its array does
  if (E->isScalarType() || E->isVectorType() || E->isAnyComplexType()) {
    Found.push_back({At, Stride, Count, Stride, Name.str()});
    return;
  }
  QualType Scalar = Ctx.getBaseElementType(E);
  if (Count > REPEATED_MAX && E->isArrayType() && Scalar->isScalarType() && (Each || !Scalar->isAnyCharacterType())) {
    Found.push_back({At, bytesOf(Ctx, Scalar), Count * Stride / bytesOf(Ctx, Scalar), bytesOf(Ctx, Scalar), (Name + "[..]").str()});
    return;
  }
  if (Count > (Each ? UNITS_MAX : REPEATED_MAX))
    return one(At, Count * Stride, Name);
  for (uint64_t I = 0; I < Count && Found.size() <= UNITS_MAX; ++I)
    add(E, At + I * Stride, (Name + "[" + Twine(I) + "]").str());
}

// Bit-fields that lie together are one datum.
void Units::bits(RecordDecl::field_iterator &F, RecordDecl::field_iterator End, const ASTRecordLayout &L, uint64_t At,
                 const std::string &Name) {
  uint64_t First = UINT64_MAX, Last = 0;
  StringRef Called;
  for (; F != End && F->isBitField() && !F->isZeroLengthBitField(Ctx); ++F) {
    if (!Each && isFiller(F->getName()))
      continue;
    const uint64_t Bit = L.getFieldOffset(F->getFieldIndex());
    if (First == UINT64_MAX) {
      First = Bit;
      Called = F->getName();
    }
    Last = Bit + F->getBitWidthValue(Ctx);
  }
  if (First != UINT64_MAX)
    one(At + First / 8, (Last + 7) / 8 - First / 8, Name + "." + Called);
  if (F != End && F->isBitField())
    ++F;
}

void Units::fields(const RecordDecl *D, uint64_t At, const std::string &Name) {
  const ASTRecordLayout &L = Ctx.getASTRecordLayout(D);
  for (auto F = D->field_begin(); F != D->field_end();) {
    if (F->isBitField()) {
      bits(F, D->field_end(), L, At, Name);
      continue;
    }
    const uint64_t Offset = At + L.getFieldOffset(F->getFieldIndex()) / 8;
    if (F->isAnonymousStructOrUnion())
      add(F->getType(), Offset, Name);
    else if ((Each || !isFiller(F->getName())) && !F->getType()->isIncompleteType())
      add(F->getType(), Offset, Name + "." + F->getName().str());
    ++F;
  }
}

void Units::add(QualType T, uint64_t At, const std::string &Name) {
  T = T.getCanonicalType().getUnqualifiedType();
  const uint64_t Bytes = T->isIncompleteType() ? 0 : bytesOf(Ctx, T);
  if (!Bytes)
    return;
  if (const auto *A = Ctx.getAsConstantArrayType(T))
    return array(A, At, Name);
  const auto *R = T->getAs<RecordType>();
  const RecordDecl *D = R ? R->getDecl()->getDefinition() : nullptr;
  if (!D || D->isUnion() || D->isInvalidDecl() || (!Each && Ctx.getSourceManager().isInSystemHeader(D->getLocation())))
    return one(At, Bytes, Name);
  fields(D, At, Name);
}

static const RecordType *judged(const ASTContext &Ctx, QualType T) {
  const auto *R = T->getAs<RecordType>();
  const RecordDecl *D = R ? R->getDecl()->getDefinition() : nullptr;
  return D && !D->isUnion() && !D->isInvalidDecl() && !Ctx.getSourceManager().isInSystemHeader(D->getLocation()) ? R : nullptr;
}

// From a member on: its address may be handed over for all that follow it.
static InRecord aroundMember(const ASTContext &Ctx, const Expr *E, InRecord R) {
  for (uint64_t Begin = 0;;) {
    const auto *M = dyn_cast<MemberExpr>(E->IgnoreParens());
    const auto *F = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
    if (!F || F->isBitField() || F->getParent()->isUnion())
      return R;
    E = M->getBase();
    Begin += Ctx.getASTRecordLayout(F->getParent()).getFieldOffset(F->getFieldIndex()) / 8;
    QualType Owner = M->isArrow() ? E->getType()->getPointeeType() : E->getType();
    R = {judged(Ctx, Owner), Begin, E, M->isArrow() ? '>' : '.', 1};
    if (M->isArrow())
      return R;
  }
}

// How many structs lie behind each other in an array that is a member; 0: it is none.
static uint64_t inMemberArray(const ASTContext &Ctx, const Expr *E) {
  E = E->IgnoreParens();
  const auto *A = dyn_cast<ArraySubscriptExpr>(E);
  const Expr *Whole = A ? A->getBase()->IgnoreParenImpCasts() : E;
  const auto *T = Ctx.getAsConstantArrayType(Whole->getType());
  if (!T || !isa<MemberExpr>(Whole))
    return 0;
  int64_t First = 0;
  if (A && (!constantOf(Ctx, A->getIdx(), First) || First < 0 || uint64_t(First) >= T->getZExtSize()))
    return 1;
  return Ctx.getConstantArrayElementCount(T) - First;
}

InRecord dvm::recordOf(const ASTContext &Ctx, const Expr *E, bool Pointer) {
  QualType T = E->getType();
  const bool Array = T->isArrayType();
  if (Pointer && T->isPointerType())
    T = T->getPointeeType();
  InRecord R{judged(Ctx, Ctx.getBaseElementType(T)), 0, E, Array ? '[' : Pointer ? '>' : '.', inMemberArray(Ctx, E)};
  return Pointer || Array ? R : aroundMember(Ctx, E, R);
}

void dvm::membersText(SiteText &T, const ASTContext &Ctx, const InRecord &R) {
  const RecordDecl *D = R.Type->getDecl()->getDefinition();
  Units U(Ctx);
  U.add(QualType(R.Type, 0), 0, "");
  if (U.Found.size() > UNITS_MAX)
    U.Found.clear();
  for (const Unit &M : U.Found)
    T.key(DVMRT_ACCESS_MEMBER)
        .add(Twine(M.Offset) + " " + Twine(M.Bytes) + " " + Twine(M.Count) + " " + Twine(M.Stride) + " " + (M.Name.empty() ? "." : M.Name));
  const char Form[] = {R.Form, 0};
  T.key(DVMRT_ACCESS_MEMBERS)
      .add(Twine(R.Begin) + " " + Twine(endsOpen(Ctx, D) ? 1 : R.Times) + " " + Form + " " +
           sourceText(Ctx, R.Owner->IgnoreParenImpCasts()));
}

void dvm::partsText(SiteText &T, const ASTContext &Ctx, QualType Type) {
  Units U(Ctx, true);
  U.add(Type, 0, "");
  if (U.Found.size() > UNITS_MAX)
    return;
  for (const Unit &M : U.Found)
    T.add(" " + Twine(M.Offset) + " " + Twine(M.Bytes) + " " + Twine(M.Count));
}
