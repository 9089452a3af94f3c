"""Models that somebody serves: vectors to search by, judgements that are theirs, and what is
said when they fail."""
import models
from case import case, expect, require
from lab import Lab, Task, open_jobs

CLAIM = "Tidal turbines at Port Ellery supply 38 percent of the winter power of the town."
SAYING = ("town", "press", "record", "critic")
EMBEDDING, NLI = "hash-64", "hash-nli"


def node_with(lab, served):
    return lab.node("--queue-embedding-url", served.url, "--queue-embedding-model", EMBEDDING,
                    "--queue-nli-url", served.url, "--queue-nli-model", NLI,
                    env={"WEIR_QUEUE_EMBEDDING_KEY": "of vectors",
                         "WEIR_QUEUE_NLI_KEY": "of judgements"})


def explore(lab, node, *names):
    task = Task(node, CLAIM)
    task.queue([f"{lab.site.bases[name]}/topic/tidal" for name in names])
    # what makes vectors is of no phase, but is waited for
    return task, task.until(lambda status: not open_jobs(status) and
                            status["milestones"]["nli_verification_done"], full=True)


def errors(status):
    """By code: what was said."""
    return {error["error_code"]: error["message"] for error in status["errors"]}


def search(node, **how):
    return node.tool("vector_search", query="winter power of the town by tidal turbines", **how)


@case("with models that somebody serves claims are searched by meaning, and judged by them")
def models_help(program):
    with models.Models() as served, Lab(program) as lab, node_with(lab, served) as node:
        task, status = explore(lab, node, *SAYING)
        expect(status["errors"], [])
        found = search(node, target="claims", task_id=task.id)
        expect((found["ok"], found["model"]), (True, EMBEDDING))
        require(found["results"] and found["results"][0]["text_preview"] == CLAIM, str(found))
        likeness = [one["similarity"] for one in found["results"]]
        expect(likeness, sorted(likeness, reverse=True))
        count, = node.rows("select count(*) as n from claims", "n")
        expect(found["total_searched"], count[0])
        pages = search(node, target="fragments", task_id=task.id, top_k=3)
        require(pages["results"][0]["url"].endswith("/topic/tidal"), str(pages))
        judges = {name for name, in node.rows(
            "select distinct nli_model from edges where relation in ('supports', 'refutes')")}
        expect(judges, {NLI})
        keys = {(path, key) for path, key, _ in served.log}
        expect(keys, {("/v1/embeddings", "Bearer of vectors"),
                      ("/predict", "Bearer of judgements")})
        require(max(count for _, _, count in served.log) <= 32, "too many at once")


@case("models that fail, change or are none are told as such, and pages are read all the same")
def models_fail(program):
    with models.Models() as served, Lab(program) as lab, node_with(lab, served) as node:
        served.predict = models.mislabel
        _, status = explore(lab, node, "town", "press")
        expect(status["progress"]["searches"]["satisfied"], 2)
        said = errors(status)
        expect(set(said), {"NLI_FAILED"})
        require(served.url in said["NLI_FAILED"] and "must serve a model for inference"
                in said["NLI_FAILED"], str(said))
        served.embed = models.shorter
        answer = search(node, target="claims")
        expect((answer["ok"], answer["error_code"]), (False, "EMBEDDING_FAILED"))
        require("vectors of 32 numbers, and of 64 before" in answer["error"], str(answer))
        served.embed, served.predict = models.fail, models.predict
        task, status = explore(lab, node, "record", "critic")
        expect(status["progress"]["searches"]["satisfied"], 2)
        said = errors(status)
        expect(set(said), {"EMBEDDING_FAILED"})
        require(served.url in said["EMBEDDING_FAILED"], str(said))
        answer = search(node, target="claims", task_id=task.id)
        expect(answer["ok"], False)
        judged = node.rows("select count(*) as n from edges where nli_model = 'hash-nli'", "n")
        require(judged[0][0] > 0, "who has no vectors is not judged")
