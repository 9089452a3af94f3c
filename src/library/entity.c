/* entity.c - names of letters, in their order. */
#include "library/entity.h"

#include <stddef.h>
#include <string.h>

static const struct { const char *name, *text; } entities[] = {
    { "AElig", "\u00c6" }, { "Aacute", "\u00c1" }, { "Acirc", "\u00c2" },
    { "Agrave", "\u00c0" }, { "Aring", "\u00c5" }, { "Atilde", "\u00c3" },
    { "Auml", "\u00c4" }, { "Ccedil", "\u00c7" }, { "ETH", "\u00d0" }, { "Eacute", "\u00c9" },
    { "Ecirc", "\u00ca" }, { "Egrave", "\u00c8" }, { "Euml", "\u00cb" },
    { "Iacute", "\u00cd" }, { "Icirc", "\u00ce" }, { "Igrave", "\u00cc" },
    { "Iuml", "\u00cf" }, { "Ntilde", "\u00d1" }, { "OElig", "\u0152" },
    { "Oacute", "\u00d3" }, { "Ocirc", "\u00d4" }, { "Ograve", "\u00d2" },
    { "Oslash", "\u00d8" }, { "Otilde", "\u00d5" }, { "Ouml", "\u00d6" },
    { "Prime", "\u2033" }, { "Scaron", "\u0160" }, { "THORN", "\u00de" },
    { "Uacute", "\u00da" }, { "Ucirc", "\u00db" }, { "Ugrave", "\u00d9" },
    { "Uuml", "\u00dc" }, { "Yacute", "\u00dd" }, { "Yuml", "\u0178" }, { "aacute", "\u00e1" },
    { "acirc", "\u00e2" }, { "acute", "\u00b4" }, { "aelig", "\u00e6" },
    { "agrave", "\u00e0" }, { "aring", "\u00e5" }, { "atilde", "\u00e3" },
    { "auml", "\u00e4" }, { "brvbar", "\u00a6" }, { "bull", "\u2022" }, { "ccedil", "\u00e7" },
    { "cedil", "\u00b8" }, { "cent", "\u00a2" }, { "copy", "\u00a9" }, { "curren", "\u00a4" },
    { "deg", "\u00b0" }, { "divide", "\u00f7" }, { "eacute", "\u00e9" }, { "ecirc", "\u00ea" },
    { "egrave", "\u00e8" }, { "eth", "\u00f0" }, { "euml", "\u00eb" }, { "euro", "\u20ac" },
    { "fnof", "\u0192" }, { "frac12", "\u00bd" }, { "frac14", "\u00bc" },
    { "frac34", "\u00be" }, { "hellip", "\u2026" }, { "iacute", "\u00ed" },
    { "icirc", "\u00ee" }, { "iexcl", "\u00a1" }, { "igrave", "\u00ec" },
    { "iquest", "\u00bf" }, { "iuml", "\u00ef" }, { "laquo", "\u00ab" }, { "ldquo", "\u201c" },
    { "lsquo", "\u2018" }, { "macr", "\u00af" }, { "mdash", "\u2014" }, { "micro", "\u00b5" },
    { "middot", "\u00b7" }, { "nbsp", "\u00a0" }, { "ndash", "\u2013" }, { "not", "\u00ac" },
    { "ntilde", "\u00f1" }, { "oacute", "\u00f3" }, { "ocirc", "\u00f4" },
    { "oelig", "\u0153" }, { "ograve", "\u00f2" }, { "ordf", "\u00aa" }, { "ordm", "\u00ba" },
    { "oslash", "\u00f8" }, { "otilde", "\u00f5" }, { "ouml", "\u00f6" }, { "para", "\u00b6" },
    { "plusmn", "\u00b1" }, { "pound", "\u00a3" }, { "prime", "\u2032" },
    { "raquo", "\u00bb" }, { "rdquo", "\u201d" }, { "reg", "\u00ae" }, { "rsquo", "\u2019" },
    { "scaron", "\u0161" }, { "sect", "\u00a7" }, { "shy", "\u00ad" }, { "sup1", "\u00b9" },
    { "sup2", "\u00b2" }, { "sup3", "\u00b3" }, { "szlig", "\u00df" }, { "thorn", "\u00fe" },
    { "times", "\u00d7" }, { "trade", "\u2122" }, { "uacute", "\u00fa" },
    { "ucirc", "\u00fb" }, { "ugrave", "\u00f9" }, { "uml", "\u00a8" }, { "uuml", "\u00fc" },
    { "yacute", "\u00fd" }, { "yen", "\u00a5" }, { "yuml", "\u00ff" },
};

const char *entity_text(const char *name)
{
    size_t low = 0, high = sizeof(entities) / sizeof(*entities);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, entities[middle].name);
        if (order == 0)
            return entities[middle].text;
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
