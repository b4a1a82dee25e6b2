// Drives a server with the TypeScript SDK, whose client knows the tasks of 2025-11-25, and prints what it saw as JSON.
//
//   node drive_tasks.mjs MODULES http URL
//   node drive_tasks.mjs MODULES stdio COMMAND...     (standard input: the server's environment as JSON)

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [modules, transportName, ...rest] = process.argv.slice(2);
const require = createRequire(join(modules, "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const types = require("@modelcontextprotocol/sdk/types.js");

const COUNT = (params) => ({ name: "run_agent", arguments: { agent: "counter", params } });

function transport() {
  if (transportName === "http") return new StreamableHTTPClientTransport(new URL(rest[0]));
  const env = JSON.parse(readFileSync(0, "utf8"));
  return new StdioClientTransport({ command: rest[0], args: rest.slice(1), env });
}

async function refusal(promise) {
  try {
    await promise;
    return null;
  } catch (error) {
    return error.code;
  }
}

// The stream of the SDK: the task, its states as it polls, its progress meanwhile, its result.
async function followed(client, params) {
  const seen = { statuses: [], progress: [] };
  const options = { task: {}, onprogress: ({ message }) => seen.progress.push(message) };
  const call = client.experimental.tasks.callToolStream(COUNT(params), types.CallToolResultSchema, options);
  for await (const message of call) {
    if (message.type === "taskCreated") seen.created = message.task;
    if (message.type === "taskStatus") seen.statuses.push(message.task.status);
    if (message.type === "result") seen.result = message.result;
    if (message.type === "error") seen.error = String(message.error);
  }
  return seen;
}

// Each method by itself: start, look, find it in the list, cancel, look again.
async function cancelled(client) {
  const tasks = client.experimental.tasks;
  const asked = { method: "tools/call", params: COUNT({ steps: 100, delay_s: 1 }) };
  const { task } = await client.request(asked, types.CreateTaskResultSchema, { task: { ttl: 60_000 } });
  const live = await tasks.getTask(task.taskId);
  const listed = (await tasks.listTasks()).tasks.map((one) => one.taskId);
  const ack = await tasks.cancelTask(task.taskId);
  const after = await tasks.getTask(task.taskId);
  return { id: task.taskId, ttl: task.ttl, live: live.status, listed, ack: ack.status, after: after.status };
}

async function drive() {
  const client = new Client({ name: "typescript-referee", version: "1" }, { capabilities: { elicitation: {} } });
  const pushed = [];
  const asked = [];
  client.setNotificationHandler(types.TaskStatusNotificationSchema, ({ params }) => {
    pushed.push([params.taskId, params.status]);
  });
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return { action: "accept", content: { go_on: true } };
  });
  await client.connect(transport());
  try {
    const { tools } = await client.listTools();
    const support = Object.fromEntries(tools.map((tool) => [tool.name, tool.execution?.taskSupport ?? null]));
    const followedRun = await followed(client, { steps: 4, delay_s: 0.4 });
    const again = await client.experimental.tasks.getTaskResult(followedRun.created.taskId, types.CallToolResultSchema);
    const asking = await followed(client, { steps: 2, delay_s: 0.1, ask_at: 1 });
    const cancelledRun = await cancelled(client);
    return {
      version: client.getServerVersion().name,
      capability: client.getServerCapabilities().tasks,
      support,
      followed: followedRun,
      again,
      asking,
      asked,
      cancelled: cancelledRun,
      refusals: {
        cancelTwice: await refusal(client.experimental.tasks.cancelTask(cancelledRun.id)),
        unknown: await refusal(client.experimental.tasks.getTask("unknown")),
        notOffered: await refusal(
          client.request(
            { method: "tools/call", params: { name: "list_agents", arguments: {} } },
            types.CreateTaskResultSchema,
            { task: {} },
          ),
        ),
      },
      pushed,
    };
  } finally {
    await client.close();
  }
}

process.stdout.write(JSON.stringify(await drive()));
