// A room in a temp folder with a ledger and a writer, for the writer's tests.
import { mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatComment, formatProgress } from '../../../src/core/task/body/entries.ts';
import type { Effects } from '../../../src/effects.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { openDatabase } from '../../../src/store/ledger/ledger.ts';
import { openRoom } from '../../../src/store/room.ts';
import { createWriter, type Writer, type WriterOptions } from '../../../src/store/write/writer.ts';
import { tempFolder } from '../../support/temp-folder.ts';

export const PATH = 'tasks/a.md';
export const TEXT =
  '---\nid: abc\nstatus: todo # mine\n---\n\n## Task\n\nDo it.\n\n## Notes\n\nnote\n\n## Progress\n\n## Outcome\n';

const AT = Date.UTC(2026, 10, 20, 10, 0);

/** Who writes in these tests. */
export const by = { actor: 'runtime', task: 'abc' };
export const progress = (text: string) => formatProgress({ atMs: AT, text });
export const comment = (id: string, text = id) =>
  formatComment({ author: 'ann', role: null, atMs: AT, id, text });
/** A change that appends a Progress entry. */
export const say = (text: string, key?: string) => ({
  ...by,
  append: [{ section: 'Progress' as const, block: progress(text), ...(key === undefined ? {} : { key }) }],
});

function rest(path: string): void {
  const then = Date.now() / 1000 - 1;
  utimesSync(path, then, then);
}

export function openWriterRoom(text: string | null = TEXT) {
  const dir = tempFolder('taskroom-writer');
  mkdirSync(join(dir, 'tasks'));
  const room = openRoom(dir);
  const database = openDatabase(room.ledgerPath, { effects: createNodeEffects() });
  let shiftMs = 0;
  const node = createNodeEffects();
  const effects: Effects = { ...node, now: () => node.now() + shiftMs };
  const writers: Writer[] = [];
  const rig = {
    room,
    database,
    effects,
    writer: undefined as unknown as Writer,
    /** Moves the writer's wall clock forward. */
    later: (ms: number): void => {
      shiftMs += ms;
    },
    open(more: Partial<WriterOptions> = {}): Writer {
      const writer = createWriter({ room, database, effects, ...more });
      writers.push(writer);
      return writer;
    },
    /** Saves as editors do by rename; at rest from the start. */
    save(next: string, path: string = PATH): void {
      const temp = room.at('tasks/.saving');
      writeFileSync(temp, next);
      rest(temp);
      renameSync(temp, room.at(path));
    },
    /** Saves by truncating and writing the same inode; at rest from the start. */
    saveInPlace(next: string, path: string = PATH): void {
      writeFileSync(room.at(path), next);
      rest(room.at(path));
    },
    read: (path: string = PATH): string => readFileSync(room.at(path), 'utf8'),
    /** How often these words stand in the file. */
    count: (words: string): number => rig.read().split(words).length - 1,
    kept(): string[] {
      try {
        return readdirSync(join(room.ownDir, 'keep'));
      } catch {
        return [];
      }
    },
    async close(): Promise<void> {
      for (const writer of writers) await writer.close();
      database.close();
    },
  };
  rig.writer = rig.open();
  if (text !== null) rig.save(text);
  return rig;
}
