/* SPDX-License-Identifier: BSD-3-Clause */
#include "result/writer.h"

#include <stdio.h>
#include <string.h>

/* Where a piece of rows begins, so that rows can be taken back. */
typedef struct stream_mark {
    size_t row;
    off_t at;
} stream_mark;

struct result_stream {
    result_writer w;
    char *path;
    bool open;
    int status; // of the first failure
    result_fault fault;
    size_t n_marks, cap_marks;
    stream_mark *marks;
};

/* ---- one file -------------------------------------------------------------------------------- */

static void writer_free(result_writer *w)
{
    mem_free(w->r->m, w->own, w->own_bytes);
    mem_free(w->r->m, w->list, w->list_bytes);
}

static int writer_new(result_writer *w, const result_format *format, const result *r,
                      const result_selection *select, result_fault *fault)
{
    *w = (result_writer){.format = format, .r = r, .f = {.fd = -1}};
    w->list_bytes = 2 * (size_t)r->n_columns * sizeof *w->list;
    w->own_bytes = format->room(r);
    w->list = mem_try(r->m, w->list_bytes);
    w->own = mem_try(r->m, w->own_bytes);
    if (!w->list || !w->own) {
        writer_free(w);
        return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    }
    memset(w->own, 0, w->own_bytes);
    w->n = result_selected(r, select, format->constants, w->list);
    return RESULT_OK;
}

static int writer_fits(const result_writer *w, size_t n_rows, const char *path, result_fault *fault)
{
    if (n_rows <= w->format->rows_max) return RESULT_OK;
    return result_fail(fault, RESULT_E_WRITE, "C602",
                       "cannot write '%.300s': %s files hold at most %zu rows", path,
                       w->format->name, w->format->rows_max);
}

/* ---- while rows are made --------------------------------------------------------------------- */

int result_stream_to(result *r, const result_selection *select, const char *path,
                     result_fault *fault)
{
    const result_format *format = result_format_of(path);
    if (!format || !result_file_can_grow(path)) return RESULT_OK;
    struct result_stream *x = mem_try(r->m, sizeof *x);
    char *copy = mem_try(r->m, strlen(path) + 1);
    int rc = x && copy ? RESULT_OK : result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    if (x) *x = (struct result_stream){.path = copy};
    if (!rc) rc = writer_new(&x->w, format, r, select, fault);
    if (rc) {
        if (copy) mem_free(r->m, copy, strlen(path) + 1);
        mem_free(r->m, x, sizeof *x);
        return rc;
    }
    strcpy(copy, path);
    r->stream = x;
    return RESULT_OK;
}

void result_stream_free(result *r)
{
    struct result_stream *x = r->stream;
    if (!x) return;
    if (x->open) result_file_abandon(&x->w.f);
    writer_free(&x->w);
    mem_free(r->m, x->marks, x->cap_marks * sizeof *x->marks);
    mem_free(r->m, x->path, strlen(x->path) + 1);
    mem_free(r->m, x, sizeof *x);
    r->stream = NULL;
}

/* Has the file of this path begun? */
static bool stream_is(const result *r, const char *path)
{
    return r->stream && r->stream->w.n_rows && strcmp(r->stream->path, path) == 0;
}

size_t result_stream_rows(const result *r)
{
    return r->stream ? r->stream->w.n_rows : 0;
}

const result_fault *result_stream_fault(const result *r)
{
    return r->stream && r->stream->status ? &r->stream->fault : NULL;
}

static bool stream_mark_add(struct result_stream *x, stream_mark mark)
{
    mem *m = x->w.r->m;
    if (x->n_marks == x->cap_marks) {
        size_t cap = x->cap_marks ? 2 * x->cap_marks : 16, one = sizeof mark;
        void *more = m->resize(m->user, x->marks, x->cap_marks * one, cap * one);
        if (!more) return false;
        x->marks = more;
        x->cap_marks = cap;
    }
    x->marks[x->n_marks++] = mark;
    return true;
}

/* What was written before stays, and can be read. */
static int stream_failed(struct result_stream *x, stream_mark from)
{
    result_writer *w = &x->w;
    if (w->f.named) result_file_cut(&w->f, from.at);
    x->status = result_file_commit(&w->f, &x->fault);
    x->open = false;
    size_t n = strlen(x->fault.text);
    if (from.row)
        snprintf(x->fault.text + n, sizeof x->fault.text - n, "; it holds the rows up to t = %.10g",
                 w->t_last);
    return x->status;
}

