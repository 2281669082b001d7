// Reads room.yaml and the agents' files from a room. Bad content, a folder where a file should be or a file that
// can't be opened are problems with a place, never exceptions; a bad agent hides no other.
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { parseAgentConfig } from '../../core/config/agent-config.ts';
import { type AgentFile, fallbackProblems, roomProblem } from '../../core/config/agent-problems.ts';
import { parseRoomConfig, type RoomConfig, type RoomConfigReading } from '../../core/config/room-config.ts';
import { hasCode, type Problem, RoomError, valueOr } from '../../core/errors.ts';
import { compareNames } from '../../core/task/names.ts';
import { readOnce } from '../write/stable-read.ts';
import type { TextInForce } from './trusted-words.ts';

const AS_IT_STANDS: TextInForce = (_path, text) => text;

/** The settings of a room; the defaults when it has no room.yaml. `inForce`: what counts of a file's text. */
export function readRoomConfig(roomDir: string, inForce = AS_IT_STANDS): RoomConfigReading {
  const read = readText(roomDir, 'room.yaml');
  if (read?.ok === false) return read;
  return parseRoomConfig(inForce('room.yaml', read?.text ?? null) ?? '', 'room.yaml');
}

export function defaultRoomConfig(): RoomConfig {
  const reading = parseRoomConfig('', 'room.yaml');
  if (!reading.ok) throw new Error('the defaults of room.yaml do not pass their own schema');
  return reading.config;
}

/** Every agent of a room by id, in alphabetical order: the folders under agents/ that hold an agent.json. */
export function readAgents(roomDir: string, inForce = AS_IT_STANDS) {
  const problems: Problem[] = [];
  const files: AgentFile[] = [];
  const folders = listAgentFolders(roomDir, problems);
  for (const id of folders) {
    const path = `agents/${id}/agent.json`;
    const read = readText(roomDir, path);
    if (read?.ok === false) {
      problems.push(...read.problems);
      continue;
    }
    const text = inForce(path, read?.text ?? null);
    if (read === null) {
      const hint = 'add one, or remove the folder';
      problems.push({ ...start(`agents/${id}`), message: 'no agent.json in this folder', hint });
    }
    // One that waits for its person's word is none yet.
    if (read === null || text === null) continue;
    const parsed = parseAgentConfig(text, path, id);
    if (parsed.ok) files.push({ agent: parsed.agent, path, placeAt: parsed.placeAt });
    else problems.push(...parsed.problems);
  }
  const refused = fallbackProblems(files, new Set(folders));
  for (const file of files) {
    const around = refused.has(file.agent.id) ? null : problemAround(file, roomDir);
    if (around !== null) refused.set(file.agent.id, around);
  }
  const sound = files.filter(({ agent }) => !refused.has(agent.id));
  const agents = new Map(sound.map(({ agent }) => [agent.id, agent]));
  return { agents, problems: [...problems, ...refused.values()] };
}

function problemAround(file: AgentFile, roomDir: string): Problem | null {
  const { cwd } = file.agent;
  if (cwd === null) return null;
  try {
    const way = relative(realpathSync(resolve(roomDir, cwd)), realpathSync(roomDir));
    const holds = way !== '..' && !way.startsWith('../') && !isAbsolute(way);
    return holds ? roomProblem(file, way === '') : null;
  } catch {
    // A folder that is not there is told where it is to be used.
    return null;
  }
}

/** Names of the folders (or links to folders) under agents/; hidden ones and plain files are passed over. */
function listAgentFolders(roomDir: string, problems: Problem[]): string[] {
  try {
    const names = readdirSync(join(roomDir, 'agents')).filter((name) => !name.startsWith('.'));
    return names.sort(compareNames).filter((name) => isFolder(join(roomDir, 'agents', name)));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) problems.push(unreadable('agents', error));
    return [];
  }
}

/** A folder that can't be looked at counts as one, so that reading it says why. */
const isFolder = (path: string): boolean =>
  valueOr(true, () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);

function readText(roomDir: string, path: string) {
  try {
    return readOnce(join(roomDir, path), path);
  } catch (error) {
    return { ok: false as const, problems: [unreadable(path, error)] };
  }
}

function unreadable(path: string, error: unknown): Problem {
  const { code } = (error instanceof RoomError ? error.cause : error) as NodeJS.ErrnoException;
  const hint = 'check that the user that runs taskroom may read it';
  return { ...start(path), message: `can't be read (${code})`, hint };
}

const start = (path: string): Pick<Problem, 'path' | 'line' | 'col'> => ({ path, line: 1, col: 1 });
