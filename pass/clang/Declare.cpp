// What the declarations of a translation unit say, and how the run time is told.
#include "Declare.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringExtras.h"
#include <sys/sysinfo.h>

using namespace clang;
using namespace dvm;

std::string dvm::quoted(const NamedDecl *D) { return "'" + D->getNameAsString() + "'"; }

void Declarations::reportSecond(Directive &First, Directive &Second) const {
  St.error(Second.Start, Twine("a second '#pragma dvm ") + dvm_directive_name(Second.D->kind) + "' for the same declaration");
  St.note(First.Start, "the first one is here");
  First.Used = Second.Used = true;
}

void Declarations::take(Decl *D) {
  if (!D->hasAttrs())
    return;
  SmallVector<Attr *, 4> Keep;
  Directive *Found = nullptr;
  for (Attr *A : D->attrs()) {
    auto *An = dyn_cast<AnnotateAttr>(A);
    if (!An || !An->getAnnotation().starts_with(AnnotationPrefix))
      Keep.push_back(A);
    else if (Directive *Dir = St.byNumber(An->getAnnotation().drop_front(StringRef(AnnotationPrefix).size())))
      if (!An->isInherited() || !Found) {
        if (Found && !An->isInherited() && Found != Dir) {
          reportSecond(*Found, *Dir);
          continue;
        }
        Found = Dir;
      }
  }
  if (!Found)
    return;
  St.attach(D, Found);
  D->dropAttrs();
  for (Attr *A : Keep)
    D->addAttr(A);
}

bool Declarations::takeOperandConstant(VarDecl *V) {
  if (!V->getIdentifier() || !V->getName().starts_with(OperandPrefix))
    return false;
  St.OperandVars[V->getIdentifier()] = V;
  // A directive that met the constants of the next one instead of a declaration.
  Directive *Second = St.byNumber(V->getName().drop_front(StringRef(OperandPrefix).size()).split('_').first);
  if (!V->hasAttr<AnnotateAttr>() || !Second)
    return false;
  take(V);
  Directive *First = St.attached(V);
  if (First && First != Second)
    reportSecond(*First, *Second);
  return First;
}

bool Declarations::isTask(const VarDecl *V) const {
  Directive *D = V ? St.attached(V) : nullptr;
  return D && D->D->kind == DVM_DIR_TASK;
}

bool Declarations::isProcessors(const VarDecl *V) const {
  Directive *D = V ? St.attached(V) : nullptr;
  return D && D->D->kind == DVM_DIR_PROCESSORS;
}

bool Declarations::isDistributed(const VarDecl *V, const FunctionDecl *In) const {
  if (Directive *D = St.attached(V); D && !(D->OldText && D->D->kind == DVM_DIR_INHERIT))
    return D->D->kind == DVM_DIR_ARRAY || D->D->kind == DVM_DIR_TEMPLATE || D->D->kind == DVM_DIR_TASK;
  else if (D)
    return isa<ParmVarDecl>(V); // DVM(* ..) before the parameter itself
  if (!In || !isa<ParmVarDecl>(V))
    return false;
  Directive *D = St.attached(In);
  if (!D || D->D->kind != DVM_DIR_INHERIT)
    return false;
  for (unsigned I = 0; I < D->D->nrefs; ++I)
    if (D->text(D->D->refs[I].name) == V->getName())
      return true;
  return false;
}

unsigned Declarations::rankOf(const VarDecl *V) {
  if (Directive *D = St.attached(V))
    if (D->D->kind == DVM_DIR_TEMPLATE || D->D->kind == DVM_DIR_TASK || D->D->kind == DVM_DIR_PROCESSORS)
      return D->D->nsizes;
  return shapeOf(Ctx, V->getType()).rank();
}

bool Declarations::distributedInto(const VarDecl *V, unsigned Dim, bool &Mapped) {
  Directive *D = St.attached(V);
  if (!D || !D->D->has_distribute || Dim >= D->D->ndists)
    return false;
  Mapped = D->D->dists[Dim].kind != DVM_DIST_NONE;
  return true;
}

