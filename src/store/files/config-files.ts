// Reads room.yaml and the agents' files from a room. Bad content, a folder where a file should be or a file that
// can't be opened are problems with a place, never exceptions; a bad agent hides no other.

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { type AgentConfig, parseAgentConfig } from '../../core/config/agent-config.ts';
import { type AgentFile, fallbackProblems } from '../../core/config/fallbacks.ts';
import { parseRoomConfig, type RoomConfig, type RoomConfigReading } from '../../core/config/room-config.ts';
import { roomProblem } from '../../core/config/room-fence.ts';
import { decodeDocument, MAX_FILE_BYTES } from '../../core/document/document.ts';
import type { Problem } from '../../core/errors.ts';
import { compareNames } from '../../core/task/natural-order.ts';
import type { TextInForce } from './said-words.ts';

export interface AgentsReading {
  /** By id, in alphabetical order. */
  agents: Map<string, AgentConfig>;
  problems: Problem[];
}

const AS_IT_STANDS: TextInForce = (_path, text) => text;

type TextReading = { text: string } | { missing: true } | { problems: Problem[] };

/**
 * The settings of a room; the defaults when it has no room.yaml.
 * @param roomDir Absolute path of the room.
 * @param inForce What counts of a file's text.
 */
export function readRoomConfig(roomDir: string, inForce: TextInForce = AS_IT_STANDS): RoomConfigReading {
  const reading = readText(roomDir, 'room.yaml');
  if ('problems' in reading) return { ok: false, problems: reading.problems };
  return parseRoomConfig(inForce('room.yaml', 'text' in reading ? reading.text : null) ?? '', 'room.yaml');
}

/** The settings of a room that sets nothing. */
export function defaultRoomConfig(): RoomConfig {
  const reading = parseRoomConfig('', 'room.yaml');
  if (!reading.ok) throw new Error('the defaults of room.yaml do not pass their own schema');
  return reading.config;
}

/**
 * Every agent of a room: the folders under agents/ that hold an agent.json.
 * @param roomDir Absolute path of the room.
 * @param inForce What counts of a file's text.
 */
export function readAgents(roomDir: string, inForce: TextInForce = AS_IT_STANDS): AgentsReading {
  const agents = new Map<string, AgentConfig>();
  const problems: Problem[] = [];
  const files: AgentFile[] = [];
  const folders = listAgentFolders(roomDir, problems);
  for (const id of folders) {
    const path = `agents/${id}/agent.json`;
    const reading = readText(roomDir, path);
    if ('problems' in reading) {
      problems.push(...reading.problems);
    } else if ('missing' in reading) {
      inForce(path, null);
      problems.push({
        ...start(`agents/${id}`),
        message: 'no agent.json in this folder',
        hint: 'add one, or remove the folder',
      });
    } else {
      const text = inForce(path, reading.text);
      // One that waits for its person's word is none yet.
      if (text === null) continue;
      const parsed = parseAgentConfig(text, path, id);
      if (parsed.ok) files.push({ agent: parsed.agent, path, placeAt: parsed.placeAt });
      else problems.push(...parsed.problems);
    }
  }
  const refused = fallbackProblems(files, new Set(folders));
  for (const file of files) {
    const around = refused.has(file.agent.id) ? null : problemAround(file, roomDir);
    if (around !== null) refused.set(file.agent.id, around);
  }
  for (const { agent } of files) if (!refused.has(agent.id)) agents.set(agent.id, agent);
  problems.push(...refused.values());
  return { agents, problems };
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
    if (codeOf(error) !== 'ENOENT') problems.push(unreadable('agents', error));
    return [];
  }
}

/** A folder that can't be looked at counts as one, so that reading it says why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return true;
  }
}

function readText(roomDir: string, path: string): TextReading {
  const file = join(roomDir, path);
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return { missing: true };
    // A pipe would block the read for ever, and a device never ends.
    if (!stat.isFile()) return { problems: [{ ...start(path), message: 'not a regular file' }] };
    if (stat.size > MAX_FILE_BYTES) {
      return {
        problems: [
          { ...start(path), message: `${stat.size} bytes long`, expected: `at most ${MAX_FILE_BYTES}` },
        ],
      };
    }
    const decoded = decodeDocument(readFileSync(file), path);
    return decoded.ok ? { text: decoded.text } : { problems: decoded.problems };
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { missing: true } : { problems: [unreadable(path, error)] };
  }
}

function unreadable(path: string, error: unknown): Problem {
  const code = codeOf(error) ?? String(error);
  return {
    ...start(path),
    message: `can't be read (${code})`,
    hint: 'check that the user that runs taskroom may read it',
  };
}

function start(path: string): Pick<Problem, 'path' | 'line' | 'col'> {
  return { path, line: 1, col: 1 };
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
