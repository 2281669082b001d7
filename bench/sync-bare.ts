// The least that any program would have to do for a first mirror: ask for the same pages, write the same files.
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOKEN } from './mirror-room.ts';
import type { BenchRoom } from './room-files.ts';

/** What a first mirror asked for, and the files it made. */
export interface Made {
  paths: readonly string[];
  files: readonly (readonly [name: string, text: string])[];
}

export function readMade({ tasksDir }: BenchRoom, served: readonly { path: string }[]): Made {
  const files = readdirSync(tasksDir).map(
    (name) => [name, readFileSync(join(tasksDir, name), 'utf8')] as const,
  );
  return { paths: served.map(({ path }) => path), files };
}

export async function download(url: string, { paths }: Made): Promise<void> {
  for (const path of paths) {
    const answer = await fetch(url + path, { headers: { authorization: `token ${TOKEN}` } });
    await answer.text();
  }
}

/** As the product promises for each file: whole or not at all, and there after a power cut. */
export function writeDurably(folder: string, { files }: Made): void {
  for (const [name, text] of files) {
    const path = join(folder, name);
    const fd = openSync(`${path}.tmp`, 'wx');
    writeSync(fd, text);
    fsyncSync(fd);
    closeSync(fd);
    renameSync(`${path}.tmp`, path);
  }
}

export function writePlainly(folder: string, { files }: Made): void {
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
}

/** A new folder, and what removes it. */
export function makeFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'taskroom-bench-bare-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