// Does this file, as far as it has been read, give arrays another place?  Directives of functions further on are not known yet: by its words.
bool Declarations::movesArrays() {
  if (Moves)
    return *Moves;
  const SourceManager &SM = Ctx.getSourceManager();
  Moves = false;
  for (unsigned I = 1; I < SM.local_sloc_entry_size() && !*Moves; ++I) {
    const SrcMgr::SLocEntry &E = SM.getLocalSLocEntry(I);
    if (!E.isFile() || SrcMgr::isSystem(E.getFile().getFileCharacteristic()))
      continue;
    if (std::optional<StringRef> Text = E.getFile().getContentCache().getBufferDataIfLoaded())
      Moves = Text->contains_insensitive("redistribute") || Text->contains_insensitive("realign");
  }
  return *Moves;
}

bool Declarations::mayMove(const VarDecl *V, const Directive &Dir) {
  const dvm_directive &D = *Dir.D;
  return D.dynamic || Dir.OldText || (!D.has_distribute && !D.has_align) || V->isExternallyVisible() ||
         (D.kind == DVM_DIR_ARRAY && V->getType()->isPointerType()) || movesArrays();
}

bool Declarations::neverDivided(const VarDecl *V, unsigned Dim, unsigned Links) {
  Directive *Dir = V ? St.attached(V) : nullptr;
  if (!Dir || Links > 8 || isa<ParmVarDecl>(V) || !V->hasGlobalStorage() || mayMove(V, *Dir))
    return false;
  const dvm_directive &D = *Dir->D;
  bool Mapped = true;
  if (D.kind != DVM_DIR_TEMPLATE && D.kind != DVM_DIR_ARRAY)
    return false;
  if (!D.has_align)
    return distributedInto(V, Dim, Mapped) && !Mapped;
  Operands Ops(St, Ctx, *Dir);
  const VarDecl *Target = Ops.fromConstants() ? Ops.variable(D.target.name) : nullptr;
  for (unsigned I = 0; I < D.target.naxes; ++I) {
    const dvm_axis &A = D.target.axes[I];
    bool Uses = (A.kind == DVM_AXIS_AFFINE && A.index == Dim) || A.kind == DVM_AXIS_OTHER;
    if (Uses && !neverDivided(Target, I, Links + 1))
      return false;
  }
  return Target != nullptr;
}

bool Declarations::declaredWidth(const VarDecl *V, unsigned Dim, int64_t &Low, int64_t &High) {
  Directive *D = St.attached(V);
  if (!D || D->D->kind != DVM_DIR_ARRAY)
    return false;
  if (!D->D->has_shadow) { // 1:1 in each distributed dimension
    bool Mapped;
    if (!distributedInto(V, Dim, Mapped))
      return false;
    Low = High = Mapped;
    return true;
  }
  if (Dim >= D->D->nwidths)
    return false;
  Operands Ops(St, Ctx, *D);
  return Ops.fromConstants() && Ops.constant(D->D->widths[Dim].low, Low) && Ops.constant(D->D->widths[Dim].high, High);
}

// ---- Texts -----------------------------------------------------------------------------------------------------------

Expr *Declarations::operandValue(Operands &Ops, dvm_range R) {
  int I = Ops.Dir.operand(R);
  return I < 0 ? nullptr : operandValue(Ops, unsigned(I));
}

Expr *Declarations::operandValue(Operands &Ops, unsigned I) {
  if (I >= Ops.E.size())
    return nullptr;
  int64_t V;
  if (!Ops.Const[I] || constantOf(Ctx, Ops.E[I], V))
    return Ops.E[I];
  return B.load(B.ref(Ops.Const[I], Ops.E[I]->getBeginLoc()));
}

