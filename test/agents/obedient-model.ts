// A model without a mind: it does what the prompt says to the letter, one tool call after the other, with the tools its
// agent gives it. Commands are taken from the prompt's own text, so that a prompt or preset that can't work is found out.
import type { ModelAnswer, ModelRequest } from './model-server.ts';

export interface Wishes {
  /** Absolute path of the file of the project that is to be changed. */
  file: string;
  /** Ends its work after the first tool call. */
  givesUp: boolean;
  /** Commands it is told to run instead of all else, before it is done. */
  commands: readonly string[];
  /** What it tries instead of all else, as far as its agent gives it tools for that. */
  attack?: () => Move[];
  /** Why its last answer ends before it is through. */
  cutBy?: 'length' | 'content_filter' | 'refusal';
  /** Wants its commands to run outside its sandbox, where its tool has a word for that. */
  escalates: boolean;
}

const MOST_CALLS = 400;
const TASK_PROMPT = 'You take one turn on one task';
/** What each answer costs, under the name each provider has for it. */
const USED = {
  ...{ prompt_tokens: 1000, completion_tokens: 10 },
  ...{ input_tokens: 1000, output_tokens: 10 },
  ...{ promptTokenCount: 1000, candidatesTokenCount: 10 },
};
/** What agents ask beside the work: a title, or which of their models fits. */
const ASIDE = JSON.stringify({ title: 'A task', complexity_reasoning: 'It is plain.', complexity_score: 10 });
const TEXT = 'Looked at it: "two" causes & no risks.';

