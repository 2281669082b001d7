// A process that changes several tasks at once, and kills itself with SIGKILL at the given step of it. A step is a change of
// a file or of what is on record, and the moment after it.
//   bulk-child.ts <job as JSON>
import fs, { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { BulkChange } from '../../src/tasks/shapes/change.ts';
import type { Actor } from '../../src/tasks/task-room.ts';

export interface BulkJob {
  dir: string;
  changes: BulkChange[];
  /** The request's key; absent for a person's. */
  request?: string;
  /** The step it dies at; null: it lives, and prints how many there were. */
  dieAt: number | null;
  /** Before that step somebody makes this file of the room unreadable. */
  spoil?: { at: number; path: string };
}

const job = JSON.parse(process.argv[2] ?? '{}') as BulkJob;
const SPOILED = 'labels: [nope';
let steps = 0;
let counts = false;

function step(): void {
  if (!counts) return;
  steps += 1;
  if (steps === job.spoil?.at) spoil(job.spoil.path);
  if (steps === job.dieAt) process.kill(process.pid, 'SIGKILL');
}

function spoil(path: string): void {
  counts = false;
  const saved = join(job.dir, 'tasks/.saving');
  writeFileSync(saved, readFileSync(join(job.dir, path), 'utf8').replace('\n', `\n${SPOILED}\n`));
  renameSync(saved, join(job.dir, path));
  counts = true;
}

/** The same function, with a step before and after it. */
function stepped<Args extends unknown[], Result>(act: (...args: Args) => Result): (...args: Args) => Result {
  return (...args) => {
    step();
    const result = act(...args);
    step();
    return result;
  };
}

for (const name of ['renameSync', 'linkSync', 'writeSync', 'rmSync', 'unlinkSync'] as const)
  Object.assign(fs, { [name]: stepped(fs[name] as (...args: unknown[]) => unknown) });
syncBuiltinESMExports();

// After that, so that they import the functions with their steps.
const { createNodeEffects } = await import('../../src/node.ts');
const { createGithubFactory } = await import('../../src/providers/github/github.ts');
const { openSyncProcess } = await import('../sync/sync-process.ts');

const room = openSyncProcess({
  dir: job.dir,
  effects: createNodeEffects({}),
  chores: [],
  factory: createGithubFactory(),
  probe: () => step(),
});
const { bulks } = room.deps.ledger;
for (const name of ['add', 'setState', 'finish', 'drop'] as const)
  Object.assign(bulks, { [name]: stepped(bulks[name] as (...args: unknown[]) => unknown) });
const actor: Actor =
  job.request === undefined
    ? { kind: 'person' }
    : { kind: 'assistant', client: 'crash', request: job.request };
counts = true;
let answer: unknown;
try {
  answer = (await room.tasks.call('bulk', { changes: job.changes }, actor)).tasks;
} catch (error) {
  answer = (error as { code?: string }).code ?? String(error);
}
counts = false;
process.stdout.write(JSON.stringify({ steps, answer }));
await room.close();