// The coefficient is what the expression gains when the index goes from 0 to 1.
void Declarations::writeUnsplitAxis(SiteText &T, Operands &Ops, const dvm_axis &A) {
  int I = Ops.Dir.operand(A.expr);
  Expr *Zero = operandValue(Ops, unsigned(I)), *One = operandValue(Ops, unsigned(I) + 1);
  int64_t AtZero, AtOne;
  if (!Zero || !One)
    return;
  T.add("a" + Twine(A.index) + ":");
  if (constantOf(Ctx, Zero, AtZero) && constantOf(Ctx, One, AtOne)) {
    T.add(Twine(AtOne - AtZero) + ":" + Twine(AtZero));
    return;
  }
  T.number(B.subtract(B.toLong(One), B.toLong(Zero)));
  T.add(":");
  T.number(B.toLong(operandValue(Ops, unsigned(I))));
}

void Declarations::writeAxis(SiteText &T, Operands &Ops, const dvm_axis &A) {
  auto Number = [&](dvm_range R, bool Negative, int64_t Default) {
    Expr *E = operandValue(Ops, R);
    int64_t V;
    if (!E) {
      T.add(Twine(Negative ? -Default : Default));
    } else if (constantOf(Ctx, E, V)) {
      T.add(Twine(Negative ? -V : V));
    } else {
      E = B.toLong(E);
      if (Negative)
        E = UnaryOperator::Create(Ctx, E, UO_Minus, Ctx.LongTy, VK_PRValue, OK_Ordinary, E->getExprLoc(), true, FPOptionsOverride());
      T.number(E);
    }
  };
  switch (A.kind) {
  case DVM_AXIS_EMPTY: T.add("e"); break;
  case DVM_AXIS_EXPR:
    T.add("c");
    Number(A.expr, false, 0);
    break;
  case DVM_AXIS_AFFINE:
    T.add("a" + Twine(A.index) + ":");
    Number(A.coef, A.negative_coef, 1);
    T.add(":");
    Number(A.add, A.negative_add, 0);
    break;
  case DVM_AXIS_OTHER:
    if (A.affine)
      writeUnsplitAxis(T, Ops, A);
    else
      T.add("o " + Ops.Dir.text(A.expr));
    break;
  case DVM_AXIS_RANGE:
    T.add("r");
    Number(A.expr, false, 0);
    T.add(":");
    if (A.high.count)
      Number(A.high, false, 0);
    else
      T.add("*");
    break;
  }
}

void Declarations::writeWidths(SiteText &T, Operands &Ops, const dvm_width *W, unsigned N) {
  auto Bound = [&](dvm_range R) {
    Expr *E = Ops.value(R);
    if (E)
      T.number(E);
    else
      T.add("0");
  };
  for (unsigned I = 0; I < N; ++I) {
    T.add(I ? " " : "");
    if (!W[I].given) {
      T.add("-");
      continue;
    }
    Bound(W[I].low);
    T.add(":");
    Bound(W[I].high);
  }
}

void Declarations::writeDist(SiteText &T, Operands &Ops) {
  const dvm_directive &D = *Ops.Dir.D;
  T.key(DVMRT_DIRECTIVE_DISTRIBUTION);
  for (unsigned I = 0; I < D.ndists; ++I) {
    const dvm_dist &X = D.dists[I];
    T.add(I ? " " : "");
    auto Address = [&](dvm_range R) {
      Expr *L = Ops.lvalue(R);
      bool Pointer = L && L->getType()->isPointerType();
      T.add(",").pointer(Pointer ? B.toVoidPtr(B.load(L)) : B.address(L));
      QualType Ty = L ? L->getType() : QualType();
      const auto *Array = L ? Ctx.getAsConstantArrayType(Ty) : nullptr;
      QualType Element = Array ? Array->getElementType() : Pointer ? Ty->getPointeeType() : QualType();
      bool Known = !Element.isNull() && Element->isArithmeticType();
      T.add("," + Twine(Array ? Array->getZExtSize() : 0) + "," + (Known ? elementKind(Ctx, Element) : std::string("o")));
    };
    switch (X.kind) {
    case DVM_DIST_BLOCK: T.add("block"); break;
    case DVM_DIST_NONE: T.add("*"); break;
    case DVM_DIST_GEN_BLOCK:
      T.add("genblock");
      Address(X.arg);
      break;
    case DVM_DIST_WGT_BLOCK:
      T.add("wgtblock");
      Address(X.arg);
      T.add(",").number(operandValue(Ops, X.arg2));
      break;
    case DVM_DIST_MULT_BLOCK: T.add("multblock,").number(operandValue(Ops, X.arg)); break;
    case DVM_DIST_INDIRECT:
      T.add("indirect");
      Address(X.arg);
      break;
    case DVM_DIST_DERIVED:
      T.add("derived");
      if (int At = Ops.Dir.operand(X.arg); At >= 0 && unsigned(At) < Ops.E.size()) {
        const VarDecl *Kept = Ops.Const[At];
        T.add(",").number(Kept ? B.load(B.ref(Kept, Ops.E[At]->getBeginLoc())) : Ops.E[At]);
        T.add(Kept && Kept->hasGlobalStorage() ? ",f" : "");
      }
      break;
    }
  }
}

