/* The module: loading models, reading results.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

PyObject *core_model_type, *core_run_type, *core_column_type;

static vinc_ctx *context_with(PyObject *paths, texts *t)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    if (!ctx) return PyErr_NoMemory(), NULL;
    Py_ssize_t n = PyList_Size(paths);
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *dir = core_text(t, PyList_GetItem(paths, i));
        if (dir) vinc_ctx_add_path(ctx, dir);
    }
    if (!PyErr_Occurred()) return ctx;
    vinc_ctx_free(ctx);
    return NULL;
}

/* load(source, class or None, paths, [(name, value text)], external, text or None) */
static PyObject *core_load(PyObject *module, PyObject *args)
{
    PyObject *source, *class_name, *paths, *settings, *text;
    int external;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO!O!pO", &source, &class_name, &PyList_Type, &paths,
                          &PyList_Type, &settings, &external, &text))
        return NULL;
    texts t = {.n = 0};
    vinc_setting set[100];
    int n = (int)PyList_Size(settings), rc = VINC_OK;
    vinc_ctx *ctx = NULL;
    vinc_model *model = NULL;
    PyObject *out = NULL;
    if (n > 100) {
        PyErr_SetString(PyExc_ValueError, "too many settings");
        return NULL;
    }
    const char *file = core_text(&t, source), *cls = NULL, *words = NULL;
    if (file && class_name != Py_None) cls = core_text(&t, class_name);
    if (file && text != Py_None) words = core_text(&t, text);
    for (int i = 0; i < n && !PyErr_Occurred(); i++) {
        PyObject *pair = PyList_GetItem(settings, i);
        const char *name = core_text(&t, PyTuple_GetItem(pair, 0));
        set[i] = (vinc_setting){name, name ? core_text(&t, PyTuple_GetItem(pair, 1)) : NULL};
    }
    if (!PyErr_Occurred()) ctx = context_with(paths, &t);
    if (ctx) {
        vinc_model_options o = {.settings = set, .n_settings = n, .allow_external = external};
        call c = core_call_begin(ctx);
        rc = words ? vinc_model_load_text(ctx, file, words, strlen(words), cls, &model)
                   : vinc_model_load_with(ctx, file, cls, &o, &model);
        int stopped = core_call_end(c);
        if (rc || stopped) {
            core_fail(ctx, NULL, rc);
        } else {
            model_object *m = PyObject_New(model_object, (PyTypeObject *)core_model_type);
            if (m) {
                m->ctx = ctx;
                m->model = model;
                m->calls = 0;
                out = (PyObject *)m;
            }
        }
        if (!out) {
            vinc_model_free(model);
            vinc_ctx_free(ctx);
        }
    }
    core_texts_done(&t);
    return out;
}

static PyObject *core_read(PyObject *module, PyObject *path)
{
    texts t = {.n = 0};
    vinc_result *result = NULL;
    (void)module;
    const char *file = core_text(&t, path);
    vinc_ctx *ctx = file ? vinc_ctx_new(NULL) : NULL;
    PyObject *out = NULL;
    if (ctx) {
        call c = core_call_begin(ctx);
        int rc = vinc_result_read(ctx, file, &result), stopped = core_call_end(c);
        if (rc || stopped) core_fail(ctx, NULL, rc);
        else out = (PyObject *)core_run_new(NULL, ctx, NULL, result);
        if (!out) {
            vinc_result_free(result);
            vinc_ctx_free(ctx);
        }
    } else if (file) {
        PyErr_NoMemory();
    }
    core_texts_done(&t);
    return out;
}

static PyMethodDef core_functions[] = {{"load", core_load, METH_VARARGS, NULL},
                                       {"read", core_read, METH_O, NULL},
                                       {NULL, NULL, 0, NULL}};
static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT, "vincolo._core", NULL, -1, core_functions, NULL, NULL, NULL, NULL};

static PyObject *new_error(PyObject *m, const char *name, const char *full, PyObject *base)
{
    PyObject *e = PyErr_NewException(full, base, NULL);
    if (!e || PyModule_AddObjectRef(m, name, e)) return NULL;
    return e;
}

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *m = PyModule_Create(&core_module);
    if (!m) return NULL;
    core_model_type = PyType_FromSpec(&core_model_spec);
    core_run_type = PyType_FromSpec(&core_run_spec);
    core_column_type = PyType_FromSpec(&core_column_spec);
    core_error_base = new_error(m, "Error", "vincolo.Error", PyExc_Exception);
    core_error_model = new_error(m, "ModelError", "vincolo.ModelError", core_error_base);
    core_error_option = new_error(m, "OptionError", "vincolo.OptionError", core_error_base);
    core_error_run = new_error(m, "RunError", "vincolo.RunError", core_error_base);
    core_error_limit = new_error(m, "LimitError", "vincolo.LimitError", core_error_base);
    if (!core_model_type || !core_run_type || !core_column_type || !core_error_limit ||
        PyModule_AddStringConstant(m, "version", vinc_version()) ||
        PyModule_AddObjectRef(m, "Run", core_run_type) ||
        PyModule_AddObjectRef(m, "Column", core_column_type)) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