int result_stream_push(result *r, size_t end)
{
    struct result_stream *x = r->stream;
    result_writer *w = &x->w;
    if (x->status || end <= w->n_rows) return x->status;
    x->status = writer_fits(w, end, x->path, &x->fault);
    if (!x->status && !x->open) {
        x->status = result_file_open(&w->f, r->m, x->path, &x->fault);
        x->open = !x->status;
        w->t_first = result_time(r, 0);
        if (x->open) w->format->begin(w);
    }
    if (x->status) return x->status;
    stream_mark from = {w->n_rows, result_file_place(&w->f)};
    if (!stream_mark_add(x, from))
        return x->status = result_fail(&x->fault, RESULT_E_MEMORY, "C609", "out of memory");
    result_file_hold(&w->f);
    w->format->rows(w, w->n_rows, end);
    result_file_release(&w->f);
    if (w->f.error) return stream_failed(x, from);
    w->n_rows = end;
    w->t_last = result_time(r, end - 1);
    if (w->format->settle) w->format->settle(w, false);
    result_file_name(&w->f);
    return w->f.error ? stream_failed(x, from) : RESULT_OK;
}

int result_flush(result *r)
{
    // the last row may be replaced by that after an event
    return r->stream && r->n_rows > 1 ? result_stream_push(r, r->n_rows - 1) : RESULT_OK;
}

/* What was not written yet, and the end. */
static int stream_finish(const result *r, result_fault *fault)
{
    struct result_stream *x = r->stream;
    result_writer *w = &x->w;
    if (x->status) return x->status; // it was said with the row
    int rc = r->sealed ? RESULT_OK : result_stream_push((result *)r, r->n_rows);
    if (rc) {
        if (fault) *fault = x->fault;
        return rc;
    }
    if (!x->open) return RESULT_OK; // it is finished
    w->format->end(w);
    if (w->format->settle) w->format->settle(w, true);
    x->open = false;
    return x->status = result_file_commit(&w->f, fault);
}

/* Rows are read back from the last mark before them. */
double result_stream_cut(result *r, double t, size_t least, size_t most)
{
    struct result_stream *x = r->stream;
    result_writer *w = &x->w;
    double time, last = w->t_last;
    while (x->n_marks > 1) {
        const stream_mark *m = &x->marks[x->n_marks - 1];
        off_t at = m->at;
        if (m->row < w->n_rows && m->row <= most && w->format->row_time(w, &at, &time) &&
            (time <= t || m->row < least))
            break;
        x->n_marks--;
    }
    size_t row = x->marks[x->n_marks - 1].row;
    off_t at = x->marks[x->n_marks - 1].at;
    for (off_t next = at; row < w->n_rows && row < most; row++, at = next) {
        if (!w->format->row_time(w, &next, &time) || (time > t && row >= least)) break;
        last = time;
    }
    result_file_cut(&w->f, at);
    w->n_rows = row;
    return w->t_last = last;
}

/* ---- at once ---------------------------------------------------------------------------------- */

int result_write_as(const result_format *format, const result *r, const result_selection *select,
                    const char *path, result_fault *fault)
{
    if (stream_is(r, path)) return stream_finish(r, fault);
    if (result_first_row(r) > 0)
        return result_fail(fault, RESULT_E_WRITE, "C615",
                           "cannot write '%.200s': rows of this run are in '%.200s' only", path,
                           r->stream->path);
    result_writer w;
    int rc = writer_new(&w, format, r, select, fault);
    if (rc) return rc;
    rc = writer_fits(&w, r->n_rows, path, fault);
    if (!rc) rc = result_file_open(&w.f, r->m, path, fault);
    if (!rc) {
        w.n_rows = r->n_rows;
        w.t_first = r->n_rows ? result_time(r, 0) : 0;
        w.t_last = r->n_rows ? result_time(r, r->n_rows - 1) : 0;
        format->begin(&w);
        format->rows(&w, 0, r->n_rows);
        format->end(&w);
        rc = result_file_commit(&w.f, fault);
    }
    writer_free(&w);
    return rc;
}
