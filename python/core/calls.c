/* Calls into the library: Ctrl-C, failures, texts.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

#include <signal.h>
#include <stdatomic.h>

/* ---- Ctrl-C ---------------------------------------------------------------------------------- */

enum { WORKING_MOST = 64 };
static _Atomic(vinc_ctx *) working[WORKING_MOST]; // contexts in which a call is under way
static int n_working;                             // changed while the interpreter is held
static struct sigaction handler_before;

static void interrupt_working(int number)
{
    for (int i = 0; i < WORKING_MOST; i++) {
        vinc_ctx *ctx = atomic_load(&working[i]);
        if (ctx) vinc_ctx_interrupt(ctx);
    }
    if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
        handler_before.sa_handler(number);
}

call core_call_begin(vinc_ctx *ctx)
{
    call c = {.place = -1};
    if (n_working++ == 0) {
        struct sigaction now = {.sa_handler = interrupt_working};
        sigemptyset(&now.sa_mask);
        sigaction(SIGINT, NULL, &handler_before);
        int ours = handler_before.sa_handler == SIG_IGN || handler_before.sa_handler == SIG_DFL;
        if (!ours && !(handler_before.sa_flags & SA_SIGINFO)) sigaction(SIGINT, &now, NULL);
    }
    for (int i = 0; i < WORKING_MOST && c.place < 0; i++) {
        vinc_ctx *none = NULL;
        if (atomic_compare_exchange_strong(&working[i], &none, ctx)) c.place = i;
    }
    c.thread = PyEval_SaveThread();
    return c;
}

/* -1 where Python has an exception for what was interrupted. */
int core_call_end(call c)
{
    PyEval_RestoreThread(c.thread);
    if (c.place >= 0) atomic_store(&working[c.place], NULL);
    if (--n_working == 0) sigaction(SIGINT, &handler_before, NULL);
    return PyErr_CheckSignals();
}

/* ---- failures -------------------------------------------------------------------------------- */

PyObject *core_error_base, *core_error_model, *core_error_option, *core_error_run,
    *core_error_limit;

static PyObject *diagnostic_tuple(vinc_diagnostic d)
{
    static const char *const severities[] = {"note", "warning", "error"};
    return Py_BuildValue("(sszkks)", severities[d.severity], d.code ? d.code : "", d.file,
                         (unsigned long)d.line, (unsigned long)d.column, d.text ? d.text : "");
}

PyObject *core_diagnostics(vinc_ctx *ctx, const vinc_sim *sim)
{
    PyObject *list = PyList_New(0);
    int n = sim ? vinc_sim_n_diagnostics(sim) : vinc_ctx_n_diagnostics(ctx);
    for (int i = 0; list && i < n; i++) {
        PyObject *one =
            diagnostic_tuple(sim ? vinc_sim_diagnostic(sim, i) : vinc_ctx_diagnostic(ctx, i));
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* What a status means, as an exception; NULL, for callers to return. */
PyObject *core_fail(vinc_ctx *ctx, const vinc_sim *sim, int status)
{
    if (PyErr_Occurred()) return NULL;
    if (status == VINC_STOPPED || status == VINC_E_INTERRUPTED) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        return NULL;
    }
    if (status == VINC_E_MEMORY && !vinc_ctx_n_diagnostics(ctx)) return PyErr_NoMemory();
    PyObject *kind = status == VINC_E_MODEL    ? core_error_model
                     : status == VINC_E_OPTION ? core_error_option
                     : status == VINC_E_LIMIT  ? core_error_limit
                                               : core_error_run;
    const char *words = sim ? vinc_sim_messages((vinc_sim *)sim) : vinc_ctx_messages(ctx);
    PyObject *text = PyUnicode_DecodeUTF8(words, (Py_ssize_t)strlen(words), "replace");
    PyObject *list = core_diagnostics(ctx, sim);
    PyObject *e = text && list ? PyObject_CallFunctionObjArgs(kind, text, NULL) : NULL;
    PyObject *number = PyLong_FromLong(status);
    if (e && number && !PyObject_SetAttrString(e, "_diagnostics", list) &&
        !PyObject_SetAttrString(e, "status", number))
        PyErr_SetObject(kind, e);
    Py_XDECREF(number);
    Py_XDECREF(e);
    Py_XDECREF(list);
    Py_XDECREF(text);
    vinc_ctx_clear(ctx);
    return NULL;
}

PyObject *core_words(const char *s)
{
    return PyUnicode_DecodeUTF8(s ? s : "", s ? (Py_ssize_t)strlen(s) : 0, "replace");
}

/* ---- texts of Python, held while a call uses them -------------------------------------------- */

void core_texts_done(texts *t)
{
    while (t->n) Py_DECREF(t->held[--t->n]);
}

const char *core_text(texts *t, PyObject *o) // NULL, with an exception, where it is none
{
    if (t->n == TEXTS_MOST) return PyErr_SetString(PyExc_ValueError, "too many values"), NULL;
    PyObject *bytes = NULL;
    if (PyUnicode_Check(o)) bytes = PyUnicode_AsUTF8String(o);
    else if (!PyUnicode_FSConverter(o, &bytes)) bytes = NULL; // paths
    if (!bytes) return NULL;
    t->held[t->n++] = bytes;
    return PyBytes_AsString(bytes);
}
