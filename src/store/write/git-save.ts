// Tells what git put in a file's place (checkout, switch, stash, restore, rebase) from a stale buffer that was saved: what
// git does is a person's will, and nothing is put back into it. Proof is what git holds for that path, never a file's time.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LIST_SETTINGS, settingsOfPerson } from '../../core/config/git-config.ts';
import { valueOr } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { WritesTable } from '../ledger/writes/writes.ts';
import type { Room } from '../room.ts';
import { hashBytes, type StableText } from './stable-read.ts';

export type GitSaves = ReturnType<typeof createGitSaves>;

const LOCK_PATIENCE_MS = 10_000; // A lock that stands longer was left by a git that died.
const LOCK_LOOK_MS = 25;
const GIT_TIMEOUT_MS = 10_000;
const MAX_STASHES = 20;
const MAX_KNOWN = 200;

export function createGitSaves(room: Room, effects: Effects, writes: WritesTable) {
  const answers = new Map<string, boolean>();
  const keyOf = (path: string, { hash, stat }: StableText) => `${path} ${hash} ${stat.ino} ${stat.mtimeMs}`;
  const ask = async (path: string, read: StableText): Promise<boolean> => {
    // Gone or not to be looked at: the reading that follows says so.
    const file = valueOr(null, () => realpathSync(room.at(path)));
    // A look at the folders above, so that a room without git starts no program.
    if (file === null || gitFolder(dirname(file)) === null) return false;
    const git = gitIn(dirname(file), effects);
    const name = basename(file);
    await waitForLock(dirname(file), git, effects);
    const entry = parseEntry((await git(['ls-files', '-s', '--debug', '--', name])) ?? '');
    if (entry === null) return false;
    // Between two sides of a merge the file is git's and its person's.
    if (entry.isUnmerged) return true;
    const blob = (await git(['hash-object', `--path=${name}`, '--stdin'], read.bytes))?.trim();
    if (!blob) return false;
    if (blob === entry.blob && isOf(entry, read)) return true;
    // What git wrote may have been written over since: then its entry is younger than our write, and not of our own text.
    const writtenAtMs = writes.windows(0).findLast((window) => window.path === path)?.startMs;
    if (entry.ctimeMs < (writtenAtMs ?? Number.POSITIVE_INFINITY)) return false;
    if (!(await holds(git, name, blob, entry))) return false;
    const indexed = await git(['cat-file', '--filters', `--path=${name}`, entry.blob]);
    return indexed !== null && !writes.isOurs(path, hashBytes(Buffer.from(indexed, 'utf8')));
  };
  return {
    /** As {@link isGits}, where it was asked before; undefined else. */
    known: (path: string, read: StableText) => answers.get(keyOf(path, read)),
    /** Whether git made the file at `path` say this. Waits while git is at work; false outside a repository. */
    async isGits(path: string, read: StableText): Promise<boolean> {
      const key = keyOf(path, read);
      const answer = answers.get(key) ?? (await ask(path, read));
      if (answers.size >= MAX_KNOWN) answers.clear();
      answers.set(key, answer);
      return answer;
    },
  };
}

type Git = (args: readonly string[], input?: Uint8Array) => Promise<string | null>;

/** Runs git in a folder, whatever repository our own caller works on; null when it fails or there is none. */
function gitIn(cwd: string, effects: Effects): Git {
  const inherited = Object.entries(effects.env).filter(([key]) => !key.startsWith('GIT_'));
  const env: Record<string, string | undefined> = {
    ...Object.fromEntries(inherited),
    ...{ GIT_OPTIONAL_LOCKS: '0', GIT_LITERAL_PATHSPECS: '1', LC_ALL: 'C' },
  };
  // Asked once a look: what git runs is the person's alone.
  let settings: Record<string, string> | null = null;
  return async (args, input) => {
    // Loaded here: most commands never ask git.
    const { execa } = await import('execa');
    const options = { cwd, extendEnv: false, reject: false, timeout: GIT_TIMEOUT_MS } as const;
    if (settings === null) {
      const listed = await execa('git', LIST_SETTINGS, { ...options, env });
      if (listed.failed) return null;
      settings = settingsOfPerson(listed.stdout);
    }
    const { failed, stdout } = await execa('git', args, {
      ...options,
      env: { ...env, ...settings },
      stripFinalNewline: false,
      ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    });
    return failed ? null : stdout;
  };
}