void Declarations::writeAlign(SiteText &T, Operands &Ops, const VarDecl *Target) {
  const dvm_directive &D = *Ops.Dir.D;
  T.key(DVMRT_DIRECTIVE_ALIGN).ref(Target);
  for (unsigned I = 0; I < D.target.naxes; ++I)
    writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), Ops, D.target.axes[I]);
  T.key(DVMRT_DIRECTIVE_NAMES).add(Twine(D.nnames));
  for (unsigned I = 0; I < D.nnames; ++I)
    T.add(" " + (D.names[I] == ~0u ? "." : Ops.Dir.text(D.names[I])));
}

// Marks the bits that are values, by bytes.  Addresses are none: they differ from process to process.
static void markValues(const ASTContext &Ctx, QualType T, uint64_t At, SmallVectorImpl<uint8_t> &Used) {
  T = T.getCanonicalType();
  uint64_t Bytes = Ctx.getTypeSizeInChars(T).getQuantity();
  if (T->isAnyPointerType())
    return;
  if (const auto *A = Ctx.getAsConstantArrayType(T)) {
    uint64_t Element = Ctx.getTypeSizeInChars(A->getElementType()).getQuantity();
    for (uint64_t I = 0; I < A->getZExtSize(); ++I)
      markValues(Ctx, A->getElementType(), At + I * Element, Used);
    return;
  }
  const auto *R = T->getAs<RecordType>();
  if (R && !R->getDecl()->isUnion()) {
    const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R->getDecl());
    for (const FieldDecl *F : R->getDecl()->fields()) {
      uint64_t Bit = Layout.getFieldOffset(F->getFieldIndex());
      if (!F->isBitField())
        markValues(Ctx, F->getType(), At + Bit / 8, Used);
      for (uint64_t K = 0; F->isBitField() && K < F->getBitWidthValue(Ctx); ++K)
        Used[At + (Bit + K) / 8] |= 1u << (Bit + K) % 8;
    }
    return;
  }
  if (T->isSpecificBuiltinType(BuiltinType::LongDouble) && &Ctx.getFloatTypeSemantics(T) == &llvm::APFloat::x87DoubleExtended())
    Bytes = 10;
  if (const auto *C = T->getAs<ComplexType>(); C && C->getElementType()->isSpecificBuiltinType(BuiltinType::LongDouble)) {
    markValues(Ctx, C->getElementType(), At, Used);
    return markValues(Ctx, C->getElementType(), At + Bytes / 2, Used);
  }
  std::fill(Used.begin() + At, Used.begin() + At + Bytes, 0xff);
}

