// Making a room, and its agent's keys for the project it works in, so that no agent's folder holds the room unguarded.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { PresetName } from '../../core/config/agent-config.ts';
import { isKeptOut } from '../../core/config/agent-problems.ts';
import { defaultRoomYaml, schemaAddress } from '../../core/config/room-config.ts';
import { RoomError } from '../../core/errors.ts';

export type ProjectKeys = { cwd?: string; workspace?: 'worktree' };

/** Top of the git repository that a folder lies in; null where it lies in none, or git is not there. */
export function repositoryOf(dir: string): string | null {
  const { status, stdout } = git(dir, 'rev-parse', '--show-toplevel');
  return status === 0 ? stdout.trim() : null;
}

/** @throws RoomError `bad_input` for a project that is no folder, or holds the room so that its agent can't be kept out */
export function keysOfProject(room: string, project: string, preset: PresetName): ProjectKeys {
  if (!statSync(project, { throwIfNoEntry: false })?.isDirectory())
    throw new RoomError('bad_input', `the project ${project} is no folder`, {
      hint: 'give the folder that the agent is to work in',
    });
  const top = realpathSync(project);
  const cwd = relative(room, top) || '.';
  const isAround = !isAbsolute(cwd) && /^(\.|\.\.)(\/\.\.)*$/.test(cwd);
  if (!isAround) return { cwd };
  if (git(top, 'rev-parse', '--verify', '--quiet', 'HEAD').status === 0)
    return { cwd, workspace: 'worktree' };
  if (cwd !== '.' && isKeptOut({ preset, runner: 'command', permissions: 'edit' })) return { cwd };
  throw new RoomError(
    'bad_input',
    `the project ${project} holds the room, and ${preset} can't be kept out of it`,
    'make the room elsewhere, or make a first commit there: its agent then works in a worktree for each task',
  );
}

/** As `realpath`, of a folder that may not be there yet. */
export function placeOfRoom(dir: string): string {
  const path = resolve(dir);
  return existsSync(path) ? realpathSync(path) : join(placeOfRoom(dirname(path)), basename(path));
}

/** Asks only where things are, for which git runs nothing that a repository names. */
function git(dir: string, command: 'rev-parse', ...args: string[]) {
  return spawnSync('git', ['-C', dir, command, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

interface InitReport {
  /** Absolute, symlinks resolved. */
  room: string;
  /** Paths inside the room that were made, folders with a slash at the end. */
  made: string[];
  kept: string[];
  advice: string[];
}

const FOLDERS = ['tasks/', 'chores/', 'artifacts/'];
const IGNORED = '.taskroom/';

/** What is missing is written, what is there stays as it is. @param preset null for the runbook alone. @throws RoomError `io` */
export function initRoom(
  dir: string,
  preset: PresetName | null = null,
  project: ProjectKeys = {},
): InitReport {
  try {
    mkdirSync(dir, { recursive: true });
    return fill(realpathSync(dir), preset, project);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const hint = isFile
      ? 'give the path of a folder'
      : 'check permissions and free space, or choose another folder';
    throw new RoomError('io', `can't make a room in ${dir}: ${message}`, { cause: error, hint });
  }
}

function fill(room: string, preset: PresetName | null, project: ProjectKeys): InitReport {
  const report: InitReport = { room, made: [], kept: [], advice: [] };
  const files: [string, string][] = [
    ['room.yaml', defaultRoomYaml(preset ?? 'runbook')],
    ['agents/runbook/agent.json', agentFile({ name: 'Runbook', runner: 'runbook' })],
    ...(preset === null ? [] : [presetFile(preset, project)]),
    ['.gitignore', `${IGNORED}\n`],
  ];
  for (const folder of FOLDERS) {
    const made = mkdirSync(join(room, folder), { recursive: true }) !== undefined;
    report[made ? 'made' : 'kept'].push(folder);
  }
  for (const [path, text] of files) report[writeNew(join(room, path), text) ? 'made' : 'kept'].push(path);
  if (preset !== null && report.kept.includes('room.yaml'))
    report.advice.push(`say default_agent: ${preset} in room.yaml: it was there already`);
  if (!ignoresOwnFolder(room))
    report.advice.push(`add the line ${IGNORED} to .gitignore: it is the runtime's own folder`);
  return report;
}

function agentFile(config: object): string {
  return `${JSON.stringify({ $schema: schemaAddress('agent'), ...config }, null, 2)}\n`;
}

function presetFile(preset: PresetName, project: ProjectKeys): [path: string, text: string] {
  const keys = { runner: 'command', preset, permissions: 'edit', ...project };
  return [`agents/${preset}/agent.json`, agentFile(keys)];
}

/** Writes a file that is not there yet, and syncs it; false when it is there. */
function writeNew(file: string, text: string): boolean {
  if (existsSync(file)) return false;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { flag: 'wx', flush: true });
  return true;
}

function ignoresOwnFolder(room: string): boolean {
  const lines = readFileSync(join(room, '.gitignore'), 'utf8').split(/\r?\n/);
  return lines.some((line) => /^\/?\.taskroom\/?$/.test(line.trim()));
}
