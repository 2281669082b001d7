// opencode (opencode.ai/docs/cli), proved with 1.18.33. Its models are written provider/model.
import { pathToFileURL } from 'node:url';
import type { AgentEvent, TroubleKind } from '../../../core/rules/turn.ts';
import * as events from '../reading/events.ts';
import { countOf, type Fields, fieldsOf, parseFields, textOf } from '../reading/fields.ts';
import type { WordClock } from '../reading/trouble.ts';
import { option, type Preset, type PresetTurn, protectedFiles } from './preset.ts';

export const opencode: Preset = {
  program: 'opencode',
  proved: '1.18.33',
  install: 'install it: npm install -g opencode-ai',
  signIn: 'sign in with `opencode auth login`',
  account: {
    variables: [
      ...['ANTHROPIC', 'OPENAI', 'GEMINI', 'OPENROUTER'].map((name) => `${name}_API_KEY`),
      'GITHUB_TOKEN',
    ],
    files: [
      { path: '.local/share/opencode/auth.json', holds: /"type"/ },
      ...['opencode.json', 'opencode.jsonc'].map((name) => ({
        path: `.config/opencode/${name}`,
        holds: /"apiKey"|"baseURL"/,
      })),
    ],
  },
  start(turn) {
    const { model, session, args, env } = turn;
    const config = parseFields(env.OPENCODE_CONFIG_CONTENT?.trim()) ?? {};
    return {
      args: [
        'run',
        ...['--format', 'json'],
        // Only its log tells of requests that fail and are retried for ever.
        ...['--print-logs', '--log-level', 'ERROR'],
        ...option('--model', model),
        ...option('--session', session),
        ...args,
      ],
      ...opencodeConfig(turn, { ...config, permission: permissionsOf(turn), ...mcpKeys(turn, config) }),
    };
  },
  reader: createReader,
};

/** Gives opencode this configuration. It then reads no servers, formatters, rules or skills from its folder, where the agent may
 * have written them itself, and its patches move no file to where its edits may not write. */
export function opencodeConfig({ permissions, dir, env }: PresetTurn, config: Fields) {
  if (permissions === 'all') return { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }, files: [] };
  const path = `${dir}/opencode-fence.js`;
  const plugin = [...(Array.isArray(config.plugin) ? config.plugin : []), pathToFileURL(path).href];
  const names = ['OPENCODE_DISABLE_PROJECT_CONFIG', 'OPENCODE_DISABLE_EXTERNAL_SKILLS'];
  return {
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, plugin }),
      ...Object.fromEntries(names.map((name) => [name, env[name] ?? '1'])),
    },
    files: [{ path, text: OPENCODE_FENCE }],
  };
}

/** opencode runs plugins of its folder all the same: the agent must not write any. */
const OPENCODE_TAKEN = Object.fromEntries(
  protectedFiles('opencode').flatMap((name) =>
    [name, `${name}/*`, `*/${name}`, `*/${name}/*`].map((pattern) => [pattern, 'deny']),
  ),
);

// A question would end opencode's turn at once, as a success: every permission is set beforehand. The last pattern that matches counts.
function permissionsOf({ permissions, dir, mcp }: PresetTurn): unknown {
  if (permissions === 'all') return { '*': 'allow', external_directory: 'allow', doom_loop: 'allow' };
  const runs = permissions === 'run';
  return {
    edit: { '*': 'allow', ...OPENCODE_TAKEN },
    ...(mcp === null ? {} : { [`${events.MCP_SERVER}_*`]: 'allow' }),
    // A rule for a single command would also allow its redirections.
    bash: runs ? 'allow' : 'deny',
    // opencode may write wherever it may read, so that the room itself is not among its folders.
    external_directory: { '*': 'deny', ...(runs && { [`${dir}/*`]: 'allow' }) },
    doom_loop: 'deny',
  };
}

function mcpKeys({ mcp }: PresetTurn, config: Fields): Fields {
  if (mcp === null) return {};
  const server = { type: 'local', command: [mcp.command, ...mcp.args], enabled: true, timeout: 60_000 };
  return { mcp: { ...fieldsOf(config.mcp), [events.MCP_SERVER]: server } };
}

function createReader(): events.EventReader {
  const used = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
  return events.readByType(
    {
      step_start: ({ sessionID }) => [...events.session(sessionID), { type: 'alive' }],
      text: ({ part }) => [{ type: 'text', text: textOf(fieldsOf(part).text) }],
      tool_use: ({ part }) => {
        const { tool, state } = fieldsOf(part);
        const { status, input, error, output } = fieldsOf(state);
        const failed = status === 'error';
        return [
          ...events.tool(tool, input),
          { type: 'result', text: textOf(failed ? error : output), failed },
        ];
      },
      step_finish: ({ part }) => finishStep(fieldsOf(part), used),
      error: ({ sessionID, error }, clock) => [
        ...events.session(sessionID),
        ...failure(fieldsOf(error), clock),
      ],
    },
    (text, clock) => {
      const words = logged(text);
      return words === null ? events.plainLine(text, clock) : events.trouble(words, clock);
    },
  );
}

const KINDS = new Map<unknown, TroubleKind>([
  ['ProviderAuthError', 'credentials'],
  ['ProviderModelNotFoundError', 'model'],
  ['ContextOverflowError', 'context'],
]);

// Not the end of the turn: opencode may shorten a full context by itself, and go on.
function failure({ data, message, name }: Fields, clock: WordClock): AgentEvent[] {
  const { message: details, statusCode: status } = fieldsOf(data);
  const words = textOf(details) || textOf(message) || textOf(name);
  return events.trouble(words, clock, { status, kind: KINDS.get(name) });
}

// Each step reports its own usage only.
function finishStep(
  { tokens, cost, reason }: Fields,
  used: { inputTokens: number; outputTokens: number; costUsd: number },
): AgentEvent[] {
  const { input, output, reasoning, cache } = fieldsOf(tokens);
  const { read, write } = fieldsOf(cache);
  used.inputTokens += countOf(input) + countOf(read) + countOf(write);
  used.outputTokens += countOf(output) + countOf(reasoning);
  used.costUsd += countOf(cost);
  const usage: AgentEvent[] = [{ type: 'usage', usage: { ...used } }];
  if (reason === 'stop') return [...usage, { type: 'end', failed: false }];
  if (reason === 'tool-calls' || reason === undefined) return usage;
  return [...usage, ...events.cutOff(`its model's answer ended: ${textOf(reason)}`)];
}

/** The error of the turn itself that a line of the log reports; null for any other line. */
function logged(line: string): string | null {
  if (!/ message="?(stream error|process|failed)\b/.test(line) || / small=true /.test(line)) return null;
  const text = / error(?:\.error)?="((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
  return text === undefined ? null : text.replace(/\\(.)/g, '$1').replace(/^AI_\w+: /, '');
}

const NAMES = protectedFiles('opencode').map((name) => `/${name}/`);
const OPENCODE_FENCE = `const refused = ${JSON.stringify(NAMES)};
export const Fence = async () => ({
  'tool.execute.before': async (_call, { args }) => {
    for (const [, to] of String(args?.patchText ?? '').matchAll(/^\\s*\\*\\*\\* Move to:(.*)$/gm)) {
      const path = '/' + to.trim().replaceAll('\\\\', '/').toLowerCase() + '/';
      if (refused.some((name) => path.includes(name))) throw new Error('nothing may be moved to' + to);
    }
  },
});
`;
