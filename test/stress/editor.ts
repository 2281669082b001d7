// An editor that saves one file over and over, alternately by rename and in place (at once, or in pieces), each time
// what it read plus a line of its own. Says what it did as one JSON line a save, and stops at end of stdin.
//   editor.ts <file> <seed> <pause>    between two saves it waits <pause> ms on average
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRandom } from '../support/random.ts';

export interface Save {
  line: string;
  how: 'rename' | 'in place' | 'pieces';
  /** Epoch milliseconds with fractions: around the rename, or from opening to closing. */
  startMs: number;
  endMs: number;
}

const [file, seed, pauseMs = '12'] = process.argv.slice(2);
if (!file) throw new Error('usage: editor <file> <seed>');

const random = createRandom(Number(seed));

const now = () => performance.timeOrigin + performance.now();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns when it began to matter. */
async function save(text: string, how: Save['how']): Promise<number> {
  if (how === 'rename') {
    const temp = join(dirname(file!), '.editor-saving');
    writeFileSync(temp, text);
    const renamedAt = now();
    renameSync(temp, file!);
    return renamedAt;
  }
  const openedAt = now();
  const fd = openSync(file!, 'w');
  const pieces = how === 'pieces' ? 4 : 1;
  const bytes = Buffer.from(text);
  for (let at = 0; at < pieces; at += 1) {
    const from = Math.floor((bytes.length * at) / pieces);
    const to = Math.floor((bytes.length * (at + 1)) / pieces);
    writeSync(fd, bytes, from, to - from);
    if (at + 1 < pieces) await pause(random() * 8);
  }
  fsyncSync(fd);
  closeSync(fd);
  return openedAt;
}

let going = true;
process.stdin.on('end', () => {
  going = false;
});
process.stdin.resume();

for (let count = 0; going; count += 1) {
  const text = readFileSync(file, 'utf8');
  const line = `typed ${count} in the editor`;
  const place = text.indexOf('## Notes\n') + '## Notes\n'.length;
  const how = count % 2 === 0 ? 'rename' : random() < 0.5 ? 'in place' : 'pieces';
  await pause(random() * 6);
  const startMs = await save(`${text.slice(0, place)}\n${line}\n${text.slice(place)}`, how);
  const done: Save = { line, how, startMs, endMs: now() };
  process.stdout.write(`${JSON.stringify(done)}\n`);
  await pause(random() * 2 * Number(pauseMs));
}
