// Members of structs whose address is no pointer to their type: bit-fields, and those of packed structs.
#include "Rewriter.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;
using namespace dvm;

// Bit-fields in a row are one memory location: bits from 'First' to behind 'End'.
static void locationOf(const ASTContext &Ctx, const FieldDecl *F, uint64_t &First, uint64_t &End) {
  const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(F->getParent());
  bool Open = false, Here = false;
  for (const FieldDecl *X : F->getParent()->fields()) {
    const uint64_t Bit = Layout.getFieldOffset(X->getFieldIndex());
    const bool Ends = !X->isBitField() || X->isZeroLengthBitField(Ctx);
    if (Here && Ends)
      return;
    if (!Ends && !Open)
      First = Bit;
    Open = !Ends;
    Here |= X == F;
    End = Ends ? Bit : Bit + X->getBitWidthValue(Ctx);
  }
}

HiddenMember dvm::hiddenMember(const ASTContext &Ctx, Expr *E) {
  auto *M = dyn_cast<MemberExpr>(E->IgnoreParens());
  const auto *F = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
  if (!F || !M->isLValue() || M->getType()->isRecordType() || M->getType()->isArrayType() || M->getType().isVolatileQualified() ||
      M->getType()->isAtomicType() || !(F->isBitField() || isPacked(Ctx, M)) || (!M->isArrow() && !M->getBase()->isLValue()))
    return {};
  uint64_t First = Ctx.getASTRecordLayout(F->getParent()).getFieldOffset(F->getFieldIndex());
  uint64_t End = First + (F->isBitField() ? F->getBitWidthValue(Ctx) : Ctx.getTypeSize(F->getType()));
  HiddenMember H{M, First / 8, (End + 7) / 8 - First / 8};
  if (F->isBitField() && !F->getParent()->isUnion()) {
    locationOf(Ctx, F, First, End);
    if (End - First <= 64)
      H = {M, First / 8, (End + 7) / 8 - First / 8};
  }
  return H;
}

QualType dvm::unaligned(ASTContext &Ctx, QualType T, SourceLocation L) {
  auto *D =
      TypedefDecl::Create(Ctx, Ctx.getTranslationUnitDecl(), L, L, &Ctx.Idents.get("dvm.unaligned"), Ctx.getTrivialTypeSourceInfo(T, L));
  auto *One = IntegerLiteral::Create(Ctx, llvm::APInt(Ctx.getIntWidth(Ctx.IntTy), 1), Ctx.IntTy, L);
  D->addAttr(AlignedAttr::CreateImplicit(Ctx, /*IsAlignmentExpr=*/true, One, L, AlignedAttr::GNU_aligned));
  return Ctx.getTypedefType(D);
}

// s.f   becomes   ((struct unaligned *)(mark(&s + offset) - offset))->f
void Rewriter::markBase(const HiddenMember &H, llvm::function_ref<Expr *(Expr *)> Mark) {
  MemberExpr *M = H.Member;
  Expr *Base = M->getBase();
  SourceLocation L = M->getExprLoc();
  QualType Struct = M->isArrow() ? Base->getType()->getPointeeType() : Base->getType();
  auto Moved = [&](Expr *P, BinaryOperatorKind Way) -> Expr * {
    return H.Offset ? BinaryOperator::Create(Ctx, P, B.integer(int64_t(H.Offset), L), Way, Ctx.VoidPtrTy, VK_PRValue, OK_Ordinary, L,
                                             FPOptionsOverride())
                    : P;
  };
  Expr *Marked = Mark(Moved(M->isArrow() ? B.toVoidPtr(Base) : B.address(Base), BO_Add));
  M->setBase(B.cast(Moved(Marked, BO_Sub), Ctx.getPointerType(unaligned(Ctx, Struct, L)), CK_BitCast));
  M->setArrow(true);
}
