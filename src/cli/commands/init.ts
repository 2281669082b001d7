// `taskroom init`: makes a room in a folder.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CodingAgent } from '../../app/agents/coding-agents.ts';
import { PRESET_NAMES, type PresetName } from '../../core/config/agent-config.ts';
import { suggest } from '../../core/document/suggest.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { quoteWord } from '../../core/shell-word.ts';
import {
  initRoom,
  keysOfProject,
  type ProjectKeys,
  placeOfRoom,
  repositoryOf,
} from '../../tasks/room/init-room.ts';
import type { Call, CommandModule } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';
import type { Terminal } from '../terminal.ts';

/** The word for no coding agent. */
const NONE = 'runbook';

/** The preset that `--agent` names, null for the runbook. @throws RoomError `bad_input` */
function parseAgent(word: string): PresetName | null {
  if (word === NONE) return null;
  const known = PRESET_NAMES.find((name) => name === word);
  if (known !== undefined) return known;
  const near = suggest(word, [...PRESET_NAMES, NONE]);
  throw new RoomError('bad_input', `${JSON.stringify(word)} is no agent that is known here`, {
    hint: near === null ? `one of ${[...PRESET_NAMES, NONE].join(', ')}` : `did you mean ${near}?`,
  });
}

/** Asks which of the found agents takes the tasks; any other answer means the runbook. */
async function askForAgent(terminal: Terminal, found: readonly CodingAgent[]): Promise<PresetName | null> {
  if (found.length === 0) return null;
  const listed = found.map(({ preset, signedIn }) => `${preset}${signedIn ? '' : ' (no sign-in found)'}`);
  const answer = await terminal.ask(`Found ${listed.join(', ')}. Which one takes the tasks? [${NONE}] `);
  const word = answer?.trim() ?? '';
  return found.find(({ preset }) => preset === word)?.preset ?? null;
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
    'Makes a room: settings, a folder for tasks, and a first agent that needs nothing else installed. What is there already stays as it is.',
  arguments: [{ name: 'dir', about: 'the folder; else --room, AGENT_ROOM, or this folder', optional: true }],
  options: [
    {
      flags: '--agent <name>',
      about:
        'the coding agent that takes the tasks: claude, codex, gemini, opencode, copilot; runbook for none',
    },
    {
      flags: '--project <dir>',
      about:
        'where that agent works; else asked on a terminal, else the git repository that init is called in; "" for a folder of each task',
    },
    {
      flags: '--agents-md',
      about: 'only write the section of AGENTS.md that tells interactive agents how to work here',
    },
    { flags: '--check', about: 'with --agents-md: change nothing; ends with 1 when it is missing or old' },
  ],
  examples: [
    ['taskroom init ~/room', 'a new room'],
    [
      'taskroom init ~/room --agent claude --project ~/web',
      'a room whose tasks Claude Code takes, in that project',
    ],
    ['taskroom init --agents-md --check', 'in CI: is AGENTS.md as it should be'],
  ],
  notes:
    'Without --agent it asks on a terminal which of the installed coding agents takes the tasks; else the runbook does.\nWith --json: {"room","agent","cwd","workspace","made":[…],"kept":[…]}, the two of a project where there is one.',
  async run(call) {
    const { words, options, json, terminal, paint } = call;
    if (terminal.env.TASKROOM_TURN)
      throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
    const dir = resolve(terminal.cwd, words[0] ?? options.text('room') ?? (terminal.env.AGENT_ROOM || '.'));
    if (options.flag('agents-md') || options.flag('check')) return agentsFile(call, dir);
    const said = options.text('agent');
    const found = await (await import('../../app/agents/coding-agents.ts')).findCodingAgents(call.effects);
    // A room that is there already has its agents.
    const asks = !json && !existsSync(join(dir, 'room.yaml'));
    const preset = said ? parseAgent(said) : asks ? await askForAgent(terminal, found) : null;
    const isNew = preset !== null && !existsSync(join(dir, `agents/${preset}/agent.json`));
    const project = isNew ? await chooseProject(call, dir, preset) : {};
    const { room, made, kept, advice } = initRoom(dir, preset, project);
    const answer = { room, agent: preset ?? 'runbook', ...project, made, kept };
    if (json) return void terminal.write(`${JSON.stringify(answer)}\n`);
    const flag = room === terminal.cwd ? '' : ` --room ${quoteWord(room)}`;
    const lines = [
      `${paint('green', '✓')} ${made.length === 0 ? 'was a room already' : 'a room'}: ${cleanLine(room)}`,
      ...made.map((path) => `  made  ${path}`),
      ...kept.map((path) => paint('dim', `  kept  ${path}`)),
      ...[...adviceOn(preset, found, said !== null).map(cleanLine), ...advice].map(
        (text) => `  ${paint('yellow', '!')} ${text}`,
      ),
      ...['', 'Next:', ...nextSteps(preset, project, cleanLine(room), flag)],
    ];
    terminal.write(`${lines.join('\n')}\n`);
    return undefined;
  },
};

/** The project that the person names, or the repository that the command is called in. */
async function chooseProject(
  { options, terminal, json }: Call,
  dir: string,
  preset: PresetName,
): Promise<ProjectKeys> {
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

async function agentsFile({ options, terminal, json }: Call, dir: string): Promise<number> {
  const checks = options.flag('check');
  if (!options.flag('agents-md'))
    throw new RoomError('bad_input', '--check is for --agents-md', {
      hint: 'taskroom init --agents-md --check',
    });
  const { keepAgentsFile } = await import('../../tasks/room/agents-file.ts');
  const { path, isCurrent } = keepAgentsFile(dir, !checks);
  const isBad = checks ? 'is missing its section, or has an old one' : 'is written';
  const how = isCurrent ? 'is as it should be' : isBad;
  terminal.write(json ? `${JSON.stringify({ path, current: isCurrent })}\n` : `${cleanLine(path)} ${how}\n`);
  return checks && !isCurrent ? 1 : 0;
}

function nextSteps(
  preset: PresetName | null,
  { cwd, workspace }: ProjectKeys,
  room: string,
  flag: string,
): string[] {
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
  const names = found.map((one) => one.preset).join(', ');
  return isChosen || names === ''
    ? []
    : [`installed here: ${names}; taskroom init --agent <name> makes a room for one`];
}
