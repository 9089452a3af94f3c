// Tasks and questions of the legacy era, with its official client: node tasks.mjs FIXTURES [URL]
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema, ResourceUpdatedNotificationSchema }
  from "@modelcontextprotocol/sdk/types.js";
import { check, end } from "./tap.mjs";

const [fixtures, url] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" },
                          { capabilities: { elicitation: {}, tasks: {} } });
client.setRequestHandler(ElicitRequestSchema,
  async () => ({ action: "accept", content: { name: "Ada", confirm: "yes" } }));
await client.connect(url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command: fixtures, args: ["stdio"], stderr: "inherit" }));

await client.listTools();
const { tasks } = client.experimental;

async function run(name, args = {}) {
  const seen = [];
  const stream = tasks.callToolStream({ name, arguments: args }, CallToolResultSchema,
                                      { task: { ttl: 60000 } });
  for await (const message of stream) seen.push(message);
  return { kinds: seen.map((message) => message.type), last: seen.at(-1),
           task: seen.find((message) => message.type === "taskCreated")?.task };
}

const slow = await run("slow_compute", { seconds: 1 });
check("a call becomes a task that is followed to its result",
  slow.kinds[0] === "taskCreated" && slow.kinds.at(-1) === "result"
  && slow.last.result.content[0].text === "It has been computed.");
check("... and is kept as long as was asked", slow.task.ttl === 60000);

const known = await tasks.getTask(slow.task.taskId);
check("a task that has ended can be asked for", known.status === "completed");
const { tasks: list } = await tasks.listTasks();
check("... and is listed", list.some((task) => task.taskId === slow.task.taskId));

const failed = await run("failing_job");
check("one that fails says so", failed.last.type === "error"
  || failed.last.result?.isError === true);

const asked = await run("confirm_delete", { filename: "x" });
check("one that needs to know something asks for it",
  asked.last.type === "result" && asked.last.result.content[0].text === "It is deleted.");

const long = tasks.callToolStream({ name: "slow_compute", arguments: { seconds: 60 } },
                                  CallToolResultSchema, { task: { ttl: 60000 } });
const { value: created } = await long.next();
const canceled = await tasks.cancelTask(created.task.taskId);
check("one can be canceled", canceled.status === "cancelled");
await long.return?.();

const updated = new Promise((resolve) => client.setNotificationHandler(
  ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)));
await client.subscribeResource({ uri: "test://watched-resource" });
await new Promise((resolve) => setTimeout(resolve, 200));     // the stream of GET comes up
await client.callTool({ name: "touch" });
check("what was subscribed to is told of", await updated === "test://watched-resource");

await client.close();
end();
