/* Files of libraries: modelica://Modelica.Blocks/Resources/Data/table.txt.
 *
 * The path counts from the directory of the package, or of the first package around it that has the
 * file. Modelica Language Specification 3.6, section 13.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_def.h"

#include "lang/lang.h"

#include <string.h>
#include <unistd.h>

static bool begins(const char *s, const char *with)
{
    for (; *with; s++, with++)
        if ((*s >= 'A' && *s <= 'Z' ? *s + 32 : *s) != *with) return false;
    return true;
}

const char *function_resource(flat_builder *b, const char *uri)
{
    static const char scheme[] = "modelica://", file[] = "file://";
    if (begins(uri, file)) return uri + sizeof file - 1;
    if (!begins(uri, scheme)) return uri;
    const char *name = uri + sizeof scheme - 1, *path = strchr(name, '/');
    if (!path) return uri;
    const char *dotted = arena_strndup(b->env.a, name, (size_t)(path - name));
    for (const ast_class *c = lang_find(b->lib, dotted); c; c = c->parent) {
        const source *s = source_of(&b->lib->sources, c->at.begin);
        const char *slash = s ? strrchr(s->path, '/') : NULL;
        mem m = value_arena_mem(b->model);
        text t;
        text_init(&t, &m);
        if (s)
            text_printf(&t, "%.*s%s", slash ? (int)(slash - s->path) : 1, slash ? s->path : ".",
                        path);
        if (s && !access(text_str(&t), F_OK)) return text_str(&t);
    }
    return uri;
}
