// Folders of a test's own, which go when the tests of its file are over (`strict-process.ts` sees to it).
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** @param name what its name begins with */
export function tempFolder(name: string): string {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), `${name}-`));
  made.push(dir);
  return dir;
}

export function removeTempFolders(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}
