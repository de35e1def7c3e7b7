#!/bin/bash
# -Rdvm: what each directive will send, said while compiling.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
cat >remarks.c <<'C'
enum { N = 100, M = 40 };
#pragma dvm template[N] distribute[block] dynamic
void *t;
#pragma dvm array distribute[block][*] shadow[1:2][1:1] dynamic
double a[N][M];
#pragma dvm array align([i] with a[2 * i][])
float b[N / 2];
#pragma dvm array distribute[block][block]
double c[N][M];
double column[M];
struct pair { double v; int i[2]; };
double *p;
void f(int n, int w) {
  double s = 0, big = 0, at[M];
  int place[2];
#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a)
  for (int i = 1; i < N - 2; i++)
    for (int j = 0; j < M; j++)
      a[i][j] = a[i + 1][j];
#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a[w:1][1:1], c(corner), b) reduction(sum(s), maxloc(big, place, 2))
  for (int i = 1; i < N - 2; i++)
    for (int j = 0; j < M; j++)
      s += a[i][j];
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0][0:0]) stage(5)
  for (int i = 1; i < N; i++)
    for (int j = 0; j < M; j++)
      a[i][j] = a[i - 1][j];
#pragma dvm parallel([i] on b[i]) across(b[1:0])
  for (int i = 1; i < N / 2; i++)
    b[i] = b[i - 1];
#pragma dvm parallel([i] on b[i]) remote_access(a[n][], c[][], a[2 * i][3], c[1][2]) reduction(sum(at))
  for (int i = 0; i < N / 2; i++)
    at[0] += b[i];
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      a[i][j] = 0;
#pragma dvm parallel([i])
  for (int i = 0; i < M; i++)
    column[i] = 0;
#pragma dvm remote_access(b[0])
  { s = b[0]; }
#pragma dvm shadow_group(g: a[1:1][0:0])
#pragma dvm shadow_start(g)
#pragma dvm shadow_wait(g)
#pragma dvm parallel([i] on b[i]) reduction(h: sum(s))
  for (int i = 0; i < N / 2; i++)
    s += b[i];
#pragma dvm reduction_start(h)
#pragma dvm reduction_wait(h)
#pragma dvm redistribute(a[*][block])
#pragma dvm redistribute(a[block][*]) new_value
#pragma dvm redistribute(t[block])
#pragma dvm array_copy(c[][] = a[][])
}
C
status 0 "$dvmcc" -fdvm=parallel -w -Rdvm -c remarks.c
sed -n 's/^remarks.c:\([0-9]*:[0-9]*\): remark: /\1 /p' err >said
diff "$source/test/integration/parallel/remarks.txt" said >difference || { wrong "other remarks:"; cat difference; }
[ "$(wc -l <said)" -gt 15 ] || wrong "few remarks"
# A choice; nothing; where it means nothing.
status 0 "$dvmcc" -fdvm=parallel -w '-Rdvm=^(across|copy)$' -c remarks.c
[ "$(grep -c remark: err)" = "$(grep -cE 'Rdvm=(across|copy)' said)" ] || wrong "not what was chosen: $(cat err)"
for options in "" "-Rdvm -Rno-dvm"; do
  status 0 "$dvmcc" -fdvm=parallel -w $options -c remarks.c
  empty err
done
status 0 "$dvmcc" -fdvm=parallel -w -Werror -Rdvm -fsyntax-only remarks.c
has err "[-Rdvm=shadow]"
status 0 "$dvmcc" -w -Rdvm -c remarks.c
has err "dvmcc: warning: '-Rdvm' has no effect without '-fdvm=parallel'"
status 1 "$dvmcc" -fdvm=parallel '-Rdvm=(' -c remarks.c
has err "in the pattern of '-Rdvm=('"
# Names of another file, and bytes that are not known.
cat >open.c <<'C'
#pragma dvm inherit(x)
void g(int n, double x[][n]) {
#pragma dvm parallel([i][j] on x[i][j]) shadow_renew(x) remote_access(x[][])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      x[i][j] = 0;
}
C
status 0 "$dvmcc" -fdvm=parallel -w -Rdvm -c open.c
has err "shadow edges of 'x' are renewed before the loop: dimension 1: as wide as it turns out; dimension 2: as wide as it turns out"
has err "all of 'x' goes to each rank that does not have it, before the loop: as many bytes as it turns out"
finish
