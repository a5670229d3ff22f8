/* Included once for each struct: the table of the list LIST of struct T. Not a header of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
static const image_member RECORD_NAME(members_, T)[] = {LIST(RECORD_MEMBER)};
static void RECORD_NAME(limits_, T)(const void *at, const void *up, const code_model *m,
                                     image_limits *out)
{
    const T *x = at;
    (void)m;
    (void)x;
    (void)up;
    LIST(RECORD_LIMITS)
    (void)out;
}
const image_record RECORD_NAME(image_record_, T) = {
    RECORD_TEXT(T), sizeof(T), (int)(sizeof RECORD_NAME(members_, T) / sizeof(image_member)),
    RECORD_NAME(members_, T), RECORD_NAME(limits_, T)};
_Static_assert(sizeof RECORD_NAME(members_, T) / sizeof(image_member) <= IMAGE_MEMBERS_MAX,
               "a struct has more members than that");
#undef T
#undef LIST
