// GitHub Copilot CLI (docs.github.com: Copilot CLI command reference), proved with 1.0.102.
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import { type Fields, fieldsOf, textOf, wordsOf } from '../reading/fields.ts';
import type { WordClock } from '../reading/limit-time.ts';
import { telemetryFile } from '../reading/telemetry.ts';
import {
  MCP_SERVER,
  type Preset,
  type PresetTurn,
  plainLine,
  sessionEvents,
  toolEvents,
  toolsEvents,
  troubleEvents,
} from './preset.ts';
import { refusedTo } from './taken-files.ts';

export const copilot: Preset = {
  program: 'copilot',
  proved: '1.0.102',
  install: 'install it: npm install -g @github/copilot',
  signIn: 'sign in with `copilot login`, or set COPILOT_GITHUB_TOKEN or COPILOT_PROVIDER_BASE_URL',
  account: {
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_BASE_URL'],
    files: [
      { path: '.copilot/config.json', holds: /"?(logged_in_users|last_logged_in_user|loggedInUsers)"?/ },
      { path: '.config/gh/hosts.yml', holds: /oauth_token|user:/ },
    ],
  },
  start(turn) {
    const { model, session, args } = turn;
    return {
      args: [
        ...['--output-format=json', '--no-color', '--no-ask-user'],
        ...copilotAlone(turn),
        ...copilotMcp(turn.mcp),
        ...permissionArgs(turn),
        ...(model === null ? [] : [`--model=${model}`]),
        ...(session === null ? [] : [`--resume=${session}`]),
        ...args,
      ],
      env: copilotEnv(turn),
      files: [],
    };
  },
  reader: () => ({ event: (event, clock) => eventsOf(event, fieldsOf(event.data), clock), line: plainLine }),
};

/** Set where the person set nothing of the kind. */
export function copilotEnv({ env, dir }: Pick<PresetTurn, 'env' | 'dir'>): Record<string, string> {
  const hasTelemetry = Object.keys(env).some((name) => /^(COPILOT_)?OTEL_/.test(name));
  return {
    // One that updates itself is another than the one that was proved.
    ...(env.COPILOT_AUTO_UPDATE === undefined && { COPILOT_AUTO_UPDATE: 'false' }),
    ...(!hasTelemetry && { COPILOT_OTEL_FILE_EXPORTER_PATH: telemetryFile(dir) }),
  };
}

/** Rules that lie in its folder an agent may have written itself; what it takes all the same it can't write. */
export function copilotAlone({ permissions }: Pick<PresetTurn, 'permissions'>): string[] {
  return permissions === 'all' ? [] : ['--no-custom-instructions', ...REFUSED];
}

// A rule without a slash at its beginning is about the last names of a path.
const REFUSED = refusedTo('copilot').flatMap((name) =>
  [name, `${name}/**`].map((path) => `--deny-tool=write(${path})`),
);

export function copilotMcp(mcp: PresetTurn['mcp']): string[] {
  if (mcp === null) return [];
  const server = { type: 'local', command: mcp.command, args: mcp.args, tools: ['*'] };
  const config = JSON.stringify({ mcpServers: { [MCP_SERVER]: server } });
  return [`--additional-mcp-config=${config}`, `--allow-tool=${MCP_SERVER}`];
}

// Where it may read it may write: the room itself is none of its folders.
function permissionArgs({ permissions, dir }: PresetTurn): string[] {
  if (permissions === 'all') return ['--allow-all'];
  return ['--allow-tool=write', ...(permissions === 'run' ? ['--allow-tool=shell', `--add-dir=${dir}`] : [])];
}

function eventsOf(event: Fields, data: Fields, clock: WordClock): AgentEvent[] {
  switch (event.type) {
    case 'assistant.message':
      return textOf(data.content) === '' ? [] : [{ type: 'text', text: textOf(data.content) }];
    case 'assistant.message_delta':
      return [{ type: 'alive' }];
    case 'tool.execution_start':
      return toolEvents(data.toolName, data.arguments);
    case 'tool.execution_complete': {
      const failed = data.success === false;
      const text = failed ? fieldsOf(data.error).message : fieldsOf(data.result).content;
      return [{ type: 'result', text: wordsOf(text), failed }];
    }
    case 'session.mcp_server_status_changed':
      return toolsEvents([data]);
    case 'session.error':
      return sessionTrouble(data, clock);
    case 'result': {
      const failed = event.exitCode !== undefined && event.exitCode !== 0;
      return [...sessionEvents(event.sessionId ?? data.sessionId), { type: 'end', failed }];
    }
    default:
      return [];
  }
}

function sessionTrouble(data: Fields, clock: WordClock) {
  const { errorType, statusCode } = data;
  const kinds = {
    authentication: 'credentials',
    authorization: 'credentials',
    rate_limit: 'limit',
    quota: 'limit',
    context_limit: 'context',
  } as const;
  const kind = kinds[errorType as keyof typeof kinds];
  return troubleEvents(data.message, { status: statusCode, ...(kind && { kind }) }, clock);
}
