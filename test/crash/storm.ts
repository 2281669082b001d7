// A busy room whose daemon is killed at random moments, round after round, while turns run on and a person types.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type E2eRoom, until } from '../e2e/room.ts';
import { createRandom } from '../support/random.ts';
import type { Typed } from './typist.ts';

export interface StormOptions {
  room: E2eRoom;
  seed: number;
  rounds: number;
  /** Tasks at the start; some more come each round. */
  tasks: number;
  say(line: string): void;
}

export interface StormEnd {
  typed: Typed[];
  /** Names of the tasks whose agent never succeeds. */
  failing: Set<string>;
  kills: number;
}

// Each turn marks its start and its end with the code it is about to exit with.
const AGENT = `mark() { echo "$1 $TASKROOM_TURN $2" >> "$AGENT_ROOM/agent.log"; }
mark start
sleep "$1"
[ "$2" = 0 ] && taskroom done > /dev/null
mark end "$2"
exit "$2"
`;
const LONGEST_LIFE_MS = 1_600;

/** Runs the storm, then one daemon that may finish in peace. */
export async function runStorm(options: StormOptions): Promise<StormEnd> {
  const { room, seed, rounds, say } = options;
  const random = createRandom(seed);
  const failing = new Set<string>();
  let count = 0;
  const more = (tasks: number) => {
    for (let at = 0; at < tasks; at += 1, count += 1) addTask(room, `Task ${count}`, random, failing);
  };
  prepare(room);
  more(options.tasks);
  const typist = startTypist(room, seed);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const lifeMs = random() ** 2 * LONGEST_LIFE_MS;
      const daemon = room.start();
      await new Promise((resolve) => setTimeout(resolve, lifeMs));
      await daemon.kill();
      const bugs = daemon.stderr();
      if (bugs !== '') throw new Error(`round ${round}: ${bugs}`);
      const trouble = daemon.all('room.trouble');
      if (trouble.length > 0) throw new Error(`round ${round}: ${JSON.stringify(trouble)}`);
      if (round % 10 === 9) say(`${round + 1} of ${rounds} rounds, ${count} tasks`);
      if (random() < 0.7) more(1 + Math.floor(random() * 3));
    }
  } finally {
    await typist.stop();
  }
  await finishInPeace(room);
  return { typed: typist.typed, failing, kills: rounds };
}

function prepare(room: E2eRoom): void {
  room.settings(
    ...['default_agent: runbook', 'settle: 50ms', 'max_attempts: 2', 'hold_above: 0', 'limits:'],
    ...['  total: 5', '  task: 5'],
  );
  room.save('agents/agent.sh', AGENT);
  const waits = ['0.05', '0.2', '0.4', '0.8'];
  for (const wait of waits) {
    const name = `w${wait.replace('.', '')}`;
    room.agent(name, { command: ['/bin/sh', 'agents/agent.sh', wait, '0'], writes: false });
  }
  room.agent('failing', { command: ['/bin/sh', 'agents/agent.sh', '0.1', '3'], writes: false });
}

function addTask(room: E2eRoom, name: string, random: () => number, failing: Set<string>): void {
  const kinds = ['w005', 'w02', 'w04', 'w08', 'runbook', 'runbook', 'failing', 'none'] as const;
  const kind = kinds[Math.floor(random() * kinds.length)]!;
  if (kind === 'failing') failing.add(name);
  const block = (words: string) => `\`\`\`sh run\n${words}\n\`\`\`\n\n`;
  const script = `${block('echo "start $TASKROOM_TURN" >> "$AGENT_ROOM/agent.log"')}${block('sleep 0.1\necho "end $TASKROOM_TURN 0" >> "$AGENT_ROOM/agent.log"')}`;
  const runbook = kind === 'runbook' || kind === 'none';
  // One kind has no front matter at all: it gets its id from whoever sees it first.
  const head = kind === 'none' ? '' : `---\nowner: ${kind}\nstatus: todo # by hand\n---\n`;
  const steps = kind === 'runbook' ? '## Steps\n- [ ] one\n- [ ] two\n\n' : '';
  room.save(
    `tasks/${name}.md`,
    `${head}## Task\n${name}\n\n${runbook ? script : ''}${steps}## Notes\n\n## Progress\n\n## Outcome\n`,
  );
}

function startTypist(room: E2eRoom, seed: number) {
  const typed: Typed[] = [];
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'typist.ts'), room.at('tasks'), String(seed)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    typed,
    async stop() {
      child.stdin.end();
      const code = await ended;
      if (code !== 0) throw new Error(`the typist ended with ${code}`);
      typed.push(
        ...output
          .trim()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Typed),
      );
    },
  };
}

/** Retries need not wait for their time here: each round of them is made due at once. */
async function finishInPeace(room: E2eRoom): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    const daemon = room.start('--exit-when-idle');
    await daemon.see('room.ready');
    await until(
      'nothing runs or waits to run',
      () => daemon.all('room.idle').length > 0 || idleButRetries(room),
    );
    await room.json('stop');
    const bugs = daemon.all('room.trouble');
    if (bugs.length > 0) throw new Error(JSON.stringify(bugs));
    const [{ left }] = room.sql('SELECT count(*) AS left FROM tasks WHERE retry_at IS NOT NULL') as [
      { left: number },
    ];
    if (left === 0) return;
    room.sql('UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL');
  }
  throw new Error('retries without end');
}

/** A file without an id is on record only once it has one, and that comes after `room.ready`. */
function idleButRetries(room: E2eRoom): boolean {
  const [{ known, busy }] = room.sql(
    `SELECT (SELECT count(*) FROM tasks WHERE path IS NOT NULL) AS known,
      (SELECT count(*) FROM requests) + (SELECT count(*) FROM turns WHERE state = 'running') + (SELECT count(*) FROM tasks WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND NOT paused AND retry_at IS NULL) AS busy`,
  ) as [{ known: number; busy: number }];
  const files = readdirSync(room.at('tasks')).filter((name) => name.endsWith('.md') && !name.startsWith('.'));
  return known === files.length && busy === 0;
}
