// A room with something of everything that the board shows, run by a real daemon: tasks in every state, agents that work,
// ask and say nothing, a tracker with a conflict. The tests and the pictures of the docs look at the same one.
import { chmodSync } from 'node:fs';
import { createMirrorRoom, type MirrorRoom } from '../e2e/mirror-room.ts';

export type BoardRoom = Awaited<ReturnType<typeof createBoardRoom>>;

/** What an agent's program prints is what the preset `claude` prints; what it does is in scripts/NAME.sh of the room. */
const AGENT = `#!/bin/sh
name=$(sed -n 's/^ *"name": "\\(.*\\)",*$/\\1/p' "$TASKROOM_CONTEXT" | head -n 1)
say() { printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\\n' "$1"; }
tool() { printf '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"%s","name":"%s","input":{"%s":"%s"}}]}}\\n' "$1" "$2" "$3" "$4"; }
result() { printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%s","content":"%s"}]}}\\n' "$1" "$2"; }
hold() { while [ ! -e "$AGENT_ROOM/released/$name" ]; do sleep 0.1; done; }
used() { printf '{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":%s,"output_tokens":%s},"total_cost_usd":%s}\\n' "$1" "$2" "$3"; }
if [ "$1" = "--version" ]; then echo "2.1.0 (Claude Code)"; exit 0; fi
printf '{"type":"system","subtype":"init","session_id":"5f0c9f1e-0000-4000-8000-000000000001"}\\n'
if [ -e "$AGENT_ROOM/scripts/$name.sh" ]; then . "$AGENT_ROOM/scripts/$name.sh"; fi
`;

const WORDS = {
  working: `say 'I read the handler first.'
tool t1 Read file_path src/orders/handler.ts
result t1 'export async function takeOrder(request) {\\\\n  const order = parse(request);\\\\n  await store.put(order);\\\\n}'
say 'A retry may put the same order twice. I give each order a key of its own and let the store refuse the second.'
tool t2 Bash command 'npm test -- orders'
result t2 '14 passed, 0 failed'
hold
taskroom progress "$TASKROOM_TASK" 'Orders have a key; a repeat is refused.'
taskroom done "$TASKROOM_TASK" --outcome 'A repeated order is refused.'
used 48210 3120 0.41
`,
  asking: `if [ -e "$AGENT_ROOM/asked" ]; then taskroom progress "$TASKROOM_TASK" 'Now I know.'; exit 0; fi
: > "$AGENT_ROOM/asked"
say 'Two shapes would do; the choice is not mine.'
taskroom ask "$TASKROOM_TASK" 'Should the export be CSV or JSON? The old clients read CSV only.'
used 9120 640 0.07
`,
  silent: `say 'The page looks fine to me.'
used 3020 180 0.02
`,
  failing: `say 'I try to reach the staging database.'
tool t1 Bash command 'psql -h staging -c "select 1"'
result t1 'could not connect to server: Connection refused'
echo 'psql: connection refused by staging:5432'
exit 3
`,
  finishing: `say 'Done in one go.'
taskroom done "$TASKROOM_TASK" --outcome 'Finished.'
used 6100 410 0.05
`,
};

