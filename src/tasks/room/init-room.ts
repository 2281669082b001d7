// Making a room: its folders and files, the files of interactive agents, and its agent's keys for the project that it works in, so that
// no agent's folder holds the room unguarded.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { PresetName } from '../../core/config/agent-config.ts';
import { isKeptOut } from '../../core/config/agent-problems.ts';
import { defaultRoomYaml, schemaAddress } from '../../core/config/room-config.ts';
import { setKey } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import { onDisk } from '../../store/room.ts';

export type ProjectKeys = { cwd?: string; workspace?: 'worktree' };

/** Top of the git repository that a folder lies in; null where it lies in none, or git is not there. */
export function repositoryOf(dir: string): string | null {
  const { status, stdout } = git(dir, 'rev-parse', '--show-toplevel');
  return status === 0 ? stdout.trim() : null;
}

/** @throws RoomError `bad_input` for a project that is no folder, or holds the room so that its agent can't be kept out */
export function keysOfProject(room: string, project: string, preset: PresetName): ProjectKeys {
  const hint = 'give the folder that the agent is to work in';
  if (!fs.statSync(project, { throwIfNoEntry: false })?.isDirectory())
    throw new RoomError('bad_input', `the project ${project} is no folder`, hint);
  const top = fs.realpathSync(project);
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
  return fs.existsSync(path) ? fs.realpathSync(path) : join(placeOfRoom(dirname(path)), basename(path));
}

/** Asks only where things are, for which git runs nothing that a repository names. */
const git = (dir: string, command: 'rev-parse', ...args: string[]) =>
  spawnSync('git', ['-C', dir, command, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** `room` is absolute, symlinks resolved; the others are paths inside it, folders with a slash at the end: what was made, what was there,
 * and what says another default agent by now. */
type InitReport = { room: string } & Record<'made' | 'kept' | 'changed' | 'advice', string[]>;

interface FirstAgent {
  agent: string; // The id of the default agent.
  preset: PresetName | null; // The coding agent that it is, where its file is to be made.
  project: ProjectKeys;
  isSaid: boolean; // The person named it: a room that is there already gets it as its default.
}

const FOLDERS = ['tasks/', 'chores/', 'artifacts/'];
const IGNORED = '.taskroom/';

/** What is missing is written; what is there stays as it is, but for the default agent that the person names. @throws RoomError `io` */
export function initRoom(dir: string, first: FirstAgent): InitReport {
  try {
    fs.mkdirSync(dir, { recursive: true });
    return fill(fs.realpathSync(dir), first);
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

function fill(room: string, { agent, preset, project, isSaid }: FirstAgent): InitReport {
  const report: InitReport = { room, made: [], kept: [], changed: [], advice: [] };
  const files: [string, string][] = [
    ['room.yaml', defaultRoomYaml(agent)],
    ['agents/runbook/agent.json', agentFile({ name: 'Runbook', runner: 'runbook' })],
    ...(preset === null ? [] : [presetFile(preset, project)]),
    ['.gitignore', `${IGNORED}\n`],
  ];
  for (const folder of FOLDERS) {
    const made = fs.mkdirSync(join(room, folder), { recursive: true }) !== undefined;
    report[made ? 'made' : 'kept'].push(folder);
  }
  for (const [path, text] of files) report[writeNew(join(room, path), text) ? 'made' : 'kept'].push(path);
  if (isSaid && report.kept.includes('room.yaml') && setDefaultAgent(join(room, 'room.yaml'), agent))
    report.changed.push('room.yaml');
  if (!ignoresOwnFolder(room))
    report.advice.push(`add the line ${IGNORED} to .gitignore: it is the runtime's own folder`);
  return report;
}

/** @returns false where the settings say so already. @throws RoomError `invalid_file` for settings that can't be read */
function setDefaultAgent(file: string, agent: string): boolean {
  const text = fs.readFileSync(file, 'utf8');
  const [open, close] = ['---\n', '---\n'];
  const whole = `${open}${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${close}`;
  const edited = setKey(whole, 'default_agent', agent, file);
  if (edited === whole) return false;
  const staged = `${file}.new`;
  fs.writeFileSync(staged, edited.slice(open.length, -close.length), { flush: true });
  fs.renameSync(staged, file);
  return true;
}

const agentFile = (config: object): string =>
  `${JSON.stringify({ $schema: schemaAddress('agent'), ...config }, null, 2)}\n`;

function presetFile(preset: PresetName, project: ProjectKeys): [path: string, text: string] {
  const keys = { runner: 'command', preset, permissions: 'edit', ...project };
  return [`agents/${preset}/agent.json`, agentFile(keys)];
}

/** Writes a file that is not there yet, and syncs it; false when it is there. */
function writeNew(file: string, text: string): boolean {
  if (fs.existsSync(file)) return false;
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, text, { flag: 'wx', flush: true });
  return true;
}

function ignoresOwnFolder(room: string): boolean {
  const lines = fs.readFileSync(join(room, '.gitignore'), 'utf8').split(/\r?\n/);
  return lines.some((line) => /^\/?\.taskroom\/?$/.test(line.trim()));
}

/** Keeps a generated file, or a part of one, as this version has it.
 * @param name path within `dir`
 * @param next the whole text as it should be, given the one that is there ('' for none)
 * @param write puts it in place where it is missing or old
 * @throws RoomError `io` */
export function keepFile(dir: string, name: string, next: (text: string) => string, write: boolean) {
  const named = join(dir, name);
  // Often a link to another agent's file: what it leads to is written.
  return onDisk(named, () => {
    const path = fs.existsSync(named) ? fs.realpathSync(named) : named;
    const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
    const wanted = next(text);
    if (wanted === text || !write) return { path: named, isCurrent: wanted === text };
    const fresh = `${path}.${process.pid}`;
    try {
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(fresh, wanted);
      fs.renameSync(fresh, path);
    } finally {
      fs.rmSync(fresh, { force: true });
    }
    return { path: named, isCurrent: false };
  });
}
