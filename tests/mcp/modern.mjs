// The official client of the modern era, over pipes and over HTTP: node modern.mjs WEIR [URL]
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bibliography, check, end } from "./tap.mjs";

const [weir, url] = process.argv.slice(2);
const data = process.env.WEIR_TEST_DATA;
const client = new Client({ name: "test", version: "1" },
                          { versionNegotiation: { mode: { pin: "2026-07-28" } } });
await client.connect(url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command: weir, stderr: "inherit",
                               args: ["mcp", "--offline", "--set", `data=${data}`] }));

check(`over ${url ? "HTTP" : "pipes"} the modern client is served`,
  client.getServerVersion()?.name === "weir");

const { tools } = await client.listTools();
check("the tool is listed", tools[0].name === "check_references" && tools[0].outputSchema);

const result = await client.callTool({ name: "check_references",
                                       arguments: { text: bibliography } });
check("a bibliography is checked", result.structuredContent.report.references.length === 2);

const running = await client.callTool({ name: "check_references",
                                        arguments: { text: bibliography, wait: 0 } });
check("who does not wait is told an id",
  !running.isError && /^[0-9a-f]{32}$/.test(running.structuredContent.check_id));
const waited = await client.callTool({
  name: "check_references", arguments: { check_id: running.structuredContent.check_id } });
check("... and waits by it", waited.structuredContent.status === "complete");

const missing = await client.readResource({ uri: "weir://check/0" }).catch((error) => error);
check("a resource that is not there has the code of this era", missing.code === -32602);
await client.close();
end();
