"""Valid entries written in other ways: venues abbreviated or expanded, initials, accents of
TeX, another case, fields left out, et al.  None of it is a mistake, so none may be alarmed."""
import json
import random
import re
import unicodedata

import command
from row import Row, data

SEED = 20260

EXPANDED = {
    "ICML": "International Conference on Machine Learning",
    "NeurIPS": "Advances in Neural Information Processing Systems",
    "ICLR": "International Conference on Learning Representations",
    "CVPR": "IEEE/CVF Conference on Computer Vision and Pattern Recognition",
    "AAAI": "AAAI Conference on Artificial Intelligence",
    "KDD": "ACM SIGKDD Conference on Knowledge Discovery and Data Mining",
    "SIGIR": "International ACM SIGIR Conference on Research and Development in Information "
             "Retrieval",
    "ACL": "Annual Meeting of the Association for Computational Linguistics",
    "ICCV": "IEEE/CVF International Conference on Computer Vision",
    "ECCV": "European Conference on Computer Vision",
    "Mach. Learn.": "Machine Learning",
    "J. Mach. Learn. Res.": "Journal of Machine Learning Research",
    "Trans. Mach. Learn. Res.": "Transactions on Machine Learning Research",
}
SHORT = {"International": "Int.", "Conference": "Conf.", "Proceedings": "Proc.",
         "Processing": "Process.", "Information": "Inf.", "Learning": "Learn.",
         "Machine": "Mach.", "Computational": "Comput.", "Systems": "Syst.",
         "Journal": "J.", "Research": "Res.", "Transactions": "Trans.", "Annual": "Annu."}
ACCENTS = {"\u0301": "'", "\u0300": "`", "\u0308": '"', "\u0302": "^", "\u0303": "~",
           "\u030c": "v", "\u0327": "c"}


def tex(text):
    """Accents as TeX writes them."""
    out = []
    for letter in text:
        parts = unicodedata.normalize("NFD", letter)
        if len(parts) == 2 and parts[1] in ACCENTS and parts[0] not in "ij":
            mark = ACCENTS[parts[1]]
            out.append(f"{{\\{mark}{{{parts[0]}}}}}")
        else:
            out.append(letter)
    return "".join(out)


def names(fields, chance):
    people = [name for name in fields["author"].split(" and ")]
    if chance.random() < 0.5:
        people = [re.sub(r"(\S)\S*\s+(?=\S)", r"\1. ", name) for name in people]
    if chance.random() < 0.3:
        people = [f"{name.split()[-1]}, {' '.join(name.split()[:-1])}" if " " in name else name
                  for name in people]
    if len(people) > 2 and chance.random() < 0.4:
        people = people[:chance.choice([1, 2])] + ["others"]
    return " and ".join(people)


def venue(name, year, chance):
    full = EXPANDED.get(name, name)
    way = chance.randrange(4)
    if way == 0:
        return name
    if way == 1:
        return full
    if way == 2:
        return " ".join(SHORT.get(word, word) for word in full.split())
    return f"Proceedings of the {chance.randrange(4, 39)}th {full}, {year}"


def perturbed(fields, chance):
    fields = dict(fields)
    fields["author"] = names(fields, chance)
    for place in ("booktitle", "journal"):
        if place in fields:
            fields[place] = venue(fields[place], fields["year"], chance)
    if chance.random() < 0.3:
        fields["title"] = chance.choice([str.lower, str.upper, str.title])(fields["title"])
    if chance.random() < 0.5:
        fields = {name: tex(value) if name in ("author", "title") else value
                  for name, value in fields.items()}
    for name in ("doi", "url", "year", "booktitle", "journal"):
        if name in fields and chance.random() < 0.2:
            del fields[name]
    return fields


def rows():
    library = command.library("jsonl", data("hallmark", "library.jsonl"), "hallmark")
    chance = random.Random(SEED)
    lines = data("hallmark", "dev.jsonl").read_text().splitlines()
    valid = [entry for entry in map(json.loads, lines) if entry["label"] == "VALID"]
    text = command.bibtex((f"{entry['key']}x{turn}", entry["type"],
                           perturbed(entry["fields"], chance))
                          for turn in range(4) for entry in valid)
    said = command.check(text, ".bib", library)
    alarms = sum(map(command.detected, said)) / max(1, len(said))
    yield Row(f"valid entries perturbed: false alarms of {len(said)}", f"{alarms:.4f}",
              "<= 0.03", "0.01", alarms <= 0.03 and len(said) == 4 * len(valid))