export async function createBoardRoom() {
  const mirror = await createMirrorRoom();
  const { room } = mirror;
  prepareAgents(mirror);
  prepareTasks(mirror);
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const url = () => String(JSON.parse(room.read('.taskroom/api.json')).url);
  const token = () => room.read('.taskroom/token').trim();
  return {
    mirror,
    daemon,
    url,
    token,
    /** Ends the turn on this task. */
    release: (name: string) => room.save(`released/${name}`, ''),
    /** A link that opens the board once. */
    async link() {
      const response = await fetch(`${url()}/api/links`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token()}` },
      });
      return ((await response.json()) as { url: string }).url;
    },
    close: () => mirror.close(),
  };
}

function prepareAgents({ room }: MirrorRoom): void {
  room.settings(
    ...['default_agent: claude', 'settle: 50ms', 'max_attempts: 2', 'limits:', '  total: 4', '  task: 4'],
    ...['providers:', '  json-file: ./json-file.mjs'],
  );
  room.save('programs/claude', AGENT);
  chmodSync(room.at('programs/claude'), 0o755);
  Object.assign(room.daemonEnv, { PATH: `${room.at('programs')}:${process.env.PATH}` });
  const preset = { runner: 'command', preset: 'claude', permissions: 'run', tools: 'commands' };
  room.agent('claude', { ...preset, name: 'Claude', limit: 3, budget: { turns: 40, cost: 10 } });
  room.agent('reviewer', { ...preset, name: 'Reviewer', access: 'readonly', budget: { turns: 20 } });
}

function task(lines: readonly string[], body: string): string {
  return ['---', ...lines, '---', '', '## Task', body, ''].join('\n');
}

function prepareTasks({ room }: MirrorRoom): void {
  // What comes from the tracker is looked at, and not finished.
  room.save('scripts/Login fails on the phone (issues#1).sh', WORDS.silent);
  const put = (name: string, lines: readonly string[], body: string, script?: string) => {
    if (script !== undefined) room.save(`scripts/${name}.sh`, script);
    room.save(`tasks/${name}.md`, task(lines, body));
  };
  put(
    'Refuse repeated orders',
    ['status: todo', 'priority: high', 'labels: [api, orders]', 'active_form: Refusing repeated orders'],
    `A client that retries must not order **twice**.

1. Give every order a key.
2. Let the store refuse the second.

See the [notes on idempotency](https://example.com/notes) and \`src/orders/handler.ts\`.

## Steps
- [x] Read the handler
- [ ] Give orders a key
- [ ] Test a repeat`,
    WORDS.working,
  );
  put('Choose the export format', ['status: todo', 'labels: [export]'], 'Export all orders.', WORDS.asking);
  put('Look over the start page', ['status: todo', 'owner: reviewer'], 'Is it clear?', WORDS.silent);
  put('Move the staging database', ['status: todo', 'priority: high'], 'To the new host.', WORDS.failing);
  put('Tidy the changelog', ['status: todo'], 'Sort it by version.', WORDS.finishing);
  put('Answer the security report', ['status: todo', 'paused: true', 'priority: high'], 'Within 30 days.');
  put(
    'Write the release notes',
    ['status: todo', 'blocked_by: [Refuse repeated orders]', 'labels: [docs]', 'sprint: "2026-47"'],
    'What is new, in ten lines.',
  );
  put('Plan the next sprint', ['status: draft', 'sprint: "2026-48"'], 'What comes next?');
  put('Rename the billing module', ['status: done'], 'To `invoices`.');
  put('Support the old browser', ['status: canceled'], 'Nobody uses it.');
}

/** A conflict of a title and a body, made on both sides. */
export async function makeConflict({ mirror }: Pick<BoardRoom, 'mirror'>): Promise<void> {
  const { room } = mirror;
  const number = mirror.open('Login fails on the phone', {
    body: 'It says *wrong password*, though it is right.',
  });
  await room.ok('sync', 'web');
  const path = await pathOf(room, 'Login fails on the phone');
  room.edit(String(path), (text) =>
    text.replace('It says *wrong password*, though it is right.', 'Phones only; the desktop is fine.'),
  );
  mirror.change(number, (issue) => {
    issue.body = 'It says *wrong password* on every phone since Monday.';
  });
  await room.ok('sync', 'web');
}

/** Of the task with this title, whatever its file is called. */
async function pathOf(room: MirrorRoom['room'], title: string): Promise<string> {
  const { tasks } = (await room.json('list')) as { tasks: { title: string | null; path: string }[] };
  const task = tasks.find((each) => each.title === title);
  if (task === undefined) throw new Error(`no task has the title ${title}`);
  return task.path;
}
