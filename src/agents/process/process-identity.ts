// Who runs a turn: the wrapper script that every turn's process runs under, and pid and start time in the turn's folder (a pid alone
// is reused). The `pid` file is claimed once, by the wrapper or by `claimUnstarted`; `exit` is written at most once, by the
// process of that `pid` file, after its program has ended.
import { readFileSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { hasCode, valueOr } from '../../core/errors.ts';
import { parseProcStat } from './proc-files.ts';

/** Files of a turn's folder. */
export const PID_FILE = 'pid';
export const EXIT_FILE = 'exit';
export const OUTPUT_FILE = 'output.log';
export const PROMPT_FILE = 'prompt.md';
export const CONTEXT_FILE = 'context.json';

/** Every POSIX system has this path, while PATH belongs to the agent. */
export const SHELL = '/bin/sh';

// - noclobber makes `pid` an O_EXCL claim; reading it back finds a claim that was taken over before it was
//   filled (see claimUnstarted). No external program runs on Linux: PATH may be the agent's own.
// - Each file holds one line, written at once; without its line end a file counts as absent.
// - The shell's stderr goes nowhere, so that its "Killed" never stands among the agent's output. The program
//   gets the real one inside a subshell: dash redirects a plain command in the shell itself.
// - The traps are handlers, not "ignore": children start with default signals, while the shell outlives the
//   group's TERM to record. They are set last: a TERM before that ends a wrapper that has run nothing yet.
export const WRAPPER = `set -C
exec 3>&2 2>/dev/null
taskroom_dir=$1
shift
taskroom_field() { set -- \${taskroom_stat##*) }; taskroom_start="linux \${20} $taskroom_boot"; }
taskroom_ps() { shift $#; set -- $(PATH="$PATH:/bin:/usr/bin" LC_ALL=C TZ=UTC ps -o lstart= -p $$); taskroom_start="ps $*"; }
if read -r taskroom_stat < /proc/$$/stat && read -r taskroom_boot < /proc/sys/kernel/random/boot_id
then taskroom_field
else taskroom_ps
fi
printf '%s\\n' "$$ $taskroom_start" > "$taskroom_dir/${PID_FILE}" || exit 75
read -r taskroom_back < "$taskroom_dir/${PID_FILE}" || exit 75
[ "$taskroom_back" = "$$ $taskroom_start" ] || exit 75
trap : TERM INT HUP
( exec "$@" 2>&3 3>&- )
taskroom_code=$?
printf '%s\\n' "$taskroom_code" > "$taskroom_dir/${EXIT_FILE}"
exit "$taskroom_code"
`;

export interface ProcessIdentity {
  pid: number;
  /** Opaque: `linux <ticks since boot> <boot id>`, elsewhere `ps <lstart in UTC>`. Compared as a whole. */
  start: string;
}

const VOID_CLAIM = 'void\n';

/** The result of a call on a file; null where the file is absent, or the call fails with one of `codes`. */
export async function ifThere<T>(call: Promise<T>, ...codes: string[]): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (hasCode(error, 'ENOENT', ...codes)) return null;
    throw error;
  }
}

// ESRCH: the process ended between open and read of its /proc file.
const readText = (path: string) => ifThere(readFile(path, 'utf8'), 'ESRCH', 'EACCES');

/** The boot id of this Linux, or null where /proc does not tell. */
export const bootId = (): string | null =>
  valueOr(null, () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || null);

/** Who claimed the turn of this folder; null when nobody did, when the claim is void, or not written out yet. */
export const readIdentity = async (dir: string): Promise<ProcessIdentity | null> =>
  parseIdentity((await readText(join(dir, PID_FILE))) ?? '');

/** The recorded exit code of a turn's program (128 + n after death by signal n), or null when none is recorded. */
export async function readExit(dir: string, file = EXIT_FILE): Promise<number | null> {
  const match = /^(\d{1,3})\n$/.exec((await readText(join(dir, file))) ?? '');
  return match ? Number(match[1]) : null;
}

/** True while the very process of this identity lives; a zombie or a reused pid is not it. */
export const isAlive = async (identity: ProcessIdentity): Promise<boolean> =>
  (await startOf(identity.pid)) === identity.start;

/** The start of a living process in the form of `ProcessIdentity.start`, or null when there is none. */
export async function startOf(pid: number): Promise<string | null> {
  const boot = bootId();
  if (boot === null) return startByPs(pid);
  const stat = parseProcStat(await readText(`/proc/${pid}/stat`));
  return stat && !isDead(stat.state) ? `linux ${stat.ticks} ${boot}` : null;
}

/** `startOf` where there is no /proc: macOS and the BSDs; to the second, in UTC. */
export async function startByPs(pid: number): Promise<string | null> {
  const env = { LC_ALL: 'C', TZ: 'UTC' };
  const ps = await execa('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { env, reject: false });
  const [state = '', ...start] = String(ps.stdout ?? '')
    .trim()
    .split(/\s+/);
  return start.length === 0 || isDead(state) ? null : `ps ${start.join(' ')}`;
}

/** Claims a turn that never started: `claimed` when nothing runs or ever will, else who runs or ran it. */
export async function claimUnstarted(dir: string): Promise<'claimed' | ProcessIdentity> {
  const path = join(dir, PID_FILE);
  try {
    await writeFile(path, VOID_CLAIM, { flag: 'wx' });
    return 'claimed';
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
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
// If it had written by then, it may have read back too, and its claim stands: the file gets it back.
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
  const match = /^([1-9]\d{0,9}) (\S[^\n]*)\n$/.exec(text);
  const pid = Number(match?.[1]);
  // 1 is init, and as a negative number "everything of mine": never a turn's process.
  return match && pid > 1 ? { pid, start: match[2]! } : null;
}

/** True for a process state (`/proc` or `ps`) in which nothing runs any more. */
export const isDead = (state: string): boolean => /^[ZXx]/.test(state);

async function readFromStart(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
  return buffer.toString('utf8', 0, bytesRead);
}
