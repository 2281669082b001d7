// Rooms in the temp folder, the same for the same seed: task files as people write them, with six lines of front
// matter and about 0.8 KB of body. All of them are removed when the process ends.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../test/support/random.ts';
import { paragraph, pick, sentence } from './words.ts';

export interface BenchRoom {
  dir: string;
  tasksDir: string;
  /** File names in `tasksDir`. */
  names: string[];
}

export interface RoomPlan {
  count: number;
  /** `resting`: nothing in it is due, ever. `todo`: every task is open. `paused`: open, and paused. */
  state: 'resting' | 'todo' | 'paused';
  /** More lines of room.yaml. */
  settings?: string;
  /** `command` of the default agent. */
  command?: string[];
}

const SEED = 20_261_120;
const LABELS = ['api', 'docs', 'web', 'infra', 'release', 'research'];
const PRIORITIES = ['high', 'medium', 'low'];
const ID_LETTERS = '0123456789abcdefghijkmnpqrstvwxyz';

const made = new Set<string>();
process.on('exit', removeAll);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** Writes a room; its files count as at rest a second later. */
export function createRoom(plan: RoomPlan): BenchRoom {
  const dir = mkdtempSync(join(tmpdir(), 'taskroom-bench-'));
  made.add(dir);
  const tasksDir = join(dir, 'tasks');
  mkdirSync(tasksDir);
  mkdirSync(join(dir, 'agents', 'bench'), { recursive: true });
  // Without a heartbeat: at the full hour it would wake what a bench wants asleep.
  const settings = `default_agent: bench\nheartbeat: off\n${plan.settings ?? ''}`;
  writeFileSync(join(dir, 'room.yaml'), settings);
  const agent = { runner: 'command', command: plan.command ?? ['true'], writes: false };
  writeFileSync(join(dir, 'agents', 'bench', 'agent.json'), JSON.stringify(agent));
  const random = createRandom(SEED);
  const names: string[] = [];
  for (let at = 0; at < plan.count; at += 1) {
    const name = `${sentence(random, 4)} ${String(at).padStart(6, '0')}.md`;
    writeFileSync(join(tasksDir, name), taskText(random, at, plan.state));
    names.push(name);
  }
  return { dir, tasksDir, names };
}

export function removeRoom(room: BenchRoom): void {
  rmSync(room.dir, { recursive: true, force: true });
  made.delete(room.dir);
}

function removeAll(): void {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
}

/** An id that depends on the number alone, so that a task can name an earlier one. */
function idOf(at: number): string {
  const random = createRandom(at + 1);
  const letters = Array.from({ length: 4 }, () => pick(random, [...ID_LETTERS])).join('');
  return (
    letters +
    at
      .toString(33)
      .padStart(4, '0')
      .replace(/./g, (digit) => ID_LETTERS[Number.parseInt(digit, 33)]!)
  );
}

function frontMatter(random: () => number, at: number, state: RoomPlan['state']): string {
  const done = state === 'resting' && random() < 0.4;
  const draft = state === 'resting' && !done && random() < 0.3;
  const last =
    at > 0 && random() < 0.1 && state === 'resting'
      ? `blocked_by: [${idOf(Math.floor(random() * at))}]`
      : `labels: [${pick(random, LABELS)}, ${pick(random, LABELS)}]`;
  return [
    '---',
    `id: ${idOf(at)}`,
    'requester: owner',
    `status: ${done ? 'done' : draft ? 'draft' : 'todo'}`,
    `paused: ${state === 'paused' || (state === 'resting' && !done && !draft)}`,
    `priority: ${pick(random, PRIORITIES)}`,
    last,
    '---',
  ].join('\n');
}

function taskText(random: () => number, at: number, state: RoomPlan['state']): string {
  const steps = Array.from(
    { length: 4 },
    (_, step) => `- [${step === 0 ? 'x' : ' '}] ${sentence(random, 5)}`,
  );
  return `${frontMatter(random, at, state)}

## Task
${paragraph(random, 5)}

## Steps
${steps.join('\n')}
      ${sentence(random, 8)}

## Notes
${paragraph(random, 3)}

## Progress
- 2026-11-19 14:05 ${sentence(random, 7)}.

## Outcome
`;
}
