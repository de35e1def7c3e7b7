#include "SiteText.h"
#include "State.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Basic/FileManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace clang;
using namespace dvm;

PresumedLoc dvm::presumed(const SourceManager &SM, SourceLocation L) { return SM.getPresumedLoc(SM.getFileLoc(L)); }

static std::string fold(StringRef S) {
  std::string Out;
  for (char C : S) {
    bool Blank = C == ' ' || C == '\t' || C == '\n' || C == '\r' || C == '\f' || C == '\v';
    if (!Blank)
      Out += C;
    else if (!Out.empty() && Out.back() != ' ')
      Out += ' ';
  }
  return Out;
}

std::string dvm::sourceText(const ASTContext &Ctx, const Expr *E) {
  const SourceManager &SM = Ctx.getSourceManager();
  CharSourceRange R = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(E->getSourceRange()), SM, Ctx.getLangOpts());
  if (R.isValid()) {
    bool Invalid = false;
    StringRef S = Lexer::getSourceText(R, SM, Ctx.getLangOpts(), &Invalid);
    if (!Invalid && !S.empty())
      return fold(S);
  }
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  E->printPretty(OS, nullptr, Ctx.getPrintingPolicy());
  return fold(Out);
}

bool dvm::isTemplateVar(const VarDecl *V) {
  const auto *P = V->getType()->getAs<PointerType>();
  return P && P->getPointeeType()->isVoidType();
}

Shape dvm::shapeOf(const ASTContext &Ctx, QualType T) {
  Shape S;
  if (const auto *D = T->getAs<DecayedType>())
    T = D->getDecayedType();
  if (const auto *P = T->getAs<PointerType>()) {
    S.Pointer = true;
    S.Dims.push_back(T);
    T = P->getPointeeType();
  }
  while (const ArrayType *A = Ctx.getAsArrayType(T)) {
    S.Dims.push_back(T);
    T = A->getElementType();
  }
  S.Element = T;
  return S;
}

bool dvm::constantOf(const ASTContext &Ctx, const Expr *E, int64_t &Value) {
  if (!E || E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType())
    return false;
  Expr::EvalResult R;
  if (!E->EvaluateAsInt(R, Ctx) || R.HasSideEffects)
    return false;
  const llvm::APSInt &V = R.Val.getInt();
  if (V.isUnsigned() ? V.getActiveBits() > 63 : V.getSignificantBits() > 64)
    return false;
  Value = V.getExtValue();
  return true;
}

// The greatest number of bytes of which the places of all members are multiples: a word for each such piece tells them apart.
static uint64_t granuleOf(const ASTContext &Ctx, QualType T, uint64_t At, uint64_t Granule) {
  Granule = std::gcd(Granule, At);
  T = T.getCanonicalType();
  if (const auto *A = Ctx.getAsConstantArrayType(T)) {
    QualType E = A->getElementType();
    if (uint64_t Size = Ctx.getTypeSizeInChars(E).getQuantity(); Size && A->getZExtSize() > 1)
      Granule = std::gcd(Granule, Size);
    return granuleOf(Ctx, E, At, Granule);
  }
  const auto *R = T->getAs<RecordType>();
  if (!R || R->getDecl()->isInvalidDecl() || !R->getDecl()->getDefinition())
    return Granule;
  const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R->getDecl());
  bool InBits = false;
  for (const FieldDecl *F : R->getDecl()->getDefinition()->fields()) {
    uint64_t Bits = Layout.getFieldOffset(F->getFieldIndex());
    // Bit-fields in a row are stored together; the first begins behind the member before it, in the middle of its type as well.
    if (!F->isBitField())
      Granule = granuleOf(Ctx, F->getType(), At + Bits / 8, Granule);
    else if (!InBits)
      Granule = std::gcd(Granule, At + Bits / 8);
    InBits = F->isBitField();
  }
  return Granule;
}

