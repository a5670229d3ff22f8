# Markdown to HTML, as far as our pages use it.
# SPDX-License-Identifier: BSD-3-Clause
function escaped(s) {
    gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
    return s
}

# Text with code, links and emphasis; what is inside `...` is as it stands.
function inline(s,    out, i, n, parts) {
    n = split(s, parts, "`")
    out = ""
    for (i = 1; i <= n; i++) {
        if (i % 2 == 0 && i < n) out = out "<code>" escaped(parts[i]) "</code>"
        else if (i % 2 == 0) out = out "`" marked(escaped(parts[i]))
        else out = out "\001" escaped(parts[i]) # marked below, as a whole: emphasis may go across code
    }
    gsub(/\001/, "", out)
    gsub(/&lt;br&gt;/, "<br>", out)
    return marked(out)
}

function marked(s,    before, m, text, url) {
    before = ""
    while (match(s, /!?\[[^]]*\]\([^)]*\)/)) {
        m = substr(s, RSTART, RLENGTH)
        text = m; sub(/^!?\[/, "", text); sub(/\]\([^)]*\)$/, "", text)
        url = m; sub(/^!?\[[^]]*\]\(/, "", url); sub(/\)$/, "", url)
        before = before substr(s, 1, RSTART - 1)
        if (m ~ /^!/) before = before "<img src=\"" url "\" alt=\"" text "\">"
        else {
            if (url !~ /^[a-z]*:/) sub(/\.md/, ".html", url)
            sub(/README\.html$/, "README.html", url)
            before = before "<a href=\"" url "\">" text "</a>"
        }
        s = substr(s, RSTART + RLENGTH)
    }
    s = before s
    while (match(s, /\*\*[^*]+\*\*/))
        s = substr(s, 1, RSTART - 1) "<b>" substr(s, RSTART + 2, RLENGTH - 4) "</b>" substr(s, RSTART + RLENGTH)
    while (match(s, /\*[A-Za-z][^*<]*\*/))
        s = substr(s, 1, RSTART - 1) "<i>" substr(s, RSTART + 1, RLENGTH - 2) "</i>" substr(s, RSTART + RLENGTH)
    return s
}

function close_paragraph() { if (paragraph != "") print "<p>" inline(paragraph) "</p>"; paragraph = "" }
function close_item() { if (item != "") print "<li>" inline(item) "</li>"; item = "" }
function close_list() { close_item(); if (list != "") print "</" list ">"; list = "" }
function close_table() { if (table) print "</table></div>"; table = 0 }
function close_code() { if (code) print "</code></pre>"; code = 0 }
function close_all() { close_paragraph(); close_list(); close_table(); close_code() }

/^```/ {
    if (fenced) { print "</code></pre>"; fenced = 0 }
    else { close_all(); printf "<pre><code>"; fenced = 1 }
    next
}
fenced { print escaped($0); next }
/^(    |\t)/ && item == "" && paragraph == "" {
    if (!code) { close_all(); printf "<pre><code>"; code = 1 }
    for (; blank > 0; blank--) print ""
    sub(/^(    |\t)/, "")
    print escaped($0)
    next
}
/^[ \t]*$/ { if (code) blank++; else { close_paragraph(); gap = 1 } next }
{ blank = 0; close_code() }
/^#+ / {
    close_all()
    n = length($1)
    text = substr($0, n + 2)
    id = tolower(text); gsub(/[^a-z0-9]+/, "-", id)
    print "<h" n " id=\"" id "\">" inline(text) "</h" n ">"
    next
}
/^\|/ {
    close_paragraph(); close_list()
    if ($0 ~ /^\|[-:| ]+\|?[ \t]*$/) next
    row = $0; sub(/^\|/, "", row); sub(/\|[ \t]*$/, "", row); gsub(/\\\|/, "\002", row)
    n = split(row, cell, "|")
    tag = table ? "td" : "th"
    if (!table) print "<div class=\"wide\"><table>"
    table = 1
    if (row !~ /[^| \t]/) next # a head without words
    printf "<tr>"
    for (i = 1; i <= n; i++) { gsub(/\002/, "|", cell[i]); gsub(/^ +| +$/, "", cell[i]); printf "<%s>%s</%s>", tag, inline(cell[i]), tag }
    print "</tr>"
    next
}
/^ *([-*]|[0-9]+\.) / {
    close_paragraph(); close_table(); close_item()
    kind = $1 ~ /^[0-9]/ ? "ol" : "ul"
    if (list != kind) { close_list(); print "<" kind ">"; list = kind }
    item = $0; sub(/^ *([-*]|[0-9]+\.) /, "", item)
    gap = 0
    next
}
item != "" && (!gap || /^  /) { sub(/^ +/, ""); item = item " " $0; gap = 0; next }
{ close_list(); close_table(); paragraph = paragraph == "" ? $0 : paragraph " " $0; gap = 0 }
END { close_all(); if (fenced) print "</code></pre>" }
