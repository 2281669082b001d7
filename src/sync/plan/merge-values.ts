// Three-way merges of single values: a text by lines, a list as a set.
import { mergeLines } from '../../core/merge/line-merge.ts';

/**
 * Merges by lines what two sides made of `base`; null when both changed one place in different ways.
 * All three with `\n` line ends.
 */
export function mergeText(base: string, local: string, remote: string): string | null {
  const { lines, conflicts } = mergeLines(base.split('\n'), local.split('\n'), remote.split('\n'));
  return conflicts.length === 0 ? lines.join('\n') : null;
}

export interface SetMerge {
  /** Local order, then what came from the other side. */
  result: string[];
  add: string[];
  remove: string[];
}

/**
 * Merges two lists as sets, compared by `keyOf`. What a side added or took out since its own base is done to the other.
 * @param localBase what the file said at the last agreement, `remoteBase` what the tracker said
 * @returns the list for the file, and what to add and remove upstream
 */
export function mergeSets(
  {
    localBase,
    remoteBase,
    local,
    remote,
  }: Record<'localBase' | 'remoteBase' | 'local' | 'remote', readonly string[]>,
  // Blanks around a name are no part of it.
  keyOf: (item: string) => string = (item) => item.trim().toLowerCase(),
): SetMerge {
  const [wasLocal, wasRemote, isLocal, isRemote] = [localBase, remoteBase, local, remote].map(
    (list) => new Set(list.map(keyOf)),
  ) as [Set<string>, Set<string>, Set<string>, Set<string>];
  const removedThere = (key: string) => wasRemote.has(key) && !isRemote.has(key);
  const removedHere = (key: string) => wasLocal.has(key) && !isLocal.has(key);
  const result = local.filter((item) => !removedThere(keyOf(item)));
  for (const item of remote) {
    const key = keyOf(item);
    if (!isLocal.has(key) && !removedHere(key) && !wasRemote.has(key)) result.push(item);
  }
  return {
    result,
    add: local.filter((item) => {
      const key = keyOf(item);
      return !wasLocal.has(key) && !isRemote.has(key);
    }),
    remove: remote.filter((item) => removedHere(keyOf(item))),
  };
}
