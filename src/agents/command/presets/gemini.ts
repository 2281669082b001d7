// Gemini CLI (geminicli.com/docs), proved with 0.61.0.
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import type { AgentEvent } from '../../../core/rules/turn.ts';
import * as events from '../reading/events.ts';
import { countOf, type Fields, fieldsOf, textOf, wordsOf } from '../reading/fields.ts';
import type { WordClock } from '../reading/trouble.ts';
import type { Preset, PresetStart, PresetTurn } from './preset.ts';
import { option, protectedFiles, telemetryFile } from './preset.ts';

export const gemini: Preset = {
  program: 'gemini',
  proved: '0.61.0',
  install: 'install it: npm install -g @google/gemini-cli',
  signIn: 'sign in with `gemini`, or set GEMINI_API_KEY',
  account: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: [
      { path: '.gemini/oauth_creds.json', holds: /token/ },
      { path: '.gemini/.env', holds: /_API_KEY/ },
    ],
  },
  start(turn) {
    const { model, session, args, dir, permissions } = turn;
    const fenced = permissions !== 'all';
    const policy = `${dir}/gemini-policy.toml`;
    const rules = [WRITES_NO_TAKEN, besideRoom(turn), permissions === 'run' ? RUNS_ANYTHING : ''].join('');
    const home = geminiHome(turn);
    return {
      args: [
        // Without this option gemini refuses a folder that no person has trusted yet.
        '--skip-trust',
        ...['--output-format', 'stream-json'],
        ...['--approval-mode', fenced ? 'auto_edit' : 'yolo'],
        ...option('--policy', fenced ? policy : null),
        // gemini may write wherever it may read.
        ...(permissions === 'edit' ? [] : ['--include-directories', dir]),
        ...option('--model', model),
        ...option('--resume', session),
        ...args,
      ],
      env: home.env,
      links: home.links,
      files: [...(fenced ? [{ path: policy, text: rules }] : []), ...home.files],
    };
  },
  reader: () =>
    events.readByType(
      {
        init: ({ session_id }) => events.session(session_id),
        message: ({ role, content, delta }) =>
          role === 'user' ? [] : [{ type: 'text', text: textOf(content), partial: delta === true }],
        tool_use: ({ tool_name, parameters }) => events.tool(tool_name, parameters),
        tool_result: ({ status, output, error }) => {
          const text = wordsOf(output) || textOf(fieldsOf(error).message);
          return [{ type: 'result', text, failed: status === 'error' }];
        },
        error: ({ message, severity }, clock) => {
          const text = textOf(message);
          if (text.startsWith('Loop detected')) return events.cutOff(text);
          return severity === 'warning' ? [{ type: 'line', text }] : events.trouble(message, clock);
        },
        result: resultOf,
      },
      statedLine,
    ),
};

function rule(toolName: string | string[], pattern: string, decision: 'allow' | 'deny', priority: number) {
  return `[[rule]]
toolName = ${JSON.stringify(toolName)}
argsPattern = '${pattern}'
decision = "${decision}"
priority = ${priority}
`;
}

const WRITES = ['write_file', 'replace'];
const READS = ['read_file', 'read_many_files', 'grep_search', 'glob', 'list_directory'];
const leadsTo = (names: string) => `"file_path":"[^"]*(?<=["/])(?:${names})[/"]`;

/** No rule may allow writing the configuration that gemini always reads from its folder. */
const WRITES_NO_TAKEN = rule(WRITES, leadsTo(protectedFiles('gemini').map(anyCase).join('|')), 'deny', 950);

// Without a pattern gemini would still ask a person about commands that it considers dangerous.
const RUNS_ANYTHING = rule('run_shell_command', '.', 'allow', 900);

// Paths are spelled by the model. Every path into the room contains the name of the room's folder.
function besideRoom({ wayToRoom }: PresetTurn): string {
  const room = wayToRoom.at(-1);
  if (room === undefined) return '';
  const name = JSON.stringify(basename(room)).slice(1, -1);
  const literal = anyCase(name.replace(/[\\^$*+?()|[\]{}]/g, '\\$&'));
  const own = `(?<=["/])${anyCase('.taskroom')}[/"]`;
  return rule(WRITES, leadsTo(literal.replaceAll("'", '.')), 'deny', 951) + rule(READS, own, 'deny', 951);
}

function anyCase(name: string): string {
  return name
    .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
    .replaceAll('.', '\\.');
}

function resultOf({ status, error, stats }: Fields, clock: WordClock): AgentEvent[] {
  const failed = status === 'error';
  const { input_tokens, output_tokens } = fieldsOf(stats);
  return [
    ...events.usage(countOf(input_tokens), countOf(output_tokens)),
    ...(failed ? events.trouble(textOf(fieldsOf(error).message), clock) : []),
    { type: 'end', failed },
  ];
}

// Lines on stderr: log messages, and failures before and beside the events. Only the provider's words quoted there say when a
// limit ends.
function statedLine(text: string, clock: WordClock): AgentEvent[] {
  const quoted = /^\s+message: '(.*)',?$/.exec(text)?.[1];
  const isFailure =
    /^(Error|An unexpected critical error|When using Gemini API|Please set an Auth method)/.test(text);
  return quoted === undefined && !isFailure
    ? [{ type: 'line', text }]
    : events.trouble(quoted ?? text, clock);
}

const VARIABLE = 'GEMINI_CLI_HOME';

const GENERAL = {
  // Ten retries take four minutes, and the room retries a failed turn anyway.
  maxAttempts: 3,
  enableAutoUpdate: false,
  // gemini's clean-up considers sessions that were resumed once as broken, and removes them.
  sessionRetention: { enabled: false },
};

/** The home and the variable that names it; none where the person's settings can't be parsed: gemini reports that itself. */
export function geminiHome(turn: PresetTurn): Required<Omit<PresetStart, 'args'>> {
  const { dir, mcp, readText, env } = turn;
  const own = env[VARIABLE] || env.HOME || homedir();
  const text = readText(join(own, '.gemini/settings.json'));
  const errors: ParseError[] = [];
  const settings: Fields = text === null ? {} : fieldsOf(parse(text, errors));
  if (errors.length > 0) return { env: {}, files: [], links: [] };
  const servers = mcp === null ? {} : { [events.MCP_SERVER]: { ...mcp, trust: true } };
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
        // gemini replaces its list of projects by a rename, and rebuilds it from the kept folders.
        takes: (name) => !name.startsWith('settings.json') && !name.startsWith('projects.json'),
        keep: ['tmp', 'history'],
      },
      { from: own, at: home, takes: (name) => name === '.agents' || name === '.env', keep: [] },
    ],
    files: [{ path: join(home, '.gemini/settings.json'), text: `${JSON.stringify(merged)}\n` }],
  };
}
