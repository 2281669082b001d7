// `taskroom list --json` against a Node that does nothing: what a script or a prompt pays to see the room.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from './daemon.ts';
import { type Bench, byTurns, median, showCount, showMs } from './figures.ts';
import { prepareLedger } from './open-room.ts';
import { pacedBound } from './pace.ts';
import { createRoom, removeRoom } from './room-files.ts';

const LIMIT_MS = 220;
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

export const list: Bench = {
  name: 'list',
  how: `Wall time of \`node dist/bin/bin.cjs list --json\`, its output read through a pipe, minus that of \`node -e 0\` of the same Node, run by
turns; the ledger is there, no daemon runs, and the compile cache is filled, as after the first command. Difference of the medians.`,
  async run({ quick }) {
    const count = quick ? 1_000 : 10_000;
    const room = createRoom({ count, state: 'resting' });
    await sleep(1_200);
    await prepareLedger(room);
    const { first, second } = await byTurns(
      quick ? 3 : 21,
      () => runNode([PROGRAM, 'list', '--json', '--room', room.dir], count),
      () => runNode(['-e', '0'], null),
    );
    removeRoom(room);
    const value = median(first) - median(second);
    const bound = pacedBound(LIMIT_MS, second);
    return [
      {
        what: `list --json, ${showCount(count)} tasks`,
        ours: showMs(median(first)),
        peer: `node -e 0: ${showMs(median(second))}`,
        value: `+ ${showMs(value)}`,
        bound: `≤ ${LIMIT_MS} ms more${bound.shown}`,
        pass: quick ? null : value <= bound.limitMs,
      },
    ];
  },
};

function runNode(args: readonly string[], tasks: number | null): number {
  const startedAt = performance.now();
  const { status, stdout } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const ms = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  if (tasks !== null && (JSON.parse(stdout.toString('utf8')) as { tasks: unknown[] }).tasks.length !== tasks)
    throw new Error('the list is not whole');
  return ms;
}