async function waitForLock(cwd: string, git: Git, effects: Effects): Promise<void> {
  const path = (await git(['rev-parse', '--git-path', 'index.lock']))?.trim();
  if (!path) return;
  const lock = resolve(cwd, path);
  const giveUpAt = effects.monotonicMs() + LOCK_PATIENCE_MS;
  while (existsSync(lock) && effects.monotonicMs() < giveUpAt) await sleep(effects, LOCK_LOOK_MS);
}

const STAGED = /^\d{6} ([0-9a-f]{40,64}) ([0-3])\t/;

type IndexEntry = NonNullable<ReturnType<typeof parseEntry>>;

function parseEntry(text: string) {
  const staged = STAGED.exec(text);
  if (!staged) return null;
  const time = (name: string): number => {
    const found = new RegExp(`^ +${name}: (\\d+):(\\d+)$`, 'm').exec(text);
    return found ? Number(found[1]) * 1_000 + Number(found[2]) / 1e6 : 0;
  };
  return {
    blob: staged[1]!,
    isUnmerged: staged[2] !== '0',
    ctimeMs: time('ctime'),
    mtimeMs: time('mtime'),
    ino: Number(/\bino: (\d+)$/m.exec(text)?.[1] ?? -1),
  };
}

/** Whether the entry was made of this very file: git keeps 32 bits of an inode, and some builds whole seconds. */
function isOf(entry: IndexEntry, { stat }: StableText): boolean {
  const wholeSeconds = Number.isInteger(entry.mtimeMs / 1_000);
  const mtimeMs = wholeSeconds ? Math.floor(stat.mtimeMs / 1_000) * 1_000 : stat.mtimeMs;
  return Math.abs(entry.mtimeMs - mtimeMs) < 0.01 && entry.ino === Number(BigInt(stat.ino) & 0xffff_ffffn);
}

/** Whether index, HEAD or a stash holds this blob for that path. */
async function holds(git: Git, name: string, blob: string, entry: IndexEntry): Promise<boolean> {
  if (blob === entry.blob) return true;
  const stashes = await git(['log', '-g', '--format=%H', `-n${MAX_STASHES}`, 'refs/stash', '--']);
  for (const commit of ['HEAD', ...(stashes ?? '').split('\n').filter((line) => line !== '')]) {
    const held = await git(['rev-parse', '--verify', '--quiet', `${commit}:./${name}`]);
    if (held?.trim() === blob) return true;
  }
  return false;
}

const LONGEST_LOCK_MS = 120_000; // A lock that is older was left by a git that died.

/** By what git leaves in its folder a checkout is known, however slowly `dir` is read. Without a repository git never moves. */
export function createGitMarks(dir: string) {
  const statIn = (name: string) => {
    const folder = gitFolder(dir);
    return folder === null ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
  };
  const mark = () =>
    ['HEAD', 'index']
      .map(statIn)
      .map((stat) => stat && `${stat.ino}:${stat.mtimeMs}:${stat.size}`)
      .join(' ');
  let last = mark();
  return {
    /** Git holds its index: it is changing files now. */
    isAtWork(nowMs: number): boolean {
      const lock = statIn('index.lock');
      return lock !== undefined && nowMs - lock.mtimeMs < LONGEST_LOCK_MS;
    },
    /** True when HEAD or the index is another than when this was asked last. */
    hasMoved(): boolean {
      const now = mark();
      const moved = now !== last;
      last = now;
      return moved;
    },
  };
}

/** The folder of this work tree's HEAD and index; null outside a repository. */
function gitFolder(dir: string): string | null {
  for (let at = dir; ; at = dirname(at)) {
    const path = join(at, '.git');
    if (existsSync(path)) {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
      const link = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
      return link === undefined ? null : resolve(at, link.trim());
    }
    if (dirname(at) === at) return null;
  }
}
