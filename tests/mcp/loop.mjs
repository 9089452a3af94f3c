// A whole research, by an official client: node loop.mjs WEIR SDK ERA [URL]
// SDK is 1 or 2, ERA legacy or modern.  What there is to look at is in WEIR_TEST_TARGETS, and
// what else the program is told, over pipes, in WEIR_TEST_FLAGS.
import { check, end } from "./tap.mjs";

const [weir, sdk, era, url] = process.argv.slice(2);
const { WEIR_TEST_DATA: data, WEIR_TEST_TARGETS: said, WEIR_TEST_FLAGS: flags } = process.env;
const [first, ...rest] = JSON.parse(said);

async function connected() {
  const command = { command: weir, stderr: "inherit",
                    args: ["mcp", "--offline", "--set", `data=${data}`,
                           ...JSON.parse(flags ?? "[]")] };
  const about = { name: "test", version: "1" };
  let client, transport;
  if (sdk === "1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const pipes = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const http = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    client = new Client(about);
    transport = url ? new http.StreamableHTTPClientTransport(new URL(url))
                    : new pipes.StdioClientTransport(command);
  } else {
    const { Client, StreamableHTTPClientTransport } =
      await import("@modelcontextprotocol/client");
    const pipes = await import("@modelcontextprotocol/client/stdio");
    const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
    client = new Client(about, { versionNegotiation: { mode } });
    transport = url ? new StreamableHTTPClientTransport(new URL(url))
                    : new pipes.StdioClientTransport(command);
  }
  await client.connect(transport);
  return client;
}

const client = await connected();
const { tools } = await client.listTools();         // from now on it judges what they answer
const names = ["create_task", "queue_targets", "get_status", "await_task", "stop_task",
               "set_budget", "get_auth_queue", "resolve_auth", "feedback", "query_sql",
               "query_view", "list_views", "queue_reference_candidates"];
check("all tools of the queue are there, with both schemas", names.every((name) =>
  tools.some((tool) => tool.name === name && tool.inputSchema && tool.outputSchema)));

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  return result.structuredContent;
}

let asked = 0;

async function drained(task_id) {
  let status = await call("get_status", { task_id });
  for (asked = 1; asked < 200; asked += 1) {
    const phases = Object.values(status.progress.jobs_by_phase);
    if (phases.every((phase) => phase.queued + phase.running === 0)) return status;
    status = await call("get_status", { task_id, wait: 20, since: status.change });
  }
  throw new Error(`it never ends: ${JSON.stringify(status)}`);
}

const { task_id } = await call("create_task", {
  hypothesis: "Tidal turbines at Port Ellery supply 38 percent of the winter power",
  config: { budget: { max_pages: 20 } } });
check("a task is made", /^task_/.test(task_id));
const queued = await call("queue_targets", { task_id, targets: rest,
                                             options: { priority: "high" } });
check("targets are queued", queued.queued_count === rest.length && !queued.task_resumed);
const again = await call("queue_targets", { task_id, targets: [rest[0], rest[0]] });
check("... the same ones once", again.queued_count <= 1 && again.skipped_count >= 1);

const status = await drained(task_id);
check("they are looked at while somebody waits for changes",
  status.progress.searches.satisfied >= rest.length && status.metrics.total_claims > 0);
check("... of which not one is an error", status.error_count === 0);

const view = await call("query_view", { view_name: "v_claim_evidence_summary", task_id });
check("a view has the claims", view.rows.length > 0 && view.rows[0].claim_text.length > 0);
const { rows } = await call("query_sql", { sql: "select count(*) as n from pages p join "
  + "task_pages t on t.page_id = p.id where p.content_hash is not null and t.task_id = '"
  + `${task_id}'` });
check("a statement counts the pages", rows[0].n === rest.length);
const wrong = await client.callTool({ name: "query_sql", arguments: { sql: "drop table x" } });
check("... and one that writes is refused, with nothing structured",
  wrong.isError && wrong.structuredContent === undefined);
const report = await client.readResource({ uri: `weir://task/${task_id}` });
check("the report has what was found", report.contents[0].text.includes("## Claims")
  && rest.every((target) => report.contents[0].text.includes(target)));

const stopped = await call("stop_task", { task_id, reason: "session_completed" });
check("a task is stopped", stopped.final_status === "paused" && stopped.is_resumable);
const resumed = await call("queue_targets", { task_id, targets: [first] });
check("... and resumed by more targets", resumed.task_resumed && resumed.queued_count === 1);
const last = await drained(task_id);
check("... which are looked at", last.status === "exploring"
  && last.progress.searches.satisfied === status.progress.searches.satisfied + 1);
const awaited = await call("await_task", { task_id, wait: 20 });
check("... and nothing is left to wait for", awaited.status === "exploring"
  && awaited.progress.queue.depth === 0);

const unknown = await client.callTool({ name: "get_status", arguments: { task_id: "task_0" } });
check("a task that is not there is told the model", unknown.isError
  && JSON.parse(unknown.content[0].text).error_code === "TASK_NOT_FOUND");
await client.close();
end();
