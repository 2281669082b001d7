// A person who types a line into the Notes of one task after another, saving by rename or in place. Says each line it
// typed once its save is done, and stops at the end of stdin.
//   typist.ts <tasks folder> <seed>
import * as fs from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../support/random.ts';

export type Typed = { file: string; line: string };

const [folder, seed] = process.argv.slice(2);
if (!folder) throw new Error('usage: typist <tasks folder> <seed>');
const random = createRandom(Number(seed));

function saveInPlace(path: string, text: string): void {
  const fd = fs.openSync(path, 'r+');
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

function type(count: number): void {
  const names = fs.readdirSync(folder!).filter((name) => name.endsWith('.md'));
  const file = names[Math.floor(random() * names.length)];
  if (file === undefined) return;
  const path = join(folder!, file);
  const text = fs.readFileSync(path, 'utf8');
  const place = text.indexOf('## Notes\n');
  if (place < 0) return;
  const line = `typed ${count} by the person`;
  const after = `${text.slice(0, place + 9)}${line}\n${text.slice(place + 9)}`;
  if (random() < 0.3) saveInPlace(path, after);
  else {
    fs.writeFileSync(join(folder!, '.typing'), after);
    fs.renameSync(join(folder!, '.typing'), path);
  }
  process.stdout.write(`${JSON.stringify({ file, line } satisfies Typed)}\n`);
}

let going = true;
process.stdin.on('end', () => {
  going = false;
});
process.stdin.resume();
for (let count = 0; going; count += 1) {
  type(count);
  await new Promise((resolve) => setTimeout(resolve, 40 + random() * 250));
}
