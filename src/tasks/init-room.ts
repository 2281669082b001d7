// Making a room in a folder: what is missing is written, what is there stays byte for byte as it is.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { PresetName } from '../core/config/agent-config.ts';
import { defaultRoomYaml } from '../core/config/default-room-yaml.ts';
import { schemaAddress } from '../core/config/schema-address.ts';
import { RoomError } from '../core/errors.ts';
import type { ProjectKeys } from './init-project.ts';

export interface InitReport {
  /** Absolute, symlinks resolved. */
  room: string;
  /** Paths inside the room that were made, folders with a slash at the end. */
  made: string[];
  /** Paths that were there. */
  kept: string[];
  /** What the person may want to do by hand. */
  advice: string[];
}

const FOLDERS = ['tasks/', 'chores/', 'artifacts/'];
const IGNORED = '.taskroom/';

/**
 * Makes the folder a room.
 * @param dir absolute path; made when missing
 * @param preset the coding agent that takes the tasks; null for the runbook alone
 * @param project where that agent works
 * @throws RoomError `io` when the folder or a file can't be made
 */
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

/** Writes a file that is not there yet; false when it is. A half-written one can't stay behind unnoticed: it is synced. */
function writeNew(file: string, text: string): boolean {
  if (existsSync(file)) return false;
  mkdirSync(dirname(file), { recursive: true });
  const handle = openSync(file, 'wx');
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return true;
}

function ignoresOwnFolder(room: string): boolean {
  const lines = readFileSync(join(room, '.gitignore'), 'utf8').split(/\r?\n/);
  return lines.some((line) => /^\/?\.taskroom\/?$/.test(line.trim()));
}
