// The official client, on the `taskroom mcp` of a room or of a turn.
import { Client, type ClientOptions, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PROGRAM } from './room.ts';

export type McpClient = Awaited<ReturnType<typeof openMcp>>;

export interface McpStart {
  /** The program and its words; the built one on the room when absent. */
  command?: string;
  args?: string[];
  name?: string;
  env?: Record<string, string>;
  client?: ClientOptions;
  /** What its person does with a form. */
  onElicit?(params: unknown): ElicitResult;
}

/** @param dir the room */
export async function openMcp(dir: string, start: McpStart = {}) {
  const { command, args = [], name = 'Some Client', env = {} } = start;
  const words = command === undefined ? [PROGRAM, 'mcp', '--room', dir, ...args] : args;
  const transport = new StdioClientTransport({
    command: command ?? process.execPath,
    args: words,
    env,
    stderr: 'pipe',
  });
  let printed = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    printed += chunk;
  });
  const client = new Client({ name, version: '1.0.0' }, start.client);
  const { onElicit } = start;
  if (onElicit) client.setRequestHandler('elicitation/create', async ({ params }) => onElicit(params));
  await client.connect(transport);
  return {
    client,
    pid: () => transport.pid!,
    /** What a tool answers; `isError` answers begin with `ERROR `. */
    async call(tool: string, input?: Record<string, unknown>) {
      const answer = await client.callTool({
        name: tool,
        ...(input === undefined ? {} : { arguments: input }),
      });
      const [first] = answer.content as { type: string; text: string }[];
      return `${answer.isError ? 'ERROR ' : ''}${first!.text}`;
    },
    /** What it printed on standard error. */
    errors: () => printed,
    close: () => client.close(),
  };
}
