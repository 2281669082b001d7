// Who runs a turn, as recorded in its folder: pid and start time together, because a pid alone is reused.
// Invariant: a turn's `pid` file is claimed once, by the wrapper that runs it or by `claimUnstarted`.
import { readFileSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseProcStat } from './proc-files.ts';
import { EXIT_FILE, PID_FILE } from './wrapper.ts';

export interface ProcessIdentity {
  pid: number;
  /** Opaque: `linux <ticks since boot> <boot id>`, elsewhere `ps <lstart in UTC>`. Compared as a whole. */
  start: string;
}

const IDENTITY_LINE = /^([1-9]\d{0,9}) (\S[^\n]*)\n$/;
const EXIT_LINE = /^(\d{1,3})\n$/;
const VOID_CLAIM = 'void\n';

/** The boot id of this Linux, or null where /proc does not tell. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/**
 * Reads who claimed a turn.
 * @param dir Absolute path of the turn's folder.
 * @returns null when nobody did, when the claim is void, or when it is not written out yet.
 */
export async function readIdentity(dir: string): Promise<ProcessIdentity | null> {
  return parseIdentity((await readOrNull(join(dir, PID_FILE))) ?? '');
}

/** The recorded exit code of a turn's program (128 + n after death by signal n), or null when none is recorded. */
export async function readExit(dir: string, file = EXIT_FILE): Promise<number | null> {
  const match = EXIT_LINE.exec((await readOrNull(join(dir, file))) ?? '');
  return match ? Number(match[1]) : null;
}

/** True while the very process of this identity lives; a zombie or a reused pid is not it. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await startOf(identity.pid)) === identity.start;
}

/** The start of a living process in the form of `ProcessIdentity.start`, or null when there is none. */
export async function startOf(pid: number): Promise<string | null> {
  const boot = bootId();
  if (boot !== null) {
    const stat = parseProcStat(await readOrNull(`/proc/${pid}/stat`));
    return stat && !isDead(stat.state) ? `linux ${stat.ticks} ${boot}` : null;
  }
  return startByPs(pid);
}

/** `startOf` where there is no /proc: macOS and the BSDs; to the second, in UTC. */
export async function startByPs(pid: number): Promise<string | null> {
  const env = { LC_ALL: 'C', TZ: 'UTC' };
  const ps = await execa('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { env, reject: false });
  const words = String(ps.stdout ?? '')
    .trim()
    .split(/\s+/);
  return words.length < 2 || isDead(words[0]!) ? null : `ps ${words.slice(1).join(' ')}`;
}

/**
 * Takes a turn that never started, so that no late wrapper can start it any more.
 * @param dir Absolute path of the turn's folder, which exists.
 * @returns `claimed` when nothing runs or ever will; else who runs or ran it.
 */
export async function claimUnstarted(dir: string): Promise<'claimed' | ProcessIdentity> {
  const path = join(dir, PID_FILE);
  try {
    await writeFile(path, VOID_CLAIM, { flag: 'wx' });
    return 'claimed';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const claim = await open(path, 'r');
  try {
    const text = await readFromStart(claim);
    if (text === VOID_CLAIM) return 'claimed';
    return parseIdentity(text) ?? (await takeOver(path, claim));
  } finally {
    await claim.close();
  }
}

// A wrapper created the file and has not filled it: asleep, or dead. It reads the path back before it runs
// anything, so once the path names another file, a wrapper that writes from now on ends without running.
// If it had written by then, it may have read back too, and its claim stands: put it back.
async function takeOver(path: string, claim: FileHandle): Promise<'claimed' | ProcessIdentity> {
  await replaceFile(path, VOID_CLAIM);
  const text = await readFromStart(claim);
  const identity = parseIdentity(text);
  if (!identity) return 'claimed';
  await replaceFile(path, text);
  return identity;
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.claim`, text);
  await rename(`${path}.claim`, path);
}

function parseIdentity(text: string): ProcessIdentity | null {
  const match = IDENTITY_LINE.exec(text);
  const pid = Number(match?.[1]);
  // 1 is init, and as a negative number "everything of mine": never a turn's process.
  return match && pid > 1 ? { pid, start: match[2]! } : null;
}

/** True for a process state (`/proc` or `ps`) in which nothing runs any more. */
export function isDead(state: string): boolean {
  return /^[ZXx]/.test(state);
}

async function readFromStart(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // ESRCH: the process ended between open and read of its /proc file.
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
