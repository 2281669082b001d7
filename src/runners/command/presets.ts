// Command lines of the common coding agents: program, arguments for one turn without a person (prompt on
// stdin), and how a later turn resumes the session. Each asks for no more than leave to edit files and to run
// `taskroom`; wider permissions are the person's to give, in that tool's own settings.
import type { PresetName } from '../../core/config/agent-config.ts';

export interface Preset {
  program: string;
  /** True when it prints events while it works, so that silence means trouble. */
  streams: boolean;
  /** Arguments of one turn; `session` is a session id of an earlier one, or null. */
  argv(model: string | null, session: string | null): string[];
  /** The session id in one event of its output, or null. */
  session(event: Record<string, unknown>): unknown;
  /** How to mend a missing program, one clause. */
  install: string;
}

// A session id goes into an argument list: what could be read as an option is no id.
const SESSION_ID = /^[A-Za-z0-9][\w.:-]{0,199}$/;

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  // Claude Code 2.x, docs.anthropic.com/en/docs/claude-code/cli-reference. stream-json needs --verbose with
  // -p; its first event is {"type":"system","subtype":"init","session_id":…}.
  claude: {
    program: 'claude',
    streams: true,
    argv: (model, session) => [
      '-p',
      ...['--output-format', 'stream-json', '--verbose'],
      ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(taskroom:*)'],
      ...option('--model', model),
      ...option('--resume', session),
    ],
    session: (event) => event.session_id,
    install: 'install it: npm install -g @anthropic-ai/claude-code',
  },
  // Codex CLI, codex-rs/exec/src/cli.rs of 2026 (--full-auto removed). `-` reads the prompt from stdin;
  // --sandbox is no option of the `resume` subcommand, so options stand before it. The first event is
  // {"type":"thread.started","thread_id":…}.
  codex: {
    program: 'codex',
    streams: true,
    argv: (model, session) => [
      'exec',
      ...['--json', '--skip-git-repo-check', '--sandbox', 'workspace-write'],
      ...option('--model', model),
      ...(session === null ? [] : ['resume', session]),
      '-',
    ],
    session: (event) => (event.type === 'thread.started' ? event.thread_id : null),
    install: 'install it: npm install -g @openai/codex',
  },
  // Gemini CLI, docs/cli/cli-reference.md of 2026: stdin that is no terminal is the prompt. The first event
  // is {"type":"init","session_id":…}.
  gemini: {
    program: 'gemini',
    streams: true,
    argv: (model, session) => [
      ...['--output-format', 'stream-json', '--approval-mode', 'auto_edit'],
      ...['--allowed-tools', 'run_shell_command(taskroom)'],
      ...option('--model', model),
      ...option('--resume', session),
    ],
    session: (event) => (event.type === 'init' ? event.session_id : null),
    install: 'install it: npm install -g @google/gemini-cli',
  },
  // opencode 1.x, packages/opencode/src/cli/cmd/run.ts: `run` without a message takes stdin. Every event
  // holds "sessionID". Its model is written provider/model.
  opencode: {
    program: 'opencode',
    streams: true,
    argv: (model, session) => [
      'run',
      ...['--format', 'json'],
      ...option('--model', model),
      ...option('--session', session),
    ],
    session: (event) => event.sessionID,
    install: 'install it: npm install -g opencode-ai',
  },
  // GitHub Copilot CLI 1.0, docs.github.com cli-command-reference: piped stdin is the prompt, JSONL on
  // stdout. The last event is {"type":"result","sessionId":…}.
  copilot: {
    program: 'copilot',
    streams: true,
    argv: (model, session) => [
      ...['--output-format=json', '--no-color', '--no-ask-user'],
      ...['--allow-tool=write', '--allow-tool=shell(taskroom:*)'],
      ...(model === null ? [] : [`--model=${model}`]),
      ...(session === null ? [] : [`--resume=${session}`]),
    ],
    session: (event) => (event.type === 'result' ? (event.sessionId ?? nested(event)) : null),
    install: 'install it: npm install -g @github/copilot',
  },
};

/** The first session id named by an event in a piece of JSON-lines output; other lines are passed over. */
export function readSession(preset: Preset, output: string): string | null {
  for (const line of output.split('\n')) {
    const event = line.startsWith('{') ? parseEvent(line) : null;
    const id = event ? preset.session(event) : null;
    if (typeof id === 'string' && SESSION_ID.test(id)) return id;
  }
  return null;
}

function parseEvent(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function nested(event: Record<string, unknown>): unknown {
  const data = event.data;
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>).sessionId : null;
}

function option(name: string, value: string | null): string[] {
  return value === null ? [] : [name, value];
}
