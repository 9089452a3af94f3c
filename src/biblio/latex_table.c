/* latex_table.c - what commands of TeX stand for. */
#include <stdlib.h>
#include <string.h>

#include "biblio/latex_table.h"

#define IS(name_, text_) { .name = name_, .text = text_ }
const struct latex_command latex_commands[] = {
    IS("AA", "Å"), IS("AE", "Æ"), IS("BibTeX", "BibTeX"), { "BibitemShut", .passed = 1 },
    IS("Box", "□"), IS("DH", "Ð"), IS("DJ", "Đ"), IS("Delta", "Δ"), IS("Gamma", "Γ"),
    IS("IJ", "IJ"), IS("Im", "ℑ"), IS("L", "Ł"), IS("LaTeX", "LaTeX"),
    IS("LaTeXe", "LaTeX2e"), IS("Lambda", "Λ"), IS("Leftarrow", "⇐"),
    IS("Leftrightarrow", "⇔"), IS("NG", "Ŋ"), IS("O", "Ø"), IS("OE", "Œ"), IS("Omega", "Ω"),
    IS("P", "¶"), IS("Phi", "Φ"), IS("Pi", "Π"), IS("Pr", "Pr"), IS("Psi", "Ψ"),
    IS("Re", "ℜ"), IS("Rightarrow", "⇒"), IS("S", "§"), IS("SS", "SS"), IS("Sigma", "Σ"),
    IS("TH", "Þ"), IS("TeX", "TeX"), IS("Theta", "Θ"), IS("Upsilon", "Υ"),
    IS("XeTeX", "XeTeX"), IS("Xi", "Ξ"), IS("aa", "å"), IS("addspace", " "),
    { "addtocounter", .passed = 2 }, { "addtolength", .passed = 2 }, IS("ae", "æ"),
    IS("aleph", "ℵ"), IS("alpha", "α"), IS("angle", "∠"), IS("approx", "≈"),
    IS("arccos", "arccos"), IS("arcsin", "arcsin"), IS("arctan", "arctan"), IS("arg", "arg"),
    IS("ast", "*"), IS("backslash", "\\"), { "baselineskip", .glue = true },
    { "begin", .passed = 1 }, IS("beta", "β"), { "bibAnnote", .passed = 1 },
    { "bibAnnoteFile", .passed = 1 }, { "bibentryset", .passed = 1 },
    { "bibfield", .passed = 1 }, { "bibinfo", .passed = 1 }, { "bibliography", .passed = 1 },
    { "bibliographystyle", .passed = 1 }, { "bibpreamble", .passed = 1 },
    IS("bibrangedash", "–"), IS("bmod", "mod"), IS("bot", "⊥"), IS("bullet", "•"),
    { "burl", .literal = true }, IS("cap", "∩"), IS("cdot", "·"), IS("cdots", "…"),
    IS("checkmark", "✓"), IS("chi", "χ"), IS("circ", "∘"), { "cite", .passed = 1 },
    { "citealp", .passed = 1 }, { "citeauthor", .passed = 1 }, { "citep", .passed = 1 },
    { "citet", .passed = 1 }, { "citeyear", .passed = 1 }, IS("colon", ":"),
    { "color", .passed = 1 }, { "colorbox", .passed = 1 }, IS("cong", "≅"),
    IS("copyright", "©"), IS("cos", "cos"), IS("cosh", "cosh"), IS("cot", "cot"),
    IS("cup", "∪"), IS("dag", "†"), IS("ddag", "‡"), IS("deg", "deg"), IS("degree", "°"),
    IS("delta", "δ"), IS("det", "det"), { "dfrac", .close = "/" }, IS("dh", "ð"),
    IS("diamond", "⋄"), IS("dim", "dim"), { "discretionary", .passed = 3 }, IS("div", "÷"),
    IS("dj", "đ"), IS("dots", "…"), IS("downarrow", "↓"), IS("ell", "ℓ"), IS("emptyset", "∅"),
    { "end", .passed = 1 }, { "enquote", .text = "“", .close = "”" }, IS("enspace", " "),
    IS("epsilon", "ε"), IS("equiv", "≡"), IS("eta", "η"), IS("euro", "€"), IS("exists", "∃"),
    IS("exp", "exp"), IS("flat", "♭"), IS("flqq", "«"), { "fontfamily", .passed = 1 },
    { "fontseries", .passed = 1 }, { "fontshape", .passed = 1 }, { "fontsize", .passed = 2 },
    { "footnote", .passed = 1 }, { "footnotemark", .passed = 1 }, IS("forall", "∀"),
    { "foreignlanguage", .passed = 1 }, { "frac", .close = "/" }, IS("frqq", "»"),
    IS("gamma", "γ"), IS("gcd", "gcd"), IS("ge", "≥"), IS("geq", "≥"), IS("geqslant", "≥"),
    IS("gets", "←"), IS("gg", "≫"), IS("glqq", "„"), IS("grqq", "“"), IS("gtrsim", "≳"),
    IS("guillemotleft", "«"), IS("guillemotright", "»"), IS("hbar", "ℏ"),
    { "hphantom", .passed = 1 }, { "href", .passed = 1 }, { "hsize", .glue = true },
    { "hskip", .glue = true }, { "hspace", .passed = 1 }, { "hyperlink", .passed = 1 },
    { "hyperref", .passed = 1 }, { "hypertarget", .passed = 1 }, IS("hyphen", "-"),
    { "hyphenation", .passed = 1 }, IS("i", "ı"), IS("ij", "ij"), IS("in", "∈"),
    { "include", .passed = 1 }, { "includegraphics", .passed = 1 }, { "index", .passed = 1 },
    IS("inf", "inf"), IS("infty", "∞"), { "input", .passed = 1 }, IS("int", "∫"),
    IS("iota", "ι"), { "itemsep", .glue = true }, IS("j", "ȷ"), IS("kappa", "κ"),
    IS("ker", "ker"), { "kern", .glue = true }, IS("l", "ł"), { "label", .passed = 1 },
    IS("lambda", "λ"), IS("land", "∧"), IS("langle", "⟨"), IS("lbrace", "{"),
    IS("lceil", "⌈"), IS("ldots", "…"), IS("le", "≤"), IS("leftarrow", "←"),
    IS("leftrightarrow", "↔"), IS("leq", "≤"), IS("leqslant", "≤"), IS("lesssim", "≲"),
    IS("lfloor", "⌊"), IS("lg", "lg"), IS("lim", "lim"), IS("liminf", "lim inf"),
    IS("limsup", "lim sup"), IS("linebreak", " "), IS("ll", "≪"), IS("ln", "ln"),
    IS("log", "log"), IS("longrightarrow", "→"), IS("lor", "∨"), IS("lq", "‘"),
    IS("mapsto", "↦"), IS("max", "max"), IS("mid", "|"), IS("min", "min"),
    { "mkbibbrackets", .text = "[", .close = "]" },
    { "mkbibparens", .text = "(", .close = ")" }, { "mkbibquote", .text = "“", .close = "”" },
    { "mkern", .glue = true }, IS("mod", "mod"), IS("models", "⊨"), IS("mp", "∓"),
    { "mskip", .glue = true }, IS("mu", "μ"), IS("nabla", "∇"), IS("natural", "♮"),
    IS("ne", "≠"), IS("neg", "¬"), IS("neq", "≠"), IS("newblock", " "),
    { "newcommand", .passed = 2 }, IS("newline", " "), IS("ng", "ŋ"), IS("ni", "∋"),
    { "nicefrac", .close = "/" }, IS("nobreakspace", " "), { "nocite", .passed = 1 },
    { "nolinkurl", .literal = true }, IS("notin", "∉"), IS("nu", "ν"), IS("o", "ø"),
    IS("oe", "œ"), IS("oint", "∮"), IS("omega", "ω"), IS("omicron", "ο"), IS("oplus", "⊕"),
    IS("otimes", "⊗"), { "pageref", .passed = 1 }, { "pagestyle", .passed = 1 },
    IS("par", " "), IS("parallel", "∥"), { "parbox", .passed = 1 },
    { "parindent", .glue = true }, { "parsep", .glue = true }, { "parskip", .glue = true },
    IS("partial", "∂"), { "path", .literal = true }, IS("pdfTeX", "pdfTeX"),
    { "pdftooltip", .passed = 1 }, { "penalty", .glue = true }, IS("perp", "⊥"),
    { "phantom", .passed = 1 }, IS("phi", "φ"), IS("pi", "π"), IS("pm", "±"),
    IS("pounds", "£"), IS("prec", "≺"), IS("prime", "′"), { "printinunitsof", .passed = 1 },
    IS("prod", "∏"), IS("propto", "∝"), { "providecommand", .passed = 2 }, IS("psi", "ψ"),
    IS("qquad", " "), IS("quad", " "), IS("quotedblbase", "„"), IS("quotesinglbase", "‚"),
    { "raisebox", .passed = 1 }, IS("rangle", "⟩"), IS("rbrace", "}"), IS("rceil", "⌉"),
    { "ref", .passed = 1 }, { "renewcommand", .passed = 2 }, IS("rfloor", "⌋"),
    IS("rho", "ρ"), IS("rightarrow", "→"), { "rotatebox", .passed = 1 }, IS("rq", "’"),
    { "selectlanguage", .passed = 1 }, { "setcounter", .passed = 2 },
    { "setlength", .passed = 2 }, IS("setminus", "∖"), { "sfrac", .close = "/" },
    IS("sharp", "♯"), IS("sigma", "σ"), IS("sim", "∼"), IS("simeq", "≃"), IS("sin", "sin"),
    IS("sinh", "sinh"), IS("slash", "/"), IS("space", " "), IS("sqrt", "√"),
    IS("square", "□"), IS("ss", "ß"), IS("star", "⋆"), IS("subset", "⊂"), IS("subseteq", "⊆"),
    IS("succ", "≻"), IS("sum", "∑"), IS("sup", "sup"), IS("supset", "⊃"), IS("supseteq", "⊇"),
    IS("tan", "tan"), IS("tanh", "tanh"), IS("tau", "τ"), { "texorpdfstring", .passed = 1 },
    IS("textasciicircum", "^"), IS("textasciigrave", "`"), IS("textasciitilde", "~"),
    IS("textbackslash", "\\"), IS("textbar", "|"), IS("textbraceleft", "{"),
    IS("textbraceright", "}"), IS("textbullet", "•"), { "textcolor", .passed = 1 },
    IS("textcopyright", "©"), IS("textdegree", "°"), IS("textdollar", "$"),
    IS("textellipsis", "…"), IS("textemdash", "—"), IS("textendash", "–"),
    IS("texteuro", "€"), IS("textexclamdown", "¡"), IS("textgreater", ">"),
    IS("textless", "<"), IS("textmu", "µ"), IS("textnumero", "№"), IS("textonehalf", "½"),
    IS("textordfeminine", "ª"), IS("textordmasculine", "º"), IS("textperiodcentered", "·"),
    IS("textperthousand", "‰"), IS("textquestiondown", "¿"),
    { "textquote", .text = "“", .close = "”" }, IS("textquotedbl", "\""),
    IS("textquotedblleft", "“"), IS("textquotedblright", "”"), IS("textquoteleft", "‘"),
    IS("textquoteright", "’"), IS("textquotesingle", "'"), IS("textregistered", "®"),
    IS("textsterling", "£"), IS("texttrademark", "™"), IS("textunderscore", "_"),
    IS("textvisiblespace", " "), { "tfrac", .close = "/" }, IS("th", "þ"),
    { "thanks", .passed = 1 }, IS("theta", "θ"), IS("thinspace", " "),
    { "thispagestyle", .passed = 1 }, IS("times", "×"), IS("to", "→"), IS("top", "⊤"),
    { "translation", .passed = 1 }, IS("uparrow", "↑"), IS("upsilon", "υ"),
    { "url", .literal = true }, { "urlstyle", .passed = 1 }, { "usepackage", .passed = 1 },
    IS("varepsilon", "ε"), IS("varphi", "φ"), IS("varpi", "ϖ"), IS("varrho", "ϱ"),
    IS("varsigma", "ς"), IS("vartheta", "ϑ"), IS("vdash", "⊢"), IS("vee", "∨"),
    { "verb", .literal = true }, IS("vert", "|"), { "vphantom", .passed = 1 },
    { "vskip", .glue = true }, { "vspace", .passed = 1 }, IS("wedge", "∧"), IS("wp", "℘"),
    IS("xi", "ξ"), IS("zeta", "ζ"),
};
const size_t latex_command_count = sizeof(latex_commands) / sizeof(latex_commands[0]);

