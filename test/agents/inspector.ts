// `taskroom mcp` as the MCP Inspector sees it: a client of others, which judges what a server says by the protocol's schemas.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRoom, type E2eRoom, PROGRAM } from '../e2e/room.ts';
import { CACHE, installInspector } from './programs.ts';

const PATIENCE_MS = 60_000;

interface Answer {
  code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by who asked
  told: any;
  stderr: string;
}

type Ask = (...args: string[]) => Answer;

type Proof = { name: string; prove(room: E2eRoom, ask: Ask): void };

export const INSPECTIONS: readonly Proof[] = [
  { name: 'lists tools whose schemas are portable', prove: listsTools },
  { name: 'carries out calls, and refuses by tool errors', prove: callsTools },
  { name: 'reads resources', prove: readsResources },
  { name: 'gets the prompt', prove: getsPrompt },
];

/** Calls `take` with each proof and the room it is to be tried in. Throws where the inspector can't be installed. */
export async function withInspector(take: (prove: () => void, name: string) => Promise<void>): Promise<void> {
  const inspector = installInspector();
  const home = mkdtempSync(join(CACHE, 'inspector-'));
  const room = await createRoom(home);
  room.save('tasks/One.md', '---\nid: one11111\nstatus: draft\n---\n## Task\nDo it.\n');
  const ask: Ask = (...args) => {
    const words = [inspector, '--cli', process.execPath, PROGRAM, 'mcp', '--room', room.dir, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      encoding: 'utf8',
      env: { ...process.env, HOME: home },
      timeout: PATIENCE_MS,
    });
    return { code: status, told: stdout.startsWith('{') ? JSON.parse(stdout) : stdout, stderr };
  };
  try {
    for (const { name, prove } of INSPECTIONS) await take(() => prove(room, ask), name);
  } finally {
    await room.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function listsTools(_room: E2eRoom, ask: Ask): void {
  const { code, told, stderr } = ask('--method', 'tools/list', '--strict');
  assert.equal(code, 0, stderr);
  const names = told.tools.map(({ name }: { name: string }) => name);
  for (const name of ['get_task', 'list_tasks', 'create_task', 'update_task', 'complete_task'])
    assert.ok(names.includes(name), `no ${name} among ${names.join(', ')}`);
}

function callsTools(room: E2eRoom, ask: Ask): void {
  const call = (tool: string, ...args: string[]) =>
    ask('--method', 'tools/call', '--tool-name', tool, ...(args.length > 0 ? ['--tool-arg', ...args] : []));
  const wrote = call('update_task', 'id=One', 'progress=Seen by the inspector.');
  assert.equal(wrote.code, 0, wrote.stderr);
  assert.match(room.read('tasks/One.md'), /Seen by the inspector\./);
  const listed = call('list_tasks');
  assert.match(JSON.stringify(listed.told), /one11111/, listed.stderr);
  const refused = call('get_task', 'id=nowhere');
  assert.equal(refused.told.isError ?? /isError/.test(refused.stderr), true, refused.stderr);
  assert.match(JSON.stringify(refused.told), /not_found: no task/);
}

function readsResources(_room: E2eRoom, ask: Ask): void {
  const { told } = ask('--method', 'resources/list');
  const { uri } = told.resources[0];
  assert.equal(uri, 'taskroom://task/one11111');
  const templates = ask('--method', 'resources/templates/list').told.resourceTemplates;
  assert.deepEqual(
    templates.map(({ name }: { name: string }) => name),
    ['task', 'context', 'turn'],
  );
  assert.match(ask('--method', 'resources/read', '--uri', uri).told.contents[0].text, /Do it\./);
  const context = ask('--method', 'resources/read', '--uri', 'taskroom://context/one11111');
  assert.equal(JSON.parse(context.told.contents[0].text).task.name, 'One');
}

function getsPrompt(_room: E2eRoom, ask: Ask): void {
  const [prompt] = ask('--method', 'prompts/list').told.prompts;
  assert.equal(prompt.name, 'work_on_task');
  assert.equal(prompt.arguments[0].required, true);
  const got = ask('--method', 'prompts/get', '--prompt-name', prompt.name, '--prompt-args', 'task=One');
  assert.match(got.told.messages[0].content.text, /You take one turn on one task/, got.stderr);
}
