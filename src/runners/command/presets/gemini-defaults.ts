// The settings Gemini CLI falls back to, which can be given for one turn: those this machine has already, with what a turn
// needs beside them. What a person set stands.
import { dirname, join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { type Fields, fieldsOf } from '../reading/fields.ts';
import { MCP_SERVER, type PresetStart, type PresetTurn } from './preset.ts';

const VARIABLE = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH';
const SETTINGS_VARIABLE = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH';
const FOLDERS: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/etc/gemini-cli',
  darwin: '/Library/Application Support/GeminiCli',
};

const GENERAL = {
  // Ten tries take four minutes; a turn that fails is tried again by the room.
  maxAttempts: 3,
  enableAutoUpdate: false,
  // Its cleaning takes sessions that were resumed once for broken ones, and removes them.
  sessionRetention: { enabled: false },
};

type Asked = Pick<PresetTurn, 'env' | 'dir' | 'mcp' | 'readText'>;

/** The file and the variable that points at it; neither where this machine's own file can't be read: Gemini says so then. */
export function geminiDefaults(turn: Asked): Pick<PresetStart, 'env' | 'files'> {
  const path = ownPath(turn);
  const text = path === null ? null : turn.readText(path);
  const errors: ParseError[] = [];
  const own: Fields = text === null ? {} : fieldsOf(parse(text, errors));
  if (errors.length > 0) return { env: {}, files: [] };
  const { mcp } = turn;
  const servers = mcp === null ? {} : { [MCP_SERVER]: { ...mcp, trust: true } };
  const merged = {
    ...own,
    general: { ...GENERAL, ...fieldsOf(own.general) },
    mcpServers: { ...fieldsOf(own.mcpServers), ...servers },
  };
  const file = join(turn.dir, 'gemini-defaults.json');
  return { env: { [VARIABLE]: file }, files: [{ path: file, text: `${JSON.stringify(merged)}\n` }] };
}

/** Where Gemini would look by itself: the file's own variable, else beside the settings of the machine. */
function ownPath({ env }: Asked): string | null {
  const settings = env[SETTINGS_VARIABLE];
  const folder = settings ? dirname(settings) : FOLDERS[process.platform];
  return env[VARIABLE] || (folder === undefined ? null : join(folder, 'system-defaults.json'));
}
