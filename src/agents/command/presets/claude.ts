// Claude Code (code.claude.com/docs/en/headless), proved with 2.1.197.
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import { countOf, type Fields, fieldsOf, listOf, textOf, wordsOf } from '../reading/fields.ts';
import { readEpoch, type WordClock } from '../reading/limit-time.ts';
import {
  cutOffEvents,
  type EventReader,
  MCP_SERVER,
  option,
  type Preset,
  type PresetTurn,
  sessionEvents,
  toolEvents,
  toolsEvents,
  troubleEvents,
  usageEvents,
} from './preset.ts';

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
        // What lies in its folder an agent may have written itself: hooks, servers, rules.
        ...(turn.permissions === 'all' ? [] : ['--setting-sources', 'user']),
        ...option('--model', model),
        ...option('--resume', session),
        ...args,
      ],
      env: {
        ...claudeEnv(env),
        // As root it refuses to let everything pass, unless it is told that nothing else is at stake.
        ...(turn.permissions === 'all' ? { IS_SANDBOX: '1' } : {}),
      },
      files: turn.mcp === null ? [] : [{ path: mcpFile, text: mcpConfig(turn.mcp) }],
    };
  },
  reader: createReader,
};

/** Set where the person set nothing. */
const DEFAULTS = {
  // Ten tries take three minutes; a turn that fails is tried again by the room.
  CLAUDE_CODE_MAX_RETRIES: '2',
  // Its first request waits for the turn's tools.
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_TIMEOUT: '60000',
};

export function claudeEnv(env: PresetTurn['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(DEFAULTS).filter(([name]) => env[name] === undefined));
}

// A rule for a path begins with two slashes. A rule for one command would let its redirections pass.
function permissionArgs(turn: PresetTurn): string[] {
  const { permissions, dir, room } = turn;
  if (permissions === 'all') return ['--permission-mode', 'bypassPermissions'];
  const allowed = [
    ...(permissions === 'run' ? ['Bash'] : []),
    ...(turn.mcp === null ? [] : [`mcp__${MCP_SERVER}`]),
    `Read(/${dir}/**)`,
    `Read(/${room}/tasks/**)`,
    `Read(/${room}/artifacts/**)`,
  ];
  return [
    ...['--permission-mode', 'acceptEdits', '--allowedTools', allowed.join(',')],
    ...option('--disallowedTools', besideRoom(turn)),
  ];
}

// Without a rule for it, its shell runs what it takes for harmless.
function besideRoom({ wayToRoom }: PresetTurn): string | null {
  const room = wayToRoom.at(-1);
  return room === undefined ? null : `Bash,Edit(/${room}/**),Read(/${room}/.taskroom/**)`;
}

function mcpConfig({ command, args }: NonNullable<PresetTurn['mcp']>): string {
  return `${JSON.stringify({ mcpServers: { [MCP_SERVER]: { command, args } } })}\n`;
}

function createReader(): EventReader {
  let limitUntil: number | null = null;
  const usedSoFar = createSum();
  return {
    event(event, clock) {
      if (event.type === 'rate_limit_event') {
        const info = fieldsOf(event.rate_limit_info);
        if (info.status === 'rejected') limitUntil = readEpoch(info.resetsAt, clock);
        return [];
      }
      return [...eventsOf(event, clock, limitUntil), ...usedSoFar(event)];
    },
    // What it says before its first event, as of a session that is gone.
    line: (text) => [{ type: 'line', text }],
  };
}

function eventsOf(event: Fields, clock: WordClock, until: number | null): AgentEvent[] {
  const message = fieldsOf(event.message);
  switch (event.type) {
    case 'system':
      if (event.subtype === 'init')
        return [...sessionEvents(event.session_id), ...toolsEvents(listOf(event.mcp_servers))];
      // It goes on, or says at its end what it met: until then it prints nothing while its model answers.
      return event.subtype === 'api_retry' ? [{ type: 'line', text: retryLine(event) }] : [];
    case 'assistant':
      // Of its own failures it makes words of the assistant; the result says them again.
      return event.error === undefined && message.model !== '<synthetic>' ? said(message.content) : [];
    case 'user':
      return listOf(message.content).flatMap((part): AgentEvent[] =>
        part.type === 'tool_result'
          ? [{ type: 'result', text: wordsOf(part.content), failed: part.is_error === true }]
          : [],
      );
    case 'result':
      return resultOf(event, clock, until);
    default:
      return [];
  }
}

function said(content: unknown): AgentEvent[] {
  return listOf(content).flatMap((part): AgentEvent[] => {
    if (part.type === 'text') return [{ type: 'text', text: textOf(part.text) }];
    if (part.type !== 'tool_use') return [];
    return toolEvents(part.name, part.input);
  });
}

function retryLine({ attempt, max_retries: retries, error, error_status: status }: Fields): string {
  return `try ${attempt} of ${retries} failed: ${textOf(error)}${status ? ` (${status})` : ''}`;
}

// A failure too says subtype "success": only is_error tells.
function resultOf(event: Fields, clock: WordClock, until: number | null): AgentEvent[] {
  const words = textOf(event.result) || listOfTexts(event.errors) || textOf(event.subtype);
  const status = event.api_error_status;
  const trouble =
    event.is_error === true ? troubleEvents(words, { status, until }, clock) : cutOff(event.stop_reason);
  const { inputTokens, outputTokens } = tokensOf(fieldsOf(event.usage));
  return [
    ...usageEvents(inputTokens, outputTokens, event.total_cost_usd),
    ...trouble,
    { type: 'end', failed: trouble.length > 0 },
  ];
}

const WHOLE: readonly unknown[] = ['end_turn', 'stop_sequence', 'tool_use'];

/** Of an answer that was cut off or withheld it may say that all went well. */
function cutOff(reason: unknown): AgentEvent[] {
  if (typeof reason !== 'string' || WHOLE.includes(reason)) return [];
  return cutOffEvents(`its model's answer ended: ${reason}`);
}

/** What its answers used so far: each stands in several events, by its id. What it cost is told at the end. */
function createSum(): (event: Fields) => AgentEvent[] {
  const answers = new Map<string, { inputTokens: number; outputTokens: number }>();
  return (event) => {
    const { id, usage } = fieldsOf(event.message);
    if (event.type !== 'assistant' || typeof id !== 'string') return [];
    const used = tokensOf(fieldsOf(usage));
    if (used.inputTokens + used.outputTokens === 0) return [];
    answers.set(id, used);
    const sum = { inputTokens: 0, outputTokens: 0, costUsd: null };
    for (const { inputTokens, outputTokens } of answers.values()) {
      sum.inputTokens += inputTokens;
      sum.outputTokens += outputTokens;
    }
    return [{ type: 'usage', usage: sum }];
  };
}

function tokensOf(used: Fields): { inputTokens: number; outputTokens: number } {
  const cache = countOf(used.cache_creation_input_tokens) + countOf(used.cache_read_input_tokens);
  return { inputTokens: countOf(used.input_tokens) + cache, outputTokens: countOf(used.output_tokens) };
}

function listOfTexts(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join('; ') : '';
}
