/* Functions in libraries that the user has: found by name, called by the rules of the machine.
 *
 * Arguments of a function in C travel in registers for whole numbers and addresses, in registers for
 * Reals, and, those that find no register, in order on the stack, eight bytes each (System V ABI for
 * AMD64, 3.2.3; procedure call standard for AArch64, 6.4). So a function of any arguments can be
 * called through one type that fills all registers and some stack: what it does not look at does no
 * harm. Whole numbers are 32 bits in C: arrays of them are copied.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external.h"

#include "base/arena.h"
#include "external/foreign.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
enum { WHOLE = 6 };
#define WHOLE_TYPES  int64_t, int64_t, int64_t, int64_t, int64_t, int64_t
#define WHOLE_VALUES w[0], w[1], w[2], w[3], w[4], w[5]
#elif defined(__aarch64__)
enum { WHOLE = 8 };
#define WHOLE_TYPES  int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t
#define WHOLE_VALUES w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
#else
enum { WHOLE = 0 }; // refused in external_load
#define WHOLE_TYPES void
#define WHOLE_VALUES
#endif

enum { REALS = 8, STACK = 18, COPIED = 4096 };

#define REAL_TYPES  double, double, double, double, double, double, double, double
#define REAL_VALUES r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
#define STACK_TYPES                                                                                \
    int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,      \
        int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t
#define STACK_VALUES                                                                               \
    s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], s[14], \
        s[15], s[16], s[17]

typedef double gives_real(WHOLE_TYPES, REAL_TYPES, STACK_TYPES);
typedef int gives_whole(WHOLE_TYPES, REAL_TYPES, STACK_TYPES);
typedef void *gives_address(WHOLE_TYPES, REAL_TYPES, STACK_TYPES);

typedef union code {
    void *symbol;
    gives_real *real;
    gives_whole *whole;
    gives_address *address;
} code;

typedef struct frame {
    int64_t w[WHOLE + 1], s[STACK];
    double r[REALS];
    int n_w, n_r, n_s;
    bool full;
} frame;

static void push_stack(frame *f, int64_t x)
{
    if (f->n_s == STACK) f->full = true;
    else f->s[f->n_s++] = x;
}

static void push_whole(frame *f, int64_t x)
{
    if (f->n_w < WHOLE) f->w[f->n_w++] = x;
    else push_stack(f, x);
}

static void push_address(frame *f, const void *p)
{
    push_whole(f, (int64_t)(intptr_t)p);
}

static void push_real(frame *f, double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (f->n_r < REALS) f->r[f->n_r++] = x;
    else push_stack(f, bits);
}

static int whole(double x)
{
    return x >= -2147483648.0 && x <= 2147483647.0 ? (int)x : 0;
}

/* Whole numbers behind an address: as the function sees them. */
static bool push_copied(frame *f, const external_value *v, int *room, int *used)
{
    if (*used + v->n > COPIED) return false;
    for (int k = 0; k < v->n; k++) room[*used + k] = whole(v->at[k]);
    push_address(f, room + *used);
    *used += v->n;
    return true;
}

static bool push_argument(const external_call *c, frame *f, const external_value *v, int *room,
                          int *used)
{
    bool behind = v->n_dims || v->out || c->f->by_reference;
    switch ((external_kind)v->kind) {
    case EXTERNAL_STRING: push_address(f, v->text); return true;
    case EXTERNAL_OBJECT: push_address(f, v->object); return true;
    case EXTERNAL_REAL:
        if (behind) push_address(f, v->at);
        else push_real(f, v->at[0]);
        return true;
    default:
        if (behind) return push_copied(f, v, room, used);
        push_whole(f, (int64_t)v->at[0]);
        return true;
    }
}

static void take_back(const external_call *c, const int *room)
{
    for (int i = 0, used = 0; i < c->n_args; i++) {
        const external_value *v = &c->arg[i];
        if (v->kind != EXTERNAL_INTEGER || !(v->n_dims || v->out || c->f->by_reference)) continue;
        for (int k = 0; k < v->n; k++) v->at[k] = room[used + k];
        used += v->n;
    }
}

static void foreign_go(external_call *c, const frame *f)
{
    const int64_t *w = f->w, *s = f->s;
    const double *r = f->r;
    code go = {.symbol = c->f->symbol};
    switch (c->f->types[0]) {
    case 'r': *c->result = go.real(WHOLE_VALUES, REAL_VALUES, STACK_VALUES); break;
    case 'i': *c->result = go.whole(WHOLE_VALUES, REAL_VALUES, STACK_VALUES); break;
    case 'o': c->object = go.address(WHOLE_VALUES, REAL_VALUES, STACK_VALUES); break;
    default: go.whole(WHOLE_VALUES, REAL_VALUES, STACK_VALUES); break;
    }
}

