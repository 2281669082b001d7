// A home of Gemini CLI for one turn: the person's own, by links, with settings that hold what a turn needs beside theirs. What
// the machine's settings say Gemini reads by itself, and from files of root alone, so that none of ours can stand there.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { type Fields, fieldsOf } from '../reading/fields.ts';
import { telemetryFile } from '../reading/telemetry.ts';
import { MCP_SERVER, type PresetStart, type PresetTurn } from './preset.ts';

const VARIABLE = 'GEMINI_CLI_HOME';

const GENERAL = {
  // Ten tries take four minutes; a turn that fails is tried again by the room.
  maxAttempts: 3,
  enableAutoUpdate: false,
  // Its cleaning takes sessions that were resumed once for broken ones, and removes them.
  sessionRetention: { enabled: false },
};

type Asked = Pick<PresetTurn, 'env' | 'dir' | 'mcp' | 'readText'>;

/** The home and the variable that points at it; neither where the person's settings can't be read: Gemini says so then. */
export function geminiHome(turn: Asked): Required<Pick<PresetStart, 'env' | 'files' | 'links'>> {
  const { dir, mcp, readText, env } = turn;
  const own = env[VARIABLE] || env.HOME || homedir();
  const text = readText(join(own, '.gemini/settings.json'));
  const errors: ParseError[] = [];
  const settings: Fields = text === null ? {} : fieldsOf(parse(text, errors));
  if (errors.length > 0) return { env: {}, files: [], links: [] };
  const servers = mcp === null ? {} : { [MCP_SERVER]: { ...mcp, trust: true } };
  const merged = {
    ...settings,
    general: { ...GENERAL, ...fieldsOf(settings.general) },
    telemetry: settings.telemetry ?? {
      ...{ enabled: true, target: 'local', outfile: telemetryFile(dir) },
      ...{ logPrompts: false, traces: false },
    },
    mcpServers: { ...fieldsOf(settings.mcpServers), ...servers },
  };
  const home = join(dir, 'gemini-home');
  return {
    env: { [VARIABLE]: home },
    links: [
      {
        from: join(own, '.gemini'),
        at: join(home, '.gemini'),
        // It puts its list of projects in place by a renaming, and makes it anew from what lies in the folders kept.
        takes: (name) => !name.startsWith('settings.json') && !name.startsWith('projects.json'),
        keep: ['tmp', 'history'],
      },
      { from: own, at: home, takes: (name) => name === '.agents' || name === '.env', keep: [] },
    ],
    files: [{ path: join(home, '.gemini/settings.json'), text: `${JSON.stringify(merged)}\n` }],
  };
}
