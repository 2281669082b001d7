// Turns on workers while workers, the host and PostgreSQL are killed at random: `npm run test:workers -- SECONDS SEED`. Every task
// is done in the end, each by one recorded turn at a time; no two agents were ever at one task at once; no process is left.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Daemon } from '../e2e/daemon.ts';
import { processesOf } from '../e2e/room.ts';
import { createSite, type Site, type WorkerProcess } from '../e2e/workers.ts';
import { startPostgres } from '../support/postgres.ts';

const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 100_000);
const TASKS = 24;
const WORKERS = 3;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Small and repeatable (mulberry32). */
function createRandom(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Who is at a task holds its file; one that finds a living holder has found an overlap.
const AGENT = (dir: string) => `held='${dir}'/held-$TASKROOM_TASK
if [ -f "$held" ] && kill -0 "$(cat "$held")" 2>/dev/null; then echo "$TASKROOM_TASK" >> '${dir}/overlaps.log'; fi
echo $$ > "$held"
taskroom progress "turn $TASKROOM_TURN" > /dev/null
sleep 1
rm -f "$held"
taskroom done > /dev/null
`;

const postgres = await startPostgres();
const site: Site = await createSite(postgres);
const { room } = site;
room.settings(
  'default_agent: far',
  'settle: 50ms',
  'hold_above: 0',
  'max_attempts: 50',
  'limits:',
  '  total: 12',
  '  task: 12',
  'queue:',
  '  postgres: ROOM_QUEUE',
);
room.agent('far', { runner: 'command', command: ['/bin/sh', '-c', AGENT(room.dir)] });
let daemon: Daemon = await room.up('--port', '0');
await daemon.see('api.ready');
const { port } = new URL(site.url());
const random = createRandom(seed);
process.stdout.write(`seed ${seed}, ${seconds} s\n`);

const token = await site.token('all');
let count = 0;
const start = (): Promise<WorkerProcess> => {
  count += 1;
  return site.worker(`w${count}`, { token, args: ['--slots', '4'], url: `http://127.0.0.1:${port}` });
};
let workers = await Promise.all(Array.from({ length: WORKERS }, start));
for (let at = 0; at < TASKS; at += 1) room.save(`tasks/Task ${at}.md`, '---\nstatus: todo\n---\n\nWork.\n');

const faults = { worker: 0, host: 0, postgres: 0, edits: 0 };
const until = performance.now() + seconds * 1000;
while (performance.now() < until) {
  await sleep(500 + random() * 3000);
  const dice = random();
  if (dice < 0.4) {
    const [victim] = workers.splice(Math.trunc(random() * workers.length), 1);
    victim!.signal('SIGKILL');
    await victim!.ended;
    workers = [...workers, await start()];
    faults.worker += 1;
  } else if (dice < 0.6) {
    await daemon.kill();
    daemon = await room.up('--port', port);
    faults.host += 1;
  } else if (dice < 0.75) {
    await postgres.kill();
    await sleep(random() * 2000);
    await postgres.start();
    faults.postgres += 1;
  } else {
    // New work for a thread that has some, or had.
    const name = `tasks/Task ${Math.trunc(random() * TASKS)}.md`;
    room.edit(name, (text) => text.replace('status: done', 'status: todo').replace('Work.', 'Work. More.'));
    faults.edits += 1;
  }
}

const statusOf = (at: number) => /^status: (\w+)/m.exec(room.read(`tasks/Task ${at}.md`))?.[1];
const open = () => Array.from({ length: TASKS }, (_, at) => at).filter((at) => statusOf(at) !== 'done');
const patience = performance.now() + 90_000;
while (open().length > 0 && performance.now() < patience) await sleep(250);

const wrong: string[] = [];
for (const at of open()) wrong.push(`Task ${at} is not done:\n${room.read(`tasks/Task ${at}.md`)}`);
try {
  wrong.push(`two agents at once: ${readFileSync(join(room.dir, 'overlaps.log'), 'utf8')}`);
} catch {
  // None.
}
for (let at = 0; at < TASKS; at += 1) {
  const text = room.read(`tasks/Task ${at}.md`);
  const said = [...text.matchAll(/turn (r\w+)/g)].map(([, turn]) => turn);
  const twice = said.filter((turn, index) => said.indexOf(turn) !== index);
  // A turn that moved to another worker is begun there anew, and says so again; each saying is there once a worker.
  if (twice.length > 3) wrong.push(`Task ${at} was told the same too often: ${twice.join(' ')}`);
}
const turns: { state: string }[] = (await room.json('turns', '--limit', '1000')).turns;
const running = turns.filter(({ state }) => state === 'running');
if (running.length > 0) wrong.push(`turns on record as running: ${JSON.stringify(running)}`);
for (const worker of workers) {
  worker.signal('SIGTERM');
  if ((await worker.ended) !== 0) wrong.push(`worker ${worker.name} did not end well`);
}
const left = workers.flatMap((worker) => site.agentsOf(worker));
if (left.length > 0) wrong.push(`processes are left: ${left.join(' ')}`);
await site.close();
await postgres.close();
if (processesOf(room.dir).length > 0) wrong.push('processes of the room are left');
rmSync(room.dir, { recursive: true, force: true });
process.stdout.write(`${turns.length} turns, ${JSON.stringify(faults)}\n`);
for (const each of wrong) process.stdout.write(`✗ ${each}\n`);
process.exit(wrong.length === 0 ? 0 : 1);
