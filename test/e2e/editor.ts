// An editor as a process of its own, driven word by word: it opens, truncates, writes in pieces and closes when told.
//   editor.ts <file>, then on stdin: open | write <JSON text> | close; answers each with a line.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const file = process.argv[2];
if (!file) throw new Error('usage: editor <file>');
let fd: number | null = null;

for await (const line of createInterface({ input: process.stdin })) {
  const [command, rest] = [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)];
  if (command === 'open') fd = openSync(file, 'w');
  else if (command === 'write') writeSync(fd!, JSON.parse(rest) as string);
  else if (command === 'close') {
    fsyncSync(fd!);
    closeSync(fd!);
  }
  process.stdout.write(`${command}\n`);
}
