// Makes a preset's program ready to start: what it is told, what it finds in its environment, files it is pointed at.
import { readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Launching, prepareLaunch } from '../process/launch.ts';
import type { RunInput } from '../runner.ts';
import { wayInto } from '../workspace/contained-path.ts';
import type { Preset, PresetStart } from './presets/preset.ts';

/** From the third attempt on an agent starts afresh: a session that can't be resumed any more must not fail them all. */
const RESUMED_ATTEMPTS = 2;

export async function preparePreset(input: RunInput, preset: Preset): Promise<Launching> {
  const { agent, dir, reach, room } = input;
  const launching = await prepareLaunch(input, [preset.program]);
  if (!launching.ok) return launching;
  const { cwd, env } = launching.launch;
  const { args, ...start } = preset.start({
    model: agent.model,
    session: input.turn.attempt <= RESUMED_ATTEMPTS ? input.session : null,
    permissions: agent.permissions,
    args: agent.args,
    cwd,
    dir,
    spool: reach.spool,
    room,
    wayToRoom: wayInto(cwd, room),
    gitDirs: findGitDirs(cwd),
    mcp: agent.tools === 'mcp' ? (input.mcp ?? null) : null,
    env,
    readText: readIfThere,
  });
  try {
    await putFiles(start);
  } catch (error) {
    // A full disk, or a folder that is gone.
    return { ok: false, message: `could not start: ${(error as Error).message}` };
  }
  return { ok: true, launch: { ...launching.launch, args, env: { ...env, ...start.env } } };
}

/** Makes what a program is pointed at. */
export async function putFiles({ links = [], files = [] }: Partial<PresetStart>): Promise<void> {
  for (const { from, at, takes, keep } of links) {
    await mkdir(at, { recursive: true, mode: 0o700 });
    for (const folder of keep) await mkdir(join(from, folder), { recursive: true, mode: 0o700 });
    for (const name of (await readdir(from)).filter(takes)) await symlink(join(from, name), join(at, name));
  }
  for (const { path, text } of files) await writeFile(path, text, { mode: 0o600 });
}

/** The text of a file; null where it can't be read, which its own program tells where it matters. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The folders that a commit in this folder writes to: `.git`, or in a worktree its own part and the repository's. */
export function findGitDirs(cwd: string): string[] {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const stat = statSync(entry, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return [entry];
    if (stat?.isFile()) return worktreeDirs(folder, entry);
    if (dirname(folder) === folder) return [];
  }
}

function worktreeDirs(folder: string, entry: string): string[] {
  try {
    const named = /^gitdir: (.+)$/m.exec(readFileSync(entry, 'utf8'))?.[1];
    if (named === undefined) return [];
    const own = resolve(folder, named);
    const common = resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim());
    return [own, common];
  } catch {
    // A submodule has no commondir, a broken link no folder: git itself says what is wrong.
    return [];
  }
}
