/* Kin: expressions of which it is known, before they are written out, that they are of the shape of another.
 *
 * Of roots that come from members of one family of equations (structure/families.h) it is known that they
 * are of one shape, and which of the family's slots are those of the shape: they are only looked up.
 *
 * Bodies of functions are written out where they are called, thousands of nodes for properties of steam. Expressions
 * that are of one shape with calls as operations (`sealed`) are of one shape with bodies, too, for a body is made of the
 * arguments alone. So bodies are written out for the first of them, and slots of the others are looked up.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/roll_parts.h"
#include "structure/families.h"

#include <string.h>

/* Roots of one origin in members of one family. */
typedef struct kin {
    int shape, like;       // a member of it that is one of them: their numbers are the same
    int slot[SHAPE_SLOTS]; // by slot of the shape: slot of the family
} kin;

/* Roots that are written alike as long as calls are operations. */
typedef struct sealed_kin {
    int writing, n_writing; // in words
    int shape, like;        // as of kin; shape -1: nothing is known of the others
    const int *leaf;        // by slot of the shape: place among their leaves
} sealed_kin;

enum { KIN_TRIES = 4 }; // members that are asked before a family is given up

/* What is known of roots from others. */
typedef struct kinship {
    tape_ref *known_place; // by node: place of a variable + 1; 0: not looked up yet
    ARRAY(kin) kins;
    map kin_of; // family and slot: kin + 1
    map misses; // ... members whose roots told nothing of the others
    ARRAY(sealed_kin) sealed;
    map sealed_by_hash;      // hash: sealed_kin + 1
    ARRAY(uint64_t) outside; // their writings
    ARRAY(tape_ref) leaves;  // places of the present one's
} kinship;

/* ---- families -------------------------------------------------------------------------------- */

expr lower_written(lowering *l, lower_origin of)
{
    dag d;
    const structure *s = l->s;
    const structure_equation *e = &s->equations.at[of.equation];
    arena_mark here = arena_here(l->scratch);
    dag_init(&d, l->p, l->scratch);
    const family_question q = {s->families, &d, of.equation, e->lhs, e->rhs, e->f[0]};
    const expr *slots = NULL;
    expr guard, f;
    if (of.slot < 0) {
        f = family_written(&q).f;
    } else {
        family_of(s->families, of.equation, &slots);
        f = family_solve(&q, slots[of.slot], &guard);
    }
    arena_release(l->scratch, here);
    return f;
}

void roll_write(roller *r, int i)
{
    if (!r->roots[i]) r->roots[i] = lower_written(r->l, r->origins[i]);
}

static const family *roll_family(const roller *r, int i, const expr **slots, uint64_t *key)
{
    const families *all = r->l->s->families;
    if (!r->origins || r->origins[i].equation < 0) return NULL;
    const family *q = family_of(all, r->origins[i].equation, slots);
    if (q) *key = (uint64_t)(q - all->of.at) << 8 | (uint64_t)(r->origins[i].slot + 1);
    return q;
}

/* lower_place of a slot: each variable is in several. */
static inline tape_ref roll_place(roller *r, kinship *ks, expr e)
{
    tape_ref *at = &ks->known_place[e];
    if (!*at) *at = lower_place(r->l, e) + 1;
    return *at - 1;
}

/* Root i is of the shape of its kin, if its slots are places of the same kinds. */
static bool roll_kin(roller *r, kinship *ks, int i)
{
    const expr *slots;
    uint64_t key;
    const uint64_t *known = roll_family(r, i, &slots, &key) ? map_find(&ks->kin_of, key) : NULL;
    if (!known) return false;
    const kin *x = &ks->kins.at[*known - 1];
    const roll_shape *s = &r->shapes.at[x->shape];
    array_reserve(r->a, &r->slots, r->slots.n + s->n_slots);
    const tape_ref *like = r->slots.at + r->slot_at[s->first];
    for (int k = 0; k < s->n_slots; k++) {
        tape_ref at = roll_place(r, ks, slots[x->slot[k]]);
        if (at == TAPE_NONE || tape_kind_of(at) != tape_kind_of(like[k])) return false;
        r->slots.at[r->slots.n + k] = at;
    }
    r->slot_at[i] = r->slots.n;
    r->slots.n += s->n_slots;
    if (r->n_numbers[x->like]) {
        r->number_at[i] = r->number_at[x->like];
        r->n_numbers[i] = r->n_numbers[x->like];
    }
    roll_add_member(r, x->shape, i);
    return true;
}

/* Root i has a shape: so have its kin, if each slot of the shape is one of the family. */
static void roll_learn(roller *r, kinship *ks, int i)
{
    const expr *slots;
    uint64_t key;
    const family *q = roll_family(r, i, &slots, &key);
    if (!q || r->of[i] < 0 || map_find(&ks->kin_of, key)) return;
    uint64_t *misses = map_put(&ks->misses, key);
    const roll_shape *s = &r->shapes.at[r->of[i]];
    kin x = {.shape = r->of[i], .like = i};
    if (*misses >= KIN_TRIES || s->n_slots > q->sides->n_slots) return;
    for (int k = 0; k < s->n_slots; k++) {
        x.slot[k] = -1;
        for (int j = 0; j < q->sides->n_slots && x.slot[k] < 0; j++)
            if (lower_place(r->l, slots[j]) == r->slots.at[r->slot_at[i] + k]) x.slot[k] = j;
        if (x.slot[k] < 0) {
            ++*misses;
            return;
        }
    }
    array_push(r->a, &ks->kins, x);
    *map_put(&ks->kin_of, key) = (uint64_t)ks->kins.n;
}