void Declarations::writeHoles(SiteText &T, const VarDecl *V) {
  enum { ElementMax = 4096, HolesMax = 64 };
  QualType Element = shapeOf(Ctx, V->getType()).Element;
  if (Element->isIncompleteType() || Element->isVariablyModifiedType() || Element->isVoidType())
    return;
  uint64_t Bytes = Ctx.getTypeSizeInChars(Element).getQuantity();
  SmallVector<uint8_t, 64> Used(Bytes <= ElementMax ? Bytes : 0, 0);
  if (Used.empty())
    return;
  markValues(Ctx, Element, 0, Used);
  std::string Holes;
  unsigned N = 0;
  for (size_t I = 0, Next; I < Used.size(); I = Next) {
    for (Next = I + 1; !Used[I] && Next < Used.size() && !Used[Next];)
      ++Next;
    if (Used[I] == 0xff || N++ >= HolesMax)
      continue;
    Holes += (Holes.empty() ? "" : " ") + std::to_string(I);
    Holes += Used[I] ? ":" + std::to_string(0xff & ~Used[I]) : " " + std::to_string(Next - I);
  }
  if (!Holes.empty())
    T.key(DVMRT_DIRECTIVE_HOLES).add(Holes);
}

void Declarations::writeOnto(SiteText &T, Operands &Ops) {
  const dvm_ref &R = Ops.Dir.D->onto;
  const VarDecl *V = Ops.variable(R.name);
  if (!V)
    return;
  T.key(DVMRT_DIRECTIVE_ONTO).add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc)));
  for (unsigned I = 0; I < R.naxes; ++I)
    writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), Ops, R.axes[I]);
}

// What the system starts no program with, though each rank would use a part alone.
static bool exceedsMemory(const ASTContext &Ctx, const VarDecl *V) {
  struct sysinfo S;
  if (!V->hasGlobalStorage() || !V->getType()->isConstantArrayType() || sysinfo(&S))
    return false;
  return uint64_t(Ctx.getTypeSizeInChars(V->getType()).getQuantity()) > (uint64_t(S.totalram) + S.totalswap) * S.mem_unit;
}

SiteText Declarations::describe(const VarDecl *V, Directive &Dir, bool Bind, Expr *Value, bool Elsewhere) {
  const dvm_directive &D = *Dir.D;
  SiteText T(Ctx, B, V->getLocation());
  Operands Ops(St, Ctx, Dir);
  Ops.fromConstants();
  T.key(DVMRT_ANY_KIND).add(Elsewhere ? "extern" : Bind ? "bind" : dvm_directive_name(D.kind));
  T.place(Ctx.getSourceManager(), Dir.Start);
  if (D.kind == DVM_DIR_ARRAY) {
    T.key(DVMRT_DIRECTIVE_ARRAY);
    if (Value)
      T.refWithValue(V, Value);
    else
      T.ref(V);
    if (St.Opts.Parallel || St.Opts.Trace)
      writeHoles(T, V);
    if (St.Opts.Parallel && !Bind && !Elsewhere && exceedsMemory(Ctx, V))
      St.warning(V->getLocation(), "'" + V->getName() +
                                       "' is larger than the memory of this machine, which starts no program with such a static " +
                                       "array; allocate it with 'malloc': each rank uses its part alone");
  } else {
    T.key(DVMRT_DIRECTIVE_TEMPLATE).add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc))).add(" " + Twine(D.nsizes));
    for (unsigned I = 0; I < D.nsizes; ++I)
      T.add(" ").number(operandValue(Ops, D.sizes[I]));
  }
  if (D.has_distribute)
    writeDist(T, Ops);
  if (D.has_align)
    writeAlign(T, Ops, Ops.variable(D.target.name));
  if (D.has_onto)
    writeOnto(T, Ops);
  if (D.has_shadow) {
    T.key(DVMRT_DIRECTIVE_WIDTHS);
    writeWidths(T, Ops, D.widths, D.nwidths);
  }
  if (St.Opts.Parallel ? mayMove(V, Dir) : D.dynamic)
    T.key(DVMRT_DIRECTIVE_DYNAMIC);
  if (V->hasGlobalStorage() && V->isExternallyVisible() && !Bind)
    T.key(DVMRT_DIRECTIVE_VISIBLE).add("visible");
  if (V->getType()->isPointerType() && D.kind == DVM_DIR_ARRAY && V->hasGlobalStorage())
    T.key(DVMRT_DIRECTIVE_POINTER).pointer(B.address(B.ref(V, T.Loc)));
  return T;
}
