// `taskroom init`: makes a room in a folder.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CodingAgent } from '../../app/agents/coding-agents.ts';
import { PRESET_NAMES, type PresetName } from '../../core/config/agent-config.ts';
import { suggest } from '../../core/document/suggest.ts';
import { isRoomError, quoteWord, RoomError } from '../../core/errors.ts';
import type { ProjectKeys } from '../../tasks/room/init-room.ts';
import { initRoom, keysOfProject, placeOfRoom, repositoryOf } from '../../tasks/room/init-room.ts';
import type { Call, CommandModule } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';
import type { Terminal } from '../terminal.ts';

const NONE = 'runbook'; // The word for no coding agent.

interface Chosen {
  agent: string;
  preset: PresetName | null; // Null for the runbook, and for an agent of the room that is no preset.
}

const asChosen = (preset: PresetName | null): Chosen => ({ agent: preset ?? NONE, preset });

/** What `--agent` names: a coding agent, the runbook, or an agent of the room. @throws RoomError `bad_input` */
function parseAgent(word: string, dir: string): Chosen {
  if (word === NONE) return asChosen(null);
  const known = PRESET_NAMES.find((name) => name === word);
  if (known !== undefined) return asChosen(known);
  if (/^[\w.-]+$/.test(word) && existsSync(join(dir, `agents/${word}/agent.json`)))
    return { agent: word, preset: null };
  const near = suggest(word, [...PRESET_NAMES, NONE]);
  const hint = near === null ? `one of ${[...PRESET_NAMES, NONE].join(', ')}` : `did you mean ${near}?`;
  throw new RoomError('bad_input', `${JSON.stringify(word)} is no agent that is known here`, hint);
}

/** The first that is signed in; on a terminal the person chooses where there are several, or none is. */
async function chooseAgent({ terminal, json }: Call, found: readonly CodingAgent[]) {
  const offered = found.find(({ signedIn }) => signedIn)?.preset ?? null;
  if (json || found.length === 0 || (found.length === 1 && offered !== null)) return offered;
  const listed = found.map(({ preset, signedIn }) => `${preset}${signedIn ? '' : ' (no sign-in found)'}`);
  const question = `Found ${listed.join(', ')}. Which one takes the tasks, or ${NONE}? [${offered ?? NONE}] `;
  const word = (await terminal.ask(question))?.trim() ?? '';
  return word === '' ? offered : (found.find(({ preset }) => preset === word)?.preset ?? null);
}

/** Asks for the agent's project; null for the one that is offered, and without a terminal. */
async function askForProject(terminal: Terminal, offered: string | null): Promise<string | null> {
  const none = 'a folder of each task';
  const answer = await terminal.ask(`Which project does it work in? [${offered ?? none}] (- for ${none}) `);
  const word = answer?.trim() ?? '';
  return word === '-' ? '' : word === '' ? null : word.replace(/^~(?=\/|$)/, terminal.env.HOME ?? '~');
}

export const command: CommandModule = {
  hereOnly: 'it makes the folder that the room is',
  about:
    'Makes a room: settings, a folder for tasks, and agents. Tasks go to the coding agent that is installed and signed in here, else to the runbook. What is there already stays as it is.',
  arguments: [{ name: 'dir', about: 'the folder; else --room, AGENT_ROOM, or this folder', optional: true }],
  options: [
    [
      '--agent <name>',
      'who takes the tasks: claude, codex, gemini, opencode, copilot, an agent of the room; runbook for none. In a room that is there already it becomes the default',
    ],
    [
      '--project <dir>',
      'where that agent works; else asked on a terminal, else the git repository that init is called in; "" for a folder of each task',
    ],
    ['--agents-md', 'only write the section of AGENTS.md that tells interactive agents how to work here'],
    [
      '--skill',
      'only write the Agent Skill of this room (.agents/skills, .claude/skills) and a plugin folder for Claude Code and Codex (.agents/plugins/taskroom)',
    ],
    ['--check', 'with --agents-md or --skill: change nothing; ends with 1 when one is missing or old'],
  ],
  examples: {
    'taskroom init ~/room': 'a new room',
    'taskroom init ~/room --agent claude --project ~/web':
      'a room whose tasks Claude Code takes, in that project',
    'taskroom init --agents-md --skill --check': 'in CI: are AGENTS.md and the skill as they should be',
  },
  notes:
    'Without --agent the coding agent that is signed in takes the tasks; of several it asks on a terminal, else it takes the first.\nWith --json: {"room","agent","cwd","workspace","made":[…],"kept":[…],"changed":[…]}, the two of a project where there is one.',
  async run(call) {
    const { words, options, json, terminal, paint } = call;
    if (terminal.env.TASKROOM_TURN)
      throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
    const dir = resolve(terminal.cwd, words[0] ?? options.text('room') ?? (terminal.env.AGENT_ROOM || '.'));
    if (['agents-md', 'skill', 'check'].some(options.flag)) return keepFiles(call, dir);
    const said = options.text('agent');
    const found = await (await import('../../app/agents/coding-agents.ts')).findCodingAgents(call.effects);
    // A room that is there already has its agents.
    const chooses = !existsSync(join(dir, 'room.yaml'));
    const chosen = said ? parseAgent(said, dir) : asChosen(chooses ? await chooseAgent(call, found) : null);
    const { agent, preset } = chosen;
    const isNew = preset !== null && !existsSync(join(dir, `agents/${preset}/agent.json`));
    const project = isNew ? await chooseProject(call, dir, preset) : {};
    const isSaid = said != null;
    const { room, made, kept, changed, advice } = initRoom(dir, { ...chosen, project, isSaid });
    const answer = { room, agent, ...project, made, kept, changed };
    if (json) return void terminal.write(`${JSON.stringify(answer)}\n`);
    const flag = room === terminal.cwd ? '' : ` --room ${quoteWord(room)}`;
    const lines = [
      `${paint('green', '✓')} ${made.length === 0 ? 'was a room already' : 'a room'}: ${cleanLine(room)}`,
      ...made.map((path) => `  made  ${path}`),
      ...changed.map((path) => `  default_agent: ${cleanLine(agent)} in ${path}`),
      ...kept.filter((path) => !changed.includes(path)).map((path) => paint('dim', `  kept  ${path}`)),
      ...(chooses && !isSaid && preset !== null
        ? [`  tasks go to ${preset}, which is installed here; --agent runbook makes a room without it`]
        : []),
      ...[...adviceOn(preset, found, isSaid || !chooses).map(cleanLine), ...advice].map(
        (text) => `  ${paint('yellow', '!')} ${text}`,
      ),
      ...['', 'Next:', ...nextSteps(preset, project, cleanLine(room), flag)],
    ];
    terminal.write(`${lines.join('\n')}\n`);
    return undefined;
  },
};

