#include "Declare.h"
#include "clang/AST/Attr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace dvm;

std::string dvm::quoted(const NamedDecl *D) { return "'" + D->getNameAsString() + "'"; }

bool dvm::sameRank(const State &St, SourceLocation L, const VarDecl *V, unsigned Rank, StringRef What, unsigned Given) {
  if (Given == Rank)
    return true;
  St.error(L, quoted(V) + " has " + Twine(Rank) + (Rank == 1 ? " dimension, '" : " dimensions, '") + What + "' gives " + Twine(Given));
  St.note(V->getLocation(), quoted(V) + " is declared here");
  return false;
}

// ---- Operands --------------------------------------------------------------------------------------------------------

static Expr *underAddress(Expr *E) {
  E = E->IgnoreParenImpCasts();
  auto *U = dyn_cast<UnaryOperator>(E);
  return U && U->getOpcode() == UO_AddrOf ? U->getSubExpr()->IgnoreParens() : nullptr;
}

bool Operands::fromCall(CallExpr *Call) {
  if (Call->getNumArgs() != Dir.Operands.size() + 1)
    return false; // an operand was wrong; the compiler has said so
  for (unsigned I = 0; I < Dir.Operands.size(); ++I) {
    Expr *A = Call->getArg(I + 1);
    if (Dir.Operands[I].K == Operand::Address)
      A = underAddress(A);
    if (!A || A->containsErrors())
      return false;
    E.push_back(A);
  }
  Const.assign(E.size(), nullptr);
  return checkTypes();
}

bool Operands::fromConstants() {
  for (unsigned I = 0; I < Dir.Operands.size(); ++I) {
    auto &II = Ctx.Idents.get((OperandPrefix + Twine(Dir.Number) + "_" + Twine(I)).str());
    const VarDecl *V = St.OperandVars.lookup(&II);
    if (!V || !V->getInit())
      return false;
    auto *Init = const_cast<Expr *>(V->getInit())->IgnoreImpCasts();
    if (Dir.Operands[I].K == Operand::Address)
      Init = underAddress(Init);
    else if (auto *C = dyn_cast<CStyleCastExpr>(Init))
      Init = C->getSubExpr();
    if (!Init || Init->containsErrors())
      return false;
    E.push_back(Init);
    Const.push_back(V);
  }
  return checkTypes();
}

bool Operands::checkTypes() const {
  bool OK = true;
  for (unsigned I = 0; I < E.size(); ++I)
    if (Dir.Operands[I].K == Operand::Value && !E[I]->getType()->isIntegralOrEnumerationType()) {
      St.error(E[I]->getBeginLoc(),
               "expected an integer expression, found one of type '" + E[I]->IgnoreParenImpCasts()->getType().getAsString() + "'");
      OK = false;
    }
  return OK;
}

Expr *Operands::value(dvm_range R) const {
  int I = Dir.operand(R);
  return I < 0 || unsigned(I) >= E.size() ? nullptr : E[I];
}
Expr *Operands::lvalue(dvm_range R) const { return value(R); }

