/* Named edges and what 'localize' names. */
#define N 20
#pragma dvm template[N] distribute[block]
void *G;
#pragma dvm array align([i][] with G[i])
int nb[N][2];
#pragma dvm array align([i] with G[i])
double u[N];
#pragma dvm array align([i][] with G[i])
double w[N][4];
double plain[N];

void f(void) {
#pragma dvm shadow_add(G[nb[d][0] with G[@d]] = "right") include_to(u, w)
#pragma dvm localize(nb => w[:][])
#pragma dvm unlocalize(nb)
#pragma dvm shadow_add(w[nb[d][0] with G[@d]][nb[d][1] with G[@d]] = "two") include_to(u)
// expect -1:24 compile-error 'shadow_add' takes the rule of one dimension of 'w', it has 2
#pragma dvm shadow_add(w[][] = "none")
// expect -1:24 compile-error 'shadow_add' takes the rule of one dimension of 'w', it has none
#pragma dvm shadow_add(u[nb[d][0] with G[@d]] = "plain") include_to(plain)
// expect -1:69 compile-error 'plain' in 'include_to' is not a distributed array
#pragma dvm shadow_add(plain[nb[d][0] with G[@d]] = "plain")
// expect -1:24 compile-error 'plain' in 'shadow_add' is not a distributed array
#pragma dvm shadow_add(u[nb[d][0]] = "e")
// expect -1:34 compile-error expected 'with' and an array or a template in 'shadow_add'
#pragma dvm shadow_add(u[nb[d][0] with G[d]] = "e")
// expect -1:40 compile-error expected '\[@' and the name of an index behind the array of 'shadow_add'
#pragma dvm shadow_add(u[nb[d][0] with nb[@d][@d]] = "e")
// expect -1:48 compile-error two indices of 'shadow_add' have the name 'd'
#pragma dvm shadow_add(u[nb[d][0] with G[@d + near]] = "e")
// expect -1:47 compile-error expected the name of an edge, in quotes, behind '\+' in 'shadow_add'
#pragma dvm shadow_add(u[nb[d][0] with G[@d - 1]] = "e")
// expect -1:45 compile-error expected ']' or '\+' and the name of an edge, in quotes, in 'shadow_add'
#pragma dvm localize(u => u[:])
// expect -1:22 compile-error 'localize' is for numbers of elements: the elements of 'u' are no integers
#pragma dvm localize(nb => w[][])
// expect -1:28 compile-error 'localize' takes the one dimension of 'w' that is marked '\[:\]', it has none
#pragma dvm localize(nb => plain[:])
// expect -1:28 compile-error 'plain' in 'localize' is not a distributed array
}