/* Accents that are one sign come before any letter; those that are a letter need a group or a
 * space behind them, as any command has. */
static const struct { char name; uint32_t mark; } accents[] = {
    { '`', 0x300 },  { '\'', 0x301 }, { '^', 0x302 }, { '~', 0x303 }, { '=', 0x304 },
    { '.', 0x307 },  { '"', 0x308 },  { 'u', 0x306 }, { 'h', 0x309 }, { 'r', 0x30a },
    { 'H', 0x30b },  { 'v', 0x30c },  { 'G', 0x30f }, { 'f', 0x311 }, { 'd', 0x323 },
    { 'c', 0x327 },  { 'k', 0x328 },  { 'b', 0x331 },
};

uint32_t latex_accent(const char *name, size_t len)
{
    for (size_t i = 0; len == 1 && i < sizeof(accents) / sizeof(accents[0]); i++)
        if (accents[i].name == *name)
            return accents[i].mark;
    return 0;
}

struct spelling { const char *at; size_t len; };

static int compare(const void *wanted, const void *row)
{
    const struct spelling *name = wanted;
    const struct latex_command *command = row;
    int order = strncmp(name->at, command->name, name->len);
    return order ? order : -(command->name[name->len] != '\0');
}

const struct latex_command *latex_command(const char *name, size_t len)
{
    struct spelling wanted = { name, len };
    return bsearch(&wanted, latex_commands, latex_command_count, sizeof(latex_commands[0]),
                   compare);
}
