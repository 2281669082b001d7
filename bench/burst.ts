// A storm of edits on a running daemon: whatever the watcher drops, every file's last text is observed in the end.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTask } from '../src/core/task/read-task.ts';
import { createRandom } from '../test/support/random.ts';
import { startDaemon } from './daemon.ts';
import { type Bench, type Figure, showCount, showMs } from './figures.ts';
import { prepareLedger } from './open-room.ts';
import { type BenchRoom, createRoom, removeRoom } from './room-files.ts';

// Three times the longest time between two sweeps of a room of this size.
const LIMIT_MS = 120_000;
// So many of the edited tasks are open: their turns are counted too.
const OPEN = 50;

export const burst: Bench = {
  name: 'burst',
  how: `A daemon with \`settle: 0\` and \`hold_above: 0\` on 10,000 tasks; one process makes 5,000 edits as fast as it can, by rename and in place, some
files more than once. Then every edited file is read and compared with the ledger: its last text observed, and for the 50 of them
that are not paused a turn completed with that revision. What is missing after 120 s is lost.`,
  async run({ quick, note }) {
    const count = quick ? 500 : 10_000;
    const edits = quick ? 250 : 5_000;
    const room = createRoom({ count, state: 'paused', settings: 'settle: 0\nhold_above: 0\n' });
    for (const name of room.names.slice(0, OPEN)) unpause(join(room.tasksDir, name));
    await sleep(1_200);
    await prepareLedger(room);
    const daemon = await startDaemon(room);
    try {
      const startedAt = performance.now();
      const edited = storm(room, edits);
      const stormMs = performance.now() - startedAt;
      note(`burst: ${edits} edits in ${showMs(stormMs)}`);
      const lost = await waitForAll(room, edited);
      const tookMs = performance.now() - startedAt;
      return [toFigure(edits, edited.size, lost, stormMs, tookMs)];
    } finally {
      await daemon.stop();
      removeRoom(room);
    }
  },
};

function toFigure(edits: number, files: number, lost: string[], stormMs: number, tookMs: number): Figure {
  return {
    what: `burst of ${showCount(edits)} edits to ${showCount(files)} files`,
    ours: `written in ${showMs(stormMs)}, all observed after ${showMs(tookMs)}`,
    peer: '',
    value: `${lost.length} lost${lost.length > 0 ? ` (${lost[0]})` : ''}`,
    bound: '0 lost',
    pass: lost.length === 0,
  };
}

function unpause(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace('paused: true', 'paused: false'));
}

/** @returns the names of the files that were edited */
function storm({ tasksDir, names }: BenchRoom, edits: number): Set<string> {
  const random = createRandom(11);
  const edited = new Set<string>();
  for (let edit = 0; edit < edits; edit += 1) {
    // The open ones first; of the others some come up again and again.
    const name = names[edit < OPEN ? edit : OPEN + Math.floor(random() * (names.length - OPEN))]!;
    const path = join(tasksDir, name);
    const text = readFileSync(path, 'utf8').replace(
      '\n## Progress\n',
      `A note, number ${edit}.\n\n## Progress\n`,
    );
    if (edit % 2 === 0) writeFileSync(path, text);
    else {
      writeFileSync(`${path}.tmp`, text);
      renameSync(`${path}.tmp`, path);
    }
    edited.add(name);
  }
  return edited;
}

async function waitForAll(room: BenchRoom, edited: ReadonlySet<string>): Promise<string[]> {
  const ledger = new DatabaseSync(join(room.dir, '.taskroom', 'ledger.db'), {
    readOnly: true,
    timeout: 10_000,
  });
  const deadline = performance.now() + LIMIT_MS;
  let missing = [...edited];
  while (missing.length > 0 && performance.now() < deadline) {
    await sleep(100);
    missing = missing.filter((name) => !isTakenIn(ledger, room, name));
  }
  // Looked at once more, all of them, now that nothing moves any more.
  const lost = [...edited].filter((name) => !isTakenIn(ledger, room, name));
  ledger.close();
  const files = readdirSync(room.tasksDir).length;
  if (files !== room.names.length) throw new Error(`${files} files instead of ${room.names.length}`);
  return lost;
}

function isTakenIn(ledger: DatabaseSync, { tasksDir }: BenchRoom, name: string): boolean {
  const path = `tasks/${name}`;
  const reading = readTask(path, readFileSync(join(tasksDir, name), 'utf8'), null);
  if (!reading.ok) return false;
  const { id, revision, paused } = reading.task;
  const row = ledger.prepare('SELECT revision, consumed FROM tasks WHERE id = ?').get(id ?? '');
  return row?.revision === revision && (paused || row.consumed === revision);
}
