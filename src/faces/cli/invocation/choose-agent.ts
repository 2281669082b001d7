// Which coding agent is to take a new room's tasks: what the person said, or is asked on a terminal.
import { PRESET_NAMES, type PresetName } from '../../../core/config/agent-config.ts';
import { suggest } from '../../../core/document/suggest.ts';
import { RoomError } from '../../../core/errors.ts';
import type { CodingAgent } from '../../../runtime/coding-agents.ts';
import type { Terminal } from '../terminal.ts';

/** What stands for no coding agent. */
const NONE = 'runbook';

/** The preset that `--agent` names, null for the runbook. @throws RoomError `bad_input` */
export function parseAgent(word: string): PresetName | null {
  if (word === NONE) return null;
  const known = PRESET_NAMES.find((name) => name === word);
  if (known !== undefined) return known;
  const near = suggest(word, [...PRESET_NAMES, NONE]);
  throw new RoomError('bad_input', `${JSON.stringify(word)} is no agent that is known here`, {
    hint: near === null ? `one of ${[...PRESET_NAMES, NONE].join(', ')}` : `did you mean ${near}?`,
  });
}

/** Asks, where there is somebody to ask and an agent to offer; no answer, and any that names none, is the runbook. */
export async function askForAgent(
  terminal: Terminal,
  found: readonly CodingAgent[],
): Promise<PresetName | null> {
  if (found.length === 0) return null;
  const listed = found.map(({ preset, signedIn }) => `${preset}${signedIn ? '' : ' (no sign-in found)'}`);
  const answer = await terminal.ask(`Found ${listed.join(', ')}. Which one takes the tasks? [${NONE}] `);
  const word = answer?.trim() ?? '';
  return found.find(({ preset }) => preset === word)?.preset ?? null;
}

/** Asks for the project that it works in; null where nobody is there, or it is the one offered. */
export async function askForProject(terminal: Terminal, offered: string | null): Promise<string | null> {
  const none = 'a folder of each task';
  const answer = await terminal.ask(`Which project does it work in? [${offered ?? none}] (- for ${none}) `);
  const word = answer?.trim() ?? '';
  return word === '-' ? '' : word === '' ? null : word.replace(/^~(?=\/|$)/, terminal.env.HOME ?? '~');
}
