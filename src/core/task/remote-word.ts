// The word under `remote:` of a mirrored task: the tracker's name, and what it calls the task.

const REMOTE = /^([a-z][a-z0-9_-]*):(?!\/\/)(.+)$/s;

/** What `remote:` is to look like, for messages. */
export const REMOTE_EXAMPLES = 'github:acme/web#12 or linear:ENG-42';

/** @returns null for a word that names no tracker */
export function providerOfRemote(word: string): string | null {
  const provider = REMOTE.exec(word.trim().replace(/^task:/, ''))?.[1];
  return provider === undefined || provider === 'local' ? null : provider;
}
