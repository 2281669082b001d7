// The files of a room's mirrors, found by their issues, and edited as an editor does.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sync } from '../../src/sync/sync.ts';

/** @param sync the engine of the moment: a test may start another one */
export function mirroredFiles(dir: string, sync: () => Sync) {
  const find = (ref: string) => {
    const view = sync()
      .mirrors()
      .find((one) => one.ref === ref);
    if (!view) throw new Error(`${ref} is not mirrored`);
    return view;
  };
  const pathOf = (ref: string) => {
    const { path } = find(ref);
    if (path === null) throw new Error(`${ref} has no file`);
    return path;
  };
  const read = (ref: string) => readFileSync(join(dir, pathOf(ref)), 'utf8');
  return {
    taskOf: (ref: string) => find(ref).task,
    /** Path of the task that mirrors this issue. */
    pathOf,
    read,
    /** Replaces words in the file; they must be there. */
    edit(ref: string, from: string | RegExp, to: string) {
      const before = read(ref);
      const after = before.replace(from, () => to);
      if (after === before) throw new Error(`nothing to edit in ${pathOf(ref)}`);
      writeFileSync(join(dir, 'tasks/.saving'), after);
      renameSync(join(dir, 'tasks/.saving'), join(dir, pathOf(ref)));
    },
  };
}
