// Notes that somebody made a mirrored file an earlier version of itself again, before anything is put back into it: what
// upstream said since then is not undone by that.
import { idOf } from '../../core/merge/lost-entries.ts';
import type { StableText } from './stable-read.ts';
import type { WriteContext } from './write-steps.ts';

/** @param read a text that we did not write */
export async function noteRestored(context: WriteContext, path: string, read: StableText): Promise<void> {
  const { versions, git, transact } = context;
  const task = idOf(read.text) || null;
  const undone = task === null ? [] : versions.undone(task, read.hash);
  if (task === null || undone.length === 0) return;
  // No editor saves with a time before that of a version it replaces; who copies a backup back often does.
  const isOlder = read.stat.mtimeMs < (versions.savedAt(task) ?? 0);
  const proved = isOlder || (await git.isGits(path, read));
  await transact(() => versions.setRestored(task, { text: read.text, undone, proved }));
}