/** How an agent's tool for a purpose is called; the first whose name it offers. */
const SHELLS: Readonly<Record<string, (command: string, asks: boolean) => object>> = {
  Bash: (command) => ({ command, description: 'As the prompt says' }),
  exec_command: (cmd, asks) => ({
    cmd,
    ...(asks && { sandbox_permissions: 'require_escalated', justification: 'May it run?' }),
  }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  run_shell_command: (command) => ({ command, description: 'As the prompt says' }),
  bash: (command) => ({ command, description: 'As the prompt says' }),
};

const WRITERS: Readonly<Record<string, (path: string, text: string) => object>> = {
  Write: (path, content) => ({ file_path: path, content }),
  write_file: (path, content) => ({ file_path: path, content }),
  write: (path, content) => ({ filePath: path, content }),
};

const CREATORS: typeof WRITERS = { ...WRITERS, create: (path, file_text) => ({ path, file_text }) };

const READERS: Readonly<Record<string, (path: string) => object>> = {
  Read: (path) => ({ file_path: path }),
  read_file: (path) => ({ file_path: path }),
  read: (path) => ({ filePath: path }),
  view: (path) => ({ path }),
};

const EDITORS: Readonly<Record<string, (path: string, from: string, to: string) => object>> = {
  Edit: (file_path, old_string, new_string) => ({ file_path, old_string, new_string }),
  replace: (file_path, old_string, new_string) => ({
    ...{ file_path, old_string, new_string },
    instruction: 'As the notes say',
  }),
  edit: (path, from, to) => ({
    ...{ filePath: path, oldString: from, newString: to },
    ...{ path, old_str: from, new_str: to },
  }),
};

const PATCHERS: Readonly<Record<string, (text: string) => object>> = {
  apply_patch: (patchText) => ({ patchText, input: patchText }),
};

const SEARCHERS: Readonly<Record<string, (words: string, path: string) => object>> = {
  Grep: (pattern, path) => ({ pattern, path, output_mode: 'content' }),
  grep_search: (pattern, dir_path) => ({ pattern, dir_path, no_ignore: true }),
  grep: (pattern, path) => ({ pattern, path, output_mode: 'content' }),
  rg: (pattern, path) => ({ pattern, path, output_mode: 'content' }),
};

export type Move =
  | { tool: string; input: object }
  | { shell: string; escalates?: boolean }
  | { read: string }
  | { write: { path: string; text: string } }
  | { edit: { path: string; from: string; to: string } }
  | { patch: string }
  | { search: { words: string; path: string } }
  | { create: { path: string; text: string } };

/** The model as a function: what it answers follows from the conversation alone. */
export function createObedientModel(wishes: () => Wishes) {
  // Of two calls with one name an agent may forget the first; and no turn takes as many answers as this.
  let calls = 0;
  return (request: ModelRequest): ModelAnswer => {
    const { messages } = request;
    const start = messages.findLastIndex((message) => textOf(message).includes(TASK_PROMPT));
    if (start === -1 || !request.tools?.length) return { content: ASIDE };
    const done = messages.slice(start + 1).filter(({ role }) => role === 'tool').length;
    if (calls > MOST_CALLS) return { content: 'This goes round in circles.' };
    const { attack, cutBy } = wishes();
    const moves = (attack?.() ?? plan(textOf(messages[start]!), wishes(), request)).filter((each) =>
      canMake(each, request),
    );
    const move = moves[done];
    if (move === undefined && cutBy !== undefined)
      return { content: 'Then I wanted', usage: USED, finishReason: cutBy };
    if (move === undefined) return { content: 'The work is done.', usage: USED };
    calls += 1;
    const toolCalls = [call(move, request, `call_${calls}`)];
    return { content: `Step ${done + 1}.`, toolCalls, usage: USED };
  };
}

function plan(prompt: string, wishes: Wishes, { tools = [] }: ModelRequest): Move[] {
  if (!prompt.includes('tools of the MCP server')) return planByCommands(prompt, wishes);
  if (!tools.some((tool) => tool.function.name.endsWith('complete_task')))
    throw new Error(`none of the room's tools among ${tools.map((tool) => tool.function.name).join(', ')}`);
  return planByTools(prompt, wishes);
}

function planByTools(prompt: string, { file, givesUp, commands, escalates }: Wishes): Move[] {
  const tool = (name: string, input: object): Move => {
    if (!prompt.includes(`\`${name}\``)) throw new Error(`the prompt names no tool ${name}`);
    return { tool: name, input };
  };
  const done = tool('complete_task', { outcome: 'The file says so now.' });
  if (commands.length > 0) return [...commands.map((shell) => ({ shell, escalates })), done];
  const moves: Move[] = [
    tool('get_task', {}),
    { read: file },
    { write: { path: file, text: `changed by an agent\n` } },
    tool('update_step', { index: 0, done: true }),
    tool('update_task', { progress: TEXT }),
    tool('update_task', { progress: 'Then the rest.' }),
    done,
  ];
  return givesUp ? moves.slice(0, 1) : moves;
}

function planByCommands(prompt: string, { file, givesUp, commands, escalates }: Wishes): Move[] {
  const done = { shell: withText(commandOf(prompt, 'done'), 'The file says so now.') };
  if (commands.length > 0) return [...commands.map((shell) => ({ shell, escalates })), done];
  const progress = withText(commandOf(prompt, 'progress'), TEXT);
  const moves: Move[] = [
    { shell: commandOf(prompt, 'show') },
    { read: contextOf(prompt) },
    { read: file },
    { write: { path: file, text: `changed by an agent\n` } },
    { shell: commandOf(prompt, 'step') },
    { shell: progress },
    ...heredocs(prompt),
    // Two at once, as agents like to do.
    { shell: `${progress.replace(TEXT, 'Then the rest.')} && ${commandOf(prompt, 'show')}` },
    done,
  ];
  return givesUp ? moves.slice(0, 1) : moves;
}

/** The first command of this verb that the prompt shows in backticks. */
function commandOf(prompt: string, verb: string): string {
  const shown = [...prompt.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
  const found = shown.find((text) => new RegExp(`taskroom['"]? ${verb}\\b`).test(text));
  if (found === undefined) throw new Error(`the prompt shows no command ${verb}`);
  return found;
}

const withText = (command: string, text: string) => command.replace(/'[^']*'$/, `'${text}'`);

function contextOf(prompt: string): string {
  const found = /`([^`\n]*(?:context\.json|TASKROOM_CONTEXT)[^`\n]*)`/.exec(prompt)?.[1];
  if (found === undefined) throw new Error('the prompt names no context file');
  return found.startsWith('$') ? `"${found}"` : found;
}

/** Examples that read their text from a heredoc, in a fenced block. */
function heredocs(prompt: string): Move[] {
  const block = /^```(?:sh)?\n([^`]*taskroom[^`]*<<[^`]*)\n```$/m.exec(prompt)?.[1];
  return block === undefined ? [] : [{ shell: block }];
}

function call(move: Move, { tools }: ModelRequest, id: string) {
  const offered = new Set(tools!.map((tool) => tool.function.name));
  if ('tool' in move) {
    // Each program has a prefix of its own for the tools of a server.
    const name = [...offered].find(
      (each) =>
        each === move.tool ||
        (/[_\-./]$/.test(each.slice(0, -move.tool.length)) &&
          each.endsWith(move.tool) &&
          each.includes('taskroom')),
    );
    if (name === undefined) throw new Error(`no tool ${move.tool} among ${[...offered].join(', ')}`);
    return { id, name, arguments: JSON.stringify(move.input) };
  }
  const made = inputOf(move);
  if (made !== null) {
    const name = Object.keys(made.tools).find((tool) => offered.has(tool))!;
    return { id, name, arguments: JSON.stringify(made.input(name)) };
  }
  if ('write' in move) {
    const name = Object.keys(WRITERS).find((tool) => offered.has(tool));
    const { path, text } = move.write;
    if (name !== undefined) return { id, name, arguments: JSON.stringify(WRITERS[name]!(path, text)) };
    // Copilot's way to change a file that is there.
    if (offered.has('view') && offered.has('create') && !path.endsWith('notes.txt'))
      return { id, name: 'create', arguments: JSON.stringify({ path, file_text: text }) };
    if (offered.has('view') && offered.has('edit'))
      return { id, name: 'edit', arguments: JSON.stringify({ path, old_str: 'one\n', new_str: text }) };
    // Codex edits by a patch that no function call carries; its shell writes as well.
    return call({ shell: `printf '%s' '${text}' > ${quoted(path)}` }, { tools } as ModelRequest, id);
  }
  if ('read' in move) {
    const name = Object.keys(READERS).find((tool) => offered.has(tool));
    if (name !== undefined) return { id, name, arguments: JSON.stringify(READERS[name]!(move.read)) };
    return call({ shell: `cat ${quoted(move.read)}` }, { tools } as ModelRequest, id);
  }
  if (!('shell' in move)) throw new Error('a move without a tool');
  const shell = Object.keys(SHELLS).find((tool) => offered.has(tool));
  if (shell === undefined) throw new Error(`no shell among ${[...offered].join(', ')}`);
  return { id, name: shell, arguments: JSON.stringify(SHELLS[shell]!(move.shell, move.escalates === true)) };
}

/** Moves that are made with one tool, whatever its name. */
function inputOf(move: Move): { tools: object; input: (tool: string) => object } | null {
  if ('create' in move) {
    const { path, text } = move.create;
    return { tools: CREATORS, input: (tool) => CREATORS[tool]!(path, text) };
  }
  if ('edit' in move) {
    const { path, from, to } = move.edit;
    return { tools: EDITORS, input: (tool) => EDITORS[tool]!(path, from, to) };
  }
  if ('search' in move) {
    const { words, path } = move.search;
    return { tools: SEARCHERS, input: (tool) => SEARCHERS[tool]!(words, path) };
  }
  if ('patch' in move) return { tools: PATCHERS, input: (tool) => PATCHERS[tool]!(move.patch) };
  return null;
}

/** A move is passed over where the agent has no tool for it. */
function canMake(move: Move, { tools = [] }: ModelRequest): boolean {
  const known = 'shell' in move ? SHELLS : (inputOf(move)?.tools ?? null);
  return known === null || tools.some((tool) => tool.function.name in known);
}

const quoted = (path: string) => `'${path}'`;

function textOf({ content }: ModelRequest['messages'][number]): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('\n');
}
