// The presets by name, and how a known program is made ready to start: what it is told, its environment, files it is pointed at.
// A new preset is a file in presets/, a line here and one in PRESET_NAMES.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { PresetName } from '../../core/config/agent-config.ts';
import { faceOf } from '../../core/context/services-section.ts';
import { valueOr } from '../../core/errors.ts';
import { type Launch, prepareLaunch } from '../process/launch.ts';
import { type RunInput, resumedSession } from '../runner.ts';
import { foldersUp, wayInto } from '../workspace/contained-path.ts';
import { claude } from './presets/claude.ts';
import { codex } from './presets/codex.ts';
import { copilot } from './presets/copilot.ts';
import { gemini } from './presets/gemini.ts';
import { opencode } from './presets/opencode.ts';
import type { Preset, PresetStart, PresetTurn } from './presets/preset.ts';

export const PRESETS: Readonly<Record<PresetName, Preset>> = { claude, codex, gemini, opencode, copilot };

/** Makes a program ready to start. @param argv program and arguments; what `startOf` returns comes behind them */
export async function prepareProgram<Start extends Partial<PresetStart>>(
  input: RunInput,
  argv: readonly string[],
  startOf: (turn: PresetTurn) => Start,
): Promise<{ ok: true; launch: Launch; start: Start } | { ok: false; message: string }> {
  const launching = await prepareLaunch(input, argv);
  if (!launching.ok) return launching;
  const { agent, dir, reach, room } = input;
  const { cwd, env, args, program } = launching.launch;
  const start = startOf({
    ...{ model: agent.model, session: resumedSession(input), permissions: agent.permissions },
    ...{ approve: agent.approve, args: agent.args, cwd, dir, spool: reach.spool, room },
    ...{ wayToRoom: wayInto(cwd, room), gitDirs: findGitDirs(cwd), env, readText: readIfThere },
    mcp: faceOf(agent) === 'mcp' ? (input.mcp ?? null) : null,
  });
  try {
    await putFiles(start);
  } catch (error) {
    // A full disk, or a folder that is gone.
    return { ok: false, message: `could not start: ${(error as Error).message}` };
  }
  const launch = { program, cwd, args: [...args, ...(start.args ?? [])], env: { ...env, ...start.env } };
  return { ok: true, launch, start };
}

export async function putFiles({ links = [], files = [] }: Partial<PresetStart>): Promise<void> {
  for (const { from, at, takes, keep } of links) {
    await mkdir(at, { recursive: true, mode: 0o700 });
    for (const folder of keep) await mkdir(join(from, folder), { recursive: true, mode: 0o700 });
    for (const name of (await readdir(from)).filter(takes)) await symlink(join(from, name), join(at, name));
  }
  for (const { path, text } of files) await writeFile(path, text, { mode: 0o600 });
}

/** Null where the file can't be read: its own program tells it where it matters. */
const readIfThere = (path: string): string | null => valueOr(null, () => readFileSync(path, 'utf8'));

/** The folders that a commit in this folder writes to: `.git`, or in a worktree its own part and the repository's. */
export function findGitDirs(cwd: string): string[] {
  const entry = foldersUp(cwd)
    .map((folder) => join(folder, '.git'))
    .find((path) => existsSync(path));
  if (entry === undefined) return [];
  return statSync(entry).isDirectory() ? [entry] : worktreeDirs(dirname(entry), entry);
}

// A submodule has no commondir, a broken link no folder: git itself says what is wrong.
function worktreeDirs(folder: string, entry: string): string[] {
  const named = /^gitdir: (.+)$/m.exec(readIfThere(entry) ?? '')?.[1];
  if (named === undefined) return [];
  const own = resolve(folder, named);
  const common = readIfThere(join(own, 'commondir'));
  return common === null ? [] : [own, resolve(own, common.trim())];
}