/** The project that the person names, or the repository that the command is called in. */
async function chooseProject({ options, terminal, json }: Call, dir: string, preset: PresetName) {
  const room = placeOfRoom(dir);
  const here = repositoryOf(terminal.cwd);
  const said = options.text('project') ?? (json ? null : await askForProject(terminal, here));
  if (said === '') return {};
  if (said !== null) return keysOfProject(room, resolve(terminal.cwd, said), preset);
  if (here === null) return {};
  try {
    return keysOfProject(room, here, preset);
  } catch (error) {
    // The person did not name this repository.
    if (isRoomError(error, 'bad_input')) return {};
    throw error;
  }
}

/** Writes, or looks at, what interactive agents read of the room. */
async function keepFiles({ options, terminal, json, commands }: Call, dir: string): Promise<number> {
  const checks = options.flag('check');
  const { keepFile } = await import('../../tasks/room/init-room.ts');
  const files: [path: string, next: (text: string) => string][] = [];
  if (options.flag('agents-md'))
    files.push(['AGENTS.md', (await import('../../core/task/agents-section.ts')).withAgentsSection]);
  if (options.flag('skill')) {
    const { skillFiles } = await import('../skill-files.ts');
    for (const [path, text] of Object.entries(skillFiles(commands))) files.push([path, () => text]);
  }
  const hint = 'taskroom init --agents-md --check';
  if (files.length === 0) throw new RoomError('bad_input', '--check is for --agents-md and --skill', hint);
  const kept = files.map(([path, next]) => keepFile(dir, path, next, !checks));
  for (const { path, isCurrent } of kept) {
    const isBad = checks ? 'is missing what taskroom writes there, or has an old one' : 'is written';
    const how = isCurrent ? 'is as it should be' : isBad;
    terminal.write(
      json ? `${JSON.stringify({ path, current: isCurrent })}\n` : `${cleanLine(path)} ${how}\n`,
    );
  }
  return checks && kept.some(({ isCurrent }) => !isCurrent) ? 1 : 0;
}

function nextSteps(preset: PresetName | null, { cwd, workspace }: ProjectKeys, room: string, flag: string) {
  const where =
    cwd === undefined
      ? `a folder of each task; for a project name it as "cwd" in ${room}/agents/${preset}/agent.json`
      : `${cleanLine(resolve(room, cwd))}${workspace ? ', in a worktree for each task' : ''} (${room}/agents/${preset}/agent.json)`;
  const first =
    preset === null
      ? [`  taskroom new "Say hello" "$(printf '\`\`\`sh run\\necho hello\\n\`\`\`')"${flag}`]
      : [
          `  ${preset} works in ${where}`,
          `  taskroom doctor${flag}`,
          `  taskroom new "Say hello" "Write a file hello.txt that says hello."${flag}`,
        ];
  return [`  taskroom up${flag}`, ...first, `  or write a file in ${room}/tasks/ with any editor`];
}

/** What is missing until the agent works. */
function adviceOn(preset: PresetName | null, found: readonly CodingAgent[], isChosen: boolean): string[] {
  const chosen = found.find((one) => one.preset === preset);
  if (preset !== null && chosen === undefined)
    return [`${preset} is not on the PATH: taskroom doctor says how to install it`];
  if (chosen !== undefined) return chosen.signedIn ? [] : [`found no sign-in of ${preset}: ${chosen.signIn}`];
  if (isChosen) return [];
  const [first] = found;
  const what = 'until then it runs ```sh run blocks, and tasks in prose wait';
  return first === undefined
    ? [
        `no coding agent is installed here: npm install -g @anthropic-ai/claude-code, then taskroom init --agent claude; ${what}`,
      ]
    : [
        `no coding agent is signed in here (installed: ${found.map((one) => one.preset).join(', ')}): ${first.signIn}, then taskroom init --agent ${first.preset}; ${what}`,
      ];
}