/* ---- calls as operations --------------------------------------------------------------------- */

/* The writing of root i with calls as operations, and its leaves; NULL: it is too large. */
static sealed_kin *sealed_write(roller *r, kinship *ks, int i)
{
    int first = r->slots.n;
    r->l->sealed = true;
    bool fits = roll_write_down(r, r->roots[i], first);
    r->l->sealed = false;
    ks->leaves.n = 0;
    for (int k = first; k < r->slots.n; k++) array_push(r->a, &ks->leaves, r->slots.at[k]);
    r->slots.n = first;
    if (!fits) return NULL;
    size_t bytes = (size_t)r->now.n * sizeof(uint64_t);
    uint64_t *found = map_put(&ks->sealed_by_hash, hash_bytes(r->now.at, bytes));
    if (*found) {
        sealed_kin *x = &ks->sealed.at[*found - 1];
        bool same =
            x->n_writing == r->now.n && !memcmp(ks->outside.at + x->writing, r->now.at, bytes);
        return same ? x : NULL; // or a collision of hashes
    }
    sealed_kin x = {.writing = ks->outside.n, .n_writing = r->now.n, .shape = -1, .like = -1};
    for (int k = 0; k < r->now.n; k++) array_push(r->a, &ks->outside, r->now.at[k]);
    array_push(r->a, &ks->sealed, x);
    *found = (uint64_t)ks->sealed.n;
    return &ks->sealed.at[ks->sealed.n - 1];
}

/* Root i is classified: which leaf is each slot of its shape? One that is none, or a shape so small that a root may be a
 * variable alone, tells nothing. */
static void sealed_learn(roller *r, kinship *ks, sealed_kin *x, int i)
{
    x->like = i;
    if (r->of[i] < 0) return;
    const roll_shape *s = &r->shapes.at[r->of[i]];
    int *leaf = arena_array(r->a, int, s->n_slots + 1);
    map at;
    map_init(&at, r->a);
    for (int k = 0; k < ks->leaves.n; k++) {
        uint64_t *found = map_put(&at, ks->leaves.at[k]);
        if (*found) return; // two leaves that are one here may be two elsewhere
        *found = (uint64_t)k + 1;
    }
    for (int k = 0; k < s->n_slots; k++) {
        const uint64_t *found = map_find(&at, r->slots.at[r->slot_at[i] + k]);
        if (!found) return;
        leaf[k] = (int)*found - 1;
    }
    x->leaf = leaf;
    if (s->n_nodes > 2) x->shape = r->of[i];
}

/* Root i is written like others of which the shape is known. */
static void sealed_add(roller *r, kinship *ks, const sealed_kin *x, int i)
{
    const roll_shape *s = &r->shapes.at[x->shape];
    r->slot_at[i] = r->slots.n;
    array_reserve(r->a, &r->slots, r->slots.n + s->n_slots);
    for (int k = 0; k < s->n_slots; k++) r->slots.at[r->slots.n++] = ks->leaves.at[x->leaf[k]];
    r->number_at[i] = r->number_at[x->like];
    r->n_numbers[i] = r->n_numbers[x->like];
    roll_add_member(r, x->shape, i);
}

/* Roots with calls of which there are many. The first of each writing is classified with bodies. */
static void classify_sealed(roller *r, kinship *ks)
{
    lowering *l = r->l;
    if (!l->s->flat->functions.n) return;
    uint32_t *outline = arena_array(r->a, uint32_t, r->n);
    l->sealed = true;
    const bool *may = roll_candidates(r, outline);
    l->sealed = false;
    for (int i = 0; i < r->n && !l->failed; i++) {
        if (!may[i] || !(outline[i] & 1)) continue;
        if (r->at) l->at = r->at[i];
        sealed_kin *x = sealed_write(r, ks, i);
        if (x && x->shape >= 0) sealed_add(r, ks, x, i);
        if (!x || x->like >= 0) continue;
        if (!roll_match_recent(r, i, ROLL_NODES)) roll_classify(r, i);
        sealed_learn(r, ks, x, i);
    }
    arena_resize(r->a, outline, (size_t)r->n * sizeof *outline, 0);
}

/* Those that are of one of the last shapes, or small enough to be written down at once. */
static void classify_neighbours(roller *r, kinship *ks)
{
    enum { NODES_EACH = 8 };
    int64_t rest = NODES_EACH * (int64_t)r->n; // to be written down, so that long sums cost no more
    for (int i = 0; i < r->n; i++) {
        if (r->of[i] >= 0 || roll_kin(r, ks, i)) continue;
        roll_write(r, i);
        if (!roll_match_recent(r, i, rest < 0 ? ROLL_LARGE : ROLL_NODES) && rest >= 0) {
            roll_classify(r, i);
            rest -= r->bound.n;
        }
        roll_learn(r, ks, i);
    }
}

void roll_classify_kin(roller *r)
{
    kinship ks = {0};
    size_t places = (size_t)r->l->p->n * sizeof *ks.known_place;
    if (r->origins) ks.known_place = arena_alloc(r->a, places);
    map_init(&ks.kin_of, r->a);
    map_init(&ks.misses, r->a);
    map_init(&ks.sealed_by_hash, r->a);
    classify_sealed(r, &ks);
    classify_neighbours(r, &ks);
    if (r->origins) arena_resize(r->a, ks.known_place, places, 0);
}
