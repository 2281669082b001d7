// Claude Code (code.claude.com/docs/en/headless), proved with 2.1.197.
import type { AgentEvent } from '../../../core/rules/turn.ts';
import * as events from '../reading/events.ts';
import { countOf, type Fields, fieldsOf, listOf, textOf, wordsOf } from '../reading/fields.ts';
import { readEpoch, type WordClock } from '../reading/trouble.ts';
import { option, type Preset, type PresetTurn } from './preset.ts';

export const claude: Preset = {
  program: 'claude',
  proved: '2.1.197',
  install: 'install it: npm install -g @anthropic-ai/claude-code',
  signIn: 'sign in with `claude` and /login, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN',
  account: {
    variables: [
      ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
      ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
    ],
    files: [
      { path: '.claude/.credentials.json', holds: /accessToken/ },
      // On a Mac the token itself lies in the keychain.
      { path: '.claude.json', holds: /"oauthAccount"/ },
      { path: '.claude/settings.json', holds: /"apiKeyHelper"|ANTHROPIC_/ },
    ],
  },
  start(turn) {
    const { model, session, args, env } = turn;
    const mcpFile = `${turn.dir}/claude-mcp.json`;
    return {
      args: [
        '-p',
        // stream-json needs --verbose with -p.
        ...['--output-format', 'stream-json', '--verbose'],
        // Beside the servers of the person's own settings. The option takes several values: another option must follow it.
        ...option('--mcp-config', turn.mcp && mcpFile),
        ...permissionArgs(turn),
        // The agent may have written the settings in its folder itself: hooks, servers, rules.
        ...(turn.permissions === 'all' ? [] : ['--setting-sources', 'user']),
        ...option('--model', model),
        ...option('--resume', session),
        ...args,
      ],
      env: {
        ...claudeEnv(env),
        // As root, claude refuses to skip its permission checks unless this variable is set.
        ...(turn.permissions === 'all' ? { IS_SANDBOX: '1' } : {}),
      },
      files: turn.mcp === null ? [] : [{ path: mcpFile, text: mcpConfig(turn.mcp) }],
    };
  },
  reader: createReader,
};

/** Set where the person set nothing. */
const DEFAULTS = {
  // Ten retries take three minutes, and the room retries a failed turn anyway.
  CLAUDE_CODE_MAX_RETRIES: '2',
  // The first request waits for the turn's MCP server.
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_TIMEOUT: '60000',
};

export const claudeEnv = (env: PresetTurn['env']): Record<string, string> =>
  Object.fromEntries(Object.entries(DEFAULTS).filter(([name]) => env[name] === undefined));

// A rule for an absolute path begins with two slashes. A rule for a single command would also allow its redirections.
function permissionArgs({ permissions, dir, room, mcp, wayToRoom }: PresetTurn): string[] {
  if (permissions === 'all') return ['--permission-mode', 'bypassPermissions'];
  const allowed = [
    ...(permissions === 'run' ? ['Bash'] : []),
    ...(mcp === null ? [] : [`mcp__${events.MCP_SERVER}`]),
    `Read(/${dir}/**)`,
    `Read(/${room}/tasks/**)`,
    `Read(/${room}/artifacts/**)`,
  ];
  const inner = wayToRoom.at(-1);
  return [
    ...['--permission-mode', 'acceptEdits', '--allowedTools', allowed.join(',')],
    // Without this rule claude runs shell commands that it considers harmless.
    ...option('--disallowedTools', inner ? `Bash,Edit(/${inner}/**),Read(/${inner}/.taskroom/**)` : null),
  ];
}

const mcpConfig = ({ command, args }: NonNullable<PresetTurn['mcp']>): string =>
  `${JSON.stringify({ mcpServers: { [events.MCP_SERVER]: { command, args } } })}\n`;

function createReader(): events.EventReader {
  let limitUntil: number | null = null;
  const addUsage = createUsageSum();
  return {
    ...events.readByType({
      system: (event) => {
        if (event.subtype === 'init')
          return [...events.session(event.session_id), ...events.tools(listOf(event.mcp_servers))];
        // claude goes on by itself. Until its model answers, this is the only sign of life.
        return event.subtype === 'api_retry' ? [{ type: 'line', text: retryLine(event) }] : [];
      },
      rate_limit_event: (event, clock) => {
        const info = fieldsOf(event.rate_limit_info);
        if (info.status === 'rejected') limitUntil = readEpoch(info.resetsAt, clock);
        return [];
      },
      assistant: (event) => {
        const message = fieldsOf(event.message);
        // claude prints its own failures as messages of the assistant; the result event repeats them.
        const isOwn = event.error !== undefined || message.model === '<synthetic>';
        return [...(isOwn ? [] : spoken(message.content)), ...addUsage(message)];
      },
      user: ({ message }) =>
        listOf(fieldsOf(message).content)
          .filter(({ type }) => type === 'tool_result')
          .map((part) => ({ type: 'result', text: wordsOf(part.content), failed: part.is_error === true })),
      result: (event, clock) => resultOf(event, clock, limitUntil),
    }),
    // Lines before the first event, for example about a session that is gone.
    line: (text) => [{ type: 'line', text }],
  };
}

function spoken(content: unknown): AgentEvent[] {
  return listOf(content).flatMap((part): AgentEvent[] => {
    if (part.type === 'text') return [{ type: 'text', text: textOf(part.text) }];
    return part.type === 'tool_use' ? events.tool(part.name, part.input) : [];
  });
}

const retryLine = ({ attempt, max_retries: retries, error, error_status: status }: Fields): string =>
  `try ${attempt} of ${retries} failed: ${textOf(error)}${status ? ` (${status})` : ''}`;

const WHOLE: readonly unknown[] = ['end_turn', 'stop_sequence', 'tool_use'];

// A failure also has the subtype "success": only is_error tells. claude may report an answer that was cut off or withheld as a
// success.
function resultOf(event: Fields, clock: WordClock, until: number | null): AgentEvent[] {
  const { errors, stop_reason: reason, api_error_status: status } = event;
  const why =
    textOf(event.result) || (Array.isArray(errors) ? errors.join('; ') : '') || textOf(event.subtype);
  const isWhole = typeof reason !== 'string' || WHOLE.includes(reason);
  const trouble =
    event.is_error === true
      ? events.trouble(why, clock, { status, until })
      : isWhole
        ? []
        : events.cutOff(`its model's answer ended: ${reason}`);
  const { inputTokens, outputTokens } = tokensOf(fieldsOf(event.usage));
  return [
    ...events.usage(inputTokens, outputTokens, event.total_cost_usd),
    ...trouble,
    { type: 'end', failed: trouble.length > 0 },
  ];
}

/** Sums the usage of the answers so far; one answer (by its id) comes in several events. The cost comes at the end. */
function createUsageSum() {
  const answers = new Map<string, ReturnType<typeof tokensOf>>();
  return ({ id, usage }: Fields): AgentEvent[] => {
    const used = tokensOf(fieldsOf(usage));
    if (typeof id !== 'string' || used.inputTokens + used.outputTokens === 0) return [];
    answers.set(id, used);
    const all = [...answers.values()];
    const sum = (key: keyof typeof used) => all.reduce((total, each) => total + each[key], 0);
    return events.usage(sum('inputTokens'), sum('outputTokens'));
  };
}

function tokensOf(used: Fields) {
  const cache = countOf(used.cache_creation_input_tokens) + countOf(used.cache_read_input_tokens);
  return { inputTokens: countOf(used.input_tokens) + cache, outputTokens: countOf(used.output_tokens) };
}