const VarDecl *Operands::variable(dvm_range R) const {
  Expr *L = lvalue(R);
  auto *D = L ? dyn_cast<DeclRefExpr>(L->IgnoreParens()) : nullptr;
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

bool Operands::constant(dvm_range R, int64_t &V) const {
  Expr *X = value(R);
  return X && constantOf(Ctx, X, V);
}

// ---- Declarations ----------------------------------------------------------------------------------------------------

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

bool Declarations::isDistributed(const VarDecl *V, const FunctionDecl *In) const {
  if (Directive *D = St.attached(V))
    return D->D->kind == DVM_DIR_ARRAY || D->D->kind == DVM_DIR_TEMPLATE || D->D->kind == DVM_DIR_TASK;
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
    if (D->D->kind == DVM_DIR_TEMPLATE || D->D->kind == DVM_DIR_TASK)
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

// Sizes and weights are arrays of numbers.
bool Declarations::checkDistribution(const Operands &Ops) const {
  const dvm_directive &D = *Ops.Dir.D;
  for (unsigned I = 0; I < D.ndists; ++I) {
    const dvm_dist &X = D.dists[I];
    bool Weights = X.kind == DVM_DIST_WGT_BLOCK;
    int64_t V;
    if (X.kind == DVM_DIST_MULT_BLOCK && Ops.constant(X.arg, V) && V < 1) {
      St.error(Ops.Dir.loc(X.arg.first), "'multblock' needs a positive number, found " + Twine(V));
      return false;
    }
    const Expr *L = Weights || X.kind == DVM_DIST_GEN_BLOCK || X.kind == DVM_DIST_INDIRECT ? Ops.lvalue(X.arg) : nullptr;
    if (!L)
      continue;
    QualType Ty = L->getType();
    QualType Element =
        Ty->isPointerType() || Ty->isArrayType() ? Ctx.getBaseElementType(Ty->isPointerType() ? Ty->getPointeeType() : Ty) : QualType();
    if (Element.isNull() || !(Weights ? Element->isArithmeticType() : Element->isIntegerType())) {
      St.error(Ops.Dir.loc(X.arg.first), Twine("'") + dvm_dist_name(X.kind) + "' needs an array of " + (Weights ? "numbers" : "integers") +
                                             ", and '" + Ops.Dir.text(X.arg) + "' is of type '" + Ty.getAsString() + "'");
      return false;
    }
  }
  return true;
}

// What the directive says of the variable, without its place and the names of its dimensions.
std::string Declarations::meaning(const VarDecl *V, Directive &Dir) {
  std::string Out;
  std::string Text = describe(V->getCanonicalDecl(), Dir, false, nullptr).Text;
  for (StringRef Rest = Text, Line; !Rest.empty();) {
    std::tie(Line, Rest) = Rest.split('\n');
    if (Line[0] == DVMRT_DIRECTIVE_NAMES)
      for (StringRef Name : llvm::split(Line, ' '))
        Out += Name == "." ? "." : "n";
    else if (Line[0] != DVMRT_ANY_FILE && Line[0] != DVMRT_ANY_PLACE)
      Out += Line;
    Out += '\n';
  }
  return Out;
}

bool Declarations::checkAgain(const VarDecl *V, Directive &Dir) {
  Directive *&First = St.FirstDirective[V->getCanonicalDecl()];
  if (!First)
    First = &Dir;
  if (First == &Dir || meaning(V, *First) == meaning(V, Dir))
    return true;
  St.error(Dir.Start, quoted(V) + " has been declared with another '#pragma dvm " + dvm_directive_name(First->D->kind) + "'");
  St.note(First->Start, "the first one is here: both must say the same");
  return false;
}

bool Declarations::check(const VarDecl *V, Directive &Dir) { return checkAlone(V, Dir) && checkAgain(V, Dir); }

bool Declarations::checkAlone(const VarDecl *V, Directive &Dir) {
  const dvm_directive &D = *Dir.D;
  Dir.Used = true;
  if (D.kind == DVM_DIR_TEMPLATE || D.kind == DVM_DIR_TASK) {
    if (!isTemplateVar(V)) {
      St.error(V->getLocation(),
               Twine("'#pragma dvm ") + dvm_directive_name(D.kind) + "' needs a declaration of the form 'void *" + V->getName() + ";'");
      St.note(Dir.Start, "the directive is here");
      return false;
    }
    if (D.has_distribute && D.ndists != D.nsizes) {
      St.error(Dir.loc(D.dists[0].bracket), "the template has " + Twine(D.nsizes) + " dimensions, the distribution " + Twine(D.ndists));
      return false;
    }
  } else if (D.kind == DVM_DIR_ARRAY) {
    Shape S = shapeOf(Ctx, V->getType());
    if (S.rank() == 0) {
      St.error(V->getLocation(), quoted(V) + " is not an array: '#pragma dvm array' needs an array, or a pointer to its elements or rows");
      St.note(Dir.Start, "the directive is here");
      return false;
    }
    auto Mismatch = [&](unsigned N, unsigned Token, const char *What) { return !sameRank(St, Dir.loc(Token), V, S.rank(), What, N); };
    if (D.has_distribute && Mismatch(D.ndists, D.ndists ? D.dists[0].bracket : D.word, "distribute"))
      return false;
    if (D.has_align && Mismatch(D.nnames, D.names[0] != ~0u ? D.names[0] : D.word, "align"))
      return false;
    if (D.has_shadow && Mismatch(D.nwidths, D.widths[0].bracket, "shadow"))
      return false;
    if (!S.Pointer && V->hasInit() && V->getAnyInitializer()) {
      St.error(V->getAnyInitializer()->getBeginLoc(),
               "distributed array " + quoted(V) + " cannot have an initialiser: its elements lie on many processors");
      St.note(Dir.Start, "it is distributed here; assign its elements in a parallel loop");
      return false;
    }
  } else {
    St.error(Dir.Start, Twine("'#pragma dvm ") + dvm_directive_name(D.kind) + "' cannot stand before the declaration of " + quoted(V));
    return false;
  }

  Operands Ops(St, Ctx, Dir);
  if (!Ops.fromConstants() || !checkDistribution(Ops))
    return false;
  for (unsigned I = 0; D.has_shadow && I < D.nwidths; ++I) {
    int64_t Low, High;
    if (D.widths[I].given && Ops.constant(D.widths[I].low, Low) && Ops.constant(D.widths[I].high, High) && (Low < 0 || High < 0)) {
      St.error(Dir.loc(D.widths[I].bracket), "a width cannot be negative");
      return false;
    }
  }
  if (D.has_align) {
    const VarDecl *T = Ops.variable(D.target.name);
    if (!T || !isDistributed(T, nullptr)) {
      St.error(Dir.loc(D.target.name), "'" + Dir.text(D.target.name) + "' is neither a distributed array nor a template");
      if (T)
        St.note(T->getLocation(), quoted(T) + " is declared here");
      return false;
    }
    if (unsigned R = rankOf(T); R && !sameRank(St, Dir.loc(D.target.name), T, R, "with", D.target.naxes))
      return false;
    for (unsigned I = 0; I < D.target.naxes; ++I)
      if (!isPlace(D.target.axes[I])) {
        St.error(Dir.loc(D.target.axes[I].expr.first),
                 "expected a subscript of the form 'a*i+b' in 'with', found '" + Dir.text(D.target.axes[I].expr) + "'");
        return false;
      }
  }
  return true;
}

void Declarations::checkInherit(const FunctionDecl *F, Directive &Dir) {
  Dir.Used = true;
  if (Dir.D->kind != DVM_DIR_INHERIT) {
    St.error(Dir.Start, Twine("'#pragma dvm ") + dvm_directive_name(Dir.D->kind) + "' cannot stand before the function " + quoted(F));
    return;
  }
  for (unsigned I = 0; I < Dir.D->nrefs; ++I) {
    unsigned Token = Dir.D->refs[I].name;
    const ParmVarDecl *Found = nullptr;
    for (const ParmVarDecl *P : F->parameters())
      if (P->getName() == Dir.text(Token))
        Found = P;
    if (!Found)
      St.error(Dir.loc(Token), "'" + Dir.text(Token) + "' is not a parameter of " + quoted(F));
    else if (!Found->getType()->isPointerType()) {
      St.error(Dir.loc(Token), quoted(Found) + " is not an array: 'inherit' is for array parameters");
      St.note(Found->getLocation(), quoted(Found) + " is declared here");
    }
  }
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
    case DVM_DIST_DERIVED: T.add("derived"); break;
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
  } else {
    T.key(DVMRT_DIRECTIVE_TEMPLATE).add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc))).add(" " + Twine(D.nsizes));
    for (unsigned I = 0; I < D.nsizes; ++I)
      T.add(" ").number(operandValue(Ops, D.sizes[I]));
  }
  if (D.has_distribute)
    writeDist(T, Ops);
  if (D.has_align)
    writeAlign(T, Ops, Ops.variable(D.target.name));
  if (D.has_shadow) {
    T.key(DVMRT_DIRECTIVE_WIDTHS);
    writeWidths(T, Ops, D.widths, D.nwidths);
  }
  if (D.dynamic)
    T.key(DVMRT_DIRECTIVE_DYNAMIC);
  if (V->hasGlobalStorage() && V->isExternallyVisible() && !Bind)
    T.key(DVMRT_DIRECTIVE_VISIBLE).add("visible");
  if (V->getType()->isPointerType() && D.kind == DVM_DIR_ARRAY && V->hasGlobalStorage())
    T.key(DVMRT_DIRECTIVE_POINTER).pointer(B.address(B.ref(V, T.Loc)));
  return T;
}
