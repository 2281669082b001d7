// Codex CLI (`codex exec`), proved with 0.169.0.
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import { countOf, type Fields, fieldsOf, listOf, textOf, wordsOf } from '../reading/fields.ts';
import type { WordClock } from '../reading/limit-time.ts';
import {
  MCP_SERVER,
  option,
  type Preset,
  type PresetTurn,
  plainLine,
  sessionEvents,
  toolEvents,
  troubleEvents,
  usageEvents,
} from './preset.ts';

export const codex: Preset = {
  program: 'codex',
  proved: '0.169.0',
  install: 'install it: npm install -g @openai/codex',
  signIn: 'sign in with `codex login`',
  account: {
    variables: ['CODEX_API_KEY'],
    files: [
      { path: '.codex/auth.json', holds: /\S/ },
      { path: '.codex/config.toml', holds: /^\s*model_provider\s*=/m },
    ],
  },
  shell({ permissions, spool }) {
    if (permissions === 'all') return null;
    const roots = `sandbox_workspace_write.writable_roots=[${JSON.stringify(spool)}]`;
    return ['sandbox', '-c', 'sandbox_mode="workspace-write"', '-c', roots, '--'];
  },
  start(turn) {
    const { model, session, args } = turn;
    return {
      // Options stand before `resume`, which does not know them all; `-` reads the prompt from stdin.
      args: [
        'exec',
        ...['--json', '--skip-git-repo-check'],
        ...permissionArgs(turn),
        ...mcpArgs(turn),
        // A login shell sets the PATH anew, and `taskroom` is gone from it.
        ...['-c', 'allow_login_shell=false'],
        ...projectArgs(turn),
        ...option('--model', model),
        ...args,
        ...(session === null ? [] : ['resume', session]),
        '-',
      ],
      env: {},
      files: [],
    };
  },
  reader: () => ({ event: eventsOf, line: plainLine }),
};

/** What lies in its folder an agent may have written itself: servers, hooks, rules, skills. */
function projectArgs({ permissions, cwd }: PresetTurn): string[] {
  if (permissions === 'all') return [];
  // A key would be taken apart at the dots of the path.
  const trust = `projects={${JSON.stringify(cwd)}={trust_level="untrusted"}}`;
  return ['project_doc_max_bytes=0', 'skills.include_instructions=false', trust].flatMap((key) => [
    '-c',
    key,
  ]);
}

// Its sandbox runs any program, and lets it write in its folder, in those added and in temporary ones alone.
function permissionArgs(turn: PresetTurn): string[] {
  const { permissions, spool, gitDirs } = turn;
  if (permissions === 'all') return ['--dangerously-bypass-approvals-and-sandbox'];
  if (turn.wayToRoom.length > 0) return besideRoom(turn);
  const edit = ['--sandbox', 'workspace-write', '--add-dir', spool];
  if (permissions === 'edit') return edit;
  // `.git` is read-only to it unless it is named.
  return [
    ...edit,
    ...gitDirs.flatMap((dir) => ['--add-dir', dir]),
    ...['-c', 'sandbox_workspace_write.network_access=true'],
  ];
}

// The same as a profile of permissions, which alone can take a folder out of another. A folder around the room would be renamed
// with it, unless it is named too.
function besideRoom({ wayToRoom, spool, readText }: PresetTurn): string[] {
  const room = wayToRoom.at(-1)!;
  const token = `${room}/.taskroom/token`;
  const paths = {
    ...{ ':root': 'read', ':tmpdir': 'write', ':slash_tmp': 'write' },
    ...Object.fromEntries(wayToRoom.map((folder) => [folder, 'write'])),
    [room]: 'read',
    // It can't deny what is not there.
    ...(readText(token) !== null && { [token]: 'deny' }),
    [spool]: 'write',
  };
  const files = Object.entries(paths).map(([path, how]) => `${JSON.stringify(path)}="${how}"`);
  const own = '":workspace_roots"={"."="write",".git"="read",".codex"="read",".agents"="read"}';
  return [
    ...['-c', 'default_permissions="taskroom"'],
    ...['-c', `permissions.taskroom.filesystem={${[...files, own].join(',')}}`],
  ];
}

/** The turn's server, which needs nobody's leave for a call. Without its tools no turn begins, however long it takes to start. */
export function codexServer({ command, args }: NonNullable<PresetTurn['mcp']>) {
  const start = { required: true, startup_timeout_sec: 60 };
  return { command, args, default_tools_approval_mode: 'approve', ...start };
}

// A server of the room starts outside its sandbox.
function mcpArgs({ mcp }: PresetTurn): string[] {
  return Object.entries(mcp === null ? {} : codexServer(mcp)).flatMap(([key, value]) => [
    '-c',
    `mcp_servers.${MCP_SERVER}.${key}=${JSON.stringify(value)}`,
  ]);
}

function eventsOf(event: Fields, clock: WordClock): AgentEvent[] {
  const used = fieldsOf(event.usage);
  switch (event.type) {
    case 'thread.started':
      return sessionEvents(event.thread_id);
    case 'item.started':
      return toolCall(fieldsOf(event.item));
    case 'item.completed':
      return itemEvents(fieldsOf(event.item));
    case 'error':
      return troubleEvents(event.message, {}, clock);
    case 'turn.failed':
      return [...troubleEvents(fieldsOf(event.error).message, {}, clock), { type: 'end', failed: true }];
    case 'turn.completed':
      // Input counts what came from the cache too.
      return [
        ...usageEvents(countOf(used.input_tokens), countOf(used.output_tokens)),
        { type: 'end', failed: false },
      ];
    default:
      return [];
  }
}

function toolCall(item: Fields): AgentEvent[] {
  if (item.type === 'command_execution') return toolEvents('shell', item);
  if (item.type !== 'mcp_tool_call') return [];
  return toolEvents(`${textOf(item.server)}.${textOf(item.tool)}`, item.arguments);
}

function itemEvents(item: Fields): AgentEvent[] {
  const failed = item.status === 'failed';
  switch (item.type) {
    case 'agent_message':
      return [{ type: 'text', text: textOf(item.text) }];
    case 'command_execution':
      return [{ type: 'result', text: textOf(item.aggregated_output), failed }];
    case 'mcp_tool_call': {
      const text = failed ? wordsOf(fieldsOf(item.error).message) : wordsOf(fieldsOf(item.result).content);
      return [{ type: 'result', text, failed }];
    }
    case 'file_change': {
      const changes = listOf(item.changes).map(({ kind, path }) => `${textOf(kind)} ${textOf(path)}`);
      return [
        { type: 'tool', name: 'patch', input: changes.join(', ') },
        ...(failed ? [{ type: 'result' as const, text: 'the patch did not apply', failed }] : []),
      ];
    }
    // A warning: a turn goes on after it.
    case 'error':
      return [{ type: 'line', text: textOf(item.message) }];
    default:
      return [{ type: 'alive' }];
  }
}
