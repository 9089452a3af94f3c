// The official client of the legacy era, over pipes and over HTTP: node legacy.mjs WEIR [URL]
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { bibliography, check, end } from "./tap.mjs";

const [weir, url] = process.argv.slice(2);
const { WEIR_TEST_DATA: data, WEIR_TEST_NODE: node } = process.env;
const era = url ? "HTTP" : "pipes";
const client = new Client({ name: "test", version: "1" });
await client.connect(url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command: weir, stderr: "inherit",
                               args: ["mcp", "--offline", "--set", `data=${data}`] }));

check(`over ${era} the legacy client is greeted`, client.getServerVersion().name === "weir");
check("... and told how to use it", client.getInstructions().includes("check_references"));

const { tools } = await client.listTools();
check("the tool is listed with both schemas",
  tools[0].name === "check_references" && tools[0].outputSchema && tools[0].inputSchema);
check("a path may be named over pipes alone, to no node",
  ("path" in tools[0].inputSchema.properties) === !(url || node));

const told = [];
const result = await client.callTool(
  { name: "check_references", arguments: { text: bibliography } }, undefined,
  { onprogress: (progress) => told.push(progress) });
const { references, summary } = result.structuredContent.report;
check("a bibliography is checked, as the output schema has it",
  !result.isError && references.length === 2 && summary.total === 2);
check("a famous work is verified", references[0].verdict === "verified");
check("a template is seen through", references[1].flags.includes("placeholder_authors"));
check("the text is for people", result.content[0].text.includes("needs a look"));

const wrong = await client.callTool({ name: "check_references", arguments: { texts: "x" } });
check("what is wrong with arguments is told the model",
  wrong.isError && wrong.content[0].text.includes("there is no argument"));
check("... and has nothing structured", wrong.structuredContent === undefined);

const unknown = await client.callTool({ name: "no_such_tool" }).catch((error) => error);
check("an unknown tool is an error of the protocol", unknown.code === -32602);

const { prompts } = await client.listPrompts();
const about = prompts.find((one) => one.arguments.some((each) => each.name === "bibliography"));
const prompt = await client.getPrompt({ name: about.name,
                                        arguments: { bibliography: "[1] A work." } });
check("the prompt has the bibliography",
  prompt.messages[0].content.text.includes("[1] A work."));

const { resourceTemplates } = await client.listResourceTemplates();
const uri = resourceTemplates[0].uriTemplate.replace("{check_id}",
                                                     result.structuredContent.check_id);
const read = await client.readResource({ uri });
check("the report can be read again", JSON.parse(read.contents[0].text).version === 1);
const missing = await client.readResource({ uri: "weir://check/0" }).catch((error) => error);
check("one that is not there is said to be so", missing.code === -32002);

check("it still answers", JSON.stringify(await client.ping()) === "{}");
await client.close();
end();
