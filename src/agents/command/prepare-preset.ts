// Makes a preset's program ready to start: what it is told, what it finds in its environment, files it is pointed at.
import { readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Launch, prepareLaunch } from '../process/launch.ts';
import { type RunInput, resumedSession } from '../runner.ts';
import { wayInto } from '../workspace/contained-path.ts';
import type { Preset, PresetStart } from './presets/preset.ts';

/** What is known of the place where a program is to start. Paths are absolute. */
interface StartPlace {
  cwd: string;
  /** What the program will find in its environment. */
  env: Launch['env'];
  gitDirs: string[];
  readText: typeof readIfThere;
}

/**
 * Makes a program ready to start.
 * @param tell what it is told beforehand, beside its own arguments
 */
export async function prepareProgram<Told extends Partial<PresetStart>>(
  input: RunInput,
  argv: readonly string[],
  tell: (place: StartPlace) => Told,
): Promise<{ ok: true; launch: Launch; told: Told } | { ok: false; message: string }> {
  const launching = await prepareLaunch(input, argv);
  if (!launching.ok) return launching;
  const { cwd, env, args, program } = launching.launch;
  const told = tell({ cwd, env, gitDirs: findGitDirs(cwd), readText: readIfThere });
  try {
    await putFiles(told);
  } catch (error) {
    // A full disk, or a folder that is gone.
    return { ok: false, message: `could not start: ${(error as Error).message}` };
  }
  const launch = { program, cwd, args: [...args, ...(told.args ?? [])], env: { ...env, ...told.env } };
  return { ok: true, launch, told };
}

export function preparePreset(input: RunInput, preset: Preset) {
  const { agent, dir, reach, room } = input;
  return prepareProgram(input, [preset.program], (place) =>
    preset.start({
      ...{ model: agent.model, session: resumedSession(input), permissions: agent.permissions },
      ...{ args: agent.args, dir, spool: reach.spool, room, wayToRoom: wayInto(place.cwd, room) },
      mcp: agent.tools === 'mcp' ? (input.mcp ?? null) : null,
      ...place,
    }),
  );
}

export async function putFiles({ links = [], files = [] }: Partial<PresetStart>): Promise<void> {
  for (const { from, at, takes, keep } of links) {
    await mkdir(at, { recursive: true, mode: 0o700 });
    for (const folder of keep) await mkdir(join(from, folder), { recursive: true, mode: 0o700 });
    for (const name of (await readdir(from)).filter(takes)) await symlink(join(from, name), join(at, name));
  }
  for (const { path, text } of files) await writeFile(path, text, { mode: 0o600 });
}

/** The text of a file; null where it can't be read, which its own program tells where it matters. */
function readIfThere(path: string): string | null {
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