std::string dvm::elementKind(const ASTContext &Ctx, QualType T) {
  T = T.getCanonicalType();
  if (const auto *A = T->getAs<AtomicType>())
    T = A->getValueType();
  if (T->isIncompleteType())
    return "o";
  std::string Size = llvm::utostr(Ctx.getTypeSizeInChars(T).getQuantity());
  if (T->isAnyComplexType())
    return "c" + Size;
  if (T->isRealFloatingType())
    return "f" + Size;
  if (T->isIntegralOrEnumerationType())
    return (T->isUnsignedIntegerOrEnumerationType() ? "u" : "i") + Size;
  if (T->isPointerType())
    return "u" + Size;
  uint64_t Bytes = Ctx.getTypeSizeInChars(T).getQuantity();
  return "o" + llvm::utostr(granuleOf(Ctx, T, 0, Bytes));
}

SiteText &SiteText::key(char K) {
  if (!Text.empty())
    Text += '\n';
  Text += K;
  Text += ' ';
  return *this;
}

std::string dvm::nameOf(const SourceManager &SM, PresumedLoc P) {
  SmallString<256> Name(P.getFilename());
  if (const State *St = currentState(); St && St->Opts.Absolute) {
    SM.getFileManager().makeAbsolutePath(Name);
    llvm::sys::path::remove_dots(Name, true);
  }
  return std::string(Name);
}

SiteText &SiteText::place(const SourceManager &SM, SourceLocation L) {
  PresumedLoc P = presumed(SM, L);
  if (P.isInvalid())
    return key(DVMRT_ANY_FILE).add("?").key(DVMRT_ANY_PLACE).add("0 0");
  return key(DVMRT_ANY_FILE).add(nameOf(SM, P)).key(DVMRT_ANY_PLACE).add(Twine(P.getLine()) + " " + Twine(P.getColumn()));
}

SiteText &SiteText::number(Expr *E) {
  int64_t V;
  if (constantOf(Ctx, E, V))
    return add(Twine(V));
  Args.push_back(B.toLong(E));
  return add("#");
}

SiteText &SiteText::pointer(Expr *P) {
  Args.push_back(P);
  return add("&");
}

SiteText &SiteText::shape(QualType T) {
  Shape S = shapeOf(Ctx, T);
  if (S.Element->isIncompleteType())
    return add("0 0");
  add(Twine(Ctx.getTypeSizeInChars(S.Element).getQuantity()) + " " + Twine(S.rank()));
  for (unsigned I = 0; I < S.Dims.size(); ++I) {
    add(" ");
    QualType D = S.Dims[I];
    const ArrayType *A = Ctx.getAsArrayType(D);
    if (const auto *C = dyn_cast_or_null<ConstantArrayType>(A)) {
      add(Twine(C->getZExtSize()));
    } else if (isa_and_nonnull<VariableArrayType>(A)) {
      Args.push_back(B.toLong(B.divide(B.sizeOf(D, Loc), B.sizeOf(A->getElementType(), Loc))));
      add("#");
    } else {
      add("*");
    }
  }
  return *this;
}

SiteText &SiteText::refWithValue(const VarDecl *V, Expr *Value) {
  Shape S = shapeOf(Ctx, V->getType());
  add(V->getName() + " ");
  if (isTemplateVar(V)) {
    add("t ").pointer(Value);
    return add(" 0 0");
  }
  add(S.Pointer ? "p" : "a").add(elementKind(Ctx, S.Element)).add(" ").pointer(Value).add(" ");
  return shape(V->getType());
}

SiteText &SiteText::ref(const VarDecl *V) {
  Expr *R = B.ref(V, Loc);
  Expr *Value;
  if (isTemplateVar(V))
    Value = B.address(R);
  else if (V->getType()->isPointerType())
    Value = B.toVoidPtr(B.load(R));
  else
    Value = B.address(R);
  return refWithValue(V, Value);
}