static foreign_host *host_of(void *symbol)
{
    code go = {.symbol = symbol};
    const int64_t w[WHOLE + 1] = {0}, s[STACK] = {0};
    const double r[REALS] = {0};
    return symbol ? go.address(WHOLE_VALUES, REAL_VALUES, STACK_VALUES) : NULL;
}

/* Errors of the code end the call: it has no value here, and a shorter step may help. */
static bool foreign_guarded(external_call *c, const frame *f)
{
    foreign_host *host = host_of(c->f->host);
    jmp_buf back;
    if (!host) {
        foreign_go(c, f);
        return true;
    }
    host->back = &back;
    bool failed = setjmp(back) != 0;
    if (!failed) foreign_go(c, f);
    host->back = NULL;
    if (failed) snprintf(c->why, EXTERNAL_WHY, "%s: %.300s", c->f->name, host->words);
    return !failed;
}

static bool foreign_call(external_call *c)
{
    frame f = {.n_w = 0};
    int room[COPIED], used = 0;
    for (int i = 0; i < c->n_args; i++)
        if (!push_argument(c, &f, &c->arg[i], room, &used)) f.full = true;
    if (f.full) {
        snprintf(c->why, EXTERNAL_WHY, "%s has too many arguments", c->f->name);
        return false;
    }
    if (!foreign_guarded(c, &f)) return false;
    take_back(c, room);
    return true;
}

static void foreign_release(const external_function *f, mem *m, void *object)
{
    (void)m;
    frame x = {.w = {(int64_t)(intptr_t)object}};
    const int64_t *w = x.w, *s = x.s;
    const double *r = x.r;
    code go = {.symbol = f->destroy};
    if (!f->destroy) return;
    foreign_host *host = host_of(f->destroy_host);
    jmp_buf back;
    if (host) host->back = &back;
    if (!host || !setjmp(back)) go.whole(WHOLE_VALUES, REAL_VALUES, STACK_VALUES);
    if (host) host->back = NULL;
}

static void *find_symbol(void *library, const char *const *files, int n, const char *name,
                         char *why)
{
    if (library) {
        void *built = dlsym(library, name);
        if (!built) snprintf(why, EXTERNAL_WHY, "its Include does not define it");
        return built;
    }
    void *found = n ? NULL : dlsym(RTLD_DEFAULT, name);
    for (int k = 0; k < n && !found; k++) {
        void *loaded = dlopen(files[k], RTLD_NOW | RTLD_LOCAL); // stays: models hold its addresses
        if (loaded) found = dlsym(loaded, name);
        else snprintf(why, EXTERNAL_WHY, "%s", dlerror());
        if (loaded && !found) snprintf(why, EXTERNAL_WHY, "it is not in %s", files[k]);
    }
    if (!found && !why[0]) snprintf(why, EXTERNAL_WHY, "no library has it");
    return found;
}

/* What a model keeps, to be loaded by another process. */
static const external_wish *wish_copy(arena *a, const external_wish *w)
{
    external_wish *x = arena_new(a, external_wish);
    const char **files = arena_array(a, const char *, w->n_files + 1);
    *x = *w;
    x->name = arena_strndup(a, w->name, strlen(w->name));
    if (w->destructor) x->destructor = arena_strndup(a, w->destructor, strlen(w->destructor));
    for (int k = 0; k < w->n_files; k++)
        files[k] = arena_strndup(a, w->files[k], strlen(w->files[k]));
    x->files = files;
    x->built = w->library != NULL;
    x->library = x->destroy_library = NULL;
    return x;
}

const external_function *external_load(arena *a, const external_wish *w, char *why)
{
    external_function *f = arena_new(a, external_function);
    char *types = arena_alloc(a, 2);
    why[0] = 0;
    if (!WHOLE) {
        snprintf(why, EXTERNAL_WHY, "libraries are not called on this machine");
        return NULL;
    }
    if (w->built) {
        snprintf(why, EXTERNAL_WHY, "%s stands in an Include, which is compiled with the model",
                 w->name);
        return NULL;
    }
    types[0] = w->returns;
    *f = (external_function){.name = w->name,
                             .types = types,
                             .value = foreign_call,
                             .release = foreign_release,
                             .wish = wish_copy(a, w),
                             .by_reference = w->by_reference};
    f->symbol = find_symbol(w->library, w->files, w->n_files, w->name, why);
    if (f->symbol && w->destructor)
        f->destroy = find_symbol(w->destroy_library, w->files, w->n_files, w->destructor, why);
    if (w->library) f->host = dlsym(w->library, "vincolo_host");
    if (w->destroy_library) f->destroy_host = dlsym(w->destroy_library, "vincolo_host");
    if (!f->symbol || (w->destructor && !f->destroy)) return NULL;
    return f;
}
