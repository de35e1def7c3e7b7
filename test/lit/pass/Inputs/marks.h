/* The marks of pass/markers.h, and short forms for tests.  A test writes what the clang side would have entered. */
void *__dvmm_access(void *p, long id, const char *site);
long __dvmm_index(long value, long id, long dim);
int __dvmm_enter(const char *site, ...);
void __dvmm_leave(long cid);
void __dvmm_row(long cid);
void __dvmm_iter(long cid, long n, ...);
void __dvmm_direct(const char *site, ...);
void *__dvmm_bind(void *value, const char *site, ...);

/* The lvalue 'x' of 'size' bytes with a mark; 'text' are the lines behind K and S. */
#define MARK(kind, size, x, id, text) (*(__typeof__(x) *)__dvmm_access(&(x), id, "K " kind "\nS " #size "\n" text))
#define R4(x, id, text) MARK("r", 4, x, id, text)
#define W4(x, id, text) MARK("w", 4, x, id, text)
#define M4(x, id, text) MARK("m", 4, x, id, text)
#define R8(x, id, text) MARK("r", 8, x, id, text)
#define W8(x, id, text) MARK("w", 8, x, id, text)
#define M8(x, id, text) MARK("m", 8, x, id, text)
